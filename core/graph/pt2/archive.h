#pragma once
// The zip archives that torch writes: mapped read-only, entries stored (never compressed), names below one root folder.
// Every offset and size is checked against the file, so a hostile archive can at worst be refused. Shared by const pointer;
// spans stay valid as long as the archive lives. The file must not be truncated while it is mapped.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kw::graph::pt2 {

using Bytes = std::span<const std::byte>;

class Archive {
 public:
  static base::Result<std::shared_ptr<const Archive>> open(const std::string& path);
  static base::Result<std::shared_ptr<const Archive>> view(Bytes bytes, std::string where);   // a zip inside a zip; bytes must outlive it
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const std::string& where() const { return where_; }
  const std::map<std::string, Bytes, std::less<>>& entries() const { return entries_; }   // the root folder stripped
  base::Result<Bytes> entry(std::string_view name) const;
  base::Result<std::string_view> text(std::string_view name) const;

 private:
  Archive() = default;
  base::Status index();
  std::string where_;
  Bytes bytes_;
  bool mapped_ = false;
  std::map<std::string, Bytes, std::less<>> entries_;
};

}  // namespace kw::graph::pt2
