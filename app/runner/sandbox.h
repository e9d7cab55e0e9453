#pragma once
// What a candidate may ask of the kernel: nearly nothing. Called once, after the object is loaded and the threads run.

#include "core/base/result.h"

namespace kw::runner {

// Memory (beyond what is mapped now), files, core dumps, processor time; then seccomp for every thread.
base::Status enter_sandbox();

}  // namespace kw::runner
