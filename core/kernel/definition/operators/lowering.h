#pragma once
// What one row of the lowering table works with: the arguments of a node, and the program that it adds definitions to.
// A Lowering lives for one node, on one thread. A row that cannot lower its node calls refuse(), which throws Refused;
// define() and can_lower() catch it, so that nothing leaves this part as an exception and rows stay free of plumbing.
//
//   void relu(Lowering& l) {
//     const Operand x = l.tensor("self");
//     l.give(l.pointwise("", x.sizes, l.result().dtype, binary(Op::maximum, l.read(x, x.sizes), constant_f(0))));
//   }

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/kernel/definition/definition.h"

namespace kw::kernel::table {

using Sizes = std::vector<std::int64_t>;

struct Refused {
  std::string reason;
};
[[noreturn]] void refuse(std::string reason);

// A tensor as a row sees it: logical sizes, and where its elements lie. Views change `sizes` and `maps` only.
struct Operand {
  Sizes sizes;
  DType dtype = DType::f32;
  int tensor = -1;                 // position in Program::tensors
  int component = 0;
  std::vector<Index> maps;         // one per dimension of the tensor, over the dimensions of the operand
  Expr uniform;                    // every element has this value; no tensor then
  bool number = false;             // a literal in the place of a tensor: weaker in type promotion than a 0-dim tensor

  int rank() const { return static_cast<int>(sizes.size()); }
};

// The program while it grows, and where every value of the graph lies in it.
struct Builder {
  Program program;
  std::unordered_map<graph::ValueId, Operand> operands;
  std::set<std::string> names;

  std::string unique_name(const std::string& wanted);
  // Adds an input tensor; `position` among the task's inputs.
  Operand add_input(const graph::Value& value, int position);
};

class Lowering {
 public:
  Lowering(Builder& builder, const graph::Graph& graph, int node_position, const graph::Node& node);

  // Arguments, by schema name. "Given" is present and not None. Without a default, a missing argument refuses.
  const graph::Node& node() const { return node_; }
  bool given(std::string_view name) const;
  Operand tensor(std::string_view name) const;                         // a tensor, or a number in its place
  Operand first() const;                                               // argument 0, whatever its name
  std::optional<Operand> optional_tensor(std::string_view name) const;
  std::vector<Operand> tensors(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {}) const;
  double number(std::string_view name, std::optional<double> otherwise = {}) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::string word(std::string_view name, const std::string& otherwise) const;
  std::optional<DType> dtype(std::string_view name) const;
  Sizes integers(std::string_view name, std::optional<Sizes> otherwise = {}) const;   // a single int is a list of one
  std::vector<double> numbers(std::string_view name) const;
  Expr scalar(std::string_view name, std::optional<double> otherwise = {}) const;     // f64, i64 or boolean literal
  int dim(std::string_view name, int rank, std::optional<std::int64_t> otherwise = {}) const;
  std::vector<int> dims(std::string_view name, int rank) const;        // sorted; all where missing, None or empty

  // Results, as the graph states them.
  int results() const;
  const graph::TensorType& result(int k = 0) const;
  void give(const Operand& operand, int k = 0);          // refuses when sizes or dtype differ from what the graph states
  void give_list(const std::vector<Operand>& members);   // the members of a tensor list
  void give_nothing();                                   // no result that anything reads

  // Definitions. `suffix` names one of several of a node: "max" of "softmax.max".
  Operand pointwise(const std::string& suffix, const Sizes& sizes, DType storage, const Expr& body);
  Operand reduce(const std::string& suffix, const Sizes& sizes, const Sizes& over, Combiner combiner, DType storage,
                 const std::vector<Expr>& body);

  // An element of `x` at `index` (one per dimension of x), over variables of the given extents.
  Expr at(const Operand& x, const std::vector<Index>& index, const Extents& extents) const;
  // x broadcast to `sizes` at the point (i0, i1, ...).
  Expr read(const Operand& x, const Sizes& sizes) const;

 private:
  const graph::Argument* argument(std::string_view name) const;
  Operand operand_of(const graph::Literal& literal, std::string_view name) const;
  Operand value_operand(graph::ValueId id) const;
  std::optional<std::int64_t> integer_of(const graph::Literal& literal) const;
  std::int64_t known_integer(graph::ValueId id) const;
  void check_result(const Operand& operand, const graph::Value& value) const;

  Builder& builder_;
  const graph::Graph& graph_;
  const int position_;
  const graph::Node& node_;
  std::string base_name_;
};

// Index helpers. A dimension of size 1 is the constant 0, so that broadcasting and views simplify.
std::vector<Index> point(const Sizes& sizes, int first_variable = 0);
Operand view(const Operand& x, Sizes sizes, const std::vector<Index>& maps);   // maps: dimensions of x over the new ones
Operand reshaped(const Operand& x, const Sizes& sizes);                        // same elements in row-major order
std::int64_t product(const Sizes& sizes);

// Types.
DType promote(DType a, DType b);                                     // torch.promote_types
DType result_type(const std::vector<Operand>& operands);             // torch.result_type: dimensions, 0-dim, numbers
Expr wrapped(const Expr& value, DType storage);                      // two's-complement wrap to a small integer type
Expr zero_of(DType type);                                            // a literal of a computing type
Expr literal_of(double value, DType type);

}  // namespace kw::kernel::table
