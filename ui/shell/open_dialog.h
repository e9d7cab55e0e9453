#pragma once
// Chooses a file where the engine runs: its folders are browsed, not this machine's.

#include <QDialog>

#include "ui/shell/settings.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kw::ui {

class Engine;

class OpenDialog : public QDialog {
  Q_OBJECT

 public:
  OpenDialog(Engine* engine, const Settings& settings, const QString& start, QWidget* parent);
  QString path() const { return path_; }        // "" until one is chosen

 private:
  void go(const QString& folder);
  void show_folder(const struct Listing& listing);
  void choose(const QTreeWidgetItem* item);
  void accept_typed();

  Engine* engine_;
  QLineEdit* where_;
  QTreeWidget* list_;
  QLabel* note_;
  QCheckBox* all_;
  QPushButton* open_;
  QString folder_, parent_folder_, path_;
};

bool is_session(const QString& path);
bool is_model(const QString& path);

}  // namespace kw::ui
