#include "core/worker/oracle/runner_process.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/paths.h"
#include "core/worker/build/elf_file.h"
#include "core/worker/timer/environment.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;
using runtime::Command;
using runtime::RunnerState;

constexpr double watch_s = 0.02;   // how often a silent runner is looked at

base::Error system_error(const std::string& what) { return {base::ErrorCode::io, what + ": " + std::strerror(errno), "kernelwright-runner"}; }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { if (fd_ >= 0) close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string description(const RunnerSpec& spec) {
  plan::Plan bare = *spec.plan;
  bare.source = "// in the object\n";
  nlohmann::json arenas = nlohmann::json::array();
  for (const runtime::Arena* arena : spec.arenas) arenas.push_back(runtime::to_json(arena->layout()));
  return nlohmann::json{{"plan", plan::to_json(bare)}, {"object", spec.object}, {"arenas", arenas}}.dump();
}

// The runner's OpenMP library is the one that this process has loaded: the model will run the candidate with that one.
std::string openmp_library() {
  const void* symbol = dlsym(RTLD_DEFAULT, "omp_get_num_procs");
  Dl_info info{};
  if (symbol == nullptr || dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  return path.find("libgomp") != std::string::npos ? path : "";
}

std::vector<std::string> environment() {
  std::vector<std::string> result;
  for (const timer::Setting& setting : timer::openmp_settings()) result.push_back(std::string(setting.name) + "=" + setting.value);
  if (const std::string library = openmp_library(); !library.empty()) result.push_back("LD_PRELOAD=" + library);
  return result;
}

// How often the system has killed a process for want of memory, since it started.
long memory_kills() {
  std::ifstream file("/proc/vmstat");
  std::string key;
  for (long count = 0; file >> key >> count;)
    if (key == "oom_kill") return count;
  return 0;
}

Rejection reject(Verdict verdict, std::string summary, std::string detail = {}, std::string kind = {}) {
  Rejection rejection{verdict, std::move(kind), {}};
  rejection.evidence.summary = std::move(summary);
  rejection.evidence.detail = std::move(detail);
  return rejection;
}

}  // namespace

base::Result<RunnerProcess::Started> RunnerProcess::start(const RunnerSpec& spec, double timeout_s) {
  std::unique_ptr<RunnerProcess> runner(new RunnerProcess());
  runner->spec_ = spec;
  runner->memory_kills_before_ = memory_kills();
  runner->page_fd_ = memfd_create("kw-control", MFD_CLOEXEC);
  if (runner->page_fd_ < 0 || ftruncate(runner->page_fd_, 4096) != 0) return system_error("No control page");
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, runner->page_fd_, 0);
  if (page == MAP_FAILED) return system_error("No control page");
  runner->page_ = static_cast<runtime::ControlPage*>(page);
  runner->page_->rewritten_step = -1;

  const Descriptor text(memfd_create("kw-description", MFD_CLOEXEC));
  const std::string described = description(spec);
  if (text.get() < 0 || write(text.get(), described.data(), described.size()) != static_cast<ssize_t>(described.size()))
    return system_error("No description for the runner");
  base::SpawnOptions options;
  options.argv = {spec.program};
  options.environment = environment();
  options.pipe_stderr = true;
  options.fds = {{runner->page_fd_, runtime::control_fd}, {text.get(), runtime::description_fd}};
  for (int a = 0; a < runtime::arena_count; ++a) options.fds.push_back({spec.arenas[a]->fd(), runtime::first_arena_fd + a});
  auto child = base::ChildProcess::spawn(options);
  if (!child) return child.error();
  runner->child_ = std::move(child).value();
  if (auto rejection = runner->explain_start(timeout_s)) {
    const bool harness = runner->page_->start_failure == static_cast<std::int32_t>(runtime::StartFailure::harness);
    if (harness) return base::Error{base::ErrorCode::internal, rejection->evidence.summary, "kernelwright-runner"};
    return Started{nullptr, std::move(rejection)};
  }
  return Started{std::move(runner), std::nullopt};
}

RunnerProcess::~RunnerProcess() {
  if (page_ != nullptr) munmap(page_, 4096);
  if (page_fd_ >= 0) close(page_fd_);
}

std::optional<Rejection> RunnerProcess::explain_start(double timeout_s) {
  const double start_s = base::now_s();
  while (!runtime::wait_while(page_->state, static_cast<std::uint32_t>(RunnerState::starting), watch_s)) {
    if (child_.poll()) {
      if (page_->state.load() != 0) break;
      if (auto killed = explain_kill()) return killed;
      return reject(Verdict::launch_error, "The runner ended before it was ready.", words());
    }
    if (base::now_s() - start_s > timeout_s) return reject(Verdict::timeout, "The candidate was not loaded in time.", words());
  }
  if (page_->state.load() == static_cast<std::uint32_t>(RunnerState::ready)) return std::nullopt;
  if (page_->state.load() == static_cast<std::uint32_t>(RunnerState::crashed)) return explain_crash();
  page_->message[sizeof page_->message - 1] = '\0';
  const bool memory = page_->start_failure == static_cast<std::int32_t>(runtime::StartFailure::memory);
  return reject(memory ? Verdict::out_of_memory : Verdict::launch_error, page_->message, words());
}

std::optional<Rejection> RunnerProcess::call(Command command, int argument, double timeout_s, double* duration_us) {
  page_->command = static_cast<std::int32_t>(command);
  page_->argument = argument;
  const std::uint32_t before = page_->request.load();
  const double start_s = base::now_s();
  runtime::set_and_wake(page_->request, before + 1);
  while (!runtime::wait_while(page_->done, before, watch_s)) {
    if (child_.poll()) return explain_death();
    if (base::now_s() - start_s <= timeout_s) continue;
    child_.kill_group(SIGKILL);
    child_.wait(5);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f", timeout_s);
    return reject(Verdict::timeout, std::string("One call ran longer than ") + seconds + " s and was stopped.", words());
  }
  const double end_s = base::now_s();
  if (duration_us != nullptr) *duration_us = (end_s - start_s) * 1e6;
  if (page_->state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RunnerState::crashed)) return explain_crash();
  return std::nullopt;
}

std::optional<Rejection> RunnerProcess::explain_kill() {
  const auto status = child_.poll();
  if (!status || status->signal != SIGKILL) return std::nullopt;
  if (memory_kills() > memory_kills_before_) return reject(Verdict::out_of_memory, "The system killed the runner for want of memory.", words());
  return reject(Verdict::not_evaluated, "Somebody killed the runner; the system did not want for memory.", words(), "worker_lost");
}

Rejection RunnerProcess::explain_death() {
  if (page_->state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RunnerState::crashed)) return explain_crash();
  const auto status = child_.poll();
  const std::string said = words();
  if (said.find("Thread creation failed") != std::string::npos)
    return reject(Verdict::launch_error, "The kernel asks for more threads than the plan's " + std::to_string(spec_.plan->threads) + ".", said);
  if (auto killed = explain_kill()) return *killed;
  return reject(Verdict::crash, "The runner ended in the middle of a call: " + (status ? status->text() : std::string("no status")) + ".", said);
}

Rejection RunnerProcess::explain_crash() const {
  const runtime::Crash& crash = page_->crash;
  const std::string where = position(crash.instruction) + (crash.in_pool_thread ? ", in a thread of the OpenMP pool" : ", in the main thread");
  if (crash.signal == SIGSYS)
    return reject(Verdict::cheat, "The candidate made the system call " + std::to_string(crash.system_call) + ", which it may not.", where,
                  "forbidden_system_call");
  if (crash.signal == SIGSEGV || crash.signal == SIGBUS) {
    Rejection fault = explain_fault(crash);
    fault.evidence.detail = where;
    return fault;
  }
  return reject(Verdict::crash, std::string("The candidate ended by ") + sigabbrev_np(crash.signal) + " (" + sigdescr_np(crash.signal) + ").", where);
}

Rejection RunnerProcess::explain_fault(const runtime::Crash& crash) const {
  const char* access = crash.is_write ? "wrote" : "read";
  static constexpr plan::BufferRole roles[] = {plan::BufferRole::input, plan::BufferRole::output, plan::BufferRole::workspace};
  for (int a = 0; a < runtime::arena_count; ++a) {
    const auto place = runtime::locate(spec_.arenas[a]->layout(), page_->arena_base[a], crash.fault_address);
    if (!place || place->segment < 0) continue;
    std::string name;
    int nth = 0;
    for (const plan::Buffer& buffer : spec_.plan->buffers)
      if (buffer.role == roles[a] && nth++ == place->segment) name = buffer.name;
    if (place->in_data && a == 0)
      return reject(Verdict::input_mutated, "The candidate wrote into its input '" + name + "' at byte " + std::to_string(place->offset) + ".");
    const auto bytes = static_cast<std::int64_t>(spec_.arenas[a]->layout().segments[static_cast<std::size_t>(place->segment)].data_bytes);
    return reject(Verdict::out_of_bounds, std::string("The candidate ") + access + " at byte " + std::to_string(place->offset) + " of '" + name +
                                              "', which has " + std::to_string(bytes) + " bytes.");
  }
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(crash.fault_address));
  return reject(Verdict::crash, std::string("The candidate ") + access + " at the address " + address + ", which belongs to no buffer (" +
                                    sigabbrev_np(crash.signal) + ").");
}

std::string RunnerProcess::position(std::uint64_t instruction) const {
  char text[48];
  if (instruction < page_->image_base || instruction >= page_->image_end) {
    std::snprintf(text, sizeof text, "at 0x%llx, outside the candidate", static_cast<unsigned long long>(instruction));
    return text;
  }
  const std::uint64_t offset = instruction - page_->image_base;
  auto bytes = base::read_file(spec_.object);
  auto file = bytes ? build::parse_elf(*bytes) : base::Result<build::ElfFile>(bytes.error());
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
  return "at " + (file ? build::symbol_at(*file, offset) : std::string(text));
}

// What the runner and libgomp said on stderr, as far as it is there.
std::string RunnerProcess::words() {
  std::string text;
  for (pollfd ready{child_.stderr_fd(), POLLIN, 0}; text.size() < 16384 && poll(&ready, 1, 0) > 0;) {
    char block[2048];
    const ssize_t got = read(child_.stderr_fd(), block, sizeof block);
    if (got <= 0) break;
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
}

base::Status RunnerSide::get_ready() {
  timer::settle();
  auto woken = call(Command::wake_pool);
  return woken ? base::done() : base::Status(woken.error());
}

base::Result<double> RunnerSide::call(Command command) {
  double us = 0;
  if (auto rejection = runner_.call(command, 0, timeout_s_, &us)) {
    rejection_ = std::move(rejection);
    return base::Error{base::ErrorCode::lost, rejection_->evidence.summary, "runner"};
  }
  return us;
}

}  // namespace kw::oracle
