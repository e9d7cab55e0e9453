// The models over a session that the fake engine tells, each under QAbstractItemModelTester.

#include <Qsci/qsciscintilla.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "tests/gui/waiting.h"
#include "ui/bridge/selection.h"
#include "ui/models/failures_model.h"
#include "ui/models/jobs_model.h"
#include "ui/models/log_model.h"
#include "ui/models/operators_model.h"
#include "ui/models/quantities.h"
#include "ui/models/reviews_model.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/views/progress/progress_charts.h"
#include "ui/views/review/checklist.h"
#include "ui/views/review/html_report.h"
#include "ui/widgets/source_view.h"

namespace kw::ui {

namespace {

// The rows of a model as text: two spaces a level, cells separated by " | ".
QString printed(const QAbstractItemModel& model, const QModelIndex& parent = {}, int level = 0) {
  QString out;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(parent); ++column) cells << model.index(row, column, parent).data().toString();
    out += QString(level * 2, u' ') + cells.join(QStringLiteral(" | ")) + u'\n';
    out += printed(model, model.index(row, 0, parent), level + 1);
  }
  return out;
}

struct Fixture {
  explicit Fixture(const char* mode = "good") {
    engine.start(fake_engine(mode));
    session.open(QStringLiteral("/s/sample.kwr"));
  }
  Engine engine;
  Selection selection;
  Session session{&engine, &selection};
};

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantities_read_well();
  void operators_are_listed();
  void operators_as_they_were();
  void failures_are_a_tree();
  void failures_grow_without_a_reset();
  void reviews_are_listed();
  void jobs_come_and_end();
  void jobs_fail_with_the_engine();
  void the_log_is_filtered();
  void the_log_is_bounded();
  void wrong_types_do_no_harm();
  void a_session_that_cannot_be_opened_says_why();
  void nodes_are_asked_for_only_when_needed();
  void best_so_far_never_falls();
  void roofline_points_are_flops_over_time();
  void the_checklist_reads_the_evidence();
  void a_source_opens_at_its_kernel();
};

void ModelsTest::quantities_read_well() {
  QCOMPARE(time_text(6.832), QStringLiteral("6.83\u2009µs"));
  QCOMPARE(time_text(1240.), QStringLiteral("1.24\u2009ms"));
  QCOMPARE(time_text(0.25), QStringLiteral("250\u2009ns"));
  QCOMPARE(time_text({}), QString());
  QCOMPARE(speedup_text(1.973, Range{1.9, 2.04}), QStringLiteral("1.97× [1.90, 2.04]"));
  QCOMPARE(share_text(0.1234), QStringLiteral("12.3\u2009%"));
  QCOMPARE(bytes_text(12587008.), QStringLiteral("12.6\u2009MB"));
  QCOMPARE(duration_text(200.), QStringLiteral("3 min 20 s"));
  QCOMPARE(short_operator(QStringLiteral("aten.layer_norm.default")), QStringLiteral("layer_norm"));
}

void ModelsTest::operators_are_listed() {
  Fixture f;
  OperatorsModel model(&f.session);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE(model.rowCount(), 2);
  QCOMPARE(printed(model).section(u'\n', 0, 0),
           QStringLiteral("layer_norm | norm1 | 121\u2009µs | 60.0\u2009% | 1.97× [1.90, 2.04] | faster | memory | 25.0\u2009% | 2 | f32[8, 512] | f32 | encoder.py:47"));
  QCOMPARE(model.index(0, OperatorsModel::State).data(StatusRole).toString(), QStringLiteral("faster"));
  QCOMPARE(model.index(0, 0).data(CandidateRole).toString(), QStringLiteral("c2"));
  QCOMPARE(f.session.task_title(QStringLiteral("t0")), QStringLiteral("layer_norm · norm1"));
  f.session.close();
  QCOMPARE(model.rowCount(), 0);
}

void ModelsTest::operators_as_they_were() {
  Fixture f;
  OperatorsModel model(&f.session);
  QTRY_COMPARE(model.rowCount(), 2);
  QTRY_COMPARE(f.session.steps().size(), 4u);
  f.selection.set_moment(2);
  QCOMPARE(f.session.steps_shown(), 2u);
  QCOMPARE(model.index(0, OperatorsModel::Best).data().toString(), QStringLiteral("1.20×"));
  QCOMPARE(model.index(0, 0).data(CandidateRole).toString(), QStringLiteral("c1"));
  f.selection.set_moment({});
  QCOMPARE(model.index(0, 0).data(CandidateRole).toString(), QStringLiteral("c2"));
}

void ModelsTest::failures_are_a_tree() {
  Fixture f;
  FailuresModel model(&f.session);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE(model.total(), 2);
  QCOMPARE(printed(model), QStringLiteral("The compiler refused it. | 1 |  |  | \n"
                                          "  g++ refused the source. | 1 |  |  | \n"
                                          "    c3 |  | layer_norm · norm1 | search | 2\n"
                                          "It differs from the truth. | 1 |  |  | \n"
                                          "  Output 0 is wrong. | 1 |  |  | \n"
                                          "    c3 |  | layer_norm · norm1 | search | 4\n"));
  f.selection.set_moment(2);
  QCOMPARE(model.total(), 1);
  f.selection.set_moment({});
  QCOMPARE(model.total(), 2);
}

void ModelsTest::failures_grow_without_a_reset() {
  Fixture f;
  FailuresModel model(&f.session);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE(f.session.steps().size(), 4u);
  QTRY_COMPARE(model.total(), 2);
  f.selection.set_moment(2);
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset), inserts(&model, &QAbstractItemModel::rowsInserted);
  f.selection.set_moment(4);
  QCOMPARE(resets.size(), 0);
  QVERIFY(inserts.size() > 0);
}

void ModelsTest::reviews_are_listed() {
  Fixture f;
  ReviewsModel model(&f.session);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE(model.rowCount(), 1);
  QCOMPARE(printed(model), QStringLiteral("c1 | rejected (void) | grace | 2026-01-01T00:00:00Z | too slow\n"));
  QCOMPARE(model.index(0, ReviewsModel::Decision).data(StatusRole).toString(), QStringLiteral("void"));
}

void ModelsTest::jobs_come_and_end() {
  Fixture f;
  JobsModel& jobs = *f.session.jobs();
  QAbstractItemModelTester tester(&jobs, QAbstractItemModelTester::FailureReportingMode::QtTest);
  bool done = false;
  f.engine.call(QStringLiteral("run/start"), json::object(), this,
                [&](const json& r) { jobs.watch(text(r, "job"), text(r, "session"), QStringLiteral("Optimize"), this, [&](const json&) { done = true; }); });
  QTRY_COMPARE(printed(jobs), QStringLiteral("Optimize | 25% | 1 min 30 s | profiling\n"));
  QVERIFY(jobs.can_cancel(QStringLiteral("j1")));
  jobs.cancel(QStringLiteral("j1"));
  QTRY_VERIFY(done);
  QVERIFY(!jobs.first_active());
  jobs.clear_finished();
  QCOMPARE(jobs.rowCount(), 0);
}

void ModelsTest::jobs_fail_with_the_engine() {
  Fixture f("dies_at_open");
  QString why;
  f.session.jobs()->watch(QStringLiteral("j9"), {}, QStringLiteral("Verify"), this, {}, [&](const EngineError& error) { why = error.message; });
  QTRY_COMPARE(why, QStringLiteral("The engine stopped."));
}

void ModelsTest::the_log_is_filtered() {
  Engine engine;
  LogModel log(&engine, nullptr);
  QAbstractItemModelTester tester(&log, QAbstractItemModelTester::FailureReportingMode::QtTest);
  LogFilter filter;
  filter.setSourceModel(&log);
  log.add({QStringLiteral("1"), QStringLiteral("info"), QStringLiteral("a"), QStringLiteral("one")});
  log.add({QStringLiteral("2"), QStringLiteral("error"), QStringLiteral("b"), QStringLiteral("two")});
  filter.set_least_level(QStringLiteral("warning"));
  QCOMPARE(printed(filter), QStringLiteral("2 | error | b | two\n"));
  filter.set_least_level(QStringLiteral("info"));
  filter.set_part(QStringLiteral("a"));
  QCOMPARE(printed(filter), QStringLiteral("1 | info | a | one\n"));
  filter.set_part({});
  filter.set_text(QStringLiteral("TWO"));
  QCOMPARE(filter.rowCount(), 1);
}

void ModelsTest::the_log_is_bounded() {
  Engine engine;
  LogModel log(&engine, nullptr);
  for (int i = 0; i < LogModel::most_lines + 10; ++i) log.add({QStringLiteral("3"), QStringLiteral("info"), QStringLiteral("a"), QStringLiteral("x")});
  QVERIFY(log.rowCount() <= LogModel::most_lines);
}

void ModelsTest::wrong_types_do_no_harm() {
  Fixture f("wrong_types");
  OperatorsModel operators(&f.session);
  FailuresModel failures(&f.session);
  QTRY_VERIFY(!f.session.steps().empty());
  QCOMPARE(operators.rowCount(), 0);
  QCOMPARE(failures.total(), 0);
}

void ModelsTest::a_session_that_cannot_be_opened_says_why() {
  Engine engine;
  Selection selection;
  Session session(&engine, &selection);
  QString why;
  connect(&session, &Session::could_not_open, this, [&](const QString&, const EngineError& error) { why = error.message; });
  engine.start(fake_engine("newer_session"));
  session.open(QStringLiteral("/s/sample.kwr"));
  QTRY_VERIFY(why.contains(QStringLiteral("newer version")));
  QVERIFY(!session.is_open());
}

void ModelsTest::nodes_are_asked_for_only_when_needed() {
  Fixture f;
  QTRY_COMPARE(f.session.steps().size(), 4u);
  QVERIFY(f.session.nodes().isEmpty());
  f.session.need_nodes(true);
  QTRY_COMPARE(f.session.nodes().size(), 3);
  QCOMPARE(error_and_speed(f.session.nodes(), {}).ids.size(), 2);
}

void ModelsTest::best_so_far_never_falls() {
  const std::vector<Step> steps{{1, "a", "t", "accepted", 2, 1.5}, {2, "b", "u", "crash", 3, {}}, {3, "c", "t", "accepted", 5, 1.1}, {4, "d", "t", "accepted", 8, 2.0}};
  const std::vector<Curve> curves = best_so_far(steps, 4, true);
  QCOMPARE(curves.size(), 2u);
  QCOMPARE(curves[0].x, (QVector<double>{2, 5, 8, 8}));
  QCOMPARE(curves[0].y, (QVector<double>{1.5, 1.5, 2, 2}));
  QCOMPARE(curves[1].y, (QVector<double>{1, 1}));
  QCOMPARE(best_so_far(steps, 1, false)[0].y, (QVector<double>{1.5, 1.5}));
}

void ModelsTest::roofline_points_are_flops_over_time() {
  Operator op;
  op.task = QStringLiteral("t");
  op.calls = 2;
  op.bytes = 4000;
  op.flops = 8000;
  Node node;
  node.id = QStringLiteral("c");
  node.task = QStringLiteral("t");
  node.candidate_us = 2;
  const Cloud cloud = roofline_points({{node.id, node}}, {op}, {});
  QCOMPARE(cloud.x, (QVector<double>{2}));      // FLOP per byte
  QCOMPARE(cloud.y, (QVector<double>{2}));      // 4000 FLOP in 2 µs: 2 GFLOP/s
  const Curve line = roof({{"copy_gb_s", 20}, {"f32_gflop_s", 100}}, 1, 100);
  QCOMPARE(line.y.front(), 20.);
  QCOMPARE(line.y.back(), 100.);
}

void ModelsTest::the_checklist_reads_the_evidence() {
  Fixture f;
  json candidate;
  f.engine.call(QStringLiteral("candidate/get"), {{"id", "c2"}}, this, [&](const json& result) { candidate = result; });
  QTRY_VERIFY(!candidate.empty());
  const std::vector<Check> checks = checklist(candidate, QStringLiteral("Made-up CPU, 2 cores"));
  QList<bool> passed;
  for (const Check& check : checks) passed << check.passed;
  QCOMPARE(passed, (QList<bool>{true, false, true, true, true, true, true}));
  const QString page = html_report({json::object(), candidate, QStringLiteral("layer_norm"), checks});
  QVERIFY(page.contains(QStringLiteral("<svg")) && page.contains(QStringLiteral("kw_k0")) && page.contains(QStringLiteral("1.97×")));
  QVERIFY(!page.contains(QStringLiteral("src=")) && !page.contains(QStringLiteral("href=")));   // needs nothing else
}

void ModelsTest::a_source_opens_at_its_kernel() {
  SourceView view(QStringLiteral("Source"));
  view.show_text(QStringLiteral("namespace {\nint shared() {\n  return 1;\n}\n}\n// task: add\nint kernel() {\n  return 2;\n}\n"), SourceView::Language::cpp);
  view.begin_at(QStringLiteral("// task:"));
  int line = 0, column = 0;
  view.editor()->getCursorPosition(&line, &column);
  QCOMPARE(line, 5);
  QList<long> shown;
  for (const int one : {0, 2, 5, 7}) shown << view.editor()->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, one);
  QCOMPARE(shown, (QList<long>{1, 0, 1, 1}));   // what all kernels share is folded, the kernel is not
}

}  // namespace kw::ui

QTEST_MAIN(kw::ui::ModelsTest)
#include "models_test.moc"
