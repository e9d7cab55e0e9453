#include "core/worker/build/cuda_builder.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/kernel/emit/cuda.h"
#include "core/worker/build/cubin.h"
#include "core/worker/build/cuda_rules.h"

namespace kw::build {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t log_limit = 16 << 10;   // of NVRTC's words kept as evidence

// "candidate.cu(3): error: …" or "ptxas fatal   : …".
std::string first_error(const std::string& log) {
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    for (const char* word : {"error:", "error   :", "fatal   :"})
      if (line.find(word) != std::string::npos) return line;
    at = end + 1;
  }
  return "no reason given";
}

base::Result<BuildResult> check(BuildResult result, std::string_view cubin, const plan::Plan& plan) {
  auto parsed = parse_cubin(cubin);
  if (!parsed) return base::Error{parsed.error().code, parsed.error().message, result.object};
  if (auto refusal = refuse_cubin(*parsed, plan.source, plan)) refuse_result(result, *refusal);
  return result;
}

}  // namespace

const std::vector<std::string>& cuda_options() {
  static const std::vector<std::string> options = [] {
    std::vector<std::string> all(std::begin(kernel::cuda_compile_flags), std::end(kernel::cuda_compile_flags));
    // Line information changes no instruction and leads a profiler to the source. NVRTC would raise this process's stack limit while
    // it works, under every other thread.
    all.insert(all.end(), {"--ftz=false", "--prec-div=true", "--prec-sqrt=true", "-lineinfo", "--modify-stack-limit=false"});
    return all;
  }();
  return options;
}

// A slot of the compilers that may run at once, and the only one for its key. Empty when the token fired first.
class CudaBuilder::Turn {
 public:
  Turn(CudaBuilder& builder, std::string key, const base::CancelToken& cancel) : builder_(builder), key_(std::move(key)) {
    std::unique_lock lock(builder_.mutex_);
    const auto free = [&] {
      return builder_.building_.size() < static_cast<std::size_t>(std::max(builder_.options_.parallel, 1)) && builder_.building_.count(key_) == 0;
    };
    while (!free() && !cancel.cancelled()) builder_.freed_.wait_for(lock, std::chrono::milliseconds(20));
    if (cancel.cancelled()) return;
    builder_.building_.insert(key_);
    mine_ = true;
  }
  ~Turn() {
    if (!mine_) return;
    std::lock_guard lock(builder_.mutex_);
    builder_.building_.erase(key_);
    builder_.freed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool mine() const { return mine_; }

 private:
  CudaBuilder& builder_;
  std::string key_;
  bool mine_ = false;
};

base::Result<std::unique_ptr<CudaBuilder>> CudaBuilder::create(CudaBuilderOptions options) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return base::Error{base::ErrorCode::io, "Cannot make the folder for built candidates: " + error.message(), options.folder};
  auto nvrtc = cuda::Nvrtc::open(options.nvrtc_folders);
  if (!nvrtc) return nvrtc.error();
  // The first compilation shows an unknown architecture or a library without its builtins, before a candidate is blamed.
  auto probe = (*nvrtc)->compile("extern \"C\" __global__ void probe(float* x) { *x = 1; }\n", "probe.cu", options.arch, cuda_options());
  if (!probe) return probe.error();
  if (!probe->ok) return base::Error{base::ErrorCode::unsupported, "NVRTC does not compile for " + options.arch + ".", probe->log};
  return std::unique_ptr<CudaBuilder>(new CudaBuilder(std::move(options), *nvrtc));
}

base::Result<BuildResult> CudaBuilder::build(const plan::Plan& plan, const base::CancelToken& cancel) {
  BuildResult result;
  if (auto refusal = refuse_source(plan.source)) {
    refuse_result(result, *refusal);
    return result;
  }
  std::string identity = compiler_version() + "\n" + options_.arch + "\n";
  for (const std::string& option : cuda_options()) identity += option + " ";
  const std::string key = base::sha256_hex(identity + "\n" + plan.source);
  const Turn turn(*this, key, cancel);
  if (!turn.mine()) return base::Error{base::ErrorCode::cancelled, "The build was cancelled.", ""};
  result.object = options_.folder + "/" + key + ".cubin";
  std::error_code error;
  if (!fs::exists(result.object, error)) return compile(plan, result.object, cancel);
  auto cubin = base::read_file(result.object);
  if (!cubin) return cubin.error();
  result.from_cache = true;
  return check(std::move(result), *cubin, plan);
}

base::Result<BuildResult> CudaBuilder::compile(const plan::Plan& plan, const std::string& object, const base::CancelToken& cancel) const {
  const double start_s = base::now_s();
  const auto late = [&] { return base::now_s() - start_s > options_.time_limit_s; };
  auto compiled = nvrtc_->compile(plan.source, "candidate.cu", options_.arch, cuda_options(), [&] { return cancel.cancelled() || late(); });
  BuildResult result;
  result.spans.push_back({"compile", start_s, base::now_s()});
  if (!compiled) {
    if (compiled.error().code != base::ErrorCode::cancelled || cancel.cancelled()) return compiled.error();
    refuse_result(result, {false, "", "The compiler ran longer than " + std::to_string(static_cast<int>(options_.time_limit_s)) + " s.", ""});
    return result;
  }
  if (!compiled->ok) {
    refuse_result(result, {false, "", "The compiler refused the source: " + first_error(compiled->log), compiled->log.substr(0, log_limit)});
    return result;
  }
  if (auto written = base::write_file_atomically(object, compiled->cubin); !written) return written.error();
  result.object = object;
  return check(std::move(result), compiled->cubin, plan);
}

}  // namespace kw::build
