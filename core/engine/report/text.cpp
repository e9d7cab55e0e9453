#include "core/engine/report/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace kw::report {
namespace {

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[96];
  std::snprintf(text, sizeof(text), pattern, values...);
  return text;
}

std::size_t width(const std::string& text) {   // code points: enough for the symbols we print
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t byte_of(const std::string& text, std::size_t code_point) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if ((text[at] & 0xC0) == 0x80) continue;
    if (seen++ == code_point) break;
  }
  return at;
}

std::string three_digits(double value) {
  if (value >= 100) return format("%.0f", value);
  return value >= 10 ? format("%.1f", value) : format("%.2f", value);
}

}  // namespace

std::string duration(double us) {
  if (us < 1000) return three_digits(us) + " µs";
  return us < 1e6 ? three_digits(us / 1e3) + " ms" : three_digits(us / 1e6) + " s";
}

std::string percent(double share) { return format("%.1f %%", 100 * share); }
std::string ratio(double value) { return format("%.2f×", value); }
std::string scientific(double value) { return format("%.1e", value); }

std::string interval(const protocol::Interval& i) {
  return format("[%.2f, ", i.low) + (std::isfinite(i.high) ? format("%.2f]", i.high) : "∞)");
}

std::string bytes(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (value < 1e3) return format("%.0f B", value);
  if (value < 1e6) return format("%.1f kB", value / 1e3);
  return value < 1e9 ? format("%.1f MB", value / 1e6) : format("%.1f GB", value / 1e9);
}

std::string shortened(const std::string& text, std::size_t limit) {
  const std::size_t size = width(text);
  if (size <= limit || limit < 3) return text;
  const std::size_t head = (limit - 1) / 2, tail = limit - 1 - head;
  return text.substr(0, byte_of(text, head)) + "…" + text.substr(byte_of(text, size - tail));
}

std::string short_op(const std::string& op) { return op.rfind("aten.", 0) == 0 ? op.substr(5) : op; }

std::string without_folders(const std::string& source) { return std::filesystem::path(source).filename().string(); }

void Table::column(const std::string& title, Align align) { columns_.push_back({title, align}); }
void Table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t most = width(columns_[c].title);
    for (const auto& row : rows_) most = std::max(most, width(row[c]));
    widths.push_back(most);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string pad(widths[c] - width(cell), ' ');
      if (c > 0) text += "  ";
      text += columns_[c].align == Align::right ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return out;
}

}  // namespace kw::report
