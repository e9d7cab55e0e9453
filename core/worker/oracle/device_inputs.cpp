#include "core/worker/oracle/device_inputs.h"

#include <cstring>

#include "core/worker/oracle/element.h"

namespace kw::oracle {

base::Result<std::unique_ptr<LiveInputs>> DeviceInputs::make(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const InputFacts& facts,
                                                             const InputSet& captured) {
  std::unique_ptr<DeviceInputs> inputs(new DeviceInputs(std::move(gpu), std::move(judge), facts, captured));
  std::vector<std::size_t> sizes;
  for (const auto& type : facts.types) sizes.push_back(storage_bytes(type));
  const Gpu& g = *inputs->gpu_;
  auto live = runtime::DeviceArena::create(g.context(), "inputs", sizes), kept = runtime::DeviceArena::create(g.context(), "captured", sizes);
  if (!live || !kept) return (!live ? live : kept).error();
  inputs->live_ = std::move(live).value();
  inputs->kept_ = std::move(kept).value();
  if (auto status = inputs->live_->paint_bands(g.stream()); !status) return status.error();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (auto status = inputs->kept_->upload(g.stream(), i, inputs->captured_.storages[i].data()); !status) return status.error();
  if (auto status = g.stream().synchronize(); !status) return status.error();
  return std::unique_ptr<LiveInputs>(std::move(inputs));
}

void DeviceInputs::keep(JudgedSet& set) {
  if (auto kept = judge_->keep(set)) set.on_device = std::move(kept).value();   // without it everything goes by the host
}

void DeviceInputs::write(const JudgedSet& set) {
  status_ = base::done();
  const auto& storages = set.inputs.storages;
  for (std::size_t i = 0; i < storages.size() && status_; ++i) {
    if (storages[i].empty()) continue;
    status_ = set.on_device ? cuda::copy_on_device(gpu_->stream(), live_->data(i), set.on_device->inputs[i].get(), storages[i].size())
                            : live_->upload(gpu_->stream(), i, storages[i].data());
  }
  if (status_ && !set.on_device) status_ = gpu_->stream().synchronize();   // the set's memory may go away
}

// roll() names the captured bytes by their place on the host; the same offsets hold in the copy on the GPU.
void DeviceInputs::write_rolled(std::uint64_t seed) {
  status_ = base::done();
  std::vector<std::byte*> targets;
  for (std::size_t i = 0; i < facts_.types.size(); ++i) targets.push_back(static_cast<std::byte*>(address(i)));
  roll(facts_, captured_, seed, targets, [this](std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < captured_.storages.size(); ++i) {
      const Storage& storage = captured_.storages[i];
      if (!status_ || bytes == 0 || from < storage.data() || from >= storage.data() + storage.size()) continue;
      const auto source = kept_->data(i) + static_cast<std::size_t>(from - storage.data());
      status_ = cuda::copy_on_device(gpu_->stream(), reinterpret_cast<cuda::CUdeviceptr>(to), source, bytes);
    }
  });
}

bool DeviceInputs::holds(std::size_t input, const JudgedSet& set) {
  const Storage& values = set.inputs.storages[input];
  if (values.empty()) return true;
  if (set.on_device) {
    const auto same = judge_->same_bytes(live_->data(input), set.on_device->inputs[input].get(), values.size());
    return same && *same;
  }
  Storage now(values.size());
  if (!live_->download(gpu_->stream(), input, now.data()) || !gpu_->stream().synchronize()) return false;
  return std::memcmp(now.data(), values.data(), values.size()) == 0;
}

}  // namespace kw::oracle
