#pragma once
// A cubin as far as the referee needs it: read by us from the file, never loaded. Every offset is checked against the file. A cubin is
// an ELF file of sections and symbols without a dynamic segment, so elf_file does not read it. Plain data, any thread.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kw::build {

struct CubinSection {
  std::string name;
  bool writable = false;       // takes device memory that stores can change
  std::uint64_t bytes = 0;
};

struct CubinSymbol {
  std::string name;
  bool undefined = false, weak = false, object = false;
  bool kernel = false;         // a __global__ function that a launch can name
  std::size_t section = 0;     // position in Cubin::sections
  std::uint64_t bytes = 0;
};

struct Cubin {
  std::vector<CubinSection> sections;
  std::vector<CubinSymbol> symbols;
  std::map<std::string, std::vector<std::uint32_t>> parameters;   // bytes of each parameter, by kernel
};

base::Result<Cubin> parse_cubin(std::string_view bytes);

}  // namespace kw::build
