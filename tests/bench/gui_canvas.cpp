// Frame times of the canvases, offscreen. Usage: gui_canvas_bench [--grabs FOLDER]
//   QT_QPA_PLATFORM=offscreen build/release/bin/gui_canvas_bench

#include <chrono>
#include <cstdio>

#include <QApplication>
#include <QFile>
#include <QImage>

#include "tests/gui/canvas/made_answer.h"
#include "tests/gui/canvas/made_timeline.h"
#include "tests/gui/canvas/made_tree.h"
#include "ui/models/tree/candidates_model.h"
#include "ui/views/search_tree/tree_scene.h"
#include "ui/widgets/timeline/timeline_canvas.h"
#include "ui/widgets/tree/tree_canvas.h"

namespace kw::ui {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

constexpr QSize window{1600, 1000};

struct Frames {
  std::vector<double> ms;
  template <class F>
  void time(F f) {
    const auto start = Clock::now();
    f();
    ms.push_back(ms_since(start));
  }
  double at(double share) {
    std::sort(ms.begin(), ms.end());
    return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  }
  void print(const char* what, double limit_median = 16, double limit_p99 = 33) {
    const double median = at(0.5), p99 = at(0.99);
    std::printf("%-58s median %7.2f ms   p99 %7.2f ms   %s\n", what, median, p99, median < limit_median && p99 < limit_p99 ? "ok" : "MISSED");
    std::fflush(stdout);
  }
};

// A frame is what the screen would get: the widget painted into an image of its size.
void frame(QWidget& widget, QImage& screen) { widget.render(&screen, QPoint(), QRegion(), QWidget::DrawWindowBackground); }

void print_once(const char* what, double ms, double limit) {
  std::printf("%-58s        %7.2f ms                    %s\n", what, ms, ms < limit ? "ok" : "MISSED");
  std::fflush(stdout);
}

// Resident memory of this process (/proc/self/status), a session, a second tree and a timeline open.
void print_memory(double limit_mb) {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) return;
  const QString text = QString::fromUtf8(status.readAll());
  const double mb = text.section("VmRSS:", 1).trimmed().section(' ', 0, 0).toDouble() / 1024;
  std::printf("%-58s        %7.1f MB                    %s\n", "resident memory, all open", mb, mb < limit_mb ? "ok" : "MISSED");
}

void bench_tree(QImage& screen, TreeCanvas& canvas) {
  canvas.resize(window);
  canvas.set_texts({[](int item) { return QString("tile %1 → %2").arg(item % 7).arg(item % 64); }, {}});
  TreeItems tree = made_tree(100'000);
  auto start = Clock::now();
  canvas.set_tree(tree, true);
  print_once("tree of 100,000 nodes: items in and laid out", ms_since(start), 2000);
  start = Clock::now();
  frame(canvas, screen);
  print_once("tree: first paint", ms_since(start), 500);

  const int deep = canvas.tree().items.back().parent;
  for (const double zoom : {1.0, 4.0, 20.0, 100.0, 1000.0, 1e9}) {
    canvas.fit();
    canvas.select(deep, true);
    const_cast<TreeCamera&>(canvas.camera()).zoom_about(QPointF(800, 500), zoom);
    canvas.select(deep, true);
    const QString what = QString("tree: pan at zoom %1 (%2 px a slot)").arg(zoom).arg(canvas.camera().slot_px(), 0, 'g', 3);
    Frames frames;
    for (int i = 0; i < 200; ++i) {
      const_cast<TreeCamera&>(canvas.camera()).move_by(QPointF(i < 100 ? 17 : -17, i % 20 < 10 ? 5 : -5));
      frames.time([&] { frame(canvas, screen); });
    }
    frames.print(qPrintable(what));
  }
  Frames zooming;
  canvas.fit();
  for (int i = 0; i < 400; ++i) {
    const_cast<TreeCamera&>(canvas.camera()).zoom_about(QPointF(500, 400), i < 200 ? 1.06 : 1 / 1.06);
    zooming.time([&] { frame(canvas, screen); });
  }
  zooming.print("tree: zoom in and out");
  Frames deltas;
  for (int i = 1; i <= 10; ++i) {
    TreeItems more = made_tree(100'000 + 1000 * i);
    deltas.time([&] {
      canvas.set_tree(std::move(more));
      frame(canvas, screen);
    });
  }
  deltas.print("tree: 1,000 new nodes on screen", 100, 100);
}

// What the dock does with the engine's answers, of 20,000 nodes each: read, merge, show.
void bench_session(QImage& screen, TreeData& tree, TreeCanvas& canvas) {
  std::vector<std::string> answers;
  for (int i = 0; i < 100'000; i += 20'000) answers.push_back(made_answer(i, i + 20'000).dump());
  const std::string delta = made_answer(100'000, 101'000).dump();
  CandidatesModel model(&tree);
  canvas.resize(window);
  canvas.set_texts({[&](int node) { return tree.edit_text(tree.node(node).edge); }, [&](int node) { return tree_card(tree, node); }});
  auto start = Clock::now();
  double parsing = 0;
  for (const std::string& answer : answers) {
    const auto before = Clock::now();
    const json parsed = json::parse(answer);
    parsing += ms_since(before);
    model.take(tree.apply(parsed));
    canvas.set_tree(tree_items(tree, {}), false);
    frame(canvas, screen);
  }
  print_once("session of 100,000 candidates: on screen", ms_since(start), 2000);
  print_once("  of that, JSON parsed", parsing, 2000);
  start = Clock::now();
  model.take(tree.apply(json::parse(delta)));
  canvas.set_tree(tree_items(tree, {}), false);
  frame(canvas, screen);
  print_once("session: 1,000 new candidates, from JSON to screen", ms_since(start), 100);
  start = Clock::now();
  TreeShown shown;
  shown.search = "tile";
  canvas.set_tree(tree_items(tree, shown), false);
  frame(canvas, screen);
  print_once("session: a search shown", ms_since(start), 100);
}

void bench_timeline(QImage& screen, TimelineCanvas& canvas) {
  auto start = Clock::now();
  auto data = std::make_shared<const TimelineData>(made_timeline(1'000'000));
  print_once("timeline of 1,000,000 events: made and indexed", ms_since(start), 2000);
  canvas.resize(window);
  start = Clock::now();
  canvas.set_data(data);
  frame(canvas, screen);
  print_once("timeline: first window", ms_since(start), 500);
  const double middle = (data->start_us() + data->end_us()) / 2, whole = data->end_us() - data->start_us();
  for (const double zoom : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6}) {
    const double length = whole / zoom;
    Frames frames;
    for (int i = 0; i < 200; ++i) {
      const double at = middle + length * 0.01 * i;
      canvas.show_range({at - length / 2, at + length / 2});
      frames.time([&] { frame(canvas, screen); });
    }
    frames.print(qPrintable(QString("timeline: pan with %L1 µs in view").arg(length, 0, 'g', 3)));
  }
  Frames zooming;
  for (int i = 0; i < 400; ++i) {
    const double length = whole * std::pow(0.93, i < 200 ? i : 400 - i);
    canvas.show_range({middle - length / 3, middle + length * 2 / 3});
    zooming.time([&] { frame(canvas, screen); });
  }
  zooming.print("timeline: zoom in and out");
  Frames sums;
  for (int i = 0; i < 20; ++i) sums.time([&] { data->sums(data->start_us() + i, data->end_us()); });
  sums.print("timeline: sums by name over everything", 100, 200);
}

QPalette dark_palette() {
  QPalette p;
  p.setColor(QPalette::Window, QColor(0x25, 0x27, 0x2b));
  p.setColor(QPalette::Base, QColor(0x1b, 0x1d, 0x21));
  for (const QPalette::ColorRole role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) p.setColor(role, QColor(0xe2, 0xe4, 0xe8));
  p.setColor(QPalette::Button, QColor(0x30, 0x33, 0x38));
  return p;
}

void grab_tree(const QString& folder, const QString& theme) {
  TreeCanvas canvas;
  canvas.resize(1280, 800);
  canvas.set_texts({[](int item) { return QString("tile %1 → %2").arg(item % 7).arg(item % 64); },
                    [](int item) { return Card{QString("c%1  faster").arg(item), {{"Speedup", "1.42× (1.38–1.46)"}, {"N", "128"}, {"Q", "0.31"}, {"P", "0.12"}, {"U", "0.08"}}}; }});
  for (const int nodes : {30, 1000, 100'000}) {
    TreeItems tree = made_tree(nodes);
    tree.items[5].flags |= TreeItem::pinned;
    tree.items[7].flags |= TreeItem::banned;
    tree.items[9].flags |= TreeItem::matched;
    canvas.set_tree(std::move(tree), true);
    canvas.select_best();
    for (const double zoom : {1.0, 8.0, 60.0, 1e9}) {
      canvas.fit();
      const_cast<TreeCamera&>(canvas.camera()).zoom_about(QPointF(640, 400), zoom);
      if (zoom > 1) canvas.select_best();
      canvas.grab().save(QString("%1/tree-%2-%3-%4.png").arg(folder, theme).arg(nodes).arg(zoom));
      if (canvas.camera().slot_px() >= TreeCamera::widest_slot) break;
    }
  }
}

void grab_timeline(const QString& folder, const QString& theme) {
  auto data = std::make_shared<const TimelineData>(made_timeline(200'000));
  TimelineCanvas canvas;
  canvas.resize(1280, 420);
  canvas.set_data(data);
  canvas.grab().save(QString("%1/timeline-%2-all.png").arg(folder, theme));
  for (const double length : {100'000.0, 4'000.0, 300.0, 8.0}) {
    canvas.show_range({500'000, 500'000 + length});
    if (length == 300.0) canvas.select({0, 0, data->tracks()[0].lanes[0].first_ending_after(500'100)}, true);
    canvas.grab().save(QString("%1/timeline-%2-%3.png").arg(folder, theme).arg(length));
  }
}

int grab_all(const QString& folder) {
  for (const bool dark : {false, true}) {
    if (dark) QApplication::setPalette(dark_palette());
    grab_tree(folder, dark ? "dark" : "light");
    grab_timeline(folder, dark ? "dark" : "light");
  }
  return 0;
}

}  // namespace
}  // namespace kw::ui

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc == 3 && QString(argv[1]) == "--grabs") return kw::ui::grab_all(argv[2]);
  QImage screen(kw::ui::window, QImage::Format_ARGB32_Premultiplied);
  kw::ui::TreeData data;
  kw::ui::TreeCanvas session, tree;
  kw::ui::TimelineCanvas timeline;
  kw::ui::bench_session(screen, data, session);
  kw::ui::bench_tree(screen, tree);
  kw::ui::bench_timeline(screen, timeline);
  kw::ui::print_memory(400);
  return 0;
}
