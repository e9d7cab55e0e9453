#include "ui/shell/optimize_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace kw::ui {

namespace {

constexpr int usual_evaluations = 200, width_characters = 100;

QSpinBox* count(int most, int value, const QString& zero, const QString& suffix = {}) {
  auto* box = new QSpinBox;
  box->setRange(0, most);
  box->setValue(value);
  box->setSpecialValueText(zero);
  box->setSuffix(suffix);
  return box;
}

QComboBox* choice(const QStringList& values, const QString& value) {
  auto* box = new QComboBox;
  box->addItems(values);
  box->setCurrentText(value);
  return box;
}

int known_number(const json& known, const char* key, int otherwise) { return static_cast<int>(number(known, key).value_or(otherwise)); }

}  // namespace

OptimizeDialog::OptimizeDialog(const json& known, QWidget* parent)
    : QDialog(parent), known_(known), target_(choice({QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda")}, text(known, "target"))),
      policy_(choice({QStringLiteral("default"), QStringLiteral("none")}, QStringLiteral("default"))),
      threads_(count(1024, known_number(known, "threads", 0), QStringLiteral("all cores"))),
      evaluations_(count(1'000'000, usual_evaluations, QStringLiteral("no limit"))),
      minutes_(count(100'000, 0, QStringLiteral("no limit"), QStringLiteral(" min"))), tasks_(count(1000, 0, QStringLiteral("all"))),
      seed_(count(1'000'000'000, 1, QStringLiteral("0"))) {
  setWindowTitle(QStringLiteral("Optimize a model"));
  auto* what = new QFormLayout;
  what->addRow(QStringLiteral("&Model"), line("path", QStringLiteral("path on the engine's machine: .py, .pt2 or .pt")));
  what->addRow(QStringLiteral("&Target"), target_);
  what->addRow(QStringLiteral("T&hreads"), threads_);
  what->addRow(QStringLiteral("Stop after &evaluations"), evaluations_);
  what->addRow(QStringLiteral("Stop after m&inutes"), minutes_);
  what->addRow(QStringLiteral("Only the hottest tas&ks"), tasks_);
  auto* more = new QGroupBox(QStringLiteral("More"));
  auto* form = new QFormLayout(more);
  form->addRow(QStringLiteral("&Session file"), line("session", QStringLiteral("beside the model")));
  form->addRow(QStringLiteral("I&nputs file"), line("inputs", QStringLiteral("the model's own")));
  form->addRow(QStringLiteral("Input set"), line("input_set", QStringLiteral("the first")));
  form->addRow(QStringLiteral("P&ython program"), line("python", QStringLiteral("python3")));
  form->addRow(QStringLiteral("One task"), line("task", QStringLiteral("its id; all")));
  form->addRow(QStringLiteral("Poli&cy"), policy_);
  form->addRow(QStringLiteral("See&d"), seed_);
  auto* hint = new QLabel(QStringLiteral("For times to be trusted nothing else should run on that machine meanwhile."));
  hint->setForegroundRole(QPalette::PlaceholderText);
  hint->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  QPushButton* optimize = buttons->addButton(QStringLiteral("&Optimize"), QDialogButtonBox::AcceptRole);
  QPushButton* profile = buttons->addButton(QStringLiteral("&Profile only"), QDialogButtonBox::ActionRole);
  optimize->setDefault(true);
  auto* column = new QVBoxLayout(this);
  column->addLayout(what);
  column->addWidget(more);
  column->addWidget(hint);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(profile, &QPushButton::clicked, this, [this] {
    profile_only_ = true;
    accept();
  });
  const auto check = [this, optimize, profile] {
    const bool named = !lines_[QStringLiteral("path")]->text().trimmed().isEmpty();
    optimize->setEnabled(named);
    profile->setEnabled(named);
  };
  connect(lines_[QStringLiteral("path")], &QLineEdit::textChanged, this, check);
  check();
  resize(fontMetrics().averageCharWidth() * width_characters, sizeHint().height());
}

QLineEdit* OptimizeDialog::line(const char* key, const QString& placeholder) {
  auto* edit = new QLineEdit(text(known_, key));
  edit->setPlaceholderText(placeholder);
  lines_.insert(QString::fromLatin1(key), edit);
  return edit;
}

json OptimizeDialog::options() const {
  json out = json::object();
  for (auto it = lines_.begin(); it != lines_.end(); ++it)
    if (const QString value = it.value()->text().trimmed(); !value.isEmpty()) out[it.key().toStdString()] = value.toStdString();
  const std::pair<const char*, const QSpinBox*> numbers[] = {{"threads", threads_}, {"evaluations", evaluations_}, {"minutes", minutes_}, {"tasks", tasks_}};
  for (const auto& [key, box] : numbers)
    if (box->value() > 0) out[key] = box->value();
  out["target"] = target_->currentText().toStdString();
  out["policy"] = policy_->currentText().toStdString();
  out["seed"] = seed_->value();
  return out;
}

}  // namespace kw::ui
