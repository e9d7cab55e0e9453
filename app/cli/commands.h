#pragma once
// One function a command: does what was asked, prints, returns the exit status (0: done; 2: bad input; 130: stopped by
// the user; 1: anything else).

#include "app/cli/options.h"
#include "core/base/cancel.h"

namespace kw::cli {

using Command = int (*)(const Options& options, const base::CancelToken& cancel);
Command find_command(const std::string& name);         // nullptr: no such command

int fail(const base::Error& error);                    // prints it and gives the exit status

int profile(const Options& options, const base::CancelToken& cancel);
int optimize(const Options& options, const base::CancelToken& cancel);
int run(const Options& options, const base::CancelToken& cancel);
int verify(const Options& options, const base::CancelToken& cancel);
int show(const Options& options, const base::CancelToken& cancel);
int diff(const Options& options, const base::CancelToken& cancel);
int export_candidates(const Options& options, const base::CancelToken& cancel);
int serve(const Options& options, const base::CancelToken& cancel);
int operators(const Options& options, const base::CancelToken& cancel);

// `path` "-": standard output.
base::Status write_json(const std::string& path, const nlohmann::json& json);

}  // namespace kw::cli
