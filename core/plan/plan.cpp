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

json without_source(const Plan& p) {
  json buffers = json::array(), steps = json::array();
  for (const Buffer& b : p.buffers) buffers.push_back(buffer_json(b));
  for (const Step& s : p.steps)
    steps.push_back({{"kind", step_names[static_cast<int>(s.kind)]}, {"name", s.name}, {"buffers", s.buffers}, {"generated", s.generated}});
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
    for (const json& s : j.at("steps"))
      plan.steps.push_back({enum_from<StepKind>(s.at("kind"), step_names), s.at("name"), s.at("buffers").get<std::vector<int>>(), s.value("generated", false)});
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
    for (int b : s.buffers)
      if (b < 0 || static_cast<std::size_t>(b) >= plan.buffers.size()) return wrong("a step names a buffer that does not exist", s.name);
  }
  return base::done();
}

std::string text(const Plan& plan) { return without_source(plan).dump(2) + "\n"; }

std::string hash(const Plan& plan) { return base::sha256_hex(text(plan) + '\0' + plan.source); }

}  // namespace kw::plan
