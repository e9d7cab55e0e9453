#pragma once
// What a candidate's object may hold and ask for. Checked on the file before anything loads it. Any thread.

#include <optional>
#include <string>

#include "core/worker/build/elf_file.h"

namespace kw::build {

struct Refusal {
  bool cheat = true;      // false: an honest mistake (a helper that nobody defines): build_error
  std::string kind;       // "forbidden_symbol", "writable_state", "init_code", …
  std::string summary;    // one sentence
  std::string detail;
};

std::optional<Refusal> refuse(const ElfFile& file);

}  // namespace kw::build
