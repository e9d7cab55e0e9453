#include "core/engine/server/server.h"

#include "core/engine/server/methods.h"
#include "core/engine/server/tree_delta.h"

namespace kw::server {
namespace {

constexpr int slow_threads = 2;
constexpr auto tick_idle = std::chrono::milliseconds(1000), tick_busy = std::chrono::milliseconds(200);

// What JSON, a file system or a full memory throws ends here.
Answer guarded(const Method& method, Desk& desk, const json& params) {
  try {
    return method.handler(desk, params);
  } catch (const json::exception& e) {
    return base::bad_input(std::string("`") + method.name + "` was asked with other parameters than it has: " + e.what(), method.name);
  } catch (const std::exception& e) {
    return base::Error{base::ErrorCode::internal, std::string("`") + method.name + "` failed: " + e.what(), method.name};
  }
}

}  // namespace

Server::Server(const ServerOptions& options, int read_fd, int write_fd) {
  desk_ = std::make_unique<Desk>(options, [this](const std::string& method, const json& params) {
    if (greeted_) channel_->notify(method, params);
  });
  quick_ = std::make_unique<LaneQueue>(1);
  slow_ = std::make_unique<LaneQueue>(slow_threads);
  channel_ = std::make_unique<protocol::Channel>(read_fd, write_fd, handlers());
}

Server::~Server() {
  channel_->close();           // no request comes in any more; answers still go out
  desk_->jobs.cancel_all();   // who waits for one gets its end
  slow_.reset();
  quick_.reset();
  desk_->jobs.wait();
  channel_.reset();
}

protocol::Handlers Server::handlers() {
  protocol::Handlers h;
  for (std::size_t i = 0; i < methods().size(); ++i)
    h.requests[methods()[i].name] = [this, i](std::int64_t, const json& params, protocol::Reply reply) { serve(i, params, std::move(reply)); };
  h.requests["shutdown"] = [this](std::int64_t, const json&, const protocol::Reply& reply) {
    reply(json::object());
    ended_ = true;
    const base::Lock lock(mutex_);
    changed_.notify_all();
  };
  h.closed = [this](const base::Error& error) {
    const base::Lock lock(mutex_);
    gone_ = error;
    changed_.notify_all();
  };
  return h;
}

void Server::serve(std::size_t index, const json& params, protocol::Reply reply) {
  const Method& method = methods()[index];
  const bool greeting = method.handler == &initialize;
  if (!greeting && !greeted_) return reply(base::bad_input("the first request has to be `initialize`.", method.name));
  LaneQueue& lane = method.lane == Lane::quick ? *quick_ : *slow_;
  lane.push([this, &method, greeting, params, reply = std::move(reply)] {
    const Answer answer = guarded(method, *desk_, params);
    if (greeting && answer) greeted_ = true;
    reply(answer);
  });
}

// One look at the open sessions at a time; what is new is told, not sent.
void Server::tick() {
  if (ticking_.exchange(true)) return;
  quick_->push([this] {
    for (const auto& [path, view] : desk_->sessions.all()) {
      const auto session = store::Session::open(path, store::Session::Access::read);
      const auto rows = session ? session->rows() : base::Result<store::Rows>(session.error());
      if (!rows || *rows == view->told) continue;
      view->told = *rows;
      desk_->notify("session/changed", {{"session", path}, {"version", version_json(*rows)}});
    }
    ticking_ = false;
  });
}

base::Status Server::run(const base::CancelToken& stop) {
  mutex_.lock();
  while (!gone_ && !ended_ && !stop.cancelled()) {
    changed_.wait_for(mutex_, desk_->jobs.busy() ? tick_busy : tick_idle);
    if (gone_ || ended_) break;
    tick();
  }
  const auto gone = gone_;
  mutex_.unlock();
  // Without its client a search goes on to its end: the session keeps what it finds.
  while (gone && !ended_ && !stop.cancelled() && desk_->jobs.busy()) std::this_thread::sleep_for(tick_busy);
  if (gone && !ended_ && gone->context != "end of input") return *gone;
  return base::done();
}

}  // namespace kw::server
