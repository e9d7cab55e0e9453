#pragma once
// Writes a LoopNest from the outside in. Expressions go in whole; the builder gives every load, every repeated
// subexpression and everything that does not vary in the open loops a register of its own, at the outermost place where
// what it depends on is known. So per-row and per-channel scalars leave the inner loops without anybody saying so.
// One builder a kernel, one thread.

#include <functional>
#include <map>
#include <unordered_map>

#include "core/kernel/loopnest/loopnest.h"
#include "core/kernel/recipe/ranges.h"

namespace kw::kernel::lowering {

class NestBuilder {
 public:
  explicit NestBuilder(LoopNest& nest) : nest_(nest), levels_(1) {}

  int add_variable(const std::string& name);
  void open_loop(int variable, std::int64_t begin, std::int64_t end, std::int64_t step, LoopKind kind);
  // What follows is for the iterations [begin, end) of an open loop over blocks or threads alone.
  void open_only(int variable, std::int64_t begin, std::int64_t end);
  void close_loop();                   // of either kind; one around nothing is not written
  Block finish();

  const Extents& extents() const { return extents_; }
  const Bounds& bounds() const { return bounds_; }
  int depth() const { return static_cast<int>(levels_.size()) - 1; }

  // Loads of this buffer stay below the loops that are open now, and what was loaded before is not the value any more:
  // the kernel writes it here.
  void written_here(int buffer);

  // Makes known what will be asked of value() next, so that shared parts are seen.
  void expect(const std::vector<Expr>& values);
  Expr value(const Expr& e) { return place(e, depth()); }                 // an expression over registers
  Expr named(const Expr& e, const std::string& name);                     // a register that holds e
  // An updatable register declared at an open level, before the loop that is open inside that level.
  Expr accumulator(const std::string& name, DType type, int lanes, const Expr& start, int level);
  void update(const Expr& accumulator, const Expr& value);
  void store(int buffer, const Index& offset, const Expr& value);
  // The parts (accumulators) of all threads along the variable become one in each of them.
  using Unite = std::function<std::vector<Expr>(const std::vector<Expr>& a, const std::vector<Expr>& b)>;
  void combine(int variable, const std::vector<Expr>& parts, const std::string& name, const Unite& unite);
  void barrier();

 private:
  struct Level {
    Block block;
    Statement loop;                    // that this level is the body of; levels_[0] has none
    std::map<int, Expr> known;         // id of an expression -> its register
    Range bounds_before;               // of the variable that an `only` narrows, and the level where it was fixed
    int level_before = 0;
  };

  Expr place(const Expr& e, int depth);
  Expr let(const Expr& e, int level, const std::string& name);
  int id(const Expr& e);
  int level(const Expr& e);            // the outermost level where the expression can stand
  int lanes(const Expr& e);
  int floor_level() const;             // nothing is lifted out of the parallel loop, or of those over blocks and threads
  Expr new_register(const std::string& name, DType type, int lanes, int level);
  void next_epoch();

  LoopNest& nest_;
  std::vector<Level> levels_;
  Extents extents_;
  Bounds bounds_;
  std::vector<int> level_of_variable_, level_of_register_;
  std::vector<bool> changes_;          // of each register: an accumulator
  std::map<int, int> pinned_;          // buffer -> depth that its loads stay at
  int generation_ = 0;                 // of the pinned buffers' contents
  std::map<int, int> uses_;
  std::map<std::string, int> ids_;
  std::unordered_map<const Expression*, int> id_of_, level_of_;   // until an accumulator changes
  std::vector<Expr> alive_;
  int epoch_ = 0;
};

}  // namespace kw::kernel::lowering
