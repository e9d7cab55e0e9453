#include "core/protocol/channel.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mutex.h"
#include "core/protocol/framing.h"

namespace kw::protocol {

using base::Error;
using base::ErrorCode;

namespace {

constexpr int first_error_code = -32000;   // ErrorCode n travels as first_error_code - n

std::string dump(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

// JSON itself has no binary values: one is text from encoded().
std::string result_text(const json& result) {
  if (!result.is_binary()) return dump(result);
  const auto& bytes = result.get_binary();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

json encoded(const std::string& text) { return json::binary({text.begin(), text.end()}); }

json to_json(const Error& error) {
  return {{"code", first_error_code - static_cast<int>(error.code)}, {"message", error.message}, {"data", {{"context", error.context}}}};
}

Error error_from_json(const json& error) {
  Error out{ErrorCode::internal, "the peer reported an error without a message", ""};
  if (!error.is_object()) return out;
  if (auto m = error.find("message"); m != error.end() && m->is_string()) out.message = *m;
  if (auto c = error.find("code"); c != error.end() && c->is_number_integer()) {
    const int code = first_error_code - c->get<int>();
    if (code >= 0 && code <= static_cast<int>(ErrorCode::internal)) out.code = static_cast<ErrorCode>(code);
  }
  if (auto d = error.find("data"); d != error.end() && d->is_object()) out.context = d->value("context", "");
  return out;
}

struct Channel::State : std::enable_shared_from_this<Channel::State> {
  State(int r, int w, Handlers h) : read_fd(r), write_fd(w), handlers(std::move(h)) {
    if (::pipe2(stop_pipe, O_CLOEXEC) != 0) stop_pipe[0] = stop_pipe[1] = -1;
  }
  ~State() {
    for (int fd : {read_fd, write_fd, stop_pipe[0], stop_pipe[1]})
      if (fd >= 0) ::close(fd);
  }

  const int read_fd, write_fd;
  const Handlers handlers;
  int stop_pipe[2] = {-1, -1};
  std::thread reader;

  base::Mutex write_mutex;
  base::Mutex mutex;
  base::Condition changed;
  std::map<std::int64_t, std::function<void(Answer)>> pending KW_GUARDED_BY(mutex);
  std::int64_t next_id KW_GUARDED_BY(mutex) = 1;
  std::optional<Error> gone KW_GUARDED_BY(mutex);

  void send(const json& message) { send_text(dump(message)); }
  void send_text(const std::string& text) {
    base::Lock lock(write_mutex);
    if (base::Status sent = write_frame(write_fd, text); !sent) base::log(base::Level::debug, "protocol", sent.error().text());
  }

  void read_loop();
  void dispatch(const json& message);
  void dispatch_request(const std::string& method, const json& message);
  void finish(const Error& why);
};

void Channel::State::read_loop() {
  FrameReader frames(read_fd, stop_pipe[0]);
  while (true) {
    base::Result<std::string> frame = frames.read();
    if (!frame) return finish(frame.error());
    const json message = json::parse(*frame, nullptr, false);
    if (!message.is_object()) return finish({ErrorCode::lost, "the peer sent something that is not a JSON-RPC message", "protocol"});
    dispatch(message);
  }
}

void Channel::State::dispatch(const json& message) {
  const auto method = message.find("method");
  if (method != message.end() && method->is_string()) return dispatch_request(*method, message);
  const auto id = message.find("id");
  if (id == message.end() || !id->is_number_integer()) return;
  std::function<void(Answer)> done;
  {
    base::Lock lock(mutex);
    auto found = pending.find(id->get<std::int64_t>());
    if (found == pending.end()) return;
    done = std::move(found->second);
    pending.erase(found);
  }
  const auto error = message.find("error");
  if (error != message.end()) done(error_from_json(*error));
  else done(message.value("result", json()));
}

void Channel::State::dispatch_request(const std::string& method, const json& message) {
  const json params = message.value("params", json::object());
  const auto id = message.find("id");
  if (id == message.end()) {
    if (auto h = handlers.notifications.find(method); h != handlers.notifications.end()) h->second(params);
    return;
  }
  // The last copy of the reply answers when nobody did.
  struct Once {
    std::weak_ptr<State> state;
    json id;
    std::atomic<bool> answered = false;
    void answer(const Answer& a) {
      if (answered.exchange(true)) return;
      // Spliced, because a result may be large and would be copied into a message.
      if (auto s = state.lock())
        s->send_text("{\"jsonrpc\":\"2.0\",\"id\":" + dump(id) + (a ? ",\"result\":" + result_text(*a) : ",\"error\":" + dump(to_json(a.error()))) + "}");
    }
    ~Once() { answer(Error{ErrorCode::internal, "the request was dropped without an answer", ""}); }
  };
  auto once = std::make_shared<Once>();
  once->state = weak_from_this();
  once->id = *id;
  Reply reply = [once](const Answer& a) { once->answer(a); };
  const auto h = handlers.requests.find(method);
  if (h == handlers.requests.end()) return reply(Error{ErrorCode::unsupported, "unknown method", method});
  h->second(id->is_number_integer() ? id->get<std::int64_t>() : 0, params, reply);
}

void Channel::State::finish(const Error& why) {
  std::map<std::int64_t, std::function<void(Answer)>> orphans;
  {
    base::Lock lock(mutex);
    gone = why;
    orphans.swap(pending);
  }
  for (auto& [id, done] : orphans) done(why);
  if (handlers.closed) handlers.closed(why);
  base::Lock lock(mutex);
  changed.notify_all();
}

Channel::Channel(int read_fd, int write_fd, Handlers handlers) : state_(std::make_shared<State>(read_fd, write_fd, std::move(handlers))) {
  ::signal(SIGPIPE, SIG_IGN);
  state_->reader = std::thread([state = state_] { state->read_loop(); });
}

Channel::~Channel() { close(); }

void Channel::close() {
  if (!state_->reader.joinable()) return;
  [[maybe_unused]] const ssize_t n = ::write(state_->stop_pipe[1], "x", 1);
  state_->reader.join();
}

std::int64_t Channel::call_async(const std::string& method, const json& params, std::function<void(Answer)> done) {
  std::int64_t id;
  std::optional<Error> gone;
  {
    base::Lock lock(state_->mutex);
    id = state_->next_id++;
    gone = state_->gone;
    if (!gone) state_->pending.emplace(id, std::move(done));
  }
  if (gone) done(*gone);
  else state_->send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  return id;
}

Answer Channel::call(const std::string& method, const json& params, double timeout_s, const base::CancelToken* cancel) {
  struct Slot {
    base::Mutex mutex;
    base::Condition changed;
    std::optional<Answer> answer;
  };
  auto slot = std::make_shared<Slot>();
  const std::int64_t id = call_async(method, params, [slot](Answer a) {
    base::Lock lock(slot->mutex);
    slot->answer = std::move(a);
    slot->changed.notify_all();
  });
  const double started = base::now_s();
  double cancelled_at = -1;
  base::Lock lock(slot->mutex);
  while (!slot->answer) {
    slot->changed.wait_for(slot->mutex, std::chrono::milliseconds(50));
    const double now = base::now_s();
    if (slot->answer) break;
    if (timeout_s >= 0 && now - started > timeout_s) return Error{ErrorCode::lost, "no answer in time", method};
    if (cancel && cancel->cancelled() && cancelled_at < 0) {
      cancelled_at = now;
      notify("cancel", {{"id", id}});
    }
    if (cancelled_at >= 0 && now - cancelled_at > 2) return Error{ErrorCode::cancelled, "cancelled", method};
  }
  return *slot->answer;
}

void Channel::notify(const std::string& method, const json& params) {
  state_->send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

bool Channel::open() const {
  base::Lock lock(state_->mutex);
  return !state_->gone;
}

void Channel::wait_closed() {
  base::Lock lock(state_->mutex);
  while (!state_->gone) state_->changed.wait(state_->mutex);
}

Descriptors take_private_descriptors() {
  Descriptors taken{::fcntl(0, F_DUPFD_CLOEXEC, 3), ::fcntl(1, F_DUPFD_CLOEXEC, 3)};
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, 0);
  ::close(null);
  ::dup2(2, 1);
  return taken;
}

}  // namespace kw::protocol
