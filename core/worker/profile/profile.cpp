#include "core/worker/profile/profile.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/device/torch_cuda.h"
#include "core/worker/profile/costs.h"
#include "core/worker/profile/node_times.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

namespace kw::profile {

namespace {

using graph::Graph;
using graph::Node;

std::string signature(const Graph& g, const Node& node) {
  std::string out = node.op + "(";
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    if (auto* ref = std::get_if<graph::ValueRef>(&node.arguments[i].value)) {
      const graph::Value& v = g.values[static_cast<std::size_t>(ref->id)];
      out += (out.back() == '(' ? "" : ", ") + (v.kind == graph::ValueKind::tensor ? v.type.text() : "int");
    } else if (auto* ints = std::get_if<std::vector<graph::IntOrValue>>(&node.arguments[i].value)) {
      std::string list;
      for (const graph::IntOrValue& n : *ints) list += (list.empty() ? "" : ", ") + std::to_string(n.literal);
      out += (out.back() == '(' ? "[" : ", [") + list + "]";
    }
  }
  return out + ")";
}

double floor_seconds(const Cost& cost, const protocol::Ceilings& c, bool f64, bool& memory_bound) {
  const double bandwidth = std::max(c.copy_gb_s, 1e-9), compute = std::max(f64 ? c.f64_gflop_s : c.f32_gflop_s, 1e-9);
  const double memory = 1e-9 * static_cast<double>(cost.bytes) / bandwidth, arithmetic = 1e-9 * static_cast<double>(cost.flops) / compute;
  memory_bound = memory >= arithmetic;
  return std::max(memory, arithmetic);
}

std::string place(const graph::SourceLine& line) { return line.file.empty() ? "" : line.file + ":" + std::to_string(line.line); }

std::vector<protocol::OperatorCard> make_cards(const Graph& g, const std::vector<double>& node_us, const protocol::Ceilings& c) {
  std::map<std::string, std::size_t> known;
  std::vector<protocol::OperatorCard> cards;
  std::vector<double> floors;
  const double total = std::accumulate(node_us.begin(), node_us.end(), 0.0);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const Node& node = g.nodes[n];
    const auto [found, fresh] = known.emplace(signature(g, node), cards.size());
    if (fresh) {
      protocol::OperatorCard card;
      card.op = node.op;
      card.signature = found->first;
      card.module_path = node.module_path;
      card.source = place(node.source);
      cards.push_back(std::move(card));
      floors.push_back(0);
    }
    protocol::OperatorCard& card = cards[found->second];
    const Cost cost = node_cost(g, node);
    const bool f64 = !node.outputs.empty() && node.outputs[0] != graph::no_value && g.values[static_cast<std::size_t>(node.outputs[0])].type.dtype == graph::DType::f64;
    bool memory_bound = true;
    floors[found->second] += 1e6 * floor_seconds(cost, c, f64, memory_bound);
    card.bound = memory_bound ? "memory" : "compute";
    ++card.calls;
    card.time_us += node_us[n];
    card.bytes += cost.bytes;
    card.flops += cost.flops;
    card.nodes.push_back(static_cast<int>(n));
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    cards[i].share = total > 0 ? cards[i].time_us / total : 0;
    cards[i].roofline_share = cards[i].time_us > 0 ? floors[i] / cards[i].time_us : 0;
  }
  std::stable_sort(cards.begin(), cards.end(), [](const auto& a, const auto& b) { return a.time_us > b.time_us; });
  return cards;
}

// A chain of negations of an empty tensor, through the interpreter and called directly: the difference is the interpreter's.
base::Result<double> overhead_us_per_node() {
  constexpr int length = 200, repeats = 41;
  Graph g;
  g.values.push_back({});
  g.values[0].name = "x";
  g.values[0].origin = graph::Origin::input;
  g.values[0].type = {graph::DType::f32, {0}, {1}};
  g.inputs = {0};
  for (int i = 0; i < length; ++i) {
    graph::Value v = g.values[0];
    v.name = "y" + std::to_string(i);
    v.origin = graph::Origin::node;
    g.values.push_back(v);
    g.nodes.push_back({"aten.neg.default", {{"self", false, graph::ValueRef{i}}}, {i + 1}, {}, ""});
  }
  g.outputs.push_back({length, graph::OutputKind::user, graph::no_value});
  auto bound = aten::Executable::bind(g, {});
  if (!bound) return bound.error();
  const c10::InferenceMode inference;
  const at::Tensor x = at::empty({0});
  std::vector<double> through, direct;
  for (int r = 0; r < repeats; ++r) {
    double start = base::now_s();
    if (auto ran = (*bound)->run({x}); !ran) return ran.error();
    through.push_back(base::now_s() - start);
    start = base::now_s();
    at::Tensor y = x;
    for (int i = 0; i < length; ++i) y = at::neg(y);
    direct.push_back(base::now_s() - start);
  }
  return 1e6 * (base::median(through) - base::median(direct)) / length;
}

// The whole model without a clock round its nodes.
base::Result<double> model_us(aten::OpenModel& model, int runs, const base::CancelToken& cancel) {
  std::vector<double> samples;
  for (int r = 0; r < runs + 1; ++r) {   // the first warms up
    if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "profiling was cancelled", ""};
    const double start = base::now_s();
    if (auto ran = model.eager->run(model.inputs); !ran) return ran.error();
    if (model.on_cuda) device::synchronize();
    if (r > 0) samples.push_back(1e6 * (base::now_s() - start));
  }
  return base::median(samples);
}

}  // namespace

base::Result<protocol::Profile> profile(aten::OpenModel& model, const protocol::Ceilings& ceilings, int runs, const base::CancelToken& cancel) {
  auto whole = model_us(model, runs, cancel);
  if (!whole) return whole.error();
  auto nodes = node_times(model, runs, cancel);
  if (!nodes) return nodes.error();
  auto overhead = overhead_us_per_node();
  if (!overhead) return overhead.error();
  protocol::Profile p;
  p.runs = runs;
  p.ceilings = ceilings;
  p.model_us = *whole;
  p.node_us = std::move(nodes->node_us);
  p.timeline = std::move(nodes->timeline);
  p.note = std::move(nodes->note);
  p.interpreter_us_per_node = *overhead;
  p.cards = make_cards(model.graph, p.node_us, ceilings);
  return p;
}

}  // namespace kw::profile
