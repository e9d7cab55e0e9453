// The walk: structure, registers and lanes statement by statement; bounds at each access; accesses inside a parallel loop, or by
// the threads of a grid, gathered for the proof of independence. Expressions are checked in verify_expression.cpp.
#include <algorithm>
#include <set>

#include "core/kernel/loopnest/races.h"
#include "core/kernel/loopnest/verify_expression.h"

namespace kw::kernel {
namespace {

using base::Status;

constexpr std::int64_t tile_bytes_limit = 1 << 20;       // tiles live on a thread's stack
constexpr std::int64_t threads_limit = 1024, warp = 32;

bool power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
bool computing(DType t) {
  return t == DType::f32 || t == DType::f64 || t == DType::i64 || t == DType::i32 || t == DType::boolean;
}
bool symbol(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

class Verifier {
 public:
  explicit Verifier(const LoopNest& nest) : nest_(nest), scope_(nest), state_(nest.registers.size()), parallel_scope_(nest), grid_(grid_shape(nest)) {}

  Status run() {
    if (Status status = header(); !status) return status;
    if (grid_.threads.empty()) return block(nest_.body);
    if (Status status = enter_grid(); !status) return status;
    if (Status status = block(grid_.threads.back()->body); !status) return status;
    if (Status status = end_phase(); !status) return status;
    return none_meet(global_, 0, grid_.grid.size());
  }

 private:
  enum class State : std::uint8_t { undefined, outside, inside };      // inside: declared in the open parallel loop

  base::Error fail(std::string message) const { return {base::ErrorCode::internal, std::move(message), "loop nest " + nest_.name}; }

  Status header() const {
    if (!symbol(nest_.name)) return fail("its name is no C identifier");
    if (nest_.threads < 1) return fail("threads is " + std::to_string(nest_.threads) + "; at least 1 is needed");
    std::int64_t tile_bytes = 0;
    bool tiles = false;
    for (const NestBuffer& b : nest_.buffers) {
      if (b.type == DType::c64 || b.type == DType::c128) return fail("buffer " + b.name + " is complex");
      if (b.elements < 0) return fail("buffer " + b.name + " has a negative number of elements");
      if (b.space == Space::global && tiles) return fail("global buffer " + b.name + " stands after a tile");
      if (b.space == Space::own && grid_.threads.empty()) return fail("buffer " + b.name + " belongs to a thread, and there is none");
      tiles = tiles || b.space != Space::global;
      if (b.space == Space::tile) tile_bytes += b.elements * graph::byte_size(b.type);
    }
    if (tile_bytes > tile_bytes_limit)
      return fail("its tiles take " + std::to_string(tile_bytes) + " bytes of stack; the limit is " + std::to_string(tile_bytes_limit));
    for (const Register& r : nest_.registers) {
      if (!computing(r.type)) return fail("register " + r.name + " has storage type " + std::string(graph::name(r.type)));
      if (!power_of_two(r.lanes) || r.lanes > 32) return fail("register " + r.name + " has " + std::to_string(r.lanes) + " lanes");
    }
    return base::done();
  }

  Status block(const Block& statements) {
    std::vector<int> declared;
    for (const Statement& s : statements) {
      if (Status status = statement(s, declared); !status) return status;
    }
    for (const int r : declared) state_[at(r)] = State::undefined;
    return base::done();
  }

  Status statement(const Statement& s, std::vector<int>& declared) {
    switch (s.kind) {
      case StatementKind::loop: return loop(s);
      case StatementKind::store: return store(s);
      case StatementKind::only: return only(s);
      case StatementKind::combine: return combine(s);
      case StatementKind::barrier: return barrier();
      default: return assign(s, declared);
    }
  }

  // -- blocks and threads ------------------------------------------------------------------------------------------------

  Status enter_grid() {
    if (iterations(grid_.threads) > threads_limit) return fail("a block has " + std::to_string(iterations(grid_.threads)) + " threads; at most 1024 are allowed");
    for (const auto* loops : {&grid_.grid, &grid_.threads})
      for (const Statement* loop : *loops) {
        if (loop->step != 1 || trip_count(*loop) < 1) return fail("a loop over blocks or threads needs a step of 1 and an iteration");
        if (scope_.ranges[at(loop->variable)].open) return fail("loop variable " + nest_.variables[at(loop->variable)] + " is used by two nested loops");
        outside_.push_back(scope_);
        scope_.enter(*loop);
      }
    return base::done();
  }

  const Statement* thread_loop(int variable) const {
    for (const Statement* loop : grid_.threads)
      if (loop->variable == variable) return loop;
    return nullptr;
  }

  Status only(const Statement& s) {
    if (s.variable < 0 || at(s.variable) >= nest_.variables.size()) return fail("an only has no variable");
    const std::string& name = nest_.variables[at(s.variable)];
    const bool thread = thread_loop(s.variable) != nullptr;
    const bool block_variable = std::any_of(grid_.grid.begin(), grid_.grid.end(), [&](const Statement* loop) { return loop->variable == s.variable; });
    if (!thread && !block_variable) return fail("only " + name + ": no loop over blocks or threads has this variable");
    const LoopRange before = scope_.narrow(s);
    Status status = base::done();
    if (const LoopRange& range = scope_.ranges[at(s.variable)]; range.begin <= range.last) {
      if (thread) apart_.push_back(s.variable);
      status = block(s.body);
      if (thread) apart_.pop_back();
    }
    scope_.ranges[at(s.variable)] = before;
    return status;
  }

  // Inside a warp by shuffles; else, and over a loop that is not the innermost, through barriers that the whole block must reach.
  Status combine(const Statement& s) {
    const Statement* loop = thread_loop(s.variable);
    if (loop == nullptr) return fail("a combine is over a loop over threads");
    const std::string& name = nest_.variables[at(s.variable)];
    const std::int64_t count = trip_count(*loop);
    const bool shuffled = loop == grid_.threads.back() && count <= warp;
    if (!power_of_two(count)) return fail("combine over " + name + ": " + std::to_string(count) + " threads are no power of two");
    for (const int variable : apart_)
      if (variable == s.variable || !shuffled) return fail("combine over " + name + " is not reached by all of its threads");
    if (s.parts.empty() || s.parts.size() != s.others.size() || s.parts.size() != s.values.size()) return fail("combine over " + name + " has no parts");
    for (std::size_t k = 0; k < s.parts.size(); ++k) {
      const Register& part = nest_.registers[at(s.parts[k])];
      const Register& other = nest_.registers[at(s.others[k])];
      if (state_[at(s.parts[k])] == State::undefined) return fail("register " + part.name + " is combined before it is declared");
      if (part.lanes != other.lanes || part.type != other.type) return fail("register " + part.name + " is combined with another type");
      if (part.lanes != scope_.lanes || (part.lanes > 1 && loop == grid_.threads.back()))
        return fail("register " + part.name + " of " + std::to_string(part.lanes) + " lanes cannot be combined over " + name + " here");
      state_[at(s.others[k])] = State::inside;
    }
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      if (Status status = value(s.values[k], scope_.lanes, "combine over " + name); !status) return status;
      if (s.values[k]->type != nest_.registers[at(s.parts[k])].type) return fail("combine over " + name + " changes a type");
    }
    for (const int other : s.others) state_[at(other)] = State::undefined;
    return base::done();
  }

  Status barrier() {
    if (grid_.threads.empty()) return fail("a barrier without threads");
    if (!apart_.empty()) return fail("a barrier is not reached by all threads");
    if (loops_ > 0) return fail("a barrier stands inside a loop");
    return end_phase();
  }

  Status end_phase() {
    Status status = none_meet(phase_, grid_.grid.size(), outside_.size());
    phase_.clear();
    return status;
  }

  // For each of these loops, counted from the outermost over blocks to the innermost over threads: iterations under the same values of
  // the loops around it do not meet. Between barriers that holds for threads, over the whole body for blocks.
  Status none_meet(std::vector<Access>& accesses, std::size_t first, std::size_t end) {
    std::set<int> written;
    for (const Access& access : accesses)
      if (access.write) written.insert(access.buffer);
    std::erase_if(accesses, [&](const Access& access) { return !written.contains(access.buffer); });
    for (std::size_t k = first; k < end; ++k) {
      const Statement& loop = k < grid_.grid.size() ? *grid_.grid[k] : *grid_.threads[k - grid_.grid.size()];
      if (Status status = independent(nest_, loop, outside_[k], accesses); !status) return status;
    }
    return base::done();
  }

  // -- loops -------------------------------------------------------------------------------------------------------------

  Status loop(const Statement& s) {
    if (s.loop_kind == LoopKind::grid || s.loop_kind == LoopKind::thread) return fail("a loop over blocks or threads does not stand outermost");
    if (s.variable < 0 || at(s.variable) >= nest_.variables.size()) return fail("a loop has no variable");
    const std::string& name = nest_.variables[at(s.variable)];
    if (scope_.ranges[at(s.variable)].open) return fail("loop variable " + name + " is used by two nested loops");
    if (s.step < 1) return fail("loop " + name + " has step " + std::to_string(s.step));
    const bool vector = s.loop_kind == LoopKind::vector, parallel = s.loop_kind == LoopKind::parallel;
    if (vector && scope_.vector_variable >= 0) return fail("vector loop " + name + " stands inside another vector loop");
    if (vector && (!power_of_two(s.step) || s.step < 2 || s.step > 32))
      return fail("vector loop " + name + " has step " + std::to_string(s.step) + "; lanes are 2, 4, 8, 16 or 32");
    if (vector && (s.end - s.begin) % s.step != 0)
      return fail("the length of vector loop " + name + " is no multiple of its step");
    if (parallel && !grid_.threads.empty()) return fail("parallel loop " + name + " stands inside threads");
    if (parallel && parallel_ != nullptr) return fail("parallel loop " + name + " stands inside another parallel loop");
    if (parallel && scope_.vector_variable >= 0) return fail("parallel loop " + name + " stands inside a vector loop");
    if (trip_count(s) == 0) return base::done();
    if (parallel) return parallel_loop(s);
    return body(s);
  }

  Status body(const Statement& s) {
    scope_.enter(s);
    ++loops_;
    Status status = block(s.body);
    --loops_;
    scope_.leave(s);
    return status;
  }

  Status parallel_loop(const Statement& s) {
    parallel_ = &s;
    parallel_scope_ = scope_;
    accesses_.clear();
    Status status = body(s);
    parallel_ = nullptr;
    if (!status) return status;
    std::set<int> written;
    for (const Access& access : accesses_)
      if (access.write) written.insert(access.buffer);
    std::erase_if(accesses_, [&](const Access& access) { return !written.contains(access.buffer); });
    return independent(nest_, s, parallel_scope_, accesses_);
  }

  Status assign(const Statement& s, std::vector<int>& declared) {
    if (s.target < 0 || at(s.target) >= nest_.registers.size()) return fail("a let or update names no register");
    const Register& r = nest_.registers[at(s.target)];
    State& state = state_[at(s.target)];
    if (s.kind == StatementKind::let && state != State::undefined) return fail("register " + r.name + " is declared twice");
    if (s.kind == StatementKind::update && state == State::undefined) return fail("register " + r.name + " is updated before it is declared");
    if (s.kind == StatementKind::update && state == State::outside && parallel_ != nullptr)
      return fail("race: register " + r.name + " is declared outside parallel loop " + nest_.variables[at(parallel_->variable)] +
                  " and updated inside it");
    if (scope_.lanes > 1 && r.lanes != 1 && r.lanes != scope_.lanes)
      return fail("register " + r.name + " of " + std::to_string(r.lanes) + " lanes is set in a vector loop of " + std::to_string(scope_.lanes));
    if (Status status = value(s.value, r.lanes, "register " + r.name); !status) return status;
    if (s.value->type != r.type)
      return fail("register " + r.name + " is " + std::string(graph::name(r.type)) + " but its value is " + std::string(graph::name(s.value->type)));
    if (s.kind == StatementKind::let) {
      state = parallel_ == nullptr ? State::outside : State::inside;
      declared.push_back(s.target);
    }
    return base::done();
  }

  Status store(const Statement& s) {
    if (s.buffer < 0 || at(s.buffer) >= nest_.buffers.size()) return fail("a store names no buffer");
    const NestBuffer& b = nest_.buffers[at(s.buffer)];
    if (Status status = value(s.value, scope_.lanes, "store to " + b.name); !status) return status;
    return access(true, s.buffer, s.index, {});
  }

  // A value for a place of `lanes` lanes: well-formed, no wider than that, its reads inside their buffers.
  Status value(const Expr& e, int lanes, const std::string& where) {
    if (e == nullptr) return fail(where + " has no value");
    const auto is_defined = [this](int r) { return state_[at(r)] != State::undefined; };
    if (Status status = check_expression(*e, nest_, scope_, is_defined); !status) return fail(where + ": " + status.error().message);
    const int width = lanes_of(*e, nest_, scope_);
    if (width == 0) return fail(where + ": values of different numbers of lanes meet");
    if (width != 1 && width != lanes)
      return fail(where + ": a value of " + std::to_string(width) + " lanes does not fit " + std::to_string(lanes));
    return reads_of(*e, {});
  }

  Status reads_of(const Expression& e, const Constraints& constraints) {
    if (e.op == Op::read) return access(false, e.source, e.maps[0], constraints);
    if (e.op != Op::select) {
      for (const Expr& operand : e.operands)
        if (Status status = reads_of(*operand, constraints); !status) return status;
      return base::done();
    }
    Status status = reads_of(*e.operands[0], constraints);
    for (const bool holds : {true, false}) {
      if (!status) return status;
      Constraints known = constraints;
      add_constraints(*e.operands[0], holds, scope_, known);
      status = reads_of(*e.operands[holds ? 1 : 2], known);
    }
    return status;
  }

  Status access(bool write, int buffer, const Index& map, const Constraints& constraints) {
    const NestBuffer& b = nest_.buffers[at(buffer)];
    const std::string what = (write ? "store to " : "read of ") + b.name + "[" + text(map, nest_.variables) + "]";
    if (Status status = open_variables(map, nest_, scope_); !status) return fail(what + ": " + status.error().message);
    if (const auto outside = escape(map, b.elements, scope_, constraints))
      return fail(what + " is not shown to stay in bounds: offset " + std::to_string(*outside) + " of " + std::to_string(b.elements) + " elements");
    if (b.space == Space::own) return base::done();
    if (!grid_.threads.empty()) {
      phase_.push_back({write, buffer, map, scope_, constraints});
      if (b.space == Space::global) global_.push_back(phase_.back());
      return base::done();
    }
    if (b.space == Space::tile) return tile(buffer);
    if (parallel_ != nullptr) accesses_.push_back({write, buffer, map, scope_, constraints});
    return base::done();
  }

  // A tile is private to one iteration of a parallel loop, or to the code outside of all of them.
  Status tile(int buffer) {
    (parallel_ == nullptr ? tiles_outside_ : tiles_inside_).insert(buffer);
    if (tiles_outside_.contains(buffer) && tiles_inside_.contains(buffer))
      return fail("tile " + nest_.buffers[at(buffer)].name + " is used both inside and outside a parallel loop");
    return base::done();
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const LoopNest& nest_;
  Scope scope_;
  std::vector<State> state_;
  const Statement* parallel_ = nullptr;
  Scope parallel_scope_;
  std::vector<Access> accesses_;
  std::set<int> tiles_inside_, tiles_outside_;
  GridShape grid_;
  std::vector<Scope> outside_;               // of each loop over blocks or threads: what is open around it
  std::vector<int> apart_;                   // variables of threads that an open `only` parts
  int loops_ = 0;                            // open inside the threads
  std::vector<Access> global_, phase_;       // to global memory; to any of the block since the last barrier
};

}  // namespace

Status verify(const LoopNest& nest) { return Verifier(nest).run(); }

}  // namespace kw::kernel
