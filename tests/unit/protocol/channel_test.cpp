#include "core/protocol/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/base/clock.h"
#include "core/protocol/framing.h"

namespace kw::protocol {
namespace {

struct Ends { int a, b; };
Ends socket_pair() {
  int fds[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  return {fds[0], fds[1]};
}

Handlers server() {
  Handlers h;
  h.requests["add"] = [](std::int64_t, const json& p, Reply reply) { reply(json(p.at("a").get<int>() + p.at("b").get<int>())); };
  h.requests["fail"] = [](std::int64_t, const json&, Reply reply) { reply(base::bad_input("no such model", "m.py:3")); };
  h.requests["drop"] = [](std::int64_t, const json&, Reply) {};
  h.requests["late"] = [](std::int64_t, const json& p, Reply reply) {
    std::thread([reply, ms = p.at("ms").get<int>()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      reply(json(ms));
    }).detach();
  };
  return h;
}

struct Pair {
  Ends ends = socket_pair();
  Channel peer{ends.b, ::dup(ends.b), server()};
  Channel client{ends.a, ::dup(ends.a), {}};
};

TEST(Channel, CallsAndErrors) {
  Pair p;
  EXPECT_EQ(*p.client.call("add", {{"a", 2}, {"b", 3}}), json(5));
  const Answer failed = p.client.call("fail", json::object());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, base::ErrorCode::bad_input);
  EXPECT_EQ(failed.error().text(), "m.py:3: no such model");
  EXPECT_EQ(p.client.call("nothing", json::object()).error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(p.client.call("drop", json::object()).error().code, base::ErrorCode::internal);
}

TEST(Channel, AnswersMayOvertakeEachOther) {
  Pair p;
  std::atomic<int> order{0}, slow{0}, fast{0};
  p.client.call_async("late", {{"ms", 200}}, [&](Answer) { slow = ++order; });
  p.client.call_async("late", {{"ms", 10}}, [&](Answer) { fast = ++order; });
  for (int i = 0; i < 200 && order < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(fast, 1);
  EXPECT_EQ(slow, 2);
}

TEST(Channel, ADeadPeerEndsEveryCall) {
  const Ends ends = socket_pair();
  Channel client(ends.a, ::dup(ends.a), {});
  std::atomic<bool> ended{false};
  client.call_async("late", {{"ms", 1}}, [&](Answer a) { ended = !a && a.error().code == base::ErrorCode::lost; });
  ::close(ends.b);
  client.wait_closed();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(client.open());
  EXPECT_EQ(client.call("add", json::object()).error().code, base::ErrorCode::lost);
}

TEST(Channel, NonsenseFromThePeerClosesWithAnError) {
  const Ends ends = socket_pair();
  std::atomic<bool> told{false};
  Handlers h;
  h.closed = [&](const base::Error& e) { told = e.message.find("not a JSON-RPC message") != std::string::npos; };
  Channel client(ends.a, ::dup(ends.a), h);
  ASSERT_TRUE(write_frame(ends.b, "nonsense"));
  client.wait_closed();
  EXPECT_TRUE(told);
  ::close(ends.b);
}

TEST(Channel, TimeoutsAndCancels) {
  Pair p;
  EXPECT_EQ(p.client.call("late", {{"ms", 2000}}, 0.1).error().code, base::ErrorCode::lost);
  base::CancelToken token;
  token.cancel();
  const double start = base::now_s();
  EXPECT_EQ(p.client.call("late", {{"ms", 5000}}, -1, &token).error().code, base::ErrorCode::cancelled);
  EXPECT_LT(base::now_s() - start, 4);
}

}  // namespace
}  // namespace kw::protocol
