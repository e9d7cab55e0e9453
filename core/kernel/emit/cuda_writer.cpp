// What a kernel has in CUDA alone: the signature, the place of a thread, memory of the block and of the thread, unions.
#include "core/kernel/emit/shared_memory.h"
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
  const SharedMemory memory = shared_memory(nest_);
  const std::string tiles = names_.fresh("tiles");
  unions_ = names_.fresh("unions");
  if (memory.dynamic()) line("alignas(16) extern __shared__ u8 " + tiles + "[];  // " + number(memory.tile_bytes) + " bytes, asked for at the launch");
  if (memory.row_union_bytes > 0) line("__shared__ alignas(16) u8 " + unions_ + "[" + number(memory.row_union_bytes) + "];");
  for (std::size_t b = 0; b < nest_.buffers.size(); ++b) {
    const NestBuffer& buffer = nest_.buffers[b];
    if (buffer.space == Space::global) continue;
    const std::string type = storage_type(buffer.type), name = names_.buffer(static_cast<int>(b));
    const std::string array = type + " " + name + "[" + number(buffer.elements) + "];";
    if (buffer.space == Space::own) line(array);
    else if (!memory.dynamic()) line("__shared__ alignas(16) " + array);
    else line(type + "* const " + name + " = (" + type + "*)(" + tiles + " + " + number(memory.tile_at[b]) + ");  // " + number(buffer.elements) + " elements");
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
    const Register& part = nest_.registers[static_cast<std::size_t>(s.parts[k])];
    const std::string type = vector_type(part.type, part.lanes);
    mine += type + "& " + names_.reg(s.parts[k]) + ", ";
    theirs += (k > 0 ? ", " : "") + type + " " + names_.reg(s.others[k]);
    arguments += ", " + names_.reg(s.parts[k]);
  }
  const auto threads = [this](int variable) { return number(scope_.ranges[static_cast<std::size_t>(variable)].last + 1); };
  const int innermost = grid_shape(nest_).threads.back()->variable;
  const std::string function = s.variable == innermost ? "combine<" + threads(innermost) + ">("
                                                       : "combine_rows<" + threads(innermost) + ", " + threads(s.variable) + ">(" + unions_ + ", ";
  line(function + "[](" + mine + theirs + ") {");
  ++depth_;
  std::vector<std::string> values;
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    std::vector<std::string> before;
    const Register& part = nest_.registers[static_cast<std::size_t>(s.parts[k])];
    values.push_back(expressions_.value(s.values[k], part.type, part.lanes, before));
    flush(before);
    if (s.values.size() == 1) break;
    const std::string name = names_.fresh("united");
    line("const " + vector_type(part.type, part.lanes) + " " + name + " = " + values.back() + ";");
    values.back() = name;
  }
  for (std::size_t k = 0; k < values.size(); ++k) line(names_.reg(s.parts[k]) + " = " + values[k] + ";");
  --depth_;
  line("}" + arguments + ");");
}

}  // namespace kw::kernel
