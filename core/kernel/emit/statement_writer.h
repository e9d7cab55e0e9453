#pragma once
// Writes the function of one nest: pointers, loops, tiles, lets, updates and stores; in CUDA (cuda_writer.cpp) also the places of
// a thread, unions and barriers.

#include <set>
#include <string>

#include "core/kernel/emit/expression_writer.h"

namespace kw::kernel {

std::set<int> buffers_read(const Block& block);

class StatementWriter {
 public:
  StatementWriter(const LoopNest& nest, Dialect dialect);
  std::string function();

 private:
  void line(const std::string& text);
  void comment();
  void pointers();
  void cuda_function();
  void cuda_places(const GridShape& shape);
  void cuda_tiles();
  void only(const Statement& s);
  void combine(const Statement& s);
  void tiles(const Block& block);                        // declares those that the block uses and nobody declared yet
  void block(const Block& block);
  void loop(const Statement& s);
  void once(const Statement& s);                         // a loop of one step: a block with its variable
  void assign(const Statement& s);
  void store(const Statement& s);
  void vector_store(const Statement& s, const Written& value);
  void flush(std::vector<std::string>& before);

  const LoopNest& nest_;
  Dialect dialect_;
  std::string index_type_;
  Names names_;
  Scope scope_;
  ExpressionWriter expressions_;
  std::set<int> stored_, updated_, declared_tiles_;
  std::string unions_;                                   // shared memory for unions over rows of threads
  std::string out_;
  int depth_ = 0;
};

}  // namespace kw::kernel
