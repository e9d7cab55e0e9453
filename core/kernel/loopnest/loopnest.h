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

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/definition/expression.h"

namespace kw::kernel {

enum class LoopKind : std::uint8_t { serial, parallel, vector };   // parallel: at most one on a path from the root, iterations independent
enum class Space : std::uint8_t { global, tile };                   // global: a plan buffer; tile: private to one iteration of the parallel loop

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
};
using Block = std::vector<Statement>;

struct LoopNest {
  std::string name;                        // symbol; not part of the structural hash
  std::string comment;                     // head comment: task, recipe, expected traffic; not part of the hash
  std::vector<NestBuffer> buffers;         // globals first, in the order of the step's buffers, then tiles
  std::vector<std::string> variables;      // name of each loop variable
  std::vector<Register> registers;
  Block body;
  int threads = 1;
};

std::string text(const LoopNest& nest);
std::string structural_hash(const LoopNest& nest);     // names do not count

// Every register is defined before use; offsets of loads and stores lie inside their buffer (a read under
// select(in_bounds(...), read, ...) may rely on the condition); no two iterations of a parallel loop write one element of a
// global buffer, nor does one read what another writes.
base::Status verify(const LoopNest& nest);

// Literal and slow: f32 arithmetic in float, f64 in double, integers exactly, storage conversions applied.
// memory[i] belongs to buffers[i], one double an element (tiles included, sized by the caller or empty).
base::Status interpret(const LoopNest& nest, std::vector<std::vector<double>>& memory);

}  // namespace kw::kernel
