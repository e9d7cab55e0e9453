#include "core/graph/pt2/archive.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace kw::graph::pt2 {

namespace {

using base::Error;
using base::ErrorCode;

// Little-endian fields at a checked position (PKWARE APPNOTE 4.3).
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}
  bool has(std::uint64_t at, std::uint64_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  std::uint64_t number(std::uint64_t at, int width) const {
    std::uint64_t value = 0;
    for (int i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + static_cast<std::uint64_t>(i)]);
    return value;
  }
  std::string text(std::uint64_t at, std::uint64_t count) const { return {reinterpret_cast<const char*>(bytes_.data()) + at, count}; }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
};

constexpr std::uint64_t local_signature = 0x04034b50, central_signature = 0x02014b50, end_signature = 0x06054b50;
constexpr std::uint64_t end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
constexpr std::uint64_t most_entries = 1 << 20;

struct Directory { std::uint64_t at = 0, count = 0; };

std::optional<Directory> find_directory(const Reader& r) {
  if (r.size() < 22) return std::nullopt;
  const std::uint64_t lowest = r.size() > 22 + 65535 ? r.size() - 22 - 65535 : 0;
  for (std::uint64_t at = r.size() - 22;; --at) {
    if (r.number(at, 4) == end_signature) {
      Directory d{r.number(at + 16, 4), r.number(at + 10, 2)};
      const bool large = d.at == 0xffffffff || d.count == 0xffff;
      if (large && at >= 20 && r.number(at - 20, 4) == locator64_signature) {
        const std::uint64_t end64 = r.number(at - 12, 8);
        if (!r.has(end64, 56) || r.number(end64, 4) != end64_signature) return std::nullopt;
        d = {r.number(end64 + 48, 8), r.number(end64 + 32, 8)};
      }
      return d;
    }
    if (at == lowest) return std::nullopt;
  }
}

struct Entry {
  std::string name;
  std::uint64_t method = 0, flags = 0, stored = 0, size = 0, local = 0;
  std::uint64_t next = 0;
};

// Sizes and offsets of 4 GiB and more stand in the extra field 0x0001, in this order, only those that overflow.
bool read_zip64(const Reader& r, std::uint64_t at, std::uint64_t length, Entry& e) {
  const std::uint64_t end = at + length;
  while (at + 4 <= end) {
    const std::uint64_t id = r.number(at, 2), count = r.number(at + 2, 2);
    if (at + 4 + count > end) return false;
    if (id == 1) {
      std::uint64_t p = at + 4;
      for (std::uint64_t* field : {&e.size, &e.stored, &e.local}) {
        if (*field != 0xffffffff) continue;
        if (p + 8 > at + 4 + count) return false;
        *field = r.number(p, 8);
        p += 8;
      }
      return true;
    }
    at += 4 + count;
  }
  return e.size != 0xffffffff && e.stored != 0xffffffff && e.local != 0xffffffff;
}

std::optional<Entry> read_central(const Reader& r, std::uint64_t at) {
  if (!r.has(at, 46) || r.number(at, 4) != central_signature) return std::nullopt;
  const std::uint64_t name = r.number(at + 28, 2), extra = r.number(at + 30, 2), comment = r.number(at + 32, 2);
  if (!r.has(at + 46, name + extra + comment)) return std::nullopt;
  Entry e{r.text(at + 46, name), r.number(at + 10, 2), r.number(at + 8, 2), r.number(at + 20, 4), r.number(at + 24, 4), r.number(at + 42, 4), 0};
  if (!read_zip64(r, at + 46 + name, extra, e)) return std::nullopt;
  e.next = at + 46 + name + extra + comment;
  return e;
}

std::optional<std::uint64_t> data_offset(const Reader& r, const Entry& e) {
  if (!r.has(e.local, 30) || r.number(e.local, 4) != local_signature) return std::nullopt;
  const std::uint64_t at = e.local + 30 + r.number(e.local + 26, 2) + r.number(e.local + 28, 2);
  if (!r.has(at, e.size)) return std::nullopt;
  return at;
}

bool harmless(const std::string& name) {
  return !name.empty() && name.size() < 4096 && name[0] != '/' && name.find('\0') == std::string::npos && name.find("..") == std::string::npos;
}

}  // namespace

base::Result<std::shared_ptr<const Archive>> Archive::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{ErrorCode::not_found, std::string("cannot open the model: ") + std::strerror(errno), path};
  struct stat info{};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  void* memory = regular && info.st_size > 0 ? ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (memory == MAP_FAILED) return base::bad_input(regular ? "the file is empty or cannot be mapped" : "this is not a regular file", path);
  std::shared_ptr<Archive> archive(new Archive);
  archive->where_ = path;
  archive->bytes_ = {static_cast<const std::byte*>(memory), static_cast<std::size_t>(info.st_size)};
  archive->mapped_ = true;
  if (base::Status s = archive->index(); !s) return s.error();
  return std::shared_ptr<const Archive>(std::move(archive));
}

base::Result<std::shared_ptr<const Archive>> Archive::view(Bytes bytes, std::string where) {
  std::shared_ptr<Archive> archive(new Archive);
  archive->where_ = std::move(where);
  archive->bytes_ = bytes;
  if (base::Status s = archive->index(); !s) return s.error();
  return std::shared_ptr<const Archive>(std::move(archive));
}

Archive::~Archive() {
  if (mapped_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

base::Status Archive::index() {
  const Reader r(bytes_);
  const std::optional<Directory> directory = find_directory(r);
  if (!directory) return base::bad_input("not a zip archive, or cut short: it has no central directory", where_);
  if (directory->count > most_entries) return base::bad_input("the archive claims more than a million entries", where_);
  std::uint64_t at = directory->at;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    const std::optional<Entry> e = read_central(r, at);
    if (!e) return base::bad_input("the archive's central directory is damaged", where_);
    at = e->next;
    if (e->name.ends_with('/')) continue;
    if (!harmless(e->name)) return base::bad_input("the archive holds an entry with an unsafe name", where_);
    if (e->method != 0 || e->stored != e->size || (e->flags & 1)) return base::bad_input("entry '" + e->name + "' is compressed or encrypted; torch stores entries as they are", where_);
    const std::optional<std::uint64_t> offset = data_offset(r, *e);
    if (!offset) return base::bad_input("entry '" + e->name + "' lies outside the file; the archive is cut short or damaged", where_);
    const std::size_t slash = e->name.find('/');
    entries_.insert_or_assign(slash == std::string::npos ? e->name : e->name.substr(slash + 1), bytes_.subspan(*offset, e->size));
  }
  return base::done();
}

base::Result<Bytes> Archive::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return base::bad_input("the archive has no entry '" + std::string(name) + "'", where_);
  return found->second;
}

base::Result<std::string_view> Archive::text(std::string_view name) const {
  base::Result<Bytes> bytes = entry(name);
  if (!bytes) return bytes.error();
  return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

}  // namespace kw::graph::pt2
