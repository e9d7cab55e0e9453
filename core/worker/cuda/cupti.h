#pragma once
// NVIDIA's CUPTI, opened at run time: the activity API, which records what ran on the GPU and when. It is linked by torch as well, so the
// copy that this process has is used where there is one. CUPTI allows one subscriber a process: nothing here subscribes.
//
// Types carry CUPTI's names, constants the values of its binary interface. Of the activity records only the beginnings are declared.
// CUPTI gives a record a new name (CUpti_ActivityKernel10) when it appends fields; what is declared here is the same in
// CUpti_ActivityKernel3 to 10, CUpti_ActivityMemcpy to 6 and CUpti_ActivityMemset to 4, that is from CUDA 7 to 13.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/worker/cuda/types.h"

namespace kw::cuda {

enum CUptiResult : int {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
};

enum CUpti_ActivityKind : int {
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
};

enum CUpti_ExternalCorrelationKind : int { CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3 };
inline constexpr std::uint32_t activity_flush_forced = 1;   // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

struct CUpti_Activity {
  CUpti_ActivityKind kind;
};

struct CUpti_ActivityKernel {
  CUpti_ActivityKind kind;
  std::uint8_t cacheConfig, sharedMemoryConfig;
  std::uint16_t registersPerThread;
  int partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  std::uint64_t start, end, completed;                      // ns; 0: not known
  std::uint32_t deviceId, contextId, streamId;
  std::int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  std::int32_t staticSharedMemory, dynamicSharedMemory;     // bytes a block
  std::uint32_t localMemoryPerThread, localMemoryTotal;
  std::uint32_t correlationId;
  std::int64_t gridId;
  const char* name;                                         // mangled, CUPTI's own
};

struct CUpti_ActivityMemcpy {
  CUpti_ActivityKind kind;
  std::uint8_t copyKind, srcKind, dstKind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t deviceId, contextId, streamId, correlationId;
};

struct CUpti_ActivityMemset {
  CUpti_ActivityKind kind;
  std::uint32_t value;
  std::uint64_t bytes, start, end;
  std::uint32_t deviceId, contextId, streamId, correlationId;
};

// Stands before the record of a call that was made between a push and its pop.
struct CUpti_ActivityExternalCorrelation {
  CUpti_ActivityKind kind;
  CUpti_ExternalCorrelationKind externalKind;
  std::uint64_t externalId;
  std::uint32_t correlationId;
};

struct Cupti {
  using BufferRequested = void(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
  using BufferCompleted = void(CUcontext, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes, std::size_t valid_bytes);

  CUptiResult (*get_version)(std::uint32_t*) = nullptr;
  CUptiResult (*get_result_string)(CUptiResult, const char** name) = nullptr;
  CUptiResult (*get_timestamp)(std::uint64_t* ns) = nullptr;   // on the clock of the records
  CUptiResult (*register_callbacks)(BufferRequested*, BufferCompleted*) = nullptr;
  CUptiResult (*enable)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*disable)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*flush_all)(std::uint32_t flag) = nullptr;
  CUptiResult (*get_next_record)(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) = nullptr;
  CUptiResult (*get_dropped)(CUcontext, std::uint32_t stream, std::size_t* count) = nullptr;
  CUptiResult (*push_external)(CUpti_ExternalCorrelationKind, std::uint64_t id) = nullptr;
  CUptiResult (*pop_external)(CUpti_ExternalCorrelationKind, std::uint64_t* last) = nullptr;
  CUptiResult (*finalize)() = nullptr;
  std::uint32_t version = 0;   // 130001: the second one of CUDA 13.0; 19 to 28: those of CUDA 12
  std::string path;            // of the library that was opened
};

// Looks for a copy that this process has already, then where library_paths says, for KW_CUPTI and `folders`. `not_found` names what was
// tried, `unsupported` a version whose records are not known.
base::Result<Cupti> open_cupti(const std::vector<std::string>& folders);

// `what`: "CUPTI cannot …". Says CUPTI's reason, and what helps where that is known.
base::Error error(const Cupti& cupti, CUptiResult result, const std::string& what);

}  // namespace kw::cuda
