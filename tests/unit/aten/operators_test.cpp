// Arithmetic on Python numbers, against hand-worked cases of Python's rules.
#include <gtest/gtest.h>

#include "core/worker/aten/builtins.h"

namespace kw::aten {
namespace {

c10::IValue result(const char* op, std::vector<c10::IValue> arguments) {
  torch::jit::Stack stack = std::move(arguments);
  const Builtin run = find_builtin(op);
  EXPECT_NE(run, nullptr) << op;
  EXPECT_EQ(builtin_arity(op), stack.size()) << op;
  run(stack);
  EXPECT_EQ(stack.size(), 1u) << op;
  return stack[0];
}
c10::IValue i(std::int64_t value) { return value; }

TEST(Builtins, FollowPythonsIntegers) {
  EXPECT_EQ(result("_operator.floordiv", {i(-7), i(2)}).toInt(), -4);
  EXPECT_EQ(result("_operator.floordiv", {i(7), i(-2)}).toInt(), -4);
  EXPECT_EQ(result("_operator.floordiv", {i(-8), i(2)}).toInt(), -4);
  EXPECT_EQ(result("_operator.mod", {i(-7), i(3)}).toInt(), 2);
  EXPECT_EQ(result("_operator.mod", {i(7), i(-3)}).toInt(), -2);
  EXPECT_EQ(result("_operator.pow", {i(3), i(5)}).toInt(), 243);
  EXPECT_EQ(result("_operator.neg", {i(4)}).toInt(), -4);
  EXPECT_EQ(result("torch.sym_max", {i(3), i(9)}).toInt(), 9);
  EXPECT_EQ(result("torch.sym_min", {i(3), i(9)}).toInt(), 3);
}

TEST(Builtins, MixIntegersAndReals) {
  EXPECT_EQ(result("_operator.truediv", {i(1), i(4)}).toDouble(), 0.25);
  EXPECT_EQ(result("_operator.mul", {i(3), 0.5}).toDouble(), 1.5);
  EXPECT_EQ(result("_operator.floordiv", {7.5, i(2)}).toDouble(), 3.0);
  EXPECT_EQ(result("math.ceil", {2.1}).toInt(), 3);
  EXPECT_EQ(result("math.trunc", {-2.9}).toInt(), -2);
  EXPECT_EQ(result("torch.sym_float", {i(6)}).toDouble(), 6.0);
  EXPECT_TRUE(result("_operator.ge", {i(3), 2.5}).toBool());
  EXPECT_FALSE(result("_operator.and_", {true, false}).toBool());
  EXPECT_EQ(result("_operator.and_", {i(6), i(3)}).toInt(), 2);
}

TEST(Builtins, LookAtTensors) {
  const at::Tensor t = at::zeros({2, 3}).t();
  EXPECT_EQ(result("aten.sym_size.int", {t, i(-1)}).toInt(), 2);
  EXPECT_EQ(result("aten.sym_stride.int", {t, i(0)}).toInt(), 1);
  EXPECT_EQ(result("aten.sym_numel.default", {t}).toInt(), 6);
  EXPECT_EQ(result("_operator.getitem", {c10::List<std::int64_t>({4, 5, 6}), i(-1)}).toInt(), 6);
}

TEST(Builtins, RefuseWhatPythonRefuses) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THROW(result("_operator.floordiv", {i(1), i(0)}), c10::Error);
  EXPECT_THROW(result("_operator.mod", {i(least), i(-1)}), c10::Error);
  EXPECT_THROW(result("_operator.truediv", {i(1), i(0)}), c10::Error);
  EXPECT_THROW(result("_operator.getitem", {c10::List<std::int64_t>({4}), i(1)}), c10::Error);
  EXPECT_THROW(result("math.floor", {1e300}), c10::Error);
  EXPECT_EQ(find_builtin("_operator.call"), nullptr);
}

}  // namespace
}  // namespace kw::aten
