#pragma once
// The options of a search or a profile, as `kernelwright optimize` has them.

#include <QDialog>

#include "ui/models/records.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSpinBox;

namespace kw::ui {

class OptimizeDialog : public QDialog {
  Q_OBJECT

 public:
  // `known`: the options that an open session already has (path, target, …).
  OptimizeDialog(const json& known, QWidget* parent);
  json options() const;                         // RunOptions; what was left alone is absent
  bool profile_only() const { return profile_only_; }

 private:
  QLineEdit* line(const char* key, const QString& placeholder);
  json known_;
  QHash<QString, QLineEdit*> lines_;
  QComboBox *target_, *policy_;
  QSpinBox *threads_, *evaluations_, *minutes_, *tasks_, *seed_;
  bool profile_only_ = false;
};

}  // namespace kw::ui
