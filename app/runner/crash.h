#pragma once
// Turns a fatal signal into a record on the control page and ends the process. Installed once, before the sandbox.

#include "core/base/result.h"
#include "core/worker/runtime/control_page.h"

namespace kw::runner {

base::Status install_crash_handlers(runtime::ControlPage* page);

}  // namespace kw::runner
