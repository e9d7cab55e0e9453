#include "core/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "core/base/clock.h"

namespace kw::base {
namespace {

SpawnOptions shell(const std::string& script) {
  SpawnOptions o;
  o.argv = {"sh", "-c", script};
  return o;
}

TEST(Process, CapturesBothStreamsAndTheStatus) {
  const auto r = run_captured(shell("echo out; echo err >&2; exit 7"), 10);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "out\n");
  EXPECT_EQ(r->err, "err\n");
  EXPECT_EQ(r->status.code, 7);
}

TEST(Process, NamesASignal) {
  const auto r = run_captured(shell("kill -SEGV $$"), 10);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->status.text(), "killed by SIGSEGV");
}

TEST(Process, KillsTheWholeGroupAtTheTimeout) {
  const double start = now_s();
  const auto r = run_captured(shell("sleep 60 & echo $!; wait"), 0.5);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->timed_out);
  EXPECT_LT(now_s() - start, 5);
  const pid_t grandchild = std::atoi(r->out.c_str());
  ASSERT_GT(grandchild, 0);
  for (int i = 0; i < 100 && ::kill(grandchild, 0) == 0; ++i) {
    const auto state = run_captured(shell("cut -d' ' -f3 /proc/" + std::to_string(grandchild) + "/stat"), 5);
    if (state && (state->out.empty() || state->out[0] == 'Z')) return;   // gone, or waiting for init to reap it
    ::usleep(20000);
  }
  EXPECT_NE(::kill(grandchild, 0), 0);
}

TEST(Process, MissingProgramIsAnError) {
  SpawnOptions missing;
  missing.argv = {"/nonexistent/program"};
  const auto r = run_captured(missing, 5);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().context, "/nonexistent/program");
}

TEST(Process, PassesDescriptorsAndClosesTheRest) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);   // inheritable on purpose
  SpawnOptions o = shell("echo hello >&3; ls /proc/self/fd | wc -l");
  o.fds = {{fds[1], 3}};
  const auto r = run_captured(o, 10);
  ::close(fds[1]);
  char buffer[16] = {};
  EXPECT_EQ(::read(fds[0], buffer, sizeof buffer), 6);
  ::close(fds[0]);
  EXPECT_STREQ(buffer, "hello\n");
  ASSERT_TRUE(r);
  EXPECT_LE(std::atoi(r->out.c_str()), 5);   // 0 to 3 and ls's own
}

TEST(Process, LimitsReachTheChild) {
  SpawnOptions o = shell("ulimit -t");
  o.limits = {{RLIMIT_CPU, 17}};
  const auto r = run_captured(o, 10);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "17\n");
}

TEST(Process, EnvironmentReplacesAndAdds) {
  SpawnOptions o = shell("echo $KW_A $HOME");
  o.environment = {"KW_A=1", "HOME=/h"};
  const auto r = run_captured(o, 10);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "1 /h\n");
}

}  // namespace
}  // namespace kw::base
