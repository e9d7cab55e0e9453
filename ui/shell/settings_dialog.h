#pragma once
// Edits the settings: engine, look, reviewer.

#include <QDialog>

#include "ui/shell/settings.h"

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace kw::ui {

class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  SettingsDialog(const Settings& settings, QWidget* parent);
  Settings settings() const;

 private:
  QLineEdit *prefix_, *program_, *reviewer_;
  QComboBox* theme_;
  QSpinBox* text_percent_;
};

}  // namespace kw::ui
