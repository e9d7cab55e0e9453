#pragma once
// The inputs that a candidate and the baseline read: one set of buffers for both, where the target runs. Executor thread.

#include <memory>

#include "core/base/result.h"
#include "core/worker/oracle/judged_set.h"
#include "core/worker/runtime/arena.h"

namespace kw::oracle {

class LiveInputs {
 public:
  virtual ~LiveInputs() = default;
  virtual void* address(std::size_t input) const = 0;    // of its first element, on the host or on the GPU
  virtual bool on_cuda() const = 0;
  virtual void keep(JudgedSet&) {}                       // brings a set where these and the judges of outputs want it
  // The values of a set; those of the set given at the making, rolled (input_sets.h). As the operators before the task would.
  virtual void write(const JudgedSet& set) = 0;
  virtual void write_rolled(std::uint64_t seed) = 0;
  virtual bool holds(std::size_t input, const JudgedSet& set) = 0;   // bit for bit
};

// In shared memory, for runner and worker; written by the threads of the executor's pool.
class HostInputs : public LiveInputs {
 public:
  static base::Result<std::unique_ptr<LiveInputs>> make(const InputFacts& facts, const InputSet& captured);
  void* address(std::size_t input) const override { return arena_.data(input); }
  bool on_cuda() const override { return false; }
  void write(const JudgedSet& set) override;
  void write_rolled(std::uint64_t seed) override;
  bool holds(std::size_t input, const JudgedSet& set) override;
  const runtime::Arena& arena() const { return arena_; }

 private:
  HostInputs(const InputFacts& facts, const InputSet& captured, runtime::Arena arena) : facts_(facts), captured_(captured), arena_(std::move(arena)) {}
  InputFacts facts_;
  InputSet captured_;
  runtime::Arena arena_;
};

}  // namespace kw::oracle
