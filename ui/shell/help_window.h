#pragma once
// The help pages (resources/help, Markdown), with links between them.

#include <QDialog>

class QTextBrowser;

namespace kw::ui {

class HelpWindow : public QDialog {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent);
  void show_page(const QString& file);          // "gui-log.md"

 private:
  QTextBrowser* browser_;
};

QString help_folder();                          // "" where it is not installed

}  // namespace kw::ui
