#include "core/worker/oracle/end_to_end.h"

#include <algorithm>
#include <cmath>

#include "core/base/clock.h"
#include "core/worker/aten/convert.h"
#include "core/worker/device/torch_cuda.h"
#include "core/worker/oracle/compare.h"
#include "core/worker/oracle/element.h"
#include "core/worker/oracle/model_ways.h"
#include "core/worker/oracle/tensors.h"
#include "core/worker/timer/paired.h"

namespace kw::oracle {
namespace {

// What a timing may take: timer::Options of the same names.
struct Effort { double precision, max_s, patience_s; };
constexpr Effort of_a_winner{0.01, 4, 0}, of_the_model{0.005, 30, 60}, of_a_way{0.005, 10, 20};
constexpr int least_rounds = 6, most_rounds = 1000;   // fewer have no interval

base::Error torch_error(const std::exception& error) { return {base::ErrorCode::internal, aten::first_line(error), "end_to_end"}; }

// Inputs of a model's float64 run.
aten::Tensors widened(const aten::Tensors& inputs) {
  aten::Tensors wide;
  for (const at::Tensor& tensor : inputs) {
    const auto type = aten::tensor_type(tensor);
    wide.push_back(type ? converted(*type, tensor, at::kDouble) : tensor);
  }
  return wide;
}

base::Result<OutputTruth> judge(const at::Tensor& truth, const at::Tensor& eager) {
  OutputTruth output;
  auto type = aten::tensor_type(eager);
  if (!type) return type.error();
  output.type = *type;
  const at::Tensor flat = aten::placed(eager.contiguous(), false);
  if (graph::is_floating(type->dtype)) {
    const at::Tensor wide = aten::placed(truth.to(at::kDouble).contiguous(), false);
    output.values.assign(wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel());
    output.rms = root_mean_square(output.values);
  } else if (!is_complex(type->dtype)) {
    const at::Tensor whole = aten::placed(truth.to(at::kLong).contiguous(), false);
    output.exact.assign(whole.const_data_ptr<std::int64_t>(), whole.const_data_ptr<std::int64_t>() + whole.numel());
  }
  judge_eager(output, static_cast<const std::byte*>(flat.const_data_ptr()));
  return output;
}

// One side of a whole-model round, whatever one call of the model is.
class ModelSide : public timer::Side {
 public:
  ModelSide(timer::ExecutorThread& executor, std::function<base::Status()> call, std::function<void()> afterwards)
      : executor_(executor), call_(std::move(call)), afterwards_(std::move(afterwards)) {}

  base::Status get_ready() override {
    timer::settle();
    return base::done();
  }
  base::Result<double> call_us() override {
    base::Status status = base::done();
    const double us = executor_.timed_us([&] { status = call_(); });
    executor_.run(afterwards_);
    if (!status) return status.error();
    return us;
  }
  base::Result<double> null_us() override {
    return executor_.timed_us([] {});
  }

 private:
  timer::ExecutorThread& executor_;
  std::function<base::Status()> call_;
  std::function<void()> afterwards_;
};

class EndToEndRun {
 public:
  EndToEndRun(aten::OpenModel& model, Gpu* gpu, const std::vector<Winner>& winners, int rounds, timer::ExecutorThread& executor,
              const base::CancelToken& cancel)
      : model_(model), gpu_(gpu), winners_(winners), rounds_(std::max(rounds, 6)), executor_(executor), cancel_(cancel) {}

  base::Result<protocol::EndToEnd> run() {
    auto plain = bind(), with = bind(), trial = bind();
    for (const auto* bound : {&plain, &with, &trial})
      if (!*bound) return bound->error();
    plain_ = std::move(plain).value(), with_ = std::move(with).value(), trial_ = std::move(trial).value();
    if (auto status = choose(); !status) return status.error();
    if (auto status = put(*with_, result_.left_out); !status) return status.error();
    if (auto status = measure_errors(); !status) return status.error();
    auto timing = pair(*with_, *plain_, of_the_model, rounds_);
    if (!timing) return timing.error();
    if (timing->rounds < least_rounds)
      return base::Error{base::ErrorCode::busy, "The whole model could not be timed: " + std::to_string(timing->discarded) +
                                                    " rounds were disturbed by other load. Stop what else runs on this machine and verify again.", "end_to_end"};
    result_.before_us = timing->against().median_us;
    result_.after_us = timing->candidate.median_us;
    result_.speedup = timing->against().ratio;
    result_.speedup_ci95 = timing->against().ratio_ci95;
    result_.rounds = timing->rounds;
    result_.discarded = timing->discarded;
    if (timing->busy) result_.note += "The machine was busy: " + std::to_string(timing->discarded) + " rounds were discarded. ";
    for (const Way& way : ways)
      if (gpu_ != nullptr)
        if (auto status = measure(way); !status) return status.error();
    return std::move(result_);
  }

 private:
  base::Result<std::unique_ptr<aten::Executable>> bind() {
    base::Result<std::unique_ptr<aten::Executable>> bound = base::Error{};
    executor_.run([&] { bound = aten::Executable::bind(model_.graph, model_.constants, {.on_cuda = model_.on_cuda}); });
    return bound;
  }

  base::Status put(aten::Executable& executable, const std::vector<std::string>& without) {
    base::Status status = base::done();
    executor_.run([&] { status = executable.substitute(substitutions(winners_, without)); });
    return status;
  }

  base::Result<timer::Timing> pair(aten::Executable& candidate, aten::Executable& baseline, const Effort& effort, int rounds) {
    aten::Tensors outputs;               // freed after the call's time is taken
    const auto side = [&](aten::Executable& executable) {
      return ModelSide(executor_, [&] { return call(executable, outputs); }, [&] { outputs.clear(); });
    };
    ModelSide a = side(candidate), b = side(baseline);
    return time(a, b, effort, rounds);
  }

  base::Status call(aten::Executable& executable, aten::Tensors& outputs) const {
    auto run = executable.run(model_.inputs);
    if (!run) return run.error();
    outputs = std::move(run).value();
    if (model_.on_cuda) device::synchronize();
    return base::done();
  }

  base::Result<timer::Timing> time(timer::Side& candidate, timer::Side& baseline, const Effort& effort, int rounds) {
    timer::Hooks hooks;
    hooks.write_inputs = [](int) {};
    timer::Options options;
    options.precision = effort.precision;
    options.min_rounds = rounds;
    options.max_rounds = most_rounds;
    options.max_s = effort.max_s;
    options.patience_s = effort.patience_s;
    options.beaten_below = 0;
    options.seed = static_cast<std::uint64_t>(base::now_s() * 1e9);
    return timer::time_rounds(candidate, {&baseline}, hooks, options, cancel_);
  }

  // What cannot be had is no error: the note says why.
  base::Status measure(const Way& way) {
    std::optional<AllowTf32> tf32;
    executor_.run([&] { tf32.emplace(way.tf32); });
    auto timing = way.graph ? pair_of_graphs() : pair(*with_, *plain_, of_a_way, rounds_);
    executor_.run([&] { tf32.reset(); });
    if (!timing && timing.error().code == base::ErrorCode::cancelled) return timing.error();
    if (!timing) result_.note += std::string(way.name) + ": " + timing.error().message + " ";
    else if (timing->rounds < least_rounds || timing->busy) result_.note += std::string(way.name) + ": could not be timed on a busy machine. ";
    else
      result_.ways.push_back({way.name, timing->against().median_us, timing->candidate.median_us, timing->against().ratio, timing->against().ratio_ci95,
                              timing->rounds});
    return base::done();
  }

  base::Result<timer::Timing> pair_of_graphs() {
    ModelGraph with, plain;
    base::Status status = base::done();
    executor_.run([&] {
      status = capture_model(*gpu_, *plain_, model_.inputs, plain);
      if (status) status = capture_model(*gpu_, *with_, model_.inputs, with);
    });
    const auto side = [&](ModelGraph& model) {
      return ModelSide(executor_, [&] {
        const base::Status launched = model.graph->launches.launch(gpu_->stream());
        device::synchronize();
        return launched;
      }, [] {});
    };
    ModelSide a = side(with), b = side(plain);
    base::Result<timer::Timing> timing = status ? time(a, b, of_a_way, rounds_) : base::Result<timer::Timing>(status.error());
    executor_.run([&] { with = {}, plain = {}; });
    return timing;
  }

  // Greedy: each winner's absence is timed against the set as it stands.
  base::Status choose() {
    if (auto status = put(*with_, {}); !status) return status;
    for (const Winner& winner : winners_) {
      std::vector<std::string> without = result_.left_out;
      without.push_back(winner.task);
      if (auto status = put(*trial_, without); !status) return status;
      auto timing = pair(*with_, *trial_, of_a_winner, std::max(rounds_ / 2, 6));
      if (!timing) return timing.error();
      if (timing->rounds < least_rounds) {
        result_.note += "Whether '" + winner.task + "' helps the whole model could not be timed on a busy machine; it is kept. ";
        continue;
      }
      // Kept unless the model is slower with it: an interval that holds 1 is no reason to give up a measured win.
      if (timing->against().ratio_ci95.high >= 1) continue;
      result_.left_out = without;
      if (auto status = put(*with_, without); !status) return status;
    }
    return base::done();
  }

  base::Status measure_errors() {
    base::Status status = base::done();
    executor_.run([&] {
      try {
        const c10::InferenceMode inference;
        status = measure_errors_here();
      } catch (const std::exception& error) {
        status = torch_error(error);
      }
    });
    return status;
  }

  base::Status measure_errors_here() {
    auto wide = aten::Executable::bind(model_.graph, model_.constants, {.on_cuda = model_.on_cuda, .promote_to_f64 = true});
    if (!wide) return wide.error();
    auto truth = (*wide)->run(widened(model_.inputs));
    if (!truth) return truth.error();
    auto eager = plain_->run(model_.inputs);
    if (!eager) return eager.error();
    auto candidate = with_->run(model_.inputs);
    if (!candidate) return candidate.error();
    result_.within_tolerance = true;
    for (std::size_t k = 0; k < truth->size(); ++k) {
      if (!(*eager)[k].defined()) continue;
      auto judged = judge((*truth)[k], (*eager)[k]);
      if (!judged) return judged.error();
      auto type = aten::tensor_type((*candidate)[k]);
      if (!type) return type.error();
      const bool same_kind = type->dtype == judged->type.dtype && type->sizes == judged->type.sizes;
      if (!same_kind)
        return base::Error{base::ErrorCode::internal, "With the winners, output " + std::to_string(k) + " is " + type->text() + " instead of " +
                                                          judged->type.text() + ".", "end_to_end"};
      const Comparison comparison = compare(*judged, *type, static_cast<const std::byte*>(aten::placed((*candidate)[k], false).const_data_ptr()), static_cast<int>(k));
      if (judged->values.empty()) {
        note_exact(k, *judged, comparison);
        continue;
      }
      result_.error_max = std::max(result_.error_max, comparison.max);
      result_.error_rms = std::max(result_.error_rms, comparison.rms);
      result_.error_eager_max = std::max(result_.error_eager_max, judged->eager_max);
      result_.error_eager_rms = std::max(result_.error_eager_rms, judged->eager_rms);
      result_.within_tolerance = result_.within_tolerance && comparison.within;
      if (judged->left_out_count > 0)
        result_.note += "Output " + std::to_string(k) + ": " + std::to_string(judged->left_out_count) + " elements left out, eager itself disagrees with float64. ";
    }
    return base::done();
  }

  // Integers and booleans: rounding before them may turn a near tie either way, in eager as with the winners.
  void note_exact(std::size_t k, const OutputTruth& judged, const Comparison& comparison) {
    constexpr std::int64_t times_eager = 4;
    if (comparison.wrong == 0 && judged.left_out_count == 0) return;
    result_.within_tolerance = result_.within_tolerance && comparison.wrong <= times_eager * judged.left_out_count;
    result_.note += "Output " + std::to_string(k) + ": of " + std::to_string(judged.type.elements()) + " elements, eager has " +
                    std::to_string(judged.left_out_count) + " other than float64, and the model with its winners " + std::to_string(comparison.wrong) + " more. ";
  }

  aten::OpenModel& model_;
  Gpu* gpu_;                             // null: on the cpu
  const std::vector<Winner>& winners_;
  int rounds_;
  timer::ExecutorThread& executor_;
  const base::CancelToken& cancel_;
  std::unique_ptr<aten::Executable> plain_, with_, trial_;
  protocol::EndToEnd result_;
};

}  // namespace

base::Result<protocol::EndToEnd> run_end_to_end(aten::OpenModel& model, Gpu* gpu, const std::vector<Winner>& winners, int rounds,
                                                timer::ExecutorThread& executor, const base::CancelToken& cancel) {
  return EndToEndRun(model, gpu, winners, rounds, executor, cancel).run();
}

}  // namespace kw::oracle
