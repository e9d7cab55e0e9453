#include "execute.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "core/base/half.h"
#include "core/kernel/emit/cpp.h"

namespace kw::kernel::samples {
namespace {

template <typename T>
void put(std::vector<unsigned char>& bytes, T value) {
  const auto* p = reinterpret_cast<const unsigned char*>(&value);
  bytes.insert(bytes.end(), p, p + sizeof value);
}
template <typename T>
T get(const std::vector<unsigned char>& bytes, std::size_t k) {
  T value;
  std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
  return value;
}

}  // namespace

std::vector<double> logical(const graph::TensorType& type, const std::vector<double>& memory) {
  std::vector<double> out;
  const std::int64_t count = type.elements();
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat, offset = 0;
    for (std::size_t k = type.sizes.size(); k-- > 0; rest /= type.sizes[k]) offset += rest % type.sizes[k] * type.strides[k];
    out.push_back(memory[static_cast<std::size_t>(offset)]);
  }
  return out;
}

base::Result<std::vector<std::vector<double>>> interpreted(const Lowered& lowered, const Program& program,
                                                           const std::vector<std::vector<double>>& inputs) {
  std::vector<std::vector<double>> memory = inputs;
  for (std::size_t b = inputs.size(); b < lowered.buffers.size(); ++b)
    memory.emplace_back(static_cast<std::size_t>(lowered.buffers[b].type.span()), std::numeric_limits<double>::quiet_NaN());
  for (const LoopNest& nest : lowered.nests) {
    if (base::Status status = verify(nest); !status) return base::Error{status.error().code, status.error().text() + "\n" + text(nest), "verify"};
    std::vector<std::vector<double>> local;
    for (const NestBuffer& buffer : nest.buffers)
      local.push_back(buffer.space == Space::global ? memory[static_cast<std::size_t>(buffer.plan_buffer)] : std::vector<double>{});
    if (base::Status status = interpret(nest, local); !status) return base::Error{status.error().code, status.error().text() + "\n" + text(nest), "interpret"};
    for (std::size_t b = 0; b < nest.buffers.size(); ++b)
      if (nest.buffers[b].space == Space::global) memory[static_cast<std::size_t>(nest.buffers[b].plan_buffer)] = local[b];
  }
  std::vector<std::vector<double>> out;
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    out.push_back(logical(program.output_types[k], memory[program.inputs.size() + k]));
  return out;
}

base::Result<Compiled> Compiled::build(const std::vector<Generated>& plans) {
  std::map<std::string, std::string> sources;
  for (const Generated& plan : plans) sources[plan.structural_hash.substr(0, 16)] = plan.plan.source;
  return compile({sources.begin(), sources.end()});
}

base::Result<Compiled> Compiled::build_together(const std::vector<Generated>& plans) {
  std::map<std::string, const Generated*> distinct;
  for (const Generated& plan : plans) distinct[plan.structural_hash] = &plan;
  std::vector<std::pair<std::string, std::string>> sources;
  std::vector<LoopNest> nests;
  const auto flush = [&] {
    sources.emplace_back("part" + std::to_string(sources.size()), emit_cpp(nests));
    nests.clear();
  };
  std::size_t count = 0;
  for (const auto& [hash, plan] : distinct) {
    nests.insert(nests.end(), plan->lowered.nests.begin(), plan->lowered.nests.end());
    if (++count % 64 == 0) flush();
  }
  if (!nests.empty()) flush();
  return compile(sources);
}

base::Result<Compiled> Compiled::compile(const std::vector<std::pair<std::string, std::string>>& sources) {
  static int number = 0;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("kw_recipe_" + std::to_string(getpid()) + "_" + std::to_string(number++));
  std::filesystem::create_directories(folder);
  const std::string object = (folder / "kernels.so").string();
  std::string files;
  for (const auto& [name, source] : sources) {
    const std::string path = (folder / (name + ".cpp")).string();
    std::ofstream(path) << source;
    files += " " + path;
  }
  const std::string command = "g++ -std=c++20 -O2 -march=native -fopenmp -fPIC -shared -fno-math-errno -w -o " + object + files;
  if (std::system(command.c_str()) != 0) return base::Error{base::ErrorCode::internal, "g++ failed: " + command, "compile"};
  Compiled out;
  out.handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out.handle_ == nullptr) return base::Error{base::ErrorCode::internal, dlerror(), "dlopen"};
  std::filesystem::remove_all(folder);
  return out;
}

void Compiled::call(const Generated& plan, const std::vector<void*>& buffers) const {
  for (const plan::Step& step : plan.plan.steps) {
    std::vector<void*> arguments;
    for (const int b : step.buffers) arguments.push_back(buffers[static_cast<std::size_t>(b)]);
    reinterpret_cast<void (*)(void* const*)>(dlsym(handle_, step.name.c_str()))(arguments.data());
  }
}

std::vector<std::vector<double>> Compiled::run(const Generated& plan, const Program& program, const std::vector<std::vector<double>>& inputs) const {
  std::vector<std::vector<unsigned char>> bytes;
  for (std::size_t b = 0; b < plan.plan.buffers.size(); ++b) {
    const graph::TensorType& type = plan.plan.buffers[b].type;
    if (b < inputs.size()) bytes.push_back(encode(type.dtype, inputs[b]));
    else bytes.emplace_back(static_cast<std::size_t>(type.span() * graph::byte_size(type.dtype)), static_cast<unsigned char>(0xff));
  }
  std::vector<void*> buffers;
  for (auto& buffer : bytes) buffers.push_back(buffer.data());
  call(plan, buffers);
  std::vector<std::vector<double>> out;
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    out.push_back(logical(program.output_types[k], decode(program.output_types[k].dtype, bytes[program.inputs.size() + k])));
  return out;
}

std::vector<unsigned char> encode(DType type, const std::vector<double>& values) {
  std::vector<unsigned char> bytes;
  for (const double v : values) {
    if (type == DType::f64) put(bytes, v);
    else if (type == DType::f32) put(bytes, static_cast<float>(v));
    else if (type == DType::bf16) put(bytes, base::float_to_bf16(static_cast<float>(v)));
    else if (type == DType::f16) put(bytes, base::float_to_f16(static_cast<float>(v)));
    else if (type == DType::i64) put(bytes, static_cast<std::int64_t>(v));
    else if (type == DType::i32) put(bytes, static_cast<std::int32_t>(v));
    else if (type == DType::i16) put(bytes, static_cast<std::int16_t>(v));
    else if (type == DType::i8) put(bytes, static_cast<std::int8_t>(v));
    else put(bytes, static_cast<unsigned char>(v));
  }
  return bytes;
}

std::vector<double> decode(DType type, const std::vector<unsigned char>& bytes) {
  std::vector<double> out;
  const std::size_t count = bytes.size() / static_cast<std::size_t>(graph::byte_size(type));
  for (std::size_t k = 0; k < count; ++k) {
    if (type == DType::f64) out.push_back(get<double>(bytes, k));
    else if (type == DType::f32) out.push_back(static_cast<double>(get<float>(bytes, k)));
    else if (type == DType::bf16) out.push_back(static_cast<double>(base::bf16_to_float(get<std::uint16_t>(bytes, k))));
    else if (type == DType::f16) out.push_back(static_cast<double>(base::f16_to_float(get<std::uint16_t>(bytes, k))));
    else if (type == DType::i64) out.push_back(static_cast<double>(get<std::int64_t>(bytes, k)));
    else if (type == DType::i32) out.push_back(static_cast<double>(get<std::int32_t>(bytes, k)));
    else if (type == DType::i16) out.push_back(static_cast<double>(get<std::int16_t>(bytes, k)));
    else if (type == DType::i8) out.push_back(static_cast<double>(get<std::int8_t>(bytes, k)));
    else out.push_back(static_cast<double>(bytes[k]));
  }
  return out;
}

double relative_error(const std::vector<double>& x, const std::vector<double>& truth) {
  if (x.size() != truth.size()) return std::numeric_limits<double>::infinity();
  double squares = 0;
  std::size_t finite = 0;
  for (const double t : truth)
    if (std::isfinite(t)) squares += t * t, ++finite;
  const double rms = finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k]) && std::isnan(truth[k])) continue;
    if (std::isinf(truth[k]) && x[k] == truth[k]) continue;
    const double error = x[k] == truth[k] ? 0 : std::abs(x[k] - truth[k]) / (std::abs(truth[k]) + rms);
    if (!(error <= worst)) worst = std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace kw::kernel::samples
