#pragma once
// Plain text for terminals: aligned tables, times, shares and ratios in the reader's units. UTF-8.

#include <string>
#include <vector>

#include "core/protocol/records.h"

namespace kw::report {

std::string duration(double us);                       // "12.3 µs", "4.56 ms", "7.89 s"
std::string percent(double share);                     // "12.3 %"
std::string ratio(double value);                       // "1.53×"
std::string interval(const protocol::Interval& i);     // "[1.50, 1.56]"
std::string scientific(double value);                  // "2.1e-06"
std::string bytes(std::int64_t count);                 // "4.2 MB"
std::string shortened(const std::string& text, std::size_t width);   // with "…" in the middle
std::string short_op(const std::string& op);           // "aten.relu.default" -> "relu.default"
std::string without_folders(const std::string& source);   // "/m/file.py:12" -> "file.py:12"

class Table {
 public:
  enum class Align { left, right };
  void column(const std::string& title, Align align = Align::left);
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  struct Column { std::string title; Align align; };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kw::report
