#include "core/protocol/records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kw::protocol {
namespace {

Measurement with_interval(double low, double high) {
  Measurement m;
  m.ratio = 1;
  m.ratio_ci95 = {low, high};
  return m;
}

TEST(Records, OutcomeFollowsTheInterval) {
  EXPECT_EQ(outcome(with_interval(1.01, 1.5)), Outcome::faster);
  EXPECT_EQ(outcome(with_interval(0.5, 0.99)), Outcome::slower);
  EXPECT_EQ(outcome(with_interval(0.98, 1.02)), Outcome::equal);
  EXPECT_EQ(outcome(with_interval(0.9, 1.1)), Outcome::undecided);
  EXPECT_EQ(outcome(with_interval(1.0, 1.2)), Outcome::undecided);
  EXPECT_EQ(outcome(with_interval(0, std::numeric_limits<double>::infinity())), Outcome::undecided);
}

TEST(Records, EveryVerdictHasItsRowInOrder) {
  for (std::size_t i = 0; i < verdicts().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(verdicts()[i].verdict), i);
  EXPECT_STREQ(name(Verdict::impossible_speed), "impossible_speed");
  EXPECT_STREQ(name(Verdict::not_evaluated), "not_evaluated");
  EXPECT_EQ(verdicts().size(), static_cast<std::size_t>(Verdict::not_evaluated) + 1);
}

TEST(Records, EvaluationSurvivesTheWire) {
  Evaluation e;
  e.verdict = Verdict::cheat;
  e.kind = "constant_output";
  e.evidence.summary = "s";
  e.evidence.worst = {{0, {1, 2}, std::nan(""), -HUGE_VAL, 3}};
  e.evidence.errors = {{1e-7, 1e-8, HUGE_VAL, 1e-8, 4e-7, 4e-8, 3}};
  e.measurement = with_interval(0.5, std::numeric_limits<double>::infinity());
  e.measurement->candidate_us = {1, 2};
  e.measurement->weaker = {{"eager", 12.5, 1.25, {1.2, 1.3}}};
  e.spans = {{"compile", 1.5, 2.5}};
  const json wire = json::parse(json(e).dump());
  const auto back = wire.get<Evaluation>();
  EXPECT_EQ(back.verdict_text(), "cheat:constant_output");
  EXPECT_TRUE(std::isnan(back.evidence.worst.at(0).value));
  EXPECT_EQ(back.evidence.worst.at(0).truth, -HUGE_VAL);
  EXPECT_EQ(back.evidence.errors.at(0).left_out, 3);
  EXPECT_TRUE(std::isinf(back.evidence.errors.at(0).eager_max));
  EXPECT_TRUE(std::isinf(back.measurement->ratio_ci95.high));
  EXPECT_EQ(back.measurement->candidate_us, (std::vector<double>{1, 2}));
  ASSERT_EQ(back.measurement->weaker.size(), 1u);
  EXPECT_EQ(back.measurement->weaker[0].name, "eager");
  EXPECT_EQ(back.measurement->weaker[0].median_us, 12.5);
  EXPECT_EQ(back.measurement->weaker[0].ratio_ci95.high, 1.3);
  EXPECT_EQ(back.spans.at(0).what, "compile");
}

TEST(Records, EveryWayOfTheWholeModelSurvivesTheWire) {
  EndToEnd e;
  e.speedup = 1.5;
  e.ways = {{"CUDA graph", 300, 200, 1.5, {1.4, std::numeric_limits<double>::infinity()}, 20}};
  const auto back = json::parse(json(e).dump()).get<EndToEnd>();
  ASSERT_EQ(back.ways.size(), 1u);
  EXPECT_EQ(back.ways[0].name, "CUDA graph");
  EXPECT_EQ(back.ways[0].after_us, 200);
  EXPECT_TRUE(std::isinf(back.ways[0].speedup_ci95.high));
  EXPECT_EQ(back.ways[0].rounds, 20);
}

TEST(Records, AnEventsLaunchSurvivesTheWireAndIsAbsentWhereThereIsNone) {
  TimelineEvent kernel{"gemm", "kernels", 1.5, 2.5, 3};
  kernel.grid = {128, 2, 1};
  kernel.block = {256, 1, 1};
  kernel.registers = 40;
  kernel.shared_bytes = 1536;
  Evaluation e;
  e.timeline = {kernel, {"relu", "operators", 0, 1, 4}};
  const json wire = json::parse(json(e).dump());
  EXPECT_EQ(wire["timeline"][1], (json{{"name", "relu"}, {"track", "operators"}, {"start_us", 0.0}, {"duration_us", 1.0}, {"node", 4}}));
  const auto back = wire.get<Evaluation>().timeline;
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].grid, kernel.grid);
  EXPECT_EQ(back[0].block, kernel.block);
  EXPECT_EQ(back[0].registers, 40);
  EXPECT_EQ(back[0].shared_bytes, 1536);
  EXPECT_EQ(back[1].grid[0], 0);
  EXPECT_FALSE(json(Evaluation{}).contains("timeline"));
}

// What sessions held before events had launches and profiles notes.
TEST(Records, OldProfilesAreRead) {
  const auto p = json::parse(R"({"model_us": 5, "timeline": [{"name": "mm", "track": "operators", "start_us": 1, "duration_us": 2, "node": 0}]})").get<Profile>();
  EXPECT_EQ(p.note, "");
  EXPECT_EQ(p.timeline.at(0).registers, 0);
}

TEST(Records, AbsentMeasurementStaysAbsent) {
  const auto back = json(Evaluation{}).get<Evaluation>();
  EXPECT_FALSE(back.measurement.has_value());
  EXPECT_EQ(back.verdict, Verdict::not_evaluated);
}

TEST(Records, UnknownFieldsAndWordsDoNotBreakReading) {
  const auto e = json::parse(R"({"verdict": "from_the_future", "more": 1})").get<Evaluation>();
  EXPECT_EQ(e.verdict, Verdict::not_evaluated);
}

}  // namespace
}  // namespace kw::protocol
