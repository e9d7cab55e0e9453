#include "core/engine/search/tree.h"

#include <algorithm>
#include <cmath>

namespace kw::search {
namespace {

std::uint64_t mix(std::uint64_t x) {   // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t hash(std::uint64_t state, const std::string& text) {
  for (const char c : text) state = mix(state ^ static_cast<unsigned char>(c));
  return state;
}

// In [0.75, 1.25), from the seed and the place alone: resuming gives the same number.
double jitter(std::uint64_t seed, const std::string& structural_hash, const kernel::Mutation& mutation) {
  const std::uint64_t h = hash(hash(hash(mix(seed), structural_hash), mutation.key), mutation.to);
  return 0.75 + 0.5 * static_cast<double>(h >> 11) / 9007199254740992.0;
}

}  // namespace

double value_of(const protocol::Evaluation& evaluation) {
  if (!evaluation.measurement || !(evaluation.measurement->ratio > 0)) return 0;
  return std::log(evaluation.measurement->ratio);
}

Tree::Tree(std::shared_ptr<const Space> space, const Prior& prior, TreeOptions options)
    : space_(std::move(space)), prior_(prior), options_(options) {}

void Tree::make_root() {
  kernel::Recipe recipe = space_->root();
  auto built = space_->build(recipe);
  if (!built)
    root_error_ = built.error();
  else
    add_node(std::move(recipe), std::move(*built));
}

std::optional<Walk> Tree::select() {
  if (nodes_.empty() && !root_error_) make_root();
  if (nodes_.empty()) return std::nullopt;
  Walk found;
  std::vector<char> dead(nodes_.size(), 0);
  if (const int left = unfinished(); left >= 0)
    found = walk_to(left);
  else if (!walk(0, found, dead))
    return std::nullopt;
  return depart(std::move(found));
}

std::optional<Walk> Tree::select_below(int node) {
  Walk found = walk_to(node);
  std::vector<char> dead(nodes_.size(), 0);
  if (!walk(node, found, dead)) return std::nullopt;
  return depart(std::move(found));
}

std::optional<Walk> Tree::select_child(int node) {
  Walk found = walk_to(node);
  std::vector<char> dead(nodes_.size(), 1);   // a change that gives a known candidate is not walked into
  if (!widen(node, found, dead)) return std::nullopt;
  return depart(std::move(found));
}

Walk Tree::depart(Walk found) {
  nodes_[0].in_flight++;
  for (const int e : found.edges) {
    edges_[e].in_flight++;
    nodes_[edges_[e].child].in_flight++;
  }
  nodes_[found.node].state = NodeState::in_flight;
  return found;
}

int Tree::unfinished() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].state == NodeState::waiting && !nodes_[i].banned) return static_cast<int>(i);
  return -1;
}

Walk Tree::walk_to(int node) const {
  Walk out;
  out.node = node;
  for (int at = node; !nodes_[at].parents.empty(); at = edges_[out.edges.front()].parent)
    out.edges.insert(out.edges.begin(), nodes_[at].parents.front());
  return out;
}

bool Tree::walk(int node, Walk& out, std::vector<char>& dead) {
  dead.resize(nodes_.size(), 0);
  if (dead[node] || nodes_[node].banned) return false;
  if (expandable(nodes_[node])) {
    const Node& n = nodes_[node];
    const double visits = n.visits + n.in_flight;
    const double limit = 1 + options_.widening_factor * std::pow(visits, options_.widening_exponent);
    if (static_cast<double>(n.children.size()) < limit && widen(node, out, dead)) return true;
    if (descend(node, out, dead)) return true;
    // Nothing below can be tried now: an idle worker is worth less than one child too many.
    if (widen(node, out, dead)) return true;
  }
  dead.resize(nodes_.size(), 0);
  dead[node] = 1;
  return false;
}

bool Tree::expandable(const Node& node) const {
  if (node.state == NodeState::accepted) return true;
  return node.state == NodeState::failed && !best();
}

bool Tree::descend(int node, Walk& out, std::vector<char>& dead) {
  std::vector<int> order = nodes_[node].children;
  std::vector<double> scores(edges_.size(), 0);
  for (const int e : order) scores[e] = score(e);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  for (const int e : order) {
    out.edges.push_back(e);
    if (walk(edges_[e].child, out, dead)) return true;
    out.edges.pop_back();
  }
  return false;
}

bool Tree::widen(int node, Walk& out, std::vector<char>& dead) {
  list_untried(node);
  while (!nodes_[node].untried->empty()) {
    const Node::Untried next = std::move(nodes_[node].untried->back());
    nodes_[node].untried->pop_back();
    auto built = space_->build(next.mutation.result);
    if (!built) {
      ++pruned_;
      continue;
    }
    const int existing = find(built->structural_hash);
    if (existing < 0) {
      const int child = add_node(next.mutation.result, std::move(*built));
      out.edges.push_back(add_edge(node, child, next.mutation, next.weight));
      out.node = child;
      return true;
    }
    ++merged_;
    if (has_child(node, existing) || has_ancestor(node, existing)) continue;
    out.edges.push_back(add_edge(node, existing, next.mutation, next.weight));
    if (walk(existing, out, dead)) return true;
    out.edges.pop_back();
  }
  return false;
}

void Tree::list_untried(int node) {
  if (nodes_[node].untried) return;
  const kernel::Recipe& recipe = nodes_[node].recipe;
  auto mutations = space_->mutations(recipe);
  const auto weights = prior_.weights(recipe, mutations, kinds_);
  std::vector<Node::Untried> untried;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const double weight = weights[i] * jitter(options_.seed, nodes_[node].structural_hash, mutations[i]);
    untried.push_back({std::move(mutations[i]), weight});
  }
  // Those already tried, when resuming.
  std::erase_if(untried, [&](const Node::Untried& u) {
    return std::any_of(nodes_[node].children.begin(), nodes_[node].children.end(), [&](int e) {
      return edges_[e].mutation.key == u.mutation.key && edges_[e].mutation.to == u.mutation.to;
    });
  });
  std::stable_sort(untried.begin(), untried.end(), [](const auto& a, const auto& b) { return a.weight < b.weight; });
  nodes_[node].untried = std::move(untried);
}

double Tree::q(int edge) const {
  const Edge& e = edges_[edge];
  const Node& child = nodes_[e.child];
  const double here = nodes_[e.parent].value;
  if (e.visits == 0) return child.state == NodeState::accepted ? child.value : here;
  const double mean = e.sum / e.visits;
  return (1 - options_.best_weight) * mean + options_.best_weight * e.best.value_or(mean);
}

double Tree::score(int edge) const {
  const Edge& e = edges_[edge];
  const Node& parent = nodes_[e.parent];
  double prior_sum = 0;
  for (const int sibling : parent.children) prior_sum += edges_[sibling].prior;
  const double n = e.visits + e.in_flight;
  const double quality = n == 0 ? q(edge) : q(edge) - options_.virtual_loss * e.in_flight / n;
  const double p = prior_sum > 0 ? e.prior / prior_sum : 0;
  return quality + options_.exploration * p * std::sqrt(static_cast<double>(parent.visits + parent.in_flight)) / (1 + n);
}

void Tree::complete(const Walk& walk, const protocol::Evaluation& evaluation) {
  Node& node = nodes_[walk.node];
  // A candidate restored from a session was not selected: nothing is in flight.
  const auto landed = [](int& in_flight) { in_flight = std::max(0, in_flight - 1); };
  landed(nodes_[0].in_flight);
  for (const int e : walk.edges) {
    landed(edges_[e].in_flight);
    landed(nodes_[edges_[e].child].in_flight);
  }
  if (evaluation.verdict == protocol::Verdict::not_evaluated) {
    if (evaluation.kind != "cancelled") ++node.attempts;
    if (evaluation.kind == "machine_busy") ++node.busy;
    const bool hopeless = node.attempts - node.busy >= options_.max_attempts || node.busy >= options_.max_busy;
    node.state = hopeless ? NodeState::given_up : NodeState::waiting;
    return;
  }
  const bool good = evaluation.verdict == protocol::Verdict::accepted && evaluation.measurement.has_value();
  const double parent_value = walk.edges.empty() ? 0 : nodes_[edges_[walk.edges.back()].parent].value;
  node.state = good ? NodeState::accepted : NodeState::failed;
  node.value = good ? value_of(evaluation) : 0;
  if (good && !walk.edges.empty()) {
    KindRecord& record = kinds_[edges_[walk.edges.back()].mutation.kind];
    ++record.count;
    record.gain += node.value - parent_value;
  }
  backup(walk, good ? node.value : parent_value - options_.failure_penalty, good);
}

void Tree::backup(const Walk& walk, double value, bool good) {
  nodes_[0].visits++;
  for (const int index : walk.edges) {
    Edge& e = edges_[index];
    nodes_[e.child].visits++;
    e.visits++;
    e.sum += value;
    if (good) e.best = std::max(e.best.value_or(value), value);
  }
}

std::optional<int> Tree::best() const {
  std::optional<int> found;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].state == NodeState::accepted && (!found || nodes_[i].value > nodes_[*found].value)) found = static_cast<int>(i);
  return found;
}

bool Tree::has_child(int parent, int child) const {
  const auto& edges = nodes_[parent].children;
  return std::any_of(edges.begin(), edges.end(), [&](int e) { return edges_[e].child == child; });
}

bool Tree::has_ancestor(int node, int ancestor) const {
  if (node == ancestor) return true;
  std::vector<char> seen(nodes_.size(), 0);
  std::vector<int> stack = {node};
  while (!stack.empty()) {
    const int at = stack.back();
    stack.pop_back();
    if (at == ancestor) return true;
    for (const int e : nodes_[at].parents)
      if (!seen[edges_[e].parent]++) stack.push_back(edges_[e].parent);
  }
  return false;
}

int Tree::find(const std::string& structural_hash) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].structural_hash == structural_hash) return static_cast<int>(i);
  return -1;
}

int Tree::add_node(kernel::Recipe recipe, Built built) {
  const int index = restore_node("", std::move(recipe), built.structural_hash);
  built_.emplace_back(index, std::move(built));
  return index;
}

int Tree::add_edge(int parent, int child, const kernel::Mutation& mutation, double prior) {
  const int index = static_cast<int>(edges_.size());
  Edge edge;
  edge.parent = parent;
  edge.child = child;
  edge.mutation = mutation;
  edge.mutation.result = {};
  edge.prior = prior;
  edges_.push_back(std::move(edge));
  nodes_[parent].children.push_back(index);
  nodes_[child].parents.push_back(index);
  new_edges_.push_back(index);
  return index;
}

std::optional<Built> Tree::take_built(int node) {
  for (auto it = built_.begin(); it != built_.end(); ++it) {
    if (it->first != node) continue;
    Built out = std::move(it->second);
    built_.erase(it);
    return out;
  }
  return std::nullopt;
}

std::vector<int> Tree::take_new_edges() { return std::exchange(new_edges_, {}); }

int Tree::restore_node(const std::string& candidate, kernel::Recipe recipe, const std::string& structural_hash) {
  Node node;
  node.candidate = candidate;
  node.recipe = std::move(recipe);
  node.structural_hash = structural_hash;
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

void Tree::restore_edge(int parent, int child, const kernel::Mutation& mutation) {
  const double weight = prior_.weights(nodes_[parent].recipe, {mutation}, kinds_)[0];
  add_edge(parent, child, mutation, weight * jitter(options_.seed, nodes_[parent].structural_hash, mutation));
  new_edges_.clear();
}

Walk Tree::walk_of(const std::vector<std::string>& path) const {
  Walk out;
  for (std::size_t i = 1; i < path.size(); ++i)
    for (const int e : nodes_[out.node].children)
      if (nodes_[edges_[e].child].candidate == path[i]) {
        out.edges.push_back(e);
        out.node = edges_[e].child;
        break;
      }
  return out;
}

}  // namespace kw::search
