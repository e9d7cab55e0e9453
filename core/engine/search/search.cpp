#include "core/engine/search/search.h"

#include <cmath>

#include "core/base/clock.h"
#include "core/engine/store/plan_json.h"

namespace kw::search {
namespace {

constexpr double gain_threshold = 0.01;   // log-speedup: what counts as a task getting faster
constexpr double patience_s = 0.2;        // how long one wait for a completion lasts before the watcher is told

kernel::Mutation mutation_of(const store::EdgeRecord& e) {
  kernel::Mutation mutation;
  mutation.key = e.key;
  mutation.from = e.from;
  mutation.to = e.to;
  mutation.kind = e.kind;
  mutation.description = e.description;
  return mutation;
}

}  // namespace

Search::Search(SearchOptions options, Evaluator& evaluator, Journal& journal, const Prior& prior)
    : options_(options), evaluator_(evaluator), journal_(journal), prior_(prior) {}

base::Status Search::add(const TaskInput& input, const History& history) {
  Running task;
  task.id = input.id;
  task.share = input.share;
  task.standing.share = input.share;
  task.standing.baseline_us = task.standing.best_us = input.baseline_us;
  task.standing.floor_us = input.floor_us;
  task.space = input.space;
  task.tree = std::make_unique<Tree>(input.space, prior_, options_.tree);
  tasks_.push_back(std::move(task));
  return restore(tasks_.back(), history);
}

base::Status Search::restore(Running& task, const History& history) {
  std::map<std::string, int> nodes;
  for (const auto& candidate : history.candidates) {
    if (candidate.kind != "generated") continue;   // an edit has no recipe to go on from
    auto recipe = kernel::recipe_from_text(candidate.recipe);
    if (!recipe) return recipe.error();
    const int node = task.tree->restore_node(candidate.id, std::move(*recipe), candidate.structural_hash);
    nodes[candidate.id] = node;
    if (auto plan = store::plan_of(candidate)) task.plans[node] = std::move(*plan);
  }
  for (const auto& edge : history.edges)
    if (nodes.count(edge.parent) && nodes.count(edge.child))
      task.tree->restore_edge(nodes[edge.parent], nodes[edge.child], mutation_of(edge));
  for (const auto& record : history.evaluations) {
    if (record.purpose != "search" || !nodes.count(record.candidate)) continue;
    if (record.evaluation.kind == "machine_busy") continue;   // the machine may be calm by now
    learn(task, task.tree->walk_of(record.path), record.evaluation);
  }
  return base::done();
}

base::Result<std::string> Search::run(const Stoppers& stoppers, const base::CancelToken& cancel,
                                      const std::function<void(const Snapshot&)>& watch) {
  started_s_ = base::now_s();
  paused_s_ = 0;
  issued_ = completed_ = measured_ = since_gain_ = 0;
  std::optional<std::string> reason;
  bool told = false;
  for (;;) {
    const double began_s = base::now_s();
    heed();
    const bool waiting = paused();
    if (waiting && !reason) reason = first_reason(stoppers, progress());
    while (!reason && !waiting && static_cast<int>(flights_.size()) < evaluator_.capacity()) {
      reason = first_reason(stoppers, progress());
      if (reason) break;
      auto issued = issue();
      if (!issued) return issued.error();
      if (!*issued) break;
    }
    if (flights_.empty() && errands_.empty() && (reason || !waiting)) return reason.value_or("exhausted");
    if (cancel.cancelled() && !told) {
      evaluator_.cancel();
      told = true;
    }
    if (auto completion = evaluator_.wait(patience_s))
      if (auto status = finish(*completion); !status) return status.error();
    if (waiting) paused_s_ += base::now_s() - began_s;
    if (watch) watch(snapshot());
  }
}

base::Result<bool> Search::issue() {
  auto asked = issue_asked();
  if (!asked || *asked) return asked;
  std::vector<TaskStanding> standings;
  for (const Running& task : tasks_) standings.push_back(task.standing);
  for (const int index : order(standings, options_.budget)) {
    auto issued = issue_from(index);
    if (!issued || *issued) return issued;
    Running& task = tasks_[index];
    if (const base::Error* error = task.tree->root_error()) {
      task.unusable = error->message;
      task.standing.closed = true;
      if (auto status = journal_.unusable(task.id, error->text()); !status) return status.error();
    } else if (task.in_flight == 0) {
      task.exhausted = task.standing.closed = true;
    }
  }
  return false;
}

base::Result<bool> Search::issue_from(int index) { return launch(index, tasks_[index].tree->select()); }

base::Result<bool> Search::launch(int index, const std::optional<Walk>& walk) {
  Running& task = tasks_[index];
  if (auto status = write_new(task, walk.value_or(Walk{{}, -1})); !status) return status.error();
  if (!walk) return false;
  Flight flight{index, *walk, {task.tree->nodes()[0].candidate}};
  for (const int e : walk->edges) flight.path.push_back(task.tree->nodes()[task.tree->edges()[e].child].candidate);
  Job job;
  job.id = next_job_++;
  job.task = task.id;
  job.candidate = flight.path.back();
  if (!task.plans.count(walk->node)) {
    auto built = task.space->build(task.tree->nodes()[walk->node].recipe);
    if (!built) return built.error();
    task.plans[walk->node] = std::move(built->plan);
  }
  job.plan = task.plans[walk->node];
  flights_[job.id] = std::move(flight);
  ++task.in_flight;
  ++task.standing.made;
  ++task.standing.since_gain;
  ++issued_;
  ++version_;
  evaluator_.submit(std::move(job));
  return true;
}

// Names and writes what select() made: merged edges, and perhaps one new node (walk.node) with the edge that led to it.
base::Status Search::write_new(Running& task, const Walk& walk) {
  std::vector<store::EdgeRecord> own;
  auto built = walk.node >= 0 ? task.tree->take_built(walk.node) : std::nullopt;
  if (built) task.tree->nodes()[walk.node].candidate = journal_.next_candidate();
  for (const int e : task.tree->take_new_edges()) {
    if (built && task.tree->edges()[e].child == walk.node)
      own.push_back(edge_record(task, e));
    else if (auto status = journal_.edge(edge_record(task, e)); !status)
      return status;
  }
  if (!built) return base::done();
  const Node& node = task.tree->nodes()[walk.node];
  store::CandidateRecord record;
  record.id = node.candidate;
  record.task = task.id;
  record.recipe = kernel::text(node.recipe);
  record.structural_hash = node.structural_hash;
  record.traffic_bytes = built->traffic_bytes;
  store::set_plan(record, built->plan);
  task.plans[walk.node] = std::move(built->plan);
  return journal_.candidate(record, own);
}

store::EdgeRecord Search::edge_record(const Running& task, int edge) const {
  const Edge& e = task.tree->edges()[edge];
  return {task.tree->nodes()[e.parent].candidate, task.tree->nodes()[e.child].candidate, e.mutation.key, e.mutation.from,
          e.mutation.to, e.mutation.kind, e.mutation.description, e.prior};
}

base::Status Search::finish(const Completion& completion) {
  if (const auto errand = errands_.find(completion.id); errand != errands_.end()) {
    const auto done = std::move(errand->second.done);
    errands_.erase(errand);
    done(completion);
    return base::done();
  }
  const auto found = flights_.find(completion.id);
  if (found == flights_.end()) return base::done();   // a late result of a job that was given up
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  Running& task = tasks_[flight.task];
  --task.in_flight;
  const auto& evaluation = completion.evaluation;
  const bool counted = evaluation.verdict != protocol::Verdict::not_evaluated;
  if (!counted) {
    --issued_;
    --task.standing.made;
    --task.standing.since_gain;
    ++unjudged_;
    unjudged_because_ = evaluation.verdict_text() + ": " + evaluation.evidence.summary;
  } else {
    ++completed_;
    ++since_gain_;
    measured_ += evaluation.measurement.has_value();
    --task.standing.made;       // learn() counts it again, as it does for what it restores
    --task.standing.since_gain;
  }
  ++version_;
  if (completion.task_unusable) {
    task.unusable = evaluation.evidence.summary;
    task.standing.closed = true;
    learn(task, flight.walk, evaluation);
    return journal_.unusable(task.id, task.unusable);
  }
  store::EvaluationRecord record;
  record.candidate = flight.path.back();
  record.path = flight.path;
  record.attempt = task.tree->nodes()[flight.walk.node].attempts + 1;
  record.evaluation = evaluation;
  record.wall_s = completion.wall_s;
  learn(task, flight.walk, evaluation);
  if (evaluation.verdict == protocol::Verdict::not_evaluated && evaluation.kind == "cancelled") return base::done();
  auto written = journal_.evaluated(record);
  if (!written) return written.error();
  return base::done();
}

void Search::learn(Running& task, const Walk& walk, const protocol::Evaluation& evaluation) {
  const auto best_before = task.tree->best();
  const double value_before = best_before ? std::max(0.0, task.tree->nodes()[*best_before].value) : 0;
  task.tree->complete(walk, evaluation);
  if (evaluation.verdict == protocol::Verdict::not_evaluated) return;
  task.plans.erase(walk.node);
  ++task.evaluations;
  ++task.standing.made;
  ++task.standing.since_gain;
  if (!evaluation.measurement) return;
  const auto& measured = *evaluation.measurement;
  if (measured.baseline_median_us > 0) task.standing.baseline_us = measured.baseline_median_us;
  if (measured.floor_us > 0) task.standing.floor_us = measured.floor_us;
  const auto best = task.tree->best();
  const double value = best ? std::max(0.0, task.tree->nodes()[*best].value) : 0;
  // The baseline's median moves from one measurement to the next; the ratio to it does not.
  task.standing.best_us = task.standing.baseline_us / std::exp(value);
  if (value > value_before + gain_threshold) since_gain_ = task.standing.since_gain = 0;
}

Progress Search::progress() const {
  Progress out;
  out.issued = issued_;
  out.completed = completed_;
  out.since_gain = since_gain_;
  out.seconds = seconds();
  bool any = false, all = true;
  for (const Running& task : tasks_) {
    if (!task.unusable.empty()) continue;
    any = true;
    all = all && at_roofline(task.standing, options_.budget);
  }
  out.all_at_roofline = any && all;
  return out;
}

Snapshot Search::snapshot() const {
  Snapshot out;
  out.version = version_;
  out.issued = issued_;
  out.completed = completed_;
  out.measured = measured_;
  out.in_flight = static_cast<int>(flights_.size());
  out.unjudged = unjudged_;
  out.unjudged_because = unjudged_because_;
  out.seconds = seconds();
  for (const Running& task : tasks_) {
    TaskSnapshot t;
    t.id = task.id;
    t.share = task.share;
    t.baseline_us = task.standing.baseline_us;
    t.floor_us = task.standing.floor_us;
    if (const auto best = task.tree->best()) {
      t.best = task.tree->nodes()[*best].candidate;
      t.best_us = task.standing.baseline_us / std::exp(task.tree->nodes()[*best].value);
    }
    t.evaluations = task.evaluations;
    t.in_flight = task.in_flight;
    t.candidates = static_cast<int>(task.tree->nodes().size());
    t.pruned = task.tree->pruned();
    t.merged = task.tree->merged();
    t.at_roofline = at_roofline(task.standing, options_.budget);
    t.exhausted = task.exhausted;
    t.unusable = task.unusable;
    out.tasks.push_back(std::move(t));
  }
  return out;
}

const Tree* Search::tree(const std::string& task) const {
  for (const Running& running : tasks_)
    if (running.id == task) return running.tree.get();
  return nullptr;
}

}  // namespace kw::search
