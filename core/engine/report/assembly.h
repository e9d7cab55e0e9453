#pragma once
// The compiler run with the flags that built a candidate: machine code as text, and command lines for an engineer.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace kw::report {

// `compiler`: its name or its `--version` line; `flags`: separated by spaces.
base::Result<std::string> assembly_of(const std::string& source, const std::string& compiler, const std::string& flags);

std::string compiler_program(const std::string& compiler);
// Without those that make a shared object, for a program of its own.
std::vector<std::string> program_flags(const std::string& flags);
std::vector<std::string> all_flags(const std::string& flags);

}  // namespace kw::report
