#pragma once
// Structures and strings of an untrusted file: every offset is checked against its end. Does not own the bytes. Any thread.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace kw::build {

class ElfReader {
 public:
  explicit ElfReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::optional<std::string> string_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::size_t end = bytes_.find('\0', offset);
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(bytes_.substr(offset, end - offset));
  }

 private:
  std::string_view bytes_;
};

}  // namespace kw::build
