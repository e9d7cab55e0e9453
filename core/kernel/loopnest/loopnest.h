#pragma once
// Layer 3: explicit loops, loads, stores, registers and memory spaces. What the verifier proves, the interpreter runs
// and the emitters print. Lowering makes every choice explicit here; an emitter decides nothing.
//
//   parallel for r in 0..2048
//     tile row[512] f32
//     let m:f32x8 = -inf
//     vector for c in 0..512 step 8
//       m = maximum(m, x[r*512 + c])
//     let m1:f32 = maximum(lane(m,0), ... lane(m,7))
//     for c in 512..515                                  the right tail is a loop of its own
//       ...
//
// Lanes. Inside a vector loop of step W the loop variable stands for W consecutive values. An expression that depends
// on it (by an index map, or by reading a register of W lanes) has W lanes; a scalar used beside it is broadcast.
// A vector loop's length is a multiple of its step. Vector loops do not nest.
//
// Threads of a GPU. The iterations of grid loops are the blocks of a launch, those of thread loops the threads of a block: a thread
// runs the whole body once. They stand outermost, grid loops first, each alone in the body of the one around it; their step is 1.
//
//   grid for r in 0..4096
//     thread for t in 0..256
//       let m:f32x4 = -inf
//       unrolled for j in 0..4
//         vector for lane in 0..4 step 4
//           m = maximum(m, x[r*4096 + j*1024 + t*4 + lane])
//       let m1:f32 = maximum(lane(m,0), ... lane(m,3))
//       combine m1 over t with maximum(m1, other)     afterwards every thread holds the whole
//       only t in 0..1
//         y[r] = m1

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/definition/expression.h"

namespace kw::kernel {

enum class LoopKind : std::uint8_t {
  serial,
  parallel,                                // at most one on a path from the root, iterations independent
  vector,
  unrolled,                                // serial, written out by the compiler: its variable is a constant there
  grid, thread,
};
enum class Space : std::uint8_t {
  global,                                  // a plan buffer
  tile,                                    // private to one iteration of the parallel loop, or to one block of a grid
  own,                                     // private to one thread: registers, where every offset is a constant once unrolled
};

inline constexpr std::int64_t static_shared_bytes = 48 << 10;   // of a GPU's block; for larger tiles a kernel asks at its launch

struct NestBuffer {
  std::string name;
  DType type = DType::f32;                 // storage
  std::int64_t elements = 0;               // addressable elements: offsets lie in [0, elements)
  Space space = Space::global;
  int plan_buffer = -1;                    // global: position in the plan's buffers
};

// A register holds one scalar or `lanes` of them; computing types only (f32, f64, i64, i32, boolean).
struct Register {
  std::string name;
  DType type = DType::f32;
  int lanes = 1;
};

// Expressions are kernel::Expression over loop variables:
//   Op::read      source = position in LoopNest::buffers, one map: the element offset (storage type converts to the computing type)
//   Op::reg       source = register
//   Op::lane      lane `integer` of operand[0] (a register of several lanes): a scalar
//   Op::index, Op::in_bounds, arithmetic: as in a Definition
enum class StatementKind : std::uint8_t {
  loop,        // variable, begin, end, step, loop_kind, body
  let,         // declares register `target` = value; lives to the end of the enclosing block
  update,      // register `target` = value (declared by an enclosing let)
  store,       // buffers[buffer][index] = value, converted to the storage type (round to nearest even)
  only,        // body, for the iterations [begin, end) of the open grid or thread loop over `variable`
  combine,     // parts of all iterations of the thread loop over `variable` become one: values[k] unites parts and others.
               // In a vector loop each lane has a whole of its own
  barrier,     // every thread of the block has come here, and what any of them stored is seen by all
};

struct Statement {
  StatementKind kind = StatementKind::loop;
  int variable = -1;
  std::int64_t begin = 0, end = 0, step = 1;
  LoopKind loop_kind = LoopKind::serial;
  std::vector<Statement> body;
  int target = -1;
  int buffer = -1;
  Index index;
  Expr value;
  std::vector<int> parts, others;          // combine: registers, of equal types and lanes; the others live in it alone
  std::vector<Expr> values;
};
using Block = std::vector<Statement>;

struct LoopNest {
  std::string name;                        // symbol; not part of the structural hash
  std::string comment;                     // head comment: task, recipe, expected traffic; not part of the hash
  std::vector<NestBuffer> buffers;         // globals first, in the order of the step's buffers, then tiles
  std::vector<std::string> variables;      // name of each loop variable
  std::vector<Register> registers;
  Block body;
  int threads = 1;                         // of the parallel loop
};

// The loops over blocks and threads, outermost first; none on the cpu. Threads: the innermost loop is the fastest.
struct GridShape { std::vector<const Statement*> grid, threads; };
GridShape grid_shape(const LoopNest& nest);
std::int64_t iterations(const std::vector<const Statement*>& loops);

const char* word(LoopKind kind);           // "parallel ", "" for serial: what stands before "for"
std::string text(const LoopNest& nest);
std::string structural_hash(const LoopNest& nest);     // names do not count

// Every register is defined before use; offsets of loads and stores lie inside their buffer (a read under
// select(in_bounds(...), read, ...) may rely on the condition); no two iterations of a parallel loop write one element of a
// global buffer, nor does one read what another writes. The same for the blocks of a grid and the threads of a block; in tiles,
// barriers part the accesses of a block's threads. Barriers and unions are reached by all threads of a block alike.
base::Status verify(const LoopNest& nest);

// Literal and slow: f32 arithmetic in float, f64 in double, integers exactly, storage conversions applied.
// memory[i] belongs to buffers[i], one double an element (tiles included, sized by the caller or empty).
base::Status interpret(const LoopNest& nest, std::vector<std::vector<double>>& memory);

}  // namespace kw::kernel
