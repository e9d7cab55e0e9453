#pragma once
// One logger for a process, to stderr: KW_LOG=debug|info|warn|error chooses the level, warn without it.

#include <string_view>

namespace kw::base {

enum class Level { debug, info, warn, error };
void log(Level level, std::string_view part, std::string_view message);

}  // namespace kw::base
