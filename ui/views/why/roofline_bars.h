#pragma once
// Baseline, one candidate and another as bars of time, against the floor that the roofline allows.

#include "ui/models/records.h"
#include "ui/widgets/chart.h"

namespace kw::ui {

class RooflineBars : public Chart {
  Q_OBJECT

 public:
  RooflineBars();
  void show_pair(const json& before, const json& after);   // records `Candidate`; without measurements nothing is drawn
};

}  // namespace kw::ui
