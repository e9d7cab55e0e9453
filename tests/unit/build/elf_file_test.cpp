// The reader of objects never crashes on what is not one: every truncation and thousands of flipped bits of a real object.

#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/worker/build/elf_file.h"

namespace kw::build {
namespace {

const std::string& object() {
  static const std::string bytes = [] {
    const std::string stem = testing::TempDir() + "kw-elf-" + std::to_string(getpid());
    EXPECT_TRUE(base::write_file_atomically(stem + ".cpp",
        "extern \"C\" float expf(float);\nstatic float memory[100];\nthread_local int local;\n"
        "extern \"C\" void kernel(void* const* b) { memory[3] += expf(*(float*)b[0]); *(float*)b[1] = memory[3] + (float)++local; }\n").ok());
    base::SpawnOptions options;
    options.argv = {"g++", "-O1", "-shared", "-fPIC", "-nostartfiles", "-Wl,-z,now", stem + ".cpp", "-o", stem + ".so", "-lm"};
    auto built = base::run_captured(options, 60);
    EXPECT_TRUE(built.ok() && built->status.code == 0);
    auto read = base::read_file(stem + ".so");
    EXPECT_TRUE(read.ok());
    return read.ok() ? *read : std::string();
  }();
  return bytes;
}

TEST(ElfFile, ReadsWhatTheCompilerWrote) {
  auto file = parse_elf(object());
  ASSERT_TRUE(file.ok()) << file.error().text();
  bool expf_undefined = false;
  const ElfSymbol* kernel = nullptr;
  for (const ElfSymbol& symbol : file->dynamic) {
    expf_undefined = expf_undefined || (symbol.name == "expf" && symbol.undefined);
    if (symbol.name == "kernel") kernel = &symbol;
  }
  EXPECT_TRUE(expf_undefined);
  ASSERT_NE(kernel, nullptr);
  EXPECT_FALSE(kernel->undefined);
  EXPECT_GE(file->writable_bytes, 400u);
  EXPECT_LT(file->writable_bytes, 4096u);
  EXPECT_EQ(file->thread_local_bytes, 4u);
  EXPECT_TRUE(file->initialisers.empty());
  EXPECT_EQ(symbol_at(*file, kernel->value + 3), "kernel+0x3");
  EXPECT_EQ(symbol_at(*file, 0x7fffffff), "0x7fffffff");
}

TEST(ElfFile, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size < object().size() / 2; size += 7) {
    auto file = parse_elf(std::string_view(object()).substr(0, size));
    EXPECT_TRUE(size >= 64 || !file.ok()) << size;
  }
  EXPECT_FALSE(parse_elf("not an object at all, but long enough to hold the header of one, more or less").ok());
}

TEST(ElfFile, FlippedBitsNeverCrash) {
  std::mt19937 engine(5);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = object();
    for (int flips = 1 + static_cast<int>(engine() % 4); flips > 0; --flips)
      bytes[engine() % std::min<std::size_t>(bytes.size(), 4096)] ^= static_cast<char>(1 << engine() % 8);
    read += parse_elf(bytes).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace kw::build
