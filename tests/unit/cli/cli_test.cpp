#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "core/base/clock.h"
#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/engine/store/session.h"

namespace kw::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_cli_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(at("model.py")) << "# a model that the fake worker makes up\n";
    environment_ = {"KW_WORKER_PROGRAM=" + bin("kw_fake_worker"), "KW_FAKE_LOG=" + at("log")};
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all, fs::perm_options::add);
    fs::remove_all(folder_);
  }
  static std::string bin(const std::string& name) { return std::string(std::getenv("KW_BIN_DIR")) + "/" + name; }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  base::SpawnOptions command(std::vector<std::string> words) const {
    base::SpawnOptions options;
    options.argv = {bin("kernelwright")};
    for (auto& word : words) options.argv.push_back(std::move(word));
    options.environment = environment_;
    options.cwd = folder_.string();
    options.pipe_stdout = options.pipe_stderr = true;
    return options;
  }
  base::Captured run(std::vector<std::string> words) const {
    auto done = base::run_captured(command(std::move(words)), 120);
    EXPECT_TRUE(done.ok()) << done.error().text();
    return done.ok() ? std::move(*done) : base::Captured{};
  }
  // Starts optimize with slow evaluations and returns once `evaluations` of them have begun.
  base::ChildProcess started(std::vector<std::string> words, int evaluations) {
    auto options = command(std::move(words));
    options.environment.push_back("KW_FAKE_DELAY_MS=30");
    options.pipe_stdout = options.pipe_stderr = false;
    auto child = base::ChildProcess::spawn(options);
    EXPECT_TRUE(child.ok());
    const double until = base::now_s() + 60;
    while (log_lines() < evaluations && base::now_s() < until) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(log_lines(), evaluations);
    return std::move(*child);
  }
  int log_lines() const {
    std::ifstream file(at("log"));
    int n = 0;
    for (std::string line; std::getline(file, line);) ++n;
    return n;
  }
  // Search verdicts by candidate in the session; not_evaluated does not count.
  std::map<std::string, int> judged(const std::string& name) const {
    auto session = store::Session::open(at(name), store::Session::Access::read);
    EXPECT_TRUE(session.ok()) << session.error().text();
    std::map<std::string, int> out;
    const auto evaluations = session->evaluations("");
    for (const auto& e : *evaluations)
      if (e.purpose == "search" && e.evaluation.verdict != protocol::Verdict::not_evaluated) ++out[e.candidate];
    return out;
  }
  fs::path folder_;
  std::vector<std::string> environment_;
};

TEST_F(CliTest, OptimizeWritesSessionTablesAndJson) {
  const auto done = run({"optimize", "model.py", "--evals", "20", "--threads", "2", "--json", "out.json"});
  EXPECT_EQ(done.status.code, 0) << done.err;
  EXPECT_NE(done.out.find("t00-softmax"), std::string::npos);
  EXPECT_NE(done.out.find("Whole model: 900 µs -> 750 µs, 1.20×"), std::string::npos) << done.out;
  const json out = json::parse(*base::read_file(at("out.json")));
  EXPECT_EQ(out["schema"], "kernelwright.optimize/1");
  EXPECT_EQ(out["evaluations"], 20);
  EXPECT_EQ(out["tasks"].size(), 3u);
  EXPECT_TRUE(fs::exists(at("model.kwr")));
  EXPECT_FALSE(fs::exists(at("model.kwr-wal")));
  EXPECT_FALSE(fs::exists(at("model.kwr.lock")));
  for (const auto& words : std::vector<std::vector<std::string>>{{"show", "model.kwr"}, {"show", "model.kwr", "tree"}, {"show", "model.kwr", "failures"},
                                                                 {"show", "model.kwr", "candidate", "c1"}, {"diff", "model.kwr", "c1", "c4"}}) {
    const auto shown = run(words);
    EXPECT_EQ(shown.status.code, 0) << shown.err;
    EXPECT_FALSE(shown.out.empty());
  }
}

TEST_F(CliTest, KillOfTheEngineLosesOnlyWhatWasInFlight) {
  {
    auto child = started({"optimize", "model.py", "--evals", "30", "--threads", "2"}, 12);
    kill(child.pid(), SIGKILL);
    child.wait(10);
  }
  const int before = static_cast<int>(judged("model.kwr").size());
  EXPECT_GE(before, 12 - 6 - 1);   // six in flight, one being written
  const auto done = run({"optimize", "model.py", "--evals", "30", "--threads", "2"});
  EXPECT_EQ(done.status.code, 0) << done.err;
  EXPECT_NE(done.err.find("continued"), std::string::npos) << done.err;
  const auto all = judged("model.kwr");
  EXPECT_EQ(all.size(), 30u);
  for (const auto& [id, n] : all) EXPECT_EQ(n, 1) << id;
}

TEST_F(CliTest, InterruptStopsCleanlyAndTheSameCommandDoesTheRest) {
  {
    auto child = started({"optimize", "model.py", "--evals", "30", "--threads", "2"}, 10);
    kill(child.pid(), SIGINT);
    const auto status = child.wait(30);
    ASSERT_TRUE(status);
    EXPECT_EQ(status->code, 130);
  }
  EXPECT_FALSE(fs::exists(at("model.kwr-wal")));
  EXPECT_LT(judged("model.kwr").size(), 30u);
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "30", "--threads", "2"}).status.code, 0);
  EXPECT_EQ(judged("model.kwr").size(), 30u);
}

TEST_F(CliTest, ASecondInterruptStopsAtOnce) {
  environment_.push_back("KW_FAKE_DELAY_MS=100000");
  auto options = command({"optimize", "model.py", "--evals", "30", "--threads", "2"});
  options.pipe_stdout = options.pipe_stderr = false;
  auto child = base::ChildProcess::spawn(options);
  ASSERT_TRUE(child.ok());
  while (log_lines() < 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(child->pid(), SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child->pid(), SIGINT);
  const auto status = child->wait(2);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 130);
}

TEST_F(CliTest, ASecondWriterIsToldWhoWrites) {
  auto child = started({"optimize", "model.py", "--evals", "1000", "--threads", "2", "--session", "s.kwr"}, 3);
  const auto second = run({"optimize", "model.py", "--evals", "5", "--threads", "2", "--session", "s.kwr"});
  EXPECT_EQ(second.status.code, 1);
  EXPECT_NE(second.err.find("process " + std::to_string(child.pid())), std::string::npos) << second.err;
  EXPECT_EQ(run({"show", "s.kwr"}).status.code, 0);   // reading is always possible
}

TEST_F(CliTest, ForeignAndNewerSessionsAreRefusedUntouched) {
  const std::string foreign(300, 'x');
  std::ofstream(at("foreign.kwr")) << foreign;
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "5", "--session", "newer.kwr"}).status.code, 0);
  sqlite3* db = nullptr;
  sqlite3_open(at("newer.kwr").c_str(), &db);
  sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  for (const std::string name : {"foreign.kwr", "newer.kwr"}) {
    const auto before = *base::read_file(at(name));
    for (const auto& words : std::vector<std::vector<std::string>>{{"optimize", "model.py", "--session", name}, {"show", name}, {"verify", name, "c1"}}) {
      const auto done = run(words);
      EXPECT_EQ(done.status.code, 2) << done.err;
      EXPECT_NE(done.err.find("error: "), std::string::npos);
    }
    EXPECT_EQ(*base::read_file(at(name)), before) << name;
  }
}

TEST_F(CliTest, AFullDiskIsSaidAndTheRestIsDoneLater) {
  auto options = command({"optimize", "model.py", "--evals", "30", "--threads", "2"});
  options.limits = {{RLIMIT_FSIZE, 400000}};
  auto done = base::run_captured(options, 120);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.code, 1) << done->status.text() << done->err;
  EXPECT_NE(done->err.find("disk"), std::string::npos) << done->err;
  const auto kept = judged("model.kwr");
  const auto again = run({"optimize", "model.py", "--evals", "30", "--threads", "2"});
  EXPECT_EQ(again.status.code, 0) << again.err;
  const auto all = judged("model.kwr");
  EXPECT_EQ(all.size(), 30u);
  for (const auto& [id, n] : kept) EXPECT_EQ(all.at(id), 1) << id;
}

TEST_F(CliTest, AFolderThatCannotBeWrittenSuggestsAnotherPlace) {
  // Nobody, not even root, can make a file in /proc.
  const auto done = run({"optimize", "model.py", "--evals", "5", "--session", "/proc/s.kwr"});
  EXPECT_EQ(done.status.code, 1) << done.err;
  EXPECT_NE(done.err.find("--session"), std::string::npos) << done.err;
}

TEST_F(CliTest, AWorkerThatDiesIsReplaced) {
  environment_.push_back("KW_FAKE_DIE_AT=8");
  environment_.push_back("KW_FAKE_MARK=" + at("mark"));
  const auto done = run({"optimize", "model.py", "--evals", "25", "--threads", "2"});
  EXPECT_EQ(done.status.code, 0) << done.err;
  EXPECT_NE(done.out.find("Workers replaced: 1"), std::string::npos) << done.out;
  EXPECT_EQ(judged("model.kwr").size(), 25u);
}

TEST_F(CliTest, ARunInWhichNothingCouldBeJudgedIsNoSuccess) {
  environment_.push_back("KW_FAKE_REFUSE=t0");
  const auto done = run({"optimize", "model.py", "--evals", "5", "--threads", "2"});
  EXPECT_EQ(done.status.code, 1);
  EXPECT_NE(done.err.find("cannot be captured"), std::string::npos) << done.err;
}

TEST_F(CliTest, BadInputIsStatusTwoWithOneMessage) {
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "4"}).status.code, 0);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"optimize", "missing.py"}, {"optimize", "model.py", "--evals", "many"}, {"optimize", "model.py", "--evals", "0"}, {"optimize", "model.py", "--target", "tpu"},
           {"optimize", "model.py", "--llm", "any"}, {"optimize", "model.py", "--json", "no/such/folder/x.json"}, {"optimize"}, {"frobnicate"},
           {"optimize", "log"}, {"show", "missing.kwr"}, {"show", "model.kwr", "candidate", "c99"}, {"show", "model.kwr", "candidate"}, {"show", "model.kwr", "tree", "c1"}, {"show", "model.kwr", "--trace", "x.json"},
           {"diff", "model.kwr", "c1", "c99"}, {"verify", "model.kwr", "c99"}, {"export", "model.kwr", "c99", "--out", "x"}, {"export", "model.kwr", "c1", "--out", "x.kwpkg"}}) {
    const auto done = run(words);
    std::string line;
    for (const auto& word : words) line += word + " ";
    EXPECT_EQ(done.status.code, 2) << line << done.err;
    EXPECT_EQ(done.err.find("what():"), std::string::npos) << line << done.err;
    EXPECT_FALSE(done.err.empty()) << line;
  }
}

TEST_F(CliTest, ProfileWritesCardsAndATrace) {
  const auto done = run({"profile", "model.py", "--json", "cards.json", "--trace", "trace.json"});
  EXPECT_EQ(done.status.code, 0) << done.err;
  const json cards = json::parse(*base::read_file(at("cards.json")));
  for (const char* key : {"operator", "signature", "module_path", "source", "calls", "time_us", "share", "bytes", "flops", "bound", "roofline_share"})
    EXPECT_TRUE(cards["cards"][0].contains(key)) << key;
  const json events = json::parse(*base::read_file(at("trace.json")))["traceEvents"];
  const auto gemm = std::find_if(events.begin(), events.end(), [](const json& e) { return e["name"] == "made_up_gemm"; });
  ASSERT_NE(gemm, events.end());
  EXPECT_EQ((*gemm)["args"]["operator"], "aten.mm.default");
  EXPECT_EQ((*gemm)["args"]["source"], "model.py:5");
}

TEST_F(CliTest, TheTimelineIsShownAndWrittenFromTheSession) {
  EXPECT_EQ(run({"profile", "model.py", "--session", "s.kwr", "--trace", "profiled.json"}).status.code, 0);
  const auto shown = run({"show", "s.kwr", "timeline", "--trace", "shown.json"});
  EXPECT_EQ(shown.status.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("made_up_gemm"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("layer_norm.default"), std::string::npos) << shown.out;
  const auto events = [&](const std::string& file) { return json::parse(*base::read_file(at(file)))["traceEvents"].size(); };
  EXPECT_EQ(events("shown.json"), events("profiled.json"));
}

TEST_F(CliTest, AWinnersPageHasTheTimesOfItsKernels) {
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "20"}).status.code, 0);
  auto session = store::Session::open(at("model.kwr"), store::Session::Access::read);
  ASSERT_TRUE(session.ok());
  const auto finals = session->finals();
  ASSERT_FALSE(finals->empty());
  const auto shown = run({"show", "model.kwr", "candidate", finals->front().candidate});
  EXPECT_NE(shown.out.find("candidate, 20.0 µs in all"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("made_up_eager"), std::string::npos) << shown.out;
}

TEST_F(CliTest, OperatorsListsTheLoweringTable) {
  const auto done = run({"operators", "--json"});
  EXPECT_EQ(done.status.code, 0);
  const json listed = json::parse(done.out);
  EXPECT_TRUE(std::any_of(listed["operators"].begin(), listed["operators"].end(), [](const json& row) { return row["operator"] == "aten.softmax.int"; }));
}

TEST_F(CliTest, VerifySaysTheVerdictInItsStatus) {
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "20"}).status.code, 0);
  auto session = store::Session::open(at("model.kwr"), store::Session::Access::read);
  ASSERT_TRUE(session.ok());
  const auto evaluations = session->evaluations("");
  std::string right, wrong;
  for (const auto& e : *evaluations) (e.evaluation.verdict == protocol::Verdict::accepted ? right : wrong) = e.candidate;
  EXPECT_EQ(run({"verify", "model.kwr", right}).status.code, 0);
  EXPECT_EQ(run({"verify", "model.kwr", wrong}).status.code, 1);
}

// What an engineer takes away builds and agrees with itself in C++, and with PyTorch where there is one.
TEST_F(CliTest, AnExportedCandidateBuildsChecksAndLoads) {
  EXPECT_EQ(run({"optimize", "model.py", "--evals", "6"}).status.code, 0);
  for (const std::string id : {"c1", "c2"}) {
    const auto done = run({"export", "model.kwr", id, "--out", id});
    ASSERT_EQ(done.status.code, 0) << done.err;
    base::SpawnOptions check;
    check.argv = {"sh", "-c", "sh build.sh check && ./check"};
    check.environment = {"OMP_NUM_THREADS=2"};
    check.cwd = at(id);
    check.pipe_stdout = check.pipe_stderr = true;
    const auto checked = base::run_captured(check, 120);
    ASSERT_TRUE(checked.ok());
    EXPECT_EQ(checked->status.code, 0) << id << checked->out << checked->err;
    EXPECT_NE(checked->out.find("right"), std::string::npos) << checked->out;
    const std::string python = std::string(std::getenv("KW_SOURCE_DIR")) + "/.venv/bin/python3";
    if (!fs::exists(python)) continue;
    check.argv = {python, "loader.py"};
    const auto loaded = base::run_captured(check, 120);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->status.code, 0) << id << loaded->out << loaded->err;
    EXPECT_NE(loaded->out.find("inside a module: the same"), std::string::npos) << loaded->out;
  }
}

}  // namespace
}  // namespace kw::cli
