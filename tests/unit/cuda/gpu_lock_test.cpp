// The lock of a GPU: between processes, within one, and what is said when it is held.

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/worker/cuda/gpu_lock.h"

namespace kw::cuda {
namespace {

constexpr const char* uuid = "GPU-00000000-1111-2222-3333-444444444444";

class GpuLockTest : public testing::Test {
 protected:
  GpuLockTest() : folder_(testing::TempDir() + "kw-gpu-lock-" + std::to_string(getpid())) { std::filesystem::create_directories(folder_); }
  ~GpuLockTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(GpuLockTest, AnotherProcessHoldsItUntilItDies) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto held = GpuLock::take(uuid, 0, {}, folder_);
    const char answer = held.ok() ? 'y' : 'n';
    if (write(ready[1], &answer, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  auto tried = GpuLock::take(uuid, 0, {}, folder_);
  ASSERT_FALSE(tried.ok());
  EXPECT_EQ(tried.error().code, base::ErrorCode::busy);
  EXPECT_NE(tried.error().message.find("process " + std::to_string(child)), std::string::npos) << tried.error().message;
  EXPECT_EQ(last_holder(uuid, folder_), child);
  auto other = GpuLock::take("GPU-another", 0, {}, folder_);
  EXPECT_TRUE(other.ok());

  std::thread killer([&] {
    usleep(100'000);
    kill(child, SIGKILL);
  });
  auto waited = GpuLock::take(uuid, -1, {}, folder_);
  EXPECT_TRUE(waited.ok());
  EXPECT_EQ(last_holder(uuid, folder_), getpid());
  killer.join();
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_F(GpuLockTest, ReleasedAtTheEndOfItsScope) {
  {
    auto first = GpuLock::take(uuid, 0, {}, folder_);
    ASSERT_TRUE(first.ok()) << first.error().text();
    GpuLock moved = std::move(first).value();
    auto second = GpuLock::take(uuid, 0.05, {}, folder_);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, base::ErrorCode::busy);
  }
  EXPECT_TRUE(GpuLock::take(uuid, 0, {}, folder_).ok());
}

TEST_F(GpuLockTest, WaitingIsCancelled) {
  auto first = GpuLock::take(uuid, 0, {}, folder_);
  ASSERT_TRUE(first.ok());
  base::CancelToken cancel;
  std::thread canceller([&] {
    usleep(50'000);
    cancel.cancel();
  });
  auto second = GpuLock::take(uuid, -1, cancel, folder_);
  canceller.join();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, base::ErrorCode::cancelled);
}

TEST_F(GpuLockTest, AllUsersMayWriteTheFile) {
  const mode_t before = umask(077);
  { EXPECT_TRUE(GpuLock::take(uuid, 0, {}, folder_).ok()); }
  umask(before);
  struct stat facts{};
  ASSERT_EQ(stat((folder_ + "/gpu-" + uuid + ".lock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0666u);
}

TEST_F(GpuLockTest, NoFolderIsSaid) {
  auto lock = GpuLock::take(uuid, 0, {}, folder_ + "/missing");
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.error().code, base::ErrorCode::io);
}

TEST_F(GpuLockTest, ALinkIsNotFollowed) {
  std::filesystem::create_symlink(folder_ + "/elsewhere", folder_ + "/gpu-" + uuid + ".lock");
  EXPECT_FALSE(GpuLock::take(uuid, 0, {}, folder_).ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/elsewhere"));
}

}  // namespace
}  // namespace kw::cuda
