#pragma once
// A card over a canvas, beside the pointer and inside the canvas. It takes no clicks.

#include <QWidget>

#include "ui/widgets/canvas/card.h"

namespace kw::ui {

class HoverCard : public QWidget {
  Q_OBJECT

 public:
  explicit HoverCard(QWidget* canvas);
  void show_at(const Card& card, QPoint pointer);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QSize measure();
  Card card_;
  int name_width_ = 0;
};

}  // namespace kw::ui
