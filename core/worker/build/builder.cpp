#include "core/worker/build/builder.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/kernel/emit/cpp.h"
#include "core/worker/build/elf_file.h"
#include "core/worker/build/object_rules.h"

namespace kw::build {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t output_limit = 16 << 10;   // of the compiler's words kept as evidence

// One slot of the compilers that may run at once.
class Slot {
 public:
  Slot(std::mutex& mutex, std::condition_variable& free, int& running, int limit) : mutex_(mutex), free_(free), running_(running) {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return running_ < limit; });
    ++running_;
  }
  ~Slot() {
    std::lock_guard lock(mutex_);
    --running_;
    free_.notify_one();
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::mutex& mutex_;
  std::condition_variable& free_;
  int& running_;
};

// Appends what is there, up to the limit. False at the end of the stream.
bool drain(int fd, std::string& text, int wait_ms) {
  pollfd ready{fd, POLLIN, 0};
  if (poll(&ready, 1, wait_ms) <= 0) return true;
  char block[4096];
  const ssize_t got = read(fd, block, sizeof block);
  if (got <= 0) return false;
  if (text.size() < output_limit) text.append(block, std::min(static_cast<std::size_t>(got), output_limit - text.size()));
  return true;
}

std::string first_line_with(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  if (at == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', at) + 1;   // npos + 1 == 0
  return text.substr(start, text.find('\n', at) - start);
}

BuildResult refused_by_compiler(const std::string& words, const base::ExitStatus& status) {
  BuildResult result;
  result.verdict = protocol::Verdict::build_error;
  std::string reason = first_line_with(words, "error:");
  if (reason.empty()) reason = first_line_with(words, "undefined reference");
  if (reason.empty()) reason = status.text();
  result.evidence.summary = "The compiler refused the source: " + reason;
  result.evidence.detail = words;
  return result;
}

}  // namespace

const std::vector<std::string>& compile_flags() {
  static const std::vector<std::string> flags = [] {
    std::vector<std::string> all(std::begin(kernel::compile_flags), std::end(kernel::compile_flags));
    // An edited source need not say what it exports.
    all.insert(all.end(), {"-fvisibility=default", "-fPIC", "-shared", "-w"});
    // No C runtime of its own: then an honest object has no initialisers and no writable memory at all, and object_rules.cpp
    // can refuse both. Everything is bound at load time, so the tables that are bound are read-only afterwards.
    all.insert(all.end(), {"-nostartfiles", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,noexecstack"});
    // Named one by one, without libstdc++, whose symbols took the linker a third of the whole build.
    all.insert(all.end(), {"-nodefaultlibs", "-Wl,--no-as-needed", "-lgomp", "-lm", "-lc", "-lgcc_s"});
    return all;
  }();
  return flags;
}

base::Result<std::unique_ptr<Builder>> Builder::create(BuilderOptions options, BuildGate& gate) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return base::Error{base::ErrorCode::io, "Cannot make the folder for built candidates: " + error.message(), options.folder};
  base::SpawnOptions ask;
  ask.argv = {options.compiler, "--version"};
  ask.pipe_stdout = ask.pipe_stderr = true;
  auto version = base::run_captured(ask, 20);
  if (!version) return base::Error{base::ErrorCode::not_found, "No C++ compiler '" + options.compiler + "'. Install g++.", version.error().text()};
  if (version->status.code != 0 || version->status.signal != 0)
    return base::Error{base::ErrorCode::not_found, "'" + options.compiler + "' does not run. Install g++.", version->err};
  ask.argv = {options.compiler, "-march=native", "-dM", "-E", "-x", "c++", "/dev/null"};
  auto macros = base::run_captured(ask, 20);
  if (!macros) return macros.error();
  std::unique_ptr<Builder> builder(new Builder(std::move(options), gate));
  builder->version_ = version->out.substr(0, version->out.find('\n'));
  builder->target_ = base::sha256_hex(macros->out);
  return builder;
}

base::Result<BuildResult> Builder::build(const plan::Plan& plan, const base::CancelToken& cancel) {
  std::string identity = version_ + "\n" + target_ + "\n";
  for (const std::string& flag : compile_flags()) identity += flag + " ";
  const std::string key = base::sha256_hex(identity + "\n" + plan.source);
  BuildResult result;
  result.object = options_.folder + "/" + key + ".so";
  std::error_code error;
  if (fs::exists(result.object, error)) {
    result.from_cache = true;
    return check(std::move(result));
  }
  const Slot slot(mutex_, free_, running_, options_.parallel);
  auto compiled = compile(plan.source, key, cancel);
  if (!compiled || compiled->verdict != protocol::Verdict::accepted) return compiled;
  return check(std::move(compiled).value());
}

base::Result<BuildResult> Builder::compile(const std::string& source, const std::string& key, const base::CancelToken& cancel) {
  static std::atomic<int> serial{0};
  const std::string source_file = options_.folder + "/" + key + ".cpp", object = options_.folder + "/" + key + ".so";
  const std::string partial = object + "." + std::to_string(getpid()) + "." + std::to_string(serial++);
  if (auto status = base::write_file_atomically(source_file, source); !status) return status.error();
  base::SpawnOptions options;
  options.niceness = 10;                 // what verifies and measures goes first: there is one of it, and compilers wait for nobody
  options.argv = {options_.compiler};
  options.argv.insert(options.argv.end(), compile_flags().begin(), compile_flags().end());
  options.argv.insert(options.argv.end(), {source_file, "-o", partial});
  options.pipe_stderr = true;
  options.environment = {"LC_ALL=C"};
  options.limits = {{RLIMIT_AS, options_.memory_limit}, {RLIMIT_CORE, 0}};
  gate_.wait_until_open();
  const double start_s = base::now_s(), suspended_before_s = gate_.suspended_s();
  auto child = base::ChildProcess::spawn(options);
  if (!child) return child.error();
  const BuildGate::Registration registration(gate_, child->pid());

  std::string words;
  bool open = true, timed_out = false;
  std::optional<base::ExitStatus> status;
  while (!status) {
    gate_.wait_until_open();   // while the compiler is stopped, looking at it would only take a core from what is timed
    if (open) open = drain(child->stderr_fd(), words, 20);
    status = open ? child->poll() : child->wait(0.02);
    if (cancel.cancelled()) {
      child->kill_group(SIGKILL);
      fs::remove(partial);
      return base::Error{base::ErrorCode::cancelled, "The build was cancelled.", ""};
    }
    const double worked_s = base::now_s() - start_s - (gate_.suspended_s() - suspended_before_s);
    if (!status && worked_s > options_.time_limit_s && !timed_out) {
      timed_out = true;
      child->kill_group(SIGKILL);
    }
  }
  for (int i = 0; open && i < 64; ++i) open = drain(child->stderr_fd(), words, 0);
  BuildResult result;
  if (timed_out || status->code != 0 || status->signal != 0) {
    result = refused_by_compiler(words, *status);
    if (timed_out) result.evidence.summary = "The compiler ran longer than " + std::to_string(static_cast<int>(options_.time_limit_s)) + " s.";
  }
  result.spans.push_back({"compile", start_s, base::now_s()});
  std::error_code error;
  if (result.verdict == protocol::Verdict::accepted) {
    fs::rename(partial, object, error);
    if (error) return base::Error{base::ErrorCode::io, "Cannot keep a built candidate: " + error.message(), object};
    result.object = object;
  } else {
    fs::remove(partial, error);
  }
  return result;
}

base::Result<BuildResult> Builder::check(BuildResult result) const {
  auto bytes = base::read_file(result.object);
  if (!bytes) return bytes.error();
  auto file = parse_elf(*bytes);
  if (!file) return file.error();
  if (auto refusal = refuse(*file)) refuse_result(result, *refusal);
  return result;
}

}  // namespace kw::build
