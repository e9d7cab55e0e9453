#pragma once
// The verifier's rules for one expression: arity, types, registers in sight, loop variables open.

#include <functional>

#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {

base::Status check_expression(const Expression& e, const LoopNest& nest, const Scope& scope,
                              const std::function<bool(int)>& register_defined);
base::Status open_variables(const Index& map, const LoopNest& nest, const Scope& scope);

}  // namespace kw::kernel
