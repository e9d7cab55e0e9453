#pragma once
// One node of a graph with its operator found and its arguments laid out: constant ones prebuilt, the others patched in from
// the value slots on each call. Included only by .cpp files, which get torch from the precompiled header. Worker thread only.

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/worker/aten/builtins.h"
#include "core/worker/aten/executable.h"

namespace kw::aten {

using torch::jit::Stack;

// What is put into a prebuilt argument on each call.
enum class PatchKind : std::uint8_t { value, value_as_float, value_as_tensor, tensor_list, optional_tensor_list, int_list };
struct Patch {
  std::size_t position = 0;                       // of the argument
  PatchKind kind = PatchKind::value;
  std::vector<graph::ValueId> ids;                // `value` kinds: one; lists: no_value = None or the literal beside it
  std::vector<std::int64_t> literals;             // int_list only
};

struct BoundNode {
  const graph::Node* node = nullptr;
  std::optional<c10::OperatorHandle> op;          // nothing: `builtin` runs
  Builtin builtin = nullptr;
  Stack arguments;                                // prebuilt, in the schema's order
  std::vector<Patch> patches;
  std::vector<std::size_t> written;               // positions of arguments that the operator writes
  bool random = false;                            // draws random numbers with these arguments
  bool skipped = false;                           // an assertion that promotion leaves out

  // Pushes the arguments on an empty stack and runs; the results are on the stack afterwards. Throws what torch throws.
  void push_arguments(Stack& stack, const std::vector<c10::IValue>& slots) const;
  void call(Stack& stack) const;
};

base::Result<BoundNode> bind_node(const graph::Graph& graph, const graph::Node& node, const BindOptions& options);

// "aten.add.Tensor (model.py:12)", the context of errors.
std::string where(const graph::Node& node);

}  // namespace kw::aten
