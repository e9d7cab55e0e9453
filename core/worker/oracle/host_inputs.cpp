#include <cstring>

#include "core/worker/oracle/element.h"
#include "core/worker/oracle/live_inputs.h"
#include "core/worker/runtime/pool.h"

namespace kw::oracle {

base::Result<std::unique_ptr<LiveInputs>> HostInputs::make(const InputFacts& facts, const InputSet& captured) {
  std::vector<std::size_t> sizes;
  for (const auto& type : facts.types) sizes.push_back(storage_bytes(type));
  auto arena = runtime::Arena::create("kw-inputs", sizes, true);
  if (!arena) return arena.error();
  return std::unique_ptr<LiveInputs>(new HostInputs(facts, captured, std::move(arena).value()));
}

void HostInputs::write(const JudgedSet& set) {
  const auto& storages = set.inputs.storages;
  for (std::size_t i = 0; i < storages.size(); ++i) runtime::copy_by_pool(arena_.data(i), storages[i].data(), storages[i].size());
}

void HostInputs::write_rolled(std::uint64_t seed) {
  std::vector<std::byte*> targets;
  for (std::size_t i = 0; i < facts_.types.size(); ++i) targets.push_back(arena_.data(i));
  roll(facts_, captured_, seed, targets, runtime::copy_by_pool);
}

bool HostInputs::holds(std::size_t input, const JudgedSet& set) {
  const Storage& values = set.inputs.storages[input];
  return values.empty() || std::memcmp(arena_.data(input), values.data(), values.size()) == 0;
}

}  // namespace kw::oracle
