#include "core/kernel/definition/rewrites.h"

#include <algorithm>
#include <optional>

namespace kw::kernel {
namespace {

const Definition& definition_at(const Program& p, int k) { return p.definitions[static_cast<std::size_t>(k)]; }

int definition_of(const Program& p, int tensor) { return p.tensors[static_cast<std::size_t>(tensor)].definition; }

// "softmax.max" -> "softmax"
std::string node_name(const Definition& d) { return d.name.substr(0, d.name.find('.')); }

// The body with every read of a pointwise definition replaced by that definition's body, all the way down.
Expr expanded(const Program& p, const Expr& body, const Extents& extents) {
  return replace_reads(body, [&](const Expression& r) -> Expr {
    const int k = definition_of(p, r.source);
    if (k < 0 || definition_at(p, k).combiner != Combiner::none) return nullptr;
    return expanded(p, substitute(definition_at(p, k).body[0], r.maps, extents), extents);
  });
}

Expr expanded_body(const Program& p, const Definition& d) { return expanded(p, d.body[0], all_extents(d)); }

// The read of a reduction's value at the point of the same kept axes: maps are exactly the domain of `reader`.
bool reads_same_row(const Expr& e, const Definition& reduction, const Extents& domain) {
  if (e->op != Op::read || e->source != reduction.tensor || e->component != 0) return false;
  if (e->maps.size() != domain.size()) return false;
  for (std::size_t k = 0; k < domain.size(); ++k) {
    const Index expected = domain[k] == 1 ? constant(0) : variable(static_cast<int>(k));
    if (!(e->maps[k] == expected)) return false;
  }
  return true;
}

bool same_axes(const Definition& a, const Definition& b) { return a.domain == b.domain && a.reduce == b.reduce; }

int position_of(const Program& p, const Definition& d) { return static_cast<int>(&d - p.definitions.data()); }

// Joins `first` and `second` into `joined`, which stands in the place of the first: reads of first's tensor are its
// component 0, reads of second's its component 1. Types of the two tensors are the same.
Program join(const Program& program, int first, int second, Combiner combiner, const Expr& body, const std::string& suffix) {
  Program result = program;
  Definition& joined = result.definitions[static_cast<std::size_t>(first)];
  const int target = joined.tensor, gone = definition_at(program, second).tensor;
  joined.name = node_name(joined) + "." + suffix;
  joined.combiner = combiner;
  joined.body = {body};
  result.tensors[static_cast<std::size_t>(target)].name = joined.name;
  const auto moved = [&](const Expression& r) -> Expr {
    if (r.source != gone) return nullptr;
    auto copy = std::make_shared<Expression>(r);
    copy->source = target;
    copy->component = 1;
    return copy;
  };
  for (Definition& d : result.definitions)
    for (Expr& e : d.body) e = replace_reads(e, moved);
  result.definitions.erase(result.definitions.begin() + second);
  result.tensors[static_cast<std::size_t>(gone)].definition = -1;
  for (std::size_t k = 0; k < result.definitions.size(); ++k)
    result.tensors[static_cast<std::size_t>(result.definitions[k].tensor)].definition = static_cast<int>(k);
  return remove_dead_definitions(result);
}

bool is_output(const Program& p, const Definition& d) { return !p.tensors[static_cast<std::size_t>(d.tensor)].outputs.empty(); }

// Pairs of reductions over the same axes for which `matches` holds, neither of them an output.
template <typename Match>
std::vector<RewriteSite> reduction_pairs(const Program& p, const char* rewrite, Combiner first, Combiner second, const Match& matches) {
  std::vector<RewriteSite> sites;
  for (const Definition& b : p.definitions) {
    if (b.combiner != second || is_output(p, b)) continue;
    for (const Definition& a : p.definitions) {
      if (&a >= &b || a.combiner != first || is_output(p, a) || !same_axes(a, b) || !matches(a, b)) continue;
      sites.push_back({rewrite, std::string(rewrite) + "." + node_name(b), {position_of(p, a), position_of(p, b)}});
      break;
    }
  }
  return sites;
}

// second = sum of exp(x - max) with max = the maximum of the same x.
bool is_exponential_sum(const Program& p, const Definition& max, const Definition& sum) {
  const Expr e = expanded_body(p, sum);
  if (e->op != Op::exp || e->operands[0]->op != Op::sub) return false;
  const Expr& difference = e->operands[0];
  return reads_same_row(difference->operands[1], max, sum.domain) && equal(difference->operands[0], expanded_body(p, max));
}

std::vector<RewriteSite> online_softmax_sites(const Program& p) {
  return reduction_pairs(p, "online_softmax", Combiner::max, Combiner::sum,
                         [&](const Definition& a, const Definition& b) { return is_exponential_sum(p, a, b); });
}

Program online_softmax(const Program& p, const RewriteSite& site) {
  const Definition& max = definition_at(p, site.definitions[0]);
  return join(p, site.definitions[0], site.definitions[1], Combiner::max_sum_exp, max.body[0], "max_sum");
}

// second = sum of (x - mean)^2 with mean = (sum of the same x) / n.
bool is_squared_distance_sum(const Program& p, const Definition& sum, const Definition& squares) {
  const Expr e = expanded_body(p, squares);
  if (e->op != Op::mul || !equal(e->operands[0], e->operands[1]) || e->operands[0]->op != Op::sub) return false;
  const Expr& x = e->operands[0]->operands[0];
  const Expr& mean = e->operands[0]->operands[1];
  std::int64_t n = 1;
  for (const std::int64_t size : sum.reduce) n *= size;
  return mean->op == Op::div && is_constant(mean->operands[1], static_cast<double>(n)) &&
         reads_same_row(mean->operands[0], sum, squares.domain) && equal(x, expanded_body(p, sum));
}

std::vector<RewriteSite> welford_sites(const Program& p) {
  return reduction_pairs(p, "welford", Combiner::sum, Combiner::sum,
                         [&](const Definition& a, const Definition& b) { return is_squared_distance_sum(p, a, b); });
}

// The sum's readers divide by n; component 0 is the mean already, so every reader that is sum / n reads it undivided.
Program welford(const Program& p, const RewriteSite& site) {
  const Definition& sum = definition_at(p, site.definitions[0]);
  std::int64_t n = 1;
  for (const std::int64_t size : sum.reduce) n *= size;
  Program prepared = p;
  for (Definition& d : prepared.definitions)
    for (Expr& e : d.body) {
      // mean * n stands for the sum; where that is divided by n again, nothing is left of either.
      const bool is_mean = e->op == Op::div && is_constant(e->operands[1], static_cast<double>(n)) &&
                           e->operands[0]->op == Op::read && e->operands[0]->source == sum.tensor;
      if (is_mean) e = e->operands[0];
    }
  return join(prepared, site.definitions[0], site.definitions[1], Combiner::moments, sum.body[0], "moments");
}

bool only_means_read(const Program& p, const RewriteSite& site) {
  const Definition& sum = definition_at(p, site.definitions[0]);
  for (const Definition& d : p.definitions)
    for (const Expr& e : d.body)
      for (const Expression* r : reads(e))
        if (r->source == sum.tensor && !(e->op == Op::div && e->operands[0].get() == r)) return false;
  return true;
}

std::vector<RewriteSite> safe_welford_sites(const Program& p) {
  std::vector<RewriteSite> sites = welford_sites(p);
  std::erase_if(sites, [&](const RewriteSite& s) { return !only_means_read(p, s); });
  return sites;
}

// The sum of exponentials that `r` reads: a sum that pairs with a maximum, or the second component of a joined one.
bool is_softmax_denominator(const Program& p, const Expression& r) {
  const int k = r.op == Op::read ? definition_of(p, r.source) : -1;
  if (k < 0) return false;
  const Definition& d = definition_at(p, k);
  if (d.combiner == Combiner::max_sum_exp) return r.component == 1;
  if (d.combiner != Combiner::sum) return false;
  return std::any_of(p.definitions.begin(), p.definitions.end(), [&](const Definition& max) {
    return &max < &d && max.combiner == Combiner::max && same_axes(max, d) && is_exponential_sum(p, max, d);
  });
}

std::vector<RewriteSite> reciprocal_sites(const Program& p) {
  std::vector<RewriteSite> sites;
  for (const Definition& d : p.definitions) {
    const Expr& e = d.body[0];
    if (d.combiner != Combiner::none || e->op != Op::div || !is_softmax_denominator(p, *e->operands[1])) continue;
    sites.push_back({"reciprocal", "reciprocal." + node_name(d), {position_of(p, d)}});
  }
  return sites;
}

// y = e / s becomes r = 1 / s over the kept axes and y = e * r.
Program reciprocal(const Program& p, const RewriteSite& site) {
  Program result = p;
  const int position = site.definitions[0];
  const Definition user = definition_at(p, position);
  const Expression denominator = *user.body[0]->operands[1];
  const Tensor& source = p.tensors[static_cast<std::size_t>(denominator.source)];
  Definition inverse;
  inverse.name = node_name(user) + ".reciprocal";
  inverse.op = user.op;
  inverse.node = user.node;
  inverse.tensor = static_cast<int>(result.tensors.size());
  inverse.domain = source.type.sizes;
  std::vector<Index> maps;
  for (std::size_t k = 0; k < inverse.domain.size(); ++k)
    maps.push_back(inverse.domain[k] == 1 ? constant(0) : variable(static_cast<int>(k)));
  inverse.body = {unary(Op::reciprocal, read(denominator.source, maps, source.type.dtype, denominator.component))};
  const graph::TensorType type{source.type.dtype, source.type.sizes, graph::contiguous_strides(source.type.sizes)};
  result.tensors.push_back({inverse.name, type, -1, -1, {}});
  const Expr factor = read(inverse.tensor, denominator.maps, type.dtype);
  result.definitions[static_cast<std::size_t>(position)].body = {binary(Op::mul, user.body[0]->operands[0], factor)};
  result.definitions.insert(result.definitions.begin() + position, inverse);
  for (std::size_t k = 0; k < result.definitions.size(); ++k)
    result.tensors[static_cast<std::size_t>(result.definitions[k].tensor)].definition = static_cast<int>(k);
  return result;
}

}  // namespace

const std::vector<Rewrite>& rewrites() {
  static const std::vector<Rewrite> rows = {
      {"online_softmax", "a sum of exp(x - m) over the same axes as m = max(x): one pass that rescales the running sum; equal for all inputs up to rounding",
       online_softmax_sites, online_softmax},
      {"welford", "a sum of (x - mean)^2 over the same axes as mean = sum(x) / n: one pass with running mean and M2; equal for all inputs up to rounding",
       safe_welford_sites, welford},
      {"reciprocal", "division by a sum of exp(x - max), which lies in [1, n], so that 1/s neither overflows nor vanishes: one rounding more per element",
       reciprocal_sites, reciprocal},
  };
  return rows;
}

std::vector<RewriteSite> rewrite_sites(const Program& program) {
  std::vector<RewriteSite> all;
  for (const Rewrite& rewrite : rewrites()) {
    for (RewriteSite& site : rewrite.sites(program)) {
      const std::string base = site.name;
      const auto taken = [&] { return std::any_of(all.begin(), all.end(), [&](const RewriteSite& s) { return s.name == site.name; }); };
      for (int k = 2; taken(); ++k) site.name = base + "_" + std::to_string(k);
      all.push_back(std::move(site));
    }
  }
  return all;
}

Program apply_rewrite(const Program& program, const RewriteSite& site) {
  for (const RewriteSite& known : rewrite_sites(program)) {
    if (known.name != site.name) continue;
    for (const Rewrite& rewrite : rewrites())
      if (rewrite.name == known.rewrite) return rewrite.apply(program, known);
  }
  return program;
}

}  // namespace kw::kernel
