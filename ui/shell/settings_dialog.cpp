#include "ui/shell/settings_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

namespace kw::ui {

namespace {

constexpr int width_characters = 100;

}  // namespace

SettingsDialog::SettingsDialog(const Settings& settings, QWidget* parent)
    : QDialog(parent), prefix_(new QLineEdit(settings.launch_prefix)), program_(new QLineEdit(settings.engine_program)),
      reviewer_(new QLineEdit(settings.reviewer)), theme_(new QComboBox), text_percent_(new QSpinBox) {
  setWindowTitle(QStringLiteral("Settings"));
  prefix_->setPlaceholderText(QStringLiteral("this machine; or: ssh gpu-box · docker exec -i NAME · srun --pty=no …"));
  program_->setPlaceholderText(QStringLiteral("kernelwright"));
  theme_->addItems({QStringLiteral("Follow the system"), QStringLiteral("Light"), QStringLiteral("Dark")});
  theme_->setCurrentIndex(static_cast<int>(settings.theme));
  text_percent_->setRange(70, 250);
  text_percent_->setSingleStep(10);
  text_percent_->setSuffix(QStringLiteral(" %"));
  text_percent_->setValue(settings.text_percent);

  auto* engine = new QGroupBox(QStringLiteral("Engine"));
  auto* engine_form = new QFormLayout(engine);
  engine_form->addRow(QStringLiteral("&Launch prefix"), prefix_);
  engine_form->addRow(QStringLiteral("&Program"), program_);
  auto* hint = new QLabel(QStringLiteral("What stands before `kernelwright serve`. The engine, its files and the search are then there; only this window is here."));
  hint->setWordWrap(true);
  hint->setForegroundRole(QPalette::PlaceholderText);
  engine_form->addRow(hint);
  auto* look = new QGroupBox(QStringLiteral("Look"));
  auto* look_form = new QFormLayout(look);
  look_form->addRow(QStringLiteral("&Theme"), theme_);
  look_form->addRow(QStringLiteral("Text &size"), text_percent_);
  auto* review = new QGroupBox(QStringLiteral("Review"));
  auto* review_form = new QFormLayout(review);
  review_form->addRow(QStringLiteral("&Reviewer"), reviewer_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  auto* column = new QVBoxLayout(this);
  for (QWidget* group : {engine, look, review}) column->addWidget(group);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resize(fontMetrics().averageCharWidth() * width_characters, sizeHint().height());
}

Settings SettingsDialog::settings() const {
  return {prefix_->text().trimmed(), program_->text().trimmed(), static_cast<ThemeChoice>(theme_->currentIndex()), text_percent_->value(),
          reviewer_->text().trimmed()};
}

}  // namespace kw::ui
