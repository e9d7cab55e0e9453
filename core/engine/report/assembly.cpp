#include "core/engine/report/assembly.h"

#include <filesystem>
#include <sstream>

#include "core/base/paths.h"
#include "core/base/process.h"

namespace kw::report {
namespace {

constexpr double compiler_timeout_s = 60;

// A scratch folder that goes when its owner goes.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kernelwright-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Directives say nothing about what the processor does, nor do the compiler's own marks; labels that are jumped to stay.
std::string without_directives(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t");
    const bool label = !line.empty() && line.back() == ':';
    if (first == std::string::npos || (label ? line.rfind(".LC", 0) == 0 || line.rfind(".LF", 0) == 0 : line[first] == '.')) continue;
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string compiler_program(const std::string& compiler) {
  // "g++ (Debian 12.2.0-14) 12.2.0" -> "g++"
  const std::string word = compiler.substr(0, compiler.find(' '));
  return word.empty() ? "g++" : word;
}

std::vector<std::string> all_flags(const std::string& flags) {
  std::istringstream words(flags);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  return out;
}

std::vector<std::string> program_flags(const std::string& flags) {
  std::vector<std::string> out;
  for (const std::string& flag : all_flags(flags))
    if (flag != "-shared" && !flag.starts_with("-no") && !flag.starts_with("-Wl,") && !flag.starts_with("-l")) out.push_back(flag);
  return out;
}

base::Result<std::string> assembly_of(const std::string& source, const std::string& compiler, const std::string& flags) {
  if (compiler.starts_with("NVRTC"))
    return base::Error{base::ErrorCode::unsupported,
                       "no CUDA compiler is here: only workers have one. `kernelwright export SESSION ID --out DIR`, then `python DIR/loader.py --asm` "
                       "prints the machine code of a cuda candidate (without a GPU: `--asm --arch sm_90`).", "--asm"};
  const Scratch scratch;
  if (scratch.path().empty()) return base::Error{base::ErrorCode::io, "cannot make a temporary folder.", "--asm"};
  const std::string file = scratch.path() + "/kernel.cpp";
  if (auto status = base::write_file_atomically(file, source); !status) return status.error();
  base::SpawnOptions run;
  run.argv = {compiler_program(compiler)};
  for (const std::string& flag : program_flags(flags)) run.argv.push_back(flag);
  for (const char* word : {"-fno-asynchronous-unwind-tables", "-masm=intel", "-S", "-o", "-"}) run.argv.push_back(word);
  run.argv.push_back(file);
  run.pipe_stdout = run.pipe_stderr = true;
  auto done = base::run_captured(run, compiler_timeout_s);
  if (!done) return base::Error{base::ErrorCode::not_found, "cannot run the compiler: " + done.error().message + " Install g++.", run.argv[0]};
  if (done->timed_out || done->status.code != 0 || done->status.signal != 0)
    return base::Error{base::ErrorCode::unsupported, "the compiler refused the source: " + done->err.substr(0, 2000), run.argv[0]};
  return without_directives(done->out);
}

}  // namespace kw::report
