#pragma once
// The GUI's end of one engine process: starts it behind the launch prefix, shakes hands, carries requests and notifications. GUI thread
// only. Methods and records: core/protocol/engine_api.md.

#include <functional>
#include <memory>

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QStringList>

#include <nlohmann/json.hpp>

namespace kw::ui {

using nlohmann::json;

struct EngineError {
  int code = 0;
  QString message, context;            // "trust": the user has to be asked first
};

class Engine : public QObject {
  Q_OBJECT

 public:
  enum class State { stopped, starting, ready, dead };
  // `failed` may be empty: the error then goes to the signal `complained`. Neither is called once `owner` is gone.
  using Done = std::function<void(const json& result)>;
  using Failed = std::function<void(const EngineError& error)>;

  explicit Engine(QObject* parent = nullptr);
  ~Engine() override;

  // `command`: launch prefix and program, e.g. {"ssh", "gpu-box", "kernelwright"}; "serve" is added.
  void start(const QStringList& command);
  void restart();
  void stop();

  State state() const;
  const json& hello() const;           // the answer to `initialize`
  QString last_words() const;          // the end of its stderr

  void call(const QString& method, const json& params, QObject* owner, Done done, Failed failed = {});

 signals:
  void state_changed(kw::ui::Engine::State state);
  void notified(const QString& method, const nlohmann::json& params);
  void complained(const QString& message);

 private:
  struct Private;
  std::unique_ptr<Private> d_;
};

}  // namespace kw::ui
