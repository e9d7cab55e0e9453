#include "core/kernel/emit/statement_writer.h"

#include <functional>

namespace kw::kernel {
namespace {

void visit(const Block& block, const std::function<void(const Statement&)>& see) {
  for (const Statement& s : block) {
    see(s);
    visit(s.body, see);
  }
}

std::set<int> buffers_used(const Block& block) {
  std::set<int> used = buffers_read(block);
  visit(block, [&](const Statement& s) {
    if (s.kind == StatementKind::store) used.insert(s.buffer);
  });
  return used;
}

bool contains_parallel(const Statement& s) {
  bool found = s.kind == StatementKind::loop && s.loop_kind == LoopKind::parallel;
  visit(s.body, [&](const Statement& inner) {
    found = found || (inner.kind == StatementKind::loop && inner.loop_kind == LoopKind::parallel);
  });
  return found;
}

}  // namespace

std::set<int> buffers_read(const Block& block) {
  std::set<int> read;
  visit(block, [&](const Statement& s) {
    if (s.value == nullptr) return;
    for (const Expression* e : reads(s.value)) read.insert(e->source);
  });
  return read;
}

StatementWriter::StatementWriter(const LoopNest& nest, Dialect dialect)
    : nest_(nest), dialect_(dialect), index_type_(index_type(nest, dialect)), names_(nest), scope_(nest), expressions_(nest, names_, scope_, dialect) {
  visit(nest.body, [this](const Statement& s) {
    if (s.kind == StatementKind::store) stored_.insert(s.buffer);
    if (s.kind == StatementKind::update) updated_.insert(s.target);
    updated_.insert(s.parts.begin(), s.parts.end());
  });
}

void StatementWriter::line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }

void StatementWriter::comment() {
  for (std::size_t begin = 0; begin < nest_.comment.size();) {
    const std::size_t end = std::min(nest_.comment.find('\n', begin), nest_.comment.size());
    std::string text = nest_.comment.substr(begin, end - begin);
    while (!text.empty() && text.back() == '\\') text.pop_back();      // a backslash would swallow the next line
    line("// " + text);
    begin = end + 1;
  }
}

std::string StatementWriter::function() {
  comment();
  if (dialect_ == Dialect::cuda) {
    cuda_function();
    return out_;
  }
  line("extern \"C\" __attribute__((visibility(\"default\"))) void " + nest_.name + "(void* const* buffers) {");
  ++depth_;
  pointers();
  Block outside;                                         // what runs outside parallel loops shares its tiles
  for (const Statement& s : nest_.body)
    if (!contains_parallel(s)) outside.push_back(s);
  tiles(outside);
  block(nest_.body);
  --depth_;
  line("}");
  return out_;
}

void StatementWriter::pointers() {
  int position = 0;
  for (std::size_t b = 0; b < nest_.buffers.size(); ++b) {
    const NestBuffer& buffer = nest_.buffers[b];
    if (buffer.space != Space::global) continue;
    const std::string constness = stored_.contains(static_cast<int>(b)) ? "" : "const ";
    const std::string type = constness + storage_type(buffer.type) + "*";
    const std::string slot = "buffers[" + std::to_string(position++) + "]";
    line(type + " __restrict " + names_.buffer(static_cast<int>(b)) + " = static_cast<" + type + ">(" + slot + ");  // " +
         std::to_string(buffer.elements) + " elements");
  }
}

void StatementWriter::tiles(const Block& body) {
  for (const int b : buffers_used(body)) {
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(b)];
    if (buffer.space != Space::tile || !declared_tiles_.insert(b).second) continue;
    line("alignas(64) " + storage_type(buffer.type) + " " + names_.buffer(b) + "[" + std::to_string(buffer.elements) + "];");
  }
}

void StatementWriter::block(const Block& statements) {
  for (const Statement& s : statements) {
    switch (s.kind) {
      case StatementKind::loop: loop(s); break;
      case StatementKind::store: store(s); break;
      case StatementKind::only: only(s); break;
      case StatementKind::combine: combine(s); break;
      case StatementKind::barrier: line("__syncthreads();"); break;
      default: assign(s); break;
    }
  }
}

void StatementWriter::loop(const Statement& s) {
  if (trip_count(s) == 0) return;
  const std::string& v = names_.variable(s.variable);
  const bool parallel = s.loop_kind == LoopKind::parallel;
  if (parallel && nest_.threads > 1)
    line("#pragma omp parallel for schedule(static) num_threads(" + std::to_string(nest_.threads) + ")");
  const std::string step = s.step == 1 ? "++" + v : v + " += " + std::to_string(s.step);
  if (dialect_ == Dialect::cuda && s.loop_kind == LoopKind::vector && trip_count(s) == 1) return once(s);
  if (dialect_ == Dialect::cuda && s.loop_kind == LoopKind::unrolled) line("#pragma unroll");
  line("for (" + index_type_ + " " + v + " = " + std::to_string(s.begin) + "; " + v + " < " + std::to_string(s.end) + "; " + step + ") {");
  ++depth_;
  const std::set<int> outer_tiles = declared_tiles_;
  if (parallel) tiles(s.body);
  scope_.enter(s);
  block(s.body);
  scope_.leave(s);
  declared_tiles_ = outer_tiles;
  --depth_;
  line("}");
}

void StatementWriter::flush(std::vector<std::string>& before) {
  for (const std::string& text : before) line(text);
}

void StatementWriter::assign(const Statement& s) {
  const Register& r = nest_.registers[static_cast<std::size_t>(s.target)];
  std::vector<std::string> before;
  const std::string text = expressions_.value(s.value, r.type, r.lanes, before);
  flush(before);
  const std::string constness = updated_.contains(s.target) ? "" : "const ";
  const std::string declaration = s.kind == StatementKind::let ? constness + vector_type(r.type, r.lanes) + " " : "";
  line(declaration + names_.reg(s.target) + " = " + text + ";");
}

void StatementWriter::store(const Statement& s) {
  const DType storage = nest_.buffers[static_cast<std::size_t>(s.buffer)].type;
  const DType computing = storage == DType::i32 ? DType::i32 : compute_type(storage);
  std::vector<std::string> before;
  Written value = expressions_.converted(expressions_.written(s.value, before), s.value->type, computing);
  flush(before);
  const auto stride = lane_stride(s.index, scope_);
  if (scope_.lanes > 1 && (!stride || *stride != 0 || value.lanes > 1)) return vector_store(s, value);
  std::string text = value.text;
  const std::string name(graph::name(storage));
  if (storage == DType::f16 || storage == DType::bf16) text = "to_" + name + "(" + text + ")";
  else if (storage != computing) text = "(" + name + ")" + (value.atomic ? text : "(" + text + ")");
  line(names_.buffer(s.buffer) + "[" + expressions_.index_bare(s.index) + "] = " + text + ";");
}

void StatementWriter::vector_store(const Statement& s, const Written& value) {
  const DType storage = nest_.buffers[static_cast<std::size_t>(s.buffer)].type;
  const DType computing = storage == DType::i32 ? DType::i32 : compute_type(storage);
  const std::string text = expressions_.splatted(value, computing, scope_.lanes);
  if (lane_stride(s.index, scope_) == 1) {
    const std::string each = expressions_.one_by_one(s.buffer, s.index);
    const std::string function = (storage == DType::boolean ? "store_mask" : "store") + each + "(";
    return line(function + names_.buffer(s.buffer) + " + " + expressions_.index(s.index) + ", " + text + ");");
  }
  const std::string& lane = names_.variable(scope_.vector_variable);
  const std::string name(graph::name(storage));
  std::string element = "element";
  if (storage == DType::f16 || storage == DType::bf16) element = "to_" + name + "(element)";
  else if (storage == DType::boolean) element = "element != 0";
  line("scatter(" + lane + ", " + text + ", [&](" + index_type_ + " " + lane + ", " + vector_type(computing == DType::boolean ? DType::i32 : computing, 1) +
       " element) { " + names_.buffer(s.buffer) + "[" + expressions_.index_bare(s.index) + "] = " + element + "; });");
}

}  // namespace kw::kernel
