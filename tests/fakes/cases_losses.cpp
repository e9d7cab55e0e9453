// Losses with every reduction.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

void each_reduction(Cases& cases, const std::string& op, Domain x, Domain target, const Arguments& more = {}) {
  for (const int reduction : {0, 1, 2}) {
    Arguments all = {arg("self", In{0}), arg("target", In{1}), arg("reduction", reduction)};
    all.insert(all.end(), more.begin(), more.end());
    for_floats(cases, op, {3, 7}, {x, target}, all, 2);
  }
}

void cross_entropies(Cases& cases) {
  for (const int reduction : {0, 1, 2})
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      const Arguments all = {arg("self", In{0}), arg("target", In{1}), arg("reduction", reduction)};
      one(cases, "aten.cross_entropy_loss.default", {{rows(dtype, {6, 5}), Domain::normal}, {rows(DType::i64, {6}), Domain::naturals}}, all, 2);
      one(cases, "aten.cross_entropy_loss.default",
          {{rows(dtype, {2, 5, 3}), Domain::normal}, {rows(DType::i64, {2, 3}), Domain::naturals}}, all, 2);
      Arguments ignoring = all;
      ignoring.push_back(arg("ignore_index", 1));
      one(cases, "aten.cross_entropy_loss.default", {{rows(dtype, {9, 5}), Domain::normal}, {rows(DType::i64, {9}), Domain::naturals}}, ignoring, 2);
    }
}

}  // namespace

void add_loss_cases(Cases& cases) {
  each_reduction(cases, "aten.mse_loss.default", Domain::normal, Domain::normal);
  each_reduction(cases, "aten.l1_loss.default", Domain::normal, Domain::normal);
  each_reduction(cases, "aten.smooth_l1_loss.default", Domain::normal, Domain::normal, {arg("beta", 0.7)});
  each_reduction(cases, "aten.smooth_l1_loss.default", Domain::normal, Domain::normal, {arg("beta", 0.0)});
  each_reduction(cases, "aten.huber_loss.default", Domain::normal, Domain::normal, {arg("delta", 1.3)});
  each_reduction(cases, "aten.kl_div.default", Domain::normal, Domain::unit);
  each_reduction(cases, "aten.kl_div.default", Domain::normal, Domain::normal, {arg("log_target", true)});
  each_reduction(cases, "aten.binary_cross_entropy.default", Domain::unit, Domain::unit);
  each_reduction(cases, "aten.binary_cross_entropy_with_logits.default", Domain::normal, Domain::unit);
  cross_entropies(cases);
}

}  // namespace kw::fakes
