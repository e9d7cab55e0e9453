#include "core/worker/runtime/loaded_plan.h"

#include <dlfcn.h>

#include <array>

namespace kw::runtime {
namespace {

base::Error unusable(std::string message, const std::string& context) {
  return {base::ErrorCode::unsupported, std::move(message), context};
}

}  // namespace

base::Result<LoadedPlan> LoadedPlan::load(const std::string& object, const plan::Plan& plan) {
  void* handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return unusable(std::string("The candidate's object cannot be loaded: ") + (why ? why : "no reason given"), object);
  }
  LoadedPlan loaded;
  loaded.handle_ = std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
  for (const plan::Step& step : plan.steps) {
    if (step.kind != plan::StepKind::kernel)
      return unusable("Step '" + step.name + "' is not a kernel; a cpu plan holds kernel steps only.", object);
    if (step.buffers.size() > max_arguments)
      return unusable("Step '" + step.name + "' takes more than 64 buffers.", object);
    for (int buffer : step.buffers)
      if (buffer < 0 || static_cast<std::size_t>(buffer) >= plan.buffers.size())
        return unusable("Step '" + step.name + "' names a buffer that the plan does not have.", object);
    void* symbol = dlsym(handle, step.name.c_str());
    if (symbol == nullptr)
      return unusable("The object does not define '" + step.name + "'. The source must hold extern \"C\" void " + step.name +
                          "(void* const* buffers).", object);
    Dl_info info{};
    if (dladdr(symbol, &info) != 0) loaded.base_ = info.dli_fbase;
    loaded.steps_.push_back({reinterpret_cast<void (*)(void* const*)>(symbol), step.buffers});
  }
  return loaded;
}

void LoadedPlan::run(void* const* buffers) const { (void)run_checked(buffers); }

std::optional<int> LoadedPlan::run_checked(void* const* buffers, int without) const {
  std::optional<int> rewritten;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (static_cast<int>(s) == without) continue;
    const Step& step = steps_[s];
    std::array<void*, max_arguments> arguments;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) arguments[i] = buffers[step.buffers[i]];
    step.function(arguments.data());
    for (std::size_t i = 0; i < step.buffers.size(); ++i)
      if (arguments[i] != buffers[step.buffers[i]]) rewritten = static_cast<int>(s);
  }
  return rewritten;
}

}  // namespace kw::runtime
