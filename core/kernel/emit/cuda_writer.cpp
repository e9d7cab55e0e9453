// What a kernel has in CUDA alone: the signature, the place of a thread, memory of the block and of the thread, unions.
#include "core/kernel/emit/statement_writer.h"

namespace kw::kernel {
namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

std::string quotient(const std::string& of, std::int64_t by) { return by == 1 ? of : of + " / " + number(by); }

}  // namespace

void StatementWriter::cuda_function() {
  const GridShape shape = grid_shape(nest_);
  const std::set<int> read = buffers_read(nest_.body);
  std::string parameters;
  for (std::size_t b = 0; b < nest_.buffers.size(); ++b) {
    const NestBuffer& buffer = nest_.buffers[b];
    if (buffer.space != Space::global) continue;
    const bool stored = stored_.contains(static_cast<int>(b));
    // What other threads of the block write is read after a barrier: a restricted pointer would let the read go before it.
    const std::string alone = stored && read.contains(static_cast<int>(b)) ? "* " : "* __restrict__ ";
    parameters += (parameters.empty() ? "" : ", ") + std::string(stored ? "" : "const ") + storage_type(buffer.type) + alone + names_.buffer(static_cast<int>(b));
  }
  line("extern \"C\" __global__ void __launch_bounds__(" + number(iterations(shape.threads)) + ") " + nest_.name + "(" + parameters + ") {");
  ++depth_;
  cuda_places(shape);
  cuda_tiles();
  block(shape.threads.back()->body);
  --depth_;
  line("}");
}

// The grid has one dimension; the innermost loop over threads is x, the one around it y.
void StatementWriter::cuda_places(const GridShape& shape) {
  std::int64_t below = iterations(shape.grid);
  for (const Statement* loop : shape.grid) {
    const std::int64_t count = trip_count(*loop);
    below /= count;
    std::string place = quotient("blockIdx.x", below);
    if (loop != shape.grid.front() && count > 1) place += " % " + number(count);
    line("const " + index_type_ + " " + names_.variable(loop->variable) + " = " + (count == 1 ? "0" : place) + ";  // of " + number(count));
    scope_.enter(*loop);
  }
  for (std::size_t k = 0; k < shape.threads.size(); ++k) {
    const Statement& loop = *shape.threads[k];
    const bool innermost = k + 1 == shape.threads.size();
    line("const " + index_type_ + " " + names_.variable(loop.variable) + " = " + (innermost ? "threadIdx.x" : "threadIdx.y") + ";  // of " +
         number(trip_count(loop)));
    scope_.enter(loop);
  }
}

void StatementWriter::cuda_tiles() {
  for (std::size_t b = 0; b < nest_.buffers.size(); ++b) {
    const NestBuffer& buffer = nest_.buffers[b];
    if (buffer.space == Space::global) continue;
    const std::string array = storage_type(buffer.type) + " " + names_.buffer(static_cast<int>(b)) + "[" + number(buffer.elements) + "];";
    line(buffer.space == Space::own ? array : "__shared__ alignas(16) " + array);
  }
}

void StatementWriter::once(const Statement& s) {
  line("{");
  ++depth_;
  line("const " + index_type_ + " " + names_.variable(s.variable) + " = " + number(s.begin) + ";");
  scope_.enter(s);
  block(s.body);
  scope_.leave(s);
  --depth_;
  line("}");
}

void StatementWriter::only(const Statement& s) {
  const LoopRange before = scope_.narrow(s);
  const LoopRange& now = scope_.ranges[static_cast<std::size_t>(s.variable)];
  const std::string& v = names_.variable(s.variable);
  std::string condition;
  if (now.begin == now.last) condition = v + " == " + number(now.begin);
  else if (now.begin == before.begin) condition = v + " < " + number(now.last + 1);
  else if (now.last == before.last) condition = v + " >= " + number(now.begin);
  else condition = v + " >= " + number(now.begin) + " && " + v + " < " + number(now.last + 1);
  if (now.begin <= now.last) {
    line("if (" + condition + ") {");
    ++depth_;
    block(s.body);
    --depth_;
    line("}");
  }
  scope_.ranges[static_cast<std::size_t>(s.variable)] = before;
}

void StatementWriter::combine(const Statement& s) {
  std::string mine, theirs, arguments;
  for (std::size_t k = 0; k < s.parts.size(); ++k) {
    const std::string type = vector_type(nest_.registers[static_cast<std::size_t>(s.parts[k])].type, 1);
    mine += type + "& " + names_.reg(s.parts[k]) + ", ";
    theirs += (k > 0 ? ", " : "") + type + " " + names_.reg(s.others[k]);
    arguments += ", " + names_.reg(s.parts[k]);
  }
  const std::int64_t threads = scope_.ranges[static_cast<std::size_t>(s.variable)].last + 1;
  line("combine<" + number(threads) + ">([](" + mine + theirs + ") {");
  ++depth_;
  std::vector<std::string> values;
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    std::vector<std::string> before;
    const DType type = nest_.registers[static_cast<std::size_t>(s.parts[k])].type;
    values.push_back(expressions_.value(s.values[k], type, 1, before));
    flush(before);
    if (s.values.size() == 1) break;
    const std::string name = names_.fresh("united");
    line("const " + vector_type(type, 1) + " " + name + " = " + values.back() + ";");
    values.back() = name;
  }
  for (std::size_t k = 0; k < values.size(); ++k) line(names_.reg(s.parts[k]) + " = " + values[k] + ";");
  --depth_;
  line("}" + arguments + ");");
}

}  // namespace kw::kernel
