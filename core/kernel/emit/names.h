#pragma once
// Turns the names of a nest (loop variables, registers, buffers) into distinct C++ identifiers that hide neither a keyword
// nor anything of the prelude.

#include <set>
#include <string>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {

class Names {
 public:
  explicit Names(const LoopNest& nest);
  const std::string& variable(int v) const { return variables_[static_cast<std::size_t>(v)]; }
  const std::string& reg(int r) const { return registers_[static_cast<std::size_t>(r)]; }
  const std::string& buffer(int b) const { return buffers_[static_cast<std::size_t>(b)]; }
  const std::vector<std::string>& variables() const { return variables_; }
  std::string fresh(const std::string& stem);            // an identifier that nothing else has

 private:
  std::set<std::string> taken_;
  std::vector<std::string> variables_, registers_, buffers_;
};

}  // namespace kw::kernel
