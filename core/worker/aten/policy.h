#pragma once
// Which operators a model may run, and what is special about some of them. Explicit tables; no torch.

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kw::aten {

// "aten.add.Tensor" -> namespace "aten", name "add", overload "Tensor" ("default" becomes "").
struct OpName {
  std::string space, name, overload;
};
OpName split_name(const std::string& op);

// Ok, or the reason why this worker refuses the operator.
base::Status allowed(const std::string& op);

// Operators that only check metadata or values; the float64 truth leaves them out.
bool is_assertion(const std::string& op);

// An argument that the operator writes although its schema does not say so (batch_norm's running statistics in training).
bool writes_silently(std::string_view op_name, std::string_view argument);

}  // namespace kw::aten
