#include "core/worker/cuda/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>

#include <filesystem>

#include "core/worker/cuda/library.h"

namespace kw::cuda {
namespace {

namespace fs = std::filesystem;
using Program = struct ProgramOfNvrtc*;
enum Answer : int { success = 0, out_of_memory = 1, invalid_option = 5, builtins_failed = 7, cancelled = 16 };   // of nvrtcResult
constexpr std::size_t stack_bytes = std::size_t{1024} << 20;   // addresses, not memory: the compiler's recursion goes as deep as its source
constexpr const char* sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

}  // namespace

struct Nvrtc::Table {
  Answer (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(Answer) = nullptr;
  Answer (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts, const char* const* names) = nullptr;
  Answer (*destroy)(Program*) = nullptr;
  Answer (*compile)(Program, int count, const char* const* options) = nullptr;
  Answer (*log_size)(Program, std::size_t*) = nullptr;
  Answer (*log)(Program, char*) = nullptr;
  Answer (*cubin_size)(Program, std::size_t*) = nullptr;
  Answer (*cubin)(Program, char*) = nullptr;
  Answer (*set_flow_callback)(Program, int (*)(void*, void*), void*) = nullptr;   // since 12.9
};

namespace {

template <typename Table>
bool bind_all(void* handle, Table& t) {
  bind(handle, t.set_flow_callback, "nvrtcSetFlowCallback");
  return bind(handle, t.version, "nvrtcVersion") && bind(handle, t.error_string, "nvrtcGetErrorString") &&
         bind(handle, t.create, "nvrtcCreateProgram") && bind(handle, t.destroy, "nvrtcDestroyProgram") &&
         bind(handle, t.compile, "nvrtcCompileProgram") && bind(handle, t.log_size, "nvrtcGetProgramLogSize") &&
         bind(handle, t.log, "nvrtcGetProgramLog") && bind(handle, t.cubin_size, "nvrtcGetCUBINSize") &&
         bind(handle, t.cubin, "nvrtcGetCUBIN");
}

// NVRTC asks for its builtins by soname at the first compilation. The copy beside it is opened first, so that the loader finds that
// one, not none and not a toolkit's of another version.
void open_builtins(const fs::path& library) {
  std::error_code error;
  if (!library.has_parent_path() || !fs::exists(library, error)) return;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), error)) {
    const std::string name = entry.path().filename();
    if (name.rfind("libnvrtc-builtins.so.", 0) == 0) (void)dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

int ask(void* stop, void*) { return (*static_cast<const std::function<bool()>*>(stop))() ? 1 : 0; }

// Runs `work` on a thread of its own, whose stack a deeply nested source does not exhaust.
base::Status on_large_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  const int failed = pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (failed != 0) return base::Error{base::ErrorCode::busy, "No thread for the compiler: its stack of 1024 MiB of addresses was refused.", ""};
  pthread_join(thread, nullptr);
  return base::done();
}

// NVRTC's texts: a size with the final NUL, then the bytes.
std::string read_text(Program program, Answer (*size)(Program, std::size_t*), Answer (*read)(Program, char*)) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != success || bytes == 0) return "";
  std::string text(bytes, '\0');
  return read(program, text.data()) == success ? text : "";
}

}  // namespace

base::Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(const std::vector<std::string>& folders) {
  std::string tried;
  for (const std::string& path : library_paths("KW_NVRTC", sonames, folders)) {
    open_builtins(path);
    void* handle = open_library(path, tried);
    if (handle == nullptr) continue;
    auto table = std::make_shared<Table>();
    auto nvrtc = std::make_shared<Nvrtc>();
    if (!bind_all(handle, *table) || table->version(&nvrtc->major_, &nvrtc->minor_) != success) {
      tried += path + ": not NVRTC, or too old\n";
      continue;
    }
    nvrtc->path_ = library_of(reinterpret_cast<const void*>(table->version), path);
    nvrtc->table_ = std::move(table);
    return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
  }
  return base::Error{base::ErrorCode::not_found,
                     "NVIDIA's run-time compiler (libnvrtc.so.13) was not found. Install torch's CUDA wheel, or name the library in KW_NVRTC.", tried};
}

base::Result<CompileResult> Nvrtc::compile(const std::string& source, const std::string& name, const std::string& arch,
                                           const std::vector<std::string>& options, const std::function<bool()>& stop) const {
  if (source.find('\0') != std::string::npos) return CompileResult{false, "", name + "(1): error: the source holds a NUL character\n"};
  Program program = nullptr;
  if (const Answer answer = table_->create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr); answer != success)
    return base::Error{base::ErrorCode::internal, std::string("NVRTC refuses to begin: ") + table_->error_string(answer) + ".", name};
  const std::shared_ptr<void> end(program, [this](void* p) {
    Program spent = static_cast<Program>(p);
    table_->destroy(&spent);
  });
  std::function<bool()> asked = stop;   // lives as long as the program
  if (asked && table_->set_flow_callback != nullptr) table_->set_flow_callback(program, ask, &asked);
  const std::string arch_option = "-arch=" + arch;
  std::vector<const char*> all = {arch_option.c_str()};
  for (const std::string& option : options) all.push_back(option.c_str());

  Answer answer = success;
  const auto compile_all = [&] { answer = table_->compile(program, static_cast<int>(all.size()), all.data()); };
  if (auto ran = on_large_stack(compile_all); !ran) return ran.error();
  CompileResult result;
  result.log = read_text(program, table_->log_size, table_->log);
  while (!result.log.empty() && result.log.back() == '\0') result.log.pop_back();
  if (answer == cancelled) return base::Error{base::ErrorCode::cancelled, "The compilation was cancelled.", name};
  if (answer == invalid_option)
    return base::bad_input("NVRTC " + version() + " does not know an option or the architecture '" + arch + "'.", result.log);
  if (answer == out_of_memory) return base::Error{base::ErrorCode::busy, "NVRTC found no memory.", name};
  if (answer == builtins_failed)
    return base::Error{base::ErrorCode::not_found, "NVRTC does not find its libnvrtc-builtins, which belongs beside it.", path_};
  // Also the compiler's own crash on a source is that source's failure.
  if (answer != success && result.log.empty()) result.log = name + ": error: NVRTC answers " + table_->error_string(answer) + "\n";
  if (answer == success) result.cubin = read_text(program, table_->cubin_size, table_->cubin);
  result.ok = answer == success && !result.cubin.empty();
  return result;
}

}  // namespace kw::cuda
