#pragma once
// For tests: compiles emitted nests with the documented flags and calls them. KW_TEST_MARCH=x86-64 (x86-64-v2 …) in the
// environment tries the paths of lesser machines.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel::testing {

// One shared object of several nests; removed with its folder at the end. Owned by one thread.
class CompiledNests {
 public:
  static base::Result<CompiledNests> compile(const std::vector<LoopNest>& nests);
  CompiledNests(CompiledNests&& other) noexcept;
  CompiledNests(const CompiledNests&) = delete;
  CompiledNests& operator=(const CompiledNests&) = delete;
  ~CompiledNests();

  using Kernel = void (*)(void* const* buffers);
  Kernel kernel(const std::string& name) const;
  std::vector<std::string> symbols(bool undefined) const;   // of the object file: undefined, or defined and global

 private:
  CompiledNests() = default;
  std::string folder_;
  void* handle_ = nullptr;
};

// y[i] = body(inputs[i]) over `elements` in vectors of `lanes` (1: scalar), all of one storage type.
LoopNest pointwise(const std::string& name, DType storage, int inputs, std::int64_t elements, int lanes,
                   Expr (*body)(const std::vector<Expr>&, int parameter), int parameter);

}  // namespace kw::kernel::testing
