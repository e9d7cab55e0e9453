#pragma once
// What the user asked for, as plain values filled in by CLI11 (options.cpp holds the one table of commands and options).

#include <string>

#include "core/engine/conductor/optimize.h"

namespace CLI {
class App;
}

namespace kw::cli {

struct Options {
  conductor::OptimizeOptions optimize;           // its `model` serves profile, run and verify too
  std::string json;                              // FILE; "-": standard output
  bool as_json = false;                          // doctor, operators
  std::string trace;                             // profile, show: Chrome trace file
  std::string out;                               // run, export
  std::string session;                           // show, diff, verify, export
  std::string view = "tasks";                    // show
  std::string first, second;                     // candidates
  bool assembly = false;
  std::string llm = "off";
};

// Registers every command; after parsing, the chosen one is app.get_subcommands().front().
void describe(CLI::App& app, Options& options);

}  // namespace kw::cli
