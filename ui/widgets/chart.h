#pragma once
// A QCustomPlot in the application's colours, with a legend, zoom by wheel and drag, and saving as SVG or PNG. Colours are set again when
// the theme changes: whoever adds graphs listens to themed() and sets theirs.

#include <qcustomplot.h>

#include "ui/shell/theme.h"

namespace kw::ui {

class Chart : public QCustomPlot {
  Q_OBJECT

 public:
  Chart(const QString& title, const QString& x, const QString& y, QWidget* parent = nullptr);

  void use_log(QCPAxis* axis);
  QCPGraph* add_line(const QString& name, Tone colour, bool steps = false);
  QCPGraph* add_points(const QString& name, Tone colour, QCPScatterStyle::ScatterShape shape);
  void show_axes(bool shown);                   // a chart without data shows none
  void show_all();                              // both axes over all data, and draw
  bool save(const QString& path);               // by its ending: .svg or .png
  static Tone series_tone(qsizetype index);

 signals:
  void themed();

 protected:
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void take_colours();
  void ask_and_save();

  QString title_;
  QHash<QCPGraph*, Tone> tones_;
};

}  // namespace kw::ui
