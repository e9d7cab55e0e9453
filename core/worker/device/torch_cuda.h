#pragma once
// torch on a GPU. The worker links torch_cpu alone, so that it starts on machines without a driver; the CUDA half of the same wheel is
// opened when a model is to run there.

#include "core/base/result.h"

namespace kw::device {

// Opens libtorch_cuda beside the libtorch_cpu of this process; once. Afterwards the dispatcher finds every CUDA kernel.
base::Status load_torch_cuda();

// All torch work of the calling thread goes to this stream (a CUstream of the primary context of device 0) from now on.
void use_stream(void* stream);

// An operator that a capture refused leaves its error in the CUDA runtime, where the next operator would find it.
void forget_error();

// Whether float32 matmuls may use TF32, as torch.backends.cuda.matmul.allow_tf32 (off unless the user's environment says otherwise).
bool tf32();
void allow_tf32(bool allowed);

// Waits for the stream that use_stream gave; what went wrong on it is thrown as torch throws.
void synchronize();

}  // namespace kw::device
