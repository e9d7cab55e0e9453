#pragma once
// The toolbar's icons: outlines in the text's colour, drawn at any size.

#include <QIcon>

namespace kw::ui {

QIcon icon(const char* name);                   // in the current theme's colours; an empty icon for an unknown name

}  // namespace kw::ui
