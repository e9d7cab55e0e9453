#include "core/worker/cuda/module.h"

#include "core/base/paths.h"

namespace kw::cuda {
namespace {

// What a candidate's own wishes can cause is `unsupported`; memory and a lost context keep their codes.
base::Error refused(CUresult result, const std::string& what, const std::string& context) {
  base::Error made = error(result, what, context);
  if (made.code == base::ErrorCode::internal) made.code = base::ErrorCode::unsupported;
  return made;
}

CUresult read_facts(const Driver& d, CUfunction function, FunctionFacts& f) {
  const struct { CUfunction_attribute attribute; int* value; } rows[] = {
      {CU_FUNC_ATTRIBUTE_NUM_REGS, &f.registers},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &f.local_bytes},
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &f.static_shared_bytes},
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &f.max_threads}};
  for (const auto& row : rows)
    if (const CUresult result = d.cuFuncGetAttribute(row.value, row.attribute, function); result != CUDA_SUCCESS) return result;
  f.parameters_known = d.cuFuncGetParamInfo != nullptr;
  if (!f.parameters_known) return CUDA_SUCCESS;
  std::size_t offset = 0, bytes = 0;
  while (d.cuFuncGetParamInfo(function, f.parameter_bytes.size(), &offset, &bytes) == CUDA_SUCCESS) f.parameter_bytes.push_back(bytes);
  return CUDA_SUCCESS;
}

}  // namespace

base::Status Function::allow_shared(int bytes) const {
  const CUresult result = module_->context().driver().cuFuncSetAttribute(handle_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
  if (result == CUDA_SUCCESS) return base::done();
  return refused(result, "This GPU does not give a block of '" + name_ + "' " + std::to_string(bytes) + " bytes of dynamic shared memory beside its " +
                             std::to_string(facts_.static_shared_bytes) + " static ones", "");
}

base::Status Function::launch(const std::array<std::int64_t, 3>& grid, const std::array<int, 3>& block, int shared_bytes, const Stream& stream,
                              void** arguments) const {
  const auto count = [](auto value) { return static_cast<unsigned>(value); };
  const Driver& d = module_->context().driver();
  const CUresult result = d.cuLaunchKernel(handle_, count(grid[0]), count(grid[1]), count(grid[2]), count(block[0]), count(block[1]), count(block[2]),
                                           count(shared_bytes), stream.get(), arguments, nullptr);
  if (result == CUDA_SUCCESS) return base::done();
  return refused(result, "The launch of '" + name_ + "' failed", "");
}

base::Result<Module> Module::load(const Context& context, const std::string& cubin_path) {
  auto cubin = base::read_file(cubin_path);
  if (!cubin) return cubin.error();
  return from_image(context, *cubin);
}

base::Result<Module> Module::from_image(const Context& context, const std::string& cubin) {
  const Driver& d = context.driver();
  CUmodule handle = nullptr;
  if (const CUresult result = d.cuModuleLoadData(&handle, cubin.data()); result != CUDA_SUCCESS)
    return refused(result, "This GPU cannot load the compiled kernels", "");
  Module module;
  module.handle_ = std::make_shared<const Owned<CUmodule>>(context, handle, d.cuModuleUnload);
  return module;
}

base::Result<Function> Module::function(const std::string& name) const {
  const Driver& d = handle_->context().driver();
  Function function;
  function.module_ = handle_;
  function.name_ = name;
  if (const CUresult result = d.cuModuleGetFunction(&function.handle_, handle_->get(), name.c_str()); result != CUDA_SUCCESS)
    return refused(result, "There is no kernel '" + name + "'; the source must hold extern \"C\" __global__ void " + name + "(…)", "");
  if (const CUresult result = read_facts(d, function.handle_, function.facts_); result != CUDA_SUCCESS)
    return refused(result, "Cannot read what kernel '" + name + "' needs", "");
  return function;
}

}  // namespace kw::cuda
