#include "ui/views/trust/trusted_call.h"

#include <memory>

#include <QMessageBox>
#include <QPushButton>

#include "ui/models/records.h"

namespace kw::ui {

namespace {

constexpr int most_questions = 2;               // of one call: the model, then the candidate

struct Call : std::enable_shared_from_this<Call> {
  Engine* engine;
  QString method;
  json params;
  Foreign code;
  QPointer<QWidget> owner;
  Engine::Done done;
  Engine::Failed failed;
  int questions = 0;

  void make() {
    engine->call(method, params, owner, done, [self = shared_from_this()](const EngineError& why) { self->refused(why); });
  }

  void refused(const EngineError& why) {
    const bool model = why.context == QLatin1String("trust"), candidate = why.context == QLatin1String("trust candidate");
    if ((!model && !candidate) || ++questions > most_questions) return failed(why);
    if (candidate) return ask(why, QStringLiteral("The candidate's hash"), code.candidate_hash);
    engine->call(
        QStringLiteral("trust/check"), {{"path", code.model_path.toStdString()}}, owner,
        [self = shared_from_this(), why](const json& content) { self->ask(why, self->code.model_path, text(content, "sha256")); }, failed);
  }

  void ask(const EngineError& why, const QString& what, const QString& hash) {
    QMessageBox box(QMessageBox::Warning, QStringLiteral("Run it?"), why.message, QMessageBox::NoButton, owner);
    box.setInformativeText(QStringLiteral("%1\n%2\n\nRun it only if you know who wrote it. The answer is remembered for exactly this content.").arg(what, hash));
    QPushButton* run = box.addButton(QStringLiteral("&Run it"), QMessageBox::AcceptRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() != run) return failed({why.code, QStringLiteral("Not run: you did not agree to it."), {}});
    engine->call(QStringLiteral("trust/grant"), {{"sha256", hash.toStdString()}}, owner, [self = shared_from_this()](const json&) { self->make(); }, failed);
  }
};

}  // namespace

void trusted_call(Engine* engine, const QString& method, const json& params, const Foreign& code, QWidget* owner, Engine::Done done,
                  Engine::Failed failed) {
  auto call = std::make_shared<Call>();
  call->engine = engine;
  call->method = method;
  call->params = params;
  call->code = code;
  call->owner = owner;
  call->done = std::move(done);
  call->failed = std::move(failed);
  call->make();
}

}  // namespace kw::ui
