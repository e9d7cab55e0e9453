// Searches that run in the server, on the fake worker.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/unit/server/fixture.h"

namespace kw::server::testing {
namespace {

class RunTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    setenv("KW_FAKE_DELAY_MS", "5", 1);
    std::ofstream(at("model.py")) << "# a model that the fake worker makes up\n";
    greet();
    got("trust/grant", {{"sha256", got("trust/check", {{"path", at("model.py")}})["sha256"]}});
  }
  void TearDown() override {
    ServerTest::TearDown();
    unsetenv("KW_FAKE_DELAY_MS");
  }
  json start(int evaluations) { return got("run/start", {{"path", at("model.py")}, {"threads", 2}, {"evaluations", evaluations}}); }
  json state(const std::string& wanted) {
    return told("run/state", [&](const json& p) { return p["state"] == wanted; });
  }
  json done(const json& job) {
    return told("job/done", [&](const json& p) { return p["job"] == job; });
  }
  json tree(const std::string& session) { return got("session/tree", {{"session", session}, {"since", nullptr}})["nodes"]; }
};

TEST_F(RunTest, ARunIsToldFromBeginningToEnd) {
  const json started = start(20);
  EXPECT_EQ(started["session"], at("model.kwr"));
  got("session/open", {{"path", started["session"]}});
  EXPECT_EQ(done(started["job"])["result"]["reason"], "evaluations");
  for (const char* name : {"searching", "confirming", "timing the model", "done"}) state(name);
  EXPECT_EQ(state("done")["evaluations"], 20);
  int judged = 0;
  for (const json& node : tree(started["session"])) judged += node["verdict"] != "" && node["verdict"] != "in_flight";
  EXPECT_GE(judged, 20);
  EXPECT_EQ(got("session/open", {{"path", started["session"]}})["running"], false);
  EXPECT_TRUE(got("jobs/list", json::object())["jobs"].empty());
  EXPECT_FALSE(fs::exists(at("model.kwr-wal")));   // no reader kept the file open
}

TEST_F(RunTest, ARunIsPausedResumedAndStopped) {
  const json started = start(100000);
  const json session = {{"session", started["session"]}};
  got("session/open", {{"path", started["session"]}});
  told("run/state", [](const json& p) { return p["state"] == "searching" && p.value("evaluations", 0) > 0; });
  EXPECT_EQ(got("jobs/list", json::object())["jobs"][0]["what"], "optimize");
  got("run/pause", session);
  const int before = state("paused")["evaluations"];
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const auto evaluations = got("session/history", session)["steps"].size();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(got("session/history", session)["steps"].size(), evaluations);
  got("run/resume", session);
  told("run/state", [&](const json& p) { return p["state"] == "searching" && p.value("evaluations", 0) > before + 10; });
  got("run/stop", {{"session", started["session"]}, {"confirm", true}});
  EXPECT_EQ(done(started["job"])["result"]["reason"], "stopped");
  state("confirming");
}

TEST_F(RunTest, ASubtreeIsBannedAndANodeIsExpanded) {
  const json started = start(100000);
  const json session = started["session"];
  got("session/open", {{"path", session}});
  told("run/state", [](const json& p) { return p["state"] == "searching" && p.value("evaluations", 0) > 10; });
  // The root of a task: nothing of that task is evaluated any more.
  json root;
  for (const json& node : tree(session))
    if (root.is_null()) root = node;
  got("run/steer", {{"session", session}, {"action", "ban"}, {"candidate", root["id"]}});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto of_task = [&] {
    int n = 0;
    for (const json& step : got("session/history", {{"session", session}})["steps"]) n += step["task"] == root["task"];
    return n;
  };
  const int banned = of_task();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(of_task(), banned);
  got("run/pause", {{"session", session}});
  const auto children = got("candidate/get", {{"session", session}, {"id", root["id"]}})["children"].size();
  got("run/steer", {{"session", session}, {"action", "expand"}, {"candidate", root["id"]}});
  got("run/resume", {{"session", session}});
  const double until = base::now_s() + 10;
  while (got("candidate/get", {{"session", session}, {"id", root["id"]}})["children"].size() == children && base::now_s() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(got("candidate/get", {{"session", session}, {"id", root["id"]}})["children"].size(), children + 1);
  got("run/stop", {{"session", session}});
  EXPECT_EQ(done(started["job"])["result"]["reason"], "cancelled");
}

TEST_F(RunTest, AnEditIsEvaluatedBesideTheSearchAndAfterIt) {
  const json started = start(100000);
  const json session = started["session"];
  got("session/open", {{"path", session}});
  told("run/state", [](const json& p) { return p["state"] == "searching" && p.value("evaluations", 0) > 5; });
  const json first = got("candidate/edit", {{"session", session}, {"parent", "c1"}, {"source", "// by hand\n"}});
  EXPECT_EQ(first["candidate"], "e1");
  const json judged = done(first["job"]);
  ASSERT_TRUE(judged.contains("result")) << judged.dump();
  EXPECT_EQ(judged["result"]["evaluation"]["purpose"], "edit");
  got("review/set", {{"session", session}, {"candidate", "e1"}, {"decision", "comment"}, {"comment", "mine"}, {"reviewer", "ada"}});
  got("run/stop", {{"session", session}});
  done(started["job"]);
  EXPECT_EQ(refused("candidate/edit", {{"session", session}, {"parent", "c1"}, {"source", "// by hand\n"}}).context, "e1");
  const json second = got("candidate/edit", {{"session", session}, {"parent", "e1"}, {"source", "// by hand again\n"}});
  ASSERT_TRUE(done(second["job"]).contains("result")) << done(second["job"]).dump();
  const json edit = got("candidate/get", {{"session", session}, {"id", "e2"}});
  EXPECT_EQ(edit["kind"], "edited");
  EXPECT_EQ(edit["parents"][0]["parent"], "e1");
  EXPECT_EQ(edit["parents"][0]["kind"], "edit");
  EXPECT_EQ(edit["evaluations"].size(), 1u);
  const json verified = got("candidate/verify", {{"session", session}, {"id", "c1"}});
  EXPECT_EQ(done(verified["job"])["result"]["evaluation"]["purpose"], "verify");
  // A session with edits is gone on with.
  EXPECT_EQ(done(start(5)["job"])["result"]["reason"], "evaluations");
}

// Somebody else's session, and one that does not say whose it is: its candidates run once the user agreed to each.
TEST_F(RunTest, ACandidateOfAForeignSessionRunsOnlyWhenAgreedTo) {
  const char* origins[] = {"UPDATE meta SET value = '{\"host\": \"elsewhere\", \"user\": \"eve\"}' WHERE key = 'origin'", "DELETE FROM meta WHERE key = 'origin'"};
  for (const char* sql : origins) {
    const json started = start(5);
    const std::string session = started["session"];
    done(started["job"]);
    got("session/open", {{"path", session}});
    SQLite::Database(session, SQLite::OPEN_READWRITE).exec(sql);
    EXPECT_EQ(got("session/open", {{"path", session}})["foreign"], true);
    const json verify = {{"session", session}, {"id", "c1"}}, edit = {{"session", session}, {"parent", "c1"}, {"source", std::string("// ") + sql + "\n"}};
    EXPECT_EQ(refused("candidate/verify", verify).context, "trust candidate");
    EXPECT_EQ(refused("candidate/edit", edit).context, "trust candidate");
    got("trust/grant", {{"sha256", got("candidate/get", {{"session", session}, {"id", "c1"}})["hash"]}});
    EXPECT_TRUE(done(got("candidate/verify", verify)["job"]).contains("result"));
    fs::remove(at("config/trusted"));
    got("trust/grant", {{"sha256", got("trust/check", {{"path", at("model.py")}})["sha256"]}});
  }
}

TEST_F(RunTest, AProfileMakesASessionWithOperatorsOnly) {
  const json started = got("model/profile", {{"path", at("model.py")}, {"threads", 2}});
  ASSERT_TRUE(done(started["job"]).contains("result"));
  got("session/open", {{"path", started["session"]}});
  const json operators = got("session/operators", {{"session", started["session"]}});
  EXPECT_EQ(operators["operators"].size(), 7u);
  EXPECT_EQ(operators["model_us"], 900.0);
  EXPECT_TRUE(tree(started["session"]).empty());
}

TEST_F(RunTest, WithoutItsClientARunGoesOnToItsEnd) {
  const json started = start(60);
  hang_up();
  EXPECT_TRUE(ended_.ok());
  auto session = store::Session::open(at("model.kwr"), store::Session::Access::read);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->runs()->back().reason, "evaluations");
}

TEST_F(RunTest, AModelThatCannotBeOpenedIsAnErrorOfTheRequest) {
  std::ofstream(at("model.txt")) << "no model";
  EXPECT_EQ(refused("run/start", {{"path", at("model.txt")}}).code, base::ErrorCode::bad_input);
  EXPECT_TRUE(got("jobs/list", json::object())["jobs"].empty());
}

}  // namespace
}  // namespace kw::server::testing
