#pragma once
// Evidence as lines of text, for the candidate page and the failures page.

#include <string>

#include "core/protocol/records.h"

namespace kw::report {

std::string evidence_lines(const protocol::Evidence& evidence);

}  // namespace kw::report
