#include <algorithm>
#include <cmath>

#include <QTemporaryDir>
#include <QTest>

#include "ui/models/trace/trace_file.h"

namespace kw::ui {
namespace {

// As torch.profiler writes it on a GPU: an operator with another one inside, the runtime call, the kernel.
const char* const kineto = R"json({
  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320}],
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 77, "tid": 77, "ts": 5215137820747.775, "dur": 339.567,
   "args": {"External id": 1, "Input Dims": [[8, 64], [64, 64], []], "Input type": ["float", "float", ""], "Ev Idx": 0}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 77, "tid": 77, "ts": 5215137820771.197, "dur": 214.532, "args": {"External id": 2}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 77, "ts": 5215137820800.0, "dur": 5.0, "args": {"External id": 2, "correlation": 9}},
  {"ph": "X", "cat": "kernel", "name": "gemm_kernel", "pid": 0, "tid": 7, "ts": 5215137820810.5, "dur": 11.25,
   "args": {"External id": 2, "correlation": 9, "grid": [128, 1, 1], "block": [256, 1, 1], "registers per thread": 40}},
  {"ph": "s", "id": 9, "pid": 77, "tid": 77, "ts": 5215137820800.0, "cat": "ac2g", "name": "ac2g"},
  {"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 5215137820810.5, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"name": "process_name", "ph": "M", "ts": 0, "pid": 77, "tid": 0, "args": {"name": "python3"}},
  {"name": "process_labels", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
  {"name": "process_sort_index", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
  {"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
  {"name": "thread_name", "ph": "M", "ts": 0, "pid": 77, "tid": 77, "args": {"name": "thread 77 (python3)"}},
  {"ph": "X", "cat": "Trace", "ts": 5215137820747.0, "dur": 400.0, "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)", "args": {"Op count": 0}},
  {"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 5215137820065.773}
  ], "traceName": "x.json"})json";

class Folder {
 public:
  TraceFile read(const QByteArray& text) {
    QFile file(path());
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    file.close();
    return read_trace(path(), cancelled, {});
  }
  QString path() const { return folder_.filePath("trace.json"); }
  std::atomic<bool> cancelled = false;

 private:
  QTemporaryDir folder_;
};

QString name_of(const TimelineData& data, EventRef ref) { return data.names()[data.event(ref).name]; }

}  // namespace

class TraceFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_what_the_profiler_writes() {
    Folder folder;
    const TraceFile file = folder.read(kineto);
    QVERIFY2(file.data, qPrintable(file.problem));
    QCOMPARE(file.problem, QString());
    const TimelineData& data = *file.data;
    QCOMPARE(data.events(), std::int64_t{5});
    QCOMPARE(data.tracks().size(), std::size_t{3});
    QCOMPARE(data.tracks().back().name, QString("stream 7"));          // the GPU stands below, by its rank
    QCOMPARE(data.tracks().back().group, QString("GPU 0"));
    const auto host = std::ranges::find(data.tracks(), QString("thread 77 (python3)"), &TimelineTrack::name);
    QVERIFY(host != data.tracks().end());
    QCOMPARE(host->lanes.size(), std::size_t{3});                      // linear, addmm in it, the launch in that
    QVERIFY(std::abs(host->lanes[0][0].start_us - 0.775) < 1e-2);      // from the first event on
    const EventRef kernel{2, 0, 0};
    const auto arrows = data.arrows_of(kernel);
    QCOMPARE(arrows.size(), std::size_t{1});
    QCOMPARE(name_of(data, arrows[0].from), QString("aten::addmm"));
    QVERIFY(data.details()[data.event(kernel).detail].contains("Grid: [128, 1, 1]\nBlock: [256, 1, 1]\nRegisters a thread: 40"));
    QVERIFY(data.details()[host->lanes[0][0].detail].contains("Shapes: [[8, 64], [64, 64], []]"));
    QVERIFY(data.details()[host->lanes[0][0].detail].contains("Types: [float, float, -]"));   // an argument without a type
  }

  void reads_arrays_begun_and_ended_events_and_flows() {
    Folder folder;
    const TraceFile file = folder.read(R"([{"ph": "B", "name": "outer", "pid": 1, "tid": 1, "ts": 10}, {"ph": "B", "name": "inner", "pid": 1, "tid": 1, "ts": 12},
      {"ph": "E", "pid": 1, "tid": 1, "ts": 15}, {"ph": "E", "pid": 1, "tid": 1, "ts": 20}, {"ph": "E", "pid": 1, "tid": 1, "ts": 30},
      {"ph": "X", "name": "kernel", "pid": 1, "tid": 2, "ts": 16, "dur": 3, "args": {"node": 4}},
      {"ph": "s", "id": 1, "name": "launches", "cat": "launches", "pid": 1, "tid": 1, "ts": 12}, {"ph": "f", "id": 1, "name": "launches", "cat": "launches", "pid": 1, "tid": 2, "ts": 16}])");
    QVERIFY(file.data);
    QCOMPARE(file.data->events(), std::int64_t{3});
    QCOMPARE(file.data->end_us(), 10.0);
    const auto arrows = file.data->arrows_of(EventRef{1, 0, 0});
    QCOMPARE(arrows.size(), std::size_t{1});
    QCOMPARE(name_of(*file.data, arrows[0].from), QString("inner"));
    QCOMPARE(file.data->event(EventRef{1, 0, 0}).node, 4);
  }

  void says_what_is_wrong_with_a_file() {
    Folder folder;
    const std::pair<QByteArray, const char*> cases[] = {
        {"", "empty"}, {"not json", "not JSON"}, {"{}", "traceEvents"}, {"{\"traceEvents\": []}", "no events"}, {"{\"traceEvents\": 7}", "traceEvents"},
        {QByteArray("\x1f\x8b\x08\x00", 4), "compressed"}, {"\xff\xfe\x00", "not JSON"}, {"[[[[[[", "not JSON"}, {"[1, \"x\", null]", "no events"},
        {"[{\"ph\": \"X\"}]", "no events"}, {"[{\"ph\": 4, \"ts\": \"soon\", \"args\": [1]}]", "no events"}};
    for (const auto& [text, words] : cases) {
      const TraceFile file = folder.read(text);
      QVERIFY(!file.data);
      QVERIFY2(file.problem.contains(words) && file.problem.contains(folder.path()), qPrintable(file.problem));
    }
    QVERIFY(!read_trace("/nowhere/trace.json", folder.cancelled, {}).data);
  }

  void shows_what_came_before_the_end_of_a_file_that_was_cut() {
    Folder folder;
    const QByteArray whole(kineto);
    for (qsizetype length = 0; length < whole.size(); length += 13) {
      const TraceFile file = folder.read(whole.left(length));
      QVERIFY(!file.problem.isEmpty());
      if (file.data) QVERIFY(file.problem.contains("Only the first"));
    }
  }

  void survives_nesting_and_numbers_without_end() {
    Folder folder;
    QVERIFY(!folder.read(QByteArray(200'000, '[')).data);
    QByteArray deep = R"([{"ph": "X", "name": "n", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"grid": )" + QByteArray(50'000, '[') + QByteArray(50'000, ']') + "}}]";
    QVERIFY(folder.read(deep).data);
    const TraceFile odd = folder.read(R"([{"ph": "X", "name": "n", "pid": 1, "tid": 1, "ts": 1e308, "dur": 1e308}, {"ph": "X", "ts": -1e308, "dur": -5, "pid": {"a": 1}, "args": {"External id": 1e300, "node": -1e30}}])");
    QVERIFY(odd.data);
  }

  void stops_when_told() {
    Folder folder;
    folder.cancelled = true;
    const TraceFile file = folder.read(kineto);
    QVERIFY(!file.data);
    QVERIFY(file.problem.contains("cancelled"));
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::TraceFileTest)
#include "trace_file_test.moc"
