#pragma once
// What a reviewer should have seen before a candidate ships, read from its evidence. Pure.

#include <vector>

#include "ui/models/records.h"

namespace kw::ui {

struct Check {
  QString question, answer;
  bool passed = false;
};

// `here`: the device that this engine runs on; "": not known.
std::vector<Check> checklist(const json& candidate, const QString& here);

}  // namespace kw::ui
