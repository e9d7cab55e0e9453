// The part of the expression writer that deals with index maps: reads, bounds, index values, and how each moves over lanes.
#include <algorithm>

#include "core/kernel/emit/expression_writer.h"

namespace kw::kernel {
namespace {

std::string integer_text(std::int64_t value) { return std::to_string(value); }

// One term without its coefficient.
std::string term_text(const IndexTerm& term, const std::vector<std::string>& names, const Scope& scope);

std::string sum_text(const Index& map, const std::vector<std::string>& names, const Scope& scope) {
  std::string out;
  const auto append = [&out](std::int64_t coefficient, const std::string& what) {
    if (!out.empty()) out += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0) out += "-";
    const std::string size = integer_text(coefficient < 0 ? -coefficient : coefficient);
    out += what.empty() ? size : size == "1" ? what : size + " * " + what;
  };
  for (const IndexTerm& term : map.terms) append(term.coefficient, term_text(term, names, scope));
  if (map.constant != 0 || out.empty()) append(map.constant, "");
  return out;
}

bool plain(const Index& map) {
  return (map.terms.empty() && map.constant >= 0) || (map.constant == 0 && map.terms.size() == 1 && map.terms[0].coefficient == 1);
}

std::string term_text(const IndexTerm& term, const std::vector<std::string>& names, const Scope& scope) {
  if (term.kind == IndexTerm::Kind::variable) return names[static_cast<std::size_t>(term.variable)];
  const bool division = term.kind == IndexTerm::Kind::floor_div;
  const std::string inner = sum_text(*term.inner, names, scope);
  if (interval(*term.inner, scope).low < 0)
    return (division ? "floor_div(" : "floor_mod(") + inner + ", " + integer_text(term.divisor) + ")";
  const std::string operand = plain(*term.inner) ? inner : "(" + inner + ")";
  return "(" + operand + (division ? " / " : " % ") + integer_text(term.divisor) + ")";
}

bool fits_i32(const Range& r) { return r.low > INT32_MIN && r.high < INT32_MAX; }

// The read of every lane at once where the distance from lane to lane is known; empty where there is no good way.
std::string strided_read(DType storage, const std::string& type, const std::string& place, std::int64_t stride, const std::string& each) {
  if (storage == DType::boolean) return stride == 1 ? "load_mask" + each + "<" + type + ">(" + place + ")" : "";
  if (stride == 0) return "";
  if (stride == 1) return "load" + each + "<" + type + ">(" + place + ")";
  if (stride == 2) return "load_even<" + type + ">(" + place + ")";
  if (stride == -1) return "load_reversed<" + type + ">(" + place + ")";
  return "load_strided<" + type + ">(" + place + ", " + integer_text(stride) + ")";
}

}  // namespace

std::string ExpressionWriter::index_bare(const Index& map) const { return sum_text(map, names_.variables(), scope_); }

std::string ExpressionWriter::one_by_one(int buffer, const Index& map) const {
  if (dialect_ == Dialect::cpp) return "";
  const Congruence at = congruence(map, scope_);
  const bool aligned = at.modulus % scope_.lanes == 0 && at.residue % scope_.lanes == 0;
  return aligned && nest_.buffers[static_cast<std::size_t>(buffer)].space != Space::own ? "" : "_each";
}

std::string ExpressionWriter::index(const Index& map) const {
  const std::string text = index_bare(map);
  return plain(map) ? text : "(" + text + ")";
}

Written ExpressionWriter::index_value(const Expression& e) const {
  const auto stride = lane_stride(e.maps[0], scope_);
  if (stride && *stride == 0) return {"(i64)" + index(e.maps[0]), 1, true};
  const std::string type = vector_type(DType::i64, scope_.lanes);
  if (stride) return {"ramp<" + type + ">(" + index_bare(e.maps[0]) + ", " + integer_text(*stride) + ")", scope_.lanes, true};
  const std::string& lane = names_.variable(scope_.vector_variable);
  return {"lanes<" + type + ">(" + lane + ", [&](" + index_type_ + " " + lane + ") { return (i64)" + index(e.maps[0]) + "; })", scope_.lanes, true};
}

// Uniform conditions first, as plain bools; then one mask for each that varies over the lanes.
Written ExpressionWriter::bounds(const Expression& e) const {
  std::string uniform, varying;
  const auto join = [](std::string& all, const std::string& part, const char* with) { all += (all.empty() ? "" : with) + part; };
  for (std::size_t k = 0; k < e.maps.size(); ++k) {
    const auto stride = lane_stride(e.maps[k], scope_);
    const std::string limit = integer_text(e.limits[k]);
    if (stride && *stride == 0) {
      join(uniform, "inside(" + index_bare(e.maps[k]) + ", " + limit + ")", " && ");
      continue;
    }
    const std::string type = vector_type(DType::boolean, scope_.lanes);
    const Range r = interval(e.maps[k], scope_);
    if (stride && fits_i32(r) && e.limits[k] < INT32_MAX) {
      join(varying, "within<" + type + ">(" + index_bare(e.maps[k]) + ", " + integer_text(*stride) + ", " + limit + ")", " & ");
    } else {
      const std::string& lane = names_.variable(scope_.vector_variable);
      join(varying, "lanes<" + type + ">(" + lane + ", [&](" + index_type_ + " " + lane + ") { return -(i32)inside(" + index_bare(e.maps[k]) +
                        ", " + limit + "); })", " & ");
    }
  }
  if (varying.empty()) return uniform.empty() ? Written{"true", 1, true} : Written{uniform, 1, false};
  if (uniform.empty()) return {varying, scope_.lanes, false};
  return {"splat<" + vector_type(DType::boolean, scope_.lanes) + ">(-(i32)(" + uniform + ")) & " + varying, scope_.lanes, false};
}

Written ExpressionWriter::read(const Expression& e, const Guard& guard) const {
  const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(e.source)];
  const auto stride = lane_stride(e.maps[0], scope_);
  const bool masked = !guard.mask.empty() && !always_inside(e);
  if (!stride || *stride != 0 || masked) return vector_read(e, guard);
  const std::string element = names_.buffer(e.source) + "[" + index_bare(e.maps[0]) + "]";
  if (buffer.type == DType::boolean) return {element + " != 0", 1, false};
  if (buffer.type == DType::f16 || buffer.type == DType::bf16) return {"value(" + element + ")", 1, true};
  return buffer.type == e.type ? Written{element, 1, true} : Written{"(" + vector_type(e.type, 1) + ")" + element, 1, true};
}

Written ExpressionWriter::vector_read(const Expression& e, const Guard& guard) const {
  const DType storage = nest_.buffers[static_cast<std::size_t>(e.source)].type;
  const std::string& data = names_.buffer(e.source);
  const std::string type = vector_type(e.type, scope_.lanes);
  const std::string place = data + " + " + index(e.maps[0]);
  const bool masked = !guard.mask.empty() && !always_inside(e);
  const auto stride = lane_stride(e.maps[0], scope_);
  const auto done = [&](const std::string& text) { return Written{text, scope_.lanes, true}; };
  const bool same_width = storage != DType::boolean && storage != DType::f16 && storage != DType::bf16 &&
                          graph::byte_size(storage) == graph::byte_size(e.type);
  if (masked && stride == 1 && same_width) return done("load_masked<" + type + ">(" + place + ", " + guard.mask + ")");
  const std::string fast = stride ? strided_read(storage, type, place, *stride, one_by_one(e.source, e.maps[0])) : "";
  if (!masked && !fast.empty()) return done(fast);
  const std::string& lane = names_.variable(scope_.vector_variable);
  const std::string element = data + "[" + index_bare(e.maps[0]) + "]";
  const std::string one = storage == DType::boolean ? "-(i32)(" + element + " != 0)" : "value(" + element + ")";
  const std::string body = ", [&](" + index_type_ + " " + lane + ") { return " + one + "; })";
  if (!masked) return done("lanes<" + type + ">(" + lane + body);
  const std::string slow = "masked_lanes<" + type + ">(" + guard.mask + ", " + lane + body;
  return done(fast.empty() ? slow : "(all(" + guard.mask + ") ? " + fast + " : " + slow + ")");
}

}  // namespace kw::kernel
