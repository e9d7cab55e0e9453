#pragma once
// Judges what lies in the GPU's memory where it lies: the formulas of compare.h as kernels. Only what passes is decided here; a failure
// is brought to the host, where its evidence is made. Any dtype but complex ones, any strides of up to eight dimensions.
// Executor thread; every call waits for the stream.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/worker/oracle/gpu.h"
#include "core/worker/oracle/judged_set.h"

namespace kw::oracle {

struct DeviceTruth { std::optional<cuda::DeviceMemory> values, left_out; };   // values: float64, or int64 of exact outputs; row-major
struct DeviceSet {
  std::vector<cuda::DeviceMemory> inputs;
  std::vector<DeviceTruth> outputs;
};

struct DeviceTensor { graph::TensorType type; cuda::CUdeviceptr address = 0; };

class DeviceJudge {
 public:
  static base::Result<std::shared_ptr<const DeviceJudge>> make(std::shared_ptr<Gpu> gpu);

  // A copy of the set on the GPU; null where that would leave less than a quarter of its memory free.
  base::Result<std::shared_ptr<const DeviceSet>> keep(const JudgedSet& set) const;

  // As compare(), when the output passes; else nothing.
  base::Result<std::optional<Comparison>> passes(const OutputTruth& truth, const DeviceTruth& on_device, const DeviceTensor& output) const;
  // As agrees().
  base::Result<bool> agree(const DeviceTensor& baseline, const OutputTruth& like, const DeviceTensor& output) const;
  // For comparing runs of one process: of all elements and their places.
  base::Result<std::uint64_t> fingerprint(const std::vector<DeviceTensor>& outputs) const;
  base::Result<bool> same_bytes(cuda::CUdeviceptr a, cuda::CUdeviceptr b, std::size_t bytes) const;

 private:
  struct Arguments;
  struct Sums { double max = 0, squares = 0; std::uint64_t count = 0; };   // over all blocks
  explicit DeviceJudge(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  base::Result<Sums> run(const std::string& kernel, Arguments& arguments) const;

  std::shared_ptr<Gpu> gpu_;
  std::map<std::string, cuda::Function> kernels_;
  std::optional<cuda::DeviceMemory> partials_;
};

}  // namespace kw::oracle
