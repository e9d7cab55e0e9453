#include "core/plan/plan.h"

#include <nlohmann/json.hpp>

#include "core/base/hash.h"

namespace kw::plan {

using nlohmann::json;

namespace {

constexpr const char* role_names[] = {"input", "output", "workspace"};
constexpr const char* step_names[] = {"kernel", "gemm", "conv", "aten"};

template <typename Enum, std::size_t N>
Enum enum_from(const json& j, const char* const (&names)[N]) {
  const std::string& word = j.get_ref<const std::string&>();
  for (std::size_t i = 0; i < N; ++i)
    if (word == names[i]) return static_cast<Enum>(i);
  throw std::invalid_argument("unknown word '" + word + "'");
}

base::Error wrong(const std::string& what, const std::string& where) { return base::bad_input(what, "plan, " + where); }

json buffer_json(const Buffer& b) {
  return {{"name", b.name}, {"role", role_names[static_cast<int>(b.role)]}, {"dtype", graph::name(b.type.dtype)}, {"sizes", b.type.sizes}, {"strides", b.type.strides}};
}

Buffer buffer_from(const json& j) {
  const auto dtype = graph::dtype_from_name(j.at("dtype").get_ref<const std::string&>());
  if (!dtype) throw std::invalid_argument("unknown dtype");
  return {j.at("name"), enum_from<BufferRole>(j.at("role"), role_names),
          {*dtype, j.at("sizes").get<std::vector<std::int64_t>>(), j.at("strides").get<std::vector<std::int64_t>>()}};
}

bool is_cuda_kernel(const Plan& plan, const Step& step) { return plan.target == "cuda" && step.kind == StepKind::kernel; }

Launch launch_from(const json& j) {
  return {j.at("grid").get<std::array<std::int64_t, 3>>(), j.at("block").get<std::array<int, 3>>(), j.at("shared_bytes")};
}

// What every GPU since Volta allows; the limits of the one at hand are the driver's to refuse.
bool can_launch(const Launch& l) {
  constexpr std::int64_t grid_most[] = {(std::int64_t{1} << 31) - 1, 65535, 65535};
  constexpr int block_most[] = {1024, 1024, 64};
  std::int64_t threads = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (l.grid[d] < 1 || l.grid[d] > grid_most[d] || l.block[d] < 1 || l.block[d] > block_most[d]) return false;
    threads *= l.block[d];
  }
  return threads <= 1024 && l.shared_bytes >= 0 && l.shared_bytes <= 256 << 10;
}

json without_source(const Plan& p) {
  json buffers = json::array(), steps = json::array();
  for (const Buffer& b : p.buffers) buffers.push_back(buffer_json(b));
  for (const Step& s : p.steps) {
    json step = {{"kind", step_names[static_cast<int>(s.kind)]}, {"name", s.name}, {"buffers", s.buffers}, {"generated", s.generated}};
    if (is_cuda_kernel(p, s)) step["launch"] = {{"grid", s.launch.grid}, {"block", s.launch.block}, {"shared_bytes", s.launch.shared_bytes}};
    steps.push_back(std::move(step));
  }
  return {{"target", p.target}, {"buffers", buffers}, {"steps", steps}, {"generator", p.generator}, {"threads", p.threads}};
}

bool is_symbol(const std::string& s) {
  if (s.empty() || s.size() > 200 || (s[0] >= '0' && s[0] <= '9')) return false;
  for (char c : s)
    if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
  return true;
}

}  // namespace

json to_json(const Plan& plan) {
  json j = without_source(plan);
  j["source"] = plan.source;
  return j;
}

base::Result<Plan> plan_from_json(const json& j) {
  Plan plan;
  try {
    plan.target = j.at("target");
    for (const json& b : j.at("buffers")) plan.buffers.push_back(buffer_from(b));
    for (const json& s : j.at("steps")) {
      Step step{enum_from<StepKind>(s.at("kind"), step_names), s.at("name"), s.at("buffers").get<std::vector<int>>(), s.value("generated", false), {}};
      if (is_cuda_kernel(plan, step)) step.launch = launch_from(s.at("launch"));
      plan.steps.push_back(std::move(step));
    }
    plan.source = j.at("source");
    plan.generator = j.value("generator", "");
    plan.threads = j.at("threads");
  } catch (const std::exception& e) {
    return base::bad_input(std::string("not a plan: ") + e.what(), "plan");
  }
  if (base::Status valid = validate(plan); !valid) return valid.error();
  return plan;
}

base::Status validate(const Plan& plan) {
  if (plan.target != "cpu" && plan.target != "cuda") return wrong("unknown target '" + plan.target + "'", "target");
  if (plan.threads < 1 || plan.threads > 4096) return wrong("the number of threads is out of range", "threads");
  int stage = 0;   // inputs, then outputs, then workspaces
  for (const Buffer& b : plan.buffers) {
    const int role = static_cast<int>(b.role);
    if (role < stage) return wrong("buffers must be inputs, then outputs, then workspaces", b.name);
    stage = role;
    if (!graph::checked_span(b.type)) return wrong("sizes and strides that no tensor can have", b.name);
  }
  if (plan.steps.empty()) return wrong("a plan needs a step", "steps");
  for (const Step& s : plan.steps) {
    if (s.kind == StepKind::kernel && !is_symbol(s.name)) return wrong("a kernel's name must be a C identifier", s.name);
    if (is_cuda_kernel(plan, s) && !can_launch(s.launch)) return wrong("a launch that no GPU makes", s.name);
    for (int b : s.buffers)
      if (b < 0 || static_cast<std::size_t>(b) >= plan.buffers.size()) return wrong("a step names a buffer that does not exist", s.name);
  }
  return base::done();
}

std::string text(const Plan& plan) { return without_source(plan).dump(2) + "\n"; }

std::string hash(const Plan& plan) { return base::sha256_hex(text(plan) + '\0' + plan.source); }

}  // namespace kw::plan
