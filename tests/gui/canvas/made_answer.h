#pragma once
// What `session/tree` answers, for tests and the bench.

#include <random>

#include <nlohmann/json.hpp>

namespace kw::ui {

// Candidates [from, to) of one task; every 50th has a second parent.
inline nlohmann::json made_answer(int from, int to) {
  using nlohmann::json;
  json nodes = json::array(), edges = json::array();
  const char* keys[] = {"tile_i", "tile_j", "vector", "unroll", "stages"};
  const char* verdicts[] = {"accepted", "accepted", "accepted", "build_error", "wrong_result", "cheat:input_alias", ""};
  for (int i = from; i < to; ++i) {
    std::mt19937 random(static_cast<unsigned>(i) + 1);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto id = [](int n) { return "c" + std::to_string(n + 1); };
    const std::string verdict = i == 0 ? "accepted" : verdicts[below(7)];
    json node = {{"id", id(i)}, {"task", "t1"}, {"kind", "generated"}, {"verdict", verdict}, {"visits", 1 + below(100)}, {"number", i}, {"on_best_path", i % 1000 == 0},
                 {"pinned", false}, {"banned", false}, {"at_s", i * 0.5}};
    if (verdict == "accepted") {
      const double speedup = 0.5 + below(200) / 100.0;
      node.update({{"outcome", speedup > 1.05 ? "faster" : "slower"}, {"speedup", speedup}, {"ci95", {speedup * 0.98, speedup * 1.02}}, {"candidate_us", 100 / speedup}, {"error_max", 2e-7}, {"value", 0.1}});
    }
    nodes.push_back(std::move(node));
    const auto edge = [&](int parent) {
      edges.push_back({{"parent", id(parent)}, {"child", id(i)}, {"key", keys[below(5)]}, {"from", "16"}, {"to", std::to_string(16 << below(4))}, {"kind", "tile"},
                       {"description", "Tile the inner axis otherwise."}, {"n", below(50)}, {"q", 0.2}, {"p", 0.1}, {"u", 0.3}});
    };
    if (i > 0) edge(below(4) == 0 ? i - 1 - below(std::min(i, 40)) : below(std::max(1, i * 3 / 4)));
    if (i > 60 && i % 50 == 0) edge(i - 55);
  }
  return {{"version", to}, {"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

}  // namespace kw::ui
