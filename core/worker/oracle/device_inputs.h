#pragma once
// Live inputs in the GPU's memory, with guard bands; the captured values stay there too, so that rolling them is a copy on the GPU.

#include "core/worker/oracle/device_judge.h"
#include "core/worker/oracle/live_inputs.h"
#include "core/worker/runtime/device_arena.h"

namespace kw::oracle {

class DeviceInputs : public LiveInputs {
 public:
  static base::Result<std::unique_ptr<LiveInputs>> make(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const InputFacts& facts,
                                                        const InputSet& captured);
  void* address(std::size_t input) const override { return reinterpret_cast<void*>(live_->data(input)); }
  bool on_cuda() const override { return true; }
  ~DeviceInputs() override { (void)gpu_->context().make_current(); }   // whatever thread frees the memory
  // What fails is kept for status().
  void keep(JudgedSet& set) override;
  void write(const JudgedSet& set) override;
  void write_rolled(std::uint64_t seed) override;
  bool holds(std::size_t input, const JudgedSet& set) override;
  const runtime::DeviceArena& arena() const { return *live_; }
  const base::Status& status() const { return status_; }   // of the last write

 private:
  DeviceInputs(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const InputFacts& facts, const InputSet& captured)
      : gpu_(std::move(gpu)), judge_(std::move(judge)), facts_(facts), captured_(captured) {}
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<const DeviceJudge> judge_;
  InputFacts facts_;
  InputSet captured_;
  std::optional<runtime::DeviceArena> live_, kept_;
  base::Status status_ = base::done();
};

}  // namespace kw::oracle
