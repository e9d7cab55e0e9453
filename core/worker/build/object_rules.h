#pragma once
// What a candidate's object may hold and ask for. Checked on the file before anything loads it. Any thread.

#include <optional>

#include "core/worker/build/elf_file.h"
#include "core/worker/build/refusal.h"

namespace kw::build {

std::optional<Refusal> refuse(const ElfFile& file);

}  // namespace kw::build
