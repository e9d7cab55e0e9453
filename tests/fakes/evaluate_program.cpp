#include "tests/fakes/evaluate_program.h"

#include <cmath>
#include <functional>
#include <limits>

#include "core/kernel/loopnest/arithmetic.h"

namespace kw::fakes {
namespace {

using namespace kernel;
using Point = std::vector<std::int64_t>;

void for_every_point(const Extents& extents, std::size_t from, Point& point, const std::function<void()>& visit) {
  if (from == extents.size()) return visit();
  for (point[from] = 0; point[from] < extents[from]; ++point[from]) for_every_point(extents, from + 1, point, visit);
}

std::int64_t offset(const Point& point, const std::vector<std::int64_t>& strides) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) sum += point[k] * strides[k];
  return sum;
}

struct Failure {
  base::Error error;
};

class Evaluator {
 public:
  Evaluator(const Program& program, const Elements& inputs) : program_(program), memory_(program.tensors.size()) {
    for (std::size_t k = 0; k < program.inputs.size(); ++k) load(program.inputs[k], inputs[k]);
  }

  Elements run() {
    for (const Definition& d : program_.definitions) compute(d);
    Elements outputs;
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) outputs.push_back(output(k));
    return outputs;
  }

 private:
  const Tensor& tensor(int t) const { return program_.tensors[static_cast<std::size_t>(t)]; }
  std::vector<double>& memory(int t, int component) {
    auto& parts = memory_[static_cast<std::size_t>(t)];
    if (parts.size() <= static_cast<std::size_t>(component)) parts.resize(static_cast<std::size_t>(component) + 1);
    auto& part = parts[static_cast<std::size_t>(component)];
    if (part.empty()) part.assign(static_cast<std::size_t>(tensor(t).type.span()), std::nan(""));
    return part;
  }

  void load(int t, const std::vector<double>& elements) {
    const graph::TensorType& type = tensor(t).type;
    Point point(type.sizes.size());
    std::size_t next = 0;
    for_every_point(type.sizes, 0, point, [&] { memory(t, 0)[static_cast<std::size_t>(offset(point, type.strides))] = elements[next++]; });
  }

  std::vector<double> output(std::size_t k) {
    const graph::TensorType& type = program_.output_types[k];
    std::vector<double> elements;
    Point point(type.sizes.size());
    for_every_point(type.sizes, 0, point, [&] {
      elements.push_back(memory(program_.outputs[k], 0)[static_cast<std::size_t>(offset(point, type.strides))]);
    });
    return elements;
  }

  Scalar value(const Expr& e, const Point& point) {
    switch (e->op) {
      case Op::constant: return graph::is_floating(e->type) ? of_number(e->type, e->number) : of_integer(e->type, e->integer);
      case Op::index: return of_integer(e->type, kernel::evaluate(e->maps[0], point));
      case Op::in_bounds: {
        bool inside = true;
        for (std::size_t k = 0; k < e->maps.size(); ++k) {
          const std::int64_t i = kernel::evaluate(e->maps[k], point);
          inside = inside && i >= 0 && i < e->limits[k];
        }
        return of_integer(DType::boolean, inside);
      }
      case Op::read: return read_value(*e, point);
      case Op::select: return value(e->operands[value(e->operands[0], point).integer != 0 ? 1 : 2], point);
      default: break;
    }
    const base::Result<Scalar> result = e->operands.size() == 1
                                            ? apply(e->op, e->type, value(e->operands[0], point))
                                            : apply(e->op, e->type, value(e->operands[0], point), value(e->operands[1], point));
    if (!result.ok()) throw Failure{result.error()};
    return result.value();
  }

  Scalar read_value(const Expression& e, const Point& point) {
    const graph::TensorType& type = tensor(e.source).type;
    if (e.maps.size() != type.sizes.size()) throw Failure{{base::ErrorCode::internal, "a read has the wrong rank", tensor(e.source).name}};
    Point at;
    for (std::size_t k = 0; k < e.maps.size(); ++k) {
      at.push_back(kernel::evaluate(e.maps[k], point));
      if (at[k] < 0 || at[k] >= type.sizes[k])
        throw Failure{{base::ErrorCode::internal, "a read leaves its tensor at " + text(e.maps[k]), tensor(e.source).name}};
    }
    return loaded(memory(e.source, e.component)[static_cast<std::size_t>(offset(at, type.strides))], e.type);
  }

  void store(const Definition& d, const Point& point, int component, const Scalar& v, DType storage) {
    const Point at(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(d.domain.size()));
    memory(d.tensor, component)[static_cast<std::size_t>(offset(at, tensor(d.tensor).type.strides))] = stored(v, storage);
  }

  void compute(const Definition& d) {
    Point point(d.domain.size() + d.reduce.size(), 0);
    const DType storage = tensor(d.tensor).type.dtype;
    for_every_point(d.domain, 0, point, [&] {
      if (d.combiner == Combiner::none) return store(d, point, 0, value(d.body[0], point), storage);
      reduce(d, point, storage);
    });
  }

  // The values of the body along the reduction axes, in order, and what they combine to.
  void reduce(const Definition& d, Point point, DType storage) {
    std::vector<Scalar> values;
    Extents over = d.domain;
    over.insert(over.end(), d.reduce.begin(), d.reduce.end());
    for_every_point(over, d.domain.size(), point, [&] { values.push_back(value(d.body[0], point)); });
    const auto first = [&](double v) { store(d, point, 0, like(values[0], v), storage); };
    const auto second = [&](double v, DType type) { store(d, point, 1, like(values[0], v), type); };
    double a = 0, b = 0;
    switch (d.combiner) {
      case Combiner::sum: return first(fold(values, 0, [](double x, double y) { return x + y; }));
      case Combiner::product: return first(fold(values, 1, [](double x, double y) { return x * y; }));
      case Combiner::max: return first(number(values[extremum(values, true)]));
      case Combiner::min: return first(number(values[extremum(values, false)]));
      case Combiner::any: return first(fold(values, 0, [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; }));
      case Combiner::all: return first(fold(values, 1, [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; }));
      case Combiner::argmax:
      case Combiner::argmin: {
        const std::size_t at = extremum(values, d.combiner == Combiner::argmax);
        first(number(values[at]));
        return store(d, point, 1, of_integer(DType::i64, static_cast<std::int64_t>(at)), DType::i64);
      }
      case Combiner::moments:
        a = fold(values, 0, [](double x, double y) { return x + y; }) / static_cast<double>(values.size());
        b = fold(values, 0, [a](double x, double y) { return x + (y - a) * (y - a); });
        first(a);
        return second(b, storage);
      case Combiner::max_sum_exp:
        a = number(values[extremum(values, true)]);
        b = fold(values, 0, [a](double x, double y) { return x + std::exp(y - a); });
        first(a);
        return second(b, storage);
      case Combiner::none: return;
    }
  }

  static double number(const Scalar& s) { return graph::is_floating(s.type) ? s.number : static_cast<double>(s.integer); }
  static Scalar like(const Scalar& s, double v) {
    return graph::is_floating(s.type) ? of_number(s.type, v) : of_integer(s.type, static_cast<std::int64_t>(v));
  }
  template <typename F>
  static double fold(const std::vector<Scalar>& values, double start, const F& f) {
    for (const Scalar& v : values) start = f(start, number(v));
    return start;
  }
  static std::size_t extremum(const std::vector<Scalar>& values, bool largest) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < values.size(); ++k) {
      if (std::isnan(number(values[best]))) break;
      const double v = number(values[k]), b = number(values[best]);
      if (std::isnan(v) || (largest ? v > b : v < b)) best = k;
    }
    return best;
  }

  const Program& program_;
  std::vector<std::vector<std::vector<double>>> memory_;   // by tensor and component
};

}  // namespace

base::Result<Elements> evaluate(const Program& program, const Elements& inputs) {
  try {
    return Evaluator(program, inputs).run();
  } catch (const Failure& failure) {
    return failure.error;
  }
}

}  // namespace kw::fakes
