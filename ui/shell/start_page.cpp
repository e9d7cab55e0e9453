#include "ui/shell/start_page.h"

#include <QCommandLinkButton>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/icons.h"

namespace kw::ui {

namespace {

constexpr int column_characters = 76;

QCommandLinkButton* link(const QString& title, const QString& words, const char* name) {
  auto* button = new QCommandLinkButton(title, words);
  button->setIcon(icon(name));
  return button;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent), recent_title_(new QLabel), recent_(new QVBoxLayout) {
  auto* middle = new QWidget;
  middle->setMaximumWidth(fontMetrics().averageCharWidth() * column_characters);
  auto* column = new QVBoxLayout(middle);
  auto* title = new QLabel(QStringLiteral("Kernelwright"));
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 2);
  title->setFont(large);
  auto* words = new QLabel(QStringLiteral("Finds faster kernels for a PyTorch model, proves each right and fast on this hardware, and shows why."));
  words->setWordWrap(true);
  words->setForegroundRole(QPalette::PlaceholderText);
  auto* open = link(QStringLiteral("Open a session or a model…"), QStringLiteral("A recorded search (.kwr), or a model: .py, .pt2, .pt (Ctrl+O)"), "open");
  auto* optimize = link(QStringLiteral("Optimize a model…"), QStringLiteral("Profile it, find its hot operators, search for faster kernels (Ctrl+R)"), "optimize");
  auto* help = link(QStringLiteral("Read about this window"), QStringLiteral("The docks, the layouts, the keys (F1)"), "file");
  QFont bold = font();
  bold.setBold(true);
  recent_title_->setFont(bold);
  recent_->setSpacing(0);
  column->addWidget(title);
  column->addWidget(words);
  column->addSpacing(fontMetrics().height());
  for (QWidget* one : {open, optimize, help}) column->addWidget(one);
  column->addSpacing(fontMetrics().height());
  column->addWidget(recent_title_);
  column->addLayout(recent_);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(middle, 4);
  row->addStretch(1);
  auto* page = new QVBoxLayout(this);
  page->addStretch(1);
  page->addLayout(row);
  page->addStretch(2);
  connect(open, &QPushButton::clicked, this, &StartPage::open_asked);
  connect(optimize, &QPushButton::clicked, this, &StartPage::optimize_asked);
  connect(help, &QPushButton::clicked, this, &StartPage::help_asked);
}

void StartPage::set_recent(const QStringList& files, const QString& engine_name) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  recent_title_->setText(files.isEmpty() ? QStringLiteral("No recent files on %1. A file can also be dropped here.").arg(engine_name)
                                         : QStringLiteral("Recent on %1").arg(engine_name));
  for (const QString& file : files) {
    auto* button = new QPushButton(file);
    button->setFlat(true);
    button->setStyleSheet(QStringLiteral("text-align: left; padding: 0.25em;"));
    connect(button, &QPushButton::clicked, this, [this, file] { emit file_asked(file); });
    recent_->addWidget(button);
  }
}

}  // namespace kw::ui
