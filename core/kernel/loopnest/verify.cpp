// The walk: structure, registers and lanes statement by statement; bounds at each access; accesses inside a parallel loop
// gathered for the proof of independence. Expressions are checked in verify_expression.cpp.
#include <algorithm>
#include <set>

#include "core/kernel/loopnest/races.h"
#include "core/kernel/loopnest/verify_expression.h"

namespace kw::kernel {
namespace {

using base::Status;

constexpr std::int64_t tile_bytes_limit = 1 << 20;       // tiles live on a thread's stack

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
  explicit Verifier(const LoopNest& nest) : nest_(nest), scope_(nest), state_(nest.registers.size()), parallel_scope_(nest) {}

  Status run() {
    if (Status status = header(); !status) return status;
    return block(nest_.body);
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
      tiles = tiles || b.space == Space::tile;
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
      Status status = s.kind == StatementKind::loop ? loop(s) : s.kind == StatementKind::store ? store(s) : assign(s, declared);
      if (!status) return status;
    }
    for (const int r : declared) state_[at(r)] = State::undefined;
    return base::done();
  }

  Status loop(const Statement& s) {
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
    if (parallel && parallel_ != nullptr) return fail("parallel loop " + name + " stands inside another parallel loop");
    if (parallel && scope_.vector_variable >= 0) return fail("parallel loop " + name + " stands inside a vector loop");
    if (trip_count(s) == 0) return base::done();
    if (parallel) return parallel_loop(s);
    return body(s);
  }

  Status body(const Statement& s) {
    scope_.enter(s);
    Status status = block(s.body);
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
};

}  // namespace

Status verify(const LoopNest& nest) { return Verifier(nest).run(); }

}  // namespace kw::kernel
