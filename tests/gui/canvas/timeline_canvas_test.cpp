#include <cmath>
#include <limits>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/canvas/made_timeline.h"
#include "ui/widgets/timeline/span_text.h"
#include "ui/widgets/timeline/timeline_canvas.h"

namespace kw::ui {
namespace {

// Nested: a holds b and c; d overlaps a's end.
TimelineData small_timeline() {
  TimelineBuilder builder;
  const int track = builder.track("operators", "");
  const auto add = [&](const char* name, double start, double length) { return builder.add(track, {start, length, builder.name(name), -1, 1, 0}); };
  const auto c = add("c", 6, 3);
  add("a", 0, 10);
  add("b", 1, 4);
  add("d", 8, 5);
  const int device = builder.track("kernels", "");
  const auto k = builder.add(device, {7, 2, builder.name("k"), -1, 1, 0});
  builder.add_arrow(c, k);
  return builder.finish();
}

double busy_by_hand(const TimelineLane& lane, double from, double to) {
  double sum = 0;
  for (const TimelineEvent& e : lane.events()) sum += std::max(0.0, std::min(to, e.end_us()) - std::max(from, e.start_us));
  return sum;
}

}  // namespace

class TimelineCanvasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void puts_nested_events_below_one_another() {
    const TimelineData data = small_timeline();
    QCOMPARE(data.tracks().size(), std::size_t{2});
    const auto& lanes = data.tracks()[0].lanes;
    QCOMPARE(lanes.size(), std::size_t{3});
    const auto names = [&](const TimelineLane& lane) {
      QString out;
      for (const TimelineEvent& e : lane.events()) out += data.names()[e.name];
      return out;
    };
    QCOMPARE(names(lanes[0]), QString("a"));
    QCOMPARE(names(lanes[1]), QString("bc"));
    QCOMPARE(names(lanes[2]), QString("d"));
    QCOMPARE(data.end_us(), 13.0);
  }

  void follows_arrows_both_ways() {
    const TimelineData data = small_timeline();
    const EventRef c{0, 1, 1}, k{1, 0, 0};
    QCOMPARE(data.arrows_of(c).size(), std::size_t{1});
    QVERIFY(data.arrows_of(c)[0].to == k);
    QVERIFY(data.arrows_of(k)[0].from == c);
    QVERIFY(data.arrows_of(EventRef{0, 0, 0}).empty());
  }

  void sums_as_adding_up_does() {
    const TimelineData data = made_timeline(20'000);
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      const double span = data.end_us() * std::pow(10.0, -static_cast<double>(random() % 5));
      const double from = data.end_us() * static_cast<double>(random() % 1000) / 1000, to = from + span;
      double all = 0;
      for (const TimelineTrack& track : data.tracks())
        for (const TimelineLane& lane : track.lanes) {
          const double expected = busy_by_hand(lane, from, to);
          QVERIFY(std::abs(lane.busy_us(from, to) - expected) < 1e-3);
          all += expected;
        }
      double named = 0;
      for (const NameSum& sum : data.sums(from, to)) named += sum.total_us;
      QVERIFY(std::abs(named - all) < 1e-2);
    }
  }

  void finds_the_longest_as_looking_at_each_does() {
    const TimelineData data = made_timeline(20'000);
    const TimelineLane& lane = data.tracks()[0].lanes[0];
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(lane.size())), b = a + 1 + static_cast<int>(random() % static_cast<unsigned>(lane.size() - a));
      double longest = 0;
      for (int e = a; e < b; ++e) longest = std::max(longest, lane[e].duration_us);
      const int found = lane.longest(a, b);
      QVERIFY(found >= a && found < b);
      QCOMPARE(lane[found].duration_us, longest);
    }
  }

  void takes_events_that_make_no_sense() {
    TimelineBuilder builder;
    const int track = builder.track("t", "");
    const auto name = builder.name("n");
    builder.add(track, {std::numeric_limits<double>::infinity(), 1, name, -1, 1, 0});
    builder.add(track, {0, std::nan(""), name, -1, 1, 0});
    builder.add(track, {5, -3, name, -1, 1, 0});
    for (int i = 0; i < 300; ++i) builder.add(track, {10, 100, name, -1, 1, 0});
    const TimelineData data = builder.finish();
    QCOMPARE(data.events(), static_cast<std::int64_t>(1 + TimelineBuilder::most_lanes));   // that of no length stands before the others, in the first lane
    QCOMPARE(data.left_out(), static_cast<std::int64_t>(2 + 300 - TimelineBuilder::most_lanes));
    QCOMPARE(data.tracks()[0].lanes[0][0].duration_us, 0.0);
  }

  void paints_where_events_are_and_nowhere_else() {
    TimelineCanvas canvas;
    canvas.resize(800, 300);
    canvas.set_data(std::make_shared<const TimelineData>(small_timeline()));
    QImage picture(canvas.size(), QImage::Format_RGB32);
    QPainter painter(&picture);
    canvas.paint_view(painter);
    painter.end();
    const QColor background = canvas_colors(canvas.palette()).background;
    for (int lane = 0; lane < 3; ++lane) {
      for (int x = 200; x < 740; x += 7) {
        const QPoint pixel(x, TimelinePainter::lane_rect(canvas.data(), view_of(canvas), 0, lane).bottom() - 1);
        const EventRef ref = canvas.event_at(pixel);
        if (!ref.valid()) QVERIFY(QColor(picture.pixel(pixel)) == background || is_grid(picture, pixel));
        else QCOMPARE(ref.lane, lane);
      }
    }
  }

  void selects_a_range_by_dragging() {
    TimelineCanvas canvas;
    canvas.resize(800, 300);
    canvas.set_data(std::make_shared<const TimelineData>(made_timeline(1000)));
    QSignalSpy changed(&canvas, &TimelineCanvas::range_changed);
    QTest::mousePress(&canvas, Qt::LeftButton, {}, QPoint(300, 200));
    QTest::mouseMove(&canvas, QPoint(400, 200));
    QTest::mouseMove(&canvas, QPoint(500, 210));
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, QPoint(500, 210));
    QCOMPARE(changed.size(), 1);
    const double us_a_pixel = canvas.view().length() / canvas.lane_pixels();
    QVERIFY(std::abs(canvas.selected_range()->length() - 200 * us_a_pixel) < us_a_pixel);
    QTest::keyClick(&canvas, Qt::Key_Escape);
    QVERIFY(!canvas.selected_range());
  }

  void zooms_and_pans_by_keys() {
    TimelineCanvas canvas;
    canvas.resize(800, 300);
    canvas.set_data(std::make_shared<const TimelineData>(made_timeline(1000)));
    QSignalSpy moved(&canvas, &TimelineCanvas::viewport_changed);
    const double whole = canvas.view().length();
    for (int i = 0; i < 5; ++i) QTest::keyClick(&canvas, Qt::Key_W);
    QVERIFY(canvas.view().length() < whole * 0.2);
    const double start = canvas.view().start_us;
    QTest::keyClick(&canvas, Qt::Key_D);
    QVERIFY(canvas.view().start_us > start);
    QTest::keyClick(&canvas, Qt::Key_A);
    QVERIFY(std::abs(canvas.view().start_us - start) < 1e-6);
    for (int i = 0; i < 200; ++i) QTest::keyClick(&canvas, Qt::Key_W);
    QVERIFY(canvas.view().length() >= 0.0199);
    QTest::keyClick(&canvas, Qt::Key_F);
    QCOMPARE(canvas.view().length(), whole);
    QVERIFY(moved.size() > 200);
  }

  void walks_through_what_a_search_found() {
    TimelineCanvas canvas;
    canvas.resize(800, 300);
    canvas.set_data(std::make_shared<const TimelineData>(made_timeline(2000)));
    QCOMPARE(canvas.search("GELU"), 1);
    double last = -1;
    int found = 0;
    while (canvas.select_match(true)) {
      const TimelineEvent& event = canvas.data().event(canvas.selected());
      QCOMPARE(canvas.data().names()[event.name], QString("aten::gelu"));
      QVERIFY(event.start_us >= last);
      last = event.start_us;
      ++found;
    }
    int expected = 0;
    for (const TimelineTrack& track : canvas.data().tracks())
      for (const TimelineLane& lane : track.lanes)
        for (const TimelineEvent& e : lane.events()) expected += canvas.data().names()[e.name] == "aten::gelu" ? 1 : 0;
    QCOMPARE(found, expected);
    QVERIFY(canvas.select_match(false));
    QVERIFY(canvas.data().event(canvas.selected()).start_us <= last);
  }

  void tells_times_in_their_unit() {
    QCOMPARE(span_text(0.512), QString("512 ns"));
    QCOMPARE(span_text(3.42), QString("3.42 µs"));
    QCOMPARE(span_text(18'100), QString("18.1 ms"));
    QCOMPARE(span_text(2'050'000), QString("2.05 s"));
    QCOMPARE(tick_text(500'050, 50), QString("500.05 ms"));
    QCOMPARE(tick_text(0.3, 0.1), QString("300 ns"));
    for (const auto& [us, step] : {std::pair(0.9, 1.0), std::pair(1.1, 2.0), std::pair(3.0, 5.0), std::pair(70.0, 100.0)}) QCOMPARE(tick_step(us), step);
  }

  void saves_pictures() {
    QTemporaryDir folder;
    TimelineCanvas canvas;
    canvas.resize(600, 200);
    canvas.set_data(std::make_shared<const TimelineData>(small_timeline()));
    QCOMPARE(canvas.save(folder.filePath("t.png")), QString());
    QCOMPARE(canvas.save(folder.filePath("t.svg")), QString());
    QVERIFY(canvas.save("/nowhere/at/all.svg").contains("/nowhere/at/all.svg"));
  }

 private:
  static TimelineView view_of(const TimelineCanvas& canvas) {
    TimelineView view;
    view.start_us = canvas.view().start_us;
    view.end_us = canvas.view().end_us;
    view.headers = 150;
    view.overview = 40;
    view.axis = canvas.fontMetrics().height() + 8;
    view.size = QSize(150 + canvas.lane_pixels(), canvas.height());
    return view;
  }
  static bool is_grid(const QImage& picture, QPoint pixel) { return picture.pixel(pixel) == picture.pixel(pixel.x(), picture.height() - 2); }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::TimelineCanvasTest)
#include "timeline_canvas_test.moc"
