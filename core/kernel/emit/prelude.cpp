#include "core/kernel/emit/prelude.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>

#include "core/kernel/emit/vector_math.h"

namespace kw::kernel {
namespace {

struct Piece {
  std::vector<std::string> names;
  std::string beside, text;
};

struct Element {
  const char* name;
  int bytes;
};
constexpr Element elements[] = {{"f32", 4}, {"f64", 8}, {"i64", 8}, {"i32", 4}, {"i16", 2}, {"i8", 1},
                                {"u64", 8}, {"u32", 4}, {"u16", 2}, {"u8", 1}};
constexpr int widest_native = 32;                        // bytes; g++ 12 takes comparisons of wider vectors apart

// typedef float f32x8 …; on the cpu a vector wider than a native one is a pair of halves.
void add_vector_types(std::vector<Piece>& out, Dialect dialect) {
  for (const Element& element : elements) {
    for (int lanes = 2; lanes <= 32; lanes *= 2) {
      const std::string name = std::string(element.name) + "x" + std::to_string(lanes);
      const int bytes = lanes * element.bytes;
      if (dialect == Dialect::cuda) {
        out.push_back({{name}, "", "typedef vec<" + std::string(element.name) + ", " + std::to_string(lanes) + "> " + name + ";\n"});
        continue;
      }
      const std::string half = std::string(element.name) + "x" + std::to_string(lanes / 2);
      out.push_back({{name}, "",
                     bytes > widest_native
                         ? "typedef pair<" + half + "> " + name + ";\n"
                         : "typedef " + std::string(element.name) + " " + name + " __attribute__((vector_size(" +
                               std::to_string(bytes) + ")));\n"});
    }
  }
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<Piece> all_pieces(Dialect dialect) {
  static const std::vector<const std::vector<Snippet>*> cpp = {&basic_snippets(), &memory_snippets(), &arithmetic_snippets(), &vector_math_shared_snippets(),
                                                               &vector_math_f64_snippets(), &vector_math_trig_snippets(), &vector_math_f32_snippets()};
  static const std::vector<const std::vector<Snippet>*> cuda = {&cuda_snippets()};
  std::vector<Piece> out;
  for (const auto* table : dialect == Dialect::cpp ? cpp : cuda)
    for (const Snippet& s : *table) {
      if (std::string_view(s.names) == "vector types") add_vector_types(out, dialect);
      else out.push_back({words(s.names), s.beside == nullptr ? "" : s.beside, s.text});
    }
  return out;
}

const std::vector<Piece>& pieces(Dialect dialect) {
  static const std::vector<Piece> cpp = all_pieces(Dialect::cpp), cuda = all_pieces(Dialect::cuda);
  return dialect == Dialect::cpp ? cpp : cuda;
}

void collect_identifiers(const std::string& code, std::set<std::string>& out) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t i = 0; i < code.size();) {
    if (code.compare(i, 2, "//") == 0) i = std::min(code.find('\n', i), code.size());
    if (i == code.size()) break;
    if (!part(code[i])) { ++i; continue; }
    std::size_t end = i;
    while (end < code.size() && part(code[end])) ++end;
    out.insert(code.substr(i, end - i));
    i = end;
  }
}

bool calls_for(const Piece& piece, const std::set<std::string>& used) {
  const bool named = std::any_of(piece.names.begin(), piece.names.end(), [&](const std::string& n) { return used.contains(n); });
  return named && (piece.beside.empty() || used.contains(piece.beside));
}

}  // namespace

std::string prelude_for(const std::string& code, Dialect dialect) {
  const std::vector<Piece>& all = pieces(dialect);
  std::set<std::string> used;
  collect_identifiers(code, used);
  std::vector<bool> taken(all.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (taken[k] || !calls_for(all[k], used)) continue;
      taken[k] = changed = true;
      collect_identifiers(all[k].text, used);
    }
  }
  std::string out;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (taken[k]) out += all[k].text;
  return out;
}

std::vector<std::string> prelude_names() {
  std::set<std::string> names;
  for (const Dialect dialect : {Dialect::cpp, Dialect::cuda})
    for (const Piece& piece : pieces(dialect)) names.insert(piece.names.begin(), piece.names.end());
  return {names.begin(), names.end()};
}

}  // namespace kw::kernel
