// Pooling in one, two and three dimensions: odd sizes, padding, ceil mode, dilation, adaptive windows.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

struct Shape {
  const char* suffix;
  Sizes sizes;
};
const Shape shapes[] = {{"1d", {2, 3, 11}}, {"2d", {2, 3, 9, 7}}, {"3d", {1, 2, 5, 7, 6}}};

std::string op_name(const char* prefix, const Shape& shape, const char* rest = "") {
  return std::string("aten.") + prefix + shape.suffix + rest + ".default";
}

std::size_t spatial(const Shape& shape) { return shape.sizes.size() - 2; }
Ints each(const Shape& shape, std::int64_t value) { return Ints(spatial(shape), value); }

struct Window {
  std::int64_t kernel, stride, pad, dilation;
  bool ceil;
};
constexpr Window windows[] = {{2, 2, 0, 1, false}, {3, 2, 1, 1, false}, {3, 1, 1, 1, false}, {3, 2, 1, 1, true}, {2, 3, 1, 1, true}, {2, 2, 0, 2, false}, {3, 2, 1, 2, true}};

Arguments window_arguments(const Shape& shape, const Window& w) {
  return {arg("self", In{0}), arg("kernel_size", each(shape, w.kernel)), arg("stride", each(shape, w.stride)),
          arg("padding", each(shape, w.pad)), arg("ceil_mode", w.ceil)};
}

void max_pools(Cases& cases) {
  for (const Shape& shape : shapes)
    for (const char* rest : {"", "_with_indices"}) {
      const std::string op = op_name("max_pool", shape, rest);
      for (const Window& w : windows) {
        Arguments a = window_arguments(shape, w);
        a.push_back(arg("dilation", each(shape, w.dilation)));
        one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, a);
        one(cases, op, {{rows(DType::f32, shape.sizes), Domain::quarters}}, a);
      }
      Arguments a = window_arguments(shape, windows[1]);
      for (const DType dtype : {DType::f64, DType::bf16, DType::f16}) one(cases, op, {{rows(dtype, shape.sizes), Domain::normal}}, a);
      one(cases, op, {{rows(DType::f32, shape.sizes), Domain::infinite}}, a);
      one(cases, op, {{rows(DType::f32, {shape.sizes.begin() + 1, shape.sizes.end()}), Domain::normal}}, a);
      one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, {arg("self", In{0}), arg("kernel_size", each(shape, 2))});
    }
  one(cases, "aten.max_pool2d.default", {{ordered(DType::f32, {2, 3, 9, 7}, {0, 2, 3, 1}), Domain::normal}},
      {arg("self", In{0}), arg("kernel_size", Ints{3, 2}), arg("stride", Ints{2, 1}), arg("padding", Ints{1, 0})});
}

void avg_pools(Cases& cases) {
  for (const Shape& shape : shapes) {
    const std::string op = op_name("avg_pool", shape);
    for (const Window& w : windows) {
      if (w.dilation != 1) continue;
      for (const bool include : {true, false}) {
        Arguments a = window_arguments(shape, w);
        a.push_back(arg("count_include_pad", include));
        one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, a);
      }
    }
    const Arguments a = window_arguments(shape, windows[1]);
    for (const DType dtype : {DType::f64, DType::bf16, DType::f16}) {
      const bool aten_lacks_it = spatial(shape) == 3 && dtype != DType::f64;
      if (!aten_lacks_it) one(cases, op, {{rows(dtype, shape.sizes), Domain::normal}}, a);
    }
    one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, {arg("self", In{0}), arg("kernel_size", each(shape, 2))});
    if (spatial(shape) == 1) continue;
    Arguments divided = window_arguments(shape, windows[3]);
    divided.push_back(arg("divisor_override", 5));
    one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, divided);
  }
  one(cases, "aten.avg_pool2d.default", {{ordered(DType::f32, {2, 3, 9, 7}, {0, 2, 3, 1}), Domain::normal}},
      {arg("self", In{0}), arg("kernel_size", Ints{3, 2}), arg("stride", Ints{2, 1}), arg("padding", Ints{1, 0})});
}

void adaptive_pools(Cases& cases) {
  for (const Shape& shape : shapes) {
    for (const std::int64_t size : {1, 2, 3, 5}) {
      const Arguments a = {arg("self", In{0}), arg("output_size", each(shape, size))};
      std::vector<std::string> ops = {op_name("adaptive_avg_pool", shape), op_name("adaptive_max_pool", shape)};
      if (spatial(shape) > 1) ops.push_back(op_name("_adaptive_avg_pool", shape));
      for (const std::string& op : ops) {
        one(cases, op, {{rows(DType::f32, shape.sizes), Domain::normal}}, a);
        if (size == 3)
          for (const DType dtype : {DType::f64, DType::bf16, DType::f16}) one(cases, op, {{rows(dtype, shape.sizes), Domain::normal}}, a);
      }
    }
  }
  one(cases, "aten.adaptive_avg_pool2d.default", {{ordered(DType::f32, {2, 3, 8, 6}, {0, 2, 3, 1}), Domain::normal}},
      {arg("self", In{0}), arg("output_size", Ints{4, 3})});
}

}  // namespace

void add_pooling_cases(Cases& cases) {
  max_pools(cases);
  avg_pools(cases);
  adaptive_pools(cases);
}

}  // namespace kw::fakes
