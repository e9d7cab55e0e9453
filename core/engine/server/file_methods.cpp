// files/*: the engine's files for a client that may be elsewhere.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "core/engine/server/desk.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/names.h"

namespace kw::server {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::int64_t most_read_bytes = 1 << 20;

std::string utc(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Broken links and what cannot be looked at are left out.
json entries_of(const fs::directory_iterator& folder) {
  std::vector<json> out;
  for (const auto& entry : folder) {
    struct stat info {};
    if (stat(entry.path().c_str(), &info) != 0) continue;
    const bool dir = S_ISDIR(info.st_mode);
    if (!dir && !S_ISREG(info.st_mode)) continue;
    out.push_back({{"name", entry.path().filename().string()}, {"kind", dir ? "dir" : "file"}, {"bytes", dir ? 0 : info.st_size}, {"modified", utc(info.st_mtime)}});
  }
  std::sort(out.begin(), out.end(), [](const json& a, const json& b) {
    return a["kind"] != b["kind"] ? a["kind"] == "dir" : a["name"].get_ref<const std::string&>() < b["name"].get_ref<const std::string&>();
  });
  return out;
}

// RFC 4648; nothing where the text is not base64.
std::optional<std::string> decoded(const std::string& text) {
  const auto digit = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::string out;
  if (text.size() % 4 != 0) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const int padding = last ? static_cast<int>(text[i + 3] == '=') + static_cast<int>(text[i + 2] == '=' && text[i + 3] == '=') : 0;
    std::array<int, 4> d{};
    for (int k = 0; k < 4; ++k) d[k] = k >= 4 - padding ? 0 : digit(text[i + k]);
    if (std::any_of(d.begin(), d.end(), [](int v) { return v < 0; })) return std::nullopt;
    const int bits = d[0] << 18 | d[1] << 12 | d[2] << 6 | d[3];
    for (int k = 0; k < 3 - padding; ++k) out += static_cast<char>(bits >> (16 - 8 * k) & 0xFF);
  }
  return out;
}

}  // namespace

Answer files_list(Desk&, const json& params) {
  const std::string asked = params.at("path");
  std::error_code failed;
  const fs::path path = fs::weakly_canonical(asked.empty() ? home_folder() : asked, failed);
  if (!failed && !fs::is_directory(path, failed)) return Error{ErrorCode::not_found, "there is no such folder.", path.string()};
  const fs::directory_iterator folder(path, failed);
  if (failed) return Error{ErrorCode::io, "cannot list the folder (" + failed.message() + ").", path.string()};
  return json{{"path", path.string()}, {"parent", path.parent_path().string()}, {"entries", entries_of(folder)}};
}

Answer files_read(Desk&, const json& params) {
  const std::string path = params.at("path");
  const auto offset = params.at("offset").get<std::int64_t>();
  const auto wanted = std::min(params.at("bytes").get<std::int64_t>(), most_read_bytes);
  if (offset < 0 || wanted < 0) return base::bad_input("offset and bytes cannot be negative.", path);
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return Error{ErrorCode::not_found, "there is no such file.", path};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::io, "cannot read the file (no permission?).", path};
  const auto size = static_cast<std::int64_t>(fs::file_size(path, failed));
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(size - offset, 0, wanted)), '\0');
  file.seekg(offset);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const bool truncated = offset + static_cast<std::int64_t>(text.size()) < size;
  return json{{"text", std::move(text)}, {"offset", offset}, {"size", size}, {"truncated", truncated}};
}

Answer files_write(Desk& desk, const json& params) {
  const std::string asked = params.at("path");
  const fs::path uploads = fs::path(desk.options.uploads).lexically_normal();
  const fs::path path = (uploads / asked).lexically_normal();   // an absolute `asked` stays as it is
  const std::string inside = path.lexically_relative(uploads).string();
  if (inside.empty() || inside == "." || inside.starts_with("..")) return base::bad_input("files are written below " + uploads.string() + " only.", asked);
  const auto bytes = decoded(params.at("base64").get_ref<const std::string&>());
  if (!bytes) return base::bad_input("the content is not base64.", asked);
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream file(path, params.value("append", false) ? std::ios::binary | std::ios::app : std::ios::binary);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  if (!file) return Error{ErrorCode::io, "cannot write the file (a full disk, or no permission?).", path.string()};
  return json{{"bytes", fs::file_size(path, failed)}, {"path", path.string()}};
}

}  // namespace kw::server
