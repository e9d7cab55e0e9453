// Reading a node's arguments.
#include <algorithm>

#include "core/kernel/definition/operators/lowering.h"

namespace kw::kernel::table {
namespace {

std::string quoted(std::string_view name) { return "argument '" + std::string(name) + "'"; }

std::int64_t normal_dim(std::int64_t dim, int rank, std::string_view name) {
  const std::int64_t bound = std::max(rank, 1);
  if (dim < -bound || dim >= bound) refuse(quoted(name) + " is not a dimension of the tensor");
  return dim < 0 ? dim + bound : dim;
}

}  // namespace

const graph::Argument* Lowering::argument(std::string_view name) const {
  for (const graph::Argument& a : node_.arguments)
    if (a.name == name) return std::holds_alternative<graph::None>(a.value) ? nullptr : &a;
  return nullptr;
}

bool Lowering::given(std::string_view name) const { return argument(name) != nullptr; }

std::int64_t Lowering::known_integer(graph::ValueId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= graph_.values.size()) refuse("an argument names a value that does not exist");
  const graph::Value& value = graph_.values[static_cast<std::size_t>(id)];
  if (!value.known_int) refuse("the value of " + value.name + " is not known before the model runs");
  return *value.known_int;
}

std::optional<std::int64_t> Lowering::integer_of(const graph::Literal& literal) const {
  if (const auto* i = std::get_if<std::int64_t>(&literal)) return *i;
  if (const auto* b = std::get_if<bool>(&literal)) return *b ? 1 : 0;
  if (const auto* ref = std::get_if<graph::ValueRef>(&literal)) return known_integer(ref->id);
  return std::nullopt;
}

Operand Lowering::value_operand(graph::ValueId id) const {
  const auto found = builder_.operands.find(id);
  if (found == builder_.operands.end()) refuse("an argument is a value that the task does not compute");
  return found->second;
}

Operand Lowering::operand_of(const graph::Literal& literal, std::string_view name) const {
  Operand number;
  number.number = true;
  if (const auto* ref = std::get_if<graph::ValueRef>(&literal)) {
    if (builder_.operands.contains(ref->id)) return value_operand(ref->id);
    number.dtype = DType::i64;
    number.uniform = constant_i(known_integer(ref->id));
  } else if (const auto* d = std::get_if<double>(&literal)) {
    number.dtype = DType::f32;   // the default floating type, whatever the literal's precision
    number.uniform = constant_f(*d, DType::f64);
  } else if (const auto* i = std::get_if<std::int64_t>(&literal)) {
    number.dtype = DType::i64;
    number.uniform = constant_i(*i);
  } else if (const auto* b = std::get_if<bool>(&literal)) {
    number.dtype = DType::boolean;
    number.uniform = constant_i(*b, DType::boolean);
  } else {
    refuse(quoted(name) + " is neither a tensor nor a number");
  }
  return number;
}

Operand Lowering::tensor(std::string_view name) const {
  const graph::Argument* a = argument(name);
  if (!a) refuse(quoted(name) + " is missing");
  return operand_of(a->value, name);
}

Operand Lowering::first() const {
  if (node_.arguments.empty()) refuse("the operator has no argument");
  return operand_of(node_.arguments[0].value, node_.arguments[0].name);
}

std::optional<Operand> Lowering::optional_tensor(std::string_view name) const {
  if (!given(name)) return std::nullopt;
  return tensor(name);
}

std::vector<Operand> Lowering::tensors(std::string_view name) const {
  const graph::Argument* a = argument(name);
  if (!a) refuse(quoted(name) + " is missing");
  std::vector<graph::ValueId> ids;
  if (const auto* list = std::get_if<graph::ValueList>(&a->value)) ids = list->ids;
  else if (const auto* ref = std::get_if<graph::ValueRef>(&a->value)) ids = graph_.values[static_cast<std::size_t>(ref->id)].elements;
  if (ids.empty()) refuse(quoted(name) + " is not a list of tensors");
  std::vector<Operand> out;
  for (const graph::ValueId id : ids) out.push_back(value_operand(id));
  return out;
}

std::int64_t Lowering::integer(std::string_view name, std::optional<std::int64_t> otherwise) const {
  if (const graph::Argument* a = argument(name)) {
    if (const auto i = integer_of(a->value)) return *i;
    refuse(quoted(name) + " is not an integer");
  }
  if (!otherwise) refuse(quoted(name) + " is missing");
  return *otherwise;
}

double Lowering::number(std::string_view name, std::optional<double> otherwise) const {
  if (const graph::Argument* a = argument(name)) {
    if (const auto* d = std::get_if<double>(&a->value)) return *d;
    if (const auto i = integer_of(a->value)) return static_cast<double>(*i);
    refuse(quoted(name) + " is not a number");
  }
  if (!otherwise) refuse(quoted(name) + " is missing");
  return *otherwise;
}

Expr Lowering::scalar(std::string_view name, std::optional<double> otherwise) const {
  if (!given(name) && otherwise) return constant_f(*otherwise, DType::f64);
  const Operand operand = tensor(name);
  if (!operand.number) refuse(quoted(name) + " is not a number");
  return operand.uniform;
}

bool Lowering::flag(std::string_view name, bool otherwise) const { return integer(name, otherwise) != 0; }

std::string Lowering::word(std::string_view name, const std::string& otherwise) const {
  const graph::Argument* a = argument(name);
  if (!a) return otherwise;
  const auto* s = std::get_if<std::string>(&a->value);
  if (!s) refuse(quoted(name) + " is not a word");
  return *s;
}

std::optional<DType> Lowering::dtype(std::string_view name) const {
  const graph::Argument* a = argument(name);
  if (!a) return std::nullopt;
  const auto* d = std::get_if<DType>(&a->value);
  if (!d) refuse(quoted(name) + " is not an element type");
  return *d;
}

Sizes Lowering::integers(std::string_view name, std::optional<Sizes> otherwise) const {
  const graph::Argument* a = argument(name);
  if (!a) {
    if (!otherwise) refuse(quoted(name) + " is missing");
    return *otherwise;
  }
  if (const auto i = integer_of(a->value)) return {*i};
  const auto* list = std::get_if<std::vector<graph::IntOrValue>>(&a->value);
  if (!list) {
    // An empty list is written without its element type.
    const auto* values = std::get_if<graph::ValueList>(&a->value);
    if (values && values->ids.empty()) return {};
    refuse(quoted(name) + " is not a list of integers");
  }
  Sizes out;
  for (const graph::IntOrValue& i : *list) out.push_back(i.id == graph::no_value ? i.literal : known_integer(i.id));
  return out;
}

std::vector<double> Lowering::numbers(std::string_view name) const {
  const graph::Argument* a = argument(name);
  if (!a) refuse(quoted(name) + " is missing");
  if (const auto* list = std::get_if<std::vector<double>>(&a->value)) return *list;
  const Sizes integral = integers(name);
  return {integral.begin(), integral.end()};
}

int Lowering::dim(std::string_view name, int rank, std::optional<std::int64_t> otherwise) const {
  return static_cast<int>(normal_dim(integer(name, otherwise), rank, name));
}

std::vector<int> Lowering::dims(std::string_view name, int rank) const {
  std::vector<int> out;
  for (const std::int64_t d : integers(name, Sizes{})) out.push_back(static_cast<int>(normal_dim(d, rank, name)));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) refuse(quoted(name) + " names a dimension twice");
  if (out.empty())
    for (int k = 0; k < rank; ++k) out.push_back(k);
  if (rank == 0) out.clear();
  return out;
}

}  // namespace kw::kernel::table
