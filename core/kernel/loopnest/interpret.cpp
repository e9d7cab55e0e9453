// The tests' second opinion: walks the nest lane by lane, evaluates every expression by recursion, checks every offset.
#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "core/kernel/loopnest/arithmetic.h"
#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {
namespace {

using base::Result;
using base::Status;

// What one thread has of its own. The cpu's walk is one thread.
struct Thread {
  std::vector<std::int64_t> variables;
  std::vector<std::vector<Scalar>> registers;
  std::vector<std::vector<double>> own;      // by buffer
  int number = 0;
};
using Threads = std::vector<Thread*>;

// The threads of a block go through the nest in step, statement by statement. That alone would hide a missing barrier: who
// touched which element of a tile since the last one is kept, and two threads that meet there without one are an error.
class TileWatch {
 public:
  void barrier() { writers_.clear(), readers_.clear(); }
  bool meets(int buffer, std::int64_t element, int thread, bool write) {
    const std::pair place{buffer, element};
    const auto writer = writers_.find(place);
    if (writer != writers_.end() && writer->second != thread) return true;
    if (!write) {
      const auto [reader, fresh] = readers_.emplace(place, thread);
      if (reader->second != thread) reader->second = several;
      return false;
    }
    const auto reader = readers_.find(place);
    if (reader != readers_.end() && reader->second != thread) return true;
    writers_[place] = thread;
    return false;
  }

 private:
  static constexpr int several = -1;
  std::map<std::pair<int, std::int64_t>, int> writers_, readers_;
};

class Interpreter {
 public:
  Interpreter(const LoopNest& nest, std::vector<std::vector<double>>& memory) : nest_(nest), memory_(memory), scope_(nest) {}

  Status run() {
    const GridShape shape = grid_shape(nest_);
    if (shape.threads.empty()) {
      Thread only = new_thread(0);
      return block(nest_.body, {&only});
    }
    watching_ = true;
    for (const auto* loops : {&shape.grid, &shape.threads})
      for (const Statement* loop : *loops) scope_.enter(*loop);
    const std::int64_t blocks = iterations(shape.grid), threads = iterations(shape.threads);
    for (std::int64_t b = 0; b < blocks; ++b)
      if (Status status = block_of_threads(shape, b, threads); !status) return status;
    return base::done();
  }

 private:
  Thread new_thread(int number) const {
    Thread thread{std::vector<std::int64_t>(nest_.variables.size()), std::vector<std::vector<Scalar>>(nest_.registers.size()), {}, number};
    for (const NestBuffer& buffer : nest_.buffers)
      thread.own.emplace_back(buffer.space == Space::own ? at(buffer.elements) : 0, std::numeric_limits<double>::quiet_NaN());
    return thread;
  }

  static void place(const std::vector<const Statement*>& loops, std::int64_t number, Thread& thread) {
    for (std::size_t k = loops.size(); k-- > 0; number /= trip_count(*loops[k]))
      thread.variables[at(loops[k]->variable)] = loops[k]->begin + number % trip_count(*loops[k]);
  }

  Status block_of_threads(const GridShape& shape, std::int64_t number, std::int64_t count) {
    for (std::size_t b = 0; b < memory_.size(); ++b)
      if (nest_.buffers[b].space == Space::tile) std::fill(memory_[b].begin(), memory_[b].end(), std::numeric_limits<double>::quiet_NaN());
    watch_.barrier();
    std::vector<Thread> threads;
    for (std::int64_t t = 0; t < count; ++t) {
      threads.push_back(new_thread(static_cast<int>(t)));
      place(shape.grid, number, threads.back());
      place(shape.threads, t, threads.back());
    }
    Threads all;
    for (Thread& thread : threads) all.push_back(&thread);
    return block(shape.threads.back()->body, all);
  }

  Status block(const Block& statements, const Threads& threads) {
    for (const Statement& s : statements)
      if (Status status = statement(s, threads); !status) return status;
    return base::done();
  }

  Status statement(const Statement& s, const Threads& threads) {
    switch (s.kind) {
      case StatementKind::loop: return loop(s, threads);
      case StatementKind::only: return only(s, threads);
      case StatementKind::combine: return combine(s, threads);
      case StatementKind::barrier: watch_.barrier(); return base::done();
      default: break;
    }
    for (Thread* thread : threads) {
      now_ = thread;
      if (Status status = s.kind == StatementKind::store ? store(s) : assign(s); !status) return status;
    }
    return base::done();
  }

  Status loop(const Statement& s, const Threads& threads) {
    scope_.enter(s);
    Status status = base::done();
    for (std::int64_t i = s.begin; i < s.end && status; i += s.step) {
      for (Thread* thread : threads) thread->variables[at(s.variable)] = i;
      status = block(s.body, threads);
    }
    scope_.leave(s);
    return status;
  }

  Status only(const Statement& s, const Threads& threads) {
    Threads wanted;
    for (Thread* thread : threads)
      if (const std::int64_t value = thread->variables[at(s.variable)]; value >= s.begin && value < s.end) wanted.push_back(thread);
    const LoopRange before = scope_.narrow(s);
    const Status status = wanted.empty() ? base::done() : block(s.body, wanted);
    scope_.ranges[at(s.variable)] = before;
    return status;
  }

  // Threads that differ in the variable alone, united one after the other; all of them get the result.
  Status combine(const Statement& s, const Threads& threads) {
    std::map<std::vector<std::int64_t>, Threads> groups;
    for (Thread* thread : threads) {
      std::vector<std::int64_t> key = thread->variables;
      key[at(s.variable)] = 0;
      groups[std::move(key)].push_back(thread);
    }
    for (auto& [key, group] : groups) {
      now_ = group.front();
      for (std::size_t t = 1; t < group.size(); ++t) {
        for (std::size_t k = 0; k < s.parts.size(); ++k) now_->registers[at(s.others[k])] = group[t]->registers[at(s.parts[k])];
        if (Status status = unite(s); !status) return status;
      }
      for (Thread* thread : group)
        for (const int part : s.parts) thread->registers[at(part)] = group.front()->registers[at(part)];
    }
    return base::done();
  }

  Status unite(const Statement& s) {
    std::vector<std::vector<Scalar>> next;
    for (std::size_t k = 0; k < s.parts.size(); ++k) {
      Result<std::vector<Scalar>> lanes = lanes_for(s.parts[k], *s.values[k]);
      if (!lanes) return lanes.error();
      next.push_back(std::move(*lanes));
    }
    for (std::size_t k = 0; k < s.parts.size(); ++k) now_->registers[at(s.parts[k])] = std::move(next[k]);
    return base::done();
  }

  Status assign(const Statement& s) {
    Result<std::vector<Scalar>> lanes = lanes_for(s.target, *s.value);
    if (!lanes) return lanes.error();
    now_->registers[at(s.target)] = std::move(*lanes);
    return base::done();
  }

  Result<std::vector<Scalar>> lanes_for(int target, const Expression& value) {
    std::vector<Scalar> lanes;
    for (int lane = 0; lane < nest_.registers[at(target)].lanes; ++lane) {
      Result<Scalar> one = evaluate(value, lane);
      if (!one) return one.error();
      lanes.push_back(convert(*one, nest_.registers[at(target)].type));
    }
    return lanes;
  }

  Status store(const Statement& s) {
    std::vector<Scalar> values;
    const int lanes = scope_.lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      Result<Scalar> value = evaluate(*s.value, lane);
      if (!value) return value.error();
      values.push_back(*value);
    }
    for (int lane = 0; lane < lanes; ++lane) {
      Result<double*> place = element(s.buffer, s.index, lane, true);
      if (!place) return place.error();
      **place = stored(values[at(lane)], nest_.buffers[at(s.buffer)].type);
    }
    return base::done();
  }

  Result<double*> element(int buffer, const Index& map, int lane, bool write = false) {
    const std::int64_t offset = index(map, lane);
    const bool own = nest_.buffers[at(buffer)].space == Space::own;
    std::vector<double>& data = own ? now_->own[at(buffer)] : memory_[at(buffer)];
    const std::int64_t limit = std::min(nest_.buffers[at(buffer)].elements, static_cast<std::int64_t>(data.size()));
    if (offset < 0 || offset >= limit)
      return base::Error{base::ErrorCode::internal,
                         "offset " + std::to_string(offset) + " of " + nest_.buffers[at(buffer)].name + " is outside its " +
                             std::to_string(limit) + " elements", nest_.name};
    if (watching_ && nest_.buffers[at(buffer)].space == Space::tile && watch_.meets(buffer, offset, now_->number, write))
      return base::Error{base::ErrorCode::internal, "race: two threads meet at " + nest_.buffers[at(buffer)].name + "[" + std::to_string(offset) +
                                                        "] with no barrier between them", nest_.name};
    return &data[at(offset)];
  }

  std::int64_t index(const Index& map, int lane) {
    if (scope_.vector_variable < 0) return kernel::evaluate(map, now_->variables);
    std::int64_t& v = now_->variables[at(scope_.vector_variable)];
    v += lane;
    const std::int64_t result = kernel::evaluate(map, now_->variables);
    v -= lane;
    return result;
  }

  Scalar bounds(const Expression& e, int lane) {
    for (std::size_t k = 0; k < e.maps.size(); ++k) {
      const std::int64_t value = index(e.maps[k], lane);
      if (value < 0 || value >= e.limits[k]) return of_integer(e.type, 0);
    }
    return of_integer(e.type, 1);
  }

  Result<Scalar> register_lane(int r, int lane) {
    const std::vector<Scalar>& lanes = now_->registers[at(r)];
    if (lanes.empty())
      return base::Error{base::ErrorCode::internal, "register " + nest_.registers[at(r)].name + " is read before it is set", nest_.name};
    return lanes.size() == 1 ? lanes[0] : lanes[at(lane) % lanes.size()];
  }

  Result<Scalar> evaluate(const Expression& e, int lane) {
    switch (e.op) {
      case Op::constant: return graph::is_floating(e.type) ? of_number(e.type, e.number) : of_integer(e.type, e.integer);
      case Op::index: return of_integer(e.type, index(e.maps[0], lane));
      case Op::in_bounds: return bounds(e, lane);
      case Op::reg: return register_lane(e.source, lane);
      case Op::lane: return register_lane(e.operands[0]->source, static_cast<int>(e.integer));
      case Op::read: {
        Result<double*> place = element(e.source, e.maps[0], lane);
        if (!place) return place.error();
        return loaded(**place, e.type);
      }
      case Op::select: {
        Result<Scalar> condition = evaluate(*e.operands[0], lane);
        if (!condition) return condition;
        return evaluate(*e.operands[condition->integer != 0 ? 1 : 2], lane);
      }
      default: return arithmetic(e, lane);
    }
  }

  Result<Scalar> arithmetic(const Expression& e, int lane) {
    Result<Scalar> a = evaluate(*e.operands[0], lane);
    if (!a || e.operands.size() == 1) return a ? apply(e.op, e.type, *a) : a;
    Result<Scalar> b = evaluate(*e.operands[1], lane);
    return b ? apply(e.op, e.type, *a, *b) : b;
  }

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  const LoopNest& nest_;
  std::vector<std::vector<double>>& memory_;
  Scope scope_;
  Thread* now_ = nullptr;
  TileWatch watch_;
  bool watching_ = false;
};

}  // namespace

Status interpret(const LoopNest& nest, std::vector<std::vector<double>>& memory) {
  if (memory.size() != nest.buffers.size())
    return base::bad_input("memory holds " + std::to_string(memory.size()) + " buffers, the nest names " +
                               std::to_string(nest.buffers.size()), nest.name);
  for (std::size_t b = 0; b < memory.size(); ++b)
    if (memory[b].empty() && nest.buffers[b].space == Space::tile)
      memory[b].resize(static_cast<std::size_t>(nest.buffers[b].elements));
  return Interpreter(nest, memory).run();
}

}  // namespace kw::kernel
