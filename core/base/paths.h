#pragma once
// Where things are, and whole files. Paths are UTF-8 strings.

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kw::base {

std::string executable_dir();                 // the folder of the running program
std::string resources_dir();                  // $KW_RESOURCES_DIR, else …/share/kernelwright beside bin/, else the source tree's resources/
Result<std::string> cache_dir();              // $XDG_CACHE_HOME/kernelwright or ~/.cache/kernelwright, made when missing
Result<std::string> config_dir();             // $XDG_CONFIG_HOME/kernelwright or ~/.config/kernelwright, made when missing

Result<std::string> read_file(const std::string& path);
Status write_file_atomically(const std::string& path, std::string_view bytes);   // temporary file beside it, fsync, rename

}  // namespace kw::base
