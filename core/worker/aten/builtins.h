#pragma once
// Arithmetic on Python numbers that exported graphs hold (_operator.mul, torch.sym_max, aten.sym_size.int, …): small
// functions over the interpreter's stack. Included only by .cpp files, which get torch from the precompiled header.

#include <string>

namespace kw::aten {

using Builtin = void (*)(torch::jit::Stack& stack);   // pops its arguments, pushes one result; throws c10::Error

// nullptr where the operator is not in the table.
Builtin find_builtin(const std::string& op);
std::size_t builtin_arity(const std::string& op);

}  // namespace kw::aten
