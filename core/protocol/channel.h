#pragma once
// A JSON-RPC 2.0 peer over two descriptors. Any thread may call; one reader thread of the channel's own dispatches.
// Handlers run on the reader thread and must return soon: long work keeps the Reply and answers from another thread.
// When the peer is gone every pending and later call ends as Error{lost}.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace kw::protocol {

using nlohmann::json;
using Answer = base::Result<json>;
// A result that is JSON text already and is sent as it is: for large ones, which are not worth building as a tree of small values first.
json encoded(const std::string& text);

// The right to answer one request, once; dropped unanswered it answers with an internal error.
using Reply = std::function<void(const Answer&)>;
using RequestHandler = std::function<void(std::int64_t id, const json& params, Reply reply)>;
using NotificationHandler = std::function<void(const json& params)>;

struct Handlers {
  std::map<std::string, RequestHandler> requests;
  std::map<std::string, NotificationHandler> notifications;
  std::function<void(const base::Error&)> closed;    // called once, on the reader thread
};

class Channel {
 public:
  Channel(int read_fd, int write_fd, Handlers handlers);   // owns both descriptors
  ~Channel();                                              // joins the reader, closes the descriptors
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Starts a request; `done` runs on the reader thread (or here when the peer is already gone). Returns its id.
  std::int64_t call_async(const std::string& method, const json& params, std::function<void(Answer)> done);
  // Waits at most timeout_s (negative: for ever). A cancelled token sends `cancel {id}` and goes on waiting for the answer
  // for two seconds, then returns Error{cancelled}.
  Answer call(const std::string& method, const json& params, double timeout_s = -1, const base::CancelToken* cancel = nullptr);
  void notify(const std::string& method, const json& params);

  bool open() const;
  void wait_closed();                                      // until the peer is gone
  void close();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Moves stdin and stdout to private descriptors, points stdin at /dev/null and stdout at stderr. First thing in a child's main().
struct Descriptors { int read = -1, write = -1; };
Descriptors take_private_descriptors();

json to_json(const base::Error& error);            // a JSON-RPC error object
base::Error error_from_json(const json& error);

}  // namespace kw::protocol
