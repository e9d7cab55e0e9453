#pragma once
// `kernelwright serve`: the engine behind the desktop application, one client over one Channel (core/protocol/engine_api.md).
//
//   channel's reader thread --> quick lane: one thread, answers in milliseconds, owns the open sessions
//                           --> slow lane: compilers, summaries, exports; opens the session anew for each request
//   ticker thread           --> quick lane: looks for new rows in the open sessions and says session/changed
//
// Owned by main(), which waits in run().

#include <atomic>
#include <memory>
#include <thread>

#include "core/base/cancel.h"
#include "core/engine/server/desk.h"
#include "core/engine/server/lane.h"
#include "core/protocol/channel.h"

namespace kw::server {

class Server {
 public:
  Server(const ServerOptions& options, int read_fd, int write_fd);   // owns both descriptors
  ~Server();

  // Until the client has gone or asked for the end, or `stop` is set. An error: the client spoke nonsense.
  base::Status run(const base::CancelToken& stop);

 private:
  protocol::Handlers handlers();
  void serve(std::size_t method, const json& params, protocol::Reply reply);
  void tick();

  std::unique_ptr<Desk> desk_;
  std::unique_ptr<LaneQueue> quick_, slow_;
  std::unique_ptr<protocol::Channel> channel_;
  std::atomic<bool> greeted_ = false, ended_ = false, ticking_ = false;
  base::Mutex mutex_;
  base::Condition changed_;
  std::optional<base::Error> gone_ KW_GUARDED_BY(mutex_);
};

}  // namespace kw::server
