#include "tests/fakes/operator_cases.h"

#include <cmath>
#include <limits>
#include <random>

#include "core/kernel/loopnest/arithmetic.h"
#include "tests/fakes/case_builder.h"

namespace kw::fakes {

graph::Literal literal(int value) { return std::int64_t{value}; }
graph::Literal literal(double value) { return value; }
graph::Literal literal(bool value) { return value; }
graph::Literal literal(const char* value) { return std::string(value); }
graph::Literal literal(DType value) { return value; }
graph::Literal literal(In value) { return graph::ValueRef{value.k}; }
graph::Literal literal(const Ins& value) { return graph::ValueList{{value.ks.begin(), value.ks.end()}}; }
graph::Literal literal(graph::None value) { return value; }
graph::Literal literal(const Ints& value) {
  std::vector<graph::IntOrValue> list;
  for (const std::int64_t i : value) list.push_back({i, graph::no_value});
  return list;
}

graph::TensorType rows(DType dtype, const Sizes& sizes) { return {dtype, sizes, graph::contiguous_strides(sizes)}; }

graph::TensorType ordered(DType dtype, const Sizes& sizes, const std::vector<int>& order) {
  graph::TensorType type{dtype, sizes, sizes};
  std::int64_t stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(order[k]);
    type.strides[d] = stride;
    stride *= sizes[d];
  }
  return type;
}

graph::TensorType gapped(DType dtype, const Sizes& sizes) {
  graph::TensorType type = rows(dtype, sizes);
  for (std::int64_t& stride : type.strides) stride *= 2;
  return type;
}

std::vector<graph::TensorType> floating_types(const Sizes& sizes) {
  std::vector<graph::TensorType> types;
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) types.push_back(rows(dtype, sizes));
  if (sizes.empty()) return types;
  std::vector<int> reversed;
  for (std::size_t k = sizes.size(); k-- > 0;) reversed.push_back(static_cast<int>(k));
  types.push_back(ordered(DType::f32, sizes, reversed));
  types.push_back(gapped(DType::bf16, sizes));
  return types;
}

void for_floats(Cases& cases, const std::string& op, const Sizes& sizes, const std::vector<Domain>& domains,
                const Arguments& arguments, double slack) {
  for (const graph::TensorType& type : floating_types(sizes)) {
    OperatorCase c{op, {}, arguments, slack};
    for (const Domain domain : domains) c.inputs.push_back({type, domain});
    cases.push_back(std::move(c));
  }
}

void one(Cases& cases, const std::string& op, const std::vector<CaseInput>& inputs, const Arguments& arguments, double slack) {
  cases.push_back({op, inputs, arguments, slack});
}

std::vector<OperatorCase> operator_cases() {
  Cases cases;
  for (const auto& add : {add_pointwise_cases, add_binary_cases, add_mask_cases, add_reduction_cases, add_normalisation_cases,
                          add_pooling_cases, add_view_cases, add_layout_cases, add_loss_cases})
    add(cases);
  return cases;
}

std::string OperatorCase::text() const {
  std::string out = op + "(";
  for (const CaseInput& input : inputs) out += (out.back() == '(' ? "" : ", ") + input.type.text();
  for (const graph::Argument& a : arguments) {
    if (std::holds_alternative<graph::ValueRef>(a.value)) continue;
    out += "; " + a.name;
    if (const auto* i = std::get_if<std::int64_t>(&a.value)) out += "=" + std::to_string(*i);
    if (const auto* d = std::get_if<double>(&a.value)) out += "=" + std::to_string(*d);
    if (const auto* b = std::get_if<bool>(&a.value)) out += *b ? "=true" : "=false";
    if (const auto* s = std::get_if<std::string>(&a.value)) out += "=" + *s;
    if (const auto* list = std::get_if<std::vector<graph::IntOrValue>>(&a.value))
      for (const graph::IntOrValue& i : *list) out += " " + std::to_string(i.literal);
  }
  return out + ")";
}

namespace {

using Random = std::mt19937;

double uniform(Random& r, double low, double high) { return std::uniform_real_distribution<double>(low, high)(r); }
double whole(Random& r, int low, int high) { return std::uniform_int_distribution<int>(low, high)(r); }
double normal(Random& r) { return std::normal_distribution<double>(0, 2)(r); }

double special(Random& r) {
  static const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -0.0, 1e4, -1e4, 1e-4, 0.5, -1.0};
  const int pick = static_cast<int>(whole(r, 0, 19));
  return pick < 10 ? values[pick] : normal(r);
}

double infinite(Random& r) {
  const int pick = static_cast<int>(whole(r, 0, 9));
  return pick == 0 ? HUGE_VAL : pick == 1 ? -HUGE_VAL : normal(r);
}

double element(Domain domain, Random& r) {
  switch (domain) {
    case Domain::normal: return normal(r);
    case Domain::positive: return uniform(r, 0.1, 4);
    case Domain::unit: return uniform(r, 0.02, 0.98);
    case Domain::inside: return uniform(r, -0.95, 0.95);
    case Domain::quarters: return whole(r, -12, 12) / 4;
    case Domain::nonzero: return whole(r, 1, 5) * (whole(r, 0, 1) > 0 ? 1 : -1);
    case Domain::small: return whole(r, -4, 4);
    case Domain::naturals: return whole(r, 0, 4);
    case Domain::wide: return whole(r, 60, 127);
    case Domain::boolean: return whole(r, 0, 1);
    case Domain::special: return special(r);
    case Domain::infinite: return infinite(r);
  }
  return 0;
}

}  // namespace

std::vector<double> draw(const CaseInput& input, unsigned seed) {
  Random random(seed);
  const DType dtype = input.type.dtype;
  const bool floating = graph::is_floating(dtype);
  std::vector<double> elements;
  for (std::int64_t k = 0; k < input.type.elements(); ++k) {
    const double value = element(input.domain, random);
    elements.push_back(kernel::stored(kernel::of_number(DType::f64, floating ? value : std::trunc(value)), dtype));
  }
  return elements;
}

}  // namespace kw::fakes
