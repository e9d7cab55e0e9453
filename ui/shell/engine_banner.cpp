#include "ui/shell/engine_banner.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/bridge/engine.h"
#include "ui/shell/theme.h"

namespace kw::ui {

namespace {

constexpr int most_lines = 6;

}  // namespace

EngineBanner::EngineBanner(Engine* engine, QWidget* parent) : QFrame(parent), engine_(engine), title_(new QLabel), words_(new QLabel) {
  setFrameShape(QFrame::NoFrame);
  setAutoFillBackground(true);
  title_->setWordWrap(true);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setFont(fixed_font());
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  words_->setWordWrap(true);
  auto* restart = new QPushButton(QStringLiteral("&Restart engine"));
  auto* settings = new QPushButton(QStringLiteral("&Settings…"));
  auto* text = new QVBoxLayout;
  text->addWidget(title_);
  text->addWidget(words_);
  auto* row = new QHBoxLayout(this);
  row->addLayout(text, 1);
  row->addWidget(settings, 0, Qt::AlignTop);
  row->addWidget(restart, 0, Qt::AlignTop);
  connect(restart, &QPushButton::clicked, this, &EngineBanner::restart_asked);
  connect(settings, &QPushButton::clicked, this, &EngineBanner::settings_asked);
  connect(engine, &Engine::state_changed, this, &EngineBanner::update_words);
  update_words();
}

void EngineBanner::update_words() {
  setVisible(engine_->state() == Engine::State::dead);
  if (!isVisibleTo(parentWidget())) return;
  QPalette palette = this->palette();
  palette.setColor(QPalette::Window, tone(Tone::removed));
  setPalette(palette);
  QStringList lines = engine_->last_words().split(u'\n');
  title_->setText(QStringLiteral("<b>✕ %1</b> What was measured is in the session file; nothing is lost.").arg(lines.takeFirst().toHtmlEscaped()));
  lines.removeAll(QString());
  words_->setText(QStringList(lines.mid(std::max<qsizetype>(0, lines.size() - most_lines))).join(u'\n'));
  words_->setVisible(!words_->text().isEmpty());
}

}  // namespace kw::ui
