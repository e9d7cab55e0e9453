#pragma once
// NVIDIA's driver, opened at run time: a machine without one still starts the program and is told so in one sentence.
// The table is filled once and never changes. Any thread; a call that needs a context needs Context::make_current on its thread.

#include <string>

#include "core/base/result.h"
#include "core/worker/cuda/types.h"

namespace kw::cuda {

// Members carry the driver's names (cuMemAlloc_v2 is cuMemAlloc, …).
struct Driver {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDriverGetVersion)(int* version);
  CUresult (*cuGetErrorName)(CUresult, const char** text);
  CUresult (*cuGetErrorString)(CUresult, const char** text);

  CUresult (*cuDeviceGetCount)(int* count);
  CUresult (*cuDeviceGet)(CUdevice*, int ordinal);
  CUresult (*cuDeviceGetName)(char* name, int bytes, CUdevice);
  CUresult (*cuDeviceGetUuid)(CUuuid*, CUdevice);           // of the GPU, or of the MIG slice
  CUresult (*cuDeviceGetUuidOfGpu)(CUuuid*, CUdevice);      // of the GPU in both cases
  CUresult (*cuDeviceGetAttribute)(int* value, CUdevice_attribute, CUdevice);
  CUresult (*cuDeviceTotalMem)(std::size_t* bytes, CUdevice);
  CUresult (*cuDeviceGetPCIBusId)(char* id, int bytes, CUdevice);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext*, CUdevice);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice);
  CUresult (*cuCtxSetCurrent)(CUcontext);

  CUresult (*cuStreamCreate)(CUstream*, unsigned flags);
  CUresult (*cuStreamDestroy)(CUstream);
  CUresult (*cuStreamSynchronize)(CUstream);
  CUresult (*cuStreamQuery)(CUstream);
  CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned flags);
  CUresult (*cuStreamBeginCapture)(CUstream, CUstreamCaptureMode);
  CUresult (*cuStreamEndCapture)(CUstream, CUgraph*);
  CUresult (*cuEventCreate)(CUevent*, unsigned flags);
  CUresult (*cuEventDestroy)(CUevent);
  CUresult (*cuEventRecord)(CUevent, CUstream);
  CUresult (*cuEventQuery)(CUevent);
  CUresult (*cuEventSynchronize)(CUevent);
  CUresult (*cuEventElapsedTime)(float* ms, CUevent start, CUevent end);
  CUresult (*cuGraphInstantiate)(CUgraphExec*, CUgraph, unsigned long long flags);
  CUresult (*cuGraphLaunch)(CUgraphExec, CUstream);
  CUresult (*cuGraphDestroy)(CUgraph);
  CUresult (*cuGraphExecDestroy)(CUgraphExec);

  CUresult (*cuMemAlloc)(CUdeviceptr*, std::size_t bytes);
  CUresult (*cuMemFree)(CUdeviceptr);
  CUresult (*cuMemGetInfo)(std::size_t* free, std::size_t* total);
  CUresult (*cuMemHostAlloc)(void**, std::size_t bytes, unsigned flags);
  CUresult (*cuMemFreeHost)(void*);
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void* from, std::size_t bytes, CUstream);
  CUresult (*cuMemcpyDtoHAsync)(void* to, CUdeviceptr from, std::size_t bytes, CUstream);
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char, std::size_t count, CUstream);
  CUresult (*cuMemsetD16Async)(CUdeviceptr, unsigned short, std::size_t count, CUstream);
  CUresult (*cuMemsetD32Async)(CUdeviceptr, unsigned, std::size_t count, CUstream);
  CUresult (*cuMemsetD2D32Async)(CUdeviceptr, std::size_t pitch_bytes, unsigned, std::size_t width, std::size_t height, CUstream);

  CUresult (*cuModuleLoadData)(CUmodule*, const void* image);
  CUresult (*cuModuleUnload)(CUmodule);
  CUresult (*cuModuleGetFunction)(CUfunction*, CUmodule, const char* name);
  CUresult (*cuFuncGetAttribute)(int* value, CUfunction_attribute, CUfunction);
  CUresult (*cuFuncSetAttribute)(CUfunction, CUfunction_attribute, int value);
  CUresult (*cuFuncGetParamInfo)(CUfunction, std::size_t index, std::size_t* offset, std::size_t* bytes);   // null before driver 550
  CUresult (*cuLaunchKernel)(CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                             unsigned block_z, unsigned shared_bytes, CUstream, void** arguments, void** extra);
};

// Opened and initialised by the first caller. `not_found` where there is no GPU to use: "no GPU: …" and why. The answer is
// final for this process.
base::Result<const Driver*> driver();

// After these the context is lost: every later call fails, only a new process helps.
bool is_sticky(CUresult result);

// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
std::string text(CUresult result);

// `what`: "Cannot …". Codes: busy (device memory is exhausted), lost (is_sticky), not_found (no such device), internal (the rest).
base::Error error(CUresult result, const std::string& what, const std::string& context = {});

// done() for CUDA_SUCCESS, else error(…).
base::Status status(CUresult result, const char* what);

}  // namespace kw::cuda
