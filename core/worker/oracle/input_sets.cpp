#include "core/worker/oracle/input_sets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using graph::DType;

// Values are taken at random from a table: drawing each afresh costs more than checking the candidate.
constexpr std::size_t table_size = 65537;

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567) {
    std::mt19937_64 engine(state_);
    std::normal_distribution<double> gauss;
    normals_.resize(table_size);
    for (double& value : normals_) value = gauss(engine);
  }
  double normal() { return normals_[next() % table_size]; }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::uint64_t next() {   // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

 private:
  std::uint64_t state_;
  std::vector<double> normals_;
};

bool narrow(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

double draw_normal(Numbers& n, DType) { return n.normal(); }
// Log-normal magnitudes: five orders of magnitude in one tensor.
double draw_heavy(Numbers& n, DType dtype) { return n.normal() * std::exp((dtype == DType::f16 ? 1.2 : 2.5) * n.normal()); }
double draw_large(Numbers& n, DType dtype) { return n.normal() * (dtype == DType::f16 ? 1e3 : 1e4); }
// The mean far above the deviation: a naive variance cancels.
double draw_offset(Numbers& n, DType dtype) { return n.normal() + (narrow(dtype) ? 30 : 1000); }
double draw_tiny(Numbers& n, DType dtype) {
  switch (dtype) {
    case DType::f64: return n.normal() * 1e-309;
    case DType::f16: return n.normal() * 2e-6;
    default: return n.normal() * 1e-39;
  }
}
double draw_special(Numbers& n, DType) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (n.next() % 8192) {   // rare, or whole reductions become NaN and say nothing
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return infinity;
    case 2: return -infinity;
    case 3: case 4: return 0.0;
    case 5: case 6: return -0.0;
    default: return n.normal();
  }
}

struct Distribution {
  const char* name;
  double (*draw)(Numbers&, DType);
  bool every_input;   // false: small inputs (weights) stay normal, so that the large one's values are seen in the result
};
constexpr Distribution distributions[] = {
    {"hidden:normal", draw_normal, true},  {"hidden:heavy-tailed", draw_heavy, true}, {"hidden:large", draw_large, false},
    {"hidden:offset", draw_offset, false}, {"hidden:special", draw_special, false},   {"hidden:tiny", draw_tiny, false},
};

double into_domain(double value, DomainKind kind, bool special) {
  switch (kind) {
    case DomainKind::positive: return std::isfinite(value) && value != 0 ? std::fabs(value) : 1.0;
    case DomainKind::mostly_positive: return special || std::isnan(value) ? value : std::fabs(value);
    case DomainKind::probability: return std::isfinite(value) ? std::fmod(std::fabs(value), 1.0) : 0.5;
    default: return value;
  }
}

void draw_floating(const Distribution& distribution, const graph::TensorType& type, DomainKind kind, Numbers& numbers, Storage& out) {
  const auto bytes = static_cast<std::size_t>(graph::byte_size(type.dtype));
  const bool special = distribution.draw == draw_special;
  for (std::size_t at = 0; at + bytes <= out.size(); at += bytes)
    store_number(type.dtype, out.data() + at, into_domain(distribution.draw(numbers, type.dtype), kind, special));
}

// Integers between the bounds; booleans as dense as the captured ones.
void draw_exact(const graph::TensorType& type, const Domain& domain, const Storage& captured, Numbers& numbers, Storage& out) {
  const auto bytes = static_cast<std::size_t>(graph::byte_size(type.dtype));
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  for (std::size_t at = 0; at + bytes <= captured.size(); at += bytes) {
    const double value = load_number(type.dtype, captured.data() + at);
    low = std::min(low, value), high = std::max(high, value), sum += value;
  }
  const double count = static_cast<double>(captured.size()) / static_cast<double>(bytes);
  const double density = std::clamp(sum / std::max(count, 1.0), 0.05, 0.95);
  if (domain.kind == DomainKind::index && domain.high >= domain.low)
    low = static_cast<double>(domain.low), high = static_cast<double>(domain.high);
  for (std::size_t at = 0; at + bytes <= out.size(); at += bytes) {
    const double u = numbers.uniform();
    const double value = type.dtype == DType::boolean ? (u < density ? 1 : 0) : std::min(high, low + std::floor(u * (high - low + 1)));
    store_number(type.dtype, out.data() + at, value);
  }
}

std::int64_t largest_floating(const InputFacts& facts) {
  std::int64_t most = 0;
  for (const auto& type : facts.types)
    if (graph::is_floating(type.dtype)) most = std::max(most, type.span());
  return most;
}

}  // namespace

const std::vector<std::string>& hidden_distributions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Distribution& row : distributions) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

InputSet draw(std::size_t distribution, const InputFacts& facts, const InputSet& captured, std::uint64_t seed) {
  const Distribution& row = distributions[distribution];
  Numbers numbers(seed * 31 + distribution);
  InputSet set{row.name, {}};
  const std::int64_t most = largest_floating(facts);
  for (std::size_t i = 0; i < facts.types.size(); ++i) {
    const graph::TensorType& type = facts.types[i];
    if (facts.domains[i].kind == DomainKind::fixed) {
      set.storages.push_back(captured.storages[i]);
      continue;
    }
    Storage storage(storage_bytes(type));
    const bool dominant = row.every_input || type.span() * 2 > most;
    if (graph::is_floating(type.dtype)) draw_floating(dominant ? row : distributions[0], type, facts.domains[i].kind, numbers, storage);
    else draw_exact(type, facts.domains[i], captured.storages[i], numbers, storage);
    set.storages.push_back(std::move(storage));
  }
  return set;
}

void roll(const InputFacts& facts, const InputSet& from, std::uint64_t seed, const std::vector<std::byte*>& targets, const Copy& copy) {
  std::mt19937_64 engine(seed);
  for (std::size_t i = 0; i < from.storages.size(); ++i) {
    const Storage& source = from.storages[i];
    const auto bytes = static_cast<std::size_t>(graph::byte_size(facts.types[i].dtype));
    const std::size_t count = source.size() / bytes;
    if (count == 0) continue;
    const bool fixed = count < 2 || facts.domains[i].kind == DomainKind::fixed;
    const std::size_t cut = fixed ? 0 : (1 + engine() % (count - 1)) * bytes;
    copy(targets[i], source.data() + cut, source.size() - cut);
    copy(targets[i] + (source.size() - cut), source.data(), cut);
  }
}

InputSet rolled(const InputFacts& facts, const InputSet& captured, std::uint64_t seed) {
  InputSet set{"captured:rolled", {}};
  std::vector<std::byte*> targets;
  for (const Storage& storage : captured.storages) set.storages.emplace_back(storage.size());
  for (Storage& storage : set.storages) targets.push_back(storage.data());
  roll(facts, captured, seed, targets, [](std::byte* to, const std::byte* source, std::size_t bytes) { std::memcpy(to, source, bytes); });
  return set;
}

}  // namespace kw::oracle
