#pragma once
// Ctrl+Shift+P: every action of the window by its words. Type a part of each word, choose, Enter.

#include <QDialog>

class QLineEdit;
class QTreeWidget;

namespace kw::ui {

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill(const QString& words);
  void run_current();

  QList<QAction*> actions_;
  QLineEdit* words_;
  QTreeWidget* list_;
};

// Every word of `words` begins somewhere in `text`, in any order.
bool matches_words(const QString& text, const QString& words);

}  // namespace kw::ui
