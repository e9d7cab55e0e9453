#include "core/worker/aten/model.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <ATen/Parallel.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/version.h>

#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/graph/pt2/reader.h"
#include "core/graph/task.h"
#include "core/worker/aten/convert.h"
#include "core/worker/aten/inputs.h"
#include "core/worker/aten/python_export.h"

namespace kw::aten {
namespace {

using graph::pt2::Archive;

constexpr std::size_t weight_alignment = 64;   // what torch's own allocator gives; other kernels run below it


int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Tensors over the mapped archive. One storage an entry, so tensors that share one in the archive share it here.
class Weights {
 public:
  explicit Weights(std::shared_ptr<const Archive> archive) : archive_(std::move(archive)) {}

  base::Result<at::Tensor> tensor(const graph::Value& value) {
    if (auto checked = graph::pt2::stored_tensor(*archive_, value); !checked) return checked.error();   // sizes within the storage
    auto storage = whole(value.storage->entry);
    if (!storage) return storage.error();
    at::Tensor tensor = at::empty({0}, at::TensorOptions().dtype(scalar_type(value.type.dtype)));
    tensor.set_(*storage, value.storage->storage_offset, value.type.sizes, value.type.strides);
    return tensor;
  }

 private:
  base::Result<c10::Storage> whole(const std::string& entry) {
    if (const auto found = storages_.find(entry); found != storages_.end()) return found->second;
    auto bytes = archive_->entry(entry);
    if (!bytes) return bytes.error();
    const auto size = static_cast<std::int64_t>(bytes->size());
    const bool aligned = reinterpret_cast<std::uintptr_t>(bytes->data()) % weight_alignment == 0;
    at::Tensor flat;
    if (aligned && size > 0) {
      // Never written through this pointer: the executable swaps the memory of a storage before anything writes to it.
      flat = at::from_blob(const_cast<std::byte*>(bytes->data()), {size}, [archive = archive_](void*) {}, at::TensorOptions().dtype(at::kByte));
    } else {
      flat = at::empty({size}, at::TensorOptions().dtype(at::kByte));
      if (size > 0) std::memcpy(flat.data_ptr(), bytes->data(), bytes->size());
    }
    return storages_.emplace(entry, flat.storage()).first->second;
  }

  std::shared_ptr<const Archive> archive_;
  std::map<std::string, c10::Storage> storages_;
};

base::Status load_constants(const graph::pt2::Model& source, OpenModel& model) {
  Weights weights(source.archive);
  for (std::size_t v = 0; v < source.graph.values.size(); ++v) {
    const graph::Value& value = source.graph.values[v];
    if (value.origin == graph::Origin::input || value.origin == graph::Origin::node) continue;
    auto tensor = weights.tensor(value);
    if (!tensor) return tensor.error();
    model.constants.emplace(static_cast<graph::ValueId>(v), std::move(tensor).value());
  }
  return base::done();
}

base::Status load_inputs(const graph::pt2::Model& source, const OpenOptions& options, OpenModel& model) {
  auto leaves = options.inputs.empty() ? graph::pt2::example_inputs(source.archive) : graph::pt2::read_inputs_file(options.inputs);
  base::Result<Tensors> inputs = Tensors{};
  if (leaves) {
    inputs = match_inputs(source.graph, *leaves, options.inputs.empty() ? options.path : options.inputs);
  } else if (leaves.error().code == base::ErrorCode::not_found && options.inputs.empty()) {
    inputs = draw_inputs(source.graph, options.seed);
    model.graph.notes.push_back("the archive has no example inputs; they were drawn with seed " + std::to_string(options.seed));
  } else {
    return leaves.error();
  }
  if (!inputs) return inputs.error();
  model.inputs = std::move(inputs).value();
  return base::done();
}

bool same_bits(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].defined() != b[i].defined()) return false;
    if (!a[i].defined()) continue;
    if (a[i].scalar_type() != b[i].scalar_type() || a[i].sizes() != b[i].sizes()) return false;
    const at::Tensor x = placed(a[i], false).contiguous(), y = placed(b[i], false).contiguous();
    if (x.nbytes() > 0 && std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) != 0) return false;
  }
  return true;
}

bool has_other_device(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes)
    for (const graph::Argument& argument : node.arguments)
      if (const auto* device = std::get_if<graph::DeviceArg>(&argument.value); device && device->type != "cpu" && device->type != "meta") return true;
  return false;
}

// The graph that tasks are found on. It is used only where it gives the bits of the graph as it was exported.
base::Status bind_graph(const graph::Graph& exported, OpenModel& model) {
  const BindOptions bind_options{.on_cuda = model.on_cuda};
  auto plain = Executable::bind(exported, model.constants, bind_options);
  if (!plain) return plain.error();
  auto expected = (*plain)->run(model.inputs);
  if (!expected) return expected.error();
  const std::vector<std::string> notes = std::move(model.graph.notes);
  model.graph = graph::functionalize(exported);
  auto functional = Executable::bind(model.graph, model.constants, bind_options);
  const auto outputs = functional ? (*functional)->run(model.inputs) : base::Result<Tensors>(functional.error());
  if (!outputs || !same_bits(*outputs, *expected)) {
    model.graph = exported;
    functional = std::move(plain);
    model.graph.notes.push_back("in-place operators are kept: without them the results differ");
  }
  auto observed = (*functional)->observe(model.inputs);
  if (!observed) return observed.error();
  model.graph = std::move(observed).value();
  model.graph.notes.insert(model.graph.notes.end(), notes.begin(), notes.end());
  auto eager = Executable::bind(model.graph, model.constants, bind_options);
  if (!eager) return eager.error();
  model.eager = std::move(eager).value();
  return base::done();
}

// The archive to read: the file itself, or what the user's Python exports.
base::Result<std::string> archive_of(const OpenOptions& options, OpenModel& model) {
  const std::string extension = std::filesystem::path(options.path).extension().string();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(options.path, ignored)) return base::bad_input("There is no such file.", options.path);
  if (extension == ".py") {
    model.kind = "py";
    return export_model(options.path, options.python, options.seed, options.input_set, options.cache);
  }
  if (extension == ".pt" || extension == ".pth")
    return base::Error{base::ErrorCode::unsupported,
                       "TorchScript archives and saved weights are not read; export the model with torch.export.save to a .pt2, or give the .py file that builds it.", options.path};
  if (extension != ".pt2")
    return base::Error{base::ErrorCode::unsupported, "Models are read from .pt2 and .py files.", options.path};
  model.kind = "pt2";
  return options.path;
}

base::Result<std::unique_ptr<OpenModel>> open_here(const OpenOptions& options) {
  auto model = std::make_unique<OpenModel>();
  auto archive = archive_of(options, *model);
  if (!archive) return archive.error();
  auto sha = base::sha256_file(options.path);
  if (!sha) return sha.error();
  model->sha256 = *sha;
  at::set_num_threads(options.threads > 0 ? options.threads : usable_cores());
  auto source = graph::pt2::read_model(*archive);
  if (!source) return source.error();
  if (!source->torch_version.empty() && !source->torch_version.starts_with(TORCH_VERSION))
    model->graph.notes.push_back("exported by torch " + source->torch_version + ", runs on torch " TORCH_VERSION);
  if (has_other_device(source->graph)) model->graph.notes.push_back("tensors that the export put on another device are made where the model runs");
  if (base::Status status = load_constants(*source, *model); !status) return status.error();
  if (base::Status status = load_inputs(*source, options, *model); !status) return status.error();
  model->on_cuda = options.on_cuda;
  for (auto& [id, tensor] : model->constants) tensor = placed(tensor, options.on_cuda);
  for (at::Tensor& input : model->inputs) input = placed(input, options.on_cuda);
  if (base::Status status = bind_graph(source->graph, *model); !status) return status.error();
  return model;
}

}  // namespace

base::Result<std::unique_ptr<OpenModel>> open_model(const OpenOptions& options) {
  try {
    return open_here(options);
  } catch (const std::exception& error) {
    return base::bad_input("torch: " + first_line(error), options.path);
  }
}

base::Status save_outputs(const std::string& path, const Tensors& outputs) {
  try {
    const c10::InferenceMode inference;
    std::vector<c10::IValue> items;
    for (const at::Tensor& output : outputs)
      if (output.defined()) items.emplace_back(placed(output, false).resolve_conj().resolve_neg());
    const std::vector<char> bytes = torch::jit::pickle_save(c10::ivalue::Tuple::create(std::move(items)));
    return base::write_file_atomically(path, {bytes.data(), bytes.size()});
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::io, "The outputs cannot be written: " + first_line(error), path};
  }
}

}  // namespace kw::aten
