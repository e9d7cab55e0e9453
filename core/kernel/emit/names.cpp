#include "core/kernel/emit/names.h"

#include <cctype>

#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  while (out.find("__") != std::string::npos) out.erase(out.find("__"), 1);
  if (out.empty() || std::isalpha(static_cast<unsigned char>(out[0])) == 0) out.insert(0, "v");
  return out;
}

const std::set<std::string>& reserved() {
  static const std::set<std::string> words = [] {
    const std::vector<std::string> prelude = prelude_names();
    std::set<std::string> out(prelude.begin(), prelude.end());
    for (const char* keyword :
         {"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "buffers", "case", "catch",
          "char", "class", "compl", "const", "constexpr", "continue", "decltype", "default", "delete", "do", "double", "else",
          "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "linux",
          "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
          "private", "protected", "public", "register", "requires", "return", "short", "signed", "sizeof", "static", "struct",
          "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unix",
          "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "xor_eq"})
      out.insert(keyword);
    return out;
  }();
  return words;
}

}  // namespace

Names::Names(const LoopNest& nest) {
  taken_.insert(nest.name);
  for (const NestBuffer& b : nest.buffers) buffers_.push_back(fresh(b.name));
  for (const std::string& v : nest.variables) variables_.push_back(fresh(v));
  for (const Register& r : nest.registers) registers_.push_back(fresh(r.name));
}

std::string Names::fresh(const std::string& stem) {
  const std::string base = identifier(stem);
  std::string name = base;
  if (reserved().contains(name)) name += "_";
  for (int k = 1; !taken_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
  return name;
}

}  // namespace kw::kernel
