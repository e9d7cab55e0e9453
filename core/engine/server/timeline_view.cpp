#include "core/engine/server/timeline_view.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kw::server {

using nlohmann::json;

TimelineView::TimelineView(const std::vector<protocol::TimelineEvent>& events) : size_(events.size()) {
  std::unordered_map<std::string, int> names, tracks;
  start_us_ = events.empty() ? 0 : std::numeric_limits<double>::infinity();
  end_us_ = events.empty() ? 0 : -start_us_;
  for (const auto& e : events) {
    const auto [name, new_name] = names.emplace(e.name, static_cast<int>(names_.size()));
    if (new_name) names_.push_back(e.name);
    const auto [track, new_track] = tracks.emplace(e.track, static_cast<int>(tracks_.size()));
    if (new_track) tracks_.push_back({e.track, {}, 0});
    Track& kept = tracks_[static_cast<std::size_t>(track->second)];
    kept.events.push_back({name->second, e.start_us, e.duration_us, e.node});
    kept.longest_us = std::max(kept.longest_us, e.duration_us);
    start_us_ = std::min(start_us_, e.start_us);
    end_us_ = std::max(end_us_, e.start_us + e.duration_us);
  }
  for (Track& track : tracks_)
    std::stable_sort(track.events.begin(), track.events.end(), [](const Event& a, const Event& b) { return a.start_us < b.start_us; });
}

json TimelineView::viewport(double start_us, double end_us, int pixels) const {
  json out = json::array();
  const double pixel_us = std::max(0.0, end_us - start_us) / std::max(1, pixels);
  for (const Track& track : tracks_) out.push_back({{"name", track.name}, {"events", merged(track, start_us, end_us, pixel_us)}});
  return {{"tracks", std::move(out)}};
}

// A merged event has the name and node of the longest that it stands for.
json TimelineView::merged(const Track& track, double start_us, double end_us, double pixel_us) const {
  struct Block { Event longest; double start_us = 0, end_us = 0; int count = 0; };
  json out = json::array();
  Block block;
  const auto flush = [&] {
    if (block.count > 0) out.push_back({names_[static_cast<std::size_t>(block.longest.name)], block.start_us, block.end_us - block.start_us, block.longest.node, block.count});
    block = {};
  };
  const auto first = std::lower_bound(track.events.begin(), track.events.end(), start_us - track.longest_us,
                                      [](const Event& e, double t) { return e.start_us < t; });
  for (auto e = first; e != track.events.end() && e->start_us <= end_us; ++e) {
    const double end = e->start_us + e->duration_us;
    if (end < start_us) continue;
    const bool joins = block.count > 0 && e->duration_us < pixel_us && e->start_us < block.start_us + pixel_us && block.end_us - block.start_us <= 2 * pixel_us;
    if (!joins) {
      flush();
      block = {*e, e->start_us, end, 1};
      continue;
    }
    if (e->duration_us > block.longest.duration_us) block.longest = *e;
    block.end_us = std::max(block.end_us, end);
    ++block.count;
  }
  flush();
  return out;
}

}  // namespace kw::server
