#include "core/kernel/definition/operators/axes.h"

namespace kw::kernel::table {

Axes::Axes(const Sizes& sizes, const std::vector<int>& reduced) : full(sizes), keepdim(sizes), is_reduced_(sizes.size(), false) {
  for (const int d : reduced) {
    const auto k = static_cast<std::size_t>(d);
    is_reduced_[k] = true;
    over.push_back(sizes[k]);
    keepdim[k] = 1;
  }
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (!is_reduced_[k]) kept.push_back(sizes[k]);
  if (over.empty()) over.push_back(1);
  extents = kept;
  extents.insert(extents.end(), over.begin(), over.end());
  int next_kept = 0, next_reduced = static_cast<int>(kept.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const int v = is_reduced_[k] ? next_reduced++ : next_kept++;
    point.push_back(sizes[k] == 1 ? constant(0) : variable(v));
  }
}

Expr Axes::read(const Lowering& l, const Operand& x) const {
  if (x.sizes.size() > full.size()) refuse("an operand has more dimensions than the reduced tensor");
  const std::size_t shift = full.size() - x.sizes.size();
  std::vector<Index> index;
  for (std::size_t k = 0; k < x.sizes.size(); ++k) {
    if (x.sizes[k] != 1 && x.sizes[k] != full[k + shift]) refuse("an operand does not broadcast to the reduced tensor");
    index.push_back(x.sizes[k] == 1 ? constant(0) : point[k + shift]);
  }
  return l.at(x, index, extents);
}

Operand Axes::with_kept_dims(const Operand& reduced) const {
  std::vector<Index> maps;
  const std::vector<Index> at = table::point(keepdim);
  for (std::size_t k = 0; k < full.size(); ++k)
    if (!is_reduced_[k]) maps.push_back(at[k]);
  return view(reduced, keepdim, maps);
}

Operand divided(Lowering& l, const std::string& name, const Operand& sum, double divisor, DType storage) {
  const Expr s = l.read(sum, sum.sizes);
  return l.pointwise(name, sum.sizes, storage, binary(Op::div, s, literal_of(divisor, s->type)));
}

Moments moments(Lowering& l, const Axes& axes, const Operand& x, DType inner) {
  Moments m;
  const Operand sum = l.reduce("sum", axes.kept, axes.over, Combiner::sum, inner, {cast(axes.read(l, x), inner)});
  m.mean = divided(l, "mean", sum, static_cast<double>(axes.count()), inner);
  const Operand mean = axes.with_kept_dims(m.mean);
  const Expr distance = binary(Op::sub, cast(l.read(x, axes.full), inner), l.read(mean, axes.full));
  m.centred = l.pointwise("centred", axes.full, inner, distance);
  const Expr c = axes.read(l, m.centred);
  m.squares = l.reduce("squares", axes.kept, axes.over, Combiner::sum, inner, {binary(Op::mul, c, c)});
  return m;
}

}  // namespace kw::kernel::table
