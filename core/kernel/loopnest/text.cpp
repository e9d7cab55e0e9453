// One printer for people and for the structural hash: the hash prints with canonical names, numbered in order of first
// appearance, and with terms of index maps sorted by text, so that neither names nor numbering count.
#include <algorithm>
#include <charconv>
#include <map>

#include "core/base/hash.h"
#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {
namespace {

class Names {
 public:
  Names(const LoopNest& nest, bool canonical) : nest_(nest), canonical_(canonical) {}
  std::string variable(int v) { return canonical_ ? number(variables_, v, "v") : nest_.variables[at(v)]; }
  std::string reg(int r) { return canonical_ ? number(registers_, r, "r") : nest_.registers[at(r)].name; }
  std::string buffer(int b) { return canonical_ ? "b" + std::to_string(b) : nest_.buffers[at(b)].name; }
  bool canonical() const { return canonical_; }
  const LoopNest& nest() const { return nest_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::string number(std::map<int, std::size_t>& seen, int key, const char* prefix) {
    return prefix + std::to_string(seen.emplace(key, seen.size()).first->second);
  }
  const LoopNest& nest_;
  bool canonical_;
  std::map<int, std::size_t> variables_, registers_;
};

std::string number_text(double value, DType type) {
  char buffer[64];
  const auto end = type == DType::f32 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value))
                                      : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string canonical_index(const Index& map, Names& names) {
  std::vector<std::string> parts;
  for (const IndexTerm& term : map.terms) {
    std::string what = std::to_string(term.coefficient) + "*";
    if (term.kind == IndexTerm::Kind::variable) what += names.variable(term.variable);
    else what += "(" + canonical_index(*term.inner, names) + (term.kind == IndexTerm::Kind::floor_div ? "/" : "%") +
                 std::to_string(term.divisor) + ")";
    parts.push_back(std::move(what));
  }
  std::sort(parts.begin(), parts.end());
  std::string out = std::to_string(map.constant);
  for (const std::string& part : parts) out += "+" + part;
  return out;
}

std::string index_text(const Index& map, Names& names) {
  return names.canonical() ? canonical_index(map, names) : text(map, names.nest().variables);
}

std::string expression_text(const Expression& e, Names& names);

const char* infix(Op op) {
  static const std::map<Op, const char*> signs = {
      {Op::add, " + "}, {Op::sub, " - "}, {Op::mul, " * "}, {Op::div, " / "}, {Op::eq, " == "}, {Op::ne, " != "},
      {Op::lt, " < "}, {Op::le, " <= "}, {Op::gt, " > "}, {Op::ge, " >= "}};
  const auto found = signs.find(op);
  return found == signs.end() ? nullptr : found->second;
}

std::string bounds_text(const Expression& e, Names& names) {
  std::string out = "in_bounds(";
  for (std::size_t k = 0; k < e.maps.size(); ++k)
    out += (k > 0 ? ", " : "") + index_text(e.maps[k], names) + " < " + std::to_string(e.limits[k]);
  return out + ")";
}

std::string constant_text(const Expression& e) {
  if (e.type == DType::boolean) return e.integer != 0 ? "true" : "false";
  return graph::is_floating(e.type) ? number_text(e.number, e.type) : std::to_string(e.integer);
}

std::string leaf_text(const Expression& e, Names& names) {
  switch (e.op) {
    case Op::constant: return constant_text(e);
    case Op::index: return "index(" + index_text(e.maps[0], names) + ")";
    case Op::reg: return names.reg(e.source);
    case Op::in_bounds: return bounds_text(e, names);
    default: return names.buffer(e.source) + "[" + index_text(e.maps[0], names) + "]";
  }
}

std::string expression_text(const Expression& e, Names& names) {
  std::string out;
  if (e.operands.empty()) {
    out = leaf_text(e, names);
  } else if (const char* sign = infix(e.op)) {
    const std::string left = expression_text(*e.operands[0], names);
    out = "(" + left + sign + expression_text(*e.operands[1], names) + ")";
  } else {
    out = e.op == Op::cast ? std::string(graph::name(e.type)) + "(" : std::string(name(e.op)) + "(";
    for (std::size_t k = 0; k < e.operands.size(); ++k) out += (k > 0 ? ", " : "") + expression_text(*e.operands[k], names);
    if (e.op == Op::lane) out += ", " + std::to_string(e.integer);
    out += ")";
  }
  return names.canonical() ? out + ":" + std::string(graph::name(e.type)) : out;
}

std::string type_text(DType type, int lanes) {
  return std::string(graph::name(type)) + (lanes > 1 ? "x" + std::to_string(lanes) : "");
}

void block_text(const Block& block, int depth, Names& names, std::string& out);

void statement_text(const Statement& s, int depth, Names& names, std::string& out) {
  const auto indent = static_cast<std::size_t>(2 * depth);
  out.append(indent, ' ');
  switch (s.kind) {
    case StatementKind::loop: {
      out += std::string(word(s.loop_kind)) + "for " + names.variable(s.variable) + " in " +
             std::to_string(s.begin) + ".." + std::to_string(s.end);
      if (s.step != 1) out += " step " + std::to_string(s.step);
      out += "\n";
      block_text(s.body, depth + 1, names, out);
      return;
    }
    case StatementKind::let: {
      const Register& r = names.nest().registers[static_cast<std::size_t>(s.target)];
      out += "let " + names.reg(s.target) + ":" + type_text(r.type, r.lanes) + " = ";
      break;
    }
    case StatementKind::only:
      out += "only " + names.variable(s.variable) + " in " + std::to_string(s.begin) + ".." + std::to_string(s.end) + "\n";
      block_text(s.body, depth + 1, names, out);
      return;
    case StatementKind::combine: {
      out += "combine";
      for (std::size_t k = 0; k < s.parts.size(); ++k) out += (k > 0 ? ", " : " ") + names.reg(s.parts[k]) + " and " + names.reg(s.others[k]);
      out += " over " + names.variable(s.variable) + " with";
      for (std::size_t k = 0; k < s.values.size(); ++k) out += (k > 0 ? ", " : " ") + expression_text(*s.values[k], names);
      out += "\n";
      return;
    }
    case StatementKind::barrier: out += "barrier\n"; return;
    case StatementKind::update: out += names.reg(s.target) + " = "; break;
    case StatementKind::store: out += names.buffer(s.buffer) + "[" + index_text(s.index, names) + "] = "; break;
  }
  out += expression_text(*s.value, names) + "\n";
}

void block_text(const Block& block, int depth, Names& names, std::string& out) {
  for (const Statement& s : block) statement_text(s, depth, names, out);
}

std::string render(const LoopNest& nest, bool canonical) {
  Names names(nest, canonical);
  std::string out = "threads " + std::to_string(nest.threads) + "\n";
  for (std::size_t b = 0; b < nest.buffers.size(); ++b) {
    const NestBuffer& buffer = nest.buffers[b];
    static constexpr const char* spaces[] = {"global ", "tile ", "own "};
    out += spaces[static_cast<std::size_t>(buffer.space)] + names.buffer(static_cast<int>(b)) + " " +
           std::string(graph::name(buffer.type)) + "[" + std::to_string(buffer.elements) + "]";
    if (buffer.space == Space::global) out += " @" + std::to_string(buffer.plan_buffer);
    out += "\n";
  }
  block_text(nest.body, 0, names, out);
  return out;
}

}  // namespace

const char* word(LoopKind kind) {
  static constexpr const char* words[] = {"", "parallel ", "vector ", "unrolled ", "grid ", "thread "};
  return words[static_cast<std::size_t>(kind)];
}

std::string text(const LoopNest& nest) {
  std::string out;
  for (std::size_t begin = 0; begin < nest.comment.size();) {
    const std::size_t end = std::min(nest.comment.find('\n', begin), nest.comment.size());
    out += "# " + nest.comment.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out + "kernel " + nest.name + " " + render(nest, false);
}

std::string structural_hash(const LoopNest& nest) { return base::sha256_hex(render(nest, true)); }

}  // namespace kw::kernel
