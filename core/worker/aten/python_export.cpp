#include "core/worker/aten/python_export.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/base/process.h"

namespace kw::aten {
namespace {

namespace fs = std::filesystem;
constexpr double export_timeout_s = 1800;
constexpr int folders_above = 4;
constexpr std::string_view read_by_models[] = {".py", ".pt", ".pth", ".bin", ".safetensors", ".npy", ".npz", ".ckpt"};

// What a model may read beside its own file, with sizes and times: a cheap witness of change.
std::string neighbours(const fs::path& file) {
  std::vector<std::string> lines;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), error)) {
    const std::string extension = entry.path().extension().string();
    if (std::find(std::begin(read_by_models), std::end(read_by_models), extension) == std::end(read_by_models)) continue;
    const auto size = entry.file_size(error);
    const auto time = entry.last_write_time(error).time_since_epoch().count();
    lines.push_back(entry.path().filename().string() + " " + std::to_string(size) + " " + std::to_string(time));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

base::Result<std::string> cache_key(const fs::path& file, const std::string& python, std::uint64_t seed, const std::string& input_set,
                                    const std::string& exporter) {
  auto source = base::read_file(file.string());
  if (!source) return source.error();
  auto program = base::read_file(exporter);
  if (!program) return program.error();
  return base::sha256_hex(*source + '\0' + *program + '\0' + file.string() + '\0' + python + '\0' + std::to_string(seed) + '\0' + input_set + '\0' +
                          neighbours(file));
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? std::size_t{0} : start + 1) + 1);
}

// The exporter's one line of JSON.
base::Status judge(const base::Captured& captured, const std::string& path, const std::string& python) {
  const nlohmann::json answer = nlohmann::json::parse(last_line(captured.out), nullptr, false);
  if (captured.timed_out)
    return base::bad_input("The export took more than " + std::to_string(static_cast<int>(export_timeout_s)) + " s and was stopped.", path);
  if (!answer.is_object() || !answer.contains("ok"))
    return base::bad_input("The Python " + python + " ended with " + captured.status.text() + " while it exported the model: " + last_line(captured.err), path);
  if (answer.value("ok", false)) return base::done();
  std::string context = answer.value("file", path);
  if (const int line = answer.value("line", 0); line > 0) context += ":" + std::to_string(line);
  return base::bad_input(answer.value("message", "the export failed"), context);
}

}  // namespace

std::string choose_python(const std::string& python) {
  if (!python.empty()) return python;
  std::vector<fs::path> folders{fs::path(base::resources_dir()).parent_path()};
  fs::path folder = base::executable_dir();
  for (int i = 0; i < folders_above; ++i, folder = folder.parent_path()) folders.push_back(folder);
  for (const fs::path& base : folders) {
    const fs::path candidate = base / ".venv" / "bin" / "python3";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return "python3";
}

base::Result<std::string> export_model(const std::string& path, const std::string& python, std::uint64_t seed, const std::string& input_set,
                                       const std::string& cache) {
  std::error_code ignored;
  const fs::path file = fs::absolute(path, ignored).lexically_normal();
  if (!fs::is_regular_file(file, ignored)) return base::Error{base::ErrorCode::bad_input, "There is no such file.", path};
  const std::string interpreter = choose_python(python);
  const std::string exporter = base::resources_dir() + "/python/kw_export.py";
  auto key = cache_key(file, interpreter, seed, input_set, exporter);
  if (!key) return key.error();
  const fs::path folder = fs::path(cache) / "exports";
  fs::create_directories(folder, ignored);
  const std::string archive = (folder / (*key + ".pt2")).string();
  if (fs::exists(archive, ignored)) return archive;

  // The suffix must stay .pt2: torch.export.save insists on it.
  const std::string unfinished = (folder / (*key + "." + std::to_string(::getpid()) + ".tmp.pt2")).string();
  base::SpawnOptions options;
  options.argv = {interpreter, exporter, file.string(), unfinished, "--seed", std::to_string(seed)};
  if (!input_set.empty()) options.argv.insert(options.argv.end(), {"--input-set", input_set});
  auto captured = base::run_captured(std::move(options), export_timeout_s);
  if (!captured) {
    base::Error error = captured.error();
    error.code = base::ErrorCode::bad_input;
    error.message += " Name a Python that has torch with --python.";
    return error;
  }
  if (base::Status status = judge(*captured, path, interpreter); !status) {
    fs::remove(unfinished, ignored);
    return status.error();
  }
  std::error_code failed;
  fs::rename(unfinished, archive, failed);
  if (failed) return base::Error{base::ErrorCode::io, "The exported model cannot be kept: " + failed.message() + ".", archive};
  return archive;
}

}  // namespace kw::aten
