#include "ui/widgets/canvas/hover_card.h"

#include <algorithm>

#include <QPainter>

#include "ui/widgets/palette.h"

namespace kw::ui {
namespace {

constexpr int padding = 10, gap = 12, widest = 460;

QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

}  // namespace

HoverCard::HoverCard(QWidget* canvas) : QWidget(canvas) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

void HoverCard::show_at(const Card& card, QPoint pointer) {
  if (card.title.isEmpty()) return hide();
  if (!(card == card_)) {
    card_ = card;
    update();
  }
  resize(measure());
  const QRect space = parentWidget()->rect().adjusted(4, 4, -4, -4);
  QPoint corner = pointer + QPoint(18, 18);
  if (corner.x() + width() > space.right()) corner.setX(pointer.x() - 18 - width());
  if (corner.y() + height() > space.bottom()) corner.setY(pointer.y() - 18 - height());
  move(std::max(space.left(), corner.x()), std::max(space.top(), corner.y()));
  show();
}

QSize HoverCard::measure() {
  const QFontMetrics title(bold(font())), text(font());
  int names = 0, values = 0;
  for (const auto& [name, value] : card_.lines) {
    names = std::max(names, text.horizontalAdvance(name));
    values = std::max(values, text.horizontalAdvance(value));
  }
  name_width_ = names;
  const int lines = static_cast<int>(card_.lines.size());
  const int width = std::max(title.horizontalAdvance(card_.title), names + gap + values) + 2 * padding + 2;
  return {std::min(width, widest), title.height() + 4 + lines * (text.height() + 2) + 2 * padding};
}

void HoverCard::paintEvent(QPaintEvent*) {
  const CanvasColors colors = canvas_colors(palette());
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(colors.card_border);
  p.setBrush(colors.card);
  p.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
  const QFontMetrics title(bold(font())), text(font());
  int y = padding + title.ascent();
  p.setPen(colors.text);
  p.setFont(bold(font()));
  p.drawText(padding, y, title.elidedText(card_.title, Qt::ElideMiddle, width() - 2 * padding));
  y += title.descent() + 4;
  p.setFont(font());
  for (const auto& [name, value] : card_.lines) {
    y += text.ascent() + 2;
    p.setPen(colors.faint_text);
    p.drawText(padding, y, name);
    p.setPen(colors.text);
    p.drawText(padding + name_width_ + gap, y, text.elidedText(value, Qt::ElideRight, width() - 2 * padding - name_width_ - gap));
    y += text.descent();
  }
}

}  // namespace kw::ui
