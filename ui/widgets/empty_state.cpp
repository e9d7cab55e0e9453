#include "ui/widgets/empty_state.h"

#include <QAbstractItemView>
#include <QEvent>

namespace kw::ui {

EmptyState::EmptyState(const QString& sentence, QWidget* over) : QLabel(sentence, over) {
  setWordWrap(true);
  setAlignment(Qt::AlignCenter);
  setForegroundRole(QPalette::PlaceholderText);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setMargin(fontMetrics().height());
  over->installEventFilter(this);
  resize(over->size());
}

EmptyState* EmptyState::watch(QAbstractItemView* view, const QString& sentence) {
  auto* state = new EmptyState(sentence, view->viewport());
  const auto update = [state, view] { state->setVisible(view->model()->rowCount() == 0); };
  connect(view->model(), &QAbstractItemModel::modelReset, state, update);
  connect(view->model(), &QAbstractItemModel::rowsInserted, state, update);
  connect(view->model(), &QAbstractItemModel::rowsRemoved, state, update);
  update();
  return state;
}

bool EmptyState::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) resize(static_cast<QWidget*>(watched)->size());
  return QLabel::eventFilter(watched, event);
}

}  // namespace kw::ui
