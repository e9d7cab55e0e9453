#include "ui/views/timeline/timeline_dock.h"

#include <QAction>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStandardPaths>
#include <QToolButton>

#include "ui/bridge/selection.h"
#include "ui/views/timeline/range_model.h"
#include "ui/views/timeline/timeline_feed.h"
#include "ui/views/timeline/trace_loader.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {
namespace {

const QString nothing_yet = QStringLiteral("Timelines are recorded when a model is profiled and when a winner is measured afresh. Open a session, or open a trace file of PyTorch's profiler (Chrome trace, JSON).");

class TimelineDock : public QWidget {
 public:
  TimelineDock(const DockContext& context, QWidget* parent);

 private:
  void build();
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void ask_for_list();
  void fill_list(std::vector<TimelineInfo> timelines);
  void show_entry(int index);
  void show_candidate(const QString& id);
  void open_trace();
  void load(const QString& path);
  void show_trace(const TraceFile& file);
  void show_sums();
  void save_picture_as();
  void say(const QString& text) {
    note_->setText(text);
    note_->setVisible(!text.isEmpty());
  }

  DockContext context_;
  TimelineCanvas* canvas_ = new TimelineCanvas;
  TimelineFeed* feed_;
  TraceLoader* loader_;
  RangeModel* range_model_;
  TableView* sums_ = nullptr;
  QComboBox* which_ = nullptr;
  QLineEdit* search_ = nullptr;
  QLabel *found_ = nullptr, *note_ = nullptr;
  QWidget* loading_ = nullptr;
  QProgressBar* progress_ = nullptr;
  std::vector<TimelineInfo> timelines_;
  TimelineCanvas::Data trace_;
  QString trace_path_, shown_;                 // shown_: a timeline's name, or "file"
};

TimelineDock::TimelineDock(const DockContext& context, QWidget* parent)
    : QWidget(parent), context_(context), feed_(new TimelineFeed(context, canvas_, this)), loader_(new TraceLoader(this)), range_model_(new RangeModel(this)) {
  canvas_->set_empty_text(nothing_yet);
  setAcceptDrops(true);
  build();
  connect(context.selection, &Selection::session_changed, this, [this] {
    feed_->stop();
    timelines_.clear();
    shown_ = trace_ ? shown_ : QString();
    if (shown_ != "file") canvas_->set_data(std::make_shared<const TimelineData>());
    ask_for_list();
  });
  connect(context.selection, &Selection::candidate_changed, this, &TimelineDock::show_candidate);
  connect(context.engine, &Engine::notified, this, [this](const QString& method, const json&) {
    if (method == "run/state") ask_for_list();
  });
  connect(feed_, &TimelineFeed::failed, this, [this](const QString& message) { say(message); });
  connect(loader_, &TraceLoader::progressed, this, [this](double share) { progress_->setValue(static_cast<int>(share * 100)); });
  connect(loader_, &TraceLoader::done, this, &TimelineDock::show_trace);
  connect(canvas_, &TimelineCanvas::range_changed, this, &TimelineDock::show_sums);
  if (!context.selection->session().isEmpty()) ask_for_list();
}

void TimelineDock::build() {
  QVBoxLayout* column = dock_column(this);
  QHBoxLayout* bar = add_bar(column);
  which_ = new QComboBox;
  which_->setAccessibleName(QStringLiteral("Timeline"));
  which_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  which_->setMinimumContentsLength(14);
  bar->addWidget(which_, 2);
  search_ = new QLineEdit;
  search_->setPlaceholderText(QStringLiteral("Find events"));
  search_->setAccessibleName(QStringLiteral("Find events by name"));
  search_->setClearButtonEnabled(true);
  bar->addWidget(search_, 1);
  found_ = new QLabel;
  bar->addWidget(found_);
  QAction* fit = add_dock_action(this, QStringLiteral("Fit"), {}, QStringLiteral("Show the whole timeline: F on the canvas"));
  QAction* zoom = add_dock_action(this, QStringLiteral("Zoom to selection"), {}, QStringLiteral("The range or event that is selected: Enter on the canvas"));
  QAction* clear = add_dock_action(this, QStringLiteral("Clear range"), {}, QStringLiteral("Escape on the canvas"));
  QAction* open = add_dock_action(this, QStringLiteral("Open trace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), QStringLiteral("A Chrome-trace JSON file, as PyTorch's profiler writes it"));
  QAction* save = add_dock_action(this, QStringLiteral("Save picture…"), {}, QStringLiteral("What is seen of the timeline, as PNG or SVG"));
  QAction* find = add_dock_action(this, QStringLiteral("Find events"), QKeySequence::Find, QStringLiteral("By name"));
  QAction* next = add_dock_action(this, QStringLiteral("Next found event"), QKeySequence(Qt::Key_F3), QStringLiteral("By time"));
  QAction* previous = add_dock_action(this, QStringLiteral("Previous found event"), QKeySequence(Qt::SHIFT | Qt::Key_F3), QStringLiteral("By time"));
  for (QAction* action : {fit, zoom, open}) add_button(bar, action);

  note_ = new QLabel;
  note_->setWordWrap(true);
  note_->setMargin(6);
  note_->hide();
  column->addWidget(note_);
  loading_ = new QWidget;
  auto* row = new QHBoxLayout(loading_);
  row->setContentsMargins(6, 2, 6, 4);
  progress_ = new QProgressBar;
  auto* cancel = new QPushButton(QStringLiteral("Cancel"));
  row->addWidget(progress_, 1);
  row->addWidget(cancel);
  loading_->hide();
  column->addWidget(loading_);

  sums_ = new TableView(QStringLiteral("timeline-range"), QStringLiteral("Sums over the selected range"));
  sums_->setModel(range_model_);
  sums_->setRootIsDecorated(false);
  sums_->hide();
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(canvas_);
  splitter->addWidget(sums_);
  splitter->setChildrenCollapsible(false);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 1);
  column->addWidget(splitter, 1);
  setFocusProxy(canvas_);

  connect(which_, &QComboBox::activated, this, &TimelineDock::show_entry);
  connect(fit, &QAction::triggered, canvas_, &TimelineCanvas::fit);
  connect(zoom, &QAction::triggered, canvas_, &TimelineCanvas::zoom_to_selection);
  connect(clear, &QAction::triggered, canvas_, &TimelineCanvas::clear_range);
  connect(open, &QAction::triggered, this, &TimelineDock::open_trace);
  connect(save, &QAction::triggered, this, &TimelineDock::save_picture_as);
  connect(find, &QAction::triggered, search_, [this] { search_->setFocus(); });
  connect(next, &QAction::triggered, canvas_, [this] { canvas_->select_match(true); });
  connect(previous, &QAction::triggered, canvas_, [this] { canvas_->select_match(false); });
  connect(cancel, &QPushButton::clicked, this, [this] {
    loader_->cancel();
    loading_->hide();
  });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
    const int names = canvas_->search(words.trimmed());
    found_->setText(words.trimmed().isEmpty() ? QString() : names == 1 ? QStringLiteral("1 name") : QStringLiteral("%1 names").arg(names));
  });
  connect(search_, &QLineEdit::returnPressed, this, [this] { canvas_->select_match(true); });
  canvas_->setContextMenuPolicy(Qt::ActionsContextMenu);
  canvas_->addActions({fit, zoom, clear, open, save});
}

void TimelineDock::ask_for_list() {
  const QString session = context_.selection->session();
  if (session.isEmpty()) return fill_list({});
  context_.engine->call(
      QStringLiteral("session/timelines"), {{"session", session.toStdString()}}, this,
      [this, session](const json& answer) {
        if (session == context_.selection->session()) fill_list(timelines_of(answer));
      },
      [this](const EngineError& error) { say(error.message); });
}

void TimelineDock::fill_list(std::vector<TimelineInfo> timelines) {
  timelines_ = std::move(timelines);
  which_->clear();
  for (const TimelineInfo& t : timelines_) which_->addItem(QStringLiteral("%1  ·  %L2 events").arg(t.title).arg(t.events), t.name);
  if (trace_) which_->addItem(QStringLiteral("%1  ·  %L2 events").arg(QFileInfo(trace_path_).fileName()).arg(trace_->events()), QStringLiteral("file"));
  const int kept = which_->findData(shown_);
  if (kept >= 0) return which_->setCurrentIndex(kept);
  if (which_->count() > 0) show_entry(0);
  else canvas_->set_empty_text(context_.selection->session().isEmpty() ? nothing_yet : QStringLiteral("This session holds no timeline yet: they are recorded when the model is profiled and when a winner is measured afresh."));
}

void TimelineDock::show_entry(int index) {
  which_->setCurrentIndex(index);
  shown_ = which_->itemData(index).toString();
  say({});
  if (shown_ == "file") {
    feed_->stop();
    return canvas_->set_data(trace_);
  }
  for (const TimelineInfo& t : timelines_)
    if (t.name == shown_) return feed_->show(t);
}

// Where the chosen candidate has a timeline and another one's is shown, they change places.
void TimelineDock::show_candidate(const QString& id) {
  const int index = which_->findData(QStringLiteral("candidate:") + id);
  if (index >= 0 && shown_.startsWith("candidate:")) show_entry(index);
}

void TimelineDock::open_trace() {
  const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Open trace"), {}, QStringLiteral("Chrome traces (*.json *.trace);;All files (*)"));
  if (!path.isEmpty()) load(path);
}

void TimelineDock::load(const QString& path) {
  trace_path_ = path;
  progress_->setRange(0, 100);
  progress_->setValue(0);
  progress_->setFormat(QStringLiteral("%1: %p %").arg(QFileInfo(path).fileName()));
  say({});
  loading_->show();
  loader_->start(path);
}

void TimelineDock::show_trace(const TraceFile& file) {
  loading_->hide();
  say(file.problem);
  if (!file.data) return;
  trace_ = file.data;
  fill_list(std::move(timelines_));
  show_entry(which_->findData(QStringLiteral("file")));
  say(file.problem);
}

void TimelineDock::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.front().toLocalFile().endsWith(".json", Qt::CaseInsensitive)) event->acceptProposedAction();
}

void TimelineDock::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  load(event->mimeData()->urls().front().toLocalFile());
}

void TimelineDock::show_sums() {
  const auto range = canvas_->selected_range();
  sums_->setVisible(range.has_value());
  if (!range) return range_model_->clear();
  range_model_->show(canvas_->data(), *range);
  sums_->sortByColumn(RangeModel::Total, Qt::DescendingOrder);
}

void TimelineDock::save_picture_as() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save picture"), folder + QStringLiteral("/timeline.png"), QStringLiteral("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  if (const QString problem = canvas_->save(path); !problem.isEmpty()) say(problem);
}

}  // namespace

QWidget* make_timeline_dock(const DockContext& context, QWidget* parent) { return new TimelineDock(context, parent); }

}  // namespace kw::ui
