// Substitution, inlining, questions and the text of expressions.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/kernel/definition/expression.h"

namespace kw::kernel {
namespace {

// Rebuilds `e` through the factories, so that what became foldable folds.
Expr rebuild(const Expression& e, std::vector<Expr> operands) {
  if (e.op == Op::select) return select(operands[0], operands[1], operands[2]);
  if (e.op == Op::cast) return cast(operands[0], e.type);
  if (operands.size() == 1 && e.op != Op::lane) return unary(e.op, operands[0]);
  if (operands.size() == 2) return binary(e.op, operands[0], operands[1]);
  auto copy = std::make_shared<Expression>(e);
  copy->operands = std::move(operands);
  return copy;
}

// Post-order transformation: `leaf` answers a replacement for a node without changed operands, or null.
Expr transform(const Expr& e, const std::function<Expr(const Expression&)>& leaf) {
  if (Expr replaced = leaf(*e)) return replaced;
  if (e->operands.empty()) return e;
  std::vector<Expr> operands;
  bool changed = false;
  for (const Expr& operand : e->operands) {
    operands.push_back(transform(operand, leaf));
    changed = changed || operands.back() != operand;
  }
  return changed ? rebuild(*e, std::move(operands)) : e;
}

std::string number_text(double value, DType type) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", type == DType::f32 ? 9 : 17, value);
  for (int digits = 1; digits < 17; ++digits) {   // the shortest text that reads back as the same value
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    const double back = std::strtod(shorter, nullptr);
    if (type == DType::f32 ? static_cast<float>(back) == static_cast<float>(value) : back == value) return shorter;
  }
  return buffer;
}

std::string join(const std::vector<std::string>& parts, const char* separator = ", ") {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : separator) + part;
  return out;
}

const char* infix(Op op) {
  switch (op) {
    case Op::add: return " + ";
    case Op::sub: return " - ";
    case Op::mul: return " * ";
    case Op::div: return " / ";
    case Op::eq: return " == ";
    case Op::ne: return " != ";
    case Op::lt: return " < ";
    case Op::le: return " <= ";
    case Op::gt: return " > ";
    case Op::ge: return " >= ";
    default: return nullptr;
  }
}

struct Printer {
  const std::vector<std::string>& sources;
  const std::vector<std::string>& variables;

  std::vector<std::string> maps(const Expression& e) const {
    std::vector<std::string> out;
    for (const Index& map : e.maps) out.push_back(kw::kernel::text(map, variables));
    return out;
  }

  std::string leaf(const Expression& e) const {
    const auto s = static_cast<std::size_t>(e.source);
    switch (e.op) {
      case Op::constant:
        if (e.type == DType::boolean) return e.integer != 0 ? "true" : "false";
        return graph::is_floating(e.type) ? number_text(e.number, e.type) : std::to_string(e.integer);
      case Op::index: return "index(" + maps(e)[0] + ")";
      case Op::read:
        return (s < sources.size() ? sources[s] : "t" + std::to_string(e.source)) +
               (e.component > 0 ? "." + std::to_string(e.component) : "") + "[" + join(maps(e)) + "]";
      case Op::reg: return "r" + std::to_string(e.source);
      default: {
        std::vector<std::string> bounds = maps(e);
        for (std::size_t k = 0; k < bounds.size(); ++k) bounds[k] += " < " + std::to_string(e.limits[k]);
        return "in_bounds(" + join(bounds) + ")";
      }
    }
  }

  std::string operator()(const Expression& e) const {
    if (e.operands.empty()) return leaf(e);
    std::vector<std::string> parts;
    for (const Expr& operand : e.operands) parts.push_back((*this)(*operand));
    if (const char* sign = infix(e.op)) return "(" + parts[0] + sign + parts[1] + ")";
    if (e.op == Op::cast) return std::string(graph::name(e.type)) + "(" + parts[0] + ")";
    if (e.op == Op::lane) return "lane(" + parts[0] + ", " + std::to_string(e.integer) + ")";
    return std::string(name(e.op)) + "(" + join(parts) + ")";
  }
};

}  // namespace

Expr substitute(const Expr& e, const std::vector<Index>& variables, const Extents& extents) {
  return transform(e, [&](const Expression& node) -> Expr {
    if (node.maps.empty()) return nullptr;
    std::vector<Index> maps;
    for (const Index& map : node.maps) maps.push_back(substitute(map, variables, extents));
    if (node.op == Op::in_bounds) return in_bounds(std::move(maps), node.limits, extents);
    if (node.op == Op::index) return index_value(maps[0]);
    auto copy = std::make_shared<Expression>(node);
    copy->maps = std::move(maps);
    return copy;
  });
}

Expr replace_reads(const Expr& e, const std::function<Expr(const Expression&)>& replace) {
  return transform(e, [&](const Expression& node) { return node.op == Op::read ? replace(node) : nullptr; });
}

Expr inline_read(const Expr& e, int source, int component, const Expr& body, const Extents& extents) {
  return replace_reads(e, [&](const Expression& node) -> Expr {
    if (node.source != source || node.component != component) return nullptr;
    return substitute(body, node.maps, extents);
  });
}

void for_each(const Expr& e, const std::function<void(const Expression&)>& visit) {
  for (const Expr& operand : e->operands) for_each(operand, visit);
  visit(*e);
}

std::vector<const Expression*> reads(const Expr& e) {
  std::vector<const Expression*> found;
  for_each(e, [&](const Expression& node) {
    if (node.op == Op::read) found.push_back(&node);
  });
  return found;
}

bool depends_on_variable(const Expr& e, int v) {
  bool found = false;
  for_each(e, [&](const Expression& node) {
    found = found || std::any_of(node.maps.begin(), node.maps.end(), [v](const Index& map) { return depends_on(map, v); });
  });
  return found;
}

std::string text(const Expr& e, const std::vector<std::string>& sources, const std::vector<std::string>& variables) {
  return Printer{sources, variables}(*e);
}

}  // namespace kw::kernel
