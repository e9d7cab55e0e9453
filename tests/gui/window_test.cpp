// The real window, driven offscreen against the fake engine; and once against the real one on a session made for it.

#include <QAction>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextBrowser>

#include "tests/gui/waiting.h"
#include "ui/bridge/engine.h"
#include "ui/bridge/selection.h"
#include "ui/models/jobs_model.h"
#include "ui/models/session.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/engine_banner.h"
#include "ui/shell/help_window.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_control.h"
#include "ui/shell/theme.h"
#include "ui/views/candidate/drafts.h"
#include "ui/widgets/source_view.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

namespace {

Settings fake_settings(const char* mode) {
  Settings settings;
  settings.launch_prefix = fake_engine(mode).first();
  settings.engine_program = QString::fromLatin1(mode);
  settings.theme = ThemeChoice::light;
  return settings;
}

SourceView* source_view(const MainWindow& window, const char* dock, const char* name) {
  for (auto* view : window.dock(dock)->findChildren<SourceView*>())
    if (view->editor()->accessibleName() == QLatin1String(name)) return view;
  return nullptr;
}

struct Fixture {
  explicit Fixture(const char* mode = "good", bool open = true) : window(fake_settings(mode)) {
    window.show();
    window.start_engine();
    if (open) window.open_path(QStringLiteral("/s/sample.kwr"));
  }
  template <typename Widget>
  Widget* in_dock(const char* id) const { return window.dock(id)->findChild<Widget*>(); }
  SourceView* source(const char* dock, const char* name) const { return source_view(window, dock, name); }
  MainWindow window;
};

// Presses the button of the message box that comes up next.
void answer_next_box(const QString& label) {
  QTimer::singleShot(50, qApp, [label] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (!box) return answer_next_box(label);
    for (QAbstractButton* button : box->buttons())
      if (button->text().remove(u'&') == label) return button->click();
    box->reject();
  });
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { QSettings().clear(); }
  void opens_a_session();
  void follows_the_selection();
  void a_failure_is_shown_with_its_line();
  void every_dock_has_help_and_every_action_a_way();
  void every_control_has_a_name();
  void layouts_come_back();
  void a_dead_engine_is_shown_and_restarted();
  void what_cannot_be_opened_is_said();
  void trust_is_asked_for();
  void a_draft_is_kept_and_evaluated();
  void a_review_is_signed();
  void replay_drives_the_others();
  void tables_are_copied();
  void the_palette_finds_actions();
  void text_has_contrast();
  void a_real_session_opens_in_the_real_engine();
};

void WindowTest::opens_a_session() {
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  QTRY_COMPARE(f.in_dock<TableView>("operators")->model()->rowCount(), 2);
  QTRY_COMPARE(f.in_dock<TableView>("failures")->model()->rowCount(), 2);
  QVERIFY(f.window.windowTitle().startsWith(QStringLiteral("sample.kwr")));
  QVERIFY(f.window.dock("operators")->isVisible());
  QVERIFY(!f.window.centralWidget()->isVisible());
  QCOMPARE(recent_files(fake_settings("good")), QStringList{QStringLiteral("/s/sample.kwr")});
  f.window.session()->close();
  QVERIFY(f.window.centralWidget()->isVisible());
}

void WindowTest::follows_the_selection() {
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  f.window.selection()->set_candidate(QStringLiteral("c2"));
  auto* source = f.source("candidate", "Candidate source");
  QTRY_VERIFY(source->text().contains(QStringLiteral("x[i] + 2")));
  QTRY_VERIFY(f.in_dock<QTextBrowser>("why")->toPlainText().contains(QStringLiteral("Vector width")));
  f.window.selection()->set_candidate(QStringLiteral("no such one"));
  QTest::qWait(100);
  QVERIFY(!source->isVisible());
}

void WindowTest::a_failure_is_shown_with_its_line() {
  Fixture f;
  auto* tree = f.in_dock<TableView>("failures");
  QTRY_COMPARE(tree->model()->rowCount(), 2);
  tree->expandAll();
  const QModelIndex cause = tree->model()->index(0, 0, tree->model()->index(0, 0));
  tree->setCurrentIndex(tree->model()->index(0, 0, cause));
  QTRY_VERIFY(f.in_dock<QTextBrowser>("failures")->toPlainText().contains(QStringLiteral("expected ';'")));
  QCOMPARE(f.window.selection()->candidate(), QStringLiteral("c3"));
  auto* source = f.source("failures", "Source with the compiler's complaints");
  QVERIFY(source->isVisibleTo(f.window.dock("failures")));
  QVERIFY(source->editor()->markersAtLine(2) != 0);   // line 3 of the compiler
}

void WindowTest::every_dock_has_help_and_every_action_a_way() {
  Fixture f("good", false);
  for (const DockRow& row : dock_table()) QVERIFY2(QFile::exists(help_folder() + u'/' + QLatin1String(row.help)), row.help);
  for (QAction* action : f.window.menuBar()->findChildren<QAction*>()) QVERIFY2(action->associatedObjects().size() > 0, qPrintable(action->text()));
  QSet<QKeySequence> keys;
  for (QAction* action : f.window.findChildren<QAction*>()) {
    if (action->shortcut().isEmpty() || action->shortcutContext() != Qt::WindowShortcut) continue;
    QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->shortcut().toString()));
    keys << action->shortcut();
  }
}

void WindowTest::every_control_has_a_name() {
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  for (const DockRow& row : dock_table())
    for (const QWidget* widget : f.window.dock(row.id)->widget()->findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith(QLatin1String("qt_")) || widget->focusProxy()) continue;
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      static const char* const spoken_by_their_text_or_owner[] = {"QLabel", "QTabBar", "QTabWidget", "QScrollBar", "QSplitter", "QComboBoxListView"};
      const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()) ||
                         std::any_of(std::begin(spoken_by_their_text_or_owner), std::end(spoken_by_their_text_or_owner), [&](const char* name) { return widget->inherits(name); });
      QVERIFY2(named, qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(row.id), QLatin1String(widget->metaObject()->className()))));
    }
}

void WindowTest::layouts_come_back() {
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  Layouts layouts(&f.window);
  for (const LayoutRow& row : layout_table()) {
    f.window.use_layout(row.id);
    for (const LayoutColumn& column : row.columns)
      for (const LayoutCell& cell : column.cells)
        for (const char* id : cell.docks)
          if (QDockWidget* dock = f.window.dock(id)) QVERIFY2(!dock->isHidden(), id);
  }
  f.window.use_layout("teach");
  layouts.save_as(QStringLiteral("mine"));
  f.window.use_layout("review");
  QVERIFY(!f.window.dock("review")->isHidden());
  QVERIFY(layouts.use_named(QStringLiteral("mine")));
  QVERIFY(f.window.dock("review")->isHidden());
  QVERIFY(!f.window.dock("replay")->isHidden());
  QCOMPARE(layouts.names(), QStringList{QStringLiteral("mine")});
  layouts.remove(QStringLiteral("mine"));
  QVERIFY(!layouts.use_named(QStringLiteral("mine")));
}

void WindowTest::a_dead_engine_is_shown_and_restarted() {
  Fixture f("dies_at_open");
  QTRY_COMPARE(f.window.engine()->state(), Engine::State::dead);
  auto* banner = f.window.findChild<EngineBanner*>();
  QTRY_VERIFY(banner->isVisible());
  QString words;
  for (const QLabel* label : banner->findChildren<QLabel*>()) words += label->text();
  QVERIFY2(words.contains(QStringLiteral("the disk is on fire")), qPrintable(words));
  for (QPushButton* button : banner->findChildren<QPushButton*>())
    if (button->text() == QLatin1String("&Restart engine")) button->click();
  QTRY_COMPARE(f.window.engine()->state(), Engine::State::ready);
  QVERIFY(!banner->isVisible());
}

void WindowTest::what_cannot_be_opened_is_said() {
  Fixture f("newer_session");
  QTRY_VERIFY(f.window.findChild<QMessageBox*>());
  QVERIFY(f.window.findChild<QMessageBox*>()->informativeText().contains(QStringLiteral("newer version")));
  QVERIFY(!f.window.session()->is_open());
  f.window.open_path(QStringLiteral("/s/picture.png"));
  QVERIFY(f.window.findChildren<QMessageBox*>().last()->informativeText().contains(QStringLiteral("neither a session")));
}

void WindowTest::trust_is_asked_for() {
  Fixture f("asks_trust");
  QTRY_VERIFY(f.window.session()->is_open());
  RunControl run(f.window.session(), &f.window);
  QSignalSpy started(&run, &RunControl::started);
  answer_next_box(QStringLiteral("Run it"));
  run.start({{"path", "/m/encoder.py"}}, false);
  QTRY_COMPARE(started.size(), 1);
  QTRY_COMPARE(f.window.session()->run().state, QStringLiteral("searching"));
  QTRY_VERIFY(f.window.session()->jobs()->first_active() != nullptr);
  f.window.session()->jobs()->cancel(QStringLiteral("j1"));
  QTRY_COMPARE(f.window.session()->run().state, QStringLiteral("done"));
}

void WindowTest::a_draft_is_kept_and_evaluated() {
  const QString session = QStringLiteral("/s/sample.kwr"), parent = QStringLiteral("c1");
  discard_draft(session, parent);
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  f.window.selection()->set_candidate(parent);
  auto* source = f.source("candidate", "Candidate source");
  QTRY_VERIFY(!source->text().isEmpty());
  const auto press = [&](const char* label) {
    for (QPushButton* button : f.window.dock("candidate")->findChildren<QPushButton*>())
      if (button->text().remove(u'&') == QLatin1String(label)) button->click();
  };
  press("Edit");
  source->editor()->append(QStringLiteral("// mine\n"));
  QTRY_VERIFY(draft(session, parent).value_or(QString()).endsWith(QStringLiteral("// mine\n")));
  f.window.selection()->set_candidate(QStringLiteral("c3"));
  QTRY_VERIFY(!source->text().contains(QStringLiteral("// mine")));
  f.window.selection()->set_candidate(parent);
  QTRY_VERIFY(source->text().contains(QStringLiteral("// mine")));
  press("Evaluate as new candidate");
  QTRY_COMPARE(f.window.selection()->candidate(), QStringLiteral("c2"));
  QVERIFY(!draft(session, parent));
}

void WindowTest::a_review_is_signed() {
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  f.window.selection()->set_candidate(QStringLiteral("c2"));
  auto* reviewer = f.window.dock("review")->findChild<QLineEdit*>();
  reviewer->setText(QStringLiteral("ada"));
  auto* approve = f.window.dock("review")->findChildren<QPushButton*>().first();
  QTRY_VERIFY(approve->isEnabled());
  approve->click();
  QTRY_COMPARE(f.in_dock<TableView>("review")->model()->rowCount(), 2);
}

void WindowTest::replay_drives_the_others() {
  Fixture f;
  QTRY_COMPARE(f.window.session()->steps().size(), 4u);
  auto* slider = f.in_dock<QSlider>("replay");
  QCOMPARE(slider->maximum(), 4);
  slider->setValue(1);
  QCOMPARE(f.window.selection()->moment(), std::optional<qint64>(1));
  QCOMPARE(f.window.selection()->candidate(), QStringLiteral("c1"));
  QTRY_COMPARE(f.in_dock<TableView>("failures")->model()->rowCount(), 0);
}

void WindowTest::tables_are_copied() {
  Fixture f;
  auto* table = f.in_dock<TableView>("review");
  QTRY_COMPARE(table->model()->rowCount(), 1);
  QCOMPARE(table->selected_as_tsv(), QStringLiteral("Candidate\tDecision\tReviewer\tDate\tComment\nc1\trejected (void)\tgrace\t2026-01-01T00:00:00Z\ttoo slow\n"));
  QCOMPARE(as_markdown({{QStringLiteral("a"), QStringLiteral("b")}, {QStringLiteral("1|2"), QStringLiteral("3")}}),
           QStringLiteral("| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n"));
}

void WindowTest::the_palette_finds_actions() {
  QVERIFY(matches_words(QStringLiteral("Layout: Save as"), QStringLiteral("sav lay")));
  QVERIFY(!matches_words(QStringLiteral("Layout: Save as"), QStringLiteral("save review")));
  Fixture f;
  QTRY_VERIFY(f.window.session()->is_open());
  auto* palette = new CommandPalette(&f.window);
  palette->show();
  QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("lay teach"));
  QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
  QTRY_VERIFY(!f.window.dock("replay")->isHidden());
}

void WindowTest::text_has_contrast() {
  const auto luminance = [](const QColor& c) {
    const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
  };
  for (const Scheme scheme : {Scheme::light, Scheme::dark})
    for (const Tone one : {Tone::text, Tone::faint_text, Tone::accent, Tone::good, Tone::failure, Tone::waiting, Tone::working,
                           Tone::warning, Tone::keyword, Tone::comment, Tone::literal, Tone::number, Tone::preprocessor}) {
      const double a = luminance(tone(one, scheme)) + 0.05, b = luminance(tone(Tone::base, scheme)) + 0.05;
      QVERIFY2(std::max(a, b) / std::min(a, b) >= 4.5, qPrintable(QStringLiteral("tone %1 of scheme %2").arg(static_cast<int>(one)).arg(static_cast<int>(scheme))));
    }
}

void WindowTest::a_real_session_opens_in_the_real_engine() {
  const QString programs = qEnvironmentVariable("KW_BIN_DIR");
  QTemporaryDir folder;
  const QString session = folder.filePath(QStringLiteral("made.kwr")), broken = folder.filePath(QStringLiteral("broken.kwr"));
  QCOMPARE(QProcess::execute(programs + QStringLiteral("/kw_make_session"), {session, QStringLiteral("300")}), 0);
  QFile file(broken);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a session at all") > 0);
  file.close();
  Settings settings;
  settings.engine_program = programs + QStringLiteral("/kernelwright");
  MainWindow window(settings);
  window.show();
  window.start_engine();
  window.open_path(session);
  QTRY_COMPARE_WITH_TIMEOUT(window.session()->steps().size(), 300u, 20'000);
  QVERIFY(window.dock("operators")->findChild<TableView*>()->model()->rowCount() > 0);
  QTRY_VERIFY(window.dock("failures")->findChild<TableView*>()->model()->rowCount() > 0);
  window.session()->need_nodes(true);
  QTRY_COMPARE(window.session()->nodes().size(), 300);
  window.selection()->set_candidate(window.session()->steps().back().candidate);
  QTRY_VERIFY(!source_view(window, "candidate", "Candidate source")->text().isEmpty());
  window.open_path(broken);
  QTRY_VERIFY(window.findChild<QMessageBox*>());
  QCOMPARE(window.session()->path(), session);   // the open one stays
}

}  // namespace kw::ui

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  kw::ui::use_test_settings("window_test");
  qputenv("KW_RESOURCES_DIR", qgetenv("KW_SOURCE_DIR") + "/resources");
  kw::ui::WindowTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "window_test.moc"
