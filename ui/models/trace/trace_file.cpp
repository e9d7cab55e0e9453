#include "ui/models/trace/trace_file.h"

#include <cmath>
#include <iterator>

#include <QCoreApplication>
#include <QFile>

#include <nlohmann/json.hpp>

#include "ui/models/trace/trace_events.h"

namespace kw::ui {
namespace {

using nlohmann::json;

constexpr qsizetype longest_text = 300;   // of one argument
constexpr std::int64_t progress_every = 4096;

QString translated(const char* text) { return QCoreApplication::translate("read_trace", text); }

// Bytes of a mapped file; tells how far the parser is.
class Bytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  Bytes(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  Bytes& operator++() {
    ++at_;
    if (seen_ != nullptr) *seen_ = at_;
    return *this;
  }
  bool operator==(const Bytes& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

struct DetailRow { const char* key; const char* shown; };
constexpr DetailRow detail_rows[] = {
    {"grid", "Grid"}, {"block", "Block"}, {"registers per thread", "Registers a thread"}, {"registers", "Registers a thread"}, {"shared memory", "Shared memory"},
    {"shared_bytes", "Shared memory"}, {"est. achieved occupancy %", "Occupancy, estimated"}, {"bytes", "Bytes"}, {"memory bandwidth (GB/s)", "GB/s"},
    {"Input Dims", "Shapes"}, {"Input type", "Types"}, {"operator", "Operator"}, {"module", "Module"}, {"source", "Source"},
};

// Follows the parser through the file: events are the elements of "traceEvents", or of the array that the file is.
class Walk : public json::json_sax_t {
 public:
  Walk(TraceEvents& events, const std::atomic<bool>& cancelled, std::function<void()> tick) : events_(events), cancelled_(cancelled), tick_(std::move(tick)) {}

  const QString& error() const { return error_; }
  bool saw_list() const { return saw_list_; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (at_event()) event_ = {};
    return true;
  }
  bool end_object() override {
    if (at_event()) {
      events_.take(event_);
      if (++ended_ % progress_every == 0) tick_();
    }
    --depth_;
    return !cancelled_;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (list_depth_ == 0 && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents"))) {
      list_depth_ = depth_;
      saw_list_ = true;
    }
    if (in_argument()) list_text_ += '[';
    return true;
  }
  bool end_array() override {
    if (in_argument()) {
      if (list_text_.endsWith(", ")) list_text_.chop(2);
      list_text_ += "], ";
    }
    --depth_;
    if (list_depth_ > 0 && depth_ < list_depth_) list_depth_ = 0;
    if (at_arguments() && !list_text_.isEmpty()) {
      list_text_.chop(2);
      argument(std::exchange(list_text_, {}), {});
    }
    return true;
  }
  bool key(std::string& name) override {
    if (depth_ == 1 || at_event() || at_arguments()) key_ = name;
    if (at_event()) inside_arguments_ = name == "args";
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool value) override { return scalar(value ? QStringLiteral("true") : QStringLiteral("false"), {}); }
  bool number_integer(json::number_integer_t value) override { return scalar({}, static_cast<double>(value), QString::number(value)); }
  bool number_unsigned(json::number_unsigned_t value) override { return scalar({}, static_cast<double>(value), QString::number(value)); }
  bool number_float(json::number_float_t value, const std::string&) override { return scalar({}, value); }
  bool string(std::string& value) override { return scalar(QString::fromStdString(value), {}); }
  bool binary(json::binary_t&) override { return true; }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    error_ = translated("it is not JSON any more at byte %1").arg(position);
    return false;
  }

 private:
  bool at_event() const { return list_depth_ > 0 && depth_ == list_depth_ + 1; }
  bool at_arguments() const { return list_depth_ > 0 && depth_ == list_depth_ + 2 && inside_arguments_; }
  bool in_argument() const { return list_depth_ > 0 && depth_ > list_depth_ + 2 && inside_arguments_; }

  bool scalar(const QString& text, std::optional<double> number, const QString& digits = {}) {
    const QString shown = !number ? text : digits.isEmpty() ? QString::number(*number) : digits;
    if (at_event()) field(shown, number);
    else if (at_arguments()) argument(shown, number);
    else if (in_argument() && list_text_.size() < longest_text) list_text_ += (shown.isEmpty() ? QStringLiteral("-") : shown) + ", ";
    return true;
  }

  void field(const QString& text, std::optional<double> number) {
    if (key_ == "name") event_.name = text;
    else if (key_ == "ph") event_.phase = text;
    else if (key_ == "cat") event_.category = text;
    else if (key_ == "pid") event_.process = text;
    else if (key_ == "tid") event_.thread = text;
    else if (key_ == "id") event_.id = text;
    else if (key_ == "ts") event_.start_us = number;
    else if (key_ == "dur") event_.duration_us = number;
  }

  void argument(const QString& text, std::optional<double> number) {
    if (key_ == "name") event_.shown_name = text;
    else if (key_ == "labels") event_.labels = text;
    else if (key_ == "sort_index") event_.rank = number;
    else if (key_ == "External id" && number && std::abs(*number) < 9e15) event_.external_id = static_cast<qint64>(*number);
    else if (key_ == "node" && number && std::abs(*number) < 9e15) event_.node = static_cast<qint64>(*number);
    for (const DetailRow& row : detail_rows)
      if (key_ == row.key && !text.isEmpty() && text != "[]") event_.details << QString::fromUtf8(row.shown) + ": " + text.left(longest_text);
  }

  TraceEvents& events_;
  const std::atomic<bool>& cancelled_;
  std::function<void()> tick_;
  std::string key_;
  TraceEvent event_;
  QString list_text_, error_;
  std::size_t depth_ = 0, list_depth_ = 0;
  std::int64_t ended_ = 0;
  bool inside_arguments_ = false, saw_list_ = false;
};

TraceFile refused(const QString& path, const QString& why) { return {nullptr, translated("Cannot show %1: %2").arg(path, why)}; }

}  // namespace

TraceFile read_trace(const QString& path, const std::atomic<bool>& cancelled, const std::function<void(double share)>& progress) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return refused(path, file.errorString() + '.');
  if (file.size() == 0) return refused(path, translated("it is empty."));
  if (file.peek(2) == "\x1f\x8b") return refused(path, translated("it is compressed. Unpack it first (gunzip)."));
  const auto* bytes = reinterpret_cast<const char*>(file.map(0, file.size()));
  if (bytes == nullptr) return refused(path, file.errorString() + '.');
  const char* seen = bytes;
  TraceEvents events;
  Walk walk(events, cancelled, [&] {
    if (progress) progress(static_cast<double>(seen - bytes) / static_cast<double>(file.size()));
  });
  json::sax_parse(Bytes(bytes, &seen), Bytes(bytes + file.size(), nullptr), &walk);
  if (cancelled) return refused(path, translated("cancelled."));
  if (events.taken() == 0) {
    if (!walk.error().isEmpty()) return refused(path, walk.error() + translated(". A Chrome trace is expected, as torch.profiler's export_chrome_trace writes it."));
    return refused(path, walk.saw_list() ? translated("it holds no events.") : translated("it has no \"traceEvents\". A Chrome trace is expected, as torch.profiler's export_chrome_trace writes it."));
  }
  auto data = std::make_shared<const TimelineData>(events.finish());
  QString missing;
  if (!walk.error().isEmpty()) missing = translated("Only the first %L1 events of %2 are shown: %3.").arg(events.taken()).arg(path, walk.error());
  else if (data->left_out() > 0) missing = translated("%L1 events of %2 are not shown: their times are not finite, or more than %3 of them overlap.").arg(data->left_out()).arg(path).arg(TimelineBuilder::most_lanes);
  return {std::move(data), missing};
}

}  // namespace kw::ui
