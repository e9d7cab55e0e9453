#pragma once
// What is shown of a thing under the pointer: a title and lines of name and value.

#include <utility>
#include <vector>

#include <QString>

namespace kw::ui {

struct Card {
  QString title;
  std::vector<std::pair<QString, QString>> lines;
  bool operator==(const Card&) const = default;
};

}  // namespace kw::ui
