#include "core/worker/aten/policy.h"

namespace kw::aten {
namespace {

struct Refusal {
  std::string_view name;      // aten operator; a trailing '*' matches every name with that beginning
  std::string_view reason;
};
constexpr std::string_view reaches_files = "it opens or creates files";
constexpr std::string_view reaches_system = "it reaches the system outside of the model's tensors";
constexpr std::string_view raw_memory = "it replaces a tensor's storage without checks";
constexpr std::string_view unchecked = "it builds a tensor from parts that it does not check";
constexpr std::string_view script_only = "it belongs to TorchScript's runtime";

constexpr Refusal refusals[] = {
    {"from_file", reaches_files},
    {"save", reaches_files},
    {"load", reaches_files},
    {"_import_*", reaches_files},
    {"open", reaches_files},
    {"print", reaches_system},
    {"_print", reaches_system},
    {"warn*", reaches_system},
    {"format", script_only},
    {"device*", script_only},
    {"manual_seed", reaches_system},
    {"seed", reaches_system},
    {"initial_seed", reaches_system},
    {"set_flush_denormal", reaches_system},
    {"_debug*", reaches_system},
    {"_record_function*", reaches_system},
    {"record_stream", reaches_system},
    {"_get_tracing_state", script_only},
    {"backward", script_only},
    {"_backward", script_only},
    {"requires_grad_", script_only},
    {"retain_grad", script_only},
    {"_set_grad_enabled", reaches_system},
    {"set_*", raw_memory},
    {"set", raw_memory},
    {"_lazy_clone", raw_memory},
    {"_resize_output*", raw_memory},
    {"_has_compatible_shallow_copy_type", raw_memory},
    {"_sparse_coo_tensor_unsafe", unchecked},
    {"_sparse_compressed_tensor_unsafe", unchecked},
    {"_sparse_csr_tensor_unsafe", unchecked},
    {"_sparse_csc_tensor_unsafe", unchecked},
    {"_sparse_bsr_tensor_unsafe", unchecked},
    {"_sparse_bsc_tensor_unsafe", unchecked},
    {"_coalesced*", unchecked},
    {"_nested_view_from_buffer*", unchecked},
    {"_nested_view_from_jagged*", unchecked},
    {"_foobar", "it is a test of torch itself"},
    {"_test_*", "it is a test of torch itself"},
    {"_linalg_check_errors", reaches_system},
};

// Operators on Python numbers that exported graphs hold; executed by builtins.cpp.
constexpr std::string_view number_spaces[] = {"_operator", "math", "torch"};

constexpr std::string_view assertions[] = {
    "_assert_async", "_assert_scalar", "_assert_tensor_metadata", "_functional_assert_async", "_functional_assert_scalar",
    "sym_constrain_range", "sym_constrain_range_for_size",
};

struct SilentWrite {
  std::string_view op, argument;
};
constexpr SilentWrite silent_writes[] = {
    {"batch_norm", "running_mean"},        {"batch_norm", "running_var"},
    {"native_batch_norm", "running_mean"}, {"native_batch_norm", "running_var"},
    {"_batch_norm_impl_index", "running_mean"}, {"_batch_norm_impl_index", "running_var"},
    {"batch_norm_update_stats", "running_mean"}, {"batch_norm_update_stats", "running_var"},
    {"instance_norm", "running_mean"},     {"instance_norm", "running_var"},
    {"rrelu_with_noise", "noise"},
};

bool matches(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

}  // namespace

OpName split_name(const std::string& op) {
  const std::size_t first = op.find('.');
  if (first == std::string::npos) return {"", op, ""};
  const std::size_t second = op.find('.', first + 1);
  OpName name{op.substr(0, first), op.substr(first + 1, second == std::string::npos ? second : second - first - 1), ""};
  if (second != std::string::npos) name.overload = op.substr(second + 1);
  if (name.overload == "default") name.overload.clear();
  return name;
}

base::Status allowed(const std::string& op) {
  const OpName name = split_name(op);
  for (std::string_view space : number_spaces)
    if (name.space == space) return base::done();
  if (name.space != "aten") {
    return base::Error{base::ErrorCode::unsupported,
                       "The operator " + op + " is outside the namespace aten, the only one that runs. Replace it by torch's own operators, or decompose it before export.", {}};
  }
  for (const Refusal& row : refusals) {
    if (matches(row.name, name.name))
      return base::bad_input("The operator " + op + " is refused: " + std::string(row.reason) + ". Remove it from the model.");
  }
  return base::done();
}

bool is_assertion(const std::string& op) {
  const OpName name = split_name(op);
  for (std::string_view row : assertions)
    if (name.space == "aten" && name.name == row) return true;
  return false;
}

bool writes_silently(std::string_view op_name, std::string_view argument) {
  for (const SilentWrite& row : silent_writes)
    if (row.op == op_name && row.argument == argument) return true;
  return false;
}

}  // namespace kw::aten
