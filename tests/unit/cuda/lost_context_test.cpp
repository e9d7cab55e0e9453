// Kernels that lose the context: each in a process of its own, which runs this program's hidden test of that name.

#include "core/base/process.h"
#include "core/worker/cuda/memory.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::cuda {
namespace {

class LostContextTest : public GpuTest {
 protected:
  void run_alone() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    base::SpawnOptions options;
    options.argv = {"/proc/self/exe", "--gtest_also_run_disabled_tests",
                    std::string("--gtest_filter=") + test->test_suite_name() + ".DISABLED_" + test->name()};
    auto ran = base::run_captured(options, 120);
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->status.text(), "exit status 0") << ran->out << ran->err;
    EXPECT_NE(ran->out.find("[  PASSED  ] 1 test"), std::string::npos) << ran->out;
  }

  // The kernel gets 1 KiB of its own. What synchronizing said.
  base::Status run(const std::string& body) {
    const auto function = kernel("extern \"C\" __global__ void k(unsigned char* p) { " + body + " }\n", "k");
    auto memory = DeviceMemory::allocate(*context_, 1024);
    if (!function || !memory) return base::Error{base::ErrorCode::internal, "The test could not begin.", ""};
    CUdeviceptr address = memory->get();
    void* arguments[] = {&address};
    if (auto launched = function->launch({1, 1, 1}, {1, 1, 1}, 0, *stream_, arguments); !launched) return launched;
    return stream_->synchronize();
  }

  void expect_lost(const base::Status& status, const std::string& name) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, base::ErrorCode::lost) << status.error().text();
    EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().text();
    auto later = DeviceMemory::allocate(*context_, 256);
    ASSERT_FALSE(later.ok());   // and so it stays
    EXPECT_EQ(later.error().code, base::ErrorCode::lost);
  }
};

TEST_F(LostContextTest, DISABLED_IllegalAddress) { expect_lost(run("*(unsigned char**)p = p; *(volatile unsigned*)16 = 1;"), "CUDA_ERROR_ILLEGAL_ADDRESS"); }
TEST_F(LostContextTest, DISABLED_MisalignedAddress) { expect_lost(run("*(volatile unsigned*)(p + 1) = 1;"), "CUDA_ERROR_MISALIGNED_ADDRESS"); }
TEST_F(LostContextTest, DISABLED_Trap) { expect_lost(run("if (p != nullptr) __trap();"), "CUDA_ERROR_"); }

TEST_F(LostContextTest, IllegalAddress) { run_alone(); }
TEST_F(LostContextTest, MisalignedAddress) { run_alone(); }
TEST_F(LostContextTest, Trap) { run_alone(); }

}  // namespace
}  // namespace kw::cuda
