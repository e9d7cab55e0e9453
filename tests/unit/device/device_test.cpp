// The machine's facts against what the system says in another way, and ceilings within what any machine can do.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "core/worker/device/ceilings.h"
#include "core/worker/device/cpu_info.h"

namespace kw::device {
namespace {

TEST(CpuInfo, AgreesWithTheSystem) {
  const protocol::Environment e = cpu_environment(0);
  EXPECT_FALSE(e.cpu.empty());
  EXPECT_EQ(e.cores, static_cast<int>(std::thread::hardware_concurrency()));   // glibc counts the affinity mask too
  EXPECT_EQ(e.threads, e.cores);
  EXPECT_EQ(cpu_environment(3).threads, 3);
  if (const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE); l1 > 0) { EXPECT_EQ(e.l1_bytes, l1); }
  if (const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE); l2 > 0) { EXPECT_EQ(e.l2_bytes, l2); }
#if defined(__x86_64__)
  const int expected = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
  EXPECT_EQ(e.vector_bytes, expected);
#endif
  EXPECT_FALSE(e.os.empty());
  EXPECT_FALSE(e.kernel.empty());
}

// A busy hour must not lower a ceiling for ever, and a damaged file must not raise it: it is measured each time, the best is kept.
TEST(Ceilings, TheBestEverMeasuredIsKept) {
  const auto folder = std::filesystem::temp_directory_path() / ("kw_device_" + std::to_string(::getpid()));
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const protocol::Environment environment = cpu_environment(1);
  const auto first = ceilings(environment);
  ASSERT_TRUE(first.ok()) << first.error().text();
  for (const double gb_s : {first->read_gb_s, first->write_gb_s, first->copy_gb_s, first->cache_copy_gb_s}) {
    EXPECT_GT(gb_s, 0.2);
    EXPECT_LT(gb_s, 20000);
  }
  EXPECT_GT(first->f32_gflop_s, first->f64_gflop_s);   // twice as many lanes
  EXPECT_LT(first->f32_gflop_s, 1e6);
  const auto again = ceilings(environment);
  ASSERT_TRUE(again.ok());
  EXPECT_GE(again->copy_gb_s, first->copy_gb_s);
  EXPECT_GE(again->f32_gflop_s, first->f32_gflop_s);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "{ not json";
  const auto damaged = ceilings(environment);
  ASSERT_TRUE(damaged.ok());
  EXPECT_GT(damaged->copy_gb_s, 0.2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kw::device
