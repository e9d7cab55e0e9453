#include "core/worker/aten/builtins.h"

#include <cmath>

namespace kw::aten {
namespace {

using torch::jit::Stack;

c10::IValue take(Stack& stack) {
  c10::IValue value = std::move(stack.back());
  stack.pop_back();
  return value;
}

double real(const c10::IValue& value) {
  if (value.isDouble()) return value.toDouble();
  return value.isBool() ? static_cast<double>(value.toBool()) : static_cast<double>(value.toInt());
}

std::int64_t whole(const c10::IValue& value) { return value.isBool() ? static_cast<std::int64_t>(value.toBool()) : value.toInt(); }

// Python's // and % round towards minus infinity.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  TORCH_CHECK(b != 0, "integer division by zero");
  TORCH_CHECK(!(b == -1 && a == std::numeric_limits<std::int64_t>::min()), "integer overflow");
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

// Overflow wraps instead of being undefined.
std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

template <typename Whole, typename Real>
void binary(Stack& stack, Whole on_ints, Real on_reals) {
  const c10::IValue b = take(stack), a = take(stack);
  if (a.isDouble() || b.isDouble()) {
    stack.emplace_back(on_reals(real(a), real(b)));
  } else {
    stack.emplace_back(on_ints(whole(a), whole(b)));
  }
}

template <typename Function>
void rounding(Stack& stack, Function function) {
  const c10::IValue a = take(stack);
  if (!a.isDouble()) {
    stack.emplace_back(whole(a));
    return;
  }
  const double rounded = function(a.toDouble());
  TORCH_CHECK(std::abs(rounded) < 9.2e18, "a number is too large for an integer");
  stack.emplace_back(static_cast<std::int64_t>(rounded));
}

std::int64_t whole_power(std::int64_t base, std::int64_t exponent) {
  TORCH_CHECK(exponent >= 0, "negative exponent of an integer");
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return wrap(result);
}

void getitem(Stack& stack) {
  std::int64_t index = take(stack).toInt();
  const c10::IValue list = take(stack);
  const auto items = list.toListRef();
  if (index < 0) index += static_cast<std::int64_t>(items.size());
  TORCH_CHECK(index >= 0 && index < static_cast<std::int64_t>(items.size()), "list index out of range");
  stack.push_back(items[static_cast<std::size_t>(index)]);
}

void sym_size(Stack& stack) {
  const std::int64_t dim = take(stack).toInt();
  stack.emplace_back(take(stack).toTensor().size(dim));
}

void sym_stride(Stack& stack) {
  const std::int64_t dim = take(stack).toInt();
  stack.emplace_back(take(stack).toTensor().stride(dim));
}

void true_division(Stack& stack) {
  const double b = real(take(stack)), a = real(take(stack));
  TORCH_CHECK(b != 0, "division by zero");
  stack.emplace_back(a / b);
}

void modulo(Stack& stack) {
  binary(stack, [](std::int64_t a, std::int64_t b) { return wrap(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(floor_div(a, b)) * static_cast<std::uint64_t>(b)); },
         [](double a, double b) { return a - std::floor(a / b) * b; });
}

void choose(Stack& stack) {
  c10::IValue otherwise = take(stack), then = take(stack);
  stack.push_back(take(stack).toBool() ? std::move(then) : std::move(otherwise));
}

#define KW_ARITHMETIC(op) \
  [](Stack& s) { binary(s, [](std::int64_t a, std::int64_t b) { return wrap(static_cast<std::uint64_t>(a) op static_cast<std::uint64_t>(b)); }, [](double a, double b) { return a op b; }); }
#define KW_COMPARISON(op) \
  [](Stack& s) { binary(s, [](std::int64_t a, std::int64_t b) { return a op b; }, [](double a, double b) { return a op b; }); }
#define KW_BITWISE(op) \
  [](Stack& s) {                                                                  \
    const c10::IValue b = take(s), a = take(s);                                   \
    const std::int64_t bits = whole(a) op whole(b);                               \
    s.push_back(a.isBool() && b.isBool() ? c10::IValue(bits != 0) : c10::IValue(bits)); \
  }

struct Row {
  std::string_view op;
  std::size_t arity;
  Builtin run;
};
const Row rows[] = {
    {"_operator.getitem", 2, getitem},
    {"_operator.add", 2, KW_ARITHMETIC(+)},
    {"_operator.sub", 2, KW_ARITHMETIC(-)},
    {"_operator.mul", 2, KW_ARITHMETIC(*)},
    {"_operator.floordiv", 2, [](Stack& s) { binary(s, floor_div, [](double a, double b) { return std::floor(a / b); }); }},
    {"_operator.truediv", 2, true_division},
    {"_operator.mod", 2, modulo},
    {"_operator.pow", 2, [](Stack& s) { binary(s, whole_power, [](double a, double b) { return std::pow(a, b); }); }},
    {"_operator.neg", 1, [](Stack& s) { const c10::IValue a = take(s); s.push_back(a.isDouble() ? c10::IValue(-a.toDouble()) : c10::IValue(wrap(0 - static_cast<std::uint64_t>(whole(a))))); }},
    {"_operator.pos", 1, [](Stack&) {}},
    {"_operator.abs", 1, [](Stack& s) { const c10::IValue a = take(s); s.push_back(a.isDouble() ? c10::IValue(std::abs(a.toDouble())) : c10::IValue(wrap(whole(a) < 0 ? 0 - static_cast<std::uint64_t>(whole(a)) : static_cast<std::uint64_t>(whole(a))))); }},
    {"_operator.eq", 2, KW_COMPARISON(==)},
    {"_operator.ne", 2, KW_COMPARISON(!=)},
    {"_operator.lt", 2, KW_COMPARISON(<)},
    {"_operator.le", 2, KW_COMPARISON(<=)},
    {"_operator.gt", 2, KW_COMPARISON(>)},
    {"_operator.ge", 2, KW_COMPARISON(>=)},
    {"_operator.and_", 2, KW_BITWISE(&)},
    {"_operator.or_", 2, KW_BITWISE(|)},
    {"_operator.xor", 2, KW_BITWISE(^)},
    {"_operator.not_", 1, [](Stack& s) { const bool truth = real(take(s)) != 0; s.emplace_back(!truth); }},
    {"math.ceil", 1, [](Stack& s) { rounding(s, [](double a) { return std::ceil(a); }); }},
    {"math.floor", 1, [](Stack& s) { rounding(s, [](double a) { return std::floor(a); }); }},
    {"math.trunc", 1, [](Stack& s) { rounding(s, [](double a) { return std::trunc(a); }); }},
    {"_operator.trunc", 1, [](Stack& s) { rounding(s, [](double a) { return std::trunc(a); }); }},
    {"math.sqrt", 1, [](Stack& s) { const double a = real(take(s)); s.emplace_back(std::sqrt(a)); }},
    {"torch._sym_sqrt", 1, [](Stack& s) { const double a = real(take(s)); s.emplace_back(std::sqrt(a)); }},
    {"torch.sym_int", 1, [](Stack& s) { rounding(s, [](double a) { return std::trunc(a); }); }},
    {"torch.sym_float", 1, [](Stack& s) { const double a = real(take(s)); s.emplace_back(a); }},
    {"torch.sym_max", 2, [](Stack& s) { binary(s, [](std::int64_t a, std::int64_t b) { return std::max(a, b); }, [](double a, double b) { return std::max(a, b); }); }},
    {"torch.sym_min", 2, [](Stack& s) { binary(s, [](std::int64_t a, std::int64_t b) { return std::min(a, b); }, [](double a, double b) { return std::min(a, b); }); }},
    {"torch.sym_not", 1, [](Stack& s) { const bool truth = real(take(s)) != 0; s.emplace_back(!truth); }},
    {"torch.sym_ite", 3, choose},
    {"aten.sym_size.int", 2, sym_size},
    {"aten.sym_stride.int", 2, sym_stride},
    {"aten.sym_numel.default", 1, [](Stack& s) { const std::int64_t n = take(s).toTensor().numel(); s.emplace_back(n); }},
    {"aten.sym_storage_offset.default", 1, [](Stack& s) { const std::int64_t n = take(s).toTensor().storage_offset(); s.emplace_back(n); }},
};
#undef KW_ARITHMETIC
#undef KW_COMPARISON
#undef KW_BITWISE

}  // namespace

Builtin find_builtin(const std::string& op) {
  for (const Row& row : rows)
    if (row.op == op) return row.run;
  return nullptr;
}

std::size_t builtin_arity(const std::string& op) {
  for (const Row& row : rows)
    if (row.op == op) return row.arity;
  return 0;
}

}  // namespace kw::aten
