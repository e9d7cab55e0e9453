#include "core/worker/device/torch_cuda.h"

#include <dlfcn.h>
#include <link.h>

#include <string>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace kw::device {
namespace {

// The folder of the libtorch_cpu that this process runs on.
std::string torch_folder() {
  std::string folder;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::string path = info->dlpi_name;
        const std::size_t at = path.rfind("/libtorch_cpu.so");
        if (at == std::string::npos) return 0;
        *static_cast<std::string*>(data) = path.substr(0, at + 1);
        return 1;
      },
      &folder);
  return folder;
}

base::Status open_library() {
  const std::string path = torch_folder() + "libtorch_cuda.so";
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return base::Error{base::ErrorCode::not_found, std::string("torch's CUDA half cannot be opened: ") + dlerror(), path};
  if (!at::hasCUDA()) return base::Error{base::ErrorCode::not_found, "torch sees no GPU.", path};
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return base::done();
}

c10::impl::VirtualGuardImpl guard() { return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA); }

}  // namespace

base::Status load_torch_cuda() {
  static const base::Status status = open_library();
  return status;
}

// A stream that torch did not make is known to it by its address.
void use_stream(void* stream) {
  guard().exchangeStream(c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, 0), reinterpret_cast<c10::StreamId>(stream)));
}

void forget_error() {
  try {
    (void)at::zeros({1}, at::TensorOptions().device(at::Device(at::kCUDA, 0)));
  } catch (const std::exception&) {   // this was it
  }
}

bool tf32() { return at::globalContext().allowTF32CuBLAS(); }
void allow_tf32(bool allowed) { at::globalContext().setAllowTF32CuBLAS(allowed); }

void synchronize() { guard().synchronizeStream(guard().getStream(c10::Device(c10::kCUDA, 0))); }

}  // namespace kw::device
