// Model intake against torch itself: intake_zoo.py exports models and runs them in Python; here the same archives are read
// and run by the worker's library, and every bit of every output must be the same, with one and with two threads.

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/graph/pt2/tensors.h"
#include "core/worker/aten/convert.h"
#include "core/worker/aten/model.h"

namespace kw {
namespace {

namespace fs = std::filesystem;
constexpr double python_timeout_s = 300;

std::string source_dir() { return std::getenv("KW_SOURCE_DIR"); }
std::string python() { return std::getenv("KW_PYTHON"); }

base::Captured run_python(std::vector<std::string> arguments) {
  base::SpawnOptions options;
  options.argv = {python()};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  auto captured = base::run_captured(std::move(options), python_timeout_s);
  EXPECT_TRUE(captured.ok());
  return captured ? *captured : base::Captured{};
}

// The folder that intake_zoo.py fills, once a run of this program.
const fs::path& zoo() {
  static const fs::path folder = [] {
    const fs::path made = fs::temp_directory_path() / ("kw_intake_" + std::to_string(::getpid()));
    std::vector<std::string> arguments{source_dir() + "/tests/models/intake_zoo.py", made.string()};
    for (const auto& entry : fs::directory_iterator(source_dir() + "/resources/examples"))
      if (entry.path().extension() == ".py") arguments.push_back(entry.path().string());
    const base::Captured captured = run_python(arguments);
    EXPECT_EQ(captured.status.code, 0) << captured.err;
    return made;
  }();
  return folder;
}

class Cleanup : public ::testing::Environment {
  void TearDown() override { fs::remove_all(zoo()); }
};
const auto* const cleanup = ::testing::AddGlobalTestEnvironment(new Cleanup);

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(zoo()))
    if (entry.path().extension() == ".pt2" && !entry.path().stem().string().starts_with("broken_")) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

aten::OpenOptions options_for(const fs::path& path, int threads = 1) {
  aten::OpenOptions options;
  options.path = path.string();
  options.python = python();
  options.threads = threads;
  options.cache = (zoo() / "cache").string();
  return options;
}

// "" or what differs.
std::string difference(const aten::Tensors& outputs, const fs::path& reference) {
  auto expected = graph::pt2::read_inputs_file(reference.string());
  if (!expected) return expected.error().text();
  std::size_t k = 0;
  for (const at::Tensor& output : outputs) {
    if (!output.defined()) continue;
    if (k >= expected->leaves.size()) return "more outputs than torch gives";
    const auto& stored = std::get<graph::pt2::StoredTensor>(expected->leaves[k++]);
    const std::string which = "output " + std::to_string(k - 1) + ": ";
    const auto type = aten::tensor_type(output);
    if (!type) return which + type.error().text();
    if (type->dtype != stored.type.dtype || type->sizes != stored.type.sizes) return which + type->text() + " instead of " + stored.type.text();
    const at::Tensor flat = output.resolve_conj().contiguous();
    const at::Tensor theirs = at::from_blob(const_cast<std::byte*>(stored.bytes.data()), stored.type.sizes, stored.type.strides,
                                            at::TensorOptions().dtype(output.scalar_type())).contiguous();
    if (flat.nbytes() > 0 && std::memcmp(flat.const_data_ptr(), theirs.const_data_ptr(), flat.nbytes()) != 0)
      return which + "bits differ, by at most " + std::to_string((flat.to(at::kDouble) - theirs.to(at::kDouble)).abs().max().item<double>());
  }
  return k == expected->leaves.size() ? "" : "fewer outputs than torch gives";
}

base::Error error_of(const fs::path& path, const std::string& inputs = "") {
  aten::OpenOptions options = options_for(path);
  options.inputs = inputs;
  auto model = aten::open_model(options);
  if (!model) return model.error();
  ADD_FAILURE() << path << " was opened";
  return {};
}

TEST(Intake, EveryModelGivesTorchsBits) {
  ASSERT_GE(model_names().size(), 20u);
  for (const std::string& name : model_names())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(name + " with " + std::to_string(threads) + " threads");
      auto model = aten::open_model(options_for(zoo() / (name + ".pt2"), threads));
      EXPECT_TRUE(model.ok()) << model.error().text();
      if (!model) continue;
      for (int repeat = 0; repeat < 2; ++repeat) {   // a second run sees inputs and buffers as the first did
        auto outputs = (*model)->eager->run((*model)->inputs);
        EXPECT_TRUE(outputs.ok()) << outputs.error().text();
        if (!outputs) continue;
        const c10::InferenceMode inference;
        EXPECT_EQ(difference(*outputs, zoo() / (name + ".threads" + std::to_string(threads) + ".pt")), "") << "run " << repeat;
      }
    }
}

TEST(Intake, ObservedTypesAreThoseOfTheRun) {
  auto model = aten::open_model(options_for(zoo() / "convolutions_channels_last.pt2"));
  ASSERT_TRUE(model.ok()) << model.error().text();
  const graph::Graph& graph = (*model)->graph;
  for (const graph::Node& node : graph.nodes) {
    if (node.op != "aten.conv2d.default") continue;
    const graph::TensorType& type = graph.values[static_cast<std::size_t>(node.outputs[0])].type;
    EXPECT_EQ(type.sizes, (std::vector<std::int64_t>{2, 8, 9, 10}));
    EXPECT_EQ(type.strides, (std::vector<std::int64_t>{720, 1, 80, 8}));   // channels last
    EXPECT_TRUE(node.source.file.ends_with("intake_zoo.py"));
    EXPECT_EQ(node.module_path, "a");
  }
}

TEST(Intake, DynamicDimensionsAreSpecialisedAndSaidSo) {
  auto model = aten::open_model(options_for(zoo() / "growing.pt2"));
  ASSERT_TRUE(model.ok()) << model.error().text();
  bool said = false;
  for (const std::string& note : (*model)->graph.notes) said |= note.find("specialised to") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(Intake, InputsFromAFile) {
  aten::OpenOptions options = options_for(zoo() / "half.pt2");
  options.inputs = (zoo() / "inputs_good.pt").string();
  auto model = aten::open_model(options);
  ASSERT_TRUE(model.ok()) << model.error().text();
  auto outputs = (*model)->eager->run((*model)->inputs);
  ASSERT_TRUE(outputs.ok());
  const c10::InferenceMode inference;
  EXPECT_EQ(difference(*outputs, zoo() / "inputs_good.outputs.pt"), "");
}

TEST(Intake, WrongInputsAreNamed) {
  const fs::path model = zoo() / "half.pt2";
  struct Row { const char* file; const char* message; };
  for (const Row& row : {Row{"inputs_too_few.pt", "takes 2 inputs, the file holds 1"}, Row{"inputs_shape.pt", "is f16[5, 34], the model takes f16[5, 33]"},
                         Row{"inputs_dtype.pt", "is f32[5, 33], the model takes f16[5, 33]"}, Row{"no_functions.py", ""}}) {
    const base::Error error = error_of(model, (zoo() / row.file).string());
    EXPECT_EQ(error.code, base::ErrorCode::bad_input) << row.file;
    EXPECT_NE(error.text().find(row.message), std::string::npos) << error.text();
  }
}

TEST(Intake, RefusedOperatorsAreNamedWithTheirLine) {
  struct Row { const char* file; base::ErrorCode code; const char* message; };
  for (const Row& row : {Row{"broken_namespace.pt2", base::ErrorCode::unsupported, "mylib.fancy.default is outside the namespace aten"},
                         Row{"broken_refused.pt2", base::ErrorCode::bad_input, "aten.from_file.default is refused: it opens or creates files"},
                         Row{"broken_unknown.pt2", base::ErrorCode::bad_input, "no operator aten.no_such_operator.default"}}) {
    const base::Error error = error_of(zoo() / row.file);
    EXPECT_EQ(error.code, row.code) << error.text();
    EXPECT_NE(error.message.find(row.message), std::string::npos) << error.text();
    EXPECT_NE(error.context.find("intake_zoo.py:"), std::string::npos) << error.context;
  }
}

TEST(Intake, TruncatedArchivesAreRefused) {
  const std::string whole = *base::read_file((zoo() / "buffers.pt2").string());
  for (const double part : {0.0, 0.1, 0.5, 0.9, 0.999}) {
    const fs::path path = zoo() / "cut.pt2";
    std::ofstream(path, std::ios::binary) << whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size())));
    EXPECT_EQ(error_of(path).code, base::ErrorCode::bad_input) << part;
    fs::remove(path);
  }
}

TEST(Intake, OtherFilesAreRefused) {
  EXPECT_EQ(error_of(zoo() / "missing.pt2").code, base::ErrorCode::bad_input);
  EXPECT_EQ(error_of(zoo() / "inputs_good.pt").code, base::ErrorCode::unsupported);
}

TEST(Intake, PythonErrorsNameTheUsersLine) {
  const base::Error nothing = error_of(zoo() / "no_functions.py");
  EXPECT_EQ(nothing.code, base::ErrorCode::bad_input);
  EXPECT_NE(nothing.message.find("get_model"), std::string::npos) << nothing.text();
  const base::Error raises = error_of(zoo() / "raises.py");
  EXPECT_EQ(raises.code, base::ErrorCode::bad_input);
  EXPECT_NE(raises.message.find("forward raised RuntimeError"), std::string::npos) << raises.text();
  EXPECT_TRUE(raises.context.ends_with("raises.py:5")) << raises.context;
}

TEST(Intake, APythonFileIsExportedAndKept) {
  aten::OpenOptions options = options_for(zoo() / "task.py");
  auto model = aten::open_model(options);
  ASSERT_TRUE(model.ok()) << model.error().text();
  EXPECT_EQ((*model)->kind, "py");
  options.python = "/bin/false";   // not asked again: another interpreter is another export, the same one is not
  EXPECT_FALSE(aten::open_model(options).ok());
  std::size_t archives = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(options.cache) / "exports")) archives += entry.path().extension() == ".pt2";
  EXPECT_EQ(archives, 1u);

  auto outputs = (*model)->eager->run((*model)->inputs);
  ASSERT_TRUE(outputs.ok());
  const fs::path saved = zoo() / "saved.pt";
  ASSERT_TRUE(aten::save_outputs(saved.string(), *outputs).ok());
  const std::string program = "import sys, torch\nt = torch.load(sys.argv[1])\nassert type(t) is tuple and len(t) == 1, t\n"
                              "assert t[0].shape == (3, 8) and t[0].dtype == torch.float32\nprint(float(t[0].double().sum()))";
  const base::Captured loaded = run_python({"-c", program, saved.string()});
  ASSERT_EQ(loaded.status.code, 0) << loaded.err;
  const c10::InferenceMode inference;
  EXPECT_DOUBLE_EQ(std::stod(loaded.out), (*outputs)[0].to(at::kDouble).sum().item<double>());
}

}  // namespace
}  // namespace kw
