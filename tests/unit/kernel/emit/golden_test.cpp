// The text of emitted kernels against tests/golden/*.cpp.txt, the prelude left out. After an intended change of the emitter
// run this test with KW_UPDATE_GOLDEN=1, read the difference, and raise emitter_version.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/kernel/emit/cpp.h"
#include "core/kernel/emit/names.h"
#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;

std::string kernel_text(const LoopNest& nest) {
  const std::string all = emit_cpp({nest});
  const std::size_t comment = nest.comment.empty() ? std::string::npos : all.find("// " + nest.comment.substr(0, nest.comment.find('\n')));
  return all.substr(std::min(comment, all.find("extern \"C\"")));
}

TEST(Golden, EmittedKernels) {
  const char* source = std::getenv("KW_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run through ctest, or set KW_SOURCE_DIR to the repository";
  for (const LoopNest& nest : {softmax_rows(), padded_pool(), masked_fill()}) {
    const std::string path = std::string(source) + "/tests/golden/" + nest.name + ".cpp.txt", text = kernel_text(nest);
    if (std::getenv("KW_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    std::ostringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

TEST(Names, AreDistinctAndHideNothing) {
  LoopNest nest;
  nest.name = "k";
  nest.buffers = {{"load", DType::f32, 1, Space::global, 0}, {"for", DType::f32, 1, Space::global, 1}, {"softmax.max", DType::f32, 1, Space::global, 2}};
  nest.variables = {"i", "i", "0"};
  nest.registers = {{"k", DType::f32, 1}};
  const Names names(nest);
  EXPECT_EQ(names.buffer(0), "load_");
  EXPECT_EQ(names.buffer(1), "for_");
  EXPECT_EQ(names.buffer(2), "softmax_max");
  EXPECT_EQ(names.variable(0), "i");
  EXPECT_EQ(names.variable(1), "i_1");
  EXPECT_EQ(names.variable(2), "v0");
  EXPECT_EQ(names.reg(0), "k_1");
}

TEST(Emit, ASimpleKernelHasASimplePrelude) {
  LoopNest nest;
  nest.name = "copy";
  nest.buffers = {{"x", DType::f32, 64, Space::global, 0}, {"y", DType::f32, 64, Space::global, 1}};
  nest.variables = {"i"};
  nest.body = {loop(0, 0, 64, 1, LoopKind::serial, {store(1, variable(0), read(0, {variable(0)}, DType::f32))})};
  const std::string code = emit_cpp({nest});
  EXPECT_EQ(code.find("template"), std::string::npos) << code;
  EXPECT_EQ(code.find("#include"), std::string::npos);
}

}  // namespace
}  // namespace kw::kernel
