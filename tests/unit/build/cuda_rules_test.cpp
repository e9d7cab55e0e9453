// Each rule of a CUDA candidate by sources that really break it, and honest ones that pass. What counts as reading a file is not our
// opinion: NVRTC itself is asked.

#include <fstream>
#include <random>

#include "core/worker/build/cuda_rules.h"
#include "core/worker/build/cuda_tokens.h"
#include "tests/unit/build/cuda_candidates.h"

namespace kw::build {
namespace {

using CudaRulesTest = CudaCandidatesTest;

TEST_F(CudaRulesTest, HonestOnesPass) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    builder_ = make(arch);
    const std::string sources[] = {
        in_kernel("b[t] = 2 * a[t];"),
        in_kernel("b[t] = Scale<float, 3>::of(a[t]);", "template <typename T, int N> struct Scale { static __device__ T of(T x) { return x * T(N); } };"),
        in_kernel("__shared__ float s[1024]; s[t] = a[t]; __syncthreads(); b[t] = s[31 - t];"),
        in_kernel("s[t] = a[t]; __syncthreads(); b[t] = s[31 - t];", "extern __shared__ float s[];"),
        in_kernel("constexpr float table[4] = {1, 2, 3, 4}; b[t] = table[t & 3];"),
        in_kernel("float x = a[t]; for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(~0u, x, o); b[t] = x;"),
        in_kernel("float r; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(((unsigned short*)a)[t])); b[t] = r;"),
        in_kernel("float r; asm(\"cvt.f32.f16 %0, %1;\\n\\t\" : \"=f\"(r) : \"h\"(((unsigned short*)a)[t])); b[t] = sinf(r) + (float)cos((double)r);"),
        in_kernel("b[t] = sinf(a[t]) + tanf(a[t]) + (float)lgamma((double)a[t]) + powf(a[t], 1.5f) + erff(a[t]) + (float)tgamma((double)a[t]);"),
        in_kernel("float x[64]; for (int i = 0; i < 64; ++i) x[i] = a[i]; b[t] = x[(int)a[t] & 63];"),
        in_kernel("atomicAdd(b, a[t]);"),
        in_kernel("b[t] = a[t];", "#define UNROLL 4\n#define FLAG\n#if UNROLL > 2 && defined(FLAG) && defined UNROLL\n#pragma unroll\n#endif\n#define CAT(x, y) x##y\n"
                                  "#if __CUDA_ARCH__ >= 800\n__device__ int CAT(one, two)() { return 1; }\n#endif\n// no #include needed\n/* #include <x> */"),
        in_kernel("const auto f = [&](float x) { return x + a[0]; }; b[t] = f(a[t]);"),
        in_kernel("if (a[t] > 0) __trap(); b[t] = __ldg(a + t) + clock64();"),
    };
    for (const std::string& source : sources) EXPECT_EQ(verdict(source), "accepted") << arch << source << last_.evidence.summary << last_.evidence.detail;
  }
}

TEST_F(CudaRulesTest, MemoryThatOutlivesALaunch) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    builder_ = make(arch);
    const std::string sources[] = {
        in_kernel("b[t] = calls++;", "__device__ int calls;"),
        in_kernel("b[t] = calls++;", "__device__ int calls = 3;"),
        in_kernel("static int calls; b[t] = calls++;"),
        in_kernel("b[t] = table[t & 3]; const_cast<float*>(table)[t & 3] = a[t];", "__constant__ float table[4] = {1, 2, 3, 4};"),
        in_kernel("b[t] = calls++;", "__managed__ int calls;"),
        in_kernel("b[t] = calls++;", "extern __device__ int calls;"),
        in_kernel("unsigned r; asm volatile(\"{.global .u32 h; ld.global.u32 %0, [h]; add.u32 %0, %0, 1; st.global.u32 [h], %0;}\" : \"=r\"(r)); b[t] = r;"),
        in_kernel("b[t] = sinf(a[t]) + calls++;", "__device__ int calls = 1;"),
        in_kernel("b[t] = __cudart_i2opi_f[2]++;", "extern \"C\" __device__ unsigned __cudart_i2opi_f[6];"),
        in_kernel("b[t] = __cudart_i2opi_f[2]++;", "extern \"C\" __device__ unsigned __cudart_i2opi_f[6] = {1, 2, 3, 4, 5, 6};"),
    };
    for (const std::string& source : sources) EXPECT_EQ(verdict(source), "cheat:writable_state") << arch << source << last_.evidence.summary;
    EXPECT_NE(last_.evidence.detail.size(), 0u);
  }
}

// sin's tables are in writable memory. What could name them does not pass beside them.
TEST_F(CudaRulesTest, TheTablesOfTheMathsLibrary) {
  const std::string use = "b[t] = sinf(a[t]);", store = "((unsigned*)p)[2] = t;";
  const std::string address = "unsigned long long p; ";
  EXPECT_EQ(verdict(in_kernel(use + address + "asm volatile(\"mov.u64 %0, __cudart_i2opi_f;\" : \"=l\"(p)); " + store)), "cheat:writable_state");
  EXPECT_EQ(verdict(in_kernel(use + address + "asm volatile(\"mov.u64 %0, __cud\" \"art_i2opi_f;\" : \"=l\"(p)); " + store)), "cheat:writable_state");
  EXPECT_EQ(verdict(in_kernel(use + address + "asm volatile(R\"(mov.u64 %0, __cudart_i2opi_f;)\" : \"=l\"(p)); " + store)), "cheat:writable_state");
  EXPECT_EQ(verdict(in_kernel(use + address + "asm volatile(\"mov.u64 %0, _\\x5f" "cudart_i2opi_f;\" : \"=l\"(p)); " + store)), "build_error");
  EXPECT_EQ(verdict(in_kernel(use + address + "asm volatile(\"mov.u64 %0, \" TEXT(__cud) TEXT(art_i2opi_f) \";\" : \"=l\"(p)); " + store, "#define TEXT(x) #x\n")), "build_error");
  EXPECT_EQ(verdict(in_kernel(use + address + "A volatile(WORDS : \"=l\"(p)); " + store, "#define A asm\n#define WORDS \"mov.u64 %0, __cud\" \"art_i2opi_f;\"\n")), "build_error");
  EXPECT_EQ(verdict(in_kernel(use + "b[t] += CAT(__cud, art_i2opi_f)[2]++;", "#define CAT(x, y) x##y\nextern \"C\" __device__ unsigned CAT(__cud, art_i2opi_f)[6] = {1, 2, 3, 4, 5, 6};")),
            "cheat:writable_state");
  // Alone, so that only the name speaks for it.
  EXPECT_EQ(verdict(in_kernel("b[t] = CAT(__cud, art_i2opi_f)[2]++;", "#define CAT(x, y) x##y\nextern \"C\" __device__ unsigned CAT(__cud, art_i2opi_f)[6] = {1, 2, 3, 4, 5, 6};")),
            "build_error");
  EXPECT_EQ(verdict(in_kernel("b[t] = _NV_CONCAT_EVAL1(__cud, art_i2opi_f)[2]++;",
                              "extern \"C\" __device__ unsigned _NV_CONCAT_EVAL1(__cud, art_i2opi_f)[6] = {1, 2, 3, 4, 5, 6};")), "build_error");
  EXPECT_EQ(verdict(in_kernel("b[t] = x[2]++;", "__device__ unsigned x[6] asm(\"__cud\" \"art_i2opi_f\") = {1, 2, 3, 4, 5, 6};")), "cheat:writable_state");
}

TEST_F(CudaRulesTest, FunctionsOfTheDriver) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    builder_ = make(arch);
    EXPECT_EQ(verdict(in_kernel("printf(\"%f\", a[t]);")), "cheat:forbidden_symbol") << arch;
    EXPECT_NE(last_.evidence.summary.find("vprintf"), std::string::npos) << last_.evidence.summary;
    EXPECT_EQ(verdict(in_kernel("b[t] = *(float*)malloc(8);")), "cheat:forbidden_symbol") << arch;
    EXPECT_EQ(verdict(in_kernel("b[t] = *new float;")), "cheat:forbidden_symbol") << arch;
    EXPECT_EQ(verdict(in_kernel("free(a);")), "cheat:forbidden_symbol") << arch;
    EXPECT_EQ(verdict(in_kernel("__assertfail(\"x\", \"y\", 1, \"z\", 1);")), "cheat:forbidden_symbol") << arch;
  }
  // Not there at all: NVRTC's own refusal.
  EXPECT_EQ(verdict(in_kernel("cudaLaunchDevice(a, b);", "extern \"C\" __device__ int cudaLaunchDevice(void*, void*);")), "build_error");
}

TEST_F(CudaRulesTest, FilesOfTheMachine) {
  const char* tricks[] = {
      "#include \"/etc/hostname\"", "#include </etc/hostname>", "#  include \"/etc/hostname\"", "%:include \"/etc/hostname\"",
      "#inc\\\nlude \"/etc/hostname\"", "#\\\n\\\ninclude \"/etc/hostname\"", "/**/ # /* x */ include \"/etc/hostname\"", "\f#include \"/etc/hostname\"",
      "#define F \"/etc/hostname\"\n#include F", "#include_next \"/etc/hostname\"", "#if 0\nit's\n#endif\n#include \"/etc/hostname\"",
      "int one = 1'000; /* ' */\n#include \"/etc/hostname\"", "// comment \\ \n#include \"/etc/hostname\"", "// comment ?\?/\n#include \"/etc/hostname\"",
      "#if 1 /*\n*/\n#include \"/etc/hostname\"\n#endif", "#if __has_include(\"/etc/hostname\")\n#endif", "#define H __has_include\n#if H(\"/etc/hostname\")\n#endif",
      "#embed \"/etc/hostname\"", "#import \"/etc/hostname\"", "#define M(x) x\nM(\n#include \"/etc/hostname\"\n)", "#include <cuda_fp16.h>"};
  for (const char* trick : tricks) EXPECT_EQ(verdict(std::string(trick) + "\n" + in_kernel("b[t] = a[t];")), "cheat:reads_files") << trick;
  for (const char* trick : {"#line 7 \"/etc/hostname\"", "# 7 \"/etc/hostname\"", "int n = 1'a' + 2;", "int n$\"x\";"})
    EXPECT_EQ(verdict(std::string(trick) + "\n" + in_kernel("b[t] = a[t];")), "build_error") << trick;
  // Pasted together: refused as what it may be, an honest macro.
  for (const char* trick : {"#define C(a, b) a##b\n#if C(__has_, include)(\"/etc/hostname\")\n#endif",
                            "#define C(a, b) a##b\n#define D C(__has_, include)(\"/etc/hostname\")\n#if D\n#endif",
                            "#define C(a, b) a##b\n#define E (__has_, include)(\"/etc/hostname\")\n#define F C E\n#define G F\n#if 0\n#elif G\n#endif",
                            "#if _NV_CONCAT_EVAL1(__has_, include)(\"/etc/hostname\")\n#endif"})
    EXPECT_EQ(verdict(std::string(trick) + "\n" + in_kernel("b[t] = a[t];")), "build_error") << trick;
}

// Sources from pieces that confuse a reader of C++. Whenever NVRTC reads the file, we have refused the source.
TEST_F(CudaRulesTest, NvrtcReadsNoFileThatTheRulesLetThrough) {
  auto nvrtc = cuda::Nvrtc::open(cuda::nvrtc_folders());
  ASSERT_TRUE(nvrtc.ok());
  const std::string file = folder_ + "/read.h";
  std::ofstream(file) << "#error THE_FILE_WAS_READ\n";
  const std::string include = "include \"" + file + "\"";
  const std::string pieces[] = {
      "\n", "\n", "\n", "\n#" + include + "\n", "\n#" + include + "\n", "\n%:" + include + "\n", "\"", "'", "R\"(", "R\"x(", ")x\"", ")\"", "LR\"(", "u8\"", "//", "/*", "*/",
      "\\\n", "\\ \n", "\\\r\n", "\r\n", "\r", "\\", "?\?/\n", "1'0", "0x1'", ".5e+'", "0xa'b", "7'a", " ", "\n#if 0\n", "\n#endif\n", "\n#define X ", "\n#pragma ", "\n#warning ", "\n#line 7\n", "R",
      "x", "\\\"", "\\'", "#", "\n#" "inc\\\nlude \"" + file + "\"\n", "/\\\n/", "/\\\n*", "*\\\n/", "R\\\n\"(", ")\\\n\"", "%:%:", "<", ">", "\v#", "\xc3\xa9", "$R\"(", "\n#else\n", "\n#elif 1\n"};
  std::mt19937 engine(7);
  int read = 0, refused_too_much = 0;
  const int rounds = 400;
  for (int i = 0; i < rounds; ++i) {
    std::string source;
    for (int p = 2 + static_cast<int>(engine() % 7); p > 0; --p) source += pieces[engine() % std::size(pieces)];
    source += "\n" + std::string(engine() % 2 == 0 ? "#" + include : "") + "\n";
    auto compiled = (*nvrtc)->compile(source, "fuzz.cu", "sm_90", {"--std=c++17", "--fdevice-syntax-only", "--minimal"});
    if (!compiled) continue;
    const bool was_read = compiled->log.find("THE_FILE_WAS_READ") != std::string::npos;
    const bool refused = refuse_source(source).has_value();
    read += was_read ? 1 : 0;
    refused_too_much += refused && !was_read ? 1 : 0;
    EXPECT_TRUE(refused || !was_read) << "---\n" << source << "\n---\n" << compiled->log;
  }
  EXPECT_GT(read, rounds / 8);
  RecordProperty("refused_without_a_read", refused_too_much);
}

std::string spelled(const std::string& source, RawStrings raw = RawStrings::joined) {
  std::string text;
  for (const Token& token : tokens_of(source, raw)) {
    text += token.first ? "^" : " ";
    text += token.kind == Token::Kind::string ? "S" : token.kind == Token::Kind::character ? "C" : token.kind == Token::Kind::number ? "N" : token.kind == Token::Kind::unclear ? "U" : "";
    text += token.text;
  }
  return text;
}

TEST(CudaTokens, ReadAsTheStandardSays) {
  EXPECT_EQ(spelled("a+b // c\nd /* e\n */ f"), "^a + b^d f");
  EXPECT_EQ(spelled("#def\\\nine X %:%: ## %: #"), "^# define X ## ## # #");
  EXPECT_EQ(spelled("1'000 0x1p+3 .5e-2 1..2 '\\'' \"a\\\"b\""), "^N1'000 N0x1p+3 N.5e-2 N1..2 C\\' Sa\\\"b");
  EXPECT_EQ(spelled("R\"x(a)\"\n\\\nb)x\" c u8R\"()\" LR\"(d)\" XR\"(e)\"", RawStrings::verbatim), "^Sa)\"\n\\\nb c S Sd XR S(e)");
  EXPECT_EQ(spelled("R\"(a)\\\n\" b"), "^Sa b");
  EXPECT_EQ(spelled("R\"(a)\\\n\" b)\" c", RawStrings::verbatim), "^Sa)\\\n\" b c");
  EXPECT_EQ(spelled("\"a\"R\"(\" 'b'_x y"), "^Sa S( Cb y");
  EXPECT_EQ(spelled("0xA'b 1'a'5"), "^N0xA'b U1 Ca N5");
  EXPECT_EQ(spelled("'open\n\"open\nx"), "^Copen^Sopen^x");
  EXPECT_EQ(spelled("?\?= ?\?/\nx"), "^? ? = ? ? /^x");
  EXPECT_EQ(tokens_of("a\\\n\\\nb\nc").back().line, 4);
  EXPECT_TRUE(tokens_of("").empty());
}

}  // namespace
}  // namespace kw::build
