#pragma once
// A cuda candidate: its cubin in this process, its outputs and workspace in the GPU's memory, where they are judged; only what fails is
// copied to the host. After a fault or an endless kernel the GPU is lost to the process (Gpu::lost), which ends when it has answered.

#include "core/worker/oracle/candidate.h"
#include "core/worker/oracle/device_inputs.h"
#include "core/worker/runtime/cuda_plan.h"

namespace kw::oracle {

class DeviceCandidate : public Candidate {
 public:
  static base::Result<Made> make(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const PreparedTask& task, const plan::Plan& plan, std::string cubin, double call_timeout_s);
  ~DeviceCandidate() override;

  base::Result<std::optional<Rejection>> start() override;   // loads the cubin anew
  std::optional<Rejection> run(Poison poison, int without_step) override;
  void poison_workspace(Poison poison) override;
  std::optional<Rejection> check_bands() override;
  const std::byte* output(std::size_t k) const override;
  Comparison compare_with(const JudgedSet& set, std::size_t k) const override;
  bool agrees_with_baseline(std::size_t k, const OutputTruth& like) const override;
  std::uint64_t fingerprint() const override;
  timer::Side& side() override { return *side_; }
  const std::optional<Rejection>& side_rejection() const override;
  std::string resources() const override;

 private:
  DeviceCandidate(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const PreparedTask& task, const plan::Plan& plan, double call_timeout_s);
  const DeviceInputs& inputs() const { return static_cast<const DeviceInputs&>(*task_.live); }
  void on_executor(const std::function<void()>& work) const { task_.executor->run(work); }
  base::Status poison(const runtime::DeviceArena& arena, const std::vector<graph::TensorType>& types, Poison poison) const;
  base::Status queue_run(Poison poison, int without_step) const;
  base::Status launch(int without_step) const;
  Rejection explain(const base::Error& error) const;

  DeviceTensor on_device(std::size_t k) const { return {output_types_[k], outputs_->data(k)}; }

  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<const DeviceJudge> judge_;
  std::string cubin_;
  std::optional<runtime::DeviceArena> outputs_, workspace_;
  std::optional<runtime::CudaPlan> loaded_;
  std::vector<cuda::CUdeviceptr> addresses_;                 // of the plan's buffers
  mutable std::vector<std::optional<Storage>> host_outputs_; // of the last call, where somebody asked for them
  std::unique_ptr<GpuSide> side_;
  std::optional<base::Error> side_error_;
  mutable std::optional<Rejection> side_rejection_;
};

}  // namespace kw::oracle
