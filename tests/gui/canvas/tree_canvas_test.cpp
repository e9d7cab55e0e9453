#include <algorithm>
#include <cmath>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/canvas/made_tree.h"
#include "ui/widgets/tree/tree_canvas.h"

namespace kw::ui {
namespace {

TreeLayout laid_out(const TreeItems& tree) {
  TreeLayout layout;
  layout.update(tree.items, std::vector<char>(tree.items.size(), 0));
  return layout;
}

const TreeLayout::Place& place_at(const TreeLayout& layout, int place) { return layout.places()[static_cast<std::size_t>(place)]; }

//      0
//    1   2        3 is hidden with what hangs under it
//   4 5           6 hangs under 3
TreeItems small_tree() {
  TreeItems tree;
  for (const int parent : {-1, 0, 0, 0, 1, 1, 3}) {
    TreeItem item;
    item.parent = parent;
    item.visits = 1;
    tree.items.push_back(item);
  }
  tree.items[3].flags = TreeItem::hidden;
  return tree;
}

QPoint pixel_of(const TreeCanvas& canvas, int item) {
  const TreeLayout& layout = canvas.layout_of_tree();
  const int place = layout.place_of(item);
  return QPointF(canvas.camera().x(place_at(layout, place).x), canvas.camera().y(layout.row_of(place))).toPoint();
}

}  // namespace

class TreeCanvasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void places_a_small_tree_by_hand() {
    const TreeLayout layout = laid_out(small_tree());
    QCOMPARE(layout.rows(), 3);
    QCOMPARE(layout.width(), 3.0f);
    const std::pair<int, float> expected[] = {{4, 0.5f}, {5, 1.5f}, {1, 1.0f}, {2, 2.5f}, {0, 1.75f}};
    for (const auto& [item, x] : expected) QCOMPARE(place_at(layout, layout.place_of(item)).x, x);
    QCOMPARE(layout.place_of(3), -1);
    QCOMPARE(layout.place_of(6), -1);
  }

  void keeps_nodes_apart_and_parents_above() {
    const TreeItems tree = made_tree(3000);
    const TreeLayout layout = laid_out(tree);
    QCOMPARE(layout.places().size(), tree.items.size());
    for (int row = 0; row < layout.rows(); ++row) {
      for (int p = layout.row_begin(row); p < layout.row_begin(row + 1); ++p) {
        const auto& place = place_at(layout, p);
        if (p > layout.row_begin(row)) QVERIFY(place.x - place_at(layout, p - 1).x >= 1.0f);
        if (p > layout.row_begin(row)) QVERIFY(place.left >= place_at(layout, p - 1).left + place_at(layout, p - 1).width);
        QCOMPARE(layout.row_of(p), row);
        if (place.parent < 0) continue;
        QCOMPARE(layout.row_of(place.parent), row - 1);
        QCOMPARE(place_at(layout, place.parent).item, tree.items[static_cast<std::size_t>(place.item)].parent);
        QVERIFY(place.left >= place_at(layout, place.parent).left);
      }
    }
  }

  void keeps_the_order_of_children_as_nodes_come() {
    const TreeItems all = made_tree(2000);
    TreeItems some = all;
    some.items.resize(1500);
    const TreeLayout before = laid_out(some), after = laid_out(all);
    for (int p = 1; p < static_cast<int>(before.places().size()); ++p) {
      if (before.row_of(p) != before.row_of(p - 1)) continue;
      QVERIFY(after.place_of(place_at(before, p - 1).item) < after.place_of(place_at(before, p).item));
    }
  }

  void lays_out_a_chain_that_is_very_deep() {
    TreeItems tree;
    tree.items.resize(50'000);
    for (int i = 0; i < 50'000; ++i) tree.items[static_cast<std::size_t>(i)].parent = i - 1;
    QCOMPARE(laid_out(tree).rows(), 50'000);
  }

  void finds_what_lies_under_the_pointer() {
    TreeCanvas canvas;
    canvas.resize(900, 600);
    canvas.set_tree(made_tree(60), true);
    int visible = 0;
    for (int item = 0; item < 60; ++item) {
      const QPoint pixel = pixel_of(canvas, item);
      if (!canvas.rect().contains(pixel)) continue;
      ++visible;
      QCOMPARE(canvas.item_at(pixel), item);
    }
    QVERIFY(visible > 50);
    QCOMPARE(canvas.item_at(QPoint(3, 597)), -1);
  }

  void folds_and_unfolds() {
    TreeCanvas canvas;
    canvas.resize(600, 400);
    canvas.set_tree(small_tree(), true);
    QSignalSpy folded(&canvas, &TreeCanvas::folded);
    canvas.set_collapsed(1, true);
    QCOMPARE(canvas.layout_of_tree().place_of(4), -1);
    QVERIFY(canvas.layout_of_tree().place_of(2) >= 0);
    canvas.select(5, true);                       // choosing what is folded unfolds it
    QVERIFY(canvas.layout_of_tree().place_of(5) >= 0);
    QCOMPARE(folded.size(), 2);
  }

  void walks_by_keyboard() {
    TreeCanvas canvas;
    canvas.resize(600, 400);
    canvas.set_tree(small_tree(), true);
    QSignalSpy selected(&canvas, &TreeCanvas::selected_changed);
    QSignalSpy activated(&canvas, &TreeCanvas::activated);
    const std::pair<Qt::Key, int> steps[] = {{Qt::Key_Down, 0}, {Qt::Key_Down, 1}, {Qt::Key_Right, 2}, {Qt::Key_Left, 1}, {Qt::Key_Down, 4}, {Qt::Key_Right, 5}, {Qt::Key_Up, 1}, {Qt::Key_Home, 0}};
    for (const auto& [key, item] : steps) {
      QTest::keyClick(&canvas, key);
      QCOMPARE(canvas.selected(), item);
    }
    QCOMPARE(selected.size(), 8);
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
  }

  void keeps_selection_and_folds_over_a_delta() {
    TreeCanvas canvas;
    canvas.resize(600, 400);
    TreeItems tree = made_tree(200);
    canvas.set_tree(tree, true);
    canvas.select(42, true);
    canvas.set_collapsed(7, true);
    canvas.set_tree(made_tree(200));
    QCOMPARE(canvas.selected(), 42);
    QVERIFY(canvas.is_collapsed(7));
    canvas.set_tree(small_tree(), true);
    QCOMPARE(canvas.selected(), -1);
  }

  // What a part of the view shows does not depend on what else is painted: culling leaves nothing out.
  void paints_a_part_as_it_paints_all() {
    TreeCanvas canvas;
    canvas.resize(800, 500);
    canvas.set_tree(made_tree(4000), true);
    for (int zooms = 0; zooms < 8; ++zooms) {
      QImage whole(canvas.size(), QImage::Format_RGB32), parts(canvas.size(), QImage::Format_RGB32);
      QPainter all(&whole);
      canvas.paint_view(all, canvas.rect());
      all.end();
      for (const QRect& part : {QRect(0, 0, 300, 500), QRect(300, 0, 217, 260), QRect(300, 260, 217, 240), QRect(517, 0, 283, 500)}) {
        QPainter some(&parts);
        some.setClipRect(part);
        canvas.paint_view(some, part);
      }
      QVERIFY2(parts == whole, qPrintable(QString("after %1 zooms").arg(zooms)));
      canvas.zoom_in();
    }
  }

  void sees_all_of_a_broad_tree() {
    TreeCanvas canvas;
    canvas.resize(800, 500);
    canvas.set_tree(made_tree(20'000), true);
    const TreeLayout& layout = canvas.layout_of_tree();
    QVERIFY(canvas.camera().x(0) >= 0);
    QVERIFY(canvas.camera().x(static_cast<double>(layout.width())) <= 800);
    for (int i = 0; i < 60; ++i) canvas.zoom_in();
    QCOMPARE(canvas.camera().slot_px(), TreeCamera::widest_slot);
    for (int i = 0; i < 60; ++i) canvas.zoom_out();
    QVERIFY(canvas.camera().whole());
  }

  void saves_pictures() {
    QTemporaryDir folder;
    TreeCanvas canvas;
    canvas.resize(600, 400);
    canvas.set_tree(made_tree(40), true);
    QCOMPARE(canvas.save(folder.filePath("tree.png")), QString());
    QCOMPARE(canvas.save(folder.filePath("tree.svg")), QString());
    QCOMPARE(QImage(folder.filePath("tree.png")).size(), QSize(1200, 800));
    QFile svg(folder.filePath("tree.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(!svg.readAll().contains("<image"));
    QVERIFY(canvas.save("/nowhere/at/all.png").contains("/nowhere/at/all.png"));
  }

  void gives_every_verdict_a_sign_of_its_own() {
    QSet<QString> glyphs;
    for (const VerdictStyle& style : verdict_styles()) glyphs.insert(QString::fromUtf8(style.glyph));
    QCOMPARE(glyphs.size(), static_cast<int>(verdict_styles().size()));
    QCOMPARE(QString(verdict_style(verdict_row("cheat:input_alias", {})).key), QString("cheat"));
    QCOMPARE(QString(verdict_style(verdict_row("accepted", "slower")).key), QString("accepted:slower"));
    QCOMPARE(QString(verdict_style(verdict_row("of a later version", {})).key), QString("?"));
    QCOMPARE(look_text("cheat:input_alias"), QStringLiteral("! cheat: input alias"));
    QCOMPARE(look_text("faster"), QStringLiteral("▲ faster"));
    QCOMPARE(look_text("approved"), QStringLiteral("✓ approved"));
    QCOMPARE(look_text("of_a_later_version"), QStringLiteral("? of_a_later_version"));
  }

  void writes_verdicts_readably() {
    const auto luminance = [](const QColor& color) {                   // WCAG 2.1, relative luminance
      const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
      return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
    };
    const auto contrast = [&](const QColor& a, const QColor& b) {
      const auto [low, high] = std::minmax({luminance(a), luminance(b)});
      return (high + 0.05) / (low + 0.05);
    };
    for (const VerdictStyle& style : verdict_styles()) {
      QVERIFY2(contrast(style.light, QColor(0xf6, 0xf7, 0xf9)) >= 4.5, style.name);   // the darker rows of a light table
      QVERIFY2(contrast(style.dark, QColor(0x1e, 0x21, 0x27)) >= 4.5, style.name);
    }
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::TreeCanvasTest)
#include "tree_canvas_test.moc"
