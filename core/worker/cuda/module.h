#pragma once
// A cubin in the GPU's memory and its kernels. A Function keeps its module loaded. The calling thread has made the context current.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/worker/cuda/context.h"

namespace kw::cuda {

struct FunctionFacts {
  int registers = 0;          // a thread
  int local_bytes = 0;        // a thread: spilled registers and arrays that do not fit into them
  int static_shared_bytes = 0;
  int max_threads = 0;        // a block, with these registers
  std::vector<std::size_t> parameter_bytes;   // of each parameter; empty where the driver cannot tell (before 550)
  bool parameters_known = false;
};

class Function {
 public:
  const FunctionFacts& facts() const { return facts_; }

  // Dynamic shared memory of the launches to come. `unsupported` where the device has less.
  base::Status allow_shared(int bytes) const;

  // Queues a launch. `arguments`: one address a parameter, read before this returns. `unsupported`: the launch is one that this
  // device refuses (too many threads, registers or shared memory); `lost`: the context is (perhaps by an earlier kernel).
  base::Status launch(const std::array<std::int64_t, 3>& grid, const std::array<int, 3>& block, int shared_bytes, const Stream& stream,
                      void** arguments) const;

 private:
  friend class Module;
  std::shared_ptr<const Owned<CUmodule>> module_;
  CUfunction handle_ = nullptr;
  std::string name_;
  FunctionFacts facts_;
};

class Module {
 public:
  // `unsupported` where the image is not for this device, `io` where the file cannot be read.
  static base::Result<Module> load(const Context& context, const std::string& cubin_path);
  static base::Result<Module> from_image(const Context& context, const std::string& cubin);

  base::Result<Function> function(const std::string& name) const;   // `unsupported` where the module has none of that name

 private:
  std::shared_ptr<const Owned<CUmodule>> handle_;
};

}  // namespace kw::cuda
