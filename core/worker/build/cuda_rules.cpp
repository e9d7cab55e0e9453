#include "core/worker/build/cuda_rules.h"

#include <algorithm>
#include <set>

namespace kw::build {
namespace {

constexpr std::uint64_t pointer_bytes = 8;

// Seen in the cubins of every function of NVIDIA's maths library, sm_75 to sm_120, NVRTC 13.0.
struct TableRow { std::string_view name; std::uint64_t bytes; };
constexpr TableRow tables[] = {{"__cudart_i2opi_f", 24}, {"__cudart_i2opi_d", 144}, {"__cudart_sin_cos_coeffs", 128}};

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// Shared memory carries the flag, too, and ends with its block; .nv.merc repeats the other sections for the loader.
// A kernel cannot be kept from writing user constants (.nv.constant3): on an H200 a store through a cast address changed one for the
// launches to come.
bool outlives_a_launch(const CubinSection& section) {
  if (section.bytes == 0 || begins(section.name, ".nv.shared") || begins(section.name, ".nv.merc.")) return false;
  return section.writable || section.name == ".nv.constant3";
}

bool is_table(const CubinSymbol& symbol) {
  return std::any_of(std::begin(tables), std::end(tables), [&](const TableRow& row) { return row.name == symbol.name && row.bytes == symbol.bytes; });
}

// Nothing in the section but known tables, and hardly a gap.
bool holds_only_tables(const Cubin& cubin, std::size_t section) {
  std::uint64_t bytes = 0;
  for (const CubinSymbol& symbol : cubin.symbols) {
    if (!symbol.object || symbol.undefined || symbol.section != section) continue;
    if (!is_table(symbol)) return false;
    bytes += symbol.bytes;
  }
  constexpr std::uint64_t gaps = 16 * std::size(tables);
  return bytes > 0 && cubin.sections[section].bytes <= bytes + gaps;
}

std::string objects_of(const Cubin& cubin, std::size_t section) {
  std::string text = cubin.sections[section].name + ", " + std::to_string(cubin.sections[section].bytes) + " bytes\n";
  for (const CubinSymbol& symbol : cubin.symbols)
    if (symbol.object && !symbol.undefined && symbol.section == section) text += symbol.name + ": " + std::to_string(symbol.bytes) + " bytes\n";
  return text;
}

std::optional<Refusal> refuse_memory(const Cubin& cubin, std::string_view source) {
  for (std::size_t i = 0; i < cubin.sections.size(); ++i) {
    if (!outlives_a_launch(cubin.sections[i])) continue;
    if (cubin.sections[i].name != ".nv.global.init" || !holds_only_tables(cubin, i))
      return Refusal{true, "writable_state",
                     "The kernels keep memory between launches; ask for a workspace buffer in the plan, and make tables constexpr arrays of a function.",
                     objects_of(cubin, i)};
    if (auto refusal = refuse_reach_for_tables(source)) return refusal;
  }
  return std::nullopt;
}

// ptxas has refused what nobody defines, so what is left here is the driver's.
std::optional<Refusal> refuse_functions(const Cubin& cubin) {
  std::string names;
  for (const CubinSymbol& symbol : cubin.symbols)
    if (symbol.undefined && !symbol.name.empty() && !(symbol.weak && begins(symbol.name, ".nv.reservedSmem.")))
      names += symbol.name + "\n";
  if (names.empty()) return std::nullopt;
  const std::string first = names.substr(0, names.find('\n'));
  return Refusal{true, "forbidden_symbol", "The kernels call '" + first + "' of the driver, which a candidate may not.", names};
}

Refusal wrong_signature(const plan::Step& step, const std::string& found) {
  return {false, "", "Kernel '" + step.name + "' must take " + std::to_string(step.buffers.size()) + " pointers, one for each buffer of its step.", found};
}

std::optional<Refusal> refuse_steps(const Cubin& cubin, const plan::Plan& plan) {
  std::set<std::string> kernels;
  for (const CubinSymbol& symbol : cubin.symbols)
    if (symbol.kernel && !symbol.undefined) kernels.insert(symbol.name);
  for (const plan::Step& step : plan.steps) {
    if (step.kind != plan::StepKind::kernel) continue;
    if (kernels.count(step.name) == 0) {
      std::string there;
      for (const std::string& name : kernels) there += name + "\n";
      return Refusal{false, "",
                     "The source does not define kernel '" + step.name + "'. It must hold extern \"C\" __global__ void " + step.name + "(…).", there};
    }
    const auto found = cubin.parameters.find(step.name);
    const std::vector<std::uint32_t> none, &bytes = found != cubin.parameters.end() ? found->second : none;
    std::string sizes;
    for (std::uint32_t b : bytes) sizes += std::to_string(b) + " bytes\n";
    if (bytes.size() != step.buffers.size() || std::any_of(bytes.begin(), bytes.end(), [](std::uint32_t b) { return b != pointer_bytes; }))
      return wrong_signature(step, "parameters:\n" + sizes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_cubin(const Cubin& cubin, std::string_view source, const plan::Plan& plan) {
  if (auto refusal = refuse_functions(cubin)) return refusal;
  if (auto refusal = refuse_memory(cubin, source)) return refusal;
  return refuse_steps(cubin, plan);
}

}  // namespace kw::build
