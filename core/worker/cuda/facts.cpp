#include "core/worker/cuda/facts.h"

#include <cstdio>
#include <cstring>

#include "core/worker/cuda/driver.h"

namespace kw::cuda {
namespace {

std::string uuid_text(const CUuuid& uuid, const char* prefix) {
  std::string text = prefix;
  for (int i = 0; i < 16; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned>(uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex;
  }
  return text;
}

CUresult read_attributes(const Driver& d, CUdevice device, DeviceFacts& f) {
  int shared_block = 0, shared_sm = 0, l2 = 0;
  const struct { CUdevice_attribute attribute; int* value; } rows[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &f.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &f.minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &f.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &f.threads_per_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &f.registers_per_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared_block},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &shared_sm},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &f.clock_khz},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &f.memory_clock_khz},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &f.memory_bus_bits}};
  for (const auto& row : rows)
    if (const CUresult result = d.cuDeviceGetAttribute(row.value, row.attribute, device); result != CUDA_SUCCESS) return result;
  f.shared_per_block = shared_block;
  f.shared_per_multiprocessor = shared_sm;
  f.l2_bytes = l2;
  return CUDA_SUCCESS;
}

CUresult read_identity(const Driver& d, CUdevice device, DeviceFacts& f) {
  char name[256] = "", bus[32] = "";
  CUuuid uuid{}, gpu{};
  std::size_t bytes = 0;
  for (const CUresult result : {d.cuDeviceGetName(name, sizeof name, device), d.cuDeviceGetPCIBusId(bus, sizeof bus, device),
                                d.cuDeviceGetUuid(&uuid, device), d.cuDeviceGetUuidOfGpu(&gpu, device),
                                d.cuDeviceTotalMem(&bytes, device), d.cuDriverGetVersion(&f.driver_version)})
    if (result != CUDA_SUCCESS) return result;
  f.name = name;
  f.pci_bus_id = bus;
  f.uuid = uuid_text(uuid, std::memcmp(&uuid, &gpu, sizeof uuid) == 0 ? "GPU-" : "MIG-");
  f.memory_bytes = static_cast<std::int64_t>(bytes);
  return CUDA_SUCCESS;
}

}  // namespace

base::Result<DeviceFacts> facts(int ordinal) {
  auto opened = driver();
  if (!opened) return opened.error();
  const Driver& d = **opened;
  DeviceFacts facts;
  facts.ordinal = ordinal;
  CUdevice device = 0;
  const std::string what = "Cannot read the facts of GPU " + std::to_string(ordinal);
  CUresult result = d.cuDeviceGet(&device, ordinal);
  if (result == CUDA_SUCCESS) result = read_identity(d, device, facts);
  if (result == CUDA_SUCCESS) result = read_attributes(d, device, facts);
  if (result != CUDA_SUCCESS) return error(result, what);
  return facts;
}

}  // namespace kw::cuda
