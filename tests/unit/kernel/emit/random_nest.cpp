#include "tests/unit/kernel/emit/random_nest.h"

#include <algorithm>
#include <random>

#include "core/kernel/loopnest/scope.h"
#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel::testing {
namespace {

constexpr DType storages[] = {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean};
constexpr int inputs = 5;
constexpr int y_buffer = inputs, z_buffer = inputs + 1, tile = inputs + 2;
constexpr int accumulator = 0, total = 1;

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed), scope_(LoopNest{}) {
    nest_.name = "random_" + std::to_string(seed);
    nest_.variables = {"r", "c", "tail"};
    nest_.threads = draw(1, 2);
    lanes_ = 1 << draw(1, 4);
    rows_ = draw(1, 5);
    vectors_ = draw(1, 3);
    columns_ = lanes_ * vectors_ + draw(0, 3);
    extents_ = {rows_, columns_, columns_};
    for (int b = 0; b < inputs; ++b) nest_.buffers.push_back({"x" + std::to_string(b), storages[draw(0, 9)], 1, Space::global, b});
    nest_.buffers.push_back({"y", storages[draw(0, 9)], rows_ * columns_, Space::global, y_buffer});
    sum_type_ = draw(0, 1) != 0 ? DType::f64 : DType::i64;
    nest_.buffers.push_back({"z", sum_type_, rows_, Space::global, z_buffer});
    nest_.buffers.push_back({"row", storages[draw(0, 4)], columns_, Space::tile, -1});
    nest_.registers = {{"acc", sum_type_, lanes_}, {"sum", sum_type_, 1}};
    scope_ = Scope(nest_);
  }

  RandomNest make() {
    const Statement main = loop(1, 0, lanes_ * vectors_, lanes_, LoopKind::vector, {}), tail = loop(2, lanes_ * vectors_, columns_, 1, LoopKind::serial, {});
    const Statement rows = loop(0, 0, rows_, 1, LoopKind::parallel, {});
    scope_.enter(rows);
    Block body{let(accumulator, cast(constant_i(0), sum_type_))};
    body.push_back(part(main, accumulator, lanes_));
    Expr sum = lane(accumulator, sum_type_, 0);
    for (int l = 1; l < lanes_; ++l) sum = binary(Op::add, sum, lane(accumulator, sum_type_, l));
    body.push_back(let(total, sum));
    if (trip_count(tail) > 0) body.push_back(part(tail, total, 1));
    body.push_back(store(z_buffer, variable(0), reg(total, sum_type_)));
    body.push_back(finish(main));
    if (trip_count(tail) > 0) body.push_back(finish(tail));
    nest_.body = {loop(0, 0, rows_, 1, LoopKind::parallel, std::move(body))};
    return {nest_, memory()};
  }

 private:
  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  DType any_computing() { return compute_type(storages[draw(0, 9)]); }

  // Fills the tile and the accumulator.
  Statement part(Statement l, int into, int lanes) {
    scope_.enter(l);
    column_ = l.variable;
    const int r = static_cast<int>(nest_.registers.size());
    const DType type = any_computing();
    nest_.registers.push_back({"v" + std::to_string(r), type, lanes});
    lets_ = {};
    l.body.push_back(let(r, exact(type, 2)));
    lets_.push_back(r);
    l.body.push_back(store(tile, variable(column_), exact(compute_type(nest_.buffers[tile].type), 1)));
    l.body.push_back(update(into, binary(Op::add, reg(into, sum_type_), cast(exact(type, 1), sum_type_))));
    lets_ = {};
    scope_.leave(l);
    return l;
  }

  // Writes y from the tile and more inputs.
  Statement finish(Statement l) {
    scope_.enter(l);
    column_ = l.variable;
    const Expr kept = read(tile, {variable(column_)}, nest_.buffers[tile].type);
    const DType type = compute_type(nest_.buffers[y_buffer].type);
    const Expr value = binary(draw(0, 1) != 0 ? Op::maximum : Op::add, cast(kept, type), exact(type, 2));
    l.body.push_back(store(y_buffer, affine(0, {{0, columns_}, {column_, 1}}), outermost(value)));
    scope_.leave(l);
    return l;
  }

  // A function whose last place may differ.
  Expr outermost(const Expr& e) {
    static constexpr Op unaries[] = {Op::exp, Op::tanh, Op::sigmoid, Op::erf, Op::sin, Op::expm1, Op::reciprocal, Op::exp2, Op::cos};
    if (!graph::is_floating(e->type) || draw(0, 2) == 0) return e;
    if (draw(0, 5) == 0) return binary(Op::div, e, constant_f(3, e->type));
    return unary(unaries[draw(0, 8)], binary(Op::mul, e, constant_f(0.125, e->type)));
  }

  Index place() {
    const Index c = variable(column_), r = variable(0);
    switch (draw(0, 8)) {
      case 0: return affine(draw(0, 3), {{column_, 2}, {0, draw(0, 3)}});
      case 1: return affine(columns_, {{column_, -1}});
      case 2: return r;
      case 3: return floor_div(c, draw(2, 5), extents_);
      case 4: return mod(add(c, scale(r, 3)), draw(2, 17), extents_);
      case 5: return affine(0, {{column_, 3}});
      case 6: return floor_div(c, lanes_, extents_);
      default: return affine(draw(0, 3), {{0, columns_}, {column_, 1}});
    }
  }

  Expr input(DType type) {
    const int b = draw(0, inputs - 1);
    NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(b)];
    Index at = place();
    if (draw(0, 3) != 0) {
      buffer.elements = std::max(buffer.elements, interval(at, scope_).high + 1);
      return cast(read(b, {at}, buffer.type), type);
    }
    at = add(at, constant(-draw(1, 4)));                       // starts before the buffer: a select keeps it inside
    const std::int64_t limit = std::max<std::int64_t>(1, interval(at, scope_).high - draw(0, 3));
    buffer.elements = std::max(buffer.elements, limit);
    const Expr guard = in_bounds({at}, {limit}, extents_), value = read(b, {at}, buffer.type);
    if (guard->op != Op::in_bounds) return cast(constant_i(2), type);
    return cast(select(guard, value, cast(constant_i(draw(0, 1)), value->type)), type);
  }

  Expr leaf(DType type) {
    if (!lets_.empty() && draw(0, 3) == 0) return cast(reg(lets_[0], nest_.registers[static_cast<std::size_t>(lets_[0])].type), type);
    if (draw(0, 6) == 0) return cast(constant_i(draw(-3, 3)), type);
    if (draw(0, 6) == 0) return cast(index_value(mod(add(variable(column_), variable(0)), 5, extents_)), type);
    return input(type);
  }

  Expr exact(DType type, int depth) {
    if (depth == 0) return leaf(type);
    const Expr a = exact(type, depth - 1);
    if (draw(0, 4) == 0) return select(condition(depth - 1), a, exact(type, depth - 1));
    if (type == DType::boolean) return draw(0, 3) == 0 ? unary(Op::logical_not, a) : binary(pick({Op::logical_and, Op::logical_or, Op::logical_xor, Op::bitwise_xor}), a, condition(depth - 1));
    if (draw(0, 4) == 0) return one(type, a);
    const Expr b = exact(type, depth - 1);
    if (graph::is_integral(type))
      return binary(pick({Op::add, Op::sub, Op::mul, Op::maximum, Op::minimum, Op::bitwise_and, Op::bitwise_or, Op::floor_divide, Op::trunc_divide, Op::remainder, Op::fmod}), a, b);
    return binary(pick({Op::add, Op::sub, Op::mul, Op::maximum, Op::minimum, Op::remainder, Op::fmod, Op::floor_divide}), a, b);
  }

  Expr one(DType type, const Expr& a) {
    if (graph::is_integral(type)) return unary(pick({Op::neg, Op::abs, Op::sign, Op::bitwise_not}), a);
    if (type == DType::f32 && draw(0, 3) == 0) return unary(pick({Op::as_bf16, Op::as_f16}), a);
    return unary(pick({Op::neg, Op::abs, Op::sign, Op::floor, Op::ceil, Op::round, Op::trunc}), a);
  }

  Expr condition(int depth) {
    const DType type = any_computing();
    if (type == DType::f64 && draw(0, 1) != 0) return unary(pick({Op::is_nan, Op::is_inf}), exact(type, depth));
    const Expr a = exact(type, depth);
    return binary(pick({Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge}), a, exact(type, depth));
  }

  Op pick(std::initializer_list<Op> ops) { return ops.begin()[draw(0, static_cast<int>(ops.size()) - 1)]; }

  double element(DType type) {
    if (type == DType::boolean) return draw(0, 1);
    if (type == DType::u8) return draw(0, 9);
    return graph::is_floating(type) ? draw(-12, 12) / 4.0 : draw(-9, 9);
  }

  std::vector<std::vector<double>> memory() {
    std::vector<std::vector<double>> out;
    for (const NestBuffer& buffer : nest_.buffers) {
      out.emplace_back(static_cast<std::size_t>(buffer.elements));
      for (double& v : out.back()) v = element(buffer.type);
    }
    return out;
  }

  std::mt19937 random_;
  LoopNest nest_;
  Scope scope_;
  Extents extents_;
  std::int64_t rows_ = 1, columns_ = 1;
  int lanes_ = 2, vectors_ = 1, column_ = 1;
  DType sum_type_ = DType::f64;
  std::vector<int> lets_;
};

}  // namespace

RandomNest random_nest(std::uint32_t seed) { return Maker(seed).make(); }

}  // namespace kw::kernel::testing
