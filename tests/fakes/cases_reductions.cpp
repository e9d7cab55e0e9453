// Reductions, arg-reductions, softmax.
#include <cmath>

#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments self = {arg("self", In{0})};

Arguments along(const graph::Literal& dim, bool keepdim, Arguments more = {}) {
  Arguments all = {arg("self", In{0}), {"dim", false, dim}, arg("keepdim", keepdim)};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A reduction over a list of dimensions: one, several, all, kept and not.
void over_lists(Cases& cases, const std::string& op, Domain domain, const Arguments& more = {}) {
  for (const Ints& dims : {Ints{-1}, Ints{0, 2}, Ints{1}, Ints{}}) {
    for_floats(cases, op, {3, 5, 4}, {domain}, along(literal(dims), false, more));
    one(cases, op, {{ordered(DType::f32, {3, 5, 4}, {1, 2, 0}), domain}}, along(literal(dims), true, more));
  }
}

void over_one(Cases& cases, const std::string& op, Domain domain) {
  for (const int dim : {-1, 0, 1}) {
    for_floats(cases, op, {3, 5, 4}, {domain}, along(literal(dim), false));
    one(cases, op, {{ordered(DType::f32, {3, 5, 4}, {1, 2, 0}), domain}}, along(literal(dim), true));
  }
  for (const DType dtype : {DType::i64, DType::i32}) one(cases, op, {{rows(dtype, {6, 5}), Domain::small}}, along(literal(1), false));
}

void sums(Cases& cases) {
  over_lists(cases, "aten.sum.dim_IntList", Domain::normal);
  over_lists(cases, "aten.mean.dim", Domain::normal);
  over_one(cases, "aten.prod.dim_int", Domain::positive);
  for (const char* op : {"aten.sum.default", "aten.mean.default", "aten.prod.default"}) {
    for_floats(cases, op, {3, 7}, {Domain::unit}, self);
    for_floats(cases, op, {}, {Domain::unit}, self);
    one(cases, op, {{rows(DType::f32, {3, 7}), Domain::unit}}, {arg("self", In{0}), arg("dtype", DType::f64)});
  }
  for (const char* op : {"aten.sum.default", "aten.prod.default"})
    for (const DType dtype : {DType::i64, DType::i32, DType::i8, DType::boolean})
      one(cases, op, {{rows(dtype, {3, 4}), dtype == DType::boolean ? Domain::boolean : Domain::small}}, self);
  one(cases, "aten.sum.dim_IntList", {{rows(DType::i32, {3, 5, 4}), Domain::small}}, along(literal(Ints{0, 2}), false));
  one(cases, "aten.sum.dim_IntList", {{rows(DType::f16, {3, 5}), Domain::normal}}, along(literal(Ints{1}), false, {arg("dtype", DType::f32)}));
}

void extrema(Cases& cases) {
  for (const char* op : {"aten.amax.default", "aten.amin.default"}) {
    over_lists(cases, op, Domain::quarters);
    one(cases, op, {{rows(DType::f32, {8, 9}), Domain::special}}, along(literal(Ints{1}), false));
    one(cases, op, {{rows(DType::i64, {3, 4}), Domain::small}}, along(literal(Ints{1}), false));
    one(cases, op, {{rows(DType::boolean, {3, 4}), Domain::boolean}}, along(literal(Ints{1}), false));
  }
  for (const char* op : {"aten.max.default", "aten.min.default"}) {
    for_floats(cases, op, {3, 7}, {Domain::normal}, self);
    one(cases, op, {{rows(DType::i32, {3, 7}), Domain::small}}, self);
  }
  for (const char* op : {"aten.max.dim", "aten.min.dim", "aten.argmax.default", "aten.argmin.default"}) {
    over_one(cases, op, Domain::quarters);
    one(cases, op, {{rows(DType::f32, {9, 7}), Domain::special}}, along(literal(1), false));
  }
  for (const char* op : {"aten.argmax.default", "aten.argmin.default"}) {
    for_floats(cases, op, {3, 7}, {Domain::quarters}, self);
    one(cases, op, {{ordered(DType::f32, {3, 4, 5}, {2, 1, 0}), Domain::quarters}}, self);
  }
}

void truths(Cases& cases) {
  for (const char* name : {"any", "all"}) {
    const std::string op = std::string("aten.") + name;
    one(cases, op + ".default", {{rows(DType::boolean, {3, 4}), Domain::boolean}}, self);
    one(cases, op + ".default", {{rows(DType::f32, {3, 4}), Domain::small}}, self);
    one(cases, op + ".dim", {{rows(DType::boolean, {6, 3}), Domain::boolean}}, along(literal(1), false));
    one(cases, op + ".dim", {{rows(DType::i64, {6, 3}), Domain::naturals}}, along(literal(0), true));
    one(cases, op + ".dims", {{rows(DType::f32, {2, 6, 3}), Domain::naturals}}, along(literal(Ints{0, 2}), false));
  }
}

void variances(Cases& cases) {
  for (const char* name : {"var", "std"}) {
    const std::string op = std::string("aten.") + name;
    for_floats(cases, op + ".default", {3, 7}, {Domain::normal}, {arg("self", In{0}), arg("unbiased", false)});
    for_floats(cases, op + ".default", {3, 7}, {Domain::normal}, self);
    over_lists(cases, op + ".dim", Domain::normal, {arg("unbiased", false)});
    over_lists(cases, op + ".correction", Domain::normal, {arg("correction", 0)});
    over_lists(cases, op + ".correction", Domain::normal, {arg("correction", 2)});
    over_lists(cases, op + "_mean.correction", Domain::normal);
    one(cases, op + ".correction", {{rows(DType::f32, {5, 1}), Domain::normal}}, along(literal(Ints{1}), false));
  }
}

void norms(Cases& cases) {
  for (const double p : {2.0, 1.0, 0.0, 3.0, 0.5}) {
    for_floats(cases, "aten.linalg_vector_norm.default", {3, 7}, {Domain::normal}, {arg("self", In{0}), arg("ord", p)}, 4);
    over_lists(cases, "aten.linalg_vector_norm.default", Domain::normal, {arg("ord", p)});
    for_floats(cases, "aten.norm.ScalarOpt_dim", {3, 7}, {Domain::normal},
               {arg("self", In{0}), arg("p", p), arg("dim", Ints{1}), arg("keepdim", true)}, 4);
  }
  for (const double p : {HUGE_VAL, -HUGE_VAL})
    for_floats(cases, "aten.linalg_vector_norm.default", {3, 7}, {Domain::normal}, {arg("self", In{0}), arg("ord", p)});
  for_floats(cases, "aten.norm.Scalar", {3, 7}, {Domain::normal}, {arg("self", In{0}), arg("p", 2)});
}

void softmaxes(Cases& cases) {
  for (const int dim : {-1, 0, 1}) {
    for (const char* op : {"aten.softmax.int", "aten.log_softmax.int"}) {
      for_floats(cases, op, {3, 5, 7}, {Domain::normal}, {arg("self", In{0}), arg("dim", dim)});
      one(cases, op, {{rows(DType::bf16, {3, 5, 7}), Domain::normal}}, {arg("self", In{0}), arg("dim", dim), arg("dtype", DType::f32)});
    }
    for (const char* op : {"aten._softmax.default", "aten._log_softmax.default"})
      for_floats(cases, op, {3, 5, 7}, {Domain::normal}, {arg("self", In{0}), arg("dim", dim), arg("half_to_float", false)});
  }
  one(cases, "aten.softmax.int", {{rows(DType::f32, {20, 6}), Domain::infinite}}, {arg("self", In{0}), arg("dim", 1)});
  one(cases, "aten.logsumexp.default", {{rows(DType::f32, {20, 4}), Domain::infinite}}, along(literal(Ints{1}), false));
  one(cases, "aten.logsumexp.default", {{rows(DType::i64, {6, 4}), Domain::small}}, along(literal(Ints{1}), false));
  for (const Ints& dims : {Ints{-1}, Ints{0, 2}}) {
    for_floats(cases, "aten.logsumexp.default", {3, 5, 4}, {Domain::normal}, along(literal(dims), false));
    for_floats(cases, "aten.logsumexp.default", {3, 5, 4}, {Domain::normal}, along(literal(dims), true));
  }
}

}  // namespace

void add_reduction_cases(Cases& cases) {
  sums(cases);
  extrema(cases);
  truths(cases);
  variances(cases);
  norms(cases);
  softmaxes(cases);
}

}  // namespace kw::fakes
