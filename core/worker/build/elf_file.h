#pragma once
// A shared object as far as the referee needs it: read by us from the file, never loaded. 64-bit little-endian ELF only; every
// offset is checked against the file. Plain data, any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kw::build {

struct ElfSymbol {
  std::string name;
  bool undefined = false, weak = false, indirect = false, function = false;   // indirect: chosen by code that runs at load time
  std::uint64_t value = 0, size = 0;
};

struct ElfFile {
  std::vector<std::string> needed;        // libraries it asks for
  std::vector<ElfSymbol> dynamic;         // dynamic symbols
  std::vector<ElfSymbol> functions;       // every function by name, the file's own ones included
  std::vector<std::string> initialisers;  // dynamic tags that run code at load or unload: "INIT_ARRAY", …
  std::uint64_t writable_bytes = 0;       // memory that stays writable after relocation: globals and statics
  std::uint64_t thread_local_bytes = 0;
  bool executable_stack = false, writable_code = false, text_relocations = false, indirect_relocations = false;
};

base::Result<ElfFile> parse_elf(std::string_view bytes);

// "name+0x12" for an offset from the image's base, by the function that holds it; the bare offset if none does.
std::string symbol_at(const ElfFile& file, std::uint64_t offset);

}  // namespace kw::build
