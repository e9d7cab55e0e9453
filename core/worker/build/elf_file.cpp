#include "core/worker/build/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "core/worker/build/elf_reader.h"

namespace kw::build {
namespace {

base::Error broken(const char* what) { return base::bad_input(std::string("Not a shared object of this machine: ") + what + "."); }

struct DynamicTable {
  std::uint64_t strings = 0, symbols = 0, hash = 0, gnu_hash = 0, rela = 0, rela_bytes = 0, plt_rela = 0, plt_rela_bytes = 0;
  std::vector<std::uint64_t> needed;
};

class Parser {
 public:
  explicit Parser(std::string_view bytes) : reader_(bytes) {}

  base::Result<ElfFile> parse() {
    const auto header = reader_.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_DYN)
      return broken("wrong header");
    for (unsigned i = 0; i < header->e_phnum; ++i) {
      const auto segment = reader_.at<Elf64_Phdr>(header->e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
      if (!segment) return broken("truncated program headers");
      segments_.push_back(*segment);
    }
    read_segments();
    if (!dynamic_) return broken("no dynamic segment");
    if (auto status = read_dynamic(); !status) return status.error();
    for (std::uint64_t name : table_.needed) {
      const auto text = string(name);
      if (!text) return broken("a library's name leaves the file");
      file_.needed.push_back(*text);
    }
    if (auto status = read_symbols(); !status) return status.error();
    read_local_functions(*header);
    if (auto status = read_relocations(table_.rela, table_.rela_bytes); !status) return status.error();
    if (auto status = read_relocations(table_.plt_rela, table_.plt_rela_bytes); !status) return status.error();
    return std::move(file_);
  }

 private:
  // Virtual address -> file offset.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& s : segments_)
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) return s.p_offset + (address - s.p_vaddr);
    return std::nullopt;
  }
  template <typename T>
  std::optional<T> load(std::uint64_t address) const {
    const auto offset = offset_of(address);
    return offset ? reader_.at<T>(*offset) : std::nullopt;
  }
  std::optional<std::string> string(std::uint64_t name) const {
    const auto offset = offset_of(table_.strings + name);
    return offset ? reader_.string_at(*offset) : std::nullopt;
  }

  void read_segments() {
    std::uint64_t relro_start = 0, relro_end = 0;
    for (const Elf64_Phdr& s : segments_) {
      if (s.p_type == PT_DYNAMIC) dynamic_ = s;
      if (s.p_type == PT_TLS) file_.thread_local_bytes += s.p_memsz;
      if (s.p_type == PT_GNU_STACK && (s.p_flags & PF_X)) file_.executable_stack = true;
      if (s.p_type == PT_GNU_RELRO) relro_start = s.p_vaddr, relro_end = s.p_vaddr + s.p_memsz;
    }
    for (const Elf64_Phdr& s : segments_) {
      if (s.p_type != PT_LOAD || !(s.p_flags & PF_W)) continue;
      if (s.p_flags & PF_X) file_.writable_code = true;
      const std::uint64_t end = s.p_vaddr + s.p_memsz;
      const std::uint64_t covered = std::min(end, relro_end) - std::min(end, std::max(s.p_vaddr, relro_start));
      file_.writable_bytes += s.p_memsz - std::min(covered, s.p_memsz);
    }
  }

  base::Status read_dynamic() {
    struct Initialiser { std::int64_t tag; const char* name; };
    static constexpr Initialiser initialisers[] = {{DT_INIT, "INIT"}, {DT_FINI, "FINI"}, {DT_INIT_ARRAY, "INIT_ARRAY"},
                                                   {DT_FINI_ARRAY, "FINI_ARRAY"}, {DT_PREINIT_ARRAY, "PREINIT_ARRAY"}};
    struct Field { std::int64_t tag; std::uint64_t DynamicTable::* field; };
    static constexpr Field fields[] = {{DT_STRTAB, &DynamicTable::strings}, {DT_SYMTAB, &DynamicTable::symbols},
                                       {DT_HASH, &DynamicTable::hash},      {DT_GNU_HASH, &DynamicTable::gnu_hash},
                                       {DT_RELA, &DynamicTable::rela},      {DT_RELASZ, &DynamicTable::rela_bytes},
                                       {DT_JMPREL, &DynamicTable::plt_rela}, {DT_PLTRELSZ, &DynamicTable::plt_rela_bytes}};
    for (std::uint64_t i = 0;; ++i) {
      const auto entry = reader_.at<Elf64_Dyn>(dynamic_->p_offset + i * sizeof(Elf64_Dyn));
      if (!entry || i * sizeof(Elf64_Dyn) >= dynamic_->p_filesz) return broken("the dynamic table has no end");
      if (entry->d_tag == DT_NULL) return base::done();
      for (const auto& row : initialisers)
        if (entry->d_tag == row.tag) file_.initialisers.emplace_back(row.name);
      for (const auto& row : fields)
        if (entry->d_tag == row.tag) table_.*row.field = entry->d_un.d_val;
      if (entry->d_tag == DT_NEEDED) table_.needed.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))) file_.text_relocations = true;
    }
  }

  // ELF does not say how many dynamic symbols there are: the hash tables do.
  std::optional<std::uint64_t> symbol_count() const {
    if (table_.hash != 0) {
      const auto count = load<std::uint32_t>(table_.hash + 4);
      return count ? std::optional<std::uint64_t>(*count) : std::nullopt;
    }
    if (table_.gnu_hash == 0) return std::nullopt;
    const auto buckets = load<std::uint32_t>(table_.gnu_hash), first = load<std::uint32_t>(table_.gnu_hash + 4),
               bloom = load<std::uint32_t>(table_.gnu_hash + 8);
    if (!buckets || !first || !bloom) return std::nullopt;
    const std::uint64_t bucket_at = table_.gnu_hash + 16 + std::uint64_t{*bloom} * 8, chain_at = bucket_at + std::uint64_t{*buckets} * 4;
    std::uint64_t last = 0;
    for (std::uint32_t b = 0; b < *buckets; ++b) {
      const auto head = load<std::uint32_t>(bucket_at + std::uint64_t{b} * 4);
      if (!head) return std::nullopt;
      last = std::max<std::uint64_t>(last, *head);
    }
    if (last < *first) return *first;
    for (;; ++last) {   // the chain's last member has its lowest bit set
      const auto link = load<std::uint32_t>(chain_at + (last - *first) * 4);
      if (!link) return std::nullopt;
      if (*link & 1) return last + 1;
    }
  }

  base::Status read_symbols() {
    const auto count = symbol_count();
    if (!count) return broken("no usable symbol table");
    for (std::uint64_t i = 1; i < *count; ++i) {
      const auto symbol = load<Elf64_Sym>(table_.symbols + i * sizeof(Elf64_Sym));
      if (!symbol) return broken("truncated symbols");
      const auto name = string(symbol->st_name);
      if (!name) return broken("a symbol's name leaves the file");
      const int type = ELF64_ST_TYPE(symbol->st_info);
      file_.dynamic.push_back({*name, symbol->st_shndx == SHN_UNDEF, ELF64_ST_BIND(symbol->st_info) == STB_WEAK,
                               type == STT_GNU_IFUNC, type == STT_FUNC, symbol->st_value, symbol->st_size});
    }
    return base::done();
  }

  // Section headers only name functions for people; what is wrong with them is no error.
  void read_local_functions(const Elf64_Ehdr& header) {
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const auto section = reader_.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
      if (!section || section->sh_type != SHT_SYMTAB) continue;
      const auto strings = reader_.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
      if (!strings) return;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = reader_.at<Elf64_Sym>(section->sh_offset + at);
        if (!symbol) return;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
        if (const auto name = reader_.string_at(strings->sh_offset + symbol->st_name))
          file_.functions.push_back({*name, false, false, false, true, symbol->st_value, symbol->st_size});
      }
    }
  }

  base::Status read_relocations(std::uint64_t address, std::uint64_t bytes) {
#if defined(__aarch64__)
    constexpr std::uint32_t indirect = R_AARCH64_IRELATIVE;
#else
    constexpr std::uint32_t indirect = R_X86_64_IRELATIVE;
#endif
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
      const auto relocation = load<Elf64_Rela>(address + at);
      if (!relocation) return broken("truncated relocations");
      if (ELF64_R_TYPE(relocation->r_info) == indirect) file_.indirect_relocations = true;
    }
    return base::done();
  }

  ElfReader reader_;
  std::vector<Elf64_Phdr> segments_;
  std::optional<Elf64_Phdr> dynamic_;
  DynamicTable table_;
  ElfFile file_;
};

}  // namespace

base::Result<ElfFile> parse_elf(std::string_view bytes) { return Parser(bytes).parse(); }

std::string symbol_at(const ElfFile& file, std::uint64_t offset) {
  char text[32];
  for (const ElfSymbol& symbol : file.functions) {
    if (offset < symbol.value || offset - symbol.value >= symbol.size) continue;
    std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset - symbol.value));
    return symbol.name + text;
  }
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
  return text;
}

}  // namespace kw::build
