#include "core/worker/runtime/pool.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kw::runtime {

const std::vector<int>& cores() {
  static const std::vector<int> all = [] {
    std::vector<int> result;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(getpid(), sizeof allowed, &allowed);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) result.push_back(core);
    return result;
  }();
  return all;
}

void pin_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (!cores.empty()) sched_setaffinity(0, sizeof set, &set);
}

void start_pool(int threads) {
  const std::vector<int>& all = cores();
#pragma omp parallel num_threads(threads)
  if (!all.empty()) pin_to({all[static_cast<std::size_t>(omp_get_thread_num()) % all.size()]});
}

void wake_pool(int threads) {
#pragma omp parallel num_threads(threads)
  asm volatile("" ::: "memory");
}

void copy_by_pool(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t piece = 1 << 18;
  const auto pieces = static_cast<std::int64_t>((bytes + piece - 1) / piece);
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (std::int64_t p = 0; p < pieces; ++p) {
    const std::size_t at = static_cast<std::size_t>(p) * piece;
    std::memcpy(to + at, from + at, std::min(piece, bytes - at));
  }
}

OnFirstCore::OnFirstCore() {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof before_, &before_);
  if (!cores().empty()) pin_to({cores().front()});
}

OnFirstCore::~OnFirstCore() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace kw::runtime
