#pragma once
// Lies on top of the window when the engine is dead: its last words, and a button that starts it again.

#include <QFrame>

class QLabel;

namespace kw::ui {

class Engine;

class EngineBanner : public QFrame {
  Q_OBJECT

 public:
  EngineBanner(Engine* engine, QWidget* parent);

 signals:
  void restart_asked();
  void settings_asked();

 private:
  void update_words();
  Engine* engine_;
  QLabel *title_, *words_;
};

}  // namespace kw::ui
