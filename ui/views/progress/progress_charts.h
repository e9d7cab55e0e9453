#pragma once
// What the progress dock's charts show, computed from a session. Pure.

#include <vector>

#include <QHash>
#include <QVector>

#include "ui/models/records.h"

namespace kw::ui {

struct Curve { QString task; QVector<double> x, y; };

// The best speedup of each task so far; over the number of evaluations, or over seconds since the session began. 1 until something is faster.
std::vector<Curve> best_so_far(const std::vector<Step>& steps, std::size_t count, bool over_time);

struct Cloud { QVector<double> x, y; QStringList ids; };

// Error against speed: speedup and the largest error, of candidates that have both.
Cloud error_and_speed(const QHash<QString, Node>& nodes, const QString& task);

// Roofline: FLOP per byte and GFLOP/s of the candidates of tasks whose bytes and FLOPs are known.
Cloud roofline_points(const QHash<QString, Node>& nodes, const std::vector<Operator>& operators, const QString& task);

// The roof itself, from measured ceilings: min(compute, intensity × bandwidth) between two intensities. Empty where they are not known.
Curve roof(const json& ceilings, double lowest, double highest);

}  // namespace kw::ui
