// Compiles kernel.cu and reference.cu for this GPU, runs both on drawn inputs, compares every element, and times both.
// Exit status 0 when all outputs agree, 2 when they could not be compared. Needs nothing but the files beside it: see build.sh.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "checking.h"

struct Step {
  const char* name;
  std::vector<int> buffers;                   // the kernel's arguments: a pointer each
  unsigned grid[3], block[3];
  unsigned shared_bytes;                      // dynamic
};
struct Plan {
  std::vector<Buffer> buffers;                // inputs, outputs, workspaces; the pointer is that of the first element
  std::vector<Step> steps;
};

#include "task.h"

namespace {

[[noreturn]] void stop(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(2);
}

void need(CUresult result, const std::string& otherwise) {
  if (result == CUDA_SUCCESS) return;
  const char* why = nullptr;
  cuGetErrorString(result, &why);
  stop(otherwise + " (" + (why != nullptr ? why : "unknown error") + ").");
}

void need(nvrtcResult result, const std::string& otherwise) {
  if (result != NVRTC_SUCCESS) stop(otherwise + " (" + nvrtcGetErrorString(result) + ").");
}

std::string contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) stop("cannot read " + name + ". Run this program in its own folder.");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string log_of(nvrtcProgram program) {
  std::size_t bytes = 0;
  if (nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return "";
  std::string log(bytes, '\0');
  return nvrtcGetProgramLog(program, log.data()) == NVRTC_SUCCESS ? log.c_str() : "";
}

// The kernels of a source, for the architecture "sm_90", built as they were when they were judged.
std::string compile(const std::string& source, const std::string& name, const std::string& arch) {
  std::vector<std::string> flags = {"-arch=" + arch};
  std::istringstream words(contents("compile_flags.txt"));
  for (std::string word; words >> word;) flags.push_back(word);
  std::vector<const char*> options;
  for (const std::string& flag : flags) options.push_back(flag.c_str());
  nvrtcProgram program;
  need(nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr), "NVRTC does not begin");
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  if (result != NVRTC_SUCCESS) std::fputs(log_of(program).c_str(), stderr);
  need(result, "NVRTC does not compile " + name + " for " + arch);
  std::size_t bytes = 0;
  need(nvrtcGetCUBINSize(program, &bytes), "NVRTC made no machine code of " + name);
  std::string cubin(bytes, '\0');
  need(nvrtcGetCUBIN(program, cubin.data()), "NVRTC does not give the machine code of " + name);
  nvrtcDestroyProgram(&program);
  return cubin;
}

CUfunction function_of(CUmodule module, const std::string& name) {
  CUfunction function;
  need(cuModuleGetFunction(&function, module, name.c_str()), "the source has no kernel " + name);
  return function;
}

CUmodule module_of(const std::string& cubin, const std::string& name) {
  CUmodule module;
  need(cuModuleLoadData(&module, cubin.data()), "this GPU does not load " + name);
  return module;
}

struct Gpu {
  std::string name, arch;
  std::size_t l2_bytes;
};

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  need(cuDeviceGetAttribute(&value, which, device), "the driver does not describe its GPU");
  return value;
}

Gpu open_gpu() {
  need(cuInit(0), "no GPU: NVIDIA's driver does not start");
  CUdevice device;
  need(cuDeviceGet(&device, 0), "no GPU");
  CUcontext context;
  need(cuDevicePrimaryCtxRetain(&context, device), "the GPU cannot be used");
  need(cuCtxSetCurrent(context), "the GPU cannot be used");
  char name[200] = "";
  need(cuDeviceGetName(name, sizeof(name), device), "the driver does not name its GPU");
  const std::string arch = "sm_" + std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                           std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return {name, arch, static_cast<std::size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE))};
}

CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr memory;
  need(cuMemAlloc(&memory, std::max<std::size_t>(bytes, 1)), "the GPU has no room for " + std::to_string(bytes) + " bytes");
  return memory;
}

struct Run {
  std::vector<CUfunction> functions;   // one a step
  std::vector<CUdeviceptr> pointers;   // one a buffer
};

Run prepare(const Plan& plan, const std::string& file, const Gpu& gpu, const std::vector<Bytes>& inputs) {
  Run run;
  const CUmodule module = module_of(compile(contents(file), file, gpu.arch), file);
  for (const Step& step : plan.steps) {
    run.functions.push_back(function_of(module, step.name));
    need(cuFuncSetAttribute(run.functions.back(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(step.shared_bytes)),
         "this GPU does not give a block of " + std::string(step.name) + " its " + std::to_string(step.shared_bytes) + " bytes of shared memory");
  }
  std::size_t next = 0;
  for (const Buffer& b : plan.buffers) {
    const auto bytes = static_cast<std::size_t>(span(b) * byte_size(b.dtype));
    run.pointers.push_back(allocate(bytes));
    if (bytes == 0) continue;
    need(cuMemsetD8(run.pointers.back(), 0xff, bytes), "cannot fill a buffer");
    if (b.role == Role::input) need(cuMemcpyHtoD(run.pointers.back(), inputs[next].data(), bytes), "cannot copy an input to the GPU");
    next += b.role == Role::input;
  }
  return run;
}

void execute(const Plan& plan, const Run& run) {
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    std::vector<void*> arguments;
    for (const int b : step.buffers) arguments.push_back(const_cast<CUdeviceptr*>(&run.pointers[static_cast<std::size_t>(b)]));
    need(cuLaunchKernel(run.functions[s], step.grid[0], step.grid[1], step.grid[2], step.block[0], step.block[1], step.block[2], step.shared_bytes,
                        nullptr, arguments.data(), nullptr),
         "this GPU does not launch " + std::string(step.name));
  }
}

// Waits for the kernels, too.
std::vector<Bytes> outputs_of(const Plan& plan, const Run& run) {
  need(cuCtxSynchronize(), "a kernel failed");
  std::vector<Bytes> data;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& b = plan.buffers[i];
    data.emplace_back(b.role == Role::output ? static_cast<std::size_t>(span(b) * byte_size(b.dtype)) : 0);
    if (!data.back().empty()) need(cuMemcpyDtoH(data.back().data(), run.pointers[i], data.back().size()), "cannot copy an output from the GPU");
  }
  return data;
}

// Keeps the stream busy while launches are queued behind it, so that the time between them on the host does not count.
constexpr const char* hold_source = R"(
extern "C" __global__ void hold() {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < 200000ull);
}
)";

class Clock {
 public:
  explicit Clock(const Gpu& gpu) : hold_(function_of(module_of(compile(hold_source, "hold.cu", gpu.arch), "hold.cu"), "hold")),
                                   flush_bytes_(2 * gpu.l2_bytes), flush_(allocate(flush_bytes_)) {
    need(cuEventCreate(&start_, CU_EVENT_DEFAULT), "no event");
    need(cuEventCreate(&end_, CU_EVENT_DEFAULT), "no event");
  }

  double median_us(const Plan& plan, const Run& run) const {
    constexpr int rounds = 50;
    std::vector<double> samples;
    for (int i = 0; i < rounds; ++i) samples.push_back(once_us(plan, run));
    std::nth_element(samples.begin(), samples.begin() + rounds / 2, samples.end());
    return samples[rounds / 2];
  }

 private:
  double once_us(const Plan& plan, const Run& run) const {
    need(cuMemsetD8Async(flush_, 0, flush_bytes_, nullptr), "cannot flush the cache");
    need(cuLaunchKernel(hold_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), "cannot hold the stream back");
    need(cuEventRecord(start_, nullptr), "cannot record an event");
    execute(plan, run);
    need(cuEventRecord(end_, nullptr), "cannot record an event");
    need(cuEventSynchronize(end_), "a kernel failed");
    float ms = 0;
    need(cuEventElapsedTime(&ms, start_, end_), "two events have no time between them");
    return 1e3 * ms;
  }

  CUfunction hold_;
  std::size_t flush_bytes_;
  CUdeviceptr flush_;
  CUevent start_, end_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;   // optional argument
  const Gpu gpu = open_gpu();
  const std::vector<Bytes> inputs = draw_inputs(candidate_plan.buffers, seed);
  const Run candidate = prepare(candidate_plan, "kernel.cu", gpu, inputs), reference = prepare(reference_plan, "reference.cu", gpu, inputs);
  execute(candidate_plan, candidate);
  execute(reference_plan, reference);
  const bool right = compare_outputs(candidate_plan.buffers, outputs_of(candidate_plan, candidate), reference_plan.buffers, outputs_of(reference_plan, reference));
  const Clock clock(gpu);
  std::printf("kernel %.1f us, plain reference %.1f us on %s (medians of 50 runs, L2 cache flushed)\n", clock.median_us(candidate_plan, candidate),
              clock.median_us(reference_plan, reference), gpu.name.c_str());
  return right ? 0 : 1;
}
