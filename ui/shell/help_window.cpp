#include "ui/shell/help_window.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

namespace kw::ui {

namespace {

constexpr int width_characters = 84, height_lines = 36;

}  // namespace

QString help_folder() {
  const QString program = QCoreApplication::applicationDirPath();
  const QStringList places{qEnvironmentVariable("KW_RESOURCES_DIR"), program + QStringLiteral("/../share/kernelwright"), QStringLiteral(KW_RESOURCES_DIR)};
  for (const QString& place : places)
    if (!place.isEmpty() && QFile::exists(place + QStringLiteral("/help/gui.md"))) return QDir::cleanPath(place + QStringLiteral("/help"));
  return {};
}

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), browser_(new QTextBrowser) {
  setWindowTitle(QStringLiteral("Help"));
  browser_->setAccessibleName(QStringLiteral("Help page"));
  browser_->setOpenLinks(false);
  browser_->document()->setDocumentMargin(fontMetrics().height());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(browser_);
  resize(fontMetrics().averageCharWidth() * width_characters, fontMetrics().lineSpacing() * height_lines);
  connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    if (url.scheme().startsWith(QLatin1String("http"))) QDesktopServices::openUrl(url);
    else show_page(url.fileName());
  });
}

void HelpWindow::show_page(const QString& file) {
  QFile page(help_folder() + u'/' + file);
  browser_->setMarkdown(page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll())
                                                       : QStringLiteral("The page %1 was not found. Set KW_RESOURCES_DIR to the resources folder.").arg(file));
  show();
  raise();
  activateWindow();
}

}  // namespace kw::ui
