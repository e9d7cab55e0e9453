#include "ui/models/quantities.h"

#include <array>
#include <cmath>

#include <QStringList>

namespace kw::ui {

namespace {

struct Unit { double size; const char* name; };

template <std::size_t N>
QString scaled(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units)
    if (std::abs(value) >= unit.size || &unit == &units.back()) return digits(value / unit.size) + QChar(0x2009) + QString::fromUtf8(unit.name);
  return {};
}

constexpr std::array<Unit, 4> time_units{{{1e6, "s"}, {1e3, "ms"}, {1, "µs"}, {1e-3, "ns"}}};
constexpr std::array<Unit, 4> byte_units{{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};

}  // namespace

QString digits(double value, int significant) {
  if (value == 0 || !std::isfinite(value)) return QString::number(value);
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return QString::number(value, 'f', std::clamp(significant - whole, 0, 6));
}

QString time_text(std::optional<double> us) { return us ? scaled(*us, time_units) : QString(); }
QString bytes_text(std::optional<double> bytes) { return bytes ? scaled(*bytes, byte_units) : QString(); }

QString speedup_text(std::optional<double> speedup, std::optional<Range> ci95) {
  if (!speedup) return {};
  const QString figure = QString::number(*speedup, 'f', 2) + QChar(0xd7);
  if (!ci95) return figure;
  return figure + QStringLiteral(" [%1, %2]").arg(QString::number(ci95->low, 'f', 2), QString::number(ci95->high, 'f', 2));
}

QString share_text(std::optional<double> share) { return share ? QString::number(*share * 100, 'f', 1) + QChar(0x2009) + QLatin1Char('%') : QString(); }
QString error_text(std::optional<double> error) { return error ? QString::number(*error, 'e', 2) : QString(); }

QString duration_text(std::optional<double> seconds) {
  if (!seconds) return {};
  const auto whole = static_cast<qint64>(std::ceil(*seconds));
  if (whole < 60) return QStringLiteral("%1 s").arg(whole);
  if (whole < 3600) return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
  return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString short_operator(const QString& name) {
  QStringList names;
  for (const QString& one : name.split(u',')) {
    const QStringList parts = one.trimmed().split(u'.');
    names << (parts.size() >= 2 && parts[0] == QLatin1String("aten") ? parts[1] : one.trimmed());
  }
  return names.join(QStringLiteral(" + "));
}

}  // namespace kw::ui
