#include "core/worker/build/cubin.h"

#include <elf.h>

#include "core/worker/build/elf_reader.h"

namespace kw::build {
namespace {

constexpr unsigned kernel_flag = 0x10;                                     // STO_CUDA_ENTRY in a symbol's st_other
constexpr std::string_view info_prefix = ".nv.info.";
constexpr std::uint8_t format_sized = 4, attribute_parameter = 0x17;       // EIFMT_SVAL, EIATTR_KPARAM_INFO

base::Error broken(const char* what) { return base::bad_input(std::string("Not a cubin: ") + what + "."); }

struct ParameterInfo { std::uint32_t index; std::uint16_t ordinal, offset; std::uint32_t packed; };   // bytes in the upper 14 bits

class Parser {
 public:
  explicit Parser(std::string_view bytes) : reader_(bytes), size_(bytes.size()) {}

  base::Result<Cubin> parse() {
    const auto header = reader_.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != EM_CUDA)
      return broken("wrong header");
    if (auto read = read_headers(*header); !read) return read.error();
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const Elf64_Shdr& section = headers_[i];
      base::Status read = base::done();
      if (section.sh_type == SHT_SYMTAB) read = read_symbols(section);
      if (cubin_.sections[i].name.rfind(info_prefix, 0) == 0) read = read_parameters(section, cubin_.sections[i].name.substr(info_prefix.size()));
      if (!read) return read.error();
    }
    return std::move(cubin_);
  }

 private:
  base::Status read_headers(const Elf64_Ehdr& header) {
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const auto section = reader_.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
      if (!section) return broken("truncated section headers");
      if (section->sh_type != SHT_NOBITS && (section->sh_offset > size_ || section->sh_size > size_ - section->sh_offset))
        return broken("a section leaves the file");
      headers_.push_back(*section);
    }
    if (header.e_shstrndx >= headers_.size()) return broken("no names of sections");
    for (const Elf64_Shdr& section : headers_) {
      const auto name = reader_.string_at(headers_[header.e_shstrndx].sh_offset + section.sh_name);
      if (!name) return broken("a section's name leaves the file");
      cubin_.sections.push_back({*name, (section.sh_flags & SHF_WRITE) != 0 && (section.sh_flags & SHF_ALLOC) != 0, section.sh_size});
    }
    return base::done();
  }

  base::Status read_symbols(const Elf64_Shdr& table) {
    if (table.sh_link >= headers_.size()) return broken("symbols without names");
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = reader_.at<Elf64_Sym>(table.sh_offset + at);
      const auto name = symbol ? reader_.string_at(headers_[table.sh_link].sh_offset + symbol->st_name) : std::nullopt;
      if (!name) return broken("a symbol's name leaves the file");
      const int type = ELF64_ST_TYPE(symbol->st_info);
      cubin_.symbols.push_back({*name, symbol->st_shndx == SHN_UNDEF, ELF64_ST_BIND(symbol->st_info) == STB_WEAK, type == STT_OBJECT,
                                type == STT_FUNC && (symbol->st_other & kernel_flag) != 0, symbol->st_shndx, symbol->st_size});
    }
    return base::done();
  }

  // A list of attributes: format, attribute, then two bytes, which for one format are the number of bytes that follow.
  base::Status read_parameters(const Elf64_Shdr& section, const std::string& kernel) {
    std::vector<std::uint32_t>& bytes = cubin_.parameters[kernel];
    for (std::uint64_t at = 0; at + 4 <= section.sh_size;) {
      const auto format = reader_.at<std::uint8_t>(section.sh_offset + at), attribute = reader_.at<std::uint8_t>(section.sh_offset + at + 1);
      const auto value = reader_.at<std::uint16_t>(section.sh_offset + at + 2);
      if (!format || !attribute || !value) return broken("truncated attributes of a kernel");
      at += 4;
      if (*format != format_sized) continue;
      if (*attribute == attribute_parameter) {
        const auto info = reader_.at<ParameterInfo>(section.sh_offset + at);
        if (!info || *value < sizeof(ParameterInfo) || info->ordinal > 4096) return broken("a kernel's parameters cannot be read");
        if (bytes.size() <= info->ordinal) bytes.resize(std::size_t{info->ordinal} + 1);
        bytes[info->ordinal] = info->packed >> 18;
      }
      at += *value;
    }
    return base::done();
  }

  ElfReader reader_;
  std::uint64_t size_;
  std::vector<Elf64_Shdr> headers_;
  Cubin cubin_;
};

}  // namespace

base::Result<Cubin> parse_cubin(std::string_view bytes) { return Parser(bytes).parse(); }

}  // namespace kw::build
