#include "core/engine/conductor/spans.h"

#include <algorithm>

namespace kw::conductor {

double covered_s(std::vector<protocol::Span> spans, double start_s, double end_s) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
  double covered = 0, reached = start_s;
  for (const auto& span : spans) {
    const double from = std::max(span.start_s, reached);
    const double to = std::min(span.end_s, end_s);
    if (to <= from) continue;
    covered += to - from;
    reached = to;
  }
  return covered;
}

}  // namespace kw::conductor
