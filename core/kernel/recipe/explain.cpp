// explain(): sentences on what separates two plans, with the numbers that a student can check against the source.
#include <algorithm>
#include <cstdio>

#include "core/kernel/recipe/traffic.h"

namespace kw::kernel {
namespace {

struct Summary {
  std::int64_t kernels = 0, traffic = 0, loops = 0, lanes = 1, accumulators = 0, parallel = 0, tile = 0, workspace = 0;
};

Summary summary_of(const Generated& generated) {
  Summary s;
  s.kernels = static_cast<std::int64_t>(generated.lowered.nests.size());
  s.traffic = generated.traffic_bytes;
  for (const LoopNest& nest : generated.lowered.nests) {
    const Shape shape = shape_of(nest);
    s.loops += shape.loops;
    s.lanes = std::max<std::int64_t>(s.lanes, shape.widest);
    s.accumulators = std::max<std::int64_t>(s.accumulators, shape.accumulators);
    s.parallel = std::max(s.parallel, shape.parallel_iterations);
    s.tile = std::max(s.tile, shape.tile_bytes);
  }
  for (const plan::Buffer& buffer : generated.lowered.buffers)
    if (buffer.role == plan::BufferRole::workspace) s.workspace += buffer.type.span() * graph::byte_size(buffer.type.dtype);
  return s;
}

std::string amount(std::int64_t bytes) {
  char text[40];
  if (bytes < 10000) std::snprintf(text, sizeof text, "%lld bytes", static_cast<long long>(bytes));
  else if (bytes < 10000000) std::snprintf(text, sizeof text, "%.1f KB", static_cast<double>(bytes) / 1e3);
  else std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

std::string number(std::int64_t n) { return std::to_string(n); }
std::string iterations(std::int64_t n) { return n == 0 ? "one thread" : std::to_string(n) + " parallel iterations"; }

struct Aspect {
  std::int64_t Summary::*value;
  std::string (*shown)(std::int64_t);
  const char* what;
  const char* fewer;                   // what less of it means
  const char* more;
};
constexpr Aspect aspects[] = {
    {&Summary::kernels, number, "Kernels", "fewer launches, and values between them stay in the cache", "each can have its own loops, but values pass through memory"},
    {&Summary::traffic, amount, "Main-memory traffic", "less to read and write", "more to read and write"},
    {&Summary::loops, number, "Loops", "less control flow", "more separate passes or tails"},
    {&Summary::lanes, number, "Widest vector, in lanes", "narrower vectors have shorter tails", "more elements an instruction"},
    {&Summary::accumulators, number, "Vector accumulators", "fewer registers, longer dependent chains", "shorter dependent chains, a larger tree at the end"},
    {&Summary::parallel, iterations, "Parallelism", "less to share among the threads", "more to share among the threads"},
    {&Summary::workspace, amount, "Workspace", "less memory is held between kernels", "more memory is held between kernels"},
    {&Summary::tile, amount, "Tiles of one thread", "more room in the cache", "kept values are read from the cache, not computed again"},
};

constexpr int most_shown = 4;            // loops inside each other

std::string loop_structure(const LoopNest& nest) {
  std::string out;
  const auto describe = [&](const Block& block, int depth, const auto& self) -> void {
    for (const Statement& s : block) {
      if (s.kind == StatementKind::only) self(s.body, depth, self);
      if (s.kind != StatementKind::loop || depth > most_shown) continue;
      out += (out.empty() || out.back() == '(' ? "" : "; ") + std::string(word(s.loop_kind)) +
             nest.variables[static_cast<std::size_t>(s.variable)] + " " + std::to_string(s.end - s.begin);
      if (s.step > 1) out += " by " + std::to_string(s.step);
      const bool nested = std::any_of(s.body.begin(), s.body.end(), [](const Statement& b) { return b.kind == StatementKind::loop || b.kind == StatementKind::only; });
      if (!nested) continue;
      out += " (";
      self(s.body, depth + 1, self);
      out += ")";
    }
  };
  describe(nest.body, 0, describe);
  return out.empty() ? "no loop" : out;
}

std::string all_loops(const Generated& generated) {
  std::string out;
  for (const LoopNest& nest : generated.lowered.nests) out += (out.empty() ? "" : " | ") + loop_structure(nest);
  return out;
}

}  // namespace

std::vector<std::string> explain(const Generated& before, const Generated& after) {
  if (before.structural_hash == after.structural_hash) return {"Both are the same loops: the edit changes nothing in the machine code."};
  const Summary a = summary_of(before), b = summary_of(after);
  std::vector<std::string> out;
  for (const Aspect& aspect : aspects) {
    const std::int64_t x = a.*aspect.value, y = b.*aspect.value;
    if (x == y) continue;
    out.push_back(std::string(aspect.what) + ": " + aspect.shown(x) + " -> " + aspect.shown(y) + " (" + (y < x ? aspect.fewer : aspect.more) + ").");
  }
  if (const std::string x = all_loops(before), y = all_loops(after); x != y) out.push_back("Loops before: " + x + ". Loops after: " + y + ".");
  if (out.empty()) out.push_back("Same loops, traffic and registers; the statements inside the loops differ.");
  return out;
}

}  // namespace kw::kernel
