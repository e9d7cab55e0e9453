#include "ui/views/failures/failures_dock.h"

#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTextBrowser>

#include "ui/bridge/selection.h"
#include "ui/models/failures_model.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/views/candidate/source_tab.h"
#include "ui/views/raise_dock.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

namespace {

const QString choose_one = QStringLiteral("<p>Choose a candidate to see why it was not accepted.</p>");

class FailuresDock : public QWidget {
 public:
  FailuresDock(const DockContext& context, QWidget* parent)
      : QWidget(parent), context_(context), evidence_(new QTextBrowser), source_(new SourceView(QStringLiteral("Source with the compiler's complaints"))) {
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(new FailuresModel(context.session, this));
    proxy->setRecursiveFilteringEnabled(true);
    proxy->setAutoAcceptChildRows(true);
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* tree = new TableView(QStringLiteral("failures"), QStringLiteral("Failures"), this);
    tree->setModel(proxy);
    EmptyState::watch(tree, QStringLiteral("Candidates that were not accepted will be listed here with the evidence. Nothing has failed so far."));
    auto* filter = filter_edit(QStringLiteral("failures"));
    show_ = new QPushButton(QStringLiteral("Show in &tree"));
    show_->setEnabled(false);
    evidence_->setAccessibleName(QStringLiteral("Evidence"));
    evidence_->document()->setDocumentMargin(fontMetrics().height() * 0.6);
    evidence_->setHtml(choose_one);
    source_->hide();

    auto* column = dock_column(this);
    QHBoxLayout* bar = add_bar(column);
    bar->addWidget(filter, 1);
    bar->addWidget(show_);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(tree);
    splitter->addWidget(evidence_);
    splitter->addWidget(source_);
    splitter->setChildrenCollapsible(false);
    column->addWidget(splitter, 1);

    connect(filter, &QLineEdit::textChanged, this, [proxy, tree](const QString& words) {
      proxy->setFilterFixedString(words);
      if (!words.isEmpty()) tree->expandAll();
    });
    connect(tree, &TableView::row_chosen, this, [this](const QModelIndex& index) { choose(index.siblingAtColumn(0)); });
    connect(tree, &TableView::row_opened, this, [this](const QModelIndex& index) {
      if (!index.siblingAtColumn(0).data(CandidateRole).toString().isEmpty()) raise_dock(this, "candidate");
    });
    connect(show_, &QPushButton::clicked, this, [this] { raise_dock(this, "search_tree"); });
    connect(context.session, &Session::opened, this, [this] { evidence_->setHtml(choose_one); });
  }

 private:
  void choose(const QModelIndex& index) {
    const QString id = index.data(CandidateRole).toString();
    const QString evaluation = index.data(KeyRole).toString();
    show_->setEnabled(!id.isEmpty());
    if (id.isEmpty()) {
      evidence_->setHtml(QStringLiteral("<p>%1</p>").arg(index.data(Qt::ToolTipRole).toString().toHtmlEscaped()));
      source_->hide();
      return;
    }
    context_.selection->set_candidate(id);
    wanted_ = evaluation;
    context_.engine->call(
        QStringLiteral("candidate/get"), {{"session", context_.selection->session().toStdString()}, {"id", id.toStdString()}}, this,
        [this, evaluation](const json& candidate) {
          if (wanted_ == evaluation) show(candidate, evaluation);
        },
        [this](const EngineError& error) { evidence_->setPlainText(error.message); });
  }

  void show(const json& candidate, const QString& evaluation) {
    for (const json& one : array(candidate, "evaluations"))
      if (text(one, "id") == evaluation) evidence_->setHtml(evidence_html(one));
    const QList<int> lines = lines_in_compiler_output(candidate);
    source_->setVisible(!lines.isEmpty());
    if (lines.isEmpty()) return;
    source_->show_text(text(candidate, "source"), language_of(candidate));
    source_->mark_lines(lines);
  }

  DockContext context_;
  QTextBrowser* evidence_;
  SourceView* source_;
  QPushButton* show_ = nullptr;
  QString wanted_;
};

}  // namespace

QWidget* make_failures_dock(const DockContext& context, QWidget* parent) { return new FailuresDock(context, parent); }

}  // namespace kw::ui
