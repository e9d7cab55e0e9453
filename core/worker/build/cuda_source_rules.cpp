// The rules of a CUDA source. The compiler runs in the worker, and NVRTC opens any file that a directive names.

#include <algorithm>
#include <map>

#include "core/worker/build/cuda_rules.h"
#include "core/worker/build/cuda_tokens.h"

namespace kw::build {
namespace {

using Tokens = std::vector<Token>;
constexpr std::size_t longest_source = 256 << 10;   // NVRTC takes minutes for longer ones and cannot be stopped at every point

bool is(const Token& token, std::string_view text) {
  return token.kind != Token::Kind::string && token.kind != Token::Kind::character && token.text == text;
}
bool is_name(const Token& token) { return token.kind == Token::Kind::identifier; }
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) { return std::find(list.begin(), list.end(), text) != list.end(); }
bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
std::string at_line(const Token& token) { return "line " + std::to_string(token.line) + ": " + token.text; }

// One directive: the tokens from its name to the end of its line.
struct Directive {
  std::string name;
  std::size_t begin = 0, end = 0;   // of what follows the name
};

std::vector<Directive> directives_of(const Tokens& tokens) {
  std::vector<Directive> all;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].first || !is(tokens[i], "#") || tokens[i + 1].first) continue;
    Directive directive{tokens[i + 1].text, i + 2, i + 2};
    while (directive.end < tokens.size() && !tokens[directive.end].first) ++directive.end;
    all.push_back(directive);
  }
  return all;
}

Refusal reads_files(const Token& token) {
  return {true, "reads_files", "The source asks for a file of the machine that compiles it; everything it needs stands in it.", at_line(token)};
}

// A macro that '#if' tests is a number, or `__has_include` could be pasted together out of its pieces.
std::optional<Refusal> refuse_conditions(const Tokens& tokens, const std::vector<Directive>& directives) {
  std::map<std::string, bool> plain;   // macros of this source
  for (const Directive& d : directives) {
    if (d.name != "define" || d.begin >= d.end) continue;
    bool& numbers = plain.emplace(tokens[d.begin].text, true).first->second;
    for (std::size_t i = d.begin + 1; i < d.end; ++i)
      numbers = numbers && (tokens[i].kind == Token::Kind::number || tokens[i].kind == Token::Kind::punctuation);
  }
  for (const Directive& d : directives) {
    if (d.name != "if" && d.name != "elif") continue;
    for (std::size_t i = d.begin; i < d.end; ++i) {
      if (!is_name(tokens[i]) || is(tokens[i], "defined")) continue;
      if (i > d.begin && is(tokens[i - 1], "defined")) continue;
      if (i > d.begin + 1 && is(tokens[i - 1], "(") && is(tokens[i - 2], "defined")) continue;
      const auto own = plain.find(tokens[i].text);
      const bool called = i + 1 < d.end && is(tokens[i + 1], "(");
      if (called || (own != plain.end() && !own->second))
        return Refusal{false, "", "A macro that '#if' tests must be a plain number; use 'if constexpr' for the rest.", at_line(tokens[i])};
    }
  }
  return std::nullopt;
}

Refusal near_tables(const Token& token, const char* what) {
  return {false, "", std::string("A kernel that calls sin, cos or another function with tables ") + what + ".", at_line(token)};
}

// asm [volatile] ( "…" "…" : or ) with nothing but plain strings, which name no table.
std::optional<Refusal> refuse_assembly(const Tokens& tokens, std::size_t at) {
  const char* plain_only = "may only use inline assembly whose text stands there in plain strings";
  std::size_t i = at + 1;
  while (i < tokens.size() && is_name(tokens[i]) && is_one_of(tokens[i].text, {"volatile", "__volatile__", "__volatile"})) ++i;
  if (i >= tokens.size() || !is(tokens[i], "(")) return near_tables(tokens[at], plain_only);
  std::string text;
  for (++i; i < tokens.size() && tokens[i].kind == Token::Kind::string; ++i) text += tokens[i].text;
  if (text.empty() || i >= tokens.size() || !(is(tokens[i], ":") || is(tokens[i], ")"))) return near_tables(tokens[at], plain_only);
  for (std::size_t e = text.find('\\'); e != std::string::npos; e = text.find('\\', e + 2))
    if (e + 1 >= text.size() || (text[e + 1] != 'n' && text[e + 1] != 't')) return near_tables(tokens[at], plain_only);
  if (text.find("__cudart") != std::string::npos)
    return Refusal{true, "writable_state", "The source reaches for the tables of NVIDIA's library, which are memory that outlives a launch.",
                   at_line(tokens[at])};
  return std::nullopt;
}

std::optional<Refusal> refuse_files(const Tokens& tokens) {
  const std::vector<Directive> directives = directives_of(tokens);
  for (const Directive& d : directives)
    if (is_one_of(d.name, {"include", "include_next", "import", "embed"})) return reads_files(tokens[d.begin - 1]);
  for (const Directive& d : directives)
    if (!is_one_of(d.name, {"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "pragma"}))
      return Refusal{false, "", "The source may not hold the directive '#" + d.name + "'.", at_line(tokens[d.begin - 1])};
  for (const Token& token : tokens)
    if (token.kind == Token::Kind::unclear) return Refusal{false, "", "A quote stands directly behind a number or an unusual name; put a space between them.", at_line(token)};
  for (const Token& token : tokens)
    if (is_name(token) && is_one_of(token.text, {"__has_include", "__has_include_next", "__has_embed"})) return reads_files(token);
  return refuse_conditions(tokens, directives);
}

std::optional<Refusal> refuse_reach(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (is(token, "##") || (is_name(token) && (begins(token.text, "_NV_") || begins(token.text, "NV_"))))
      return near_tables(token, "may not paste tokens together");
    if (!is_name(token)) continue;
    if (token.text.find("__cudart") != std::string::npos)
      return Refusal{true, "writable_state", "The source takes a name of the tables of NVIDIA's library, which are memory that outlives a launch.",
                     at_line(token)};
    if (is_one_of(token.text, {"asm", "__asm", "__asm__"}))
      if (auto refusal = refuse_assembly(tokens, i)) return refusal;
  }
  for (const Directive& d : directives_of(tokens))
    if (d.name == "define" && d.begin < d.end && is_one_of(tokens[d.begin].text, {"asm", "__asm", "__asm__", "volatile", "__volatile__", "__volatile"}))
      return near_tables(tokens[d.begin], "may not redefine a word of the language");
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_source(std::string_view source) {
  if (source.size() > longest_source)
    return Refusal{false, "", "The source is longer than " + std::to_string(longest_source >> 10) + " KiB.", std::to_string(source.size()) + " bytes"};
  if (source.find('\0') != std::string_view::npos) return Refusal{false, "", "The source holds a NUL character.", ""};
  for (RawStrings raw : {RawStrings::joined, RawStrings::verbatim})
    if (auto refusal = refuse_files(tokens_of(source, raw))) return refusal;
  return std::nullopt;
}

std::optional<Refusal> refuse_reach_for_tables(std::string_view source) {
  for (RawStrings raw : {RawStrings::joined, RawStrings::verbatim})
    if (auto refusal = refuse_reach(tokens_of(source, raw))) return refusal;
  return std::nullopt;
}

}  // namespace kw::build
