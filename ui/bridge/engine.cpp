#include "ui/bridge/engine.h"

#include <deque>
#include <map>
#include <utility>

#include <QThreadPool>
#include <QTimer>

#include "core/protocol/records.h"
#include "ui/bridge/frames.h"

namespace kw::ui {

namespace {

constexpr qsizetype parsed_elsewhere = 256 * 1024;   // bytes; larger messages would be felt if they were parsed on the GUI thread
constexpr qsizetype kept_words = 16 * 1024;
constexpr int handshake_ms = 60'000;                 // a launch prefix may start a container first
constexpr int goodbye_ms = 3'000;

EngineError error_of(const json& error) {
  EngineError out{0, QStringLiteral("The engine reported an error without a message."), {}};
  if (!error.is_object()) return out;
  if (auto c = error.find("code"); c != error.end() && c->is_number_integer()) out.code = *c;
  if (auto m = error.find("message"); m != error.end() && m->is_string()) out.message = QString::fromStdString(*m);
  if (auto d = error.find("data"); d != error.end() && d->is_object()) out.context = QString::fromStdString(d->value("context", std::string()));
  return out;
}

QString text_of(const EngineError& error) {
  return error.context.isEmpty() ? error.message : error.context + QStringLiteral(": ") + error.message;
}

}  // namespace

struct Engine::Private {
  struct Waiting {
    QString method;
    QPointer<QObject> owner;
    Done done;
    Failed failed;
  };

  Engine* engine = nullptr;
  QStringList command;
  std::unique_ptr<QProcess> process;
  QTimer patience;                              // runs during the handshake
  State state = State::stopped;
  json hello = json::object();
  QByteArray words;
  QString reason;                               // why it is dead
  Frames frames;
  std::deque<QByteArray> inbox;                 // whole messages, handled in order
  bool parsing = false;                         // the front of the inbox is with another thread
  quint64 life = 0;                             // of the process; late work of an earlier one is dropped
  std::map<qint64, Waiting> waiting;
  std::deque<std::pair<QString, std::string>> unsent;   // calls made during the handshake
  qint64 next_id = 1;

  void set_state(State to) {
    if (std::exchange(state, to) != to) emit engine->state_changed(to);
  }

  void launch();
  void shake_hands();
  void read_output();
  void read_words() { words = (words + process->readAllStandardError()).right(kept_words); }
  void handle_inbox();
  void handle(const json& message);
  void answer(Waiting& call, const json& message);
  void send(const std::string& body) { process->write(framed(body)); }
  qint64 remember(Waiting call) {
    waiting.emplace(next_id, std::move(call));
    return next_id++;
  }
  static std::string request(qint64 id, const QString& method, const json& params) {
    return json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method.toStdString()}, {"params", params}}.dump(-1, ' ', false,
                                                                                                          json::error_handler_t::replace);
  }
  void die(const QString& why);
  void fail_all();
};

void Engine::Private::launch() {
  ++life;
  frames = {};
  inbox.clear();
  parsing = false;
  words.clear();
  reason.clear();
  hello = json::object();
  process = std::make_unique<QProcess>();
  QObject::connect(process.get(), &QProcess::readyReadStandardOutput, engine, [this] { read_output(); });
  QObject::connect(process.get(), &QProcess::readyReadStandardError, engine, [this] { read_words(); });
  QObject::connect(process.get(), &QProcess::errorOccurred, engine, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      die(QStringLiteral("“%1” could not be started: %2. Check the launch prefix in Settings.").arg(command.value(0), process->errorString()));
  });
  QObject::connect(process.get(), &QProcess::finished, engine, [this](int status, QProcess::ExitStatus how) {
    die(how == QProcess::CrashExit ? QStringLiteral("The engine was killed by signal %1.").arg(status)
                                   : QStringLiteral("The engine ended with status %1.").arg(status));
  });
  set_state(State::starting);
  patience.start(handshake_ms);
  process->start(command.value(0), command.mid(1) + QStringList{QStringLiteral("serve")});
  if (process) shake_hands();
}

void Engine::Private::shake_hands() {
  const qint64 id = remember({QStringLiteral("initialize"), engine,
                              [this](const json& result) {
                                const int theirs = result.value("protocol", -1);
                                if (theirs != protocol::protocol_version)
                                  return die(QStringLiteral("The engine speaks protocol %1, this window speaks %2. Install the same version on both machines.")
                                                 .arg(theirs)
                                                 .arg(protocol::protocol_version));
                                patience.stop();
                                hello = result;
                                for (const auto& [method, body] : std::exchange(unsent, {})) send(body);
                                set_state(State::ready);
                              },
                              [this](const EngineError& error) { die(text_of(error)); }});
  send(request(id, QStringLiteral("initialize"), {{"protocol", protocol::protocol_version}, {"client", "kernelwright-gui"}}));
}

void Engine::Private::read_output() {
  frames.feed(process->readAllStandardOutput());
  while (std::optional<QByteArray> body = frames.next()) inbox.push_back(std::move(*body));
  handle_inbox();
  if (process && !frames.broken().isEmpty())
    die(QStringLiteral("What “%1” says is not the engine's protocol (%2). Check the launch prefix in Settings.").arg(command.join(u' '), frames.broken()));
}

void Engine::Private::handle_inbox() {
  const quint64 mine = life;
  while (!parsing && life == mine && !inbox.empty()) {
    const QByteArray body = std::exchange(inbox.front(), {});
    inbox.pop_front();
    if (body.size() <= parsed_elsewhere) {
      handle(json::parse(body.begin(), body.end(), nullptr, false));
      continue;
    }
    parsing = true;
    QThreadPool::globalInstance()->start([this, body, mine, guard = QPointer<Engine>(engine)] {
      auto message = std::make_shared<json>(json::parse(body.begin(), body.end(), nullptr, false));
      QMetaObject::invokeMethod(qApp, [this, message, mine, guard] {
        if (!guard || life != mine) return;
        parsing = false;
        handle(*message);
        handle_inbox();
      });
    });
  }
}

void Engine::Private::handle(const json& message) {
  if (!message.is_object()) return die(QStringLiteral("The engine sent something that is not a JSON-RPC message."));
  const auto method = message.find("method");
  if (method != message.end() && method->is_string()) {
    emit engine->notified(QString::fromStdString(*method), message.value("params", json::object()));
    return;
  }
  const auto id = message.find("id");
  if (id == message.end() || !id->is_number_integer()) {
    if (message.contains("error")) die(text_of(error_of(message["error"])));
    return;
  }
  const auto found = waiting.find(*id);
  if (found == waiting.end()) return;
  Waiting call = std::move(found->second);
  waiting.erase(found);
  answer(call, message);
}

void Engine::Private::answer(Waiting& call, const json& message) {
  if (!call.owner) return;
  try {
    if (auto error = message.find("error"); error != message.end()) {
      if (call.failed) call.failed(error_of(*error));
      else emit engine->complained(text_of(error_of(*error)));
    } else if (call.done) {
      call.done(message.value("result", json::object()));
    }
  } catch (const json::exception& e) {
    emit engine->complained(QStringLiteral("The engine's answer to “%1” was not understood: %2").arg(call.method, QString::fromUtf8(e.what())));
  }
}

void Engine::Private::die(const QString& why) {
  if (state == State::dead || state == State::stopped) return;
  patience.stop();
  ++life;
  read_words();
  reason = why;
  QObject::disconnect(process.get(), nullptr, engine, nullptr);
  process->closeWriteChannel();
  process->kill();
  process.release()->deleteLater();             // this may be one of its signals
  set_state(State::dead);
  fail_all();
}

void Engine::Private::fail_all() {
  unsent.clear();
  for (auto& [id, call] : std::exchange(waiting, {}))
    if (call.owner && call.failed && call.owner != engine) call.failed({0, QStringLiteral("The engine stopped before it answered."), call.method});
}

Engine::Engine(QObject* parent) : QObject(parent), d_(std::make_unique<Private>()) {
  d_->engine = this;
  d_->patience.setSingleShot(true);
  connect(&d_->patience, &QTimer::timeout, this, [this] {
    d_->die(QStringLiteral("“%1 serve” did not answer within %2 s. Check the launch prefix in Settings.").arg(d_->command.join(u' ')).arg(handshake_ms / 1000));
  });
}

Engine::~Engine() {
  if (!d_->process) return;
  disconnect(d_->process.get(), nullptr, this, nullptr);
  d_->process->closeWriteChannel();             // a running search goes on without us
  if (!d_->process->waitForFinished(goodbye_ms)) d_->process.release();   // its destructor would kill it
}

void Engine::start(const QStringList& command) {
  stop();
  d_->command = command;
  d_->launch();
}

void Engine::restart() { start(QStringList(d_->command)); }

void Engine::stop() {
  if (d_->process) {
    QProcess* leaving = d_->process.release();
    disconnect(leaving, nullptr, this, nullptr);
    leaving->write(framed(Private::request(d_->next_id++, QStringLiteral("shutdown"), json::object())));
    leaving->closeWriteChannel();
    connect(leaving, &QProcess::finished, leaving, &QObject::deleteLater);
    QTimer::singleShot(goodbye_ms, leaving, [leaving] { leaving->kill(); });
    leaving->setParent(qApp);
  }
  ++d_->life;
  d_->patience.stop();
  d_->set_state(State::stopped);
  d_->fail_all();
}

Engine::State Engine::state() const { return d_->state; }
const json& Engine::hello() const { return d_->hello; }

QString Engine::last_words() const {
  const QString words = QString::fromUtf8(d_->words).trimmed();
  return words.isEmpty() ? d_->reason : d_->reason + QStringLiteral("\n\n") + words;
}

void Engine::call(const QString& method, const json& params, QObject* owner, Done done, Failed failed) {
  if (d_->state != State::ready && d_->state != State::starting) {
    const EngineError error{0, QStringLiteral("No engine is running. Start it with Engine > Restart engine."), method};
    QMetaObject::invokeMethod(this, [this, error, failed, guard = QPointer<QObject>(owner)] {
      if (failed && guard) failed(error);
      else if (!failed) emit complained(text_of(error));
    }, Qt::QueuedConnection);
    return;
  }
  const qint64 id = d_->remember({method, owner, std::move(done), std::move(failed)});
  std::string body = Private::request(id, method, params);
  if (d_->state == State::ready) d_->send(body);
  else d_->unsent.emplace_back(method, std::move(body));
}

}  // namespace kw::ui
