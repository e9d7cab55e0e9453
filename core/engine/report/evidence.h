#pragma once
// A verdict and its evidence in words, for the candidate page, the failures page and the desktop application.

#include <string>

#include "core/protocol/records.h"

namespace kw::report {

std::string evidence_lines(const protocol::Evidence& evidence);
const char* meaning_of(const std::string& verdict);     // of "wrong_result", "cheat:input_alias", …; "" for what is no verdict

}  // namespace kw::report
