#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <Qsci/qsciscintilla.h>

#include "ui/widgets/diff/diff_view.h"

namespace kw::ui {
namespace {

const QString before = "one\nfor (int j = 0; j < n; j += 16) {\nthree\nfour\nfive";
const QString after = "zero\none\nfor (int j = 0; j < n; j += 32) {\nthree\nfive";

// "=1|1 ~2|3 -4|": rows by kind and lines from 1.
QString rows_of(const LineDiff& diff) {
  QStringList out;
  for (const DiffRow& row : diff.rows) {
    const auto line = [](int n) { return n < 0 ? QString() : QString::number(n + 1); };
    out << QString("=~-+"[static_cast<int>(row.kind)]) + line(row.left) + '|' + line(row.right);
  }
  return out.join(' ');
}

QString marked(const QString& line, const std::vector<WordRange>& words) {
  QStringList out;
  for (const WordRange& word : words) out << line.mid(word.begin, word.length);
  return out.join(',');
}

}  // namespace

class DiffViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aligns_lines() {
    QCOMPARE(rows_of(line_diff(before, after)), QString("+|1 =1|2 ~2|3 =3|4 -4| =5|5"));
    QCOMPARE(rows_of(line_diff("", "")), QString("=1|1"));
    QCOMPARE(rows_of(line_diff("a\nb", "c")), QString("~1|1 -2|"));
    QVERIFY(line_diff(before, before).changes.empty());
  }

  void marks_the_words_that_changed() {
    const LineDiff diff = line_diff(before, after);
    const DiffRow& row = diff.rows[2];
    QCOMPARE(marked(diff.left[row.left], row.left_words), QString("16"));
    QCOMPARE(marked(diff.right[row.right], row.right_words), QString("32"));
  }

  void writes_what_diff_u_writes() {
    DiffView view;
    view.set_texts("a", before, "b", after);
    QCOMPARE(view.unified_text(), QString("--- a\n+++ b\n+zero\n one\n-for (int j = 0; j < n; j += 16) {\n+for (int j = 0; j < n; j += 32) {\n three\n-four\n five\n"));
  }

  void takes_texts_that_share_nothing() {
    QString a, b;
    for (int i = 0; i < 2000; ++i) {
      a += QString("left %1 µ\n").arg(i);
      b += QString("right %1 λ\n").arg(i);
    }
    const LineDiff diff = line_diff(a, b);
    QCOMPARE(diff.removed, 2000);
    QCOMPARE(diff.added, 2000);
    QCOMPARE(diff.changes.size(), std::size_t{1});
  }

  void scrolls_both_sides_together_and_walks_through_changes() {
    QString a, b;
    for (int i = 0; i < 300; ++i) {
      a += QString("line %1\n").arg(i);
      b += i % 100 == 50 ? QString("line %1 changed\n").arg(i) : QString("line %1\n").arg(i);
    }
    DiffView view;
    view.resize(800, 300);
    view.show();
    QSignalSpy changed(&view, &DiffView::current_changed);
    view.set_texts("a", a, "b", b);
    QCOMPARE(view.current_change(), 0);
    view.next_change();
    view.next_change();
    view.next_change();
    QCOMPARE(view.current_change(), 2);
    view.previous_change();
    QCOMPARE(view.current_change(), 1);
    QCOMPARE(changed.size(), 4);
    const auto editor = [&](const char* name) {
      for (auto* e : view.findChildren<QsciScintilla*>())
        if (e->accessibleName() == QLatin1String(name)) return e;
      return static_cast<QsciScintilla*>(nullptr);
    };
    editor("Before")->verticalScrollBar()->setValue(120);
    QCOMPARE(editor("After")->verticalScrollBar()->value(), 120);
    editor("After")->verticalScrollBar()->setValue(30);
    QCOMPARE(editor("Before")->verticalScrollBar()->value(), 30);
    view.set_unified(true);
    QCOMPARE(view.current_change(), 1);
    QVERIFY(editor("Difference")->text().contains("line 150 changed"));
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::DiffViewTest)
#include "diff_view_test.moc"
