#pragma once
// From a plan's source to a shared object that may be loaded: the system compiler under limits, then the object's rules. Objects
// stay in the cache folder under the hash of source, flags, compiler and processor, so an equal source is built once.
// Any thread; at most `parallel` compilers run at once, none while the gate is closed.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/worker/build/build_result.h"
#include "core/worker/build/gate.h"

namespace kw::build {

struct BuilderOptions {
  std::string compiler = "g++";
  std::string folder;                     // where objects and sources are kept; made when missing
  int parallel = 2;
  double time_limit_s = 60;               // of one compiler run, time in which the gate was closed not counted
  std::size_t memory_limit = std::size_t{4} << 30;
};

// The flags of every cpu candidate, without input and output.
const std::vector<std::string>& compile_flags();

class Builder {
 public:
  static base::Result<std::unique_ptr<Builder>> create(BuilderOptions options, BuildGate& gate);

  // An Error only where the machine is at fault (no compiler, no disk) or the token fired.
  base::Result<BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel);

  const std::string& compiler_version() const { return version_; }   // first line of `g++ --version`

 private:
  Builder(BuilderOptions options, BuildGate& gate) : options_(std::move(options)), gate_(gate) {}
  base::Result<BuildResult> compile(const std::string& source, const std::string& key, const base::CancelToken& cancel);
  base::Result<BuildResult> check(BuildResult result) const;

  BuilderOptions options_;
  BuildGate& gate_;
  std::string version_, target_;          // target_: hash of the macros that -march=native defines here
  std::mutex mutex_;
  std::condition_variable free_;
  int running_ = 0;
};

}  // namespace kw::build
