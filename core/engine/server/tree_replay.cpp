#include "core/engine/server/tree_replay.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "core/engine/search/tree.h"

namespace kw::server {
namespace {

const search::TreeOptions constants;   // those of every run so far

double unix_time(const std::string& iso) {
  std::tm utc{};
  return strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) != nullptr ? static_cast<double>(timegm(&utc)) : 0;
}

// 17 of "c17"; -1 for other names.
int number_of(const std::string& id) {
  int number = 0;
  if (id.size() < 2 || id[0] != 'c') return -1;
  const auto [end, failed] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return failed == std::errc{} && end == id.data() + id.size() && number < 10'000'000 ? number : -1;
}

std::string verdict_text(const store::EvaluationRow& row) { return row.kind.empty() ? row.verdict : row.verdict + ":" + row.kind; }

}  // namespace

base::Status TreeReplay::refresh(const store::Session& session) {
  auto now = session.rows();
  if (!now) return now.error();
  if (*now == rows_) return base::done();
  auto runs = session.runs();
  auto candidates = session.candidate_rows(rows_.candidates, now->candidates);
  auto edges = session.edge_rows(rows_.edges, now->edges);
  auto evaluations = session.evaluation_rows(rows_.evaluations, now->evaluations);
  auto marks = session.marks(rows_.marks, now->marks);
  if (!runs) return runs.error();
  if (!candidates) return candidates.error();
  if (!edges) return edges.error();
  if (!evaluations) return evaluations.error();
  if (!marks) return marks.error();
  rows_ = *now;
  for (const auto& run : *runs) run_began_.emplace(run.id, unix_time(run.started));
  for (const auto& row : *candidates) add(row);
  for (const auto& row : *edges) add(row);
  for (const auto& row : *evaluations) add(row);
  for (const auto& mark : *marks) add(mark);
  find_best_paths();
  return base::done();
}

void TreeReplay::add(const store::CandidateRow& row) {
  ReplayNode node;
  node.row = row.row;
  node.id = row.id;
  node.task = row.task;
  node.kind = row.kind;
  const int index = static_cast<int>(nodes_.size()), number = number_of(row.id);
  if (number < 0) by_id_.emplace(row.id, index);
  if (number >= static_cast<int>(by_number_.size())) by_number_.resize(static_cast<std::size_t>(number) * 3 / 2 + 16, -1);
  if (number >= 0) by_number_[static_cast<std::size_t>(number)] = index;
  nodes_.push_back(std::move(node));
}

void TreeReplay::add(const store::EdgeRow& row) {
  const int parent = find(row.edge.parent), child = find(row.edge.child);
  if (parent < 0 || child < 0) return;
  const int index = static_cast<int>(edges_.size());
  ReplayEdge edge;
  edge.row = row.row;
  edge.parent = parent;
  edge.child = child;
  edge.record = row.edge;
  edges_.push_back(std::move(edge));
  nodes_[parent].prior_sum += row.edge.prior.value_or(0);
  nodes_[child].parents.push_back(index);
}

void TreeReplay::add(const store::EvaluationRow& row) {
  const int index = find(row.candidate);
  if (index < 0) return;
  ReplayNode& node = nodes_[index];
  const bool judged = row.verdict != protocol::name(protocol::Verdict::not_evaluated);
  std::optional<double> at_s;
  if (row.completed_s) at_s = at(row);
  steps_.push_back({row.row, index, row.purpose, verdict_text(row), row.ratio, at_s});
  node.touched = row.row;
  if (judged || !node.judged) show(node, row);
  if (!node.at_s || (judged && !node.judged)) node.at_s = at_s;
  node.judged = node.judged || judged;
  if (judged && row.purpose == "search") back_up(row);
}

void TreeReplay::show(ReplayNode& node, const store::EvaluationRow& row) {
  node.verdict = verdict_text(row);
  node.speedup = row.ratio;
  node.ci95 = row.ratio_ci95;
  node.candidate_us = row.candidate_us;
  node.error_max = row.error_max;
  node.good = row.verdict == protocol::name(protocol::Verdict::accepted) && row.ratio && *row.ratio > 0;
}

void TreeReplay::back_up(const store::EvaluationRow& row) {
  std::vector<int> walked;
  int at = row.path.empty() ? -1 : find(row.path.front());
  if (at < 0) return;
  ReplayNode& root = nodes_[at];
  for (std::size_t i = 1; i < row.path.size(); ++i) {
    const int child = find(row.path[i]);
    const int edge = child < 0 ? -1 : edge_between(at, child);
    if (edge < 0) continue;
    walked.push_back(edge);
    at = child;
  }
  ReplayNode& node = nodes_[at];
  const double before = walked.empty() ? 0 : nodes_[edges_[walked.back()].parent].value;
  const bool good = row.verdict == protocol::name(protocol::Verdict::accepted) && row.ratio && *row.ratio > 0;
  node.value = good ? std::log(*row.ratio) : 0;
  const double value = good ? node.value : before - constants.failure_penalty;
  ++root.visits;
  root.touched = row.row;
  for (const int index : walked) {
    ReplayEdge& edge = edges_[index];
    ++edge.visits;
    edge.sum += value;
    edge.touched = row.row;
    if (good) edge.best = std::max(edge.best.value_or(value), value);
    ++nodes_[edge.child].visits;
    nodes_[edge.child].touched = row.row;
  }
}

// Seconds of work: what lies between two runs is not counted.
double TreeReplay::at(const store::EvaluationRow& row) {
  if (row.run != run_) {
    run_ = row.run;
    run_offset_s_ = last_at_s_;
  }
  double& began = run_began_[row.run];
  if (began <= 0 || began > *row.completed_s) began = *row.completed_s;
  last_at_s_ = run_offset_s_ + *row.completed_s - began;
  return last_at_s_;
}

void TreeReplay::add(const store::MarkRecord& mark) {
  const int index = find(mark.candidate);
  if (index < 0) return;
  ReplayNode& node = nodes_[index];
  node.marked = mark.row;
  if (mark.mark == "pin" || mark.mark == "unpin") node.pinned = mark.mark == "pin";
  if (mark.mark == "ban" || mark.mark == "unban") node.banned = mark.mark == "ban";
  if (mark.mark == "winner") winners_[node.task] = index;
  if (mark.mark == "no winner") winners_.erase(node.task);
}

void TreeReplay::find_best_paths() {
  best_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ReplayNode& node = nodes_[i];
    if (!node.good) continue;
    const auto [found, first] = best_.emplace(node.task, static_cast<int>(i));
    if (!first && *node.speedup > *nodes_[found->second].speedup) found->second = static_cast<int>(i);
  }
  for (const auto& [task, winner] : winners_) best_[task] = winner;
  std::vector<char> on_path(nodes_.size(), 0);
  for (const auto& [task, best] : best_)
    for (int at = best; !on_path[at];) {
      on_path[at] = 1;
      if (nodes_[at].parents.empty()) break;
      at = edges_[nodes_[at].parents.front()].parent;
    }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    ReplayNode& node = nodes_[i];
    if (node.on_best_path == (on_path[i] != 0)) continue;
    node.on_best_path = on_path[i] != 0;
    node.touched = rows_.evaluations;
    node.marked = rows_.marks;
  }
}

int TreeReplay::find(const std::string& candidate) const {
  if (const int number = number_of(candidate); number >= 0) return number < static_cast<int>(by_number_.size()) ? by_number_[static_cast<std::size_t>(number)] : -1;
  const auto found = by_id_.find(candidate);
  return found == by_id_.end() ? -1 : found->second;
}

int TreeReplay::best(const std::string& task) const {
  const auto found = best_.find(task);
  return found == best_.end() ? -1 : found->second;
}

int TreeReplay::failures() const {
  return static_cast<int>(std::count_if(nodes_.begin(), nodes_.end(), [](const ReplayNode& n) { return n.judged && !n.good; }));
}

int TreeReplay::edge_between(int parent, int child) const {
  for (const int edge : nodes_[child].parents)
    if (edges_[edge].parent == parent) return edge;
  return -1;
}

double TreeReplay::q(const ReplayEdge& edge) const {
  const ReplayNode& child = nodes_[edge.child];
  if (edge.visits == 0) return child.good ? child.value : nodes_[edge.parent].value;
  const double mean = edge.sum / edge.visits;
  return (1 - constants.best_weight) * mean + constants.best_weight * edge.best.value_or(mean);
}

std::optional<double> TreeReplay::p(const ReplayEdge& edge) const {
  if (!edge.record.prior) return std::nullopt;
  const double all = nodes_[edge.parent].prior_sum;
  return all > 0 ? *edge.record.prior / all : 0;
}

std::optional<double> TreeReplay::u(const ReplayEdge& edge) const {
  const auto prior = p(edge);
  if (!prior) return std::nullopt;
  return constants.exploration * *prior * std::sqrt(static_cast<double>(nodes_[edge.parent].visits)) / (1 + edge.visits);
}

}  // namespace kw::server
