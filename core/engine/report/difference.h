#pragma once
// A unified diff of two texts, by lines (dtl: Wu's O(NP) algorithm).

#include <string>

namespace kw::report {

std::string unified_difference(const std::string& before, const std::string& after, const std::string& from, const std::string& to);   // "" when equal

}  // namespace kw::report
