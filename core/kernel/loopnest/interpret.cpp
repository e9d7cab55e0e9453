// The tests' second opinion: walks the nest lane by lane, evaluates every expression by recursion, checks every offset.
#include <string>

#include "core/kernel/loopnest/arithmetic.h"
#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {
namespace {

using base::Result;
using base::Status;

class Interpreter {
 public:
  Interpreter(const LoopNest& nest, std::vector<std::vector<double>>& memory)
      : nest_(nest), memory_(memory), scope_(nest), variables_(nest.variables.size()), registers_(nest.registers.size()) {}

  Status run() { return block(nest_.body); }

 private:
  Status block(const Block& statements) {
    for (const Statement& s : statements)
      if (Status status = statement(s); !status) return status;
    return base::done();
  }

  Status statement(const Statement& s) {
    switch (s.kind) {
      case StatementKind::loop: return loop(s);
      case StatementKind::store: return store(s);
      default: return assign(s);
    }
  }

  Status loop(const Statement& s) {
    scope_.enter(s);
    Status status = base::done();
    for (std::int64_t i = s.begin; i < s.end && status; i += s.step) {
      variables_[at(s.variable)] = i;
      status = block(s.body);
    }
    scope_.leave(s);
    return status;
  }

  Status assign(const Statement& s) {
    std::vector<Scalar> lanes;
    for (int lane = 0; lane < nest_.registers[at(s.target)].lanes; ++lane) {
      Result<Scalar> value = evaluate(*s.value, lane);
      if (!value) return value.error();
      lanes.push_back(convert(*value, nest_.registers[at(s.target)].type));
    }
    registers_[at(s.target)] = std::move(lanes);
    return base::done();
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
      Result<double*> place = element(s.buffer, s.index, lane);
      if (!place) return place.error();
      **place = stored(values[at(lane)], nest_.buffers[at(s.buffer)].type);
    }
    return base::done();
  }

  Result<double*> element(int buffer, const Index& map, int lane) {
    const std::int64_t offset = index(map, lane);
    std::vector<double>& data = memory_[at(buffer)];
    const std::int64_t limit = std::min(nest_.buffers[at(buffer)].elements, static_cast<std::int64_t>(data.size()));
    if (offset < 0 || offset >= limit)
      return base::Error{base::ErrorCode::internal,
                         "offset " + std::to_string(offset) + " of " + nest_.buffers[at(buffer)].name + " is outside its " +
                             std::to_string(limit) + " elements", nest_.name};
    return &data[at(offset)];
  }

  std::int64_t index(const Index& map, int lane) {
    if (scope_.vector_variable < 0) return kernel::evaluate(map, variables_);
    std::int64_t& v = variables_[at(scope_.vector_variable)];
    v += lane;
    const std::int64_t result = kernel::evaluate(map, variables_);
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
    const std::vector<Scalar>& lanes = registers_[at(r)];
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
  std::vector<std::int64_t> variables_;
  std::vector<std::vector<Scalar>> registers_;
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
