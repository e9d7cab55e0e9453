#include "ui/widgets/timeline/span_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kw::ui {
namespace {

struct Unit { double us; const char* name; };
constexpr std::array units = {Unit{1e6, "s"}, Unit{1e3, "ms"}, Unit{1, "µs"}, Unit{1e-3, "ns"}};

const Unit& unit_of(double us) {
  for (const Unit& unit : units)
    if (std::abs(us) >= unit.us * 0.99999) return unit;
  return units.back();
}

}  // namespace

QString span_text(double us) {
  if (us == 0) return QStringLiteral("0 µs");
  const Unit& unit = unit_of(us);
  const double value = us / unit.us, size = std::abs(value);
  return QString::number(value, 'f', size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + ' ' + QString::fromUtf8(unit.name);
}

QString tick_text(double us, double step_us) {
  if (us == 0) return QStringLiteral("0");
  const Unit& unit = unit_of(std::max(std::abs(us), step_us));
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step_us / unit.us) - 1e-9)), 0, 9);
  return QString::number(us / unit.us, 'f', digits) + ' ' + QString::fromUtf8(unit.name);
}

double tick_step(double us) {
  const double power = std::pow(10, std::floor(std::log10(std::max(us, 1e-9))));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= us * (1 - 1e-9)) return step * power;
  return 10 * power;
}

}  // namespace kw::ui
