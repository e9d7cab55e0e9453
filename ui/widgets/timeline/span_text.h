#pragma once
// Times as people read them: 512 ns, 3.42 µs, 18.1 ms, 2.05 s; and where an axis gets its ticks.

#include <QString>

namespace kw::ui {

QString span_text(double us);
// A position on an axis, to the digit that `step_us` needs.
QString tick_text(double us, double step_us);
// The smallest of 1, 2, 5 × 10^n µs that is at least `us`.
double tick_step(double us);

}  // namespace kw::ui
