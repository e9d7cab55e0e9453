// Losses: a pointwise term, then nothing, the mean or the sum (reduction 0, 1, 2).
#include "core/kernel/definition/operators/axes.h"
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

enum Reduction : std::int64_t { none = 0, mean = 1, sum = 2 };

Expr operator+(const Expr& a, const Expr& b) { return binary(Op::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary(Op::sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary(Op::mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary(Op::div, a, b); }

std::vector<int> all_dims(const Sizes& sizes) {
  std::vector<int> dims;
  for (std::size_t k = 0; k < sizes.size(); ++k) dims.push_back(static_cast<int>(k));
  return dims;
}

struct Loss {
  explicit Loss(Lowering& lowering) : l(lowering), x(l.tensor("self")), target(l.tensor("target")) {
    if (x.sizes != target.sizes) refuse("input and target of different sizes");
    inner = compute_type(l.result().dtype);
    if (!graph::is_floating(inner)) refuse("a loss of integers");
  }
  Expr c(double value) const { return literal_of(value, inner); }
  Expr read(const Operand& operand) const { return cast(l.read(operand, x.sizes), inner); }

  void give(const Expr& term) const {
    const DType storage = l.result().dtype;
    const std::int64_t reduction = l.integer("reduction", mean);
    if (reduction == none) return l.give(l.pointwise("", x.sizes, storage, term));
    const Operand terms = l.pointwise("term", x.sizes, inner, term);
    const Axes axes(x.sizes, all_dims(x.sizes));
    if (reduction == sum) return l.give(l.reduce("", axes.kept, axes.over, Combiner::sum, storage, {axes.read(l, terms)}));
    const Operand total = l.reduce("sum", axes.kept, axes.over, Combiner::sum, inner, {axes.read(l, terms)});
    l.give(divided(l, "", total, static_cast<double>(axes.count()), storage));
  }

  Lowering& l;
  Operand x, target;
  DType inner = DType::f32;
};

void mse_loss(Lowering& l) {
  const Loss loss(l);
  const Expr d = loss.read(loss.x) - loss.read(loss.target);
  loss.give(d * d);
}

void l1_loss(Lowering& l) {
  const Loss loss(l);
  loss.give(unary(Op::abs, loss.read(loss.x) - loss.read(loss.target)));
}

// Quadratic up to beta, linear beyond.
void smooth_l1_loss(Lowering& l) {
  const Loss loss(l);
  const double beta = l.number("beta", 1);
  const Expr d = unary(Op::abs, loss.read(loss.x) - loss.read(loss.target));
  if (beta == 0) return loss.give(d);
  const Expr near = loss.c(0.5) * d * d / loss.c(beta);
  loss.give(select(binary(Op::lt, d, loss.c(beta)), near, d - loss.c(0.5 * beta)));
}

void huber_loss(Lowering& l) {
  const Loss loss(l);
  const double delta = l.number("delta", 1);
  const Expr d = unary(Op::abs, loss.read(loss.x) - loss.read(loss.target));
  loss.give(select(binary(Op::le, d, loss.c(delta)), loss.c(0.5) * d * d, loss.c(delta) * (d - loss.c(0.5 * delta))));
}

// target * (log(target) - x), 0 where the target is 0; with log_target, exp(target) * (target - x)
void kl_div(Lowering& l) {
  const Loss loss(l);
  const Expr x = loss.read(loss.x), t = loss.read(loss.target);
  if (l.flag("log_target", false)) return loss.give(unary(Op::exp, t) * (t - x));
  const Expr entropy = select(binary(Op::eq, t, loss.c(0)), loss.c(0), t * unary(Op::log, t));
  loss.give(entropy - t * x);
}

// Logarithms are cut at -100, as in ATen.
void binary_cross_entropy(Lowering& l) {
  const Loss loss(l);
  const Expr x = loss.read(loss.x), t = loss.read(loss.target);
  const auto cut_log = [&](Op op, const Expr& v) { return binary(Op::maximum, unary(op, v), loss.c(-100)); };
  const Expr term = (t - loss.c(1)) * cut_log(Op::log1p, unary(Op::neg, x)) - t * cut_log(Op::log, x);
  const auto weight = l.optional_tensor("weight");
  loss.give(weight ? term * loss.read(*weight) : term);
}

// (1 - t) x + (1 + (p - 1) t) (log(1 + exp(-|x|)) + max(-x, 0))
void bce_with_logits(Lowering& l) {
  const Loss loss(l);
  const Expr x = loss.read(loss.x), t = loss.read(loss.target);
  const Expr tail = unary(Op::log1p, unary(Op::exp, unary(Op::neg, unary(Op::abs, x)))) +
                    binary(Op::maximum, unary(Op::neg, x), loss.c(0));
  const auto weight = l.optional_tensor("weight"), positive = l.optional_tensor("pos_weight");
  const Expr scaled = positive ? ((loss.read(*positive) - loss.c(1)) * t + loss.c(1)) * tail : tail;
  const Expr term = (loss.c(1) - t) * x + scaled;
  loss.give(weight ? term * loss.read(*weight) : term);
}

// Class indices. log(sum exp(x - max)) + max - x[target]; the pick is a sum over the classes that are the target.
struct Classes {
  explicit Classes(Lowering& lowering) : l(lowering), x(l.tensor("self")), target(l.tensor("target")) {
    if (!graph::is_integral(target.dtype)) refuse("targets that are probabilities");
    if (l.given("weight") || l.number("label_smoothing", 0) != 0) refuse("class weights or label smoothing");
    if (x.rank() < 1) refuse("a loss of a 0-dim tensor");
    dim = x.rank() == 1 ? 0 : 1;
  }
  Lowering& l;
  Operand x, target;
  int dim = 0;
};

void cross_entropy(Lowering& l) {
  const Classes c(l);
  const Axes axes(c.x.sizes, {c.dim});
  if (c.target.sizes != axes.kept) refuse("one target for each set of classes is needed");
  const DType storage = l.result().dtype, inner = compute_type(storage);
  const Expr x = cast(axes.read(l, c.x), inner);
  const Operand max = l.reduce("max", axes.kept, axes.over, Combiner::max, inner, {x});
  const Expr shifted = x - axes.read(l, axes.with_kept_dims(max));
  const Operand total = l.reduce("sum", axes.kept, axes.over, Combiner::sum, inner, {unary(Op::exp, shifted)});
  const Expr target = axes.read(l, axes.with_kept_dims(c.target));
  const Expr chosen = binary(Op::eq, index_value(axes.point[static_cast<std::size_t>(c.dim)]), target);
  const Operand pick = l.reduce("pick", axes.kept, axes.over, Combiner::sum, inner, {select(chosen, x, zero_of(inner))});
  const auto kept = [&](const Operand& o) { return l.read(o, axes.kept); };
  const Expr counts = binary(Op::ne, kept(c.target), constant_i(l.integer("ignore_index", -100)));
  const Expr term = select(counts, unary(Op::log, kept(total)) + kept(max) - kept(pick), zero_of(inner));
  const std::int64_t reduction = l.integer("reduction", mean);
  if (reduction == none) return l.give(l.pointwise("", axes.kept, storage, term));
  const Operand terms = l.pointwise("term", axes.kept, inner, term);
  const Axes rest(axes.kept, all_dims(axes.kept));
  const auto total_of = [&](const char* name, const Expr& body) {
    return l.reduce(name, rest.kept, rest.over, Combiner::sum, inner, {body});
  };
  const Operand loss = total_of("loss", rest.read(l, terms));
  if (reduction == sum) return l.give(l.pointwise("", rest.kept, storage, l.read(loss, rest.kept)));
  const Expr one = cast(binary(Op::ne, rest.read(l, c.target), constant_i(l.integer("ignore_index", -100))), inner);
  const Operand count = total_of("count", one);
  l.give(l.pointwise("", rest.kept, storage, l.read(loss, rest.kept) / l.read(count, rest.kept)));
}

constexpr Row rows[] = {
    {"aten.mse_loss.default", mse_loss},
    {"aten.l1_loss.default", l1_loss},
    {"aten.smooth_l1_loss.default", smooth_l1_loss},
    {"aten.huber_loss.default", huber_loss},
    {"aten.kl_div.default", kl_div},
    {"aten.binary_cross_entropy.default", binary_cross_entropy},
    {"aten.binary_cross_entropy_with_logits.default", bce_with_logits},
    {"aten.cross_entropy_loss.default", cross_entropy, "class indices without weights or smoothing"},
};

}  // namespace

std::span<const Row> loss_rows() { return rows; }

}  // namespace kw::kernel::table
