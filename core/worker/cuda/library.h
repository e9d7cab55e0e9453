#pragma once
// Where NVIDIA's libraries are looked for at run time, and how their functions are found: in the torch wheel or in a toolkit, since
// nothing of NVIDIA's is linked.

#include <dlfcn.h>

#include <span>
#include <string>
#include <vector>

namespace kw::cuda {

// Paths to try, in this order: the environment variable `variable` (the library or its folder; nothing else is tried then), `folders`,
// the folder that belongs to a torch loaded in this process, the system's search path, /usr/local/cuda/lib64.
std::vector<std::string> library_paths(const char* variable, std::span<const char* const> sonames, const std::vector<std::string>& folders);

// …/nvidia/cu13/lib beside a torch/lib/libtorch_cpu.so that this process has loaded; empty without one.
std::vector<std::string> folders_beside_torch();

// dlopen for good: these libraries do not survive being closed. Null: `tried` got a line that says why.
void* open_library(const std::string& path, std::string& tried);

std::string library_of(const void* symbol, const std::string& otherwise);   // the file that a function came from

template <typename Signature>
bool bind(void* library, Signature*& slot, const char* name) {
  slot = reinterpret_cast<Signature*>(dlsym(library, name));
  return slot != nullptr;
}

}  // namespace kw::cuda
