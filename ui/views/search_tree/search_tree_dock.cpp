#include "ui/views/search_tree/search_tree_dock.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolButton>

#include "ui/bridge/selection.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/models/tree/candidates_model.h"
#include "ui/views/raise_dock.h"
#include "ui/views/search_tree/tree_feed.h"
#include "ui/views/search_tree/tree_scene.h"
#include "ui/views/search_tree/verdict_menu.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/palette.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/tree/tree_canvas.h"

namespace kw::ui {
namespace {

const QString nothing_yet = QStringLiteral("The candidates of a search will grow here as a tree. Open a session, or open a model and press Optimize.");
const QString nothing_passes = QStringLiteral("No candidate passes the filter. Show all verdicts again by the Filter menu.");

class SearchTreeDock : public QWidget {
 public:
  SearchTreeDock(const DockContext& context, QWidget* parent);

 private:
  void build_bars();
  void build_pages();
  void follow_selection();
  void take(const TreeData::Change& change);
  void start_anew();
  void show_tree(bool anew);
  void show_list(bool on);
  void fill_tasks();
  void choose(int node);
  void find_next(bool forward);
  void enable_actions();
  void steer(const char* action);
  void save_picture_as();
  void show_menu(const QPoint& at);
  int selected() const { return canvas_->selected(); }
  std::optional<std::vector<char>> evaluated_by_then() const;

  DockContext context_;
  TreeFeed* feed_;
  CandidatesModel* model_;
  CandidatesFilter* filter_;
  TreeCanvas* canvas_;
  TableView* list_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  QComboBox* tasks_ = nullptr;
  VerdictMenu* verdicts_ = nullptr;
  QLineEdit* search_ = nullptr;
  QLabel* found_ = nullptr;
  QAction *freeze_ = nullptr, *as_list_ = nullptr, *fit_ = nullptr, *best_ = nullptr, *fold_ = nullptr, *fold_all_ = nullptr, *unfold_all_ = nullptr;
  QAction *pin_ = nullptr, *ban_ = nullptr, *expand_ = nullptr, *compare_ = nullptr, *save_ = nullptr;
  bool shown_before_ = false;
  int frozen_at_ = -1;                 // nodes when it was frozen
};

SearchTreeDock::SearchTreeDock(const DockContext& context, QWidget* parent)
    : QWidget(parent), context_(context), feed_(new TreeFeed(context, this)), model_(new CandidatesModel(&feed_->tree(), this)), filter_(new CandidatesFilter(this)), canvas_(new TreeCanvas) {
  filter_->setSourceModel(model_);
  canvas_->set_texts({[this](int node) { return feed_->tree().edit_text(feed_->tree().node(node).edge); }, [this](int node) { return tree_card(feed_->tree(), node); }});
  canvas_->set_empty_text(nothing_yet);
  build_bars();
  build_pages();
  connect(feed_, &TreeFeed::started_anew, this, &SearchTreeDock::start_anew);
  connect(feed_, &TreeFeed::changed, this, &SearchTreeDock::take);
  connect(feed_, &TreeFeed::failed, this, [this](const QString& message) { canvas_->set_empty_text(message); });
  connect(canvas_, &TreeCanvas::selected_changed, this, &SearchTreeDock::choose);
  connect(canvas_, &TreeCanvas::activated, this, [this] { raise_dock(this, "candidate"); });
  follow_selection();
  enable_actions();
}

void SearchTreeDock::build_bars() {
  QVBoxLayout* column = dock_column(this);
  QHBoxLayout* bar = add_bar(column);
  tasks_ = new QComboBox;
  tasks_->setAccessibleName(QStringLiteral("Task"));
  tasks_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  tasks_->setMinimumContentsLength(12);
  bar->addWidget(tasks_, 1);
  auto* filter = new QToolButton;
  filter->setText(QStringLiteral("Filter ▾"));
  filter->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  filter->setToolTip(QStringLiteral("Which verdicts are shown; the menu is also the legend"));
  filter->setPopupMode(QToolButton::InstantPopup);
  filter->setAutoRaise(true);
  verdicts_ = new VerdictMenu(filter);
  filter->setMenu(verdicts_);
  bar->addWidget(filter);
  search_ = new QLineEdit;
  search_->setPlaceholderText(QStringLiteral("Find candidate, edit, verdict"));
  search_->setAccessibleName(QStringLiteral("Find in the tree"));
  search_->setClearButtonEnabled(true);
  bar->addWidget(search_, 1);
  found_ = new QLabel;
  bar->addWidget(found_);

  QHBoxLayout* tools = add_bar(column);
  fit_ = add_dock_action(this, QStringLiteral("Fit"), {}, QStringLiteral("Show the whole tree: F on the canvas"));
  best_ = add_dock_action(this, QStringLiteral("Best"), {}, QStringLiteral("Go to the end of the best path: End on the canvas"));
  fold_ = add_dock_action(this, QStringLiteral("Fold"), {}, QStringLiteral("Fold or unfold what is below the selected node: Space on the canvas"));
  fold_all_ = add_dock_action(this, QStringLiteral("Fold all"), {}, QStringLiteral("Fold everything below the second row"));
  unfold_all_ = add_dock_action(this, QStringLiteral("Unfold all"), {}, QStringLiteral("Unfold everything"));
  freeze_ = add_dock_action(this, QStringLiteral("Freeze"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F), QStringLiteral("Keep the tree as it is while the search goes on"));
  freeze_->setCheckable(true);
  pin_ = add_dock_action(this, QStringLiteral("Pin"), QKeySequence(Qt::CTRL | Qt::Key_P), QStringLiteral("The search prefers what is below the selected node"));
  pin_->setCheckable(true);
  ban_ = add_dock_action(this, QStringLiteral("Ban"), QKeySequence(Qt::CTRL | Qt::Key_B), QStringLiteral("The search leaves what is below the selected node alone"));
  ban_->setCheckable(true);
  expand_ = add_dock_action(this, QStringLiteral("Expand"), QKeySequence(Qt::CTRL | Qt::Key_E), QStringLiteral("Ask the search to try more edits of the selected node"));
  compare_ = add_dock_action(this, QStringLiteral("Compare with this"), QKeySequence(Qt::CTRL | Qt::Key_D), QStringLiteral("The Diff dock compares the selected candidate with this one"));
  as_list_ = add_dock_action(this, QStringLiteral("List"), QKeySequence(Qt::CTRL | Qt::Key_L), QStringLiteral("The same candidates as a table"));
  as_list_->setCheckable(true);
  save_ = add_dock_action(this, QStringLiteral("Save picture…"), {}, QStringLiteral("What is seen of the tree, as PNG or SVG"));
  for (QAction* action : {fit_, best_, fold_, freeze_}) add_button(tools, action);
  tools->addSpacing(12);
  for (QAction* action : {pin_, ban_, expand_}) add_button(tools, action);
  tools->addStretch(1);
  add_button(tools, as_list_);

  connect(fit_, &QAction::triggered, canvas_, &TreeCanvas::fit);
  connect(best_, &QAction::triggered, canvas_, &TreeCanvas::select_best);
  connect(fold_, &QAction::triggered, this, [this] {
    if (selected() >= 0) canvas_->set_collapsed(selected(), !canvas_->is_collapsed(selected()));
  });
  connect(fold_all_, &QAction::triggered, this, [this] { canvas_->collapse_below(2); });
  connect(unfold_all_, &QAction::triggered, this, [this] { canvas_->collapse_below(-1); });
  connect(freeze_, &QAction::toggled, this, [this](bool on) {
    frozen_at_ = on ? static_cast<int>(canvas_->tree().items.size()) : -1;
    if (!on) show_tree(false);
  });
  connect(pin_, &QAction::triggered, this, [this](bool on) { steer(on ? "pin" : "unpin"); });
  connect(ban_, &QAction::triggered, this, [this](bool on) { steer(on ? "ban" : "unban"); });
  connect(expand_, &QAction::triggered, this, [this] { steer("expand"); });
  connect(compare_, &QAction::triggered, this, [this] {
    if (selected() >= 0) context_.selection->set_compared(feed_->tree().id(selected()));
  });
  connect(as_list_, &QAction::toggled, this, &SearchTreeDock::show_list);
  connect(save_, &QAction::triggered, this, &SearchTreeDock::save_picture_as);
  connect(verdicts_, &VerdictMenu::changed, this, [this] { show_tree(false); });
  connect(tasks_, &QComboBox::activated, this, [this](int index) { context_.selection->set_task(tasks_->itemData(index).toString()); });
  connect(search_, &QLineEdit::textChanged, this, [this] { show_tree(false); });
  connect(search_, &QLineEdit::returnPressed, this, [this] { find_next(!QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)); });
  auto* find = add_dock_action(this, QStringLiteral("Find in the tree"), QKeySequence::Find, QStringLiteral("Find candidates by id, edit or verdict"));
  connect(find, &QAction::triggered, this, [this] {
    search_->setFocus();
    search_->selectAll();
  });
}

void SearchTreeDock::build_pages() {
  list_ = new TableView(QStringLiteral("candidates"), QStringLiteral("Candidates"));
  list_->setModel(filter_);
  list_->setRootIsDecorated(false);
  list_->sortByColumn(CandidatesModel::Id, Qt::AscendingOrder);
  EmptyState::watch(list_, QStringLiteral("No candidate is here, or none passes the filter."));
  pages_ = new QStackedWidget;
  pages_->addWidget(canvas_);
  pages_->addWidget(list_);
  layout()->addWidget(pages_);
  setFocusProxy(canvas_);
  canvas_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(canvas_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    if (const int node = canvas_->item_at(at); node >= 0) canvas_->select(node, false);
    show_menu(canvas_->mapToGlobal(at));
  });
  connect(list_, &TableView::row_chosen, this, [this](const QModelIndex& index) { context_.selection->set_candidate(index.data(CandidateRole).toString()); });
  connect(list_, &TableView::row_opened, this, [this] { raise_dock(this, "candidate"); });
}

void SearchTreeDock::follow_selection() {
  Selection* selection = context_.selection;
  connect(selection, &Selection::candidate_changed, this, [this](const QString& id) {
    canvas_->select(feed_->tree().find(id), true);
    if (as_list_->isChecked() && list_->currentIndex().data(CandidateRole).toString() != id) list_->select_key(id);
  });
  connect(selection, &Selection::task_changed, this, [this] {
    fill_tasks();
    show_tree(true);
  });
  connect(selection, &Selection::moment_changed, this, [this] { show_tree(false); });
  if (context_.session != nullptr) connect(context_.session, &Session::operators_changed, this, &SearchTreeDock::fill_tasks);   // their titles
}

void SearchTreeDock::start_anew() {
  freeze_->setChecked(false);
  shown_before_ = false;
  model_->start_anew();
  fill_tasks();
  canvas_->set_empty_text(context_.selection->session().isEmpty() ? nothing_yet : QStringLiteral("Reading the tree…"));
  show_tree(true);
}

void SearchTreeDock::take(const TreeData::Change& change) {
  if (as_list_->isChecked()) model_->take(change);
  if (static_cast<int>(feed_->tree().nodes().size()) > change.nodes_before) fill_tasks();
  if (frozen_at_ >= 0) {
    const int newer = static_cast<int>(feed_->tree().nodes().size()) - frozen_at_;
    return canvas_->set_badge(QStringLiteral("Frozen: %1 newer candidates").arg(newer));
  }
  show_tree(!shown_before_);
  shown_before_ = true;
  if (selected() < 0) canvas_->select(feed_->tree().find(context_.selection->candidate()), true);
}

std::optional<std::vector<char>> SearchTreeDock::evaluated_by_then() const {
  if (!context_.selection->moment() || context_.session == nullptr) return {};
  std::vector<char> out(feed_->tree().nodes().size(), 0);
  const auto& steps = context_.session->steps();
  for (std::size_t i = 0; i < context_.session->steps_shown(); ++i)
    if (const int node = feed_->tree().find(steps[i].candidate); node >= 0) out[static_cast<std::size_t>(node)] = 1;
  return out;
}

void SearchTreeDock::show_tree(bool anew) {
  if (frozen_at_ >= 0) return;
  TreeShown shown{context_.selection->task(), verdicts_->chosen(), search_->text().trimmed(), evaluated_by_then()};
  verdicts_->set_counts(count_by_style(feed_->tree(), shown.task));
  TreeItems items = tree_items(feed_->tree(), shown);
  int found = 0;
  if (!shown.search.isEmpty())
    for (const TreeItem& item : items.items) found += item.has(TreeItem::matched) && !item.has(TreeItem::hidden) ? 1 : 0;
  found_->setText(shown.search.isEmpty() ? QString() : QStringLiteral("%L1 found").arg(found));
  if (as_list_->isChecked()) filter_->set_shown(rows_shown(items));
  if (!items.items.empty()) canvas_->set_empty_text(shown.evaluated ? QStringLiteral("Nothing of this task had been evaluated by then.") : nothing_passes);
  else if (feed_->complete()) canvas_->set_empty_text(QStringLiteral("This session has no candidates yet. Press Optimize to start a search."));
  const int kept = canvas_->selected();
  canvas_->set_tree(std::move(items), anew);
  if (anew && kept >= 0) canvas_->select(feed_->tree().find(context_.selection->candidate()), true);
  canvas_->set_badge(shown.evaluated ? QStringLiteral("Replay: as it was after %1 evaluations").arg(context_.session->steps_shown()) : QString());
  enable_actions();
}

// Nobody keeps rows for a list that is not seen.
void SearchTreeDock::show_list(bool on) {
  pages_->setCurrentIndex(on ? 1 : 0);
  if (!on) return;
  model_->start_anew();
  filter_->set_shown(rows_shown(canvas_->tree()));
  if (selected() >= 0) list_->select_key(feed_->tree().id(selected()));
}

void SearchTreeDock::fill_tasks() {
  tasks_->clear();
  tasks_->addItem(QStringLiteral("All tasks"), QString());
  for (const QString& task : feed_->tree().tasks()) {
    const QString title = context_.session != nullptr ? context_.session->task_title(task) : QString();
    tasks_->addItem(title.isEmpty() || title == task ? task : task + QStringLiteral("  ·  ") + title, task);
  }
  tasks_->setCurrentIndex(std::max(0, tasks_->findData(context_.selection->task())));
}

void SearchTreeDock::choose(int node) {
  if (node >= 0) context_.selection->set_candidate(feed_->tree().id(node));
  enable_actions();
}

void SearchTreeDock::find_next(bool forward) {
  const auto& items = canvas_->tree().items;
  const int count = static_cast<int>(items.size());
  for (int step = 1; step <= count; ++step) {
    const int node = ((std::max(0, selected()) + (forward ? step : -step)) % count + count) % count;
    const TreeItem& item = items[static_cast<std::size_t>(node)];
    if (item.has(TreeItem::matched) && !item.has(TreeItem::hidden)) return canvas_->select(node, true);
  }
}

void SearchTreeDock::enable_actions() {
  const bool any = selected() >= 0;
  const bool steerable = any && context_.session != nullptr && !context_.session->read_only() && !context_.selection->moment();
  for (QAction* action : {pin_, ban_, expand_}) action->setEnabled(steerable);
  for (QAction* action : {fold_, compare_}) action->setEnabled(any);
  pin_->setChecked(any && feed_->tree().node(selected()).pinned);
  ban_->setChecked(any && feed_->tree().node(selected()).banned);
}

void SearchTreeDock::steer(const char* action) {
  if (selected() < 0) return;
  context_.engine->call(QStringLiteral("run/steer"),
                        {{"session", context_.selection->session().toStdString()}, {"action", action}, {"candidate", feed_->tree().id(selected()).toStdString()}}, this,
                        [](const json&) {});
}

void SearchTreeDock::save_picture_as() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save picture"), folder + QStringLiteral("/search-tree.png"), QStringLiteral("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  if (const QString problem = canvas_->save(path); !problem.isEmpty()) Q_EMIT context_.engine->complained(problem);
}

void SearchTreeDock::show_menu(const QPoint& at) {
  QMenu menu(this);
  if (selected() >= 0) {
    menu.addSection(feed_->tree().id(selected()));
    menu.addActions({pin_, ban_, expand_});
    menu.addSeparator();
    menu.addActions({fold_, compare_});
    connect(menu.addAction(QStringLiteral("Copy id")), &QAction::triggered, this, [this] { QApplication::clipboard()->setText(feed_->tree().id(selected())); });
    menu.addSeparator();
  }
  menu.addActions({fit_, best_, fold_all_, unfold_all_, freeze_, save_});
  menu.exec(at);
}

}  // namespace

QWidget* make_search_tree_dock(const DockContext& context, QWidget* parent) { return new SearchTreeDock(context, parent); }

}  // namespace kw::ui
