#include "core/worker/aten/arguments.h"

#include "core/worker/aten/convert.h"

namespace kw::aten {
namespace {

using c10::IValue;
using c10::TypeKind;

// The type within optional<…>.
c10::TypePtr bare(c10::TypePtr type) {
  while (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type;
}

c10::TypePtr element_of(const c10::TypePtr& type) {
  const auto list = type->cast<c10::ListType>();
  return list ? bare(list->getElementType()) : nullptr;
}

bool is_integral_kind(TypeKind kind) { return kind == TypeKind::IntType || kind == TypeKind::SymIntType; }

// The number of a literal as the schema's type wants it: float where it says float, an int where it says int.
IValue number(const IValue& value, TypeKind wanted) {
  if (wanted == TypeKind::FloatType || wanted == TypeKind::SymFloatType) {
    if (value.isInt()) return static_cast<double>(value.toInt());
    if (value.isBool()) return value.toBool() ? 1.0 : 0.0;
  }
  if (is_integral_kind(wanted) && value.isBool()) return static_cast<std::int64_t>(value.toBool());
  return value;
}

class Builder {
 public:
  Builder(const c10::Argument& schema, std::size_t position, c10::Device device, std::vector<Patch>& patches)
      : schema_(schema), type_(bare(schema.type())), position_(position), device_(device), patches_(patches) {}

  IValue operator()(const graph::None&) const {
    TORCH_CHECK(schema_.type()->kind() == TypeKind::OptionalType, "the argument '", schema_.name(), "' cannot be None");
    return {};
  }
  IValue operator()(const graph::ValueRef& reference) const {
    const TypeKind kind = type_->kind();
    const bool as_float = kind == TypeKind::FloatType || kind == TypeKind::SymFloatType;
    if (element_of(type_) && is_integral_kind(element_of(type_)->kind())) return patch({position_, PatchKind::int_list, {reference.id}, {0}});
    return patch({position_, as_float ? PatchKind::value_as_float : PatchKind::value, {reference.id}, {}});
  }
  IValue operator()(const graph::ValueList& list) const {
    const auto list_type = type_->cast<c10::ListType>();
    TORCH_CHECK(list_type, "the argument '", schema_.name(), "' is not a list");
    const bool optional = list_type->getElementType()->kind() == TypeKind::OptionalType;
    return patch({position_, optional ? PatchKind::optional_tensor_list : PatchKind::tensor_list, list.ids, {}});
  }
  IValue operator()(std::int64_t value) const {
    if (type_->kind() == TypeKind::TensorType) return wrapped_number(value);
    if (const auto element = element_of(type_)) return repeated(number(value, element->kind()), element);
    return number(value, type_->kind());
  }
  IValue operator()(double value) const {
    if (type_->kind() == TypeKind::TensorType) return wrapped_number(value);
    if (const auto element = element_of(type_)) return repeated(value, element);
    return value;
  }
  IValue operator()(bool value) const {
    if (type_->kind() == TypeKind::TensorType) return wrapped_number(value);
    return number(value, type_->kind());
  }
  IValue operator()(const std::string& value) const { return type_->kind() == TypeKind::DeviceObjType ? IValue(c10::Device(value)) : IValue(value); }
  IValue operator()(const std::vector<graph::IntOrValue>& items) const {
    const auto element = element_of(type_);
    if (element && element->kind() == TypeKind::FloatType) return floats(items);
    const bool boolean = element && element->kind() == TypeKind::BoolType;
    Patch dynamic{position_, PatchKind::int_list, {}, {}};
    c10::List<std::int64_t> list;
    for (const graph::IntOrValue& item : items) {
      dynamic.ids.push_back(item.id);
      dynamic.literals.push_back(item.literal);
      list.push_back(item.literal);
    }
    for (const graph::ValueId id : dynamic.ids)
      if (id != graph::no_value) return patch(std::move(dynamic));
    if (items.empty() && element && element->kind() == TypeKind::TensorType) return patch({position_, PatchKind::tensor_list, {}, {}});
    if (!boolean) return list;
    c10::List<bool> flags;
    for (const graph::IntOrValue& item : items) flags.push_back(item.literal != 0);
    return flags;
  }
  IValue operator()(const std::vector<double>& values) const { return c10::List<double>(values); }
  IValue operator()(const std::vector<bool>& values) const {
    c10::List<bool> list;
    for (const bool value : values) list.push_back(value);
    return list;
  }
  IValue operator()(graph::DType value) const { return scalar_type(value); }
  IValue operator()(const graph::LayoutArg& layout) const { return static_cast<at::Layout>(layout.value); }
  IValue operator()(const graph::MemoryFormatArg& format) const { return static_cast<at::MemoryFormat>(format.value); }
  // The model runs where its weights were put, whatever the machine that exported it had.
  IValue operator()(const graph::DeviceArg& device) const { return device.type == "meta" ? c10::Device(c10::kMeta) : device_; }

 private:
  IValue patch(Patch patch) const {
    patches_.push_back(std::move(patch));
    return {};
  }
  // `int[2] stride=1`: one number stands for all.
  IValue repeated(const IValue& value, const c10::TypePtr& element) const {
    const std::size_t count = schema_.N() ? static_cast<std::size_t>(*schema_.N()) : 1;
    if (element->kind() == TypeKind::FloatType) return c10::List<double>(std::vector<double>(count, value.toScalar().toDouble()));
    return c10::List<std::int64_t>(std::vector<std::int64_t>(count, value.toInt()));
  }
  static IValue floats(const std::vector<graph::IntOrValue>& items) {
    c10::List<double> list;
    for (const graph::IntOrValue& item : items) list.push_back(static_cast<double>(item.literal));
    return list;
  }

  const c10::Argument& schema_;
  c10::TypePtr type_;
  std::size_t position_;
  c10::Device device_;
  std::vector<Patch>& patches_;
};

}  // namespace

at::Tensor wrapped_number(const at::Scalar& number) {
  at::Tensor tensor = at::scalar_to_tensor(number);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

IValue build_argument(const graph::Literal& literal, const c10::Argument& schema, std::size_t position, c10::Device device, std::vector<Patch>& patches) {
  return std::visit(Builder(schema, position, device, patches), literal);
}

IValue build_number(const graph::Literal& literal, std::size_t position, std::vector<Patch>& patches) {
  if (const auto* reference = std::get_if<graph::ValueRef>(&literal)) {
    patches.push_back({position, PatchKind::value, {reference->id}, {}});
    return {};
  }
  if (const auto* list = std::get_if<graph::ValueList>(&literal)) {
    patches.push_back({position, PatchKind::tensor_list, list->ids, {}});
    return {};
  }
  if (const auto* whole = std::get_if<std::int64_t>(&literal)) return *whole;
  if (const auto* real = std::get_if<double>(&literal)) return *real;
  if (const auto* flag = std::get_if<bool>(&literal)) return *flag;
  TORCH_CHECK(false, "only numbers are expected as arguments");
}

}  // namespace kw::aten
