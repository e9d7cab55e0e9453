#pragma once
// A candidate's measurements: figures, and the distribution of the samples of candidate and baseline from the same rounds.

#include <QComboBox>
#include <QTextBrowser>

#include "ui/models/records.h"
#include "ui/widgets/chart.h"

namespace kw::ui {

class MeasurementsTab : public QWidget {
  Q_OBJECT

 public:
  explicit MeasurementsTab(QWidget* parent);
  void show_candidate(const json& candidate);

 private:
  void show_measurement(const json& measurement);
  void add_bars(const QString& name, Tone colour, const std::vector<double>& samples, double low, double width, std::size_t bins);

  QComboBox* which_;
  QTextBrowser* figures_;
  Chart* chart_;
  json candidate_;
};

}  // namespace kw::ui
