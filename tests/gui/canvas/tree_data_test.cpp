#include <cmath>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/gui/canvas/made_answer.h"
#include "ui/models/roles.h"
#include "ui/models/tree/candidates_model.h"
#include "ui/views/search_tree/tree_scene.h"
#include "ui/widgets/palette.h"

namespace kw::ui {
namespace {

//   c1
//   c2 (faster)   c3 (build error, of task t2 no parent)   c4 under c2 and c1
const char* const small_answer = R"({"version": 4,
  "nodes": [{"id": "c1", "task": "t1", "verdict": "accepted", "outcome": "equal", "speedup": 1.0, "ci95": [0.99, 1.01], "visits": 3},
            {"id": "c2", "task": "t1", "verdict": "accepted", "outcome": "faster", "speedup": 1.5, "ci95": [1.4, null], "visits": 2, "on_best_path": true},
            {"id": "c3", "task": "t2", "verdict": "build_error", "visits": 1},
            {"id": "c4", "task": "t1", "verdict": "", "pinned": true}],
  "edges": [{"parent": "c1", "child": "c2", "key": "tile_j", "from": "16", "to": "32", "description": "Tile j by 32.", "n": 2, "q": 0.4},
            {"parent": "c2", "child": "c4", "key": "unroll", "from": "", "to": "4"},
            {"parent": "c1", "child": "c4", "key": "vector", "from": "4", "to": "8"}]})";

bool hidden(const TreeItems& items, int node) { return items.items[static_cast<std::size_t>(node)].has(TreeItem::hidden); }
bool faded(const TreeItems& items, int node) { return items.items[static_cast<std::size_t>(node)].has(TreeItem::faded); }

}  // namespace

class TreeDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_an_answer() {
    TreeData tree;
    const TreeData::Change change = tree.apply(json::parse(small_answer));
    QCOMPARE(change.nodes_before, 0);
    QCOMPARE(tree.nodes().size(), std::size_t{4});
    QCOMPARE(tree.node(1).speedup, 1.5f);
    QVERIFY(std::isnan(tree.node(1).high));
    QVERIFY(std::isnan(tree.node(2).speedup));
    QCOMPARE(tree.edit_text(tree.node(1).edge), QString("tile_j 16 → 32"));
    QCOMPARE(tree.edit_text(tree.node(3).edge), QString("unroll 4"));
    QCOMPARE(tree.parents(3), (std::vector<int>{1, 0}));
    QCOMPARE(tree.children(0), (std::vector<int>{1, 3}));
    QCOMPARE(tree.node(3).parent, 1);
    QCOMPARE(tree.tasks(), (std::vector<QString>{"t1", "t2"}));
  }

  void merges_deltas() {
    TreeData tree;
    tree.apply(json::parse(small_answer));
    const TreeData::Change change = tree.apply(json::parse(R"({"nodes": [{"id": "c4", "task": "t1", "verdict": "crash"}, {"id": "c5", "task": "t1", "verdict": ""}],
                                                               "edges": [{"parent": "c4", "child": "c5", "key": "k", "to": "1"}, {"parent": "c1", "child": "c2", "key": "tile_j", "from": "16", "to": "32", "n": 9}]})"));
    QCOMPARE(change.nodes_before, 4);
    QCOMPARE(change.changed, (std::vector<int>{1, 3}));
    QCOMPARE(tree.nodes().size(), std::size_t{5});
    QCOMPARE(tree.edges().size(), std::size_t{4});
    QCOMPARE(tree.edge(tree.node(1).edge).n, 9.0f);
    QCOMPARE(tree.text(tree.node(3).verdict), QString("crash"));
  }

  void is_the_same_in_parts_as_in_one() {
    TreeData whole, parts;
    whole.apply(made_answer(0, 600));
    for (int i = 0; i < 600; i += 100) parts.apply(made_answer(i, i + 100));
    QCOMPARE(parts.nodes().size(), whole.nodes().size());
    for (int i = 0; i < 600; ++i) {
      QCOMPARE(parts.id(i), whole.id(i));
      QCOMPARE(parts.node(i).parent, whole.node(i).parent);
      QCOMPARE(parts.parents(i), whole.parents(i));
    }
  }

  void survives_what_is_malformed() {
    TreeData tree;
    for (const char* text : {"null", "[]", "{}", R"({"nodes": 3, "edges": "x"})", R"({"nodes": [null, 7, {}, {"id": 4}, {"id": "", "task": "t"}], "edges": [[], {"parent": "a"}]})"})
      tree.apply(json::parse(text));
    QVERIFY(tree.nodes().empty());
    // Edges in a circle, to itself, of nodes that never come; numbers of another type.
    const TreeData::Change change = tree.apply(json::parse(R"({"nodes": [{"id": "a", "task": 5, "speedup": "fast", "visits": -3, "ci95": [1]}, {"id": "b", "visits": 1e300}],
      "edges": [{"parent": "b", "child": "a"}, {"parent": "a", "child": "b"}, {"parent": "a", "child": "a"}, {"parent": "ghost", "child": "b"}]})"));
    QCOMPARE(change.skipped, 0);
    QCOMPARE(tree.node(0).parent, -1);
    QCOMPARE(tree.node(1).parent, 0);
    QCOMPARE(tree.node(0).visits, 0u);
    const TreeItems items = tree_items(tree, {});
    QVERIFY(hidden(items, tree.find("ghost")));
    QVERIFY(!hidden(items, 0));
  }

  void filters_searches_and_replays() {
    TreeData tree;
    tree.apply(json::parse(small_answer));
    TreeShown shown;
    shown.task = "t1";
    TreeItems items = tree_items(tree, shown);
    QVERIFY(!hidden(items, 0) && !hidden(items, 3) && hidden(items, 2));
    QCOMPARE(items.links.size(), std::size_t{1});
    shown.verdicts = {verdict_row("accepted", "faster")};
    items = tree_items(tree, shown);
    QVERIFY(!hidden(items, 1) && !faded(items, 1));
    QVERIFY(!hidden(items, 0) && faded(items, 0));      // on the way to what passes
    QVERIFY(hidden(items, 3));
    QCOMPARE(rows_shown(items), (std::vector<char>{0, 1, 0, 0}));
    items = tree_items(tree, {"", {}, "TILE", {}});
    QVERIFY(items.items[1].has(TreeItem::matched) && faded(items, 0));
    items = tree_items(tree, {"", {}, "", std::vector<char>{1, 0, 1, 0}});
    QVERIFY(!hidden(items, 0) && hidden(items, 1) && hidden(items, 3));
    items = tree_items(tree, {"no such task", {}, "", {}});
    QVERIFY(hidden(items, 0) && hidden(items, 1));
  }

  void tells_all_of_a_node() {
    TreeData tree;
    tree.apply(json::parse(small_answer));
    const Card card = tree_card(tree, 3);
    QVERIFY(card.title.contains("c4") && card.title.contains("waiting"));
    const auto value = [&](const char* name) {
      for (const auto& [n, v] : card.lines)
        if (n == name) return v;
      return QString();
    };
    QCOMPARE(value("Also from"), QString("c1"));
    QCOMPARE(value("Marks"), QString("pinned"));
    QCOMPARE(value("Speedup"), QString());
  }

  void lists_the_same_nodes() {
    TreeData tree;
    CandidatesModel model(&tree);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    CandidatesFilter filter;
    filter.setSourceModel(&model);
    filter.setSortRole(SortRole);
    QAbstractItemModelTester filter_tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.take(tree.apply(made_answer(0, 100)));
    model.take(tree.apply(made_answer(50, 200)));
    QCOMPARE(model.rowCount(), 200);
    QVERIFY(!changed.isEmpty());
    filter.sort(CandidatesModel::Speedup, Qt::DescendingOrder);
    double last = 1e9;
    for (int row = 0; row < filter.rowCount(); ++row) {
      const double speedup = filter.index(row, CandidatesModel::Speedup).data(SortRole).toDouble();
      QVERIFY(speedup <= last);
      last = speedup;
    }
    filter.set_shown(std::vector<char>(150, 0));
    QCOMPARE(filter.rowCount(), 50);
    tree.clear();
    model.start_anew();
    QCOMPARE(model.rowCount(), 0);
  }
};

}  // namespace kw::ui

QTEST_MAIN(kw::ui::TreeDataTest)
#include "tree_data_test.moc"
