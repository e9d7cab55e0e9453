#pragma once
// Source text with C++ (and CUDA) highlighting, folding, line numbers, search (Ctrl+F) and marked lines; in the application's colours.

#include <Qsci/qsciscintilla.h>

#include <QWidget>

class QLineEdit;

namespace kw::ui {

class SourceView : public QWidget {
  Q_OBJECT

 public:
  enum class Language { cpp, cuda, python, assembly, plain };

  explicit SourceView(const QString& title, QWidget* parent = nullptr);
  void show_text(const QString& text, Language language);
  void mark_lines(const QList<int>& lines);     // from 1; scrolls to the first
  void begin_at(const QString& words);          // the first line that has them stands at the top; what is above it is folded
  QString text() const { return editor_->text(); }
  void set_editable(bool editable);
  QsciScintilla* editor() const { return editor_; }

 signals:
  void edited();                                // by the user

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void take_colours();
  void show_line(int line, int lines_above);    // from 0
  void find(bool forward);

  QsciScintilla* editor_;
  QWidget* search_bar_;
  QLineEdit* needle_;
  bool filling_ = false;
};

}  // namespace kw::ui
