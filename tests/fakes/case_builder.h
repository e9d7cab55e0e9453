#pragma once
// Short words for writing operator cases: types, arguments, and the set of types and layouts that most operators are
// tried with.

#include <functional>
#include <string>
#include <vector>

#include "tests/fakes/operator_cases.h"

namespace kw::fakes {

using graph::DType;
using Sizes = std::vector<std::int64_t>;
using Arguments = std::vector<graph::Argument>;
using Cases = std::vector<OperatorCase>;

struct In { int k; };                    // input k
struct Ins { std::vector<int> ks; };     // a list of inputs
using Ints = std::vector<std::int64_t>;

graph::Literal literal(int value);
graph::Literal literal(double value);
graph::Literal literal(bool value);
graph::Literal literal(const char* value);
graph::Literal literal(DType value);
graph::Literal literal(In value);
graph::Literal literal(const Ins& value);
graph::Literal literal(const Ints& value);
graph::Literal literal(graph::None value);

template <typename T>
graph::Argument arg(const char* name, const T& value) {
  return {name, false, literal(value)};
}

// Types: row-major; with dimensions in the given order in memory (slowest first); every second element of memory.
graph::TensorType rows(DType dtype, const Sizes& sizes);
graph::TensorType ordered(DType dtype, const Sizes& sizes, const std::vector<int>& order);
graph::TensorType gapped(DType dtype, const Sizes& sizes);

// `sizes` in all floating types, and in memory orders other than row-major for f32.
std::vector<graph::TensorType> floating_types(const Sizes& sizes);

// One case for each of floating_types(sizes), the type given to every input in `domains`.
void for_floats(Cases& cases, const std::string& op, const Sizes& sizes, const std::vector<Domain>& domains,
                const Arguments& arguments, double slack = 1);
void one(Cases& cases, const std::string& op, const std::vector<CaseInput>& inputs, const Arguments& arguments, double slack = 1);

void add_pointwise_cases(Cases& cases);
void add_binary_cases(Cases& cases);
void add_mask_cases(Cases& cases);
void add_reduction_cases(Cases& cases);
void add_normalisation_cases(Cases& cases);
void add_pooling_cases(Cases& cases);
void add_view_cases(Cases& cases);
void add_layout_cases(Cases& cases);
void add_loss_cases(Cases& cases);

}  // namespace kw::fakes
