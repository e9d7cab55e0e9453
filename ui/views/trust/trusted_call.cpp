#include "ui/views/trust/trusted_call.h"

#include <QMessageBox>
#include <QPushButton>

#include "ui/models/records.h"

namespace kw::ui {

namespace {

bool user_agrees(const EngineError& why, const QString& path, const QString& sha256, QWidget* parent) {
  QMessageBox box(QMessageBox::Warning, QStringLiteral("Run it?"), why.message, QMessageBox::NoButton, parent);
  box.setInformativeText(QStringLiteral("%1\nSHA-256 %2\n\nRun it only if you know who wrote it. The answer is remembered for exactly this content.").arg(path, sha256));
  QPushButton* run = box.addButton(QStringLiteral("&Run it"), QMessageBox::AcceptRole);
  box.setDefaultButton(box.addButton(QMessageBox::Cancel));
  box.exec();
  return box.clickedButton() == run;
}

}  // namespace

void trusted_call(Engine* engine, const QString& method, const json& params, const QString& path, QWidget* owner, Engine::Done done,
                  Engine::Failed failed) {
  engine->call(method, params, owner, done, [=](const EngineError& why) {
    if (why.context != QLatin1String("trust")) return failed(why);
    engine->call(
        QStringLiteral("trust/check"), {{"path", path.toStdString()}}, owner,
        [=](const json& content) {
          const QString sha256 = text(content, "sha256");
          if (!user_agrees(why, path, sha256, owner)) return failed({why.code, QStringLiteral("Not run: you did not trust it."), {}});
          engine->call(
              QStringLiteral("trust/grant"), {{"sha256", sha256.toStdString()}}, owner, [=](const json&) { engine->call(method, params, owner, done, failed); },
              failed);
        },
        failed);
  });
}

}  // namespace kw::ui
