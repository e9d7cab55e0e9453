// The naive evaluation: definition after definition, element after element, everything in double or exact integers.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "samples.h"

namespace kw::kernel::samples {
namespace {

using Point = std::vector<std::int64_t>;

struct Store {                       // a tensor's components, row-major; inputs by storage offset
  std::vector<std::vector<double>> components;
  Sizes strides;
};

class Evaluator {
 public:
  Evaluator(const Program& program, const std::vector<std::vector<double>>& inputs) : program_(program), stores_(program.tensors.size()) {
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      const auto t = static_cast<std::size_t>(program.inputs[k]);
      stores_[t] = {{inputs[k]}, program.tensors[t].type.strides};
    }
  }

  std::vector<std::vector<double>> run() {
    for (const Definition& d : program_.definitions) define(d);
    std::vector<std::vector<double>> out;
    for (const int t : program_.outputs) {
      const Tensor& tensor = program_.tensors[static_cast<std::size_t>(t)];
      std::vector<double> values;
      each(tensor.type.sizes, [&](const Point& p) { values.push_back(element(t, 0, p)); });
      out.push_back(std::move(values));
    }
    return out;
  }

 private:
  static void each(const Sizes& sizes, const std::function<void(const Point&)>& body) {
    Point p(sizes.size(), 0);
    for (;;) {
      body(p);
      std::size_t k = sizes.size();
      while (k > 0 && ++p[k - 1] == sizes[k - 1]) p[--k] = 0;
      if (k == 0) return;
    }
  }

  double element(int tensor, int component, const Point& p) const {
    const Store& store = stores_[static_cast<std::size_t>(tensor)];
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < p.size(); ++k) offset += p[k] * store.strides[k];
    return store.components[static_cast<std::size_t>(component)].at(static_cast<std::size_t>(offset));
  }

  void define(const Definition& d) {
    Store store{{}, graph::contiguous_strides(d.domain)};
    store.components.resize(2);
    each(d.domain, [&](const Point& p) {
      const auto [first, second] = d.combiner == Combiner::none ? std::pair{value(*d.body[0], p), 0.0} : reduce(d, p);
      store.components[0].push_back(first);
      store.components[1].push_back(second);
    });
    stores_[static_cast<std::size_t>(d.tensor)] = std::move(store);
  }

  std::pair<double, double> reduce(const Definition& d, const Point& p) {
    std::vector<double> values;
    each(d.reduce, [&](const Point& r) {
      Point all = p;
      all.insert(all.end(), r.begin(), r.end());
      values.push_back(value(*d.body[0], all));
    });
    std::size_t best = 0;
    double sum = 0, product = 1;
    for (std::size_t k = 0; k < values.size(); ++k) {
      sum += values[k];
      product *= values[k];
      const bool wants_less = d.combiner == Combiner::min || d.combiner == Combiner::argmin;
      if (std::isnan(values[best])) continue;
      if (std::isnan(values[k]) || (wants_less ? values[k] < values[best] : values[k] > values[best])) best = k;
    }
    const double mean = sum / static_cast<double>(values.size());
    double squares = 0, exponentials = 0;
    for (const double v : values) {
      squares += (v - mean) * (v - mean);
      exponentials += std::exp(v - values[best]);
    }
    switch (d.combiner) {
      case Combiner::sum: return {sum, 0};
      case Combiner::product: return {product, 0};
      case Combiner::moments: return {mean, squares};
      case Combiner::max_sum_exp: return {values[best], exponentials};
      case Combiner::any: return {sum > 0, 0};
      case Combiner::all: return {product != 0, 0};
      default: return {values[best], static_cast<double>(best)};
    }
  }

  double value(const Expression& e, const Point& p) const {
    const auto operand = [&](std::size_t k) { return value(*e.operands[k], p); };
    switch (e.op) {
      case Op::constant: return graph::is_floating(e.type) ? e.number : static_cast<double>(e.integer);
      case Op::index: return static_cast<double>(kernel::evaluate(e.maps[0], p));
      case Op::read: {
        Point at;
        for (const Index& map : e.maps) at.push_back(kernel::evaluate(map, p));
        return element(e.source, e.component, at);
      }
      case Op::in_bounds:
        for (std::size_t k = 0; k < e.maps.size(); ++k)
          if (const auto at = kernel::evaluate(e.maps[k], p); at < 0 || at >= e.limits[k]) return 0;
        return 1;
      case Op::select: return operand(0) != 0 ? operand(1) : operand(2);
      case Op::cast: return operand(0);
      case Op::neg: return -operand(0);
      case Op::exp: return std::exp(operand(0));
      case Op::erf: return std::erf(operand(0));
      case Op::one_plus_erf: return std::erfc(-operand(0));
      case Op::rsqrt: return 1 / std::sqrt(operand(0));
      case Op::add: return operand(0) + operand(1);
      case Op::sub: return operand(0) - operand(1);
      case Op::mul: return operand(0) * operand(1);
      case Op::div: return operand(0) / operand(1);
      case Op::le: return operand(0) <= operand(1);
      case Op::maximum: return std::fmax(operand(0), operand(1));
      default: return std::numeric_limits<double>::quiet_NaN();      // a sample uses what the truth does not know
    }
  }

  const Program& program_;
  std::vector<Store> stores_;
};

}  // namespace

std::vector<std::vector<double>> draw_inputs(const Program& program, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<double>> out;
  for (const int t : program.inputs) {
    const Tensor& tensor = program.tensors[static_cast<std::size_t>(t)];
    std::vector<double> values;
    const bool variance = tensor.name == "var";
    std::uniform_int_distribution<int> steps(variance ? 64 : -256, 256);
    for (std::int64_t k = 0; k < tensor.type.span(); ++k) values.push_back(steps(random) / 128.0);    // exact in bf16 too
    out.push_back(std::move(values));
  }
  return out;
}

std::vector<std::vector<double>> evaluate(const Program& program, const std::vector<std::vector<double>>& inputs) {
  return Evaluator(program, inputs).run();
}

}  // namespace kw::kernel::samples
