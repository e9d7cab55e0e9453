#include "core/worker/build/cuda_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kw::build {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

// Characters with joined lines. Copies are cheap and serve to look ahead.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { join(); }

  bool end() const { return at_ >= text_.size(); }
  char peek() const { return end() ? '\0' : text_[at_]; }
  int line() const { return line_; }
  char peek_after() const {
    Cursor next = *this;
    next.take();
    return next.peek();
  }
  char take() {
    const char c = take_raw();
    join();
    return c;
  }
  char take_raw() {
    if (end()) return '\0';
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }
  void join() {
    for (;;) {
      const std::string_view rest = text_.substr(std::min(at_, text_.size()));
      const std::size_t bytes = rest.substr(0, 2) == "\\\n" ? 2 : rest.substr(0, 3) == "\\\r\n" ? 3 : 0;
      if (bytes == 0) return;
      at_ += bytes;
      ++line_;
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class Lexer {
 public:
  Lexer(std::string_view source, RawStrings raw) : at_(source), raw_(raw) {}

  std::vector<Token> run() {
    while (!at_.end()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = at_.peek(), next = at_.peek_after();
    if (c == '\n') {
      first_ = true;
      at_.take();
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r') {
      at_.take();
    } else if (c == '/' && next == '/') {
      while (!at_.end() && at_.peek() != '\n') at_.take();
    } else if (c == '/' && next == '*') {
      skip_comment();
    } else if (starts_name(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(next))) {
      number();
    } else if (c == '"' || c == '\'') {
      quoted();
    } else {
      punctuation(c, next);
    }
  }

  void add(Token::Kind kind, std::string text, int line) {
    tokens_.push_back({kind, std::move(text), first_, line});
    first_ = false;
  }

  void skip_comment() {
    at_.take();
    at_.take();
    while (!at_.end() && !(at_.peek() == '*' && at_.peek_after() == '/')) at_.take();
    at_.take();
    at_.take();
  }

  void name() {
    const int line = at_.line();
    std::string text;
    while (!at_.end() && continues_name(at_.peek())) text += at_.take();
    if (odd_before_quote(text)) return add(Token::Kind::unclear, std::move(text), line);
    static constexpr std::array<std::string_view, 5> raw = {"R", "LR", "uR", "UR", "u8R"};
    static constexpr std::array<std::string_view, 4> plain = {"L", "u", "U", "u8"};
    const auto is_one_of = [&](const auto& list) { return std::find(list.begin(), list.end(), text) != list.end(); };
    if (at_.peek() == '"' && is_one_of(raw) && raw_string()) return;
    if ((at_.peek() == '"' || at_.peek() == '\'') && is_one_of(plain)) return quoted();
    add(Token::Kind::identifier, std::move(text), line);
  }

  // False, and nothing taken, where what follows the quote is no raw string's beginning.
  bool raw_string() {
    const int line = at_.line();
    Cursor cursor = at_;
    const auto take = [&] { return raw_ == RawStrings::joined ? cursor.take() : cursor.take_raw(); };
    take();
    std::string end = ")", text;
    while (!cursor.end() && cursor.peek() != '(') {
      const char c = take();
      if (end.size() > 16 || c == ')' || c == '\\' || c == '"' || std::isspace(static_cast<unsigned char>(c))) return false;
      end += c;
    }
    take();
    end += '"';
    while (!cursor.end()) {
      text += take();
      if (text.size() < end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0) continue;
      text.resize(text.size() - end.size());
      break;
    }
    cursor.join();
    at_ = cursor;
    add(Token::Kind::string, std::move(text), line);
    skip_suffix();
    return true;
  }

  void number() {
    const int line = at_.line();
    std::string text(1, at_.take());
    for (;;) {
      const char c = at_.peek(), last = static_cast<char>(std::tolower(static_cast<unsigned char>(text.back())));
      if (c == '\'' && !separates(text, at_.peek_after())) return add(Token::Kind::unclear, std::move(text), line);
      const bool sign = (c == '+' || c == '-') && (last == 'e' || last == 'p');
      if (at_.end() || !(continues_name(c) || c == '.' || c == '\'' || sign)) break;
      text += at_.take();
    }
    add(Token::Kind::number, std::move(text), line);
  }

  static bool separates(const std::string& before, char after) {
    const bool hex = before.size() > 2 && before[0] == '0' && (before[1] == 'x' || before[1] == 'X');
    const auto digit = [&](char c) { return is_digit(c) || (hex && std::isxdigit(static_cast<unsigned char>(c)) != 0); };
    return digit(before.back()) && digit(after);
  }

  void skip_suffix() {
    const int line = at_.line();
    if (!starts_name(at_.peek())) return;
    std::string text;
    while (!at_.end() && continues_name(at_.peek())) text += at_.take();
    if (odd_before_quote(text)) add(Token::Kind::unclear, std::move(text), line);
  }

  // Whether NVRTC counts these characters to the name, and so what prefix the literal has, depends on where they stand.
  bool odd_before_quote(const std::string& name) const {
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return c == '$' || static_cast<unsigned char>(c) >= 0x80; });
    return odd && (at_.peek() == '"' || at_.peek() == '\'');
  }

  // A literal that its line does not close ends with the line.
  void quoted() {
    const int line = at_.line();
    const char quote = at_.take();
    std::string text;
    while (!at_.end() && at_.peek() != '\n' && at_.peek() != quote) {
      if (at_.peek() == '\\') {
        text += at_.take();
        if (at_.end() || at_.peek() == '\n') break;
      }
      text += at_.take();
    }
    const bool closed = at_.peek() == quote;
    if (closed) at_.take();
    add(quote == '"' ? Token::Kind::string : Token::Kind::character, std::move(text), line);
    if (closed) skip_suffix();
  }

  void punctuation(char c, char next) {
    const int line = at_.line();
    if (!take_hash(c, next)) return add(Token::Kind::punctuation, std::string(1, at_.take()), line);
    const bool twice = take_hash(at_.peek(), at_.peek_after());
    add(Token::Kind::punctuation, twice ? "##" : "#", line);
  }

  bool take_hash(char c, char next) {
    const bool digraph = c == '%' && next == ':';
    if (c != '#' && !digraph) return false;
    at_.take();
    if (digraph) at_.take();
    return true;
  }

  Cursor at_;
  RawStrings raw_;
  std::vector<Token> tokens_;
  bool first_ = true;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, RawStrings raw) { return Lexer(source, raw).run(); }

}  // namespace kw::build
