#include "core/worker/oracle/winners.h"

#include <algorithm>

#include "core/worker/aten/convert.h"
#include "core/worker/oracle/prepared_task.h"

namespace kw::oracle {
namespace {

base::Error mismatch(const std::string& task, const plan::Buffer& buffer, const std::string& found) {
  return {base::ErrorCode::bad_input, "The winner of '" + task + "' was made for " + buffer.type.text() + " and meets " + found +
                                          ". Leave it out, or optimize again with this input.", buffer.name};
}

bool same_strides(const graph::TensorType& a, const graph::TensorType& b) {
  for (std::size_t d = 0; d < a.sizes.size(); ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

// Checked at every call: another shape, dtype or layout than the plan's would be read wrongly.
base::Status check_input(const std::string& task, const plan::Buffer& buffer, const at::Tensor& tensor) {
  auto type = aten::tensor_type(tensor);
  if (!type) return type.error();
  const bool fits = type->dtype == buffer.type.dtype && type->sizes == buffer.type.sizes && (type->elements() == 0 || same_strides(*type, buffer.type));
  return fits ? base::done() : base::Status(mismatch(task, buffer, type->text()));
}

// A kernel of the GPU moves 16 bytes at once and faults where they do not lie on a multiple of 16: a view may begin anywhere.
at::Tensor aligned(const plan::Buffer& buffer, const at::Tensor& tensor) {
  constexpr std::uintptr_t alignment = 16;
  if (!tensor.is_cuda() || reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % alignment == 0) return tensor;
  at::Tensor copy = at::empty({buffer.type.span()}, tensor.options()).as_strided(buffer.type.sizes, buffer.type.strides, 0);
  copy.as_strided({buffer.type.span()}, {1}).copy_(tensor.as_strided({buffer.type.span()}, {1}));
  return copy;
}

at::TensorOptions options_of(const plan::Buffer& buffer, bool on_cuda) {
  return at::TensorOptions(aten::scalar_type(buffer.type.dtype)).device(on_cuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU));
}

base::Status run_winner(const Winner& winner, const aten::Tensors& inputs, aten::Tensors& outputs) {
  const std::string& task = winner.task;
  const plan::Plan& plan = winner.plan;
  std::vector<void*> pointers;
  aten::Tensors held;                    // until all is queued: what is freed then comes back to the same stream only
  pointers.reserve(plan.buffers.size());
  std::size_t next_input = 0, next_workspace = 0;
  for (const plan::Buffer& buffer : plan.buffers) {
    switch (buffer.role) {
      case plan::BufferRole::input: {
        if (next_input >= inputs.size()) return base::bad_input("The winner of '" + task + "' has more inputs than its place in the model.", buffer.name);
        const at::Tensor& tensor = inputs[next_input++];
        if (auto status = check_input(task, buffer, tensor); !status) return status;
        held.push_back(aligned(buffer, tensor));
        pointers.push_back(const_cast<void*>(held.back().const_data_ptr()));
        break;
      }
      case plan::BufferRole::output:
        outputs.push_back(at::empty_strided(buffer.type.sizes, buffer.type.strides, options_of(buffer, winner.on_cuda)));
        pointers.push_back(outputs.back().data_ptr());
        break;
      case plan::BufferRole::workspace: pointers.push_back((*winner.workspace)[next_workspace++].data_ptr()); break;
    }
  }
  return winner.run(pointers);
}

base::Result<Winner> load(const nlohmann::json& j, Target& target, timer::ExecutorThread& executor, const base::CancelToken& cancel) {
  if (!j.is_object() || !j.contains("task") || !j["task"].is_string() || !j.contains("plan") || !j.contains("instances") || !j["instances"].is_array())
    return base::bad_input("A winner needs task, plan and instances.", "winners");
  Winner winner;
  winner.task = j["task"];
  auto plan = plan::plan_from_json(j["plan"]);
  if (!plan) return plan.error();
  winner.plan = std::move(plan).value();
  for (const auto& text : j["instances"]) {
    auto instance = instance_from_json(text);
    if (!instance) return instance.error();
    winner.instances.push_back(std::move(instance).value());
  }
  auto built = target.build(winner.plan, cancel);
  if (!built) return built.error();
  if (built->object.empty()) return base::bad_input("The winner of '" + winner.task + "' does not build here: " + built->evidence.summary, winner.task);
  winner.on_cuda = target.on_cuda();
  winner.workspace = std::make_shared<aten::Tensors>();
  base::Status status = base::done();
  executor.run([&] {
    auto run = target.load(winner.plan, built->object);
    if (run) winner.run = std::move(run).value();
    else status = run.error();
    try {
      for (const plan::Buffer& buffer : winner.plan.buffers)
        if (buffer.role == plan::BufferRole::workspace) winner.workspace->push_back(at::empty({buffer.type.span()}, options_of(buffer, winner.on_cuda)));
    } catch (const std::exception& error) {
      status = base::Error{base::ErrorCode::busy, "No memory for the workspace of '" + winner.task + "': " + aten::first_line(error), winner.task};
    }
  });
  if (!status) return status.error();
  return winner;
}

}  // namespace

base::Result<std::vector<Winner>> load_winners(const nlohmann::json& winners, Target& target, timer::ExecutorThread& executor, const base::CancelToken& cancel) {
  if (!winners.is_array()) return base::bad_input("Winners come as a list.", "winners");
  std::vector<Winner> loaded;
  for (const auto& j : winners) {
    auto winner = load(j, target, executor, cancel);
    if (!winner) return winner.error();
    loaded.push_back(std::move(winner).value());
  }
  return loaded;
}

std::vector<aten::Substitution> substitutions(const std::vector<Winner>& winners, const std::vector<std::string>& without) {
  std::vector<aten::Substitution> result;
  for (const Winner& winner : winners) {
    if (std::find(without.begin(), without.end(), winner.task) != without.end()) continue;
    for (const graph::Instance& instance : winner.instances) {
      // Everything is captured by value: a substitution may outlive the list it came from.
      const auto run = [own = std::make_shared<Winner>(winner)](const aten::Tensors& inputs, aten::Tensors& outputs) -> base::Status {
        try {
          return run_winner(*own, inputs, outputs);
        } catch (const std::exception& error) {
          return base::Error{base::ErrorCode::internal, aten::first_line(error), own->task};
        }
      };
      result.push_back({instance, run});
    }
  }
  return result;
}

}  // namespace kw::oracle
