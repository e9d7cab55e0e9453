#include "core/engine/report/exporter.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "core/base/paths.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/report/assembly.h"
#include "core/engine/report/export_text.h"
#include "core/engine/report/text.h"
#include "core/engine/store/plan_json.h"

namespace kw::report {
namespace {

namespace fs = std::filesystem;

struct Material {
  store::CandidateRecord candidate;
  store::TaskRecord task;
  protocol::Environment environment;
  std::vector<store::EvaluationRecord> evaluations;
  graph::Graph graph;
  plan::Plan plan, reference;
};

base::Result<plan::Plan> without_vectors(const graph::Graph& graph, const protocol::Environment& environment) {
  auto program = kernel::define(graph);
  if (!program) return program.error();
  const auto limits = conductor::limits_of(environment);
  kernel::Recipe recipe = kernel::default_recipe(*program, limits);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& mutation : kernel::mutations(*program, recipe, limits)) {
      if (mutation.kind != "vector width" || mutation.to != "1") continue;
      recipe = std::move(mutation.result);
      changed = true;
      break;
    }
  }
  auto generated = kernel::generate(*program, recipe, limits);
  if (!generated) return generated.error();
  return std::move(generated->plan);
}

// The plainest kernel that the generator writes: scalar, and without what a search would add.
base::Result<plan::Plan> plain_plan(const graph::Graph& graph, const protocol::Environment& environment) {
  auto plan = without_vectors(graph, environment);
  if (plan) return plan;
  return base::Error{plan.error().code, "the plain kernel to check against cannot be generated: " + plan.error().message, plan.error().context};
}

base::Result<Material> gather(const store::Session& session, const std::string& id) {
  auto candidate = session.candidate(id);
  if (!candidate) return candidate.error();
  auto task = session.task(candidate->task);
  auto environment = session.environment();
  auto evaluations = session.evaluations(id);
  auto plan = store::plan_of(*candidate);
  if (!task) return task.error();
  if (!environment) return environment.error();
  if (!evaluations) return evaluations.error();
  if (!plan) return plan.error();
  auto graph = graph::graph_from_json(task->graph);
  if (!graph) return graph.error();
  auto reference = plain_plan(*graph, *environment);
  if (!reference) return reference.error();
  return Material{std::move(*candidate), std::move(*task), std::move(*environment), std::move(*evaluations), std::move(*graph), std::move(*plan), std::move(*reference)};
}

// Of a floating output that no evaluation compared: room for a rounding of each side.
double usual_difference(graph::DType dtype) { return dtype == graph::DType::bf16 ? 0.0625 : dtype == graph::DType::f16 ? 0.0078 : 1e-4; }

// Kernel and reference are both within the tolerance of the truth, so at most twice that apart. An int64 output is an index, which
// goes either way at a near tie.
std::vector<double> allowed_differences(const Material& m) {
  constexpr double index_share = 0.05;
  std::vector<double> allowed;
  for (const plan::Buffer& buffer : m.plan.buffers) {
    if (buffer.role != plan::BufferRole::output) continue;
    const bool floating = graph::is_floating(buffer.type.dtype);
    allowed.push_back(floating ? usual_difference(buffer.type.dtype) : buffer.type.dtype == graph::DType::i64 ? index_share : 0);
    for (const auto& e : m.evaluations) {
      const auto& errors = e.evaluation.evidence.errors;
      if (floating && allowed.size() <= errors.size()) allowed.back() = 2 * errors[allowed.size() - 1].tolerance_max;
    }
  }
  return allowed;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += word + " ";
  return out;
}

std::string lines(const std::string& flags) {
  std::string out;
  for (const auto& flag : all_flags(flags)) out += flag + "\n";
  return out;
}

std::string build_script(const protocol::Environment& environment) {
  const std::string compiler = compiler_program(environment.compiler);
  return "#!/bin/sh\n# Builds kernel.so (for loader.py) and, with the argument `check`, the test program.\nset -e\ncd \"$(dirname \"$0\")\"\n" + compiler + " " +
         joined(all_flags(environment.flags)) + "kernel.cpp -o kernel.so\n[ \"$1\" = check ] || exit 0\n" + compiler + " " +
         joined(program_flags(environment.flags)) + "main.cpp kernel.cpp reference.cpp -o check\n";
}

bool on_cuda(const Material& m) { return m.plan.target == "cuda"; }

std::string measured_lines(const Material& m) {
  std::string out;
  for (const auto& e : m.evaluations) {
    out += "- " + e.purpose + ": " + e.evaluation.verdict_text();
    if (const auto& measured = e.evaluation.measurement)
      out += ", " + duration(measured->candidate_median_us) + " against " + duration(measured->baseline_median_us) + " (" + measured->baseline + "), " +
             ratio(measured->ratio) + " " + interval(measured->ratio_ci95) + ", " + (on_cuda(m) ? "" : std::to_string(measured->threads) + " threads, ") + measured->device;
    out += "\n";
  }
  return out;
}

std::string built_and_run(const Material& m) {
  const std::string built = "Built with " + m.environment.compiler + ", on " + (on_cuda(m) ? m.environment.device : m.environment.cpu) + ".";
  if (on_cuda(m))
    return built + " Both programs compile the source for the GPU that they find.\n\n"
           "    sh build.sh && ./check            # draws inputs, checks against reference.cu, times the kernel\n"
           "    python loader.py                  # the same against PyTorch in float64, and shows the kernel inside a module\n"
           "    python loader.py --asm            # the machine code (SASS)\n\n";
  return built + " `-march=native` means: build it on the machine it runs on.\n\n"
         "    sh build.sh check && ./check      # draws inputs, checks against reference.cpp, times the kernel\n"
         "    python loader.py                  # the same against PyTorch in float64, and shows the kernel inside a module\n\n";
}

std::string readme(const Material& m, const store::ModelInfo& model) {
  return "# " + m.task.id + ", candidate " + m.candidate.id + "\n\n"
         "Task at " + (m.task.source.empty() ? "an unknown line" : m.task.source) + (m.task.module_path.empty() ? "" : ", module `" + m.task.module_path + "`") +
         ", " + std::to_string(m.task.calls) + " calls in " + model.path + " (SHA-256 " + model.sha256 + ").\n\n"
         "Recipe: `" + m.candidate.recipe + "`\n\nMeasured:\n\n" + measured_lines(m) +
         "\n" + built_and_run(m) +
         "In your own code:\n\n"
         "    from loader import load, replace\n"
         "    kernel = load()                   # callable on tensors, in the order of task.INPUTS\n"
         "    replace(model, \"path.to.module\", kernel)   # where one module's forward is exactly this task\n"
         "    other = load(\"path/of/another/export\")     # one loader serves all\n\n"
         "The kernel is made for exactly the shapes, dtypes and strides in plan.json and says so when called with others.\n";
}

struct File { std::string name, text; };

std::vector<File> written_files(const Material& m, const store::ModelInfo& model) {
  std::vector<File> files = {
      {"plan.json", plan::text(m.plan)},
      {"task.h", plan_tables(m.graph, m.plan, m.reference, allowed_differences(m))},
      {"task.py", python_task(m.graph, m.plan.target)},
      {"README.md", readme(m, model)},
  };
  if (on_cuda(m))
    files.insert(files.end(), {{"kernel.cu", m.plan.source}, {"reference.cu", m.reference.source}, {"compile_flags.txt", lines(m.environment.flags)}});
  else
    files.insert(files.end(), {{"kernel.cpp", m.plan.source}, {"reference.cpp", renamed(m.reference, "reference_")}, {"build.sh", build_script(m.environment)}});
  return files;
}

// In resources/export.
constexpr const char* cpu_files[] = {"checking.h", "checking.py", "cpu/main.cpp", "cpu/loader.py"};
constexpr const char* cuda_files[] = {"checking.h", "checking.py", "cuda/main.cpp", "cuda/loader.py", "cuda/build.sh"};

base::Status copy(std::span<const char* const> files, const fs::path& folder) {
  for (const fs::path file : files) {
    auto text = base::read_file(base::resources_dir() + "/export/" + file.string());
    if (!text) return text.error();
    if (auto status = base::write_file_atomically((folder / file.filename()).string(), *text); !status) return status;
  }
  return base::done();
}

base::Status write(const Material& m, const store::ModelInfo& model, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return base::Error{base::ErrorCode::io, "cannot make the folder: " + error.message() + ".", folder.string()};
  for (const auto& [name, text] : written_files(m, model))
    if (auto status = base::write_file_atomically((folder / name).string(), text); !status) return status;
  return on_cuda(m) ? copy(cuda_files, folder) : copy(cpu_files, folder);
}

}  // namespace

base::Result<std::vector<std::string>> export_candidate(const store::Session& session, const std::string& id, const std::string& folder) {
  if (fs::path(folder).extension() == ".kwpkg")
    return base::Error{base::ErrorCode::unsupported, "packages (.kwpkg) cannot be written in this version; name a folder.", folder};
  auto model = session.model();
  if (!model) return model.error();
  auto material = gather(session, id);
  if (!material) return material.error();
  if (auto status = write(*material, *model, folder); !status) return status.error();
  return std::vector<std::string>{folder};
}

base::Result<std::vector<std::string>> export_winners(const store::Session& session, const std::string& folder) {
  auto finals = session.finals();
  if (!finals) return finals.error();
  if (finals->empty())
    return base::bad_input("this session has no confirmed winner yet. Name a candidate (`kernelwright show SESSION tree` lists them).", session.path());
  std::vector<std::string> out;
  for (const auto& final : *finals) {
    auto written = export_candidate(session, final.candidate, (fs::path(folder) / final.task).string());
    if (!written) return written.error();
    out.push_back(written->front());
  }
  return out;
}

}  // namespace kw::report
