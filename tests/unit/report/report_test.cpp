#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <set>

#include "core/engine/report/assembly.h"
#include "core/engine/report/difference.h"
#include "core/engine/report/export_text.h"
#include "core/engine/report/json_report.h"
#include "core/engine/report/pages.h"
#include "core/engine/report/tables.h"
#include "core/engine/report/text.h"

namespace kw::report {
namespace {

namespace fs = std::filesystem;

TEST(Text, UnitsAreTheReaders) {
  EXPECT_EQ(duration(3.14159), "3.14 µs");
  EXPECT_EQ(duration(12345), "12.3 ms");
  EXPECT_EQ(duration(2.5e6), "2.50 s");
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(ratio(1.534), "1.53×");
  EXPECT_EQ(interval({1.5, 1.561}), "[1.50, 1.56]");
  EXPECT_EQ(interval({0, std::numeric_limits<double>::infinity()}), "[0.00, ∞)");
  EXPECT_EQ(bytes(4194304), "4.2 MB");
  EXPECT_EQ(shortened("attention.query.weight", 11), "atten…eight");
  EXPECT_EQ(shortened("short", 11), "short");
}

TEST(Text, ATableLinesUpWithSymbolsOfSeveralBytes) {
  Table table;
  table.column("name");
  table.column("time", Table::Align::right);
  table.row({"a", "1.00 µs"});
  table.row({"long name", "×"});
  EXPECT_EQ(table.text(), "name          time\na          1.00 µs\nlong name        ×\n");
}

TEST(Difference, IsAUnifiedDiff) {
  EXPECT_EQ(unified_difference("a\nb\nc\n", "a\nx\nc\n", "old", "new"), "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
  EXPECT_EQ(unified_difference("same\n", "same\n", "old", "new"), "");
}

TEST(Assembly, ShowsTheInstructionsOfTheSource) {
  const auto text = assembly_of("extern \"C\" double kw_f(double a, double b) { return a * b; }", "g++ (Debian 12) 12", "-O2 -shared -nostartfiles -Wl,-z,now");
  ASSERT_TRUE(text.ok()) << text.error().text();
  EXPECT_NE(text->find("mulsd"), std::string::npos) << *text;
  EXPECT_EQ(assembly_of("not C++", "g++", "").error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(assembly_of("__global__ void k() {}", "NVRTC 13.0", "").error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(assembly_of("", "no-such-compiler-anywhere", "").error().code, base::ErrorCode::not_found);
}

graph::Graph embedding_task() {
  graph::Graph g;
  const auto value = [&](const std::string& name, graph::DType dtype, std::vector<std::int64_t> sizes, graph::Origin origin) {
    graph::Value v;
    v.name = name;
    v.origin = origin;
    v.type = {dtype, sizes, graph::contiguous_strides(sizes)};
    g.values.push_back(v);
  };
  value("weight", graph::DType::f32, {50, 8}, graph::Origin::parameter);
  value("ids", graph::DType::i64, {4}, graph::Origin::input);
  value("rows", graph::DType::f32, {4, 8}, graph::Origin::node);
  value("scaled", graph::DType::f32, {4, 8}, graph::Origin::node);
  g.inputs = {0, 1};
  graph::Node embedding, scale;
  embedding.op = "aten.embedding.default";
  embedding.arguments = {{"weight", false, graph::ValueRef{0}}, {"indices", false, graph::ValueRef{1}}};
  embedding.outputs = {2};
  embedding.source = {"m.py", 7};
  scale.op = "aten.mul.Scalar";
  scale.arguments = {{"self", false, graph::ValueRef{2}}, {"other", false, 0.5}};
  scale.outputs = {3};
  g.nodes = {embedding, scale};
  g.outputs = {{3, graph::OutputKind::user, graph::no_value}};
  return g;
}

TEST(Export, TheTaskInPython) {
  const std::string text = python_task(embedding_task(), "cpu");
  EXPECT_NE(text.find("    (\"weight\", torch.float32, [50,8], [8,1], \"any\"),\n    (\"ids\", torch.int64, [4], [1], \"index 50\"),\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    def forward(self, v0, v1):\n        # m.py:7\n        v2 = torch.ops.aten.embedding.default(v0, v1)\n"
                      "        v3 = torch.ops.aten.mul.Scalar(v2, 0.5)\n        return v3\n"),
            std::string::npos)
      << text;
}

TEST(Export, KernelsAreRenamedOnceEach) {
  plan::Plan plan;
  plan.source = "void k();";
  plan.steps = {{plan::StepKind::kernel, "k", {}, true, {}}, {plan::StepKind::kernel, "k", {}, true, {}}};
  EXPECT_EQ(renamed(plan, "reference_"), "#define k reference_k\n\nvoid k();");
}

// One task with a winner, one with nothing right, one that was never looked at.
class SessionReport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_report_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    store::ModelInfo model;
    model.path = "/m/model.py";
    model.threads = 2;
    auto made = store::Session::create((folder_ / "s.kwr").string(), model);
    ASSERT_TRUE(made.ok());
    session_.emplace(std::move(*made));
    std::vector<store::TaskRecord> tasks(3);
    const char* ids[] = {"t00-softmax", "t01-relu", "t02-cat"};
    for (int i = 0; i < 3; ++i) {
      tasks[i].id = ids[i];
      tasks[i].position = i;
      tasks[i].share = 0.3 / (i + 1);
      tasks[i].operators = {"aten.softmax.int"};
      tasks[i].instances = nlohmann::json::array();
    }
    ASSERT_TRUE(session_->set_tasks(tasks).ok());
    run_ = *session_->begin_run({});
    add("c1", "t00-softmax", 1.2, "search");
    add("c2", "t00-softmax", 1.6, "search");
    add("c3", "t00-softmax", 1.5, "search");
    fail("c4", "t00-softmax");
    fail("c5", "t01-relu");
    const auto second = add("c2", "t00-softmax", 1.3, "final");     // flattered by the search
    const auto third = add("c3", "t00-softmax", 1.45, "final");
    ASSERT_TRUE(session_->set_final({"t00-softmax", "c3", third, true}).ok());
    EXPECT_LT(second, third);
    store::RunRecord run;
    run.id = run_;
    run.reason = "evaluations";
    run.evaluations = 5;
    run.measured = 3;
    run.wall_s = 6;
    run.overhead_share = 0.05;
    ASSERT_TRUE(session_->end_run(run).ok());
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  void candidate(const std::string& id, const std::string& task) {
    if (!known_.insert(id).second) return;
    store::CandidateRecord c;
    c.id = id;
    c.task = task;
    c.structural_hash = id;
    c.plan = {{"steps", {{{"generated", true}}}}};
    c.source = "// " + id + "\n";
    ASSERT_TRUE(session_->add_candidate(c, {}).ok());
  }
  std::int64_t add(const std::string& id, const std::string& task, double speedup, const std::string& purpose) {
    candidate(id, task);
    store::EvaluationRecord e;
    e.run = run_;
    e.candidate = id;
    e.purpose = purpose;
    e.evaluation.verdict = protocol::Verdict::accepted;
    protocol::Measurement m;
    m.baseline = "eager";
    m.ratio = speedup;
    m.baseline_median_us = 100;
    m.candidate_median_us = 100 / speedup;
    m.ratio_ci95 = {speedup - 0.01, speedup + 0.01};
    m.floor_us = 20;
    e.evaluation.measurement = m;
    return *session_->add_evaluation(e);
  }
  void fail(const std::string& id, const std::string& task) {
    candidate(id, task);
    store::EvaluationRecord e;
    e.run = run_;
    e.candidate = id;
    e.evaluation.verdict = protocol::Verdict::wrong_result;
    e.evaluation.evidence.summary = "Output 0 is off at [1].";
    e.evaluation.evidence.worst = {{0, {1}, 1, 2, 0.5}};
    ASSERT_TRUE(session_->add_evaluation(e).ok());
  }
  fs::path folder_;
  std::optional<store::Session> session_;
  std::set<std::string> known_;
  std::int64_t run_ = 0;
};

TEST_F(SessionReport, TheJsonHoldsWhatWasMeasuredAndNullWhereNothingWas) {
  const auto summary = summarize(*session_);
  ASSERT_TRUE(summary.ok()) << summary.error().text();
  const auto j = optimize_json(*summary);
  for (const char* key : {"schema", "model", "target", "device", "threads", "seed", "evaluations", "evaluations_measured", "wall_s", "measured_per_min",
                          "engine_overhead_share", "model_before_us", "model_after_us", "model_speedup", "model_speedup_ci95", "model_ways", "model_error", "model_error_eager"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["measured_per_min"], 30.0);
  EXPECT_TRUE(j["model_speedup"].is_null());
  ASSERT_EQ(j["tasks"].size(), 3u);
  const auto& winner = j["tasks"][0];
  for (const char* key : {"id", "operators", "module_path", "source", "calls", "share", "baseline", "baseline_us", "best_us", "speedup", "speedup_ci95", "outcome",
                          "floor_us", "evaluations", "verdicts", "generated_accepted", "best_candidate"})
    EXPECT_TRUE(winner.contains(key)) << key;
  EXPECT_EQ(winner["best_candidate"], "c3");          // confirmed afresh, though the search had c2 in front
  EXPECT_DOUBLE_EQ(winner["speedup"], 1.45);          // the fresh measurement
  EXPECT_EQ(winner["outcome"], "faster");
  EXPECT_EQ(winner["evaluations"], 4);
  EXPECT_EQ(winner["generated_accepted"], 3);
  EXPECT_EQ(winner["verdicts"], (nlohmann::json{{"accepted", 3}, {"wrong_result", 1}}));
  EXPECT_TRUE(j["tasks"][1]["speedup"].is_null());
  EXPECT_EQ(j["tasks"][1]["outcome"], "undecided");
  EXPECT_TRUE(j["tasks"][2]["best_candidate"].is_null());
}

TEST_F(SessionReport, TheTableSaysWhatBecameOfEachTask) {
  const std::string table = tasks_table(*summarize(*session_));
  EXPECT_NE(table.find("t00-softmax  30.0 %"), std::string::npos) << table;
  EXPECT_NE(table.find("1.45×"), std::string::npos) << table;
  EXPECT_NE(table.find("nothing right"), std::string::npos) << table;
}

TEST_F(SessionReport, FailuresStandUnderTheirVerdictWithEvidence) {
  const auto page = failures_page(*session_);
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("wrong_result: 2. An output differs"), std::string::npos) << *page;
  EXPECT_NE(page->find("output 0 [1]: 1 instead of 2, error 0.5"), std::string::npos) << *page;
}

TEST_F(SessionReport, TheTreeNamesEachCandidateOnceAndItsOtherParents) {
  ASSERT_TRUE(session_->add_edge({"c1", "c2", "k0.vector", "8", "16", "vector width", ""}).ok());
  ASSERT_TRUE(session_->add_edge({"c1", "c3", "k0.unroll", "1", "2", "unroll", ""}).ok());
  ASSERT_TRUE(session_->add_edge({"c2", "c3", "k0.tile", "0", "64", "tile", ""}).ok());
  const auto page = tree_page(*session_);
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("├─ c2  1.60× [1.59, 1.61]  k0.vector 8 -> 16\n└─ c3  1.50× [1.49, 1.51]  k0.unroll 1 -> 2  also from c2\n"), std::string::npos) << *page;
}

TEST_F(SessionReport, TheCandidatePageHasSourceAndMeasurements) {
  const auto page = candidate_page(*session_, "c3", false);
  ASSERT_TRUE(page.ok()) << page.error().text();
  EXPECT_NE(page->find("// c3\n"), std::string::npos);
  EXPECT_NE(page->find("accepted (final"), std::string::npos);
  EXPECT_EQ(candidate_page(*session_, "c99", false).error().code, base::ErrorCode::not_found);
}

}  // namespace
}  // namespace kw::report
