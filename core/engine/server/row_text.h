#pragma once
// One flat JSON object, appended to a text: what a hundred thousand rows are written with.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace kw::server {

class RowText {
 public:
  explicit RowText(std::string& out) : out_(out) { out_ += out_.empty() || out_.back() == '[' ? "{" : ",{"; }
  ~RowText() { out_ += '}'; }
  RowText(const RowText&) = delete;
  RowText& operator=(const RowText&) = delete;

  void text(const char* key, const std::string& value) {
    name(key);
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (plain)
      out_.append("\"").append(value).append("\"");
    else
      out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void flag(const char* key, bool value) {
    name(key);
    out_ += value ? "true" : "false";
  }
  template <typename Number>
  void number(const char* key, Number value) {
    name(key);
    append(value);
  }
  // Left out where there is none.
  void number(const char* key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) number(key, *value);
  }
  // [low, high]; an open end is null.
  void interval(const char* key, double low, double high) {
    name(key);
    out_ += '[';
    append(low);
    out_ += ',';
    append(high);
    out_ += ']';
  }

 private:
  void name(const char* key) {
    if (out_.back() != '{') out_ += ',';
    out_.append("\"").append(key).append("\":");
  }
  template <typename Number>
  void append(Number value) {
    if constexpr (std::is_floating_point_v<Number>)
      if (!std::isfinite(value)) return void(out_ += "null");
    char digits[32];
    out_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  }

  std::string& out_;
};

}  // namespace kw::server
