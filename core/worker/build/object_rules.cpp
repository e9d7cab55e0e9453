#include "core/worker/build/object_rules.h"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>

namespace kw::build {
namespace {

struct SymbolRow { std::string_view name; bool prefix; const char* why; };

// Refused rows come first where a prefix of the allow-list would let them in.
constexpr SymbolRow refused[] = {
    {"omp_get_wtime", false, "a clock"},
    {"omp_get_wtick", false, "a clock"},
    {"GOMP_target", true, "code on another device"},
    {"GOMP_offload", true, "code on another device"},
    {"omp_set_", true, "changes the pool for later calls"},
    {"dlopen", true, "loads other code"},
    {"dlsym", true, "finds other code"},
    {"dlvsym", true, "finds other code"},
    {"dlmopen", true, "loads other code"},
    {"_ZN2at", true, "PyTorch's own operators"},
    {"_ZNK2at", true, "PyTorch's own operators"},
    {"_ZN3c10", true, "PyTorch's own library"},
    {"_ZN5torch", true, "PyTorch's own library"},
    {"aoti_torch", true, "PyTorch's own operators"},
    {"mkl_", true, "a maths library"},
    {"cblas_", true, "a maths library"},
    {"dnnl_", true, "a maths library"},
    {"Sleef_", true, "a maths library that ships in another copy"},
    {"clock", true, "a clock"},
    {"gettimeofday", false, "a clock"},
    {"time", false, "a clock"},
    {"nanosleep", false, "waits"},
    {"usleep", false, "waits"},
    {"pthread_", true, "threads outside the known pool"},
    {"thrd_", true, "threads outside the known pool"},
    {"_ZNSt6thread", true, "threads outside the known pool"},
    {"fork", true, "another process"},
    {"vfork", false, "another process"},
    {"exec", true, "another process"},
    {"system", false, "another process"},
    {"popen", false, "another process"},
    {"syscall", false, "a system call"},
    {"open", true, "files"},
    {"fopen", true, "files"},
    {"read", true, "files"},
    {"write", true, "files"},
    {"mmap", true, "memory that outlives the call"},
    {"malloc", false, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"calloc", false, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"realloc", false, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"aligned_alloc", false, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"posix_memalign", false, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"_Znw", true, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"_Zna", true, "memory that outlives the call; ask for a workspace buffer in the plan"},
    {"socket", false, "the network"},
    {"connect", false, "the network"},
    {"getenv", false, "the environment"},
    {"__cxa_atexit", false, "code that runs at unload"},
    {"__cxa_thread_atexit", true, "code that runs when a thread ends"},
    {"__tls_get_addr", false, "thread-local state that outlives the call"},
};

constexpr SymbolRow allowed[] = {
    {"GOMP_", true, "OpenMP regions, loops and barriers"},
    {"omp_get_", true, "questions to OpenMP"},
    {"omp_in_parallel", false, "a question to OpenMP"},
    {"memcpy", false, "copies that the compiler makes of loops"},
    {"memmove", false, "copies that the compiler makes of loops"},
    {"memset", false, "fills that the compiler makes of loops"},
    {"memcmp", false, "comparisons that the compiler makes of loops"},
    {"__stack_chk_fail", false, "the compiler's stack protector: ends the process"},
    {"__cxa_finalize", false, "the C runtime's own"},
    {"__gmon_start__", false, "the C runtime's own, weak"},
    {"_ITM_", true, "the C runtime's own, weak"},
};

// Functions of libm: pure, the same in every process. Each also with the suffix f or l.
constexpr std::string_view maths[] = {
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "hypot", "sin", "cos", "tan", "asin", "acos", "atan",
    "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "floor", "ceil", "trunc", "round", "rint",
    "nearbyint", "fmod", "remainder", "fma", "fabs", "fmax", "fmin", "ldexp", "scalbn", "copysign", "lrint", "llrint", "lround", "llround"};

constexpr std::string_view libraries[] = {"libgomp.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"};

template <typename Table>
const SymbolRow* find(const Table& table, std::string_view name) {
  for (const SymbolRow& row : table)
    if (row.prefix ? name.substr(0, row.name.size()) == row.name : name == row.name) return &row;
  return nullptr;
}

bool is_maths(std::string_view name) {
  const auto known = [](std::string_view n) { return std::find(std::begin(maths), std::end(maths), n) != std::end(maths); };
  return known(name) || (!name.empty() && (name.back() == 'f' || name.back() == 'l') && known(name.substr(0, name.size() - 1)));
}

std::optional<Refusal> refuse_symbols(const ElfFile& file) {
  std::string forbidden, unknown, first;
  for (const ElfSymbol& symbol : file.dynamic) {
    if (!symbol.undefined) continue;
    const SymbolRow* bad = find(refused, symbol.name);
    if (bad == nullptr && (find(allowed, symbol.name) != nullptr || is_maths(symbol.name))) continue;
    // Somebody in this process has it: a library's function in disguise. Nobody has it: a helper that was forgotten.
    if (bad != nullptr || dlsym(RTLD_DEFAULT, symbol.name.c_str()) != nullptr) {
      if (first.empty()) first = symbol.name;
      forbidden += symbol.name + ": " + (bad != nullptr ? bad->why : "a library's function that is not on the allow-list") + "\n";
    } else {
      unknown += symbol.name + "\n";
    }
  }
  if (!forbidden.empty())
    return Refusal{true, "forbidden_symbol", "The object calls '" + first + "', which a candidate may not.", forbidden};
  if (!unknown.empty())
    return Refusal{false, "", "The source uses '" + unknown.substr(0, unknown.find('\n')) + "' and does not define it.", unknown};
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse(const ElfFile& file) {
  if (auto refusal = refuse_symbols(file)) return refusal;
  for (const std::string& library : file.needed)
    if (std::find(std::begin(libraries), std::end(libraries), library) == std::end(libraries))
      return Refusal{true, "forbidden_library", "The object asks for the library '" + library + "'.", library};
  if (!file.initialisers.empty())
    return Refusal{true, "init_code", "The object runs code when it is loaded or unloaded; all work belongs into the kernels.", file.initialisers.front()};
  const bool indirect = file.indirect_relocations || std::any_of(file.dynamic.begin(), file.dynamic.end(), [](const ElfSymbol& s) { return s.indirect; });
  if (indirect) return Refusal{true, "indirect_function", "The object chooses a function by code that runs when it is loaded.", "GNU_IFUNC"};
  if (file.thread_local_bytes > 0)
    return Refusal{true, "writable_state", "The object keeps thread-local state between calls; ask for a workspace buffer in the plan.",
                   std::to_string(file.thread_local_bytes) + " bytes"};
  if (file.writable_bytes > 0)
    return Refusal{true, "writable_state", "The object keeps writable globals between calls; ask for a workspace buffer in the plan.",
                   std::to_string(file.writable_bytes) + " bytes"};
  if (file.writable_code || file.executable_stack || file.text_relocations)
    return Refusal{true, "writable_code", "The object's code can be changed while it runs.", "writable code, executable stack or text relocations"};
  return std::nullopt;
}

}  // namespace kw::build
