#include "app/cli/commands.h"

#include <cstdio>

namespace kw::cli {
namespace {

struct CommandRow { const char* name; Command command; };
constexpr CommandRow rows[] = {
    {"operators", operators}, {"profile", profile}, {"optimize", optimize}, {"run", run},
    {"show", show},           {"diff", diff},       {"verify", verify},     {"export", export_candidates},
    {"serve", serve},
};

int status_of(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::bad_input:
    case base::ErrorCode::not_found:
    case base::ErrorCode::unsupported: return 2;
    case base::ErrorCode::cancelled: return 130;
    default: return 1;
  }
}

}  // namespace

Command find_command(const std::string& name) {
  for (const CommandRow& row : rows)
    if (name == row.name) return row.command;
  return nullptr;
}

int fail(const base::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return status_of(error.code);
}

}  // namespace kw::cli
