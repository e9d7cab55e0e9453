#pragma once
// From a plan's CUDA source to a cubin that may be loaded: the rules of a source, NVRTC in this process, the rules of a cubin. Cubins
// stay in the cache folder under the hash of source, options, architecture and NVRTC's version, so an equal source is built once,
// also when two threads ask at the same time. Needs no GPU. Any thread; at most `parallel` compilations run at once.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/worker/build/build_result.h"
#include "core/worker/cuda/nvrtc.h"

namespace kw::build {

struct CudaBuilderOptions {
  std::string folder;                        // where cubins are kept; made when missing
  std::string arch;                          // "sm_90"
  int parallel = 2;
  double time_limit_s = 60;                  // of one compilation; NVRTC looks at it now and then
  std::vector<std::string> nvrtc_folders;    // where to look for NVRTC first
};

// The options of every cuda candidate, without the architecture.
const std::vector<std::string>& cuda_options();

class CudaBuilder {
 public:
  static base::Result<std::unique_ptr<CudaBuilder>> create(CudaBuilderOptions options);

  // An Error only where the machine is at fault (no disk) or the token fired.
  base::Result<BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel);

  std::string compiler_version() const { return "NVRTC " + nvrtc_->version(); }

 private:
  class Turn;
  CudaBuilder(CudaBuilderOptions options, std::shared_ptr<const cuda::Nvrtc> nvrtc) : options_(std::move(options)), nvrtc_(std::move(nvrtc)) {}
  base::Result<BuildResult> compile(const plan::Plan& plan, const std::string& object, const base::CancelToken& cancel) const;

  CudaBuilderOptions options_;
  std::shared_ptr<const cuda::Nvrtc> nvrtc_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::set<std::string> building_;           // keys under way, at most `parallel`
};

}  // namespace kw::build
