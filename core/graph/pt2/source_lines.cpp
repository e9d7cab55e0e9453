#include "core/graph/pt2/source_lines.h"

#include <charconv>

namespace kw::graph::pt2 {

namespace {

bool installed(const std::string& file) {
  for (const char* mark : {"/site-packages/", "/dist-packages/", "<frozen", "/torch/nn/modules/"})
    if (file.find(mark) != std::string::npos) return true;
  return false;
}

}  // namespace

SourceLine innermost_line(const std::string& trace) {
  SourceLine last, own;
  for (std::size_t at = 0; (at = trace.find("File \"", at)) != std::string::npos;) {
    at += 6;
    const std::size_t quote = trace.find("\", line ", at);
    if (quote == std::string::npos) break;
    SourceLine frame{trace.substr(at, quote - at), 0};
    const char* digits = trace.data() + quote + 8;
    std::from_chars(digits, trace.data() + trace.size(), frame.line);
    if (!installed(frame.file)) own = frame;
    last = frame;
    at = quote;
  }
  return own.file.empty() ? last : own;
}

std::string module_path(const std::string& stack) {
  const std::size_t last = stack.rfind(';');
  const std::size_t entry = last == std::string::npos ? 0 : last + 1;
  const std::size_t first_comma = stack.find(',', entry);
  if (first_comma == std::string::npos) return "";
  const std::size_t second_comma = stack.find(',', first_comma + 1);
  return stack.substr(first_comma + 1, second_comma == std::string::npos ? std::string::npos : second_comma - first_comma - 1);
}

}  // namespace kw::graph::pt2
