#pragma once
// What the window shows while nothing is open: open, recent files, how to begin.

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace kw::ui {

class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  void set_recent(const QStringList& files, const QString& engine_name);

 signals:
  void open_asked();
  void optimize_asked();
  void help_asked();
  void file_asked(const QString& path);

 private:
  QLabel* recent_title_;
  QVBoxLayout* recent_;
};

}  // namespace kw::ui
