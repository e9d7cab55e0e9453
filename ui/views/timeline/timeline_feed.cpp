#include "ui/views/timeline/timeline_feed.h"

#include <algorithm>
#include <unordered_map>

#include "ui/bridge/selection.h"
#include "ui/models/records.h"

namespace kw::ui {
namespace {

constexpr qint64 most_at_once = 50'000;        // events
constexpr int unmerged_pixels = 2'000'000'000;
constexpr int patience_ms = 60;                // a zoom goes through many views

bool is_event(const json& row) {
  return row.is_array() && row.size() == 5 && row[0].is_string() && std::all_of(row.begin() + 1, row.end(), [](const json& v) { return v.is_number(); });
}

}  // namespace

std::vector<TimelineInfo> timelines_of(const json& answer) {
  std::vector<TimelineInfo> out;
  for (const json& row : array(answer, "timelines")) {
    const QString name = text(row, "name");
    if (name.isEmpty()) continue;
    const QString title = text(row, "title");
    out.push_back({name, title.isEmpty() ? name : title, static_cast<qint64>(number(row, "events").value_or(0)), {number(row, "start_us").value_or(0), number(row, "end_us").value_or(0)}});
  }
  return out;
}

// Operators and what they launched share a node of the graph.
TimelineData timeline_of(const json& answer) {
  TimelineBuilder builder;
  std::unordered_map<int, std::int64_t> operators;
  std::vector<std::pair<int, std::int64_t>> launched;
  for (const json& track : array(answer, "tracks")) {
    const QString name = text(track, "name");
    const int id = builder.track(name, {});
    for (const json& row : array(track, "events")) {
      if (!is_event(row)) continue;
      TimelineEvent event{row[1].get<double>(), row[2].get<double>(), builder.name(QString::fromStdString(row[0].get_ref<const std::string&>())), row[3].get<int>(), 1, 0};
      event.count = static_cast<std::uint32_t>(std::clamp(row[4].get<double>(), 1.0, 4e9));
      const std::int64_t number = builder.add(id, event);
      if (event.node < 0 || event.count > 1) continue;
      if (name == "operators") operators.emplace(event.node, number);
      else launched.emplace_back(event.node, number);
    }
  }
  for (const auto& [node, number] : launched)
    if (const auto from = operators.find(node); from != operators.end()) builder.add_arrow(from->second, number);
  return builder.finish();
}

TimelineFeed::TimelineFeed(const DockContext& context, TimelineCanvas* canvas, QObject* parent) : QObject(parent), context_(context), canvas_(canvas) {
  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, [this] { ask(wanted_, wanted_pixels_, false); });
  connect(canvas, &TimelineCanvas::viewport_changed, this, &TimelineFeed::follow_view);
}

void TimelineFeed::show(const TimelineInfo& timeline) {
  stop();
  info_ = timeline;
  whole_ = timeline.events <= most_at_once;
  ask(timeline.extent, whole_ ? unmerged_pixels : std::max(400, canvas_->lane_pixels()), true);
}

void TimelineFeed::stop() {
  ++turn_;
  whole_ = true;
  soon_.stop();
}

void TimelineFeed::ask(TimeRange range, int pixels, bool first) {
  const int turn = ++turn_;
  const json params = {{"session", context_.selection->session().toStdString()}, {"name", info_.name.toStdString()}, {"start_us", range.start_us}, {"end_us", range.end_us}, {"pixels", pixels}};
  context_.engine->call(
      QStringLiteral("session/timeline"), params, this,
      [this, turn, range, pixels, first](const json& answer) {
        if (turn != turn_) return;
        held_ = range;
        held_us_a_pixel_ = range.length() / pixels;
        canvas_->set_data(std::make_shared<const TimelineData>(timeline_of(answer)), info_.extent, !first);
      },
      [this, turn](const EngineError& error) {
        if (turn == turn_) Q_EMIT failed(error.message);
      });
}

// Three views wide, so that a pan is seen at once; asked again where the view leaves it or has become much finer or coarser.
void TimelineFeed::follow_view(double start_us, double end_us, int pixels) {
  if (whole_ || pixels <= 0) return;
  const double finer = held_us_a_pixel_ * pixels / std::max(1e-9, end_us - start_us);
  const bool inside = (start_us >= held_.start_us || held_.start_us <= info_.extent.start_us) && (end_us <= held_.end_us || held_.end_us >= info_.extent.end_us);
  if (inside && finer < 1.5 && finer > 0.2) return;
  const double length = end_us - start_us;
  wanted_ = {std::max(info_.extent.start_us, start_us - length), std::min(info_.extent.end_us, end_us + length)};
  wanted_pixels_ = std::max(1, static_cast<int>(pixels * wanted_.length() / length));
  soon_.start(patience_ms);
}

}  // namespace kw::ui
