#include "ui/views/progress/progress_charts.h"

#include <algorithm>
#include <cmath>

namespace kw::ui {

namespace {

constexpr int roof_points = 64;

struct Work { double bytes = 0, flops = 0; };   // of one call of a task, as its operators do it one by one

QHash<QString, Work> work_by_task(const std::vector<Operator>& operators) {
  QHash<QString, Work> out;
  for (const Operator& op : operators) {
    if (op.task.isEmpty()) continue;
    const double calls = std::max<double>(1, static_cast<double>(op.calls));
    out[op.task].bytes += op.bytes.value_or(0) / calls;
    out[op.task].flops += op.flops.value_or(0) / calls;
  }
  return out;
}

}  // namespace

std::vector<Curve> best_so_far(const std::vector<Step>& steps, std::size_t count, bool over_time) {
  std::vector<Curve> curves;
  QHash<QString, std::size_t> where;
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps[i];
    if (!where.contains(step.task)) {
      where.insert(step.task, curves.size());
      curves.push_back({step.task, {}, {}});
    }
    Curve& curve = curves[where[step.task]];
    const double best = curve.y.isEmpty() ? 1 : curve.y.back();
    curve.x << (over_time ? step.at_s : static_cast<double>(i + 1));
    curve.y << std::max(best, step.speedup.value_or(0));
  }
  const double end = count == 0 ? 0 : over_time ? steps[count - 1].at_s : static_cast<double>(count);
  for (Curve& curve : curves) {
    curve.x << end;
    curve.y << curve.y.back();
  }
  return curves;
}

Cloud error_and_speed(const QHash<QString, Node>& nodes, const QString& task) {
  Cloud cloud;
  for (const Node& node : nodes) {
    if (!node.speedup || !node.error_max || *node.error_max <= 0 || (!task.isEmpty() && node.task != task)) continue;
    cloud.x << *node.speedup;
    cloud.y << *node.error_max;
    cloud.ids << node.id;
  }
  return cloud;
}

Cloud roofline_points(const QHash<QString, Node>& nodes, const std::vector<Operator>& operators, const QString& task) {
  Cloud cloud;
  const QHash<QString, Work> work = work_by_task(operators);
  for (const Node& node : nodes) {
    if (!node.candidate_us || *node.candidate_us <= 0 || (!task.isEmpty() && node.task != task)) continue;
    const Work one = work.value(node.task);
    if (one.bytes <= 0 || one.flops <= 0) continue;
    cloud.x << one.flops / one.bytes;
    cloud.y << one.flops / *node.candidate_us / 1e3;
    cloud.ids << node.id;
  }
  return cloud;
}

Curve roof(const json& ceilings, double lowest, double highest) {
  const double bandwidth = number(ceilings, "copy_gb_s").value_or(0), compute = number(ceilings, "f32_gflop_s").value_or(0);
  Curve curve;
  if (bandwidth <= 0 || compute <= 0) return curve;
  for (int i = 0; i <= roof_points; ++i) {
    const double intensity = lowest * std::pow(highest / lowest, static_cast<double>(i) / roof_points);
    curve.x << intensity;
    curve.y << std::min(compute, intensity * bandwidth);
  }
  return curve;
}

}  // namespace kw::ui
