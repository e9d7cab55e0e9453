// The reader of cubins: what NVRTC wrote, and never a crash on what it did not.

#include <random>

#include "core/base/paths.h"
#include "core/worker/build/cubin.h"
#include "tests/unit/build/cuda_candidates.h"

namespace kw::build {
namespace {

class CubinTest : public CudaCandidatesTest {
 protected:
  std::string cubin(const std::string& arch = "sm_90") {
    auto nvrtc = cuda::Nvrtc::open(cuda::nvrtc_folders());
    auto compiled = (*nvrtc)->compile(
        "struct Twenty { char c[20]; };\n__device__ int kept[7];\n__constant__ float table[4] = {1, 2, 3, 4};\n__device__ __noinline__ float helper(float x) { return x * x; }\n"
        "extern \"C\" __global__ void k(float* a, const double* b, int n, Twenty t) { a[0] = helper(b[0]) + table[n] + t.c[n] + kept[n]++; if (n > 5) printf(\"x\"); }\n"
        "extern \"C\" __global__ void none() {}\n",
        "given.cu", arch, {});
    EXPECT_TRUE(compiled.ok() && compiled->ok) << (compiled.ok() ? compiled->log : compiled.error().text());
    return compiled->cubin;
  }
};

TEST_F(CubinTest, ReadsWhatNvrtcWrote) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    auto read = parse_cubin(cubin(arch));
    ASSERT_TRUE(read.ok()) << read.error().text();
    int kernels = 0;
    bool undefined = false;
    std::uint64_t kept = 0;
    for (const CubinSymbol& symbol : read->symbols) {
      kernels += symbol.kernel ? 1 : 0;
      EXPECT_FALSE(symbol.kernel && symbol.name.find("helper") != std::string::npos);
      undefined = undefined || (symbol.undefined && symbol.name == "vprintf");
      if (symbol.name != "kept") continue;
      kept = symbol.bytes;
      EXPECT_TRUE(symbol.object);
      EXPECT_EQ(read->sections.at(symbol.section).name, ".nv.global");
      EXPECT_TRUE(read->sections.at(symbol.section).writable);
    }
    EXPECT_EQ(kernels, 2) << arch;
    EXPECT_TRUE(undefined) << arch;
    EXPECT_EQ(kept, 28u) << arch;
    EXPECT_EQ(read->parameters.at("k"), (std::vector<std::uint32_t>{8, 8, 4, 20})) << arch;
    const auto none = read->parameters.find("none");
    EXPECT_TRUE(none == read->parameters.end() || none->second.empty()) << arch;
    for (const CubinSection& section : read->sections) EXPECT_FALSE(section.name == ".nv.constant3" && section.writable);
  }
}

TEST_F(CubinTest, EveryTruncationIsAnError) {
  const std::string whole = cubin();
  for (std::size_t size = 0; size < whole.size(); size += 13) EXPECT_TRUE(!parse_cubin(std::string_view(whole).substr(0, size)).ok() || size > whole.size() / 2) << size;
  EXPECT_FALSE(parse_cubin("not a cubin at all, but long enough to hold the header of one, more or less").ok());
}

TEST_F(CubinTest, FlippedBitsNeverCrash) {
  const std::string whole = cubin();
  std::mt19937 engine(5);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole;
    for (int flips = 1 + static_cast<int>(engine() % 4); flips > 0; --flips) bytes[engine() % bytes.size()] ^= static_cast<char>(1 << engine() % 8);
    read += parse_cubin(bytes).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace kw::build
