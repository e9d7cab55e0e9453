// What cupti.h declares of CUPTI's binary interface, against CUPTI's own headers of one version.
#include <cstddef>

#include <cupti.h>
#include <gtest/gtest.h>

#include "core/worker/cuda/cupti.h"

namespace kw {
namespace {

#define EXPECT_SAME_PLACE(Ours, Theirs, field)                          \
  EXPECT_EQ(offsetof(cuda::Ours, field), offsetof(::Theirs, field)) << #Theirs "." #field; \
  EXPECT_EQ(sizeof(cuda::Ours::field), sizeof(::Theirs::field)) << #Theirs "." #field

TEST(CuptiLayout, Kernels) {
#define SAME(field) EXPECT_SAME_PLACE(CUpti_ActivityKernel, CUpti_ActivityKernel10, field)
  SAME(kind);
  SAME(registersPerThread);
  SAME(start);
  SAME(end);
  SAME(gridX);
  SAME(gridY);
  SAME(gridZ);
  SAME(blockX);
  SAME(blockY);
  SAME(blockZ);
  SAME(staticSharedMemory);
  SAME(dynamicSharedMemory);
  SAME(correlationId);
  SAME(name);
#undef SAME
}

TEST(CuptiLayout, CopiesAndFills) {
#define SAME(field) EXPECT_SAME_PLACE(CUpti_ActivityMemcpy, CUpti_ActivityMemcpy6, field)
  SAME(kind);
  SAME(copyKind);
  SAME(start);
  SAME(end);
  SAME(correlationId);
#undef SAME
#define SAME(field) EXPECT_SAME_PLACE(CUpti_ActivityMemset, CUpti_ActivityMemset4, field)
  SAME(kind);
  SAME(start);
  SAME(end);
  SAME(correlationId);
#undef SAME
}

TEST(CuptiLayout, Correlations) {
#define SAME(field) EXPECT_SAME_PLACE(CUpti_ActivityExternalCorrelation, CUpti_ActivityExternalCorrelation, field)
  SAME(kind);
  SAME(externalKind);
  SAME(externalId);
  SAME(correlationId);
#undef SAME
}

TEST(CuptiLayout, Values) {
#define SAME(name) EXPECT_EQ(static_cast<int>(cuda::name), static_cast<int>(::name))
  SAME(CUPTI_SUCCESS);
  SAME(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  SAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  SAME(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
  SAME(CUPTI_ACTIVITY_KIND_MEMCPY);
  SAME(CUPTI_ACTIVITY_KIND_MEMSET);
  SAME(CUPTI_ACTIVITY_KIND_DRIVER);
  SAME(CUPTI_ACTIVITY_KIND_RUNTIME);
  SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SAME(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  SAME(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
#undef SAME
  EXPECT_EQ(cuda::activity_flush_forced, static_cast<std::uint32_t>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH), 2);   // rows of the names of copies
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD), 8);
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP), 10);
}

}  // namespace
}  // namespace kw
