#include "ui/views/log/log_dock.h"

#include <QComboBox>
#include <QPushButton>
#include <QScrollBar>

#include "ui/models/log_model.h"
#include "ui/models/session.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

namespace {

QComboBox* level_choice(LogFilter* filter) {
  auto* choice = new QComboBox;
  choice->setAccessibleName(QStringLiteral("Least level"));
  for (const char* level : {"debug", "info", "warning", "error"}) choice->addItem(QStringLiteral("%1 and above").arg(QLatin1String(level)), QString::fromLatin1(level));
  choice->setCurrentIndex(1);
  QObject::connect(choice, &QComboBox::currentIndexChanged, filter, [choice, filter] { filter->set_least_level(choice->currentData().toString()); });
  return choice;
}

QComboBox* part_choice(LogModel* log, LogFilter* filter) {
  auto* choice = new QComboBox;
  choice->setAccessibleName(QStringLiteral("Part"));
  choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  choice->addItem(QStringLiteral("all parts"), QString());
  for (const QString& part : log->parts()) choice->addItem(part, part);
  QObject::connect(log, &LogModel::part_added, choice, [choice](const QString& part) { choice->addItem(part, part); });
  QObject::connect(choice, &QComboBox::currentIndexChanged, filter, [choice, filter] { filter->set_part(choice->currentData().toString()); });
  return choice;
}

// New lines scroll into view as long as the user looks at the newest.
void follow(TableView* table) {
  auto* at_end = new bool(true);
  QObject::connect(table, &QObject::destroyed, [at_end] { delete at_end; });
  QObject::connect(table->model(), &QAbstractItemModel::rowsAboutToBeInserted, table,
                   [table, at_end] { *at_end = table->verticalScrollBar()->value() == table->verticalScrollBar()->maximum(); });
  QObject::connect(table->model(), &QAbstractItemModel::rowsInserted, table, [table, at_end] {
    if (*at_end) QMetaObject::invokeMethod(table, &QAbstractItemView::scrollToBottom, Qt::QueuedConnection);
  });
}

}  // namespace

QWidget* make_log_dock(const DockContext& context, QWidget* parent) {
  auto* dock = new QWidget(parent);
  LogModel* log = context.session->log();
  auto* filter = new LogFilter(dock);
  filter->setSourceModel(log);
  auto* table = new TableView(QStringLiteral("log"), QStringLiteral("Log"), dock);
  table->setRootIsDecorated(false);
  table->setModel(filter);
  follow(table);
  EmptyState::watch(table, QStringLiteral("Messages of the engine and its workers will be listed here."));
  auto* words = filter_edit(QStringLiteral("messages"));
  auto* clear = new QPushButton(QStringLiteral("Clear"));
  auto* column = dock_column(dock);
  QHBoxLayout* bar = add_bar(column);
  bar->addWidget(words, 1);
  bar->addWidget(level_choice(filter));
  bar->addWidget(part_choice(log, filter));
  bar->addWidget(clear);
  column->addWidget(table, 1);
  QObject::connect(words, &QLineEdit::textChanged, filter, &LogFilter::set_text);
  QObject::connect(clear, &QPushButton::clicked, log, &LogModel::clear);
  return dock;
}

}  // namespace kw::ui
