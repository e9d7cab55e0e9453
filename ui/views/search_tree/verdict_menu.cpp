#include "ui/views/search_tree/verdict_menu.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/widgets/palette.h"
#include "ui/widgets/tree/node_sprites.h"

namespace kw::ui {
namespace {

QIcon icon_of(std::uint8_t row, const CanvasColors& colors) {
  QPixmap picture(40, 40);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  TreeItem item;
  item.style = row;
  paint_node(painter, QPointF(10, 10), 8, item, colors);
  return QIcon(picture);
}

bool every_one(std::uint8_t) { return true; }
bool right_ones(std::uint8_t row) { return verdict_style(row).shape == NodeShape::disc; }
bool failed_ones(std::uint8_t row) { return verdict_style(row).shape == NodeShape::square; }

}  // namespace

VerdictMenu::VerdictMenu(QWidget* parent) : QMenu(parent) {
  setToolTipsVisible(true);
  connect(addAction(QStringLiteral("All")), &QAction::triggered, this, [this] { tick(every_one); });
  connect(addAction(QStringLiteral("Only right ones")), &QAction::triggered, this, [this] { tick(right_ones); });
  connect(addAction(QStringLiteral("Only failures")), &QAction::triggered, this, [this] { tick(failed_ones); });
  addSeparator();
  for (const VerdictStyle& style : verdict_styles()) {
    QAction* action = addAction(QString::fromUtf8(style.name));
    action->setToolTip(QString::fromUtf8(style.meaning));
    action->setCheckable(true);
    action->setChecked(true);
    connect(action, &QAction::triggered, this, &VerdictMenu::changed);
    rows_.push_back(action);
  }
  draw_icons();
}

void VerdictMenu::draw_icons() {
  const CanvasColors colors = canvas_colors(palette());
  for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row]->setIcon(icon_of(static_cast<std::uint8_t>(row), colors));
}

void VerdictMenu::tick(bool (*wanted)(std::uint8_t row)) {
  for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row]->setChecked(wanted(static_cast<std::uint8_t>(row)));
  Q_EMIT changed();
}

std::set<std::uint8_t> VerdictMenu::chosen() const {
  std::set<std::uint8_t> out;
  for (std::size_t row = 0; row < rows_.size(); ++row)
    if (rows_[row]->isChecked()) out.insert(static_cast<std::uint8_t>(row));
  return out.size() == rows_.size() ? std::set<std::uint8_t>() : out;
}

void VerdictMenu::set_counts(const std::vector<int>& counts) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const int count = row < counts.size() ? counts[row] : 0;
    rows_[row]->setText(QStringLiteral("%1\t%L2").arg(QString::fromUtf8(verdict_styles()[row].name)).arg(count));
    rows_[row]->setVisible(count > 0 || !rows_[row]->isChecked());
  }
}

void VerdictMenu::mouseReleaseEvent(QMouseEvent* event) {
  QAction* action = actionAt(event->pos());
  if (action != nullptr && action->isCheckable()) return action->trigger();
  QMenu::mouseReleaseEvent(event);
}

void VerdictMenu::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) draw_icons();
  QMenu::changeEvent(event);
}

}  // namespace kw::ui
