#include "core/kernel/recipe/nest_builder.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

bool leaf(const Expr& e) { return e->op == Op::constant || e->op == Op::reg || e->op == Op::lane; }

std::string stem(const Expr& e) {
  if (e->op == Op::read) return "x";
  return e->op == Op::index || e->op == Op::cast ? "v" : name(e->op);
}

}  // namespace

int NestBuilder::add_variable(const std::string& name) {
  nest_.variables.push_back(name);
  extents_.push_back(1);
  bounds_.push_back({0, 0});
  level_of_variable_.push_back(0);
  return static_cast<int>(nest_.variables.size()) - 1;
}

void NestBuilder::open_loop(int variable, std::int64_t begin, std::int64_t end, std::int64_t step, LoopKind kind) {
  const auto v = static_cast<std::size_t>(variable);
  Level level;
  level.loop.kind = StatementKind::loop;
  level.loop.variable = variable;
  level.loop.begin = begin;
  level.loop.end = end;
  level.loop.step = step;
  level.loop.loop_kind = kind;
  levels_.push_back(std::move(level));
  extents_[v] = end;
  bounds_[v] = {begin, end - 1};
  level_of_variable_[v] = depth();
  next_epoch();
}

// Inside, the variable counts as fixed here: what depends on it is not lifted past its guard.
void NestBuilder::open_only(int variable, std::int64_t begin, std::int64_t end) {
  const auto v = static_cast<std::size_t>(variable);
  Level level;
  level.loop.kind = StatementKind::only;
  level.loop.variable = variable;
  level.loop.begin = begin;
  level.loop.end = end;
  level.bounds_before = bounds_[v];
  level.level_before = level_of_variable_[v];
  levels_.push_back(std::move(level));
  bounds_[v] = {std::max(bounds_[v].low, begin), std::min(bounds_[v].high, end - 1)};
  level_of_variable_[v] = depth();
  next_epoch();
}

void NestBuilder::close_loop() {
  Level level = std::move(levels_.back());
  levels_.pop_back();
  if (level.loop.kind == StatementKind::only) {
    bounds_[static_cast<std::size_t>(level.loop.variable)] = level.bounds_before;
    level_of_variable_[static_cast<std::size_t>(level.loop.variable)] = level.level_before;
  }
  next_epoch();
  if (level.block.empty()) return;
  level.loop.body = std::move(level.block);
  levels_.back().block.push_back(std::move(level.loop));
}

Block NestBuilder::finish() { return std::move(levels_.front().block); }

// Loops and updates change what accumulators hold: whatever reads one gets a new identity.
void NestBuilder::next_epoch() {
  ++epoch_;
  id_of_.clear();
  level_of_.clear();
  alive_.clear();
}

void NestBuilder::written_here(int buffer) {
  pinned_[buffer] = depth();
  ++generation_;
  next_epoch();
}

int NestBuilder::id(const Expr& e) {
  if (const auto found = id_of_.find(e.get()); found != id_of_.end()) return found->second;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &e->number, sizeof bits);
  std::string key = std::to_string(static_cast<int>(e->op)) + ":" + std::to_string(static_cast<int>(e->type)) + ":" +
                    std::to_string(bits) + ":" + std::to_string(e->integer) + ":" + std::to_string(e->source);
  if (e->op == Op::reg && changes_[static_cast<std::size_t>(e->source)]) key += "@" + std::to_string(epoch_);
  if (e->op == Op::read && pinned_.contains(e->source)) key += "#" + std::to_string(generation_);
  for (std::size_t k = 0; k < e->maps.size(); ++k) {
    key += ";" + kernel::text(e->maps[k]);
    if (k < e->limits.size()) key += "<" + std::to_string(e->limits[k]);
  }
  for (const Expr& operand : e->operands) key += "," + std::to_string(id(operand));
  const int number = ids_.emplace(std::move(key), static_cast<int>(ids_.size())).first->second;
  alive_.push_back(e);
  id_of_.emplace(e.get(), number);
  return number;
}

int NestBuilder::floor_level() const {
  for (int l = depth(); l > 0; --l)
    if (const LoopKind kind = levels_[static_cast<std::size_t>(l)].loop.loop_kind;
        kind == LoopKind::parallel || kind == LoopKind::grid || kind == LoopKind::thread) return l;
  return 0;
}

int NestBuilder::level(const Expr& e) {
  if (const auto found = level_of_.find(e.get()); found != level_of_.end()) return found->second;
  int at = floor_level();
  for (std::size_t v = 0; v < level_of_variable_.size(); ++v)
    for (const Index& map : e->maps)
      if (depends_on(map, static_cast<int>(v))) at = std::max(at, level_of_variable_[v]);
  if (e->op == Op::read)
    if (const auto pin = pinned_.find(e->source); pin != pinned_.end()) at = std::max(at, pin->second);
  if (e->op == Op::reg) {
    const auto r = static_cast<std::size_t>(e->source);
    at = changes_[r] ? depth() : std::max(at, level_of_register_[r]);
  }
  for (const Expr& operand : e->operands) at = std::max(at, level(operand));
  alive_.push_back(e);
  level_of_.emplace(e.get(), at);
  return at;
}

int NestBuilder::lanes(const Expr& e) {
  int widest = 1;
  const auto see = [&](const Expr& node, const auto& self, std::set<const Expression*>& seen) -> void {
    if (node->op == Op::lane || !seen.insert(node.get()).second) return;
    if (node->op == Op::reg) widest = std::max(widest, nest_.registers[static_cast<std::size_t>(node->source)].lanes);
    for (const Level& level : levels_)
      if (level.loop.loop_kind == LoopKind::vector)
        for (const Index& map : node->maps)
          if (depends_on(map, level.loop.variable)) widest = std::max(widest, static_cast<int>(level.loop.step));
    for (const Expr& operand : node->operands) self(operand, self, seen);
  };
  std::set<const Expression*> seen;
  see(e, see, seen);
  return widest;
}

Expr NestBuilder::new_register(const std::string& name, DType type, int lanes, int level) {
  nest_.registers.push_back({name, type, lanes});
  level_of_register_.push_back(level);
  changes_.push_back(false);
  return register_read(static_cast<int>(nest_.registers.size()) - 1, type);
}

void NestBuilder::expect(const std::vector<Expr>& values) {
  uses_.clear();
  std::set<int> seen;
  const auto count = [&](const Expr& e, const auto& self) -> void {
    const int number = id(e);
    ++uses_[number];
    if (!seen.insert(number).second) return;
    for (const Expr& operand : e->operands) self(operand, self);
  };
  for (const Expr& e : values) count(e, count);
}

Expr NestBuilder::let(const Expr& e, int level, const std::string& name) {
  const int number = id(e);
  Expr value = e;
  if (!has_guard(e) && !e->operands.empty()) {
    std::vector<Expr> operands;
    for (const Expr& operand : e->operands) operands.push_back(place(operand, level));
    value = with_operands(e, std::move(operands));
  }
  const Expr result = new_register(name, e->type, lanes(value), level);
  Statement statement;
  statement.kind = StatementKind::let;
  statement.target = result->source;
  statement.value = value;
  Level& at = levels_[static_cast<std::size_t>(level)];
  at.block.push_back(std::move(statement));
  at.known[number] = result;
  return result;
}

Expr NestBuilder::place(const Expr& e, int depth) {
  if (leaf(e)) return e;
  const int number = id(e);
  for (int l = depth; l >= 0; --l) {
    const auto& known = levels_[static_cast<std::size_t>(l)].known;
    if (const auto found = known.find(number); found != known.end()) return found->second;
  }
  const bool bare = e->op == Op::index || e->op == Op::in_bounds;
  if (const int outermost = level(e); outermost < depth && !bare) return let(e, outermost, stem(e));
  if (e->op == Op::read || (uses_[number] > 1 && !bare)) return let(e, depth, stem(e));
  if (bare || has_guard(e)) return e;
  std::vector<Expr> operands;
  for (const Expr& operand : e->operands) operands.push_back(place(operand, depth));
  return with_operands(e, std::move(operands));
}

Expr NestBuilder::named(const Expr& e, const std::string& name) {
  const Expr placed = place(e, depth());
  if (placed->op == Op::reg) return placed;
  const int number = id(e);
  const Expr result = new_register(name, e->type, lanes(placed), depth());
  Statement statement;
  statement.kind = StatementKind::let;
  statement.target = result->source;
  statement.value = placed;
  levels_.back().block.push_back(std::move(statement));
  levels_.back().known[number] = result;
  return result;
}

Expr NestBuilder::accumulator(const std::string& name, DType type, int lanes, const Expr& start, int level) {
  const Expr result = new_register(name, type, lanes, level);
  changes_.back() = true;
  Statement statement;
  statement.kind = StatementKind::let;
  statement.target = result->source;
  statement.value = start;
  levels_[static_cast<std::size_t>(level)].block.push_back(std::move(statement));
  return result;
}

void NestBuilder::update(const Expr& accumulator, const Expr& value) {
  Statement statement;
  statement.kind = StatementKind::update;
  statement.target = accumulator->source;
  statement.value = value;
  levels_.back().block.push_back(std::move(statement));
  next_epoch();
}

void NestBuilder::store(int buffer, const Index& offset, const Expr& value) {
  Statement statement;
  statement.kind = StatementKind::store;
  statement.buffer = buffer;
  statement.index = offset;
  statement.value = value;
  levels_.back().block.push_back(std::move(statement));
}

void NestBuilder::combine(int variable, const std::vector<Expr>& parts, const std::string& name, const Unite& unite) {
  Statement statement;
  statement.kind = StatementKind::combine;
  statement.variable = variable;
  std::vector<Expr> others;
  for (const Expr& part : parts) {
    others.push_back(new_register(name + ".other", part->type, nest_.registers[static_cast<std::size_t>(part->source)].lanes, depth()));
    statement.parts.push_back(part->source);
    statement.others.push_back(others.back()->source);
  }
  statement.values = unite(parts, others);
  levels_.back().block.push_back(std::move(statement));
  next_epoch();
}

void NestBuilder::barrier() {
  Statement statement;
  statement.kind = StatementKind::barrier;
  levels_.back().block.push_back(std::move(statement));
  ++generation_;
  next_epoch();
}

}  // namespace kw::kernel::lowering
