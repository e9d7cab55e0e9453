#pragma once
// Runs what lower() gave, twice: by the interpreter of loop nests, and as machine code (emit, g++, dlopen).

#include "samples.h"

namespace kw::kernel::samples {

// Logical row-major elements of each output, or the first complaint of verify() or interpret().
base::Result<std::vector<std::vector<double>>> interpreted(const Lowered& lowered, const Program& program,
                                                           const std::vector<std::vector<double>>& inputs);

// A shared object of several generated plans: `names` are symbols, unique over the plans.
class Compiled {
 public:
  static base::Result<Compiled> build(const std::vector<Generated>& plans);
  // The same through one source for every 64 plans: what the kernels share is compiled once.
  static base::Result<Compiled> build_together(const std::vector<Generated>& plans);
  std::vector<std::vector<double>> run(const Generated& plan, const Program& program, const std::vector<std::vector<double>>& inputs) const;
  // Buffers in plan order, as bytes; the caller keeps them alive.
  void call(const Generated& plan, const std::vector<void*>& buffers) const;

 private:
  static base::Result<Compiled> compile(const std::vector<std::pair<std::string, std::string>>& sources);
  void* handle_ = nullptr;       // stays open: the program is a test
};

// Bytes of a plan buffer from doubles by storage offset, and back.
std::vector<unsigned char> encode(DType type, const std::vector<double>& values);
std::vector<double> decode(DType type, const std::vector<unsigned char>& bytes);

// Row-major elements of a tensor that lies in memory with its strides.
std::vector<double> logical(const graph::TensorType& type, const std::vector<double>& memory);

// The largest |x - truth| / (|truth| + rms(truth)); infinity where NaN or infinities differ.
double relative_error(const std::vector<double>& x, const std::vector<double>& truth);

}  // namespace kw::kernel::samples
