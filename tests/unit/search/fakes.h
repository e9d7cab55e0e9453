#pragma once
// A made-up search space with a known best recipe, an evaluator that knows it, and a journal in memory.

#include <deque>
#include <map>
#include <set>

#include "core/engine/search/search.h"

namespace kw::search::testing {

// Decisions a, b, c in 0 … 4. `c` beyond 2 generates the same code as 2; a = 4 with b = 4 is illegal.
// Speedup: largest (2.0) at a = 3, b = 2, c >= 1; b = 4 gives wrong results.
class FakeSpace final : public Space {
 public:
  explicit FakeSpace(double scale = 1) : scale_(scale) {}
  kernel::Recipe root() const override { return {{{"a", "0"}, {"b", "0"}, {"c", "0"}}}; }

  std::vector<kernel::Mutation> mutations(const kernel::Recipe& recipe) const override {
    std::vector<kernel::Mutation> out;
    for (const auto& [key, value] : recipe.decisions) {
      const int now = std::stoi(value);
      for (const int next : {now - 1, now + 1}) {
        if (next < 0 || next > 4) continue;
        kernel::Mutation m{key, value, std::to_string(next), key, "", recipe};
        m.result.decisions[key] = m.to;
        out.push_back(std::move(m));
      }
    }
    return out;
  }

  base::Result<Built> build(const kernel::Recipe& recipe) const override {
    ++builds;
    const int a = at(recipe, "a"), b = at(recipe, "b"), c = std::min(2, at(recipe, "c"));
    if (a == 4 && b == 4) return base::Error{base::ErrorCode::unsupported, "too many registers", ""};
    Built built;
    built.structural_hash = std::to_string(a) + std::to_string(b) + std::to_string(c);
    built.plan.target = "cpu";
    built.plan.steps = {{plan::StepKind::kernel, "f", {}, true, {}}};
    built.plan.source = built.structural_hash;
    built.plan.generator = std::to_string(scale_);
    return built;
  }
  static int at(const kernel::Recipe& recipe, const std::string& key) { return std::stoi(recipe.decisions.at(key)); }
  mutable int builds = 0;

 private:
  double scale_;
};

inline protocol::Evaluation verdict_of(const plan::Plan& plan) {
  const int a = plan.source[0] - '0', b = plan.source[1] - '0', c = plan.source[2] - '0';
  protocol::Evaluation out;
  if (b == 4) {
    out.verdict = protocol::Verdict::wrong_result;
    out.evidence.summary = "b = 4";
    return out;
  }
  out.verdict = protocol::Verdict::accepted;
  protocol::Measurement m;
  m.ratio = 1 + std::stod(plan.generator) * (1 - 0.1 * (std::abs(a - 3) + std::abs(b - 2)) - (c == 0 ? 0.2 : 0));
  m.baseline_median_us = 100;
  m.candidate_median_us = 100 / m.ratio;
  m.ratio_ci95 = {m.ratio * 0.99, m.ratio * 1.01};
  m.rounds = 10;
  out.measurement = m;
  return out;
}

class FakeEvaluator final : public Evaluator {
 public:
  explicit FakeEvaluator(int capacity) : capacity_(capacity) {}
  int capacity() const override { return capacity_; }
  void submit(Job job) override {
    ++submitted;
    in_flight_.push_back(std::move(job));
    most = std::max(most, static_cast<int>(in_flight_.size()));
  }
  std::optional<Completion> wait(double) override {
    if (in_flight_.empty()) return std::nullopt;
    const Job job = std::move(in_flight_.front());
    in_flight_.pop_front();
    Completion out;
    out.id = job.id;
    if (cancelled || lose.count(job.candidate)) {
      out.evaluation.kind = cancelled ? "cancelled" : lost_kind;
      ++lost;
      if (lose_once) lose.erase(job.candidate);
    } else if (unusable.count(job.task)) {
      out.evaluation.kind = "not_prepared";
      out.evaluation.evidence.summary = "no truth";
      out.task_unusable = true;
    } else {
      out.evaluation = verdict_of(job.plan);
      if (job.afresh && out.evaluation.measurement) {
        out.evaluation.measurement->ratio *= afresh_factor;
        out.evaluation.measurement->ratio_ci95.low *= afresh_factor;
        out.evaluation.measurement->ratio_ci95.high *= afresh_factor;
      }
      ++by_task[job.task];
    }
    return out;
  }
  void cancel() override { cancelled = true; }

  int submitted = 0, most = 0, lost = 0;
  bool cancelled = false, lose_once = false;
  std::string lost_kind = "worker_lost";
  double afresh_factor = 1;
  std::set<std::string> lose, unusable;
  std::map<std::string, int> by_task;

 private:
  int capacity_;
  std::deque<Job> in_flight_;
};

class MemoryJournal final : public Journal {
 public:
  std::string next_candidate() override { return "c" + std::to_string(++last); }
  base::Status candidate(const store::CandidateRecord& record, const std::vector<store::EdgeRecord>& edges) override {
    history.candidates.push_back(record);
    for (const auto& e : edges) history.edges.push_back(e);
    return base::done();
  }
  base::Status edge(const store::EdgeRecord& record) override {
    history.edges.push_back(record);
    return base::done();
  }
  base::Result<std::int64_t> evaluated(const store::EvaluationRecord& record) override {
    if (full_after >= 0 && static_cast<int>(history.evaluations.size()) >= full_after)
      return base::Error{base::ErrorCode::io, "the disk is full", ""};
    history.evaluations.push_back(record);
    return static_cast<std::int64_t>(history.evaluations.size());
  }
  base::Status unusable(const std::string& task, const std::string& reason) override {
    reasons[task] = reason;
    return base::done();
  }
  History of(const std::string& task) const {
    History out;
    std::set<std::string> ids;
    for (const auto& c : history.candidates)
      if (c.task == task) {
        out.candidates.push_back(c);
        ids.insert(c.id);
      }
    for (const auto& e : history.edges)
      if (ids.count(e.parent)) out.edges.push_back(e);
    for (const auto& e : history.evaluations)
      if (ids.count(e.candidate)) out.evaluations.push_back(e);
    return out;
  }
  int last = 0, full_after = -1;
  History history;
  std::map<std::string, std::string> reasons;
};

inline Stoppers after(int evaluations) {
  Stoppers out;
  out.push_back(stop_after_evaluations(evaluations));
  return out;
}

}  // namespace kw::search::testing
