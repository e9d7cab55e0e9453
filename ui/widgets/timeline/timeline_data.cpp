#include "ui/widgets/timeline/timeline_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kw::ui {
namespace {

constexpr int fan = 8;                 // of the pyramid

template <class T>
const T& at(const std::vector<T>& list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; }

}  // namespace

void TimelineLane::index() {
  events_.shrink_to_fit();
  busy_.assign(events_.size() + 1, 0);
  for (std::size_t i = 0; i < events_.size(); ++i) busy_[i + 1] = busy_[i] + events_[i].duration_us;
  longest_.clear();
  for (std::size_t below = events_.size(); below > fan; below = longest_.back().size()) {
    std::vector<std::uint32_t> level((below + fan - 1) / fan);
    for (std::size_t i = 0; i < below; ++i) {
      const std::uint32_t candidate = longest_.empty() ? static_cast<std::uint32_t>(i) : longest_.back()[i];
      std::uint32_t& best = level[i / fan];
      if (i % fan == 0 || events_[candidate].duration_us > events_[best].duration_us) best = candidate;
    }
    longest_.push_back(std::move(level));
  }
}

int TimelineLane::first_ending_after(double us) const {
  return static_cast<int>(std::partition_point(events_.begin(), events_.end(), [&](const TimelineEvent& e) { return e.end_us() <= us; }) - events_.begin());
}

int TimelineLane::first_starting_at(double us, int from) const {
  // Gallops: callers go along the lane.
  const int n = size();
  int step = 1, low = from - 1;
  while (low + step < n && (*this)[low + step].start_us < us) {
    low += step;
    step *= 2;
  }
  int high = std::min(low + step, n);
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    ((*this)[middle].start_us < us ? low : high) = middle;
  }
  return high;
}

double TimelineLane::busy_us(double from, double to) const {
  const int first = first_ending_after(from), last = first_starting_at(to, first);
  if (first >= last || to <= from) return 0;
  double sum = at(busy_, last) - at(busy_, first);
  sum -= std::max(0.0, from - (*this)[first].start_us);
  sum -= std::max(0.0, (*this)[last - 1].end_us() - to);
  return std::max(0.0, sum);
}

int TimelineLane::longest(int first, int last) const {
  int best = first;
  const auto take = [&](int i) {
    if ((*this)[i].duration_us > (*this)[best].duration_us) best = i;
  };
  // Up the pyramid from both ends.
  const auto entry = [&](std::size_t level, int i) { return level == 0 ? i : static_cast<int>(at(longest_[level - 1], i)); };
  for (std::size_t level = 0;; ++level) {
    if (level == longest_.size() || last - first <= 2 * fan) {
      for (int i = first; i < last; ++i) take(entry(level, i));
      return best;
    }
    for (; first % fan != 0; ++first) take(entry(level, first));
    for (; last % fan != 0; --last) take(entry(level, last - 1));
    first /= fan;
    last /= fan;
  }
}

const TimelineLane& TimelineData::lane(EventRef ref) const { return at(at(tracks_, ref.track).lanes, ref.lane); }
const TimelineEvent& TimelineData::event(EventRef ref) const { return lane(ref)[ref.index]; }

std::vector<TimelineArrow> TimelineData::arrows_of(EventRef ref) const {
  std::vector<TimelineArrow> out;
  const auto from = [](const TimelineArrow& a) { return a.from; };
  const auto to = [](const TimelineArrow& a) { return a.to; };
  for (auto a = std::ranges::lower_bound(by_from_, ref, {}, from); a != by_from_.end() && a->from == ref; ++a) out.push_back(*a);
  for (auto a = std::ranges::lower_bound(by_to_, ref, {}, to); a != by_to_.end() && a->to == ref; ++a) out.push_back(*a);
  return out;
}

std::vector<NameSum> TimelineData::sums(double from, double to) const {
  std::vector<NameSum> out, of_track(names_.size());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    for (const TimelineLane& lane : tracks_[t].lanes) {
      for (int i = lane.first_ending_after(from); i < lane.size() && lane[i].start_us < to; ++i) {
        NameSum& sum = of_track[lane[i].name];
        sum.count += lane[i].count;
        sum.total_us += std::min(to, lane[i].end_us()) - std::max(from, lane[i].start_us);
      }
    }
    for (std::size_t n = 0; n < of_track.size(); ++n) {
      if (of_track[n].count == 0) continue;
      out.push_back({static_cast<std::uint32_t>(n), static_cast<int>(t), of_track[n].count, of_track[n].total_us});
      of_track[n] = {};
    }
  }
  std::ranges::stable_sort(out, std::greater{}, &NameSum::total_us);
  return out;
}

std::uint32_t TimelineBuilder::interned(const QString& text, QHash<QString, std::uint32_t>& known, std::vector<QString>& texts) {
  const auto found = known.find(text);
  if (found != known.end()) return *found;
  const auto id = static_cast<std::uint32_t>(texts.size());
  texts.push_back(text);
  known.insert(text, id);
  return id;
}

std::uint32_t TimelineBuilder::detail(const QString& text) {
  if (data_.details_.empty()) interned(QString(), details_, data_.details_);
  return interned(text, details_, data_.details_);
}

int TimelineBuilder::track(const QString& name, const QString& group) {
  const QString key = group + QChar(0) + name;
  const auto found = tracks_.find(key);
  if (found != tracks_.end()) return *found;
  const int id = static_cast<int>(data_.tracks_.size());
  data_.tracks_.push_back({name, group, {}});
  waiting_.emplace_back();
  ranks_.push_back(0);
  tracks_.insert(key, id);
  return id;
}

std::int64_t TimelineBuilder::add(int track, const TimelineEvent& event) {
  const std::int64_t number = added_++;
  if (!std::isfinite(event.start_us) || !std::isfinite(event.duration_us)) {
    ++data_.left_out_;
    return number;
  }
  waiting_[static_cast<std::size_t>(track)].push_back({event, number});
  waiting_[static_cast<std::size_t>(track)].back().event.duration_us = std::max(0.0, event.duration_us);
  return number;
}

void TimelineBuilder::fill_lanes(int track, std::vector<EventRef>& refs) {
  auto& waiting = waiting_[static_cast<std::size_t>(track)];
  std::ranges::stable_sort(waiting, [](const Waiting& a, const Waiting& b) {
    return a.event.start_us != b.event.start_us ? a.event.start_us < b.event.start_us : a.event.duration_us > b.event.duration_us;
  });
  auto& lanes = data_.tracks_[static_cast<std::size_t>(track)].lanes;
  for (const Waiting& w : waiting) {
    const auto free = std::ranges::find_if(lanes, [&](const TimelineLane& l) { return l.events().back().end_us() <= w.event.start_us; });
    auto lane = static_cast<std::size_t>(free - lanes.begin());
    if (lane == lanes.size()) {
      if (lane == most_lanes) {
        ++data_.left_out_;
        continue;
      }
      lanes.emplace_back();
    }
    if (!refs.empty()) refs[static_cast<std::size_t>(w.number)] = {track, static_cast<int>(lane), lanes[lane].size()};
    lanes[lane].add(w.event);
    ++data_.events_;
  }
  std::vector<Waiting>().swap(waiting);
  for (TimelineLane& lane : lanes) lane.index();
}

void TimelineBuilder::set_track(int track, const QString& name, const QString& group, double rank) {
  data_.tracks_[static_cast<std::size_t>(track)].name = name;
  data_.tracks_[static_cast<std::size_t>(track)].group = group;
  ranks_[static_cast<std::size_t>(track)] = rank;
}

void TimelineBuilder::sort_tracks() {
  std::vector<std::size_t> order(ranks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t t) { return ranks_[t]; });
  std::vector<TimelineTrack> tracks;
  std::vector<std::vector<Waiting>> waiting;
  for (const std::size_t t : order) {
    if (waiting_[t].empty()) continue;
    tracks.push_back(std::move(data_.tracks_[t]));
    waiting.push_back(std::move(waiting_[t]));
  }
  data_.tracks_ = std::move(tracks);
  waiting_ = std::move(waiting);
}

void TimelineBuilder::find_ends() {
  bool any = false;
  for (const auto& waiting : waiting_) {
    for (const Waiting& w : waiting) {
      data_.start_us_ = any ? std::min(data_.start_us_, w.event.start_us) : w.event.start_us;
      data_.end_us_ = any ? std::max(data_.end_us_, w.event.end_us()) : w.event.end_us();
      any = true;
    }
  }
}

TimelineData TimelineBuilder::finish(bool from_zero) {
  sort_tracks();
  find_ends();
  if (from_zero) {
    for (auto& waiting : waiting_)
      for (Waiting& w : waiting) w.event.start_us -= data_.start_us_;
    data_.end_us_ -= data_.start_us_;
    data_.start_us_ = 0;
  }
  std::vector<EventRef> refs(arrows_.empty() ? 0 : static_cast<std::size_t>(added_));
  for (int track = 0; track < static_cast<int>(data_.tracks_.size()); ++track) fill_lanes(track, refs);
  for (const auto& [from, to] : arrows_) {
    const EventRef a = at(refs, from), b = at(refs, to);
    if (a.valid() && b.valid()) data_.by_from_.push_back({a, b});
  }
  data_.by_to_ = data_.by_from_;
  std::ranges::sort(data_.by_from_, {}, [](const TimelineArrow& a) { return std::pair(a.from, a.to); });
  std::ranges::sort(data_.by_to_, {}, [](const TimelineArrow& a) { return std::pair(a.to, a.from); });
  return std::move(data_);
}

}  // namespace kw::ui
