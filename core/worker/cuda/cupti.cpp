#include "core/worker/cuda/cupti.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/worker/cuda/library.h"

namespace kw::cuda {
namespace {

constexpr const char* sonames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* variable = "KW_CUPTI";
constexpr std::uint32_t oldest = 19, end_of_known = 140000;   // CUDA 12.0 to 13.x

bool bind_all(void* library, Cupti& c) {
  return bind(library, c.get_version, "cuptiGetVersion") && bind(library, c.get_result_string, "cuptiGetResultString") &&
         bind(library, c.get_timestamp, "cuptiGetTimestamp") && bind(library, c.register_callbacks, "cuptiActivityRegisterCallbacks") &&
         bind(library, c.enable, "cuptiActivityEnable") && bind(library, c.disable, "cuptiActivityDisable") &&
         bind(library, c.flush_all, "cuptiActivityFlushAll") && bind(library, c.get_next_record, "cuptiActivityGetNextRecord") &&
         bind(library, c.get_dropped, "cuptiActivityGetNumDroppedRecords") &&
         bind(library, c.push_external, "cuptiActivityPushExternalCorrelationId") &&
         bind(library, c.pop_external, "cuptiActivityPopExternalCorrelationId") && bind(library, c.finalize, "cuptiFinalize");
}

// Two copies in one process would each take the driver's callbacks from the other.
void* already_here() {
  if (const char* asked = std::getenv(variable); asked != nullptr && *asked != '\0') return nullptr;
  for (const char* soname : sonames)
    if (void* library = dlopen(soname, RTLD_NOW | RTLD_NOLOAD); library != nullptr) return library;
  return nullptr;
}

base::Result<Cupti> from(void* library, const std::string& path) {
  Cupti cupti;
  if (!bind_all(library, cupti) || cupti.get_version(&cupti.version) != CUPTI_SUCCESS)
    return base::Error{base::ErrorCode::not_found, "not CUPTI, or too old", path};
  cupti.path = library_of(reinterpret_cast<const void*>(cupti.get_version), path);
  if (cupti.version >= oldest && cupti.version < end_of_known) return cupti;
  return base::Error{base::ErrorCode::unsupported, "This CUPTI has version " + std::to_string(cupti.version) + ", whose records are not known here. Use that of CUDA 12 or 13.", cupti.path};
}

}  // namespace

base::Result<Cupti> open_cupti(const std::vector<std::string>& folders) {
  if (void* library = already_here(); library != nullptr) return from(library, sonames[0]);
  std::string tried;
  for (const std::string& path : library_paths(variable, sonames, folders)) {
    void* library = open_library(path, tried);
    if (library == nullptr) continue;
    auto cupti = from(library, path);
    if (cupti || cupti.error().code == base::ErrorCode::unsupported) return cupti;
    tried += cupti.error().text() + "\n";
  }
  return base::Error{base::ErrorCode::not_found,
                     "NVIDIA's CUPTI (libcupti.so.13), which times kernels, was not found. Install torch's CUDA wheel, or name the library in KW_CUPTI.", tried};
}

base::Error error(const Cupti& cupti, CUptiResult result, const std::string& what) {
  const char* name = nullptr;
  if (cupti.get_result_string(result, &name) != CUPTI_SUCCESS || name == nullptr) name = "an error it has no name for";
  std::string advice;
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) advice = " Another profiler watches this process; end it.";
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES || result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
    advice = " The driver lets administrators only trace this GPU.";
  return {base::ErrorCode::unsupported, what + ": " + name + " (" + std::to_string(static_cast<int>(result)) + ")." + advice, cupti.path};
}

}  // namespace kw::cuda
