#include "ui/shell/run_control.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include "ui/models/jobs_model.h"
#include "ui/models/session.h"
#include "ui/views/trust/trusted_call.h"

namespace kw::ui {

RunControl::RunControl(Session* session, QWidget* window) : QObject(window), session_(session), window_(window) {}

void RunControl::start(const json& options, bool profile_only) {
  const QString path = text(options, "path");
  const QString what = (profile_only ? QStringLiteral("Profile %1") : QStringLiteral("Optimize %1")).arg(QFileInfo(path).fileName());
  emit said(QStringLiteral("%1: opening…").arg(what));
  const auto fail = [this](const EngineError& error) { emit said(error.message); };
  trusted_call(
      session_->engine(), profile_only ? QStringLiteral("model/profile") : QStringLiteral("run/start"), options, path, window_,
      [this, what, fail](const json& result) {
        const QString session = text(result, "session");
        session_->jobs()->watch(text(result, "job"), session, what, this, [this](const json&) { session_->refresh(); }, fail);
        emit started(session);
      },
      [this](const EngineError& error) { QMessageBox::warning(window_, QStringLiteral("Not started"), error.message); });
}

void RunControl::tell(const QString& method, json more) {
  more["session"] = session_->path().toStdString();
  session_->engine()->call(method, more, this, [](const json&) {}, [this](const EngineError& error) { emit said(error.message); });
}

void RunControl::pause() { tell(QStringLiteral("run/pause")); }
void RunControl::resume() { tell(QStringLiteral("run/resume")); }

void RunControl::stop() {
  QMessageBox box(QMessageBox::Question, QStringLiteral("Stop the search?"), QStringLiteral("Everything that was measured is kept."), QMessageBox::NoButton, window_);
  box.setInformativeText(QStringLiteral("The best candidates can be measured afresh first, so that they count as winners."));
  QPushButton* confirm = box.addButton(QStringLiteral("&Confirm winners, then stop"), QMessageBox::AcceptRole);
  QPushButton* now = box.addButton(QStringLiteral("Stop &now"), QMessageBox::DestructiveRole);
  box.addButton(QMessageBox::Cancel);
  box.setDefaultButton(confirm);
  box.exec();
  if (box.clickedButton() == confirm || box.clickedButton() == now) tell(QStringLiteral("run/stop"), {{"confirm", box.clickedButton() == confirm}});
}

json RunControl::known_options() const {
  const json& model = member(session_->info(), "model");
  json known = json::object();
  for (const char* key : {"path", "target", "threads", "python", "inputs", "input_set"})
    if (model.contains(key) && !model[key].is_null() && model[key] != "") known[key] = model[key];
  if (session_->is_open()) known["session"] = session_->path().toStdString();
  return known;
}

}  // namespace kw::ui
