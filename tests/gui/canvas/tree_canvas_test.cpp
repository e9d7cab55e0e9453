#include <QTest>

#include "tests/gui/canvas/made_tree.h"
#include "ui/widgets/tree/tree_canvas.h"

namespace kw::ui {

class TreeCanvasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keeps_nodes_apart() {
    const TreeItems tree = made_tree(3000);
    TreeLayout layout;
    layout.update(tree.items, std::vector<char>(tree.items.size(), 0));
    QCOMPARE(layout.places().size(), tree.items.size());
    for (int row = 0; row < layout.rows(); ++row)
      for (int p = layout.row_begin(row) + 1; p < layout.row_begin(row + 1); ++p)
        QVERIFY(layout.places()[static_cast<std::size_t>(p)].x - layout.places()[static_cast<std::size_t>(p - 1)].x >= 1.0f);
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::TreeCanvasTest)
#include "tree_canvas_test.moc"
