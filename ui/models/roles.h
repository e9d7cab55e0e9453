#pragma once
// What cells tell beside their text; the same in all models.

#include <QtCore/qnamespace.h>

namespace kw::ui {

enum Role {
  SortRole = Qt::UserRole,
  StatusRole,                                   // a verdict, an outcome or a state: drawn with its glyph and colour
  CandidateRole,                                // id; "" where a row stands for none
  TaskRole,
  KeyRole,                                      // what a row is known by when the model is filled again
};

}  // namespace kw::ui
