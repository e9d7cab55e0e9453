// Writes a session of made-up candidates: a search of six tasks with the shapes, verdicts and sizes of a real one, and nothing measured.
//
//   kw_make_session OUT.kwr [CANDIDATES = 100000] [EVENTS of the profile's timeline = 1000] [SEED = 0]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "core/engine/store/plan_json.h"
#include "core/engine/store/session.h"

namespace {

using namespace kw;
using nlohmann::json;

constexpr int tasks = 6;
constexpr double first_s = 1.7e9;      // Unix time
const char* const operators[tasks] = {"aten.softmax.int", "aten.gelu.default", "aten.layer_norm.default", "aten.add.Tensor", "aten.sum.dim_IntList", "aten.mul.Tensor"};
const char* const keys[] = {"vector.k0", "tile.k0", "unroll.k0", "parallel.k0", "edge.softmax.exp", "reduction.k0"};

class Maker {
 public:
  Maker(store::Session& session, unsigned seed) : session_(session), random_(seed) {}

  base::Status write(int candidates, int events) {
    if (auto status = session_.together([&] { return everything(candidates, events); }); !status) return status;
    return session_.close();
  }

 private:
  struct Made { int task = 0, parent = -1; double value = 0; bool good = true; std::vector<std::string> path; };

  base::Status everything(int candidates, int events) {
    if (auto status = model(events); !status) return status;
    auto run = session_.begin_run({{"evaluations", candidates}});
    if (!run) return run.error();
    for (int n = 0; n < candidates; ++n)
      if (auto status = candidate(n, *run); !status) return status;
    for (int t = 0; t < tasks; ++t)
      if (best_[t] > 0)
        if (auto status = session_.set_final({task_id(t), id(best_[t] - 1), best_evaluation_[t], true}); !status) return status;
    store::RunRecord end;
    end.id = *run;
    end.reason = "evaluations";
    end.evaluations = end.measured = candidates;
    end.wall_s = 0.5 * candidates;
    return session_.end_run(end);
  }

  static std::string id(int n) { return "c" + std::to_string(n + 1); }
  static std::string task_id(int t) { return "t0" + std::to_string(t) + "-" + std::string(operators[t]).substr(5, 7); }
  double lot() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  base::Status model(int events) {
    std::vector<protocol::OperatorCard> cards;
    std::vector<store::TaskRecord> records;
    for (int t = 0; t < tasks; ++t) {
      protocol::OperatorCard card;
      card.op = operators[t];
      card.signature = card.op + "(f32[8, 256, 512])";
      card.module_path = "layers." + std::to_string(t);
      card.source = "model.py:" + std::to_string(10 + t);
      card.calls = 4;
      card.time_us = 4000.0 / (t + 1);
      card.share = 0.4 / (t + 1);
      card.bytes = 1 << 24;
      card.flops = 1 << 22;
      card.bound = "memory";
      card.roofline_share = 0.3;
      card.nodes = {t};
      cards.push_back(card);
      store::TaskRecord task;
      task.id = task_id(t);
      task.position = t;
      task.operators = {card.op};
      task.module_path = card.module_path;
      task.source = card.source;
      task.calls = card.calls;
      task.share = card.share;
      task.time_us = 1000.0 / (t + 1);
      task.baseline_us = task.time_us;
      task.floor_us = task.time_us / 4;
      task.graph = json::object();
      task.instances = {{{"nodes", {t}}, {"inputs", json::array()}, {"outputs", json::array()}}};
      records.push_back(task);
    }
    protocol::Profile profile;
    profile.model_us = 10000;
    profile.runs = 10;
    profile.node_us.assign(tasks, 1000);
    std::vector<protocol::TimelineEvent> timeline;
    for (int e = 0; e < events; ++e)
      timeline.push_back({operators[e % tasks], e % 2 == 0 ? "operators" : "kernels", 10.0 * e, 1 + 8 * lot(), e % tasks});
    protocol::Environment environment;
    environment.cpu = environment.device = "made up";
    environment.compiler = "g++";
    environment.flags = "-std=c++20 -O2 -march=native -fopenmp -fPIC -shared";
    environment.threads = 2;
    const json graph = {{"inputs", json::array()}, {"nodes", json::array()}, {"notes", json::array()}, {"outputs", json::array()}, {"values", json::array()}};
    for (const auto& status : {session_.set_environment(environment), session_.set_graph(graph), session_.set_cards(cards),
                               session_.set_timeline("profile", timeline), session_.set_tasks(records), session_.set_profile(profile)})
      if (!status) return status;
    return base::done();
  }

  // Half of the children go to one of the last thousand, the others to a good one somewhere: long branches and wide nodes.
  int parent_of(int n) {
    if (n < tasks) return -1;
    const int from = lot() < 0.5 ? std::max(0, n - 1000) : 0;
    for (;;) {
      const int chosen = from + static_cast<int>(lot() * (n - from));
      if (made_[chosen].path.size() < 40 && (made_[chosen].good || lot() < 0.05)) return chosen;
    }
  }

  base::Status candidate(int n, std::int64_t run) {
    Made made;
    made.parent = parent_of(n);
    made.task = made.parent < 0 ? n : made_[made.parent].task;
    if (made.parent >= 0) made.path = made_[made.parent].path;
    made.path.push_back(id(n));
    const double before = made.parent < 0 ? 0 : made_[made.parent].value;
    made.value = before + 0.1 * (lot() - 0.55);
    store::CandidateRecord record;
    record.id = id(n);
    record.task = task_id(made.task);
    record.structural_hash = "h" + std::to_string(n);
    record.recipe = "generator=0 vector.k0=" + std::to_string(n % 16) + " tile.k0=" + std::to_string(n % 64);
    record.traffic_bytes = 1 << 24;
    plan::Plan plan;
    plan.target = "cpu";
    plan.buffers = {{"x", plan::BufferRole::input, {graph::DType::f32, {2048, 512}, {512, 1}}}, {"out", plan::BufferRole::output, {graph::DType::f32, {2048, 512}, {512, 1}}}};
    plan.steps = {{plan::StepKind::kernel, "kw_k", {0, 1}, true, {}}};
    plan.source = "// candidate " + std::to_string(n) + "\nextern \"C\" void kw_k(void* const* buffers);\n";
    store::set_plan(record, plan);
    std::vector<store::EdgeRecord> edges;
    if (made.parent >= 0) {
      const char* key = keys[n % 6];
      edges.push_back({id(made.parent), record.id, key, std::to_string(n % 7), std::to_string(n % 7 + 1), "made up", "Changes " + std::string(key) + ".", lot()});
    }
    if (auto status = session_.add_candidate(record, edges); !status) return status;
    auto status = evaluate(n, made, run);
    made_.push_back(std::move(made));
    return status;
  }

  base::Status evaluate(int n, Made& made, std::int64_t run) {
    store::EvaluationRecord record;
    record.run = run;
    record.candidate = id(n);
    record.path = made.path;
    record.wall_s = 0.5;
    record.completed_s = first_s + 0.5 * n;
    const double fate = made.parent < 0 ? 1 : lot();
    protocol::Evaluation& e = record.evaluation;
    const protocol::Verdict bad[] = {protocol::Verdict::build_error, protocol::Verdict::crash, protocol::Verdict::wrong_result, protocol::Verdict::timeout};
    made.good = fate > 0.15;
    e.verdict = made.good ? protocol::Verdict::accepted : bad[static_cast<int>(fate / 0.15 * 4)];
    e.evidence.summary = made.good ? "Right on every input set." : "Made up.";
    e.evidence.errors = {{1e-7 * (1 + lot()), 1e-8, 1e-7, 1e-8, 4e-7, 4e-8, 0}};
    const double at = record.completed_s;
    for (int i = 0; i < 12; ++i) e.spans.push_back({i % 2 == 0 ? "candidate" : "baseline", at + 0.01 * i, at + 0.01 * i + 0.009});
    if (made.good) e.measurement = measurement(std::exp(made.value), 1000.0 / (made.task + 1));
    auto row = session_.add_evaluation(record);
    if (!row) return row.error();
    if (made.good && (best_[made.task] == 0 || made.value > made_[best_[made.task] - 1].value)) {
      best_[made.task] = n + 1;
      best_evaluation_[made.task] = *row;
    }
    return base::done();
  }

  protocol::Measurement measurement(double ratio, double baseline_us) {
    protocol::Measurement m;
    m.clock = "call_us";
    m.baseline = "eager";
    m.ratio = ratio;
    m.ratio_ci95 = {ratio * 0.98, ratio * 1.02};
    m.baseline_median_us = baseline_us;
    m.candidate_median_us = baseline_us / ratio;
    m.rounds = 12;
    m.threads = 2;
    m.device = "made up";
    m.floor_us = baseline_us / 4;
    for (int i = 0; i < m.rounds; ++i) {
      m.baseline_us.push_back(baseline_us * (0.98 + 0.04 * lot()));
      m.candidate_us.push_back(baseline_us / ratio * (0.98 + 0.04 * lot()));
    }
    return m;
  }

  store::Session& session_;
  std::mt19937_64 random_;
  std::vector<Made> made_;
  int best_[tasks] = {};                 // candidate + 1
  std::int64_t best_evaluation_[tasks] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  if (argc < 2) return std::fprintf(stderr, "kw_make_session OUT.kwr [CANDIDATES] [EVENTS] [SEED]\n"), 2;
  store::ModelInfo model;
  model.path = "/models/made_up.py";
  model.sha256 = "made up";
  model.kind = "py";
  model.threads = 2;
  auto session = store::Session::create(argv[1], model);
  auto status = session ? Maker(*session, static_cast<unsigned>(number(4, 0))).write(number(2, 100000), number(3, 1000)) : base::Status(session.error());
  if (status) return 0;
  std::fprintf(stderr, "error: %s\n", status.error().text().c_str());
  return 1;
}
