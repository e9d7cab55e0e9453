#include "ui/shell/jobs_dock.h"

#include <QPushButton>

#include "ui/models/jobs_model.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

QWidget* make_jobs_dock(const DockContext& context, QWidget* parent) {
  auto* dock = new QWidget(parent);
  JobsModel* jobs = context.session->jobs();
  auto* table = new TableView(QStringLiteral("jobs"), QStringLiteral("Jobs"), dock);
  table->setRootIsDecorated(false);
  table->setModel(jobs);
  EmptyState::watch(table, QStringLiteral("Searches, profiles and verifications will be listed here while they run, with how far they are."));
  auto* cancel = new QPushButton(QStringLiteral("&Cancel job"));
  auto* clear = new QPushButton(QStringLiteral("Clear &finished"));
  auto* column = dock_column(dock);
  column->addWidget(table, 1);
  QHBoxLayout* bar = add_bar(column);
  bar->addStretch(1);
  bar->addWidget(clear);
  bar->addWidget(cancel);
  const auto update = [table, jobs, cancel] { cancel->setEnabled(jobs->can_cancel(table->currentIndex().data(KeyRole).toString())); };
  QObject::connect(table, &TableView::row_chosen, cancel, update);
  QObject::connect(jobs, &JobsModel::changed, cancel, update);
  QObject::connect(clear, &QPushButton::clicked, jobs, &JobsModel::clear_finished);
  QObject::connect(cancel, &QPushButton::clicked, dock, [table, jobs] { jobs->cancel(table->currentIndex().data(KeyRole).toString()); });
  update();
  return dock;
}

}  // namespace kw::ui
