// The docks of the tree, the timeline and the difference over the fake engine.

#include <QAbstractItemModelTester>
#include <QAction>
#include <QTreeView>

#include "tests/gui/waiting.h"
#include "ui/bridge/selection.h"
#include "ui/models/session.h"
#include "ui/views/diff/diff_dock.h"
#include "ui/views/search_tree/search_tree_dock.h"
#include "ui/views/timeline/range_model.h"
#include "ui/views/timeline/timeline_dock.h"
#include "ui/views/timeline/timeline_feed.h"
#include "ui/views/timeline/trace_loader.h"
#include "ui/widgets/diff/diff_view.h"
#include "ui/widgets/tree/tree_canvas.h"

namespace kw::ui {
namespace {

struct Fixture {
  explicit Fixture(const char* mode = "good") {
    engine.start(fake_engine(mode));
    session.open(QStringLiteral("/s/sample.kwr"));
  }
  QAction* action(const QWidget& dock, const char* text) {
    for (QAction* a : dock.actions())
      if (a->text() == QLatin1String(text)) return a;
    return nullptr;
  }
  Engine engine;
  Selection selection;
  Session session{&engine, &selection};
  DockContext context{&engine, &selection, &session};
};

const char* const timeline = R"({"tracks": [
  {"name": "operators", "events": [["aten.linear.default", 0, 40, 3, 1], ["aten.gelu.default", 50, 10, 4, 1], ["aten.add.Tensor", 60, 1, 5, 12]]},
  {"name": "kernels", "events": [["gemm", 5, 30, 3, 1], ["bad", "x", 1, 2, 3], 7, ["unknown", 90, 5, -1, 1]]}, {"name": "empty", "events": 4}, null]})";

}  // namespace

class CanvasDocksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { use_test_settings("canvas-docks-test"); }

  void the_tree_shows_selects_and_replays() {
    Fixture f;
    const std::unique_ptr<QWidget> dock(make_search_tree_dock(f.context, nullptr));
    dock->resize(700, 500);
    dock->show();
    auto* canvas = dock->findChild<TreeCanvas*>();
    QTRY_COMPARE(canvas->tree().items.size(), std::size_t{3});
    f.selection.set_candidate(QStringLiteral("c2"));
    QCOMPARE(canvas->selected(), 1);
    canvas->select(2, true);
    QCOMPARE(f.selection.candidate(), QString("c3"));
    QTRY_VERIFY(!f.session.steps().empty());
    f.selection.set_moment(f.session.steps().front().evaluation);
    int shown = 0;
    for (int i = 0; i < 3; ++i) shown += canvas->layout_of_tree().place_of(i) >= 0 ? 1 : 0;
    QVERIFY(shown < 3);
    f.selection.set_moment({});
    QVERIFY(canvas->layout_of_tree().place_of(2) >= 0);
  }

  void the_list_holds_the_same_candidates() {
    Fixture f;
    const std::unique_ptr<QWidget> dock(make_search_tree_dock(f.context, nullptr));
    dock->resize(700, 500);
    dock->show();
    auto* canvas = dock->findChild<TreeCanvas*>();
    QTRY_COMPARE(canvas->tree().items.size(), std::size_t{3});
    f.action(*dock, "List")->setChecked(true);
    auto* list = dock->findChild<QTreeView*>();
    QVERIFY(list->isVisible());
    QCOMPARE(list->model()->rowCount(), 3);
    QCOMPARE(list->model()->index(0, 0).data().toString(), QString("c1"));
  }

  void the_difference_is_that_to_the_parent() {
    Fixture f;
    const std::unique_ptr<QWidget> dock(make_diff_dock(f.context, nullptr));
    dock->resize(700, 400);
    auto* view = dock->findChild<DiffView*>();
    QTRY_VERIFY(!f.selection.session().isEmpty());
    f.selection.set_candidate(QStringLiteral("c2"));
    QTRY_VERIFY(!view->difference().rows.empty());
    f.selection.set_candidate({});
    QVERIFY(view->difference().rows.empty());
  }

  void nothing_of_a_bad_engine_brings_them_down() {
    for (const char* mode : {"wrong_types", "nonsense", "dies_at_open", "newer_session"}) {
      Fixture f(mode);
      const std::unique_ptr<QWidget> tree(make_search_tree_dock(f.context, nullptr)), times(make_timeline_dock(f.context, nullptr)), diff(make_diff_dock(f.context, nullptr));
      for (QWidget* dock : {tree.get(), times.get(), diff.get()}) dock->show();
      QTest::qWait(300);
      f.selection.set_session(QStringLiteral("/s/other.kwr"));
      f.selection.set_candidate(QStringLiteral("c1"));
      QTest::qWait(200);
    }
  }

  void a_timeline_is_read_and_its_kernels_joined() {
    const TimelineData data = timeline_of(json::parse(timeline));
    QCOMPARE(data.events(), std::int64_t{5});
    QCOMPARE(data.tracks().size(), std::size_t{2});
    const auto arrows = data.arrows_of(EventRef{1, 0, 0});
    QCOMPARE(arrows.size(), std::size_t{1});
    QCOMPARE(data.names()[data.event(arrows[0].from).name], QString("aten.linear.default"));
    QCOMPARE(data.tracks()[0].lanes[0][2].count, 12u);
    QCOMPARE(timelines_of(json::parse(R"({"timelines": [{"name": "profile", "events": 7, "start_us": 1, "end_us": 9}, {}, 3]})")).size(), std::size_t{1});
    QVERIFY(timelines_of(json::parse("[]")).empty());
  }

  void a_range_is_summed_by_name() {
    RangeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.show(timeline_of(json::parse(timeline)), {20, 55});
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(0, RangeModel::Name).data().toString(), QString("aten.linear.default"));
    QCOMPARE(model.index(0, RangeModel::Total).data(Qt::UserRole).toDouble(), 20.0);
    QCOMPARE(model.index(1, RangeModel::Total).data(Qt::UserRole).toDouble(), 15.0);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void a_trace_is_read_on_its_own_thread() {
    TraceLoader loader;
    QString problem;
    connect(&loader, &TraceLoader::done, this, [&](const TraceFile& file) { problem = file.problem; });
    loader.start(QStringLiteral("/nowhere/first.json"));
    loader.start(QStringLiteral("/nowhere/second.json"));
    QTRY_VERIFY(!problem.isEmpty());
    QVERIFY(problem.contains("second.json"));
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::CanvasDocksTest)
#include "canvas_docks_test.moc"
