#pragma once
// The flat IR of a model or of a task: values, nodes that name an ATen operator schema, and for each node the
// Python line and module path it came from. Plain data; every function that changes a graph returns a new one.
//
//   values:  [input x] [weight fc.weight] [n0.out] [n1.out] ...      ValueId = position
//   nodes:   n0 = aten.linear.default(x, fc.weight, None)            in execution order

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/graph/type.h"

namespace kw::graph {

using ValueId = std::int32_t;
inline constexpr ValueId no_value = -1;

enum class ValueKind : std::uint8_t {
  tensor,       // one tensor
  tensor_list,  // the outputs of split, unbind, ...: `elements` names its members
  integer,      // SymInt or int (sym_size, item); `known_int` once specialised
  floating,     // SymFloat
  boolean,      // SymBool
};

enum class Origin : std::uint8_t { input, parameter, buffer, constant, node };

// Bytes of a weight or constant inside the archive. Offsets are checked against the storage when read.
struct StorageRef {
  std::string entry;                    // path inside the archive, e.g. "data/weights/weight_0"
  std::int64_t storage_offset = 0;      // in elements
};

struct Value {
  std::string name;
  ValueKind kind = ValueKind::tensor;
  Origin origin = Origin::node;
  TensorType type;                      // for tensors; from the archive, replaced by what the worker observed
  std::string target;                   // state-dict name of parameters and buffers
  std::optional<StorageRef> storage;    // parameters, buffers, constants
  std::vector<ValueId> elements;        // tensor_list only
  std::optional<std::int64_t> known_int;
};

struct None {
  bool operator==(const None&) const = default;
};
struct ValueRef { ValueId id = no_value; bool operator==(const ValueRef&) const = default; };
struct ValueList { std::vector<ValueId> ids; bool operator==(const ValueList&) const = default; };  // no_value = None element
// An int list some of whose members are values (SymInts): literal where id == no_value.
struct IntOrValue { std::int64_t literal = 0; ValueId id = no_value; bool operator==(const IntOrValue&) const = default; };
struct LayoutArg { int value = 0; bool operator==(const LayoutArg&) const = default; };        // c10::Layout
struct MemoryFormatArg { int value = 0; bool operator==(const MemoryFormatArg&) const = default; };  // c10::MemoryFormat
struct DeviceArg { std::string type; int index = -1; bool operator==(const DeviceArg&) const = default; };

using Literal = std::variant<None, ValueRef, ValueList, std::int64_t, double, bool, std::string, std::vector<IntOrValue>,
                             std::vector<double>, std::vector<bool>, DType, LayoutArg, MemoryFormatArg, DeviceArg>;

struct Argument {
  std::string name;                     // schema's name; "" for the positional arguments of _operator.* nodes
  bool keyword = false;
  Literal value;
};

struct SourceLine {
  std::string file;                     // the user's innermost frame outside torch's own files
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

struct Node {
  std::string op;                       // "aten.add.Tensor", "_operator.getitem", ...
  std::vector<Argument> arguments;
  std::vector<ValueId> outputs;         // one per schema return; no_value where unused
  SourceLine source;
  std::string module_path;              // "layers.0.attn", "" for the root
};

enum class OutputKind : std::uint8_t { user, buffer_mutation, input_mutation };
struct Output {
  ValueId value = no_value;             // no_value: a literal None output
  OutputKind kind = OutputKind::user;
  ValueId target = no_value;            // the buffer or input that a mutation writes back to
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;          // user inputs in call order (flattened)
  std::vector<Output> outputs;
  std::vector<std::string> notes;       // "dynamic dimension s0 specialised to 8", ...
};

// Values a node reads, in argument order, members of lists included, without duplicates.
std::vector<ValueId> reads(const Node& node);
const Argument* find_argument(const Node& node, std::string_view name);

// Checks ids, execution order, sizes and strides (finite, non-negative spans). Everything that reads a graph from outside calls it.
base::Status validate(const Graph& graph);

nlohmann::json to_json(const Graph& graph);
base::Result<Graph> graph_from_json(const nlohmann::json& json);
std::string text(const Graph& graph);   // one line a node, for people and golden tests

}  // namespace kw::graph
