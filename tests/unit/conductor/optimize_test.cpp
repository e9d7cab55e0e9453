#include "core/engine/conductor/optimize.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/engine/conductor/commands.h"

namespace kw::conductor {
namespace {

namespace fs = std::filesystem;

class OptimizeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_conductor_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "model.py") << "# a model that the fake worker makes up\n";
    set("KW_FAKE_LOG", at("log"));
    options_.model.path = at("model.py");
    options_.model.threads = 2;
    options_.model.worker = std::string(std::getenv("KW_BIN_DIR")) + "/kw_fake_worker";
    options_.evaluations = 40;
  }
  void TearDown() override {
    for (const auto& name : set_) unsetenv(name.c_str());
    fs::remove_all(folder_);
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.insert(name);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Optimized run(const OptimizeWatch& watch = {}) {
    auto result = optimize(options_, watch, cancel_);
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result.ok() ? *result : Optimized{};
  }
  // candidate -> how often the worker was asked in the search
  std::map<std::string, int> log() const {
    std::map<std::string, int> out;
    std::ifstream file(at("log"));
    for (std::string candidate, how; file >> candidate >> how;)
      if (how == "search") ++out[candidate];
    return out;
  }
  store::Session session(const std::string& path) const {
    auto opened = store::Session::open(path, store::Session::Access::read);
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    return std::move(*opened);
  }
  fs::path folder_;
  std::set<std::string> set_;
  OptimizeOptions options_;
  base::CancelToken cancel_;
};

TEST_F(OptimizeTest, TheWholeWalk) {
  const Optimized result = run();
  EXPECT_EQ(result.session, at("model.kwr"));
  EXPECT_EQ(result.reason, "evaluations");
  EXPECT_EQ(result.evaluations, 40);
  EXPECT_GE(result.overhead_share, 0);
  EXPECT_LE(result.overhead_share, 1);
  store::Session s = session(result.session);
  const auto tasks = s.tasks();
  ASSERT_EQ(tasks->size(), 3u);
  EXPECT_EQ(tasks->at(0).id, "t00-softmax");   // 160 of 900 us
  EXPECT_NEAR(tasks->at(0).share, 160.0 / 900, 1e-12);
  EXPECT_EQ(tasks->at(0).baseline_us, 100);
  int searched = 0;
  const auto evaluations = s.evaluations("");
  for (const auto& e : *evaluations) searched += e.purpose == "search";
  EXPECT_EQ(searched, 40);
  const auto finals = s.finals();
  EXPECT_GE(finals->size(), 1u);
  for (const auto& final : *finals) EXPECT_EQ(s.candidate(final.candidate)->task, final.task);
  ASSERT_TRUE(s.end_to_end()->has_value());
  EXPECT_DOUBLE_EQ((*s.end_to_end())->speedup, 1.2);
  EXPECT_EQ(s.runs()->at(0).reason, "evaluations");
}

TEST_F(OptimizeTest, TheSameSeedGivesTheSameCandidates) {
  const auto sources = [&](const std::string& name) {
    options_.session = at(name);
    run();
    std::string all;
    store::Session s = session(at(name));
    const auto candidates = s.candidates("");
    for (const auto& c : *candidates) all += c.id + " " + c.recipe + "\n";
    const auto evaluations = s.evaluations("");
    for (const auto& e : *evaluations) all += e.candidate + " " + e.evaluation.verdict_text() + "\n";
    return all;
  };
  const std::string first = sources("a.kwr");
  EXPECT_EQ(first, sources("b.kwr"));
  options_.model.seed = 5;
  EXPECT_NE(first, sources("c.kwr"));
}

TEST_F(OptimizeTest, AWorkerThatDiesIsReplacedAndNothingIsLost) {
  set("KW_FAKE_DIE_AT", "10");
  set("KW_FAKE_MARK", at("mark"));
  const Optimized result = run();
  EXPECT_EQ(result.workers_lost, 1);
  EXPECT_EQ(result.evaluations, 40);
  store::Session s = session(result.session);
  int lost = 0, judged = 0;
  const auto evaluations = s.evaluations("");
  for (const auto& e : *evaluations) {
    lost += e.evaluation.verdict_text() == "not_evaluated:worker_lost";
    judged += e.purpose == "search" && e.evaluation.verdict != protocol::Verdict::not_evaluated;
  }
  EXPECT_GE(lost, 1);
  EXPECT_EQ(judged, 40);
}

TEST_F(OptimizeTest, ACandidateThatKillsItsWorkerIsGivenUpAfterTwoTriesAndTakesNoOtherWithIt) {
  set("KW_FAKE_KILLER", "c5");
  const Optimized result = run();
  EXPECT_EQ(result.evaluations, 40);
  EXPECT_EQ(log()["c5"], 2);
  store::Session s = session(result.session);
  const auto candidates = s.candidates("");
  for (const auto& c : *candidates) {
    bool judged = false;
    const auto evaluations = s.evaluations(c.id);
    for (const auto& e : *evaluations) judged |= e.evaluation.verdict != protocol::Verdict::not_evaluated;
    EXPECT_EQ(judged, c.id != "c5") << c.id;
  }
}

TEST_F(OptimizeTest, ATaskThatCannotBePreparedIsSaidAndTheOthersGoOn) {
  set("KW_FAKE_REFUSE", "softmax");
  const Optimized result = run();
  EXPECT_EQ(result.evaluations, 40);
  store::Session s = session(result.session);
  EXPECT_NE(s.task("t00-softmax")->note.find("cannot be captured"), std::string::npos);
  const auto evaluations = s.evaluations("");
  for (const auto& e : *evaluations) {
    const bool softmax = s.candidate(e.candidate)->task == "t00-softmax";
    EXPECT_TRUE(!softmax || e.evaluation.verdict == protocol::Verdict::not_evaluated);
  }
}

TEST_F(OptimizeTest, CancelKeepsEverythingAndTheSameCommandDoesTheRest) {
  set("KW_FAKE_DELAY_MS", "5");
  OptimizeWatch watch;
  watch.search = [&](const search::Snapshot& s, int) {
    if (s.completed >= 15) cancel_.cancel();
  };
  const Optimized first = run(watch);
  EXPECT_TRUE(first.cancelled);
  EXPECT_EQ(first.reason, "cancelled");
  EXPECT_GE(first.evaluations, 15);
  EXPECT_LT(first.evaluations, 40);
  cancel_ = {};
  std::vector<std::string> said;
  OptimizeWatch second_watch;
  second_watch.common.say = [&](const std::string& line) { said.push_back(line); };
  const Optimized second = run(second_watch);
  EXPECT_EQ(first.session, second.session);
  EXPECT_EQ(first.evaluations + second.evaluations, 40);
  store::Session s = session(second.session);
  std::map<std::string, int> judged;
  const auto evaluations = s.evaluations("");
  for (const auto& e : *evaluations) {
    if (e.purpose != "search" || e.evaluation.verdict == protocol::Verdict::not_evaluated) continue;
    EXPECT_EQ(++judged[e.candidate], 1) << e.candidate;
  }
  EXPECT_EQ(judged.size(), 40u);
}

TEST_F(OptimizeTest, AnotherGraphUnderTheSameFileGetsANewSession) {
  options_.evaluations = 5;
  EXPECT_EQ(run().session, at("model.kwr"));
  set("KW_FAKE_WIDTH", "128");
  EXPECT_EQ(run().session, at("model-2.kwr"));
  options_.session = at("model.kwr");
  const auto named = optimize(options_, {}, cancel_);
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().code, base::ErrorCode::bad_input);
}

TEST_F(OptimizeTest, BadInputIsSaid) {
  options_.task = "t99-nothing";
  EXPECT_EQ(optimize(options_, {}, cancel_).error().code, base::ErrorCode::bad_input);
  options_.model.path = at("missing.py");
  EXPECT_EQ(optimize(options_, {}, cancel_).error().code, base::ErrorCode::bad_input);
  options_.model.path = at("model.py");
  options_.model.worker = at("no-such-worker");
  EXPECT_EQ(optimize(options_, {}, cancel_).error().code, base::ErrorCode::io);
}

TEST_F(OptimizeTest, VerifyEvaluatesAfreshAndKeepsTheResult) {
  options_.evaluations = 5;
  run();
  ModelOptions overrides;
  overrides.worker = options_.model.worker;
  const auto verified = evaluate_candidate(at("model.kwr"), {"c2"}, overrides, {}, cancel_);
  ASSERT_TRUE(verified.ok()) << verified.error().text();
  EXPECT_NE(verified->evaluation.verdict, protocol::Verdict::not_evaluated);
  std::ifstream file(at("log"));
  std::string all((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(all.find("c2 afresh"), std::string::npos);
  EXPECT_EQ(session(at("model.kwr")).evaluations("c2")->back().purpose, "verify");
}

}  // namespace
}  // namespace kw::conductor
