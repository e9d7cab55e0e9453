#pragma once
// Rewriting of expressions that are graphs: every node is visited once, however often it is shared, so that a long chain
// of inlined definitions costs its size and not its number of paths. Pure functions.

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/kernel/definition/definition.h"

namespace kw::kernel::lowering {

// Rebuilds from the leaves up. `change` sees a node whose operands are already rewritten and answers its replacement
// (the node itself to keep it). Results are remembered for the life of the Rewriter.
class Rewriter {
 public:
  using Change = std::function<Expr(const Expr& node)>;
  explicit Rewriter(Change change) : change_(std::move(change)) {}
  Expr operator()(const Expr& e);

 private:
  Change change_;
  std::unordered_map<const Expression*, Expr> done_;
  std::vector<Expr> alive_;   // the keys of done_ must not be freed and reused
};

// Each node once, operands first.
void visit(const Expr& e, const std::function<void(const Expression&)>& see);
std::vector<const Expression*> distinct_reads(const Expr& e);

Expr with_operands(const Expr& e, std::vector<Expr> operands);
Expr with_maps(const Expr& e, std::vector<Index> maps);          // the node with other index maps, not simplified
Expr register_read(int reg, DType type, int component = 0);      // Op::reg
Expr lane_of(const Expr& reg, int lane);
Expr element(int buffer, Index offset, DType computing);         // LoopNest's read: one offset

// Estimated scalar work of one evaluation, in units of one addition (an exp is 12, a division 4, a read 1).
int work(const Expr& e);
int work(Op op);

bool is_variable(const Index& map, int* variable);               // exactly one variable, coefficient 1, no constant
std::int64_t coefficient(const Index& map, int v);               // of a plain variable term; 0 where there is none
bool affine_in(const Index& map, int v);                         // v does not occur below floor or mod

}  // namespace kw::kernel::lowering
