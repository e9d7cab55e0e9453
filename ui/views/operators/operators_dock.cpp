#include "ui/views/operators/operators_dock.h"

#include <QLabel>
#include <QSortFilterProxyModel>

#include "ui/bridge/selection.h"
#include "ui/models/operators_model.h"
#include "ui/models/quantities.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/views/operators/python_source.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

namespace {

QString totals(const Session& session) {
  if (session.operators().empty()) return {};
  QStringList parts;
  if (session.model_us()) parts << QStringLiteral("Model %1").arg(time_text(session.model_us()));
  double covered = 0;
  for (const Operator& op : session.operators())
    if (!op.task.isEmpty()) covered += op.share;
  parts << QStringLiteral("%1 operators").arg(session.operators().size()) << QStringLiteral("tasks cover %1").arg(share_text(covered));
  if (session.predicted_speedup()) parts << QStringLiteral("predicted end-to-end gain %1").arg(speedup_text(session.predicted_speedup()));
  return parts.join(QStringLiteral("  ·  "));
}

class OperatorsDock : public QWidget {
 public:
  OperatorsDock(const DockContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    auto* model = new OperatorsModel(context.session, this);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* table = new TableView(QStringLiteral("operators"), QStringLiteral("Operators"), this);
    table->setRootIsDecorated(false);
    table->setSortingEnabled(true);
    table->setModel(proxy);
    table->sortByColumn(OperatorsModel::Share, Qt::DescendingOrder);
    EmptyState::watch(table, QStringLiteral("The operators of a model will be listed here, those that cost most first. Open a session or a model with Ctrl+O."));
    auto* filter = filter_edit(QStringLiteral("operators"));
    auto* sums = new QLabel;
    sums->setForegroundRole(QPalette::PlaceholderText);
    auto* column = dock_column(this);
    QHBoxLayout* bar = add_bar(column);
    bar->addWidget(filter, 1);
    column->addWidget(table, 1);
    bar = add_bar(column);
    bar->addWidget(sums);

    connect(filter, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(context.session, &Session::operators_changed, sums, [sums, session = context.session] { sums->setText(totals(*session)); });
    connect(table, &TableView::row_chosen, this, [this](const QModelIndex& index) { choose(index); });
    connect(table, &TableView::row_opened, this, [this, proxy, model](const QModelIndex& index) {
      show_python_source(context_.engine, model->row(proxy->mapToSource(index).row()).source, this);
    });
    sums->setText(totals(*context.session));
  }

 private:
  void choose(const QModelIndex& index) {
    context_.selection->set_task(index.data(TaskRole).toString());
    if (const QString best = index.data(CandidateRole).toString(); !best.isEmpty()) context_.selection->set_candidate(best);
  }

  DockContext context_;
};

}  // namespace

QWidget* make_operators_dock(const DockContext& context, QWidget* parent) { return new OperatorsDock(context, parent); }

}  // namespace kw::ui
