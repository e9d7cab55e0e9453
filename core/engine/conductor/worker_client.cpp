#include "core/engine/conductor/worker_client.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "core/base/paths.h"

namespace kw::conductor {
namespace {

constexpr double hello_timeout_s = 120;   // loading torch from a cold disk takes its time
constexpr double shutdown_timeout_s = 2;

std::string worker_program(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  if (const char* named = std::getenv("KW_WORKER_PROGRAM"); named != nullptr && *named != '\0') return named;
  return base::executable_dir() + "/kernelwright-worker";
}

}  // namespace

base::Result<std::unique_ptr<WorkerClient>> WorkerClient::start(WorkerOptions options) {
  options.program = worker_program(options.program);
  if (access(options.program.c_str(), X_OK) != 0)
    return base::Error{base::ErrorCode::io,
                       "the worker program is missing. Build it (it needs torch 2.11.0), or run `kernelwright doctor` to see what is missing.",
                       options.program};
  std::unique_ptr<WorkerClient> client(new WorkerClient(std::move(options)));
  if (auto status = client->launch(); !status) return status.error();
  return client;
}

base::Status WorkerClient::launch() {
  channel_.reset();
  base::SpawnOptions spawn;
  spawn.argv = {options_.program};
  spawn.pipe_stdin = spawn.pipe_stdout = true;
  auto process = base::ChildProcess::spawn(spawn);
  if (!process) return process.error();
  process_ = std::move(*process);
  ended_.clear();
  ++starts_;
  protocol::Handlers handlers;
  handlers.notifications["progress"] = [report = options_.progress](const json& params) {
    if (report && params.is_object()) report(params.value("fraction", -1.0), params.value("message", std::string()));
  };
  channel_ = std::make_unique<protocol::Channel>(fcntl(process_.stdout_fd(), F_DUPFD_CLOEXEC, 3), fcntl(process_.stdin_fd(), F_DUPFD_CLOEXEC, 3),
                                                 std::move(handlers));
  process_.close_stdin();   // the channel's copy is the only one left
  auto hello = channel_->call("hello", {{"protocol", protocol::protocol_version}}, hello_timeout_s);
  if (!hello) {
    const std::string end = how_it_ended();
    return base::Error{base::ErrorCode::lost,
                       "the worker did not start (" + (end.empty() ? hello.error().message : end) + "). Run `kernelwright doctor`.", options_.program};
  }
  try {
    if (hello->at("protocol") != protocol::protocol_version)
      return base::Error{base::ErrorCode::unsupported, "the worker is of another version. Build both programs from the same source.", options_.program};
    environment_ = hello->at("environment").get<protocol::Environment>();
  } catch (const json::exception& e) {
    return base::Error{base::ErrorCode::lost, std::string("the worker's greeting makes no sense: ") + e.what(), options_.program};
  }
  return base::done();
}

WorkerClient::~WorkerClient() {
  if (!channel_) return;
  channel_->notify("shutdown", json::object());
  channel_.reset();          // a closed wire ends it as well
  (void)process_.wait(shutdown_timeout_s);
}

base::Result<json> WorkerClient::call(const std::string& method, const json& params, const base::CancelToken* cancel) {
  auto answer = channel_->call(method, params, -1, cancel);
  if (!answer && answer.error().code == base::ErrorCode::lost) {
    const std::string end = how_it_ended();
    return base::Error{base::ErrorCode::lost, "the worker ended during `" + method + "`" + (end.empty() ? "." : " (" + end + ")."), answer.error().context};
  }
  return answer;
}

std::int64_t WorkerClient::call_async(const std::string& method, const json& params, std::function<void(base::Result<json>)> done) {
  return channel_->call_async(method, params, std::move(done));
}

void WorkerClient::cancel(std::int64_t request) { channel_->notify("cancel", {{"id", request}}); }

bool WorkerClient::alive() { return channel_->open() && !process_.poll(); }

void WorkerClient::kill() { process_.kill_group(SIGKILL); }

std::string WorkerClient::how_it_ended() {
  if (ended_.empty())
    if (const auto status = process_.wait(0.5)) ended_ = status->text();
  return ended_;
}

base::Status WorkerClient::restart() {
  kill();
  return launch();
}

}  // namespace kw::conductor
