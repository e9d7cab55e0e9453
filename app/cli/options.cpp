#include "app/cli/options.h"

#include <CLI/CLI.hpp>

#include "core/base/paths.h"

namespace kw::cli {
namespace {

void model_options(CLI::App& command, conductor::ModelOptions& model) {
  command.add_option("model", model.path, "the model: a .py file with get_model() and get_inputs(), or a .pt2 archive")->required();
  command.add_option("--target", model.target, "auto (cuda where there is a GPU, else cpu), cpu or cuda")->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
  command.add_option("--threads", model.threads, "threads of the model and of its kernels (default: all cores)")->check(CLI::Range(1, 1024));
  auto* file = command.add_option("--inputs", model.inputs, "inputs to use instead of the model's own (.pt or .safetensors)")->check(CLI::ExistingFile);
  command.add_option("--input-set", model.input_set, "one of the input sets that a .py names (INPUT_SETS or get_input_sets())")->excludes(file);
  command.add_option("--python", model.python, "the Python that exports a .py model (default: .venv beside the sources, else python3)");
}

void add_profile(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("profile", "Time each operator of a model and show where the time goes");
  model_options(command, o.optimize.model);
  command.add_option("--session", o.optimize.session, "also keep the result in this session file (.kwr)");
  command.add_option("--json", o.json, "write the operator cards to FILE (- for standard output)");
  command.add_option("--trace", o.trace, "write a timeline of one run to FILE, for chrome://tracing or Perfetto");
}

void add_optimize(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("optimize", "Search for faster kernels and put the winners into the model");
  auto& s = o.optimize;
  model_options(command, s.model);
  command.add_option("--session", s.session, "session file (default: MODEL.kwr beside the model)");
  auto* task = command.add_option("--task", s.task, "only this task");
  command.add_option("--tasks", s.tasks, "only the N tasks of the largest share")->check(CLI::Range(1, 100000))->excludes(task);
  command.add_option("--evals", s.evaluations, "evaluations to make (default: 200, no limit with --minutes)")->check(CLI::Range(1, 100000000));
  command.add_option("--minutes", s.minutes, "minutes to search")->check(CLI::PositiveNumber);
  command.add_option("--plateau", s.plateau, "stop after N evaluations without a gain")->check(CLI::Range(1, 100000000));
  command.add_option("--seed", s.model.seed, "seed of the search and of drawn inputs")->capture_default_str();
  command.add_option("--policy", s.policy, "prior of the search: none (uniform) or default (hand-made)")->capture_default_str();
  command.add_option("--llm", o.llm, "off (no language model in this version)")->capture_default_str();
  command.add_option("--json", o.json, "write the result to FILE (- for standard output)");
}

void add_run(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("run", "Run a model, eager or with the winners of a session");
  model_options(command, o.optimize.model);
  command.add_option("--session", o.session, "put the winners of this session into the model")->check(CLI::ExistingFile);
  command.add_option("--out", o.out, "write the outputs to FILE.pt, a tuple that torch.load reads");
}

void add_show(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("show", "Show what a session holds");
  command.add_option("session", o.session, "session file")->required();
  command.add_option("view", o.view, "tasks, tree, failures, timeline, or candidate")
      ->check(CLI::IsMember({"tasks", "tree", "failures", "timeline", "candidate"}));
  command.add_option("id", o.first, "the candidate to show");
  command.add_flag("--asm", o.assembly, "with its machine code");
  command.add_option("--trace", o.trace, "timeline: write it to FILE too, for chrome://tracing or Perfetto");
}

void add_diff(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("diff", "Show how two candidates differ: in words, recipe, plan and source");
  command.add_option("session", o.session, "session file")->required();
  command.add_option("first", o.first, "candidate")->required();
  command.add_option("second", o.second, "candidate")->required();
}

void add_verify(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("verify", "Evaluate one candidate again, afresh, and keep the result");
  command.add_option("session", o.session, "session file")->required();
  command.add_option("id", o.first, "candidate")->required();
  command.add_option("--model", o.optimize.model.path, "where the model is now, if it was moved")->check(CLI::ExistingFile);
  command.add_option("--python", o.optimize.model.python, "the Python that exports a .py model");
}

void add_export(CLI::App& app, Options& o) {
  auto& command = *app.add_subcommand("export", "Write out a candidate, or all winners: source, plan, build line, test program, Python loader");
  command.add_option("session", o.session, "session file")->required();
  command.add_option("id", o.first, "candidate (default: every winner)");
  command.add_option("--out", o.out, "folder to write")->required();
}

void add_serve(CLI::App& app) {
  app.add_subcommand("serve", "Be the engine of the desktop application: JSON-RPC on standard input and output");
}

void add_report_of_machine(CLI::App& app, Options& o, const char* name, const char* what) {
  app.add_subcommand(name, what)->add_flag("--json", o.as_json, "as JSON");
}

}  // namespace

void describe(CLI::App& app, Options& o) {
  app.description("Kernelwright: finds faster kernels for the operators of a PyTorch model, and proves them right and fast.");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("kernelwright ") + KW_VERSION);
  add_report_of_machine(app, o, "doctor", "Say what is installed, what is missing and how to get it");
  add_report_of_machine(app, o, "operators", "List the operators that the generator can write");
  add_profile(app, o);
  add_optimize(app, o);
  add_run(app, o);
  add_show(app, o);
  add_diff(app, o);
  add_verify(app, o);
  add_export(app, o);
  add_serve(app);
  for (CLI::App* command : app.get_subcommands({}))
    command->footer("Manual: " + base::resources_dir() + "/help/" + command->get_name() + ".md");
}

}  // namespace kw::cli
