#pragma once
// Events on tracks, indexed for drawing: within a lane they do not overlap, so they are sorted by both ends and found by halving; sums over a
// range come from running sums, and the longest event of a range from a pyramid. Built once, then read only: any thread may read it.
// Times in µs since the timeline's beginning. Memory: 41 bytes an event.

#include <cstdint>
#include <vector>

#include <QHash>
#include <QString>

namespace kw::ui {

struct TimelineEvent {
  double start_us = 0, duration_us = 0;
  std::uint32_t name = 0;              // of names()
  std::int32_t node = -1;              // of the graph; -1: not known
  std::uint32_t count = 1;             // how many events it stands for
  std::uint32_t detail = 0;            // of details(); 0: none
  double end_us() const { return start_us + duration_us; }
};

class TimelineLane {
 public:
  void add(const TimelineEvent& event) { events_.push_back(event); }
  void index();

  const std::vector<TimelineEvent>& events() const { return events_; }
  const TimelineEvent& operator[](int i) const { return events_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(events_.size()); }
  int first_ending_after(double us) const;
  int first_starting_at(double us, int from = 0) const;   // at or after
  double busy_us(double from, double to) const;           // of events, cut at the ends
  int longest(int first, int last) const;                 // of events [first, last), which must not be empty

 private:
  std::vector<TimelineEvent> events_;
  std::vector<double> busy_;                        // running sum of durations
  std::vector<std::vector<std::uint32_t>> longest_; // by level: of each 8 below
};

struct TimelineTrack {
  QString name, group;
  std::vector<TimelineLane> lanes;     // nested and overlapping events go below one another
};

struct EventRef {
  std::int32_t track = -1, lane = -1, index = -1;
  bool valid() const { return track >= 0; }
  auto operator<=>(const EventRef&) const = default;
};

struct TimelineArrow { EventRef from, to; };        // an operator and what it launched

// What one name comes to in a range.
struct NameSum {
  std::uint32_t name = 0;
  int track = 0;
  std::int64_t count = 0;
  double total_us = 0;
};

class TimelineData {
 public:
  const std::vector<TimelineTrack>& tracks() const { return tracks_; }
  const std::vector<QString>& names() const { return names_; }
  const std::vector<QString>& details() const { return details_; }
  const TimelineEvent& event(EventRef ref) const;
  const TimelineLane& lane(EventRef ref) const;
  std::vector<TimelineArrow> arrows_of(EventRef ref) const;   // both ways
  std::size_t arrow_count() const { return by_from_.size(); }
  double start_us() const { return start_us_; }
  double end_us() const { return end_us_; }
  std::int64_t events() const { return events_; }
  std::int64_t left_out() const { return left_out_; }         // overlapping deeper than there are lanes
  std::vector<NameSum> sums(double from, double to) const;    // the longest first

 private:
  friend class TimelineBuilder;
  std::vector<TimelineTrack> tracks_;
  std::vector<QString> names_, details_;
  std::vector<TimelineArrow> by_from_, by_to_;
  double start_us_ = 0, end_us_ = 0;
  std::int64_t events_ = 0, left_out_ = 0;
};

class TimelineBuilder {
 public:
  static constexpr std::size_t most_lanes = 200;   // a track

  std::uint32_t name(const QString& text) { return interned(text, names_, data_.names_); }
  std::uint32_t detail(const QString& text);
  int track(const QString& name, const QString& group);
  // How the track is shown; those of a lower rank stand above.
  void set_track(int track, const QString& name, const QString& group, double rank);
  // The answer names the event in add_arrow. Infinite times are left out, negative durations are none.
  std::int64_t add(int track, const TimelineEvent& event);
  void add_arrow(std::int64_t from, std::int64_t to) { arrows_.emplace_back(from, to); }
  TimelineData finish(bool from_zero = false);   // the first event begins at 0

 private:
  struct Waiting { TimelineEvent event; std::int64_t number; };
  static std::uint32_t interned(const QString& text, QHash<QString, std::uint32_t>& known, std::vector<QString>& texts);
  void sort_tracks();
  void find_ends();
  void fill_lanes(int track, std::vector<EventRef>& refs);

  TimelineData data_;
  QHash<QString, std::uint32_t> names_, details_;
  QHash<QString, int> tracks_;
  std::vector<std::vector<Waiting>> waiting_;  // by track
  std::vector<double> ranks_;
  std::vector<std::pair<std::int64_t, std::int64_t>> arrows_;
  std::int64_t added_ = 0;
};

}  // namespace kw::ui
