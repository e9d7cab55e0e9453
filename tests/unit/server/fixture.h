#pragma once
// A client and a Server over a socketpair, in a folder of their own.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/clock.h"
#include "core/engine/server/server.h"
#include "core/engine/store/plan_json.h"

namespace kw::server::testing {

namespace fs = std::filesystem;
using protocol::Answer;
using protocol::json;

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_server_XXXXXX").string();
    folder_ = fs::canonical(mkdtemp(pattern.data()));
    ServerOptions options;
    options.version = "test";
    options.worker = std::string(std::getenv("KW_BIN_DIR")) + "/kw_fake_worker";
    options.uploads = at("uploads");
    options.trusted = at("config/trusted");
    int fds[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    server_ = std::make_unique<Server>(options, fds[0], dup(fds[0]));
    thread_ = std::thread([this] { ended_ = server_->run(stop_); });
    raw_ = dup(fds[1]);
    protocol::Handlers handlers;
    for (const char* method : {"session/changed", "run/state", "job/progress", "job/done", "log"})
      handlers.notifications[method] = [this, method](const json& params) { keep(method, params); };
    channel_ = std::make_unique<protocol::Channel>(fds[1], dup(fds[1]), std::move(handlers));
  }
  void TearDown() override {
    stop_.cancel();
    hang_up();
    fs::remove_all(folder_);
  }
  void hang_up() {
    if (!thread_.joinable()) return;
    channel_->close();
    shutdown(raw_, SHUT_RDWR);
    close(raw_);
    channel_.reset();
    thread_.join();
    server_.reset();
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Answer ask(const std::string& method, const json& params) { return channel_->call(method, params, 60); }
  json got(const std::string& method, const json& params) {
    auto answer = ask(method, params);
    EXPECT_TRUE(answer.ok()) << method << ": " << (answer ? "" : answer.error().text());
    return answer ? *answer : json::object();
  }
  base::Error refused(const std::string& method, const json& params) {
    auto answer = ask(method, params);
    EXPECT_FALSE(answer.ok()) << method << ": " << (answer ? answer->dump() : "");
    return answer ? base::Error{} : answer.error();
  }
  json greet() { return got("initialize", {{"protocol", protocol::protocol_version}, {"client", "test"}}); }

  // The first notification of that kind that `wanted` accepts, also of those that came before; null: none within a minute.
  json told(const std::string& method, const std::function<bool(const json&)>& wanted = [](const json&) { return true; }) {
    const double until = base::now_s() + 60;
    const base::Lock lock(mutex_);
    for (std::size_t seen = 0; base::now_s() < until;) {
      for (; seen < notes_.size(); ++seen)
        if (notes_[seen].first == method && wanted(notes_[seen].second)) return notes_[seen].second;
      arrived_.wait_for(mutex_, std::chrono::milliseconds(100));
    }
    ADD_FAILURE() << "no " << method;
    return {};
  }
  int count(const std::string& method) {
    const base::Lock lock(mutex_);
    return static_cast<int>(std::count_if(notes_.begin(), notes_.end(), [&](const auto& note) { return note.first == method; }));
  }

  fs::path folder_;
  base::CancelToken stop_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
  base::Status ended_ = base::done();
  std::unique_ptr<protocol::Channel> channel_;
  int raw_ = -1;                       // the client's end once more, to send what no Channel sends

 private:
  void keep(const std::string& method, const json& params) {
    const base::Lock lock(mutex_);
    notes_.emplace_back(method, params);
    arrived_.notify_all();
  }
  base::Mutex mutex_;
  base::Condition arrived_;
  std::vector<std::pair<std::string, json>> notes_;
};

inline store::CandidateRecord candidate(const std::string& id, const std::string& hash) {
  store::CandidateRecord c;
  c.id = id;
  c.task = "t00-softmax";
  c.recipe = "generator=0 vector.k0=8";
  c.structural_hash = hash;
  plan::Plan plan;
  plan.target = "cpu";
  plan.buffers = {{"x", plan::BufferRole::input, {graph::DType::f32, {4}, {1}}}, {"out", plan::BufferRole::output, {graph::DType::f32, {4}, {1}}},
                  {"w", plan::BufferRole::workspace, {graph::DType::f32, {8}, {1}}}};
  plan.steps = {{plan::StepKind::kernel, "k", {0, 1, 2}, true, {}}};
  plan.source = "// " + hash + "\nextern \"C\" void k(void* const* b) {}\n";
  store::set_plan(c, plan);
  return c;
}

// `ratio` 0: wrong result. `at_s`: Unix time.
inline store::EvaluationRecord evaluation(std::int64_t run, std::vector<std::string> path, double ratio, double at_s) {
  store::EvaluationRecord e;
  e.run = run;
  e.candidate = path.back();
  e.path = std::move(path);
  e.completed_s = at_s;
  e.evaluation.verdict = ratio > 0 ? protocol::Verdict::accepted : protocol::Verdict::wrong_result;
  e.evaluation.evidence.summary = ratio > 0 ? "right" : "output 0 differs";
  if (ratio <= 0) return e;
  protocol::Measurement m;
  m.ratio = ratio;
  m.ratio_ci95 = {ratio * 0.99, ratio * 1.01};
  m.candidate_median_us = 100 / ratio;
  e.evaluation.measurement = m;
  return e;
}

// c1 (1.0) -> c2 (2.0) -> c4 (wrong);  c1 -> c3 (1.5), the third walked last.
inline void record(const std::string& path) {
  store::ModelInfo model;
  model.path = "/models/m.pt2";
  model.kind = "pt2";
  auto session = store::Session::create(path, model);
  ASSERT_TRUE(session.ok()) << session.error().text();
  store::TaskRecord task;
  task.id = "t00-softmax";
  task.share = 0.5;
  task.graph = json::object();
  task.instances = {{{"nodes", {3}}, {"inputs", json::array()}, {"outputs", json::array()}}};
  protocol::OperatorCard card;
  card.op = "aten.softmax.int";
  card.signature = "aten.softmax.int(f32[8, 256])";
  card.share = 0.5;
  card.nodes = {3};
  EXPECT_TRUE(session->set_tasks({task}).ok());
  EXPECT_TRUE(session->set_cards({card}).ok());
  EXPECT_TRUE(session->set_environment({}).ok());
  EXPECT_TRUE(session->set_timeline("profile", {{"a", "operators", 0, 10, 3}, {"b", "operators", 20, 1, 4}, {"c", "operators", 21.5, 2, 5}}).ok());
  const auto run = session->begin_run({{"evaluations", 4}});
  EXPECT_TRUE(session->add_candidate(candidate("c1", "h1"), {}).ok());
  EXPECT_TRUE(session->add_candidate(candidate("c2", "h2"), {{"c1", "c2", "vector.k0", "4", "8", "vector width", "wider", 3.0}}).ok());
  EXPECT_TRUE(session->add_candidate(candidate("c3", "h3"), {{"c1", "c3", "tile.k0", "1", "2", "tile", "larger", 1.0}}).ok());
  EXPECT_TRUE(session->add_candidate(candidate("c4", "h4"), {{"c2", "c4", "tile.k0", "1", "2", "tile", "larger", 1.0}}).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation(*run, {"c1"}, 1.0, 1000)).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation(*run, {"c1", "c2"}, 2.0, 1001)).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation(*run, {"c1", "c2", "c4"}, 0, 1002)).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation(*run, {"c1", "c3"}, 1.5, 1004)).ok());
  store::RunRecord end;
  end.id = *run;
  EXPECT_TRUE(session->end_run(end).ok());
}

}  // namespace kw::server::testing
