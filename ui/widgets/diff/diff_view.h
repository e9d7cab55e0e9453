#pragma once
// Two sources side by side, or one under the other (unified), with C++ highlighting, changed lines and words marked, and scrolling together.
// GUI thread.

#include <QWidget>

#include "ui/widgets/diff/line_diff.h"

class QLabel;
class QsciScintilla;
class QStackedWidget;

namespace kw::ui {

class DiffView : public QWidget {
  Q_OBJECT

 public:
  explicit DiffView(QWidget* parent = nullptr);

  void set_texts(const QString& left_title, const QString& left, const QString& right_title, const QString& right);
  void set_message(const QString& text);       // in place of texts
  void set_unified(bool unified);
  bool is_unified() const { return unified_; }
  const LineDiff& difference() const { return diff_; }
  int current_change() const { return current_; }   // -1: none
  QString unified_text() const;                     // as `diff -u` writes it, with all lines

 public Q_SLOTS:
  void next_change() { go_to(current_ + 1); }
  void previous_change() { go_to(current_ - 1); }

 Q_SIGNALS:
  void current_changed(int change, int of);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QsciScintilla* make_editor(const QString& name);
  void fill();
  void fill_side(QsciScintilla* editor, bool left);
  void fill_unified();
  const QString& text_of(const UnifiedLine& line) const;
  void take_colors();
  void go_to(int change);
  void follow(QsciScintilla* from, QsciScintilla* to);
  int row_on_screen(int row) const;

  LineDiff diff_;
  QString left_title_, right_title_;
  std::vector<int> unified_rows_;              // the line at which each row stands
  QStackedWidget* pages_ = nullptr;
  QLabel *left_label_ = nullptr, *right_label_ = nullptr, *unified_label_ = nullptr, *message_ = nullptr;
  QsciScintilla *left_ = nullptr, *right_ = nullptr, *unified_editor_ = nullptr;
  bool unified_ = false, following_ = false;
  int current_ = -1;
};

}  // namespace kw::ui
