#include "core/worker/cuda/driver.h"

#include <dlfcn.h>

namespace kw::cuda {
namespace {

constexpr const char* library = "libcuda.so.1";

base::Error no_gpu(const std::string& why) { return {base::ErrorCode::not_found, "no GPU: " + why, ""}; }

// Fills the table; keeps the first function that the library has under neither name.
class Binder {
 public:
  explicit Binder(void* handle) : handle_(handle) {}

  template <typename Function>
  void operator()(Function*& slot, const char* name, const char* older = nullptr) {
    optional(slot, name);
    if (slot == nullptr && older != nullptr) optional(slot, older);
    if (slot == nullptr && missing_ == nullptr) missing_ = name;
  }
  template <typename Function>
  void optional(Function*& slot, const char* name) { slot = reinterpret_cast<Function*>(dlsym(handle_, name)); }

  const char* missing() const { return missing_; }

 private:
  void* handle_;
  const char* missing_ = nullptr;
};

void bind_devices(Binder& bind, Driver& d) {
  bind(d.cuInit, "cuInit");
  bind(d.cuDriverGetVersion, "cuDriverGetVersion");
  bind(d.cuGetErrorName, "cuGetErrorName");
  bind(d.cuGetErrorString, "cuGetErrorString");
  bind(d.cuDeviceGetCount, "cuDeviceGetCount");
  bind(d.cuDeviceGet, "cuDeviceGet");
  bind(d.cuDeviceGetName, "cuDeviceGetName");
  bind(d.cuDeviceGetUuid, "cuDeviceGetUuid_v2");
  bind(d.cuDeviceGetUuidOfGpu, "cuDeviceGetUuid", "cuDeviceGetUuid_v2");
  bind(d.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  bind(d.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
  bind(d.cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId");
  bind(d.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  bind(d.cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  bind(d.cuCtxSetCurrent, "cuCtxSetCurrent");
}

void bind_streams(Binder& bind, Driver& d) {
  bind(d.cuStreamCreate, "cuStreamCreate");
  bind(d.cuStreamDestroy, "cuStreamDestroy_v2");
  bind(d.cuStreamSynchronize, "cuStreamSynchronize");
  bind(d.cuStreamQuery, "cuStreamQuery");
  bind(d.cuStreamWaitEvent, "cuStreamWaitEvent");
  bind(d.cuStreamBeginCapture, "cuStreamBeginCapture_v2");
  bind(d.cuStreamEndCapture, "cuStreamEndCapture");
  bind(d.cuEventCreate, "cuEventCreate");
  bind(d.cuEventDestroy, "cuEventDestroy_v2");
  bind(d.cuEventRecord, "cuEventRecord");
  bind(d.cuEventQuery, "cuEventQuery");
  bind(d.cuEventSynchronize, "cuEventSynchronize");
  bind(d.cuEventElapsedTime, "cuEventElapsedTime_v2", "cuEventElapsedTime");
  bind(d.cuGraphInstantiate, "cuGraphInstantiateWithFlags");
  bind(d.cuGraphLaunch, "cuGraphLaunch");
  bind(d.cuGraphDestroy, "cuGraphDestroy");
  bind(d.cuGraphExecDestroy, "cuGraphExecDestroy");
}

void bind_memory(Binder& bind, Driver& d) {
  bind(d.cuMemAlloc, "cuMemAlloc_v2");
  bind(d.cuMemFree, "cuMemFree_v2");
  bind(d.cuMemGetInfo, "cuMemGetInfo_v2");
  bind(d.cuMemHostAlloc, "cuMemHostAlloc");
  bind(d.cuMemFreeHost, "cuMemFreeHost");
  bind(d.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  bind(d.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  bind(d.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  bind(d.cuMemsetD8Async, "cuMemsetD8Async");
  bind(d.cuMemsetD16Async, "cuMemsetD16Async");
  bind(d.cuMemsetD32Async, "cuMemsetD32Async");
  bind(d.cuMemsetD2D32Async, "cuMemsetD2D32Async");
}

void bind_modules(Binder& bind, Driver& d) {
  bind(d.cuModuleLoadData, "cuModuleLoadData");
  bind(d.cuModuleUnload, "cuModuleUnload");
  bind(d.cuModuleGetFunction, "cuModuleGetFunction");
  bind(d.cuFuncGetAttribute, "cuFuncGetAttribute");
  bind(d.cuFuncSetAttribute, "cuFuncSetAttribute");
  bind.optional(d.cuFuncGetParamInfo, "cuFuncGetParamInfo");
  bind(d.cuLaunchKernel, "cuLaunchKernel");
}

struct Opened {
  Driver table{};
  base::Result<const Driver*> answer = no_gpu("not looked for yet.");
};

std::string described(const Driver& d, CUresult result) {
  const char *name = nullptr, *words = nullptr;
  if (d.cuGetErrorName == nullptr || d.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    return "CUDA error " + std::to_string(static_cast<int>(result));
  if (d.cuGetErrorString(result, &words) != CUDA_SUCCESS || words == nullptr) return name;
  return std::string(name) + " (" + words + ")";
}

base::Result<const Driver*> open_driver(Driver& table) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);   // never closed: the driver keeps threads
  if (handle == nullptr) return no_gpu("the NVIDIA driver's library " + std::string(library) + " cannot be opened. Install the driver.");
  Binder bind(handle);
  bind_devices(bind, table);
  bind_streams(bind, table);
  bind_memory(bind, table);
  bind_modules(bind, table);
  if (bind.missing() != nullptr) return no_gpu("the NVIDIA driver is too old, it has no " + std::string(bind.missing()) + ". Install a newer one.");
  if (const CUresult result = table.cuInit(0); result != CUDA_SUCCESS) return no_gpu("the NVIDIA driver answers " + described(table, result) + ".");
  int count = 0;
  if (const CUresult result = table.cuDeviceGetCount(&count); result != CUDA_SUCCESS)
    return no_gpu("the NVIDIA driver answers " + described(table, result) + ".");
  if (count == 0) return no_gpu("the NVIDIA driver sees none. Look at CUDA_VISIBLE_DEVICES.");
  return &table;
}

Opened& opened() {
  static Opened& once = []() -> Opened& {
    static Opened state;
    state.answer = open_driver(state.table);
    return state;
  }();
  return once;
}

}  // namespace

base::Result<const Driver*> driver() { return opened().answer; }

bool is_sticky(CUresult result) {
  static constexpr CUresult sticky[] = {
      CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_CONTAINED, CUDA_ERROR_ILLEGAL_ADDRESS,
      CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT, CUDA_ERROR_HARDWARE_STACK_ERROR,
      CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,
      CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_TENSOR_MEMORY_LEAK, CUDA_ERROR_MPS_CLIENT_TERMINATED, CUDA_ERROR_EXTERNAL_DEVICE,
      CUDA_ERROR_UNKNOWN};
  for (CUresult row : sticky)
    if (row == result) return true;
  return false;
}

std::string text(CUresult result) { return described(opened().table, result); }

base::Error error(CUresult result, const std::string& what, const std::string& context) {
  base::ErrorCode code = base::ErrorCode::internal;
  if (is_sticky(result)) code = base::ErrorCode::lost;
  if (result == CUDA_ERROR_OUT_OF_MEMORY) code = base::ErrorCode::busy;
  if (result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_INVALID_DEVICE) code = base::ErrorCode::not_found;
  return {code, what + ": " + text(result) + ".", context};
}

base::Status status(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return base::done();
  return error(result, what);
}

}  // namespace kw::cuda
