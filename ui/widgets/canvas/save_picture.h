#pragma once
// Saves what a widget shows, as PNG (at twice its size) or, where the path ends in .svg, as SVG.

#include <functional>

#include <QPainter>
#include <QWidget>

namespace kw::ui {

// `vector`: no pictures, text as text. "" or what went wrong.
QString save_picture(const QWidget& widget, const QString& path, const std::function<void(QPainter& painter, bool vector)>& paint);

}  // namespace kw::ui
