// The driver's table, what is said without one, and the facts of a GPU.

#include <regex>

#include "core/worker/cuda/driver.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::cuda {
namespace {

TEST(Driver, WithoutAGpuThereIsOneSentence) {
  auto opened = driver();
  if (opened) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(opened.error().code, base::ErrorCode::not_found);
  EXPECT_EQ(opened.error().message.rfind("no GPU: ", 0), 0u) << opened.error().message;
  EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(facts(0).error().message, opened.error().message);
  EXPECT_EQ(Context::retain(0).error().message, opened.error().message);
}

TEST(Driver, ErrorsKeepWhatTheCallerDecidesBy) {
  for (CUresult lost : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ASSERT, CUDA_ERROR_ECC_UNCORRECTABLE,
                        CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_INVALID_PC}) {
    EXPECT_TRUE(is_sticky(lost)) << lost;
    EXPECT_EQ(error(lost, "Cannot").code, base::ErrorCode::lost);
  }
  for (CUresult kept : {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_READY, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES})
    EXPECT_FALSE(is_sticky(kept)) << kept;
  EXPECT_EQ(error(CUDA_ERROR_OUT_OF_MEMORY, "Cannot").code, base::ErrorCode::busy);
  EXPECT_EQ(error(CUDA_ERROR_INVALID_VALUE, "Cannot").code, base::ErrorCode::internal);
  EXPECT_EQ(error(CUDA_ERROR_INVALID_VALUE, "Cannot do it").message.rfind("Cannot do it: ", 0), 0u);
}

using DriverTest = GpuTest;

TEST_F(DriverTest, NamesItsErrors) {
  EXPECT_EQ(text(CUDA_ERROR_ILLEGAL_ADDRESS).rfind("CUDA_ERROR_ILLEGAL_ADDRESS (", 0), 0u) << text(CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(DriverTest, FactsOfTheGpu) {
  auto read = facts(0);
  ASSERT_TRUE(read.ok()) << read.error().text();
  const DeviceFacts& f = *read;
  EXPECT_FALSE(f.name.empty());
  EXPECT_TRUE(std::regex_match(f.uuid, std::regex("(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))) << f.uuid;
  EXPECT_TRUE(std::regex_match(f.pci_bus_id, std::regex("[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\\.0"))) << f.pci_bus_id;
  EXPECT_GE(f.major * 10 + f.minor, 70);
  EXPECT_GT(f.multiprocessors, 0);
  EXPECT_GE(f.shared_per_block, 48 << 10);
  EXPECT_GE(f.registers_per_multiprocessor, 32768);
  EXPECT_GT(f.l2_bytes, 0);
  EXPECT_GT(f.memory_bytes, std::int64_t{1} << 30);
  EXPECT_GT(f.clock_khz, 100'000);
  EXPECT_GE(f.driver_version, 12000);
}

TEST_F(DriverTest, NoSuchGpu) {
  auto read = facts(4096);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, base::ErrorCode::not_found);
}

}  // namespace
}  // namespace kw::cuda
