#pragma once
// A set of inputs with the truth of its outputs: on the host, and for a GPU's judges there as well.

#include <memory>
#include <vector>

#include "core/worker/oracle/compare.h"
#include "core/worker/oracle/input_sets.h"

namespace kw::oracle {

struct DeviceSet;                                 // device_set.h

struct JudgedSet {
  InputSet inputs;
  std::vector<OutputTruth> outputs;
  std::shared_ptr<const DeviceSet> on_device;     // null: on the host alone
};

}  // namespace kw::oracle
