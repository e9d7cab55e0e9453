// A TEST FAKE that speaks the worker's protocol and measures nothing: verdicts and times are made up from a hash of the
// plan's source, the same on every machine. It lets the conductor and the command line be tested without torch.
//
//   KW_FAKE_DELAY_MS   how long an evaluation seems to take
//   KW_FAKE_LOG        file that gets one line an evaluation: candidate and "afresh" or "search"
//   KW_FAKE_DIE_AT     kill -9 itself at this evaluation; once, when KW_FAKE_MARK names a file (made then)
//   KW_FAKE_KILLER     candidate whose every evaluation kills the worker
//   KW_FAKE_REFUSE     part of a task's id: its `prepare` is refused
//   KW_FAKE_WIDTH      last dimension of the model, to be "another graph"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/graph/graph.h"
#include "core/protocol/channel.h"
#include "core/protocol/records.h"

namespace {

using namespace kw;
using protocol::Answer;
using protocol::json;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class ModelBuilder {
 public:
  graph::ValueId value(const std::string& name, std::vector<std::int64_t> sizes, graph::Origin origin) {
    graph::Value v;
    v.name = name;
    v.origin = origin;
    v.type = {graph::DType::f32, sizes, graph::contiguous_strides(sizes)};
    if (origin == graph::Origin::parameter) v.target = name;
    graph_.values.push_back(v);
    const auto id = static_cast<graph::ValueId>(graph_.values.size()) - 1;
    if (origin == graph::Origin::input) graph_.inputs.push_back(id);
    return id;
  }
  graph::ValueId node(const std::string& op, std::vector<std::pair<std::string, graph::Literal>> arguments, int line) {
    const auto out = value("n" + std::to_string(graph_.nodes.size()), graph_.values[0].type.sizes, graph::Origin::node);
    graph::Node n;
    n.op = op;
    for (auto& [name, literal] : arguments) n.arguments.push_back({name, false, std::move(literal)});
    n.outputs = {out};
    n.source = {"model.py", line};
    n.module_path = "block";
    graph_.nodes.push_back(std::move(n));
    return out;
  }
  graph::Graph finish(graph::ValueId out) {
    graph_.outputs = {{out, graph::OutputKind::user, graph::no_value}};
    return std::move(graph_);
  }

 private:
  graph::Graph graph_;
};

// add, relu | mm | softmax, mul | mm | layer_norm: three tasks between two borders.
graph::Graph model() {
  const std::string named = setting("KW_FAKE_WIDTH");
  const std::int64_t width = named.empty() ? 96 : std::stoll(named);
  using graph::ValueRef;
  ModelBuilder b;
  const auto x = b.value("x", {64, width}, graph::Origin::input);
  const auto w = b.value("w", {width, width}, graph::Origin::parameter);
  const auto sum = b.node("aten.add.Tensor", {{"self", ValueRef{x}}, {"other", ValueRef{x}}}, 3);
  const auto relu = b.node("aten.relu.default", {{"self", ValueRef{sum}}}, 4);
  const auto first = b.node("aten.mm.default", {{"self", ValueRef{relu}}, {"mat2", ValueRef{w}}}, 5);
  const auto soft = b.node("aten.softmax.int", {{"self", ValueRef{first}}, {"dim", std::int64_t{-1}}}, 6);
  const auto scaled = b.node("aten.mul.Tensor", {{"self", ValueRef{soft}}, {"other", ValueRef{x}}}, 7);
  const auto second = b.node("aten.mm.default", {{"self", ValueRef{scaled}}, {"mat2", ValueRef{w}}}, 8);
  const auto norm = b.node("aten.layer_norm.default",
                           {{"input", ValueRef{second}}, {"normalized_shape", std::vector<graph::IntOrValue>{{width, graph::no_value}}}}, 9);
  return b.finish(norm);
}

protocol::Environment environment() {
  protocol::Environment e;
  e.cpu = "fake cpu";
  e.torch = "0.0.0";
  e.compiler = "g++";
  e.flags = "-std=c++20 -O2 -march=native -fopenmp -fPIC -shared -fno-math-errno -w";
  e.device = "fake cpu";
  e.threads = 2;
  e.vector_bytes = 32;
  e.l1_bytes = 32 << 10;
  e.l2_bytes = 1 << 20;
  return e;
}

json profile() {
  protocol::Profile p;
  p.node_us = {40, 20, 300, 100, 60, 300, 80};
  p.model_us = 900;
  p.runs = 10;
  const graph::Graph g = model();
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    protocol::OperatorCard card;
    card.op = card.signature = g.nodes[n].op;
    card.source = "model.py:" + std::to_string(g.nodes[n].source.line);
    card.module_path = "block";
    card.calls = 1;
    card.time_us = p.node_us[n];
    card.share = p.node_us[n] / 900;
    card.bytes = 1000;
    card.flops = 2000;
    card.bound = "memory";
    card.roofline_share = 0.5;
    card.nodes = {static_cast<int>(n)};
    p.cards.push_back(card);
    p.timeline.push_back({g.nodes[n].op, "operators", static_cast<double>(n) * 100, p.node_us[n], static_cast<int>(n)});
  }
  p.timeline.push_back({"made_up_gemm", "kernels", 210, 80, 2});
  return p;
}

double made_up(const std::string& text, int part) {   // in [0, 1)
  return static_cast<double>(std::stoul(base::sha256_hex(text).substr(static_cast<std::size_t>(part) * 6, 6), nullptr, 16)) / (1 << 24);
}

protocol::Measurement measurement(const std::string& source) {
  protocol::Measurement m;
  m.clock = "call_us";
  m.baseline = "eager";
  m.baseline_median_us = 100;
  m.ratio = 0.7 + 1.3 * made_up(source, 0);
  m.candidate_median_us = 100 / m.ratio;
  m.ratio_ci95 = {m.ratio * 0.98, m.ratio * 1.02};
  m.rounds = 12;
  for (int i = 0; i < 12; ++i) {
    m.baseline_us.push_back(100);
    m.candidate_us.push_back(100 / m.ratio);
  }
  m.threads = 2;
  m.device = "fake cpu";
  m.floor_us = 10;
  return m;
}

protocol::Evaluation verdict(const std::string& source) {
  protocol::Evaluation e;
  const double lot = made_up(source, 1);
  if (lot < 0.1) {
    e.verdict = protocol::Verdict::wrong_result;
    e.evidence.summary = "Output 0 differs from the truth at [3, 5].";
    e.evidence.input_set = "hidden:heavy-tailed";
    e.evidence.worst = {{0, {3, 5}, 1.5, 2.5, 0.4}};
  } else if (lot < 0.15) {
    e.verdict = protocol::Verdict::build_error;
    e.evidence.summary = "The compiler refused the source: made up.";
    e.evidence.detail = "kernel.cpp:1: error: made up";
  } else {
    e.verdict = protocol::Verdict::accepted;
    e.measurement = measurement(source);
  }
  return e;
}

json evaluate(const json& params) {
  static std::atomic<int> count = 0;
  const double started = base::now_s();
  const std::string candidate = params.at("candidate"), mark = setting("KW_FAKE_MARK"), log = setting("KW_FAKE_LOG");
  if (!log.empty()) std::ofstream(log, std::ios::app) << candidate << (params.at("afresh") == true ? " afresh\n" : " search\n");
  const std::string die_at = setting("KW_FAKE_DIE_AT");
  const bool dies = !die_at.empty() && ++count == std::stoi(die_at) && (mark.empty() || access(mark.c_str(), F_OK) != 0);
  if (dies && !mark.empty()) std::ofstream(mark) << "died\n";
  if (dies || candidate == setting("KW_FAKE_KILLER")) kill(getpid(), SIGKILL);
  if (const std::string delay = setting("KW_FAKE_DELAY_MS"); !delay.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(delay)));
  protocol::Evaluation e = verdict(params.at("plan").at("source"));
  if (params.at("afresh") == true) e.timeline = {{"made_up_fused", "candidate", 0, 20, -1}, {"made_up_eager", "eager", 30, 40, -1}};
  e.spans = {{"compile", started, (started + base::now_s()) / 2}, {"candidate", (started + base::now_s()) / 2, base::now_s()}};
  return e;
}

Answer prepare(const json& params) {
  const std::string refuse = setting("KW_FAKE_REFUSE"), id = params.at("task").at("id");
  if (!refuse.empty() && id.find(refuse) != std::string::npos)
    return base::Error{base::ErrorCode::unsupported, "made up: this task's inputs cannot be captured", id};
  return json{{"baseline_us", 100}, {"floor_us", 10}, {"input_sets", {"captured"}}, {"eager_errors", json::array()}, {"constant_truth", false}};
}

json end_to_end() {
  protocol::EndToEnd e;
  e.before_us = 900;
  e.after_us = 750;
  e.speedup = 1.2;
  e.speedup_ci95 = {1.17, 1.23};
  e.rounds = 20;
  e.error_max = 2e-6;
  e.error_eager_max = 2e-6;
  e.within_tolerance = true;
  return e;
}

}  // namespace

int main() {
  const auto wire = protocol::take_private_descriptors();
  protocol::Handlers handlers;
  const auto serve = [&](const char* method, std::function<Answer(const json&)> work) {
    handlers.requests[method] = [work](std::int64_t, const json& params, protocol::Reply reply) { reply(work(params)); };
  };
  serve("hello", [](const json&) { return json{{"protocol", protocol::protocol_version}, {"environment", environment()}}; });
  serve("open", [](const json&) {
    return json{{"graph", graph::to_json(model())}, {"notes", json::array()}, {"sha256", "fake"}, {"kind", "py"}, {"environment", environment()}};
  });
  serve("profile", [](const json&) { return profile(); });
  serve("prepare", prepare);
  serve("evaluate", [](const json& params) { return evaluate(params); });
  serve("end_to_end", [](const json&) { return end_to_end(); });
  serve("run", [](const json& params) {
    if (const std::string out = params.value("out", ""); !out.empty()) std::ofstream(out) << "fake outputs";
    return json{{"outputs", {"f32[64, 96]"}}};
  });
  protocol::Channel channel(wire.read, wire.write, std::move(handlers));
  channel.wait_closed();
  _exit(0);
}
