// Comparisons, logic, selection, triangles.
#include <cmath>

#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments self = {arg("self", In{0})};
const Arguments both = {arg("self", In{0}), arg("other", In{1})};

void comparisons(Cases& cases) {
  for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    const std::string tensor = std::string("aten.") + name + ".Tensor", scalar = std::string("aten.") + name + ".Scalar";
    for_floats(cases, tensor, {4, 9}, {Domain::quarters, Domain::quarters}, both);
    one(cases, tensor, {{rows(DType::f32, {80}), Domain::special}, {rows(DType::f32, {80}), Domain::special}}, both);
    one(cases, tensor, {{rows(DType::i64, {4, 9}), Domain::small}, {rows(DType::f32, {9}), Domain::quarters}}, both);
    one(cases, tensor, {{rows(DType::i8, {9}), Domain::small}, {rows(DType::u8, {9}), Domain::naturals}}, both);
    one(cases, tensor, {{rows(DType::boolean, {9}), Domain::boolean}, {rows(DType::i64, {9}), Domain::naturals}}, both);
    for_floats(cases, scalar, {4, 9}, {Domain::quarters}, {arg("self", In{0}), arg("other", 0.25)});
    one(cases, scalar, {{rows(DType::i64, {9}), Domain::small}}, {arg("self", In{0}), arg("other", 1.5)});
    one(cases, scalar, {{rows(DType::i32, {9}), Domain::small}}, {arg("self", In{0}), arg("other", 2)});
  }
}

void logic(Cases& cases) {
  for (const char* op : {"aten.logical_and.default", "aten.logical_or.default", "aten.logical_xor.default"}) {
    one(cases, op, {{rows(DType::f32, {30}), Domain::small}, {rows(DType::boolean, {30}), Domain::boolean}}, both);
    one(cases, op, {{rows(DType::i64, {5, 6}), Domain::small}, {rows(DType::bf16, {6}), Domain::small}}, both);
  }
  one(cases, "aten.logical_not.default", {{rows(DType::f32, {30}), Domain::small}}, self);
  one(cases, "aten.logical_not.default", {{rows(DType::boolean, {30}), Domain::boolean}}, self);
  for (const char* op : {"aten.isnan.default", "aten.isinf.default", "aten.isfinite.default"}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) one(cases, op, {{rows(dtype, {80}), Domain::special}}, self);
    one(cases, op, {{rows(DType::i64, {9}), Domain::small}}, self);
  }
}

void selection(Cases& cases) {
  const CaseInput mask{rows(DType::boolean, {4, 1}), Domain::boolean};
  const auto where = [](const graph::Literal& a, const graph::Literal& b) {
    return Arguments{arg("condition", In{0}), {"self", false, a}, {"other", false, b}};
  };
  for (const graph::TensorType& type : floating_types({4, 9})) {
    one(cases, "aten.where.self", {mask, {type, Domain::special}, {type, Domain::normal}}, where(graph::ValueRef{1}, graph::ValueRef{2}));
    one(cases, "aten.masked_fill.Scalar", {{type, Domain::normal}, mask}, {arg("self", In{0}), arg("mask", In{1}), arg("value", -0.5)});
    one(cases, "aten.masked_fill.Scalar", {{type, Domain::normal}, mask},
        {arg("self", In{0}), arg("mask", In{1}), arg("value", -HUGE_VAL)});
    one(cases, "aten.masked_fill.Tensor", {{type, Domain::normal}, mask, {rows(type.dtype, {}), Domain::normal}},
        {arg("self", In{0}), arg("mask", In{1}), arg("value", In{2})});
  }
  one(cases, "aten.where.self", {mask, {rows(DType::i64, {9}), Domain::small}, {rows(DType::f32, {4, 9}), Domain::normal}},
      where(graph::ValueRef{1}, graph::ValueRef{2}));
  one(cases, "aten.where.self", {mask, {rows(DType::f64, {}), Domain::normal}, {rows(DType::f32, {4, 9}), Domain::normal}},
      where(graph::ValueRef{1}, graph::ValueRef{2}));
  one(cases, "aten.where.ScalarSelf", {mask, {rows(DType::f32, {4, 9}), Domain::normal}}, where(0.3, graph::ValueRef{1}));
  one(cases, "aten.where.ScalarOther", {mask, {rows(DType::bf16, {4, 9}), Domain::normal}}, where(graph::ValueRef{1}, std::int64_t{2}));
  one(cases, "aten.where.Scalar", {mask}, where(1.5, 2.5));
  one(cases, "aten.where.Scalar", {mask}, where(std::int64_t{1}, std::int64_t{0}));
}

void triangles(Cases& cases) {
  for (const char* op : {"aten.tril.default", "aten.triu.default"})
    for (const int diagonal : {-2, 0, 1}) {
      for_floats(cases, op, {2, 5, 7}, {Domain::special}, {arg("self", In{0}), arg("diagonal", diagonal)});
      one(cases, op, {{rows(DType::boolean, {6, 4}), Domain::boolean}}, {arg("self", In{0}), arg("diagonal", diagonal)});
    }
  for_floats(cases, "aten.nan_to_num.default", {50}, {Domain::special}, self);
  for_floats(cases, "aten.nan_to_num.default", {50}, {Domain::special},
             {arg("self", In{0}), arg("nan", 1.5), arg("posinf", 7.0), arg("neginf", -9.0)});
}

}  // namespace

void add_mask_cases(Cases& cases) {
  comparisons(cases);
  logic(cases);
  selection(cases);
  triangles(cases);
}

}  // namespace kw::fakes
