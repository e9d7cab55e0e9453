#include "ui/widgets/canvas/save_picture.h"

#include <QCoreApplication>
#include <QSvgGenerator>

namespace kw::ui {
namespace {

QString cannot_write(const QString& path) {
  return QCoreApplication::translate("save_picture", "Cannot write %1. Choose a folder that you may write to and that is not full.").arg(path);
}

}  // namespace

QString save_picture(const QWidget& widget, const QString& path, const std::function<void(QPainter& painter, bool vector)>& paint) {
  if (path.endsWith(".svg", Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setFileName(path);
    svg.setSize(widget.size());
    svg.setViewBox(widget.rect());
    svg.setTitle(widget.accessibleName());
    QPainter painter;
    if (!painter.begin(&svg)) return cannot_write(path);
    painter.setFont(widget.font());
    paint(painter, true);
    return painter.end() ? QString() : cannot_write(path);
  }
  QPixmap picture(widget.size() * 2);
  picture.setDevicePixelRatio(2);
  QPainter painter(&picture);
  painter.setFont(widget.font());
  paint(painter, false);
  painter.end();
  return picture.save(path, "PNG") ? QString() : cannot_write(path);
}

}  // namespace kw::ui
