#pragma once
// A timeline answered by viewport: the events of each track between two times, those narrower than a pixel merged with their neighbours,
// so that an answer follows the pixels and not the events. Immutable but for `evaluations`.

#include <string>
#include <vector>

#include "core/protocol/records.h"

namespace kw::server {

class TimelineView {
 public:
  explicit TimelineView(const std::vector<protocol::TimelineEvent>& events);

  std::size_t size() const { return size_; }
  double start_us() const { return start_us_; }
  double end_us() const { return end_us_; }

  // {tracks: [{name, events: [[name, start_us, duration_us, node, count]]}]}
  nlohmann::json viewport(double start_us, double end_us, int pixels) const;

  std::int64_t evaluations = 0;        // the session's last evaluation when it was read

 private:
  struct Event { int name = 0; double start_us = 0, duration_us = 0; int node = -1; };
  struct Track { std::string name; std::vector<Event> events; double longest_us = 0; };   // in order of start

  nlohmann::json merged(const Track& track, double start_us, double end_us, double pixel_us) const;

  std::vector<std::string> names_;
  std::vector<Track> tracks_;
  std::size_t size_ = 0;
  double start_us_ = 0, end_us_ = 0;
};

}  // namespace kw::server
