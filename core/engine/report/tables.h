#pragma once
// Tables for terminals. Each returns text that ends with a newline.

#include "core/engine/report/summary.h"

namespace kw::report {

std::string operators_table(const std::vector<protocol::OperatorCard>& cards, std::size_t most);   // the `most` of largest share
std::string tasks_table(const Summary& summary);
std::string model_lines(const Summary& summary);       // whole model before and after, error, what was left out
std::string run_line(const Summary& summary);          // evaluations, rate, overhead
std::string verdict_lines(const Summary& summary);     // failures by verdict, "" when there are none

}  // namespace kw::report
