#pragma once
// Writes the function of one nest: pointers, loops, tiles, lets, updates and stores.

#include <set>
#include <string>

#include "core/kernel/emit/expression_writer.h"

namespace kw::kernel {

class StatementWriter {
 public:
  explicit StatementWriter(const LoopNest& nest);
  std::string function();

 private:
  void line(const std::string& text);
  void pointers();
  void tiles(const Block& block);                        // declares those that the block uses and nobody declared yet
  void block(const Block& block);
  void loop(const Statement& s);
  void assign(const Statement& s);
  void store(const Statement& s);
  void vector_store(const Statement& s, const Written& value);
  void flush(std::vector<std::string>& before);

  const LoopNest& nest_;
  Names names_;
  Scope scope_;
  ExpressionWriter expressions_;
  std::set<int> stored_, updated_, declared_tiles_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace kw::kernel
