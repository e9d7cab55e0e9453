#pragma once
// Quantities as the user reads them: three significant digits, a unit, a thin space between. "" for what is absent.

#include <optional>

#include <QString>

#include "ui/models/records.h"

namespace kw::ui {

QString time_text(std::optional<double> us);                  // "12.3 µs", "1.24 ms", "2.05 s"
QString speedup_text(std::optional<double> speedup, std::optional<Range> ci95 = {});   // "1.42× [1.38, 1.46]"
QString share_text(std::optional<double> share);              // "12.3 %"
QString bytes_text(std::optional<double> bytes);              // "12.6 MB"
QString error_text(std::optional<double> error);              // "2.06e-07"
QString duration_text(std::optional<double> seconds);         // "4 s", "3 min 20 s"
QString digits(double value, int significant = 3);
QString short_operator(const QString& name);                  // "aten.layer_norm.default" -> "layer_norm"

}  // namespace kw::ui
