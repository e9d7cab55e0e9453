#pragma once
// Programs built by hand, the families that a recipe must handle, and their truth: a naive evaluation in double that
// shares nothing with lowering. Used by the unit tests of recipes and by tests/bench/kernel_bench.cpp.

#include <string>
#include <vector>

#include "core/kernel/generator.h"

namespace kw::kernel::samples {

using Sizes = std::vector<std::int64_t>;

class ProgramBuilder {
 public:
  int input(const std::string& name, DType dtype, const Sizes& sizes, const Sizes& strides = {});
  int pointwise(const std::string& name, const Sizes& sizes, const Expr& body, DType storage = DType::f32);
  int reduce(const std::string& name, const Sizes& sizes, const Sizes& over, Combiner combiner, const Expr& body,
             DType storage = DType::f32);
  void output(int tensor, const Sizes& strides = {});
  Expr at(int tensor, const std::vector<Index>& maps, int component = 0) const;
  Program program;

 private:
  int define(const std::string& name, const Sizes& sizes, DType storage, Definition definition);
};
std::vector<Index> variables(int count, int first = 0);

Program scale_softmax(std::int64_t rows, std::int64_t cols, double scale, DType storage = DType::f32);
Program channel_softmax(std::int64_t n, std::int64_t c, std::int64_t hw);
Program masked_softmax(std::int64_t heads, std::int64_t rows, std::int64_t cols);       // columns right of the row are -inf
Program layer_norm(std::int64_t rows, std::int64_t cols, bool residual, bool give_sum, DType storage = DType::f32);
Program moments_norm(std::int64_t rows, std::int64_t cols);                             // Combiner::moments, as Welford wants
Program batch_norm_relu(const Sizes& nchw, bool add, const Sizes& strides = {});
Program group_norm(std::int64_t n, std::int64_t c, std::int64_t groups, std::int64_t hw);
Program gelu(std::int64_t elements, DType storage = DType::f32);
Program bias_gelu(std::int64_t rows, std::int64_t cols, DType storage = DType::f32);
Program max_pool(const Sizes& nchw, std::int64_t kernel, std::int64_t stride, std::int64_t pad, bool after_relu);
Program average_pool(const Sizes& nchw, std::int64_t kernel, std::int64_t stride, std::int64_t pad);
Program pool_index(const Sizes& nchw, std::int64_t kernel, std::int64_t stride);
Program permute(const Sizes& sizes, const std::vector<int>& order);
Program argmax(std::int64_t rows, std::int64_t cols, bool last_dim, bool minimum = false);
Program cat(std::int64_t rows, const Sizes& widths);
Program pad(std::int64_t rows, std::int64_t cols, std::int64_t left, std::int64_t right);
Program sum_over(std::int64_t rows, std::int64_t cols, bool first_dim, DType storage = DType::f32);
Program sum_all(std::int64_t elements);
Program batch_statistics(std::int64_t n, std::int64_t c, std::int64_t hw);              // mean and variance of each channel
Program max_and_exponentials(std::int64_t rows, std::int64_t cols, bool first_dim);     // Combiner::max_sum_exp and both its results
Program any_below(std::int64_t rows, std::int64_t cols, double bound);                  // in each column
Program two_outputs(std::int64_t rows, std::int64_t cols);
Program whole_pass_through(std::int64_t rows, std::int64_t cols);                      // an output that is an input

struct Sample { std::string name; Program program; };
std::vector<Sample> small_samples();          // odd sizes, one of everything

// One double an element of each input, by storage offset; values that a type can hold exactly where it is not f32 or f64.
std::vector<std::vector<double>> draw_inputs(const Program& program, unsigned seed);
// Logical row-major elements of each output.
std::vector<std::vector<double>> evaluate(const Program& program, const std::vector<std::vector<double>>& inputs);

}  // namespace kw::kernel::samples
