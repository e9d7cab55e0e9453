#include "core/worker/aten/schedule.h"

#include <algorithm>
#include <set>

namespace kw::aten {
namespace {

using graph::ValueId;

class Scheduler {
 public:
  Scheduler(const graph::Graph& graph, const std::vector<graph::Instance>& instances, const std::vector<bool>& writes)
      : graph_(graph), instances_(instances), writes_(writes), owner_(graph.nodes.size(), -1) {}

  base::Result<std::vector<Step>> make() {
    if (base::Status status = claim_nodes(); !status) return status.error();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const int owner = owner_[i];
      const auto node = static_cast<int>(i);
      if (owner < 0) {
        place({node, -1, {}});
      } else if (instances_[static_cast<std::size_t>(owner)].nodes.back() == node) {
        place({-1, owner, {}});
      }
      flush();
    }
    if (!deferred_.empty()) return base::bad_input("Substitutions wait for each other's outputs; leave one of them out.", "substitute");
    if (moved_past_write_) return base::bad_input("A node that writes in place stands between a task and its uses; leave the task out.", "substitute");
    mark_deaths();
    return std::move(steps_);
  }

 private:
  base::Status claim_nodes() {
    for (std::size_t k = 0; k < instances_.size(); ++k) {
      if (instances_[k].nodes.empty()) return base::bad_input("A task's instance has no nodes.", "substitute");
      for (const int node : instances_[k].nodes) {
        if (node < 0 || static_cast<std::size_t>(node) >= owner_.size()) return base::bad_input("A task's instance names a node that the graph does not have.", "substitute");
        if (owner_[static_cast<std::size_t>(node)] >= 0) return base::bad_input("Two tasks claim the same node.", "substitute");
        owner_[static_cast<std::size_t>(node)] = static_cast<int>(k);
      }
      for (const auto* ids : {&instances_[k].inputs, &instances_[k].outputs})
        for (const ValueId id : *ids)
          if (id < 0 || static_cast<std::size_t>(id) >= graph_.values.size()) return base::bad_input("A task's instance names a value that the graph does not have.", "substitute");
      pending_.insert(instances_[k].outputs.begin(), instances_[k].outputs.end());
    }
    return base::done();
  }

  std::vector<ValueId> reads(const Step& step) const {
    std::vector<ValueId> ids = step.node >= 0 ? graph::reads(graph_.nodes[static_cast<std::size_t>(step.node)]) : instances_[static_cast<std::size_t>(step.substitution)].inputs;
    return ids;
  }
  // Values a step makes, members of lists included.
  std::vector<ValueId> makes(const Step& step) const {
    std::vector<ValueId> ids = step.node >= 0 ? graph_.nodes[static_cast<std::size_t>(step.node)].outputs : instances_[static_cast<std::size_t>(step.substitution)].outputs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == graph::no_value) continue;
      const std::vector<ValueId> members = graph_.values[static_cast<std::size_t>(ids[i])].elements;
      ids.insert(ids.end(), members.begin(), members.end());
    }
    std::erase(ids, graph::no_value);
    return ids;
  }
  bool writes(const Step& step) const { return step.node >= 0 && writes_[static_cast<std::size_t>(step.node)]; }

  bool ready(const Step& step) const {
    for (const ValueId id : reads(step))
      if (pending_.contains(id)) return false;
    return true;
  }

  void place(Step step) {
    if (!ready(step)) {
      const auto made = makes(step);
      pending_.insert(made.begin(), made.end());
      moved_past_write_ |= writes(step);
      deferred_.push_back(std::move(step));
      return;
    }
    moved_past_write_ |= writes(step) && !deferred_.empty();
    finish(std::move(step));
  }
  void finish(Step step) {
    for (const ValueId id : makes(step)) pending_.erase(id);
    steps_.push_back(std::move(step));
  }
  void flush() {
    for (auto it = deferred_.begin(); it != deferred_.end();) {
      if (!ready(*it)) {
        ++it;
        continue;
      }
      Step step = std::move(*it);
      deferred_.erase(it);
      finish(std::move(step));
      it = deferred_.begin();
    }
  }

  void mark_deaths() {
    std::vector<int> last(graph_.values.size(), -1);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const ValueId id : makes(steps_[s])) last[static_cast<std::size_t>(id)] = static_cast<int>(s);
      for (const ValueId id : reads(steps_[s])) last[static_cast<std::size_t>(id)] = static_cast<int>(s);
    }
    std::set<ValueId> kept;
    for (const graph::Output& output : graph_.outputs) kept.insert({output.value, output.target});
    for (std::size_t v = 0; v < last.size(); ++v) {
      const bool constant = graph_.values[v].origin != graph::Origin::node && graph_.values[v].origin != graph::Origin::input;
      if (last[v] >= 0 && !constant && !kept.contains(static_cast<ValueId>(v))) steps_[static_cast<std::size_t>(last[v])].dead.push_back(static_cast<ValueId>(v));
    }
  }

  const graph::Graph& graph_;
  const std::vector<graph::Instance>& instances_;
  const std::vector<bool>& writes_;
  std::vector<int> owner_;                 // instance that a node belongs to
  std::set<ValueId> pending_;              // made by something that has not run yet although its turn has come
  std::vector<Step> deferred_, steps_;
  bool moved_past_write_ = false;
};

}  // namespace

base::Result<std::vector<Step>> make_schedule(const graph::Graph& graph, const std::vector<graph::Instance>& instances, const std::vector<bool>& writes) {
  return Scheduler(graph, instances, writes).make();
}

}  // namespace kw::aten
