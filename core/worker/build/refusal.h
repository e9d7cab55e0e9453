#pragma once
// Why a candidate is not built: the same words for objects and for cubins. Plain data.

#include <string>

namespace kw::build {

struct Refusal {
  bool cheat = true;      // false: an honest mistake (a helper that nobody defines): build_error
  std::string kind;       // "forbidden_symbol", "writable_state", "init_code", …
  std::string summary;    // one sentence
  std::string detail;
};

}  // namespace kw::build
