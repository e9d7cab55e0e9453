#pragma once
// A kernel before its loops are written: what it computes, over one numbering of axes, with every read and store already
// an offset into a buffer. The passes between binding and emission (merging, blocking, ordering) change axes and offsets
// here; none of them looks at definitions again. A value owned by the lowering.

#include <functional>
#include <string>
#include <vector>

#include "core/kernel/definition/definition.h"
#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel::lowering {

// A blocked axis is an outer axis over whole blocks and an inner axis inside the block. What is left over is one more
// step of the outer axis (at `extent`), in which the inner axis stops at `rest`.
struct KernelAxis {
  std::string name;
  std::int64_t extent = 1;
  int inner = -1;                      // axis inside the blocks that this one counts, or -1
  std::int64_t rest = 0;
  LoopKind kind = LoopKind::serial;    // of an outer axis on a GPU: grid or thread
};

struct ItemStore {
  int buffer = -1;
  int component = 0;                   // of the results, or a part of the state behind them
  Index offset;
};

// One definition. Bodies read buffers through Op::read (one offset over kernel axes) and values of items that were
// computed at the same point through Op::reg (source = tensor, component).
struct Item {
  std::string name;
  int tensor = -1;
  Combiner combiner = Combiner::none;
  bool after_reduction = false;
  std::vector<Expr> body;              // one; of a reduction that unites states: their parts
  Index linear;                        // reductions: row-major position along the reduced axes
  std::vector<ItemStore> stores;
};

constexpr std::int64_t most_unrolled = 32;   // points of a reduction that is written out instead of looped over

// A sum along one chain of additions loses a digit or so every hundred; longer ones are carried out in blocks, each with
// accumulators of its own.
constexpr std::int64_t longest_chain = 64;
constexpr std::int64_t shortest_block = 16;  // steps that are worth accumulators of their own

struct Stage {
  std::vector<int> space, reduce;      // inner axes, outermost first
  std::vector<Item> items;
  int vector_axis = -1;                // one of space or reduce
  int row_axis = -1;                   // on a GPU: another one of them, which the rows of threads of a block share
  int lanes = 1, copies = 1;
  bool tile_accumulators = false;      // one accumulator a space point, in a tile; the reduced axes run outside the space
};

struct KernelSpace {
  std::string name;
  std::vector<KernelAxis> axes;
  std::vector<int> outer;              // loops round all stages, outermost first
  std::vector<Stage> stages;
  std::vector<NestBuffer> buffers;     // tiles and globals in any order
  int parallel = -1;                   // one of outer
  // On a GPU: so many threads share the vector axis of every stage; 0 on the cpu. A thread takes `lanes` elements, its neighbour
  // the next ones, and all of them go on in rounds. There are `height` rows of such threads in a block, which share the row axes.
  int threads = 0, height = 1;
  double effort = 0;                   // points of all items, in additions and element accesses
};

Extents extents(const KernelSpace& kernel);
bool adds_up(const Stage& stage);            // a reduction in it accumulates rounding errors
std::int64_t reduced_points(const KernelSpace& kernel, const Stage& stage);
std::int64_t steps_of_one(const KernelSpace& kernel, const Stage& stage, int axis);   // so many does one accumulator take along it
std::int64_t tile_bytes(const KernelSpace& kernel);
bool is_tile(const KernelSpace& kernel, int buffer);
bool written(const KernelSpace& kernel, int buffer);

// Replaces every index map; `tile` is true for offsets into tiles.
using IndexChange = std::function<Index(const Index& map, bool tile)>;
void change_indices(KernelSpace& kernel, const IndexChange& change);

// Every map of a stage with the buffer it addresses (-1: a value or a bound).
struct Access { const Index* offset = nullptr; int buffer = -1; bool store = false; };
std::vector<Access> accesses(const Stage& stage);
std::vector<Access> accesses(const KernelSpace& kernel);

// Axis v comes to count whole blocks of `block`, and a new axis, which is returned, runs inside a block.
int block_axis(KernelSpace& kernel, int v, std::int64_t block);
// Outer axis v becomes blocks of `block`; the axis inside the blocks (v itself where the block is the whole axis) becomes
// the innermost space axis of every stage, and tiles grow by it. The new inner axis.
int pull_inside(KernelSpace& kernel, int v, std::int64_t block);

// The innermost axis along which the additions of one accumulator become too many comes to be walked in blocks.
void shorten_chains(KernelSpace& kernel, Stage& stage);

// Tiles that came to hold a single value become registers: their readers see the item itself. Such buffers have no
// elements afterwards.
void scalars_to_registers(KernelSpace& kernel);

}  // namespace kw::kernel::lowering
