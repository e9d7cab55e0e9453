#include "core/worker/aten/convert.h"

#include <cstring>

namespace kw::aten {
namespace {

struct Row {
  graph::DType ours;
  at::ScalarType theirs;
};
constexpr Row rows[] = {
    {graph::DType::f64, at::kDouble}, {graph::DType::f32, at::kFloat},   {graph::DType::f16, at::kHalf},
    {graph::DType::bf16, at::kBFloat16}, {graph::DType::i64, at::kLong}, {graph::DType::i32, at::kInt},
    {graph::DType::i16, at::kShort},  {graph::DType::i8, at::kChar},     {graph::DType::u8, at::kByte},
    {graph::DType::boolean, at::kBool}, {graph::DType::c64, at::kComplexFloat}, {graph::DType::c128, at::kComplexDouble},
};

}  // namespace

at::ScalarType scalar_type(graph::DType dtype) {
  for (const Row& row : rows)
    if (row.ours == dtype) return row.theirs;
  return at::ScalarType::Undefined;
}

std::optional<graph::DType> dtype(at::ScalarType type) {
  for (const Row& row : rows)
    if (row.theirs == type) return row.ours;
  return std::nullopt;
}

base::Result<graph::TensorType> tensor_type(const at::Tensor& tensor) {
  if (!tensor.defined()) return base::Error{base::ErrorCode::internal, "A tensor is missing", {}};
  const auto element = kw::aten::dtype(tensor.scalar_type());
  if (!element || tensor.layout() != at::kStrided) {
    return base::Error{base::ErrorCode::unsupported,
                       std::string("Tensors of type ") + c10::toString(tensor.scalar_type()) + " and layout " +
                           (tensor.layout() == at::kStrided ? "strided" : "other than strided") + " are not supported", {}};
  }
  return graph::TensorType{*element, tensor.sizes().vec(), tensor.strides().vec()};
}

namespace {

// All elements that the tensor spans, as they lie in memory.
at::Tensor spanned(const at::Tensor& tensor) {
  std::int64_t span = tensor.numel() > 0 ? 1 : 0;
  if (span > 0)
    for (std::int64_t d = 0; d < tensor.dim(); ++d) span += (tensor.size(d) - 1) * tensor.stride(d);
  return tensor.as_strided({span}, {1}, tensor.storage_offset());
}

}  // namespace

at::Tensor clone_exact(const at::Tensor& given) {
  const at::Tensor tensor = given.resolve_conj().resolve_neg();   // a lazy conjugate or negation is not in the bytes
  return spanned(tensor).clone().as_strided(tensor.sizes(), tensor.strides(), 0);
}

at::Tensor placed(const at::Tensor& given, bool on_cuda) {
  if (!given.defined() || given.is_cuda() == on_cuda) return given;
  const at::Tensor tensor = given.resolve_conj().resolve_neg();
  return spanned(tensor).to(on_cuda ? at::kCUDA : at::kCPU).as_strided(tensor.sizes(), tensor.strides(), 0);
}

at::Tensor promoted(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (at::isComplexType(tensor.scalar_type())) return tensor.to(at::kComplexDouble);
  return at::isFloatingType(tensor.scalar_type()) ? tensor.to(at::kDouble) : tensor;
}

std::string first_line(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace kw::aten
