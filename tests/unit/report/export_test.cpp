// The exported folder of a cuda candidate: its files, and as much of its programs as runs without a GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/report/export_text.h"
#include "core/engine/report/exporter.h"
#include "core/engine/store/plan_json.h"
#include "core/kernel/emit/cuda.h"

namespace kw::report {
namespace {

namespace fs = std::filesystem;

std::string source_dir() {
  const char* folder = std::getenv("KW_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

// softmax(where(mask, x, y)) over rows of 200 numbers.
graph::Graph masked_softmax() {
  graph::Graph g;
  const auto value = [&](const std::string& name, graph::DType dtype, graph::Origin origin) {
    graph::Value v;
    v.name = name;
    v.origin = origin;
    v.type = {dtype, {64, 200}, {200, 1}};
    g.values.push_back(v);
  };
  value("mask", graph::DType::boolean, graph::Origin::input);
  value("x", graph::DType::bf16, graph::Origin::input);
  value("y", graph::DType::bf16, graph::Origin::input);
  value("chosen", graph::DType::bf16, graph::Origin::node);
  value("softmax", graph::DType::bf16, graph::Origin::node);
  g.inputs = {0, 1, 2};
  graph::Node where, softmax;
  where.op = "aten.where.self";
  where.arguments = {{"condition", false, graph::ValueRef{0}}, {"self", false, graph::ValueRef{1}}, {"other", false, graph::ValueRef{2}}};
  where.outputs = {3};
  softmax.op = "aten.softmax.int";
  softmax.arguments = {{"self", false, graph::ValueRef{3}}, {"dim", false, std::int64_t{-1}}};
  softmax.outputs = {4};
  g.nodes = {where, softmax};
  g.outputs = {{4, graph::OutputKind::user, graph::no_value}};
  return g;
}

protocol::Environment environment(const std::string& target) {
  protocol::Environment e;
  e.target = target;
  e.device = "a GPU";
  e.threads = 2;
  e.multiprocessors = 132;
  e.compiler = target == "cuda" ? "NVRTC 13.0" : "g++ 12";
  e.flags = "-std=c++20 -O2 -fopenmp -shared -fPIC";
  if (target == "cpu") return e;
  e.flags.clear();
  for (const char* flag : kernel::cuda_compile_flags) e.flags += std::string(flag) + " ";
  e.flags += "-lineinfo";
  return e;
}

base::Result<base::Captured> run_in(const fs::path& folder, std::vector<std::string> argv) {
  base::SpawnOptions options;
  options.argv = std::move(argv);
  options.cwd = folder;
  options.pipe_stdout = options.pipe_stderr = true;
  return base::run_captured(options, 120);
}

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_export_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The folder of a session's one candidate.
  fs::path exported(const std::string& target) {
    auto session = store::Session::create((folder_ / "s.kwr").string(), {});
    EXPECT_TRUE(session.ok() && session->set_environment(environment(target)).ok());
    store::TaskRecord task;
    task.id = "t00-softmax";
    task.graph = graph::to_json(masked_softmax());
    task.instances = nlohmann::json::array();
    EXPECT_TRUE(session->set_tasks({task}).ok());
    auto program = kernel::define(masked_softmax());
    EXPECT_TRUE(program.ok()) << (program ? "" : program.error().text());
    const auto limits = conductor::limits_of(environment(target));
    auto generated = kernel::generate(*program, kernel::default_recipe(*program, limits), limits);
    EXPECT_TRUE(generated.ok()) << (generated ? "" : generated.error().text());
    plan_ = generated->plan;
    store::CandidateRecord candidate;
    candidate.id = "c1";
    candidate.task = task.id;
    store::set_plan(candidate, plan_);
    EXPECT_TRUE(session->add_candidate(candidate, {}).ok());
    auto written = export_candidate(*session, "c1", (folder_ / "out").string());
    EXPECT_TRUE(written.ok()) << (written ? "" : written.error().text());
    return folder_ / "out";
  }
  std::string text(const fs::path& file) {
    auto read = base::read_file(file.string());
    return read ? *read : read.error().text();
  }

  fs::path folder_;
  plan::Plan plan_;
};

TEST_F(Export, HoldsWhatACudaCandidateNeeds) {
  const fs::path out = exported("cuda");
  EXPECT_EQ(text(out / "kernel.cu"), plan_.source);
  EXPECT_EQ(text(out / "plan.json"), plan::text(plan_));
  EXPECT_EQ(text(out / "compile_flags.txt"), "--std=c++20\n--device-as-default-execution-space\n--fmad=true\n-lineinfo\n");
  EXPECT_NE(text(out / "reference.cu"), plan_.source);   // without vectors
  EXPECT_NE(text(out / "reference.cu").find("__global__"), std::string::npos);
  EXPECT_NE(text(out / "README.md").find("sh build.sh && ./check"), std::string::npos);
  EXPECT_NE(text(out / "task.h").find("Domain::any, 0, 6.2e-02},"), std::string::npos) << text(out / "task.h");   // 8 × eps of bfloat16
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(out)) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"README.md", "build.sh", "checking.h", "checking.py", "compile_flags.txt", "kernel.cu", "loader.py",
                                          "main.cpp", "plan.json", "reference.cu", "task.h", "task.py"}));
}

TEST_F(Export, TheTestProgramOfCudaCompiles) {
  const fs::path out = exported("cuda");
  std::vector<std::string> includes = {"/usr/local/cuda/include"};
  std::error_code error;
  for (const auto& python : fs::directory_iterator(source_dir() + "/.venv/lib", error))
    includes.push_back(python.path().string() + "/site-packages/nvidia/cu13/include");
  const auto found = std::find_if(includes.begin(), includes.end(), [](const std::string& folder) { return fs::exists(folder + "/nvrtc.h"); });
  if (found == includes.end()) GTEST_SKIP() << "CUDA's headers are not on this machine";
  const auto done = run_in(out, {"g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-isystem", *found, "main.cpp"});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.code, 0) << done->err;
}

TEST_F(Export, TheProgramsInPythonCompile) {
  for (const char* target : {"cpu", "cuda"}) {
    const fs::path out = exported(target);
    const auto done = run_in(out, {"python3", "-m", "py_compile", "loader.py", "checking.py", "task.py"});
    if (!done) GTEST_SKIP() << done.error().text();
    EXPECT_EQ(done->status.code, 0) << done->err;
    fs::remove(folder_ / "s.kwr");
  }
}

TEST_F(Export, TheTestProgramOfCpuAgreesWithItself) {
  const fs::path out = exported("cpu");
  const auto done = run_in(out, {"sh", "-c", "sh build.sh check && ./check"});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.code, 0) << done->out << done->err;
  EXPECT_NE(done->out.find(": right"), std::string::npos) << done->out;
}

// NVRTC in the loader compiles both sources, as they are and with the flags that were written down.
TEST_F(Export, TheLoaderPrintsMachineCode) {
  const std::string python = source_dir() + "/.venv/bin/python3";
  if (!fs::exists(python)) GTEST_SKIP() << "no torch in .venv";
  const fs::path out = exported("cuda");
  for (const char* source : {"kernel.cu", "reference.cu"}) {
    if (std::string(source) != "kernel.cu") fs::copy_file(out / source, out / "kernel.cu", fs::copy_options::overwrite_existing);
    const auto done = run_in(out, {python, "loader.py", "--asm", "--arch", "sm_90"});
    ASSERT_TRUE(done.ok());
    if (done->err.find("not found") != std::string::npos) GTEST_SKIP() << done->err;
    EXPECT_EQ(done->status.code, 0) << done->err;
    EXPECT_NE(done->out.find("EXIT"), std::string::npos) << source << done->out.substr(0, 2000);
  }
}

TEST_F(Export, TheLoaderSaysWhatIsWrong) {
  const std::string python = source_dir() + "/.venv/bin/python3";
  if (!fs::exists(python)) GTEST_SKIP() << "no torch in .venv";
  const fs::path out = exported("cuda");
  const auto unknown = run_in(out, {python, "loader.py", "--asm", "--arch", "sm_17"});
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->status.code, 2);
  EXPECT_NE(unknown->err.find("does not compile kernel.cu for sm_17"), std::string::npos) << unknown->err;
  const auto program = run_in(out, {"env", "CUDA_VISIBLE_DEVICES=", python, "loader.py"});
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->status.code, 2);
  EXPECT_EQ(program->err.rfind("no GPU: ", 0), 0u) << program->err;
}

TEST(ExportTexts, AStepOfCudaHasItsLaunch) {
  graph::Graph g = masked_softmax();
  plan::Plan plan;
  plan.target = "cuda";
  plan.buffers = {{"mask", plan::BufferRole::input, g.values[0].type}, {"softmax", plan::BufferRole::output, g.values[4].type}};
  plan.steps = {{plan::StepKind::kernel, "k", {0, 1}, true, {{64, 2, 1}, {128, 1, 1}, 65536}}};
  const std::string tables = plan_tables(g, plan, plan, {0.01});
  EXPECT_NE(tables.find("    {\"mask\", Role::input, DType::boolean, {64, 200}, {200, 1}, Domain::any, 0, "), std::string::npos) << tables;
  EXPECT_NE(tables.find("    {\"k\", {0, 1}, {64, 2, 1}, {128, 1, 1}, 65536},\n"), std::string::npos) << tables;
  EXPECT_EQ(tables.find("extern"), std::string::npos) << tables;
}

TEST(ExportTexts, TensorsAreMadeWhereTheKernelRuns) {
  graph::Graph g = masked_softmax();
  graph::Node range;
  range.op = "aten.arange.default";
  range.arguments = {{"end", false, std::int64_t{200}}, {"device", true, graph::DeviceArg{"cpu", -1}}};
  range.outputs = {3};
  g.nodes[0] = range;
  EXPECT_NE(python_task(g, "cuda").find("torch.ops.aten.arange.default(200, device=\"cuda\")"), std::string::npos) << python_task(g, "cuda");
}

}  // namespace
}  // namespace kw::report
