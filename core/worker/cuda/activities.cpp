#include "core/worker/cuda/activities.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace kw::cuda {
namespace {

// By CUpti_ActivityMemcpyKind: host, device, array, peer.
constexpr const char* copy_names[] = {"memcpy",      "memcpy HtoD", "memcpy DtoH", "memcpy HtoA", "memcpy AtoH", "memcpy AtoA",
                                      "memcpy AtoD", "memcpy DtoA", "memcpy DtoD", "memcpy HtoH", "memcpy PtoP"};

DeviceWork work_of(const CUpti_ActivityKernel& record) {
  DeviceWork work;
  work.name = record.name != nullptr ? demangled(record.name) : "kernel without a name";
  work.grid = {record.gridX, record.gridY, record.gridZ};
  work.block = {record.blockX, record.blockY, record.blockZ};
  work.registers = record.registersPerThread;
  work.shared_bytes = std::int64_t{record.staticSharedMemory} + record.dynamicSharedMemory;
  return work;
}

DeviceWork work_of(const CUpti_ActivityMemcpy& record) {
  DeviceWork work;
  work.what = DeviceWork::What::memcpy;
  work.name = copy_names[record.copyKind < std::size(copy_names) ? record.copyKind : 0];
  return work;
}

DeviceWork work_of(const CUpti_ActivityMemset&) {
  DeviceWork work;
  work.what = DeviceWork::What::memset;
  work.name = "memset";
  return work;
}

template <typename Record>
void add_timed(Activities& activities, const CUpti_Activity& record) {
  const auto& full = reinterpret_cast<const Record&>(record);
  if (full.start == 0 || full.end < full.start) {
    ++activities.lost;
    return;
  }
  activities.timed.push_back({full.correlationId, full.start, full.end, work_of(full)});
}

}  // namespace

void add(Activities& activities, const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return add_timed<CUpti_ActivityKernel>(activities, record);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return add_timed<CUpti_ActivityMemcpy>(activities, record);
    case CUPTI_ACTIVITY_KIND_MEMSET: return add_timed<CUpti_ActivityMemset>(activities, record);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& external = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      if (external.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        activities.tags[external.correlationId] = static_cast<int>(external.externalId);
      return;
    }
    default: return;
  }
}

std::vector<DeviceWork> tagged(Activities activities, std::uint64_t origin_ns) {
  std::stable_sort(activities.timed.begin(), activities.timed.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::vector<DeviceWork> all;
  for (Activities::Timed& timed : activities.timed) {
    DeviceWork work = std::move(timed.work);
    if (const auto found = activities.tags.find(timed.correlation); found != activities.tags.end()) work.tag = found->second;
    work.start_us = 1e-3 * static_cast<double>(static_cast<std::int64_t>(timed.start_ns - origin_ns));
    work.duration_us = 1e-3 * static_cast<double>(timed.end_ns - timed.start_ns);
    all.push_back(std::move(work));
  }
  return all;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

}  // namespace kw::cuda
