// Layer, group, instance, batch and RMS norm.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const DType floats[] = {DType::f32, DType::f64, DType::bf16, DType::f16};

std::vector<CaseInput> normal_inputs(DType dtype, const std::vector<Sizes>& sizes) {
  std::vector<CaseInput> inputs;
  for (const Sizes& s : sizes) inputs.push_back({rows(dtype, s), Domain::normal});
  return inputs;
}

void layer_norms(Cases& cases) {
  const Arguments affine = {arg("weight", In{1}), arg("bias", In{2}), arg("eps", 1e-5)};
  const Arguments bare = {arg("weight", graph::None{}), arg("bias", graph::None{}), arg("eps", 1e-3)};
  for (const char* op : {"aten.layer_norm.default", "aten.native_layer_norm.default"}) {
    const auto add = [&](std::vector<CaseInput> inputs, const Ints& shape, const Arguments& rest) {
      Arguments all = {arg("input", In{0}), arg("normalized_shape", shape)};
      all.insert(all.end(), rest.begin(), rest.end());
      one(cases, op, inputs, all, 2);
    };
    for (const DType dtype : floats) {
      add(normal_inputs(dtype, {{3, 5, 7}, {7}, {7}}), {7}, affine);
      add(normal_inputs(dtype, {{3, 5, 7}, {5, 7}, {5, 7}}), {5, 7}, affine);
      add(normal_inputs(dtype, {{4, 9}}), {9}, bare);
    }
    std::vector<CaseInput> permuted = normal_inputs(DType::f32, {{3, 5, 7}, {7}, {7}});
    permuted[0].type = ordered(DType::f32, {3, 5, 7}, {2, 0, 1});
    add(permuted, {7}, affine);
  }
}

void rms_norms(Cases& cases) {
  for (const DType dtype : floats) {
    one(cases, "aten.rms_norm.default", normal_inputs(dtype, {{3, 5, 7}, {7}}),
        {arg("input", In{0}), arg("normalized_shape", Ints{7}), arg("weight", In{1}), arg("eps", 1e-5)}, 2);
    one(cases, "aten.rms_norm.default", normal_inputs(dtype, {{3, 5, 7}}),
        {arg("input", In{0}), arg("normalized_shape", Ints{5, 7})}, 2);
    one(cases, "aten._fused_rms_norm.default", normal_inputs(dtype, {{3, 5, 7}, {7}}),
        {arg("input", In{0}), arg("normalized_shape", Ints{7}), arg("weight", In{1}), arg("eps", 1e-5)}, 2);
  }
}

void group_norms(Cases& cases) {
  for (const DType dtype : floats) {
    for (const int groups : {1, 2, 3, 6}) {
      one(cases, "aten.group_norm.default", normal_inputs(dtype, {{2, 6, 3, 5}, {6}, {6}}),
          {arg("input", In{0}), arg("num_groups", groups), arg("weight", In{1}), arg("bias", In{2}), arg("eps", 1e-5)}, 2);
    }
    one(cases, "aten.group_norm.default", normal_inputs(dtype, {{2, 6, 7}}), {arg("input", In{0}), arg("num_groups", 2)}, 2);
    one(cases, "aten.native_group_norm.default", normal_inputs(dtype, {{2, 6, 3, 5}, {6}, {6}}),
        {arg("input", In{0}), arg("weight", In{1}), arg("bias", In{2}), arg("N", 2), arg("C", 6), arg("HxW", 15), arg("group", 3),
         arg("eps", 1e-5)}, 2);
    one(cases, "aten.instance_norm.default", normal_inputs(dtype, {{2, 3, 4, 5}, {3}, {3}}),
        {arg("input", In{0}), arg("weight", In{1}), arg("bias", In{2}), arg("running_mean", graph::None{}),
         arg("running_var", graph::None{}), arg("use_input_stats", true), arg("momentum", 0.1), arg("eps", 1e-5),
         arg("cudnn_enabled", false)}, 2);
  }
  const CaseInput channels_last{ordered(DType::f32, {2, 6, 3, 5}, {0, 2, 3, 1}), Domain::normal};
  one(cases, "aten.group_norm.default", {channels_last}, {arg("input", In{0}), arg("num_groups", 3)}, 2);
}

Arguments batch(bool running, bool affine, bool training) {
  Arguments all = {arg("input", In{0})};
  const auto optional = [&](const char* name, bool there, int k) {
    all.push_back(there ? arg(name, In{k}) : arg(name, graph::None{}));
  };
  optional("weight", affine, running ? 3 : 1);
  optional("bias", affine, running ? 4 : 2);
  optional("running_mean", running, 1);
  optional("running_var", running, 2);
  all.push_back(arg("training", training));
  all.push_back(arg("momentum", 0.1));
  all.push_back(arg("eps", 1e-5));
  return all;
}

void batch_norms(Cases& cases) {
  const auto inputs = [](DType dtype, const graph::TensorType& x, bool affine) {
    const auto channels = rows(dtype, {x.sizes[1]});
    std::vector<CaseInput> all = {{x, Domain::normal}, {channels, Domain::normal}, {channels, Domain::positive}};
    if (affine) all.insert(all.end(), 2, {channels, Domain::normal});
    return all;
  };
  const auto with_flag = [](Arguments a) {
    a.push_back(arg("cudnn_enabled", false));
    return a;
  };
  for (const DType dtype : floats) {
    const auto x = rows(dtype, {2, 5, 3, 4});
    one(cases, "aten.batch_norm.default", inputs(dtype, x, true), with_flag(batch(true, true, false)), 2);
    one(cases, "aten.batch_norm.default", inputs(dtype, x, false), with_flag(batch(true, false, false)), 2);
    one(cases, "aten.batch_norm.default", inputs(dtype, rows(dtype, {6, 5}), true), with_flag(batch(true, true, false)), 2);
    one(cases, "aten.native_batch_norm.default", inputs(dtype, x, true), batch(true, true, false), 2);
    Arguments without_training = batch(true, true, false);
    without_training.erase(without_training.begin() + 5);
    one(cases, "aten._native_batch_norm_legit_no_training.default", inputs(dtype, x, true), without_training, 2);
  }
  const auto channels_last = ordered(DType::f32, {2, 5, 3, 4}, {0, 2, 3, 1});
  one(cases, "aten.batch_norm.default", inputs(DType::f32, channels_last, true), with_flag(batch(true, true, false)), 2);
  std::vector<CaseInput> mixed = inputs(DType::f32, rows(DType::f32, {2, 5, 3, 4}), true);
  mixed[0].type = rows(DType::bf16, {2, 5, 3, 4});
  one(cases, "aten.batch_norm.default", mixed, with_flag(batch(true, true, false)), 2);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto own = normal_inputs(dtype, {{4, 5, 3}, {5}, {5}});
    one(cases, "aten.batch_norm.default", own, with_flag(batch(false, true, true)), 2);
    Arguments no_stats = batch(false, true, true);
    no_stats.erase(no_stats.begin() + 3, no_stats.begin() + 5);
    one(cases, "aten._native_batch_norm_legit.no_stats", own, no_stats, 2);
  }
}

}  // namespace

void add_normalisation_cases(Cases& cases) {
  layer_norms(cases);
  rms_norms(cases);
  group_norms(cases);
  batch_norms(cases);
}

}  // namespace kw::fakes
