#include "core/worker/oracle/truth.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <variant>

#include "core/worker/aten/convert.h"
#include "core/worker/aten/executable.h"
#include "core/worker/oracle/element.h"
#include "core/worker/oracle/tensors.h"

namespace kw::oracle {
namespace {

// Operators whose output `position` is an index into their argument `self`, and the output that holds what it points at.
struct IndexRow { std::string_view op; std::size_t position; int pointed; bool maximum; bool plane; };   // pointed -1: found by scanning
constexpr IndexRow index_rows[] = {
    {"aten.argmax.default", 0, -1, true, false},
    {"aten.argmin.default", 0, -1, false, false},
    {"aten.max.dim", 1, 0, true, false},
    {"aten.min.dim", 1, 0, false, false},
    {"aten.max_pool2d_with_indices.default", 1, 0, true, true},
    {"aten.adaptive_max_pool2d.default", 1, 0, true, true},
};

// Where an index output's operand and extremum stand among the outputs of the augmented graph.
struct IndexSource { const IndexRow* row = nullptr; std::size_t operand = 0, pointed = 0; std::int64_t dim = 0; bool flat = false; };

std::optional<std::int64_t> literal_dim(const graph::Node& node) {
  const graph::Argument* dim = graph::find_argument(node, "dim");
  if (dim == nullptr || !std::holds_alternative<std::int64_t>(dim->value)) return std::nullopt;
  return std::get<std::int64_t>(dim->value);
}

// Adds the operands of index outputs to the graph's outputs, so that one run delivers all that judging needs.
std::vector<IndexSource> augment(graph::Graph& graph) {
  std::vector<IndexSource> sources(graph.outputs.size());
  const std::size_t plain = graph.outputs.size();
  for (std::size_t k = 0; k < plain; ++k)
    for (const graph::Node& node : graph.nodes)
      for (const IndexRow& row : index_rows) {
        if (node.op != row.op || node.outputs.size() <= row.position || node.outputs[row.position] != graph.outputs[k].value) continue;
        const graph::Argument* self = graph::find_argument(node, "self");
        const auto* operand = self != nullptr ? std::get_if<graph::ValueRef>(&self->value) : nullptr;
        if (operand == nullptr || (row.pointed >= 0 && node.outputs[0] == graph::no_value)) continue;
        IndexSource& source = sources[k];
        source.row = &row;
        source.operand = graph.outputs.size();
        graph.outputs.push_back({operand->id});
        if (row.pointed >= 0) {
          source.pointed = graph.outputs.size();
          graph.outputs.push_back({node.outputs[static_cast<std::size_t>(row.pointed)]});
        }
        const auto dim = literal_dim(node);
        source.flat = !row.plane && !dim;
        source.dim = dim.value_or(0);
      }
  return sources;
}

std::vector<double> doubles(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kDouble).contiguous();
  const double* data = flat.const_data_ptr<double>();
  return std::vector<double>(data, data + flat.numel());
}

std::vector<std::int64_t> integers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kLong).contiguous();
  const std::int64_t* data = flat.const_data_ptr<std::int64_t>();
  return std::vector<std::int64_t>(data, data + flat.numel());
}

// Position of every slice's first element in the row-major operand.
void lay_slices(IndexTruth& truth, const std::vector<std::int64_t>& sizes, std::int64_t dim, std::size_t outputs) {
  truth.stride = 1;
  for (std::size_t d = static_cast<std::size_t>(dim) + 1; d < sizes.size(); ++d) truth.stride *= sizes[d];
  truth.length = sizes[static_cast<std::size_t>(dim)];
  truth.base.resize(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto position = static_cast<std::int64_t>(k);
    truth.base[k] = position / truth.stride * truth.stride * truth.length + position % truth.stride;
  }
}

double scan(const IndexTruth& truth, std::size_t k, bool maximum) {
  double best = truth.values[static_cast<std::size_t>(truth.base[k])];
  for (std::int64_t i = 1; i < truth.length && !std::isnan(best); ++i) {
    const double value = truth.values[static_cast<std::size_t>(truth.base[k] + i * truth.stride)];
    if (std::isnan(value) || (maximum ? value > best : value < best)) best = value;
  }
  return best;
}

std::optional<IndexTruth> index_truth(const IndexSource& source, const aten::Tensors& truth, const aten::Tensors& eager, std::size_t outputs) {
  if (source.row == nullptr || outputs == 0) return std::nullopt;
  IndexTruth result;
  const at::Tensor& operand = truth[source.operand];
  result.values = doubles(operand);
  result.rms = root_mean_square(result.values);
  const std::vector<std::int64_t> sizes = operand.sizes().vec();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (source.row->plane) {
    result.length = sizes[sizes.size() - 1] * sizes[sizes.size() - 2];
    const std::int64_t planes = operand.numel() / std::max<std::int64_t>(result.length, 1);
    const std::int64_t per_plane = static_cast<std::int64_t>(outputs) / std::max<std::int64_t>(planes, 1);
    result.base.resize(outputs);
    for (std::size_t k = 0; k < outputs; ++k) result.base[k] = static_cast<std::int64_t>(k) / per_plane * result.length;
  } else if (source.flat) {
    result.length = operand.numel();
    result.base.assign(outputs, 0);
  } else {
    lay_slices(result, sizes, rank == 0 ? 0 : (source.dim + rank) % rank, outputs);
  }
  if (source.row->pointed >= 0) result.extremum = doubles(truth[source.pointed]);
  else
    for (std::size_t k = 0; k < outputs; ++k) result.extremum.push_back(scan(result, k, source.row->maximum));
  // The operand's own tolerance: eager picks by values that carry its error.
  OutputTruth values;
  const auto type = aten::tensor_type(eager[source.operand]);
  if (!type) return std::nullopt;
  values.type = *type;
  values.values = result.values;
  values.rms = result.rms;
  if (graph::is_floating(type->dtype)) {
    const at::Tensor flat = eager[source.operand].contiguous();
    judge_eager(values, static_cast<const std::byte*>(flat.const_data_ptr()));
  }
  result.tolerance = values.tolerance_max;
  return result;
}

}  // namespace

struct TruthMaker::Impl {
  std::unique_ptr<aten::Executable> eager, truth;
  std::vector<IndexSource> sources;
  bool on_cuda = false;

  base::Result<OutputTruth> judge_output(std::size_t k, const aten::Tensors& eager_out, const aten::Tensors& truth_out, const aten::Tensors& narrow_out) const {
    OutputTruth output;
    const auto type = aten::tensor_type(eager_out[k]);
    if (!type) return type.error();
    if (is_complex(type->dtype)) return base::Error{base::ErrorCode::unsupported, "A task with complex outputs cannot be judged.", ""};
    output.type = *type;
    const at::Tensor flat = eager_out[k].contiguous();
    const auto* bytes = static_cast<const std::byte*>(flat.const_data_ptr());
    if (!graph::is_floating(type->dtype)) {
      output.exact = integers(truth_out[k]);
      output.index = index_truth(sources[k], truth_out, eager_out, output.exact.size());
      judge_eager(output, bytes);
      return output;
    }
    output.values = doubles(truth_out[k]);
    output.rms = root_mean_square(output.values);
    judge_eager(output, bytes);
    if (type->dtype == graph::DType::f64 && !narrow_out.empty() && narrow_out[k].scalar_type() == at::kFloat) {
      const at::Tensor narrow = narrow_out[k].contiguous();
      learn_error_from_f32(output, narrow.const_data_ptr<float>());
    }
    return output;
  }
};

TruthMaker::TruthMaker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TruthMaker::~TruthMaker() = default;

base::Result<std::shared_ptr<TruthMaker>> TruthMaker::make(const graph::Graph& task, bool on_cuda) {
  auto impl = std::make_unique<Impl>();
  impl->on_cuda = on_cuda;
  graph::Graph augmented = task;
  impl->sources = augment(augmented);
  auto eager = aten::Executable::bind(augmented, {}, {.on_cuda = on_cuda});
  if (!eager) return eager.error();
  auto truth = aten::Executable::bind(augmented, {}, {.on_cuda = on_cuda, .promote_to_f64 = true});
  if (!truth) return truth.error();
  impl->eager = std::move(eager).value();
  impl->truth = std::move(truth).value();
  return std::shared_ptr<TruthMaker>(new TruthMaker(std::move(impl)));
}

base::Result<std::vector<OutputTruth>> TruthMaker::judge(const InputFacts& facts, const InputSet& set) {
  try {
    const c10::InferenceMode inference;
    aten::Tensors plain, wide, narrow;
    bool any_f64 = false;
    for (std::size_t i = 0; i < facts.types.size(); ++i) {
      const graph::TensorType& type = facts.types[i];
      plain.push_back(aten::placed(view_of(type, const_cast<std::byte*>(set.storages[i].data())), impl_->on_cuda));
      wide.push_back(converted(type, plain.back(), at::kDouble));
      any_f64 = any_f64 || type.dtype == graph::DType::f64;
      narrow.push_back(type.dtype == graph::DType::f64 ? converted(type, plain.back(), at::kFloat) : plain.back());
    }
    auto eager_out = impl_->eager->run(plain);
    if (!eager_out) return eager_out.error();
    auto truth_out = impl_->truth->run(wide);
    if (!truth_out) return truth_out.error();
    aten::Tensors narrow_out;
    // Where the graph itself asks for float64, a run in float32 may not exist: then only the epsilon decides.
    if (any_f64)
      if (auto run = impl_->eager->run(narrow)) narrow_out = std::move(run).value();
    for (aten::Tensors* tensors : {&*eager_out, &*truth_out, &narrow_out})
      for (at::Tensor& tensor : *tensors) tensor = aten::placed(tensor, false);
    std::vector<OutputTruth> outputs;
    for (std::size_t k = 0; k < impl_->sources.size(); ++k) {
      auto output = impl_->judge_output(k, *eager_out, *truth_out, narrow_out);
      if (!output) return output.error();
      outputs.push_back(std::move(output).value());
    }
    return outputs;
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, "The truth of a task could not be computed: " + aten::first_line(error), set.name};
  }
}

}  // namespace kw::oracle
