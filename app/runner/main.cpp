// kernelwright-runner: loads one cpu candidate and runs it on request. See README.md.

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/runner/crash.h"
#include "app/runner/sandbox.h"
#include "core/plan/plan.h"
#include "core/worker/runtime/arena.h"
#include "core/worker/runtime/batch_scheduling.h"
#include "core/worker/runtime/control_page.h"
#include "core/worker/runtime/loaded_plan.h"
#include "core/worker/runtime/pool.h"

namespace kw::runner {
namespace {

using runtime::ControlPage;
using runtime::RunnerState;
using runtime::StartFailure;

struct Setup {
  plan::Plan plan;
  std::string object;
  std::vector<void*> buffers;   // one a plan buffer
};

struct Failure { StartFailure kind; base::Error error; };

ControlPage* map_control_page() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, runtime::control_fd, 0);
  return page == MAP_FAILED ? nullptr : static_cast<ControlPage*>(page);
}

base::Result<nlohmann::json> read_description() {
  struct stat facts {};
  if (fstat(runtime::description_fd, &facts) != 0) return base::bad_input("No description. The worker starts this program.");
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  if (pread(runtime::description_fd, text.data(), text.size(), 0) != facts.st_size) return base::bad_input("A short description.");
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("plan") || !json.contains("object") || !json.contains("arenas"))
    return base::bad_input("A description that is not ours.");
  return json;
}

// Buffers in the plan's order take the segments of their role's arena in order.
base::Status map_buffers(const nlohmann::json& arenas, ControlPage* page, Setup& setup) {
  if (!arenas.is_array() || arenas.size() != runtime::arena_count) return base::bad_input("Three arenas are needed.");
  std::array<runtime::ArenaLayout, runtime::arena_count> layouts;
  std::array<std::byte*, runtime::arena_count> bases{};
  for (int a = 0; a < runtime::arena_count; ++a) {
    auto layout = runtime::layout_from_json(arenas[static_cast<std::size_t>(a)]);
    if (!layout) return layout.error();
    layouts[a] = std::move(layout).value();
    auto base = runtime::map_guarded(runtime::first_arena_fd + a, layouts[a], a == 0);
    if (!base) return base.error();
    bases[a] = *base;
    page->arena_base[a] = reinterpret_cast<std::uint64_t>(bases[a]);
  }
  std::array<std::size_t, runtime::arena_count> next{};
  for (const plan::Buffer& buffer : setup.plan.buffers) {
    const auto a = static_cast<std::size_t>(buffer.role);
    if (next[a] >= layouts[a].segments.size()) return base::bad_input("The arenas do not fit the plan.");
    const runtime::Segment& segment = layouts[a].segments[next[a]++];
    setup.buffers.push_back(bases[a] + segment.map_offset + segment.data_offset);
  }
  return base::done();
}

void note_image(const void* base, ControlPage* page) {
  page->image_base = reinterpret_cast<std::uint64_t>(base);
  page->image_end = page->image_base;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* p = static_cast<ControlPage*>(data);
        if (info->dlpi_addr != p->image_base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            p->image_end = std::max<std::uint64_t>(p->image_end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        return 1;
      },
      page);
}

std::optional<Failure> set_up(ControlPage* page, Setup& setup, std::optional<runtime::LoadedPlan>& loaded) {
  auto description = read_description();
  if (!description) return Failure{StartFailure::harness, description.error()};
  auto parsed = plan::plan_from_json((*description)["plan"]);
  if (!parsed) return Failure{StartFailure::load, parsed.error()};
  setup.plan = std::move(parsed).value();
  if (auto status = map_buffers((*description)["arenas"], page, setup); !status) return Failure{StartFailure::memory, status.error()};
  auto plan = runtime::LoadedPlan::load((*description)["object"].get<std::string>(), setup.plan);
  if (!plan) return Failure{StartFailure::load, plan.error()};
  loaded.emplace(std::move(plan).value());
  note_image(loaded->image_base(), page);
  runtime::start_pool(setup.plan.threads);
  if (auto status = install_crash_handlers(page); !status) return Failure{StartFailure::harness, status.error()};
  if (auto status = enter_sandbox(); !status) return Failure{StartFailure::harness, status.error()};
  return std::nullopt;
}

void announce(ControlPage* page, RunnerState state) { runtime::set_and_wake(page->state, static_cast<std::uint32_t>(state)); }

void serve(ControlPage* page, const Setup& setup, const runtime::LoadedPlan& loaded) {
  std::uint32_t answered = page->done.load();
  for (;;) {
    runtime::wait_forever(page->request, answered);
    answered = page->request.load(std::memory_order_acquire);
    const auto command = static_cast<runtime::Command>(page->command);
    if (command == runtime::Command::quit) return;
    if (command == runtime::Command::wake_pool) runtime::wake_pool(setup.plan.threads);
    if (command == runtime::Command::run || command == runtime::Command::run_without) {
      const int without = command == runtime::Command::run_without ? page->argument : -1;
      page->rewritten_step = loaded.run_checked(setup.buffers.data(), without).value_or(-1);
    }
    runtime::set_and_wake(page->done, answered);
  }
}

int run() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  runtime::schedule_as_batch();   // before the pool starts: its threads inherit it
  close_range(static_cast<unsigned>(runtime::first_arena_fd + runtime::arena_count), ~0U, 0);
  ControlPage* page = map_control_page();
  if (page == nullptr) {
    std::fputs("kernelwright-runner is started by kernelwright-worker, not by hand.\n", stderr);
    return 2;
  }
  Setup setup;
  std::optional<runtime::LoadedPlan> loaded;
  if (auto failure = set_up(page, setup, loaded)) {
    page->start_failure = static_cast<std::int32_t>(failure->kind);
    std::snprintf(page->message, sizeof page->message, "%s", failure->error.text().c_str());
    announce(page, RunnerState::refused);
    return 1;
  }
  announce(page, RunnerState::ready);
  serve(page, setup, *loaded);
  _exit(0);   // nothing of the candidate runs on the way out
}

}  // namespace
}  // namespace kw::runner

int main() { return kw::runner::run(); }
