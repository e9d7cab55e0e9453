// The judge on the GPU against the judge on the host (compare.h): same numbers, same decisions. Skips where there is no GPU, but for
// what needs none.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/worker/oracle/device_judge.h"
#include "core/worker/oracle/device_judge_source.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using graph::DType;
using graph::TensorType;

TEST(DeviceJudgeSource, CompilesForEveryArchitecture) {
  const auto nvrtc = cuda::Nvrtc::open(cuda::folders_beside_torch());
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    const auto compiled = (*nvrtc)->compile(judge_source, "device_judge.cu", arch, {});
    ASSERT_TRUE(compiled.ok()) << compiled.error().text();
    EXPECT_TRUE(compiled->ok) << compiled->log;
  }
}

class DeviceJudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto gpu = Gpu::open();
    if (!gpu) GTEST_SKIP() << gpu.error().message;
    gpu_ = std::move(gpu).value();
    auto judge = DeviceJudge::make(gpu_);
    ASSERT_TRUE(judge.ok()) << judge.error().text();
    judge_ = std::move(judge).value();
  }

  cuda::DeviceMemory upload(const Storage& bytes) {
    auto memory = cuda::DeviceMemory::allocate(gpu_->context(), bytes.size());
    EXPECT_TRUE(memory.ok());
    EXPECT_TRUE(cuda::copy_to_device(gpu_->stream(), memory->get(), bytes.data(), bytes.size()).ok());
    EXPECT_TRUE(gpu_->stream().synchronize().ok());
    return std::move(memory).value();
  }

  // Host and device on one output; the device says nothing of what does not pass.
  void compare_both(const OutputTruth& truth, const TensorType& type, const Storage& output) {
    const Comparison expected = compare(truth, type, output.data(), 0);
    JudgedSet set;
    set.outputs.push_back(truth);
    auto kept = judge_->keep(set);
    ASSERT_TRUE(kept.ok() && *kept != nullptr);
    const cuda::DeviceMemory memory = upload(output);
    auto passed = judge_->passes(truth, (*kept)->outputs[0], {type, memory.get()});
    ASSERT_TRUE(passed.ok()) << passed.error().text();
    ASSERT_EQ(passed->has_value(), expected.within) << type.text() << " max " << expected.max << " rms " << expected.rms;
    if (!expected.within) return;
    EXPECT_NEAR((*passed)->max, expected.max, 1e-12 * std::fabs(expected.max));
    EXPECT_NEAR((*passed)->rms, expected.rms, 1e-12 * std::fabs(expected.rms));
  }

  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<const DeviceJudge> judge_;
  std::mt19937_64 random_{5};
};

Storage filled(const TensorType& type, const std::vector<double>& values) {
  Storage storage(storage_bytes(type));
  const auto size = static_cast<std::size_t>(graph::byte_size(type.dtype));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto index = unravel(type.sizes, static_cast<std::int64_t>(k));
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * type.strides[d];
    store_number(type.dtype, storage.data() + static_cast<std::size_t>(at) * size, values[k]);
  }
  return storage;
}

// Row-major, permuted, padded and rank 0; odd sizes.
std::vector<TensorType> layouts(DType dtype) {
  return {{dtype, {7, 33}, {33, 1}}, {dtype, {3, 5, 7}, {1, 21, 3}}, {dtype, {4, 6, 10}, {80, 12, 1}}, {dtype, {}, {}}, {dtype, {70001}, {1}}, {dtype, {0, 3}, {3, 1}}};
}

TEST_F(DeviceJudgeTest, FloatingOutputsAreJudgedAsOnTheHost) {
  std::normal_distribution<double> normal;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
    for (const TensorType& type : layouts(dtype))
      for (const double noise : {0.0, 1.0, 40.0}) {
        OutputTruth truth;
        truth.type = type;
        std::vector<double> values;
        for (std::int64_t k = 0; k < type.elements(); ++k) {
          truth.values.push_back(normal(random_));
          values.push_back(truth.values.back() * (1 + noise * epsilon(dtype) * normal(random_)));
        }
        if (truth.values.size() > 100) {
          truth.values[3] = values[3] = std::nan("");
          truth.values[4] = values[4] = -std::numeric_limits<double>::infinity();
          truth.left_out.assign(truth.values.size(), 0);
          truth.left_out[9] = 1, truth.left_out_count = 1;
          values[9] = 1e4;
        }
        truth.rms = root_mean_square(truth.values);
        truth.tolerance_max = truth.tolerance_rms = 8 * epsilon(dtype);
        compare_both(truth, type, filled(type, values));
      }
}

TEST_F(DeviceJudgeTest, AWrongNanOrInfinityDoesNotPass) {
  const TensorType type{DType::f32, {50}, {1}};
  OutputTruth truth;
  truth.type = type;
  truth.values.assign(50, 1.0);
  truth.rms = 1;
  truth.tolerance_max = truth.tolerance_rms = 1e30;
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> values(50, 1.0);
    values[17] = wrong;
    compare_both(truth, type, filled(type, values));
  }
  truth.values[17] = std::nan("");
  compare_both(truth, type, filled(type, std::vector<double>(50, 1.0)));
}

TEST_F(DeviceJudgeTest, ExactOutputsAreJudgedAsOnTheHost) {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean})
    for (const TensorType& type : layouts(dtype))
      for (const bool wrong : {false, true}) {
        OutputTruth truth;
        truth.type = type;
        std::vector<double> values;
        for (std::int64_t k = 0; k < type.elements(); ++k) {
          truth.exact.push_back(static_cast<std::int64_t>(random_() % 2));
          values.push_back(static_cast<double>(truth.exact.back()));
        }
        if (wrong && !values.empty()) values.back() = 1 - values.back();
        if (values.empty()) continue;
        compare_both(truth, type, filled(type, values));
      }
}

TEST_F(DeviceJudgeTest, AgreesAsOnTheHostAcrossLayouts) {
  std::normal_distribution<double> normal;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8}) {
    const TensorType plain{dtype, {30, 101}, {101, 1}}, turned{dtype, {30, 101}, {1, 30}};
    for (const int wrong : {0, 2, 3, 4, 100}) {
      std::vector<double> values, others;
      for (int k = 0; k < 3030; ++k) values.push_back(graph::is_floating(dtype) ? normal(random_) : static_cast<double>(random_() % 100));
      others = values;
      for (int k = 0; k < wrong; ++k) others[static_cast<std::size_t>(7 * k)] += 1;
      OutputTruth like;
      like.type = plain;
      like.rms = 1;
      like.tolerance_max = 4 * epsilon(dtype);
      const Storage baseline = filled(plain, values), output = filled(turned, others);
      const cuda::DeviceMemory a = upload(baseline), b = upload(output);
      auto agree = judge_->agree({plain, a.get()}, like, {turned, b.get()});
      ASSERT_TRUE(agree.ok()) << agree.error().text();
      EXPECT_EQ(*agree, agrees(baseline.data(), like, turned, output.data())) << graph::name(dtype) << " " << wrong;
    }
  }
}

TEST_F(DeviceJudgeTest, TheFingerprintKnowsEveryElementAndItsPlace) {
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16, DType::u8}) {
    const TensorType plain{dtype, {40, 60}, {60, 1}}, turned{dtype, {40, 60}, {1, 40}};
    std::vector<double> values;
    for (int k = 0; k < 2400; ++k) values.push_back(static_cast<double>(k % 100));
    std::vector<double> one_off = values, swapped = values;
    one_off[1234] += 1;
    std::swap(swapped[10], swapped[11]);
    const auto print = [&](const TensorType& type, const std::vector<double>& of) {
      const cuda::DeviceMemory memory = upload(filled(type, of));
      auto hash = judge_->fingerprint({{type, memory.get()}});
      EXPECT_TRUE(hash.ok());
      return hash.ok() ? *hash : 0;
    };
    const auto first = print(plain, values);
    EXPECT_EQ(print(plain, values), first);
    EXPECT_EQ(print(turned, values), first);   // of the elements, wherever they lie
    EXPECT_NE(print(plain, one_off), first);
    EXPECT_NE(print(plain, swapped), first);
  }
}

TEST_F(DeviceJudgeTest, SameBytesSeesTheFirstAndTheLast) {
  for (const std::size_t bytes : {1u, 7u, 8u, 9u, 4099u, 1000000u}) {
    Storage storage(bytes, std::byte{5});
    const cuda::DeviceMemory a = upload(storage), same = upload(storage);
    EXPECT_TRUE(judge_->same_bytes(a.get(), same.get(), bytes).value()) << bytes;
    for (const std::size_t at : {std::size_t{0}, bytes - 1}) {
      Storage other = storage;
      other[at] = std::byte{6};
      const cuda::DeviceMemory b = upload(other);
      EXPECT_FALSE(judge_->same_bytes(a.get(), b.get(), bytes).value()) << bytes << " " << at;
    }
  }
}

}  // namespace
}  // namespace kw::oracle
