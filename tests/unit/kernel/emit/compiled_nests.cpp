#include "tests/unit/kernel/emit/compiled_nests.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/kernel/emit/cpp.h"

namespace kw::kernel::testing {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  pclose(pipe);
  return out;
}

}  // namespace

base::Result<CompiledNests> CompiledNests::compile(const std::vector<LoopNest>& nests) {
  std::string folder = (fs::temp_directory_path() / "kw_nests_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return base::Error{base::ErrorCode::io, "no temporary folder", folder};
  CompiledNests out;
  out.folder_ = folder;
  std::ofstream(folder + "/kernel.cpp") << emit_cpp(nests);
  std::string command = "g++";
  for (const char* flag : compile_flags) command += " " + std::string(flag);
  if (const char* march = std::getenv("KW_TEST_MARCH")) command += " -march=" + std::string(march);
  command += " -fPIC -c " + folder + "/kernel.cpp -o " + folder + "/kernel.o 2>" + folder + "/log && g++ -shared -fopenmp " + folder +
             "/kernel.o -o " + folder + "/kernel.so 2>>" + folder + "/log";
  const int status = std::system(command.c_str());
  std::ostringstream log;
  log << std::ifstream(folder + "/log").rdbuf();
  if (status != 0) return base::Error{base::ErrorCode::internal, "compiler: " + log.str().substr(0, 4000), folder};
  if (!log.str().empty()) return base::Error{base::ErrorCode::internal, "compiler warns: " + log.str().substr(0, 4000), folder};
  out.handle_ = dlopen((folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out.handle_ == nullptr) return base::Error{base::ErrorCode::internal, dlerror(), folder};
  return out;
}

CompiledNests::CompiledNests(CompiledNests&& other) noexcept : folder_(std::move(other.folder_)), handle_(other.handle_) {
  other.folder_.clear();
  other.handle_ = nullptr;
}

// The object stays loaded: an OpenMP pool may still hold its code.
CompiledNests::~CompiledNests() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

CompiledNests::Kernel CompiledNests::kernel(const std::string& name) const {
  return reinterpret_cast<Kernel>(dlsym(handle_, name.c_str()));
}

std::vector<std::string> CompiledNests::symbols(bool undefined) const {
  std::istringstream in(output_of("nm -g " + std::string(undefined ? "--undefined-only " : "--defined-only ") + folder_ + "/kernel.o"));
  std::vector<std::string> names;
  std::string word, last;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    while (words >> word) last = word;
    names.push_back(last);
  }
  return names;
}

LoopNest pointwise(const std::string& name, DType storage, int inputs, std::int64_t elements, int lanes,
                   Expr (*body)(const std::vector<Expr>&, int), int parameter) {
  LoopNest nest;
  nest.name = name;
  nest.variables = {"i"};
  std::vector<Expr> values;
  for (int k = 0; k < inputs; ++k) {
    nest.buffers.push_back({"x" + std::to_string(k), storage, elements, Space::global, k});
    values.push_back(read(k, {variable(0)}, storage));
  }
  nest.buffers.push_back({"y", storage, elements, Space::global, inputs});
  Statement store;
  store.kind = StatementKind::store;
  store.buffer = inputs;
  store.index = variable(0);
  store.value = body(values, parameter);
  Statement loop;
  loop.variable = 0;
  loop.end = elements;
  loop.step = lanes;
  loop.loop_kind = lanes > 1 ? LoopKind::vector : LoopKind::serial;
  loop.body = {store};
  nest.body = {loop};
  return nest;
}

}  // namespace kw::kernel::testing
