"""Puts the exported kernel into PyTorch, on the GPU.

    from loader import load, replace
    kernel = load()                            # callable on CUDA tensors, in the order of task.INPUTS
    y = kernel(x, weight, bias)                # on torch's current stream, also while a CUDA graph is captured
    replace(model, "encoder.norm", kernel)     # where the module's forward(x...) is exactly this task

Run as a program it checks the kernel against PyTorch in float64, shows it inside a module, and times both. With --asm it prints
the kernel's machine code instead.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

from checking import check, checked, empty, replace  # noqa: F401  (replace is for who imports this)

ALIGNMENT = 16                     # bytes: the widest access of a kernel
MAX_THREADS, MAX_SHARED = 0, 8     # CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, …_MAX_DYNAMIC_SHARED_SIZE_BYTES


def wheels():
    return pathlib.Path(torch.__file__).parents[1]


def toolkits():
    return [pathlib.Path(root) for root in (os.environ.get("CUDA_HOME"), "/usr/local/cuda") if root]


def open_nvrtc():
    """NVIDIA's run-time compiler, of the wheel that torch brought or of a toolkit."""
    folders = [wheels() / "nvidia/cu13/lib", wheels() / "nvidia/cuda_nvrtc/lib"] + [root / lib for root in toolkits() for lib in ("lib64", "lib")]
    for folder in folders:
        for library in sorted(folder.glob("libnvrtc.so.*")):
            for builtins in folder.glob("libnvrtc-builtins.so.*"):   # NVRTC asks for them by name: these must be there first
                ctypes.CDLL(str(builtins))
            return ctypes.CDLL(str(library))
    raise RuntimeError("NVIDIA's run-time compiler (libnvrtc.so) was not found. Install torch's CUDA wheel, or set CUDA_HOME to a toolkit.")


def text_of(program, size_of, read):
    size = ctypes.c_size_t()
    if size_of(program, ctypes.byref(size)) != 0 or size.value == 0:
        return b""
    text = ctypes.create_string_buffer(size.value)
    return text.raw if read(program, text) == 0 else b""


def compiled(folder, arch):
    """kernel.cu as machine code for "sm_90", built as it was when it was judged."""
    nvrtc, program = open_nvrtc(), ctypes.c_void_p()
    source = (folder / "kernel.cu").read_bytes()
    options = [f"-arch={arch}".encode()] + (folder / "compile_flags.txt").read_bytes().split()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = text_of(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).rstrip(b"\0").decode(errors="replace")
    cubin = b"" if failed else text_of(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if not cubin:
        raise RuntimeError(f"NVRTC ({nvrtc._name}) does not compile kernel.cu for {arch} (its error {failed}).\n{log}")
    return cubin


class Driver:
    """Functions of the driver; an error is a RuntimeError with its sentence."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise RuntimeError("no GPU: NVIDIA's driver (libcuda.so.1) is not on this machine.") from None
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.library.cuLaunchKernel.argtypes = [pointer] + 7 * [number] + 3 * [pointer]

    def call(self, name, *arguments, otherwise):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            why = ctypes.c_char_p(b"unknown error")
            self.library.cuGetErrorString(result, ctypes.byref(why))
            raise RuntimeError(f"{otherwise} ({(why.value or b'unknown error').decode()}).")


class Kernel:
    """One plan, compiled for the current GPU. Calling it allocates the outputs, launches the steps in order on torch's current stream and
    returns one tensor or a tuple."""

    def __init__(self, folder):
        self.device = current_gpu()
        self.plan = json.loads((folder / "plan.json").read_text())
        self.buffers = self.plan["buffers"]
        self.inputs = [b for b in self.buffers if b["role"] == "input"]
        self.driver, self.context, module = Driver(), ctypes.c_void_p(), ctypes.c_void_p()
        self.cubin = compiled(folder, arch_of(self.device))
        self.driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device.index, otherwise="the GPU cannot be used")
        self._enter()
        try:
            self.driver.call("cuModuleLoadData", ctypes.byref(module), self.cubin, otherwise="this GPU does not load the kernels")
            self.functions = [self._function(module, step) for step in self.plan["steps"]]
        finally:
            self._leave()

    # Torch's own context, whatever thread this is.
    def _enter(self):
        self.driver.call("cuCtxPushCurrent_v2", self.context, otherwise="the GPU cannot be used")

    def _leave(self):
        self.driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()), otherwise="the GPU cannot be left")

    def _function(self, module, step):
        function, most, launch, name = ctypes.c_void_p(), ctypes.c_int(), step["launch"], step["name"]
        self.driver.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode(), otherwise=f"kernel.cu has no kernel {name}")
        self.driver.call("cuFuncGetAttribute", ctypes.byref(most), MAX_THREADS, function, otherwise=f"the driver does not describe {name}")
        if launch["block"][0] * launch["block"][1] * launch["block"][2] > most.value:
            raise RuntimeError(f"a block of {name} has {launch['block']} threads; with its registers this GPU runs {most.value}.")
        self.driver.call("cuFuncSetAttribute", function, MAX_SHARED, launch["shared_bytes"],
                         otherwise=f"this GPU does not give a block of {name} its {launch['shared_bytes']} bytes of shared memory")
        return function

    def _launch(self, function, step, pointers, stream):
        values = (ctypes.c_uint64 * len(pointers))(*pointers)
        parameters = (ctypes.c_void_p * len(pointers))(*[ctypes.addressof(values) + 8 * i for i in range(len(pointers))])
        launch = step["launch"]
        self.driver.call("cuLaunchKernel", function, *launch["grid"], *launch["block"], launch["shared_bytes"], stream, parameters, None,
                         otherwise=f"this GPU does not launch {step['name']}")

    def __call__(self, *tensors):
        if len(tensors) != len(self.inputs):
            raise TypeError(f"this kernel takes {len(self.inputs)} tensors: {[b['name'] for b in self.inputs]}")
        given = iter(tensors)
        held = [checked(b, next(given), self.device, ALIGNMENT) if b["role"] == "input" else empty(b, self.device) for b in self.buffers]
        stream = torch.cuda.current_stream(self.device).cuda_stream
        self._enter()
        try:
            for function, step in zip(self.functions, self.plan["steps"]):
                self._launch(function, step, [held[b].data_ptr() for b in step["buffers"]], stream)
        finally:
            self._leave()
        outputs = tuple(t for t, b in zip(held, self.buffers) if b["role"] == "output")
        return outputs[0] if len(outputs) == 1 else outputs


def current_gpu():
    if not torch.cuda.is_available():
        raise RuntimeError(f"no GPU: torch {torch.__version__} finds none here (torch.cuda.is_available() is False).")
    return torch.device("cuda", torch.cuda.current_device())


def arch_of(device):
    return "sm_%d%d" % torch.cuda.get_device_capability(device)


def load(folder=None):
    """Compiles kernel.cu of this folder, or of another that was exported, for torch's current GPU."""
    return Kernel(pathlib.Path(folder or pathlib.Path(__file__).parent).resolve())


def machine_code(cubin):
    """SASS, by the disassembler of a toolkit or of the Triton that came with torch."""
    places = os.pathsep.join([os.environ.get("PATH", "")] + [str(root / "bin") for root in toolkits()] + [str(wheels() / "triton/backends/nvidia/bin")])
    for name, option in (("nvdisasm", "-c"), ("cuobjdump", "-sass")):
        if tool := shutil.which(name, path=places):
            with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
                file.write(cubin)
                file.flush()
                return subprocess.run([tool, option, file.name], check=True, capture_output=True, text=True).stdout
    raise RuntimeError("neither nvdisasm nor cuobjdump was found. Install a CUDA toolkit and set CUDA_HOME, or put one of them on the PATH.")


def median_us(function, device, rounds=30):
    """Device time, the L2 cache flushed before each call, the launches queued while the stream is held back."""
    flush = torch.empty(2 * torch.cuda.get_device_properties(device).L2_cache_size, dtype=torch.uint8, device=device)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    samples = []
    for _ in range(rounds):
        flush.zero_()
        torch.cuda._sleep(1_000_000)   # cycles
        start.record()
        function()
        end.record()
        end.synchronize()
        samples.append(1e3 * start.elapsed_time(end))
    return sorted(samples)[rounds // 2]


def check_and_time():
    import task
    kernel = load()
    with torch.inference_mode():
        right, eager, inputs = check(kernel, task, kernel.device)
        ours, theirs = (median_us(lambda: function(*inputs), kernel.device) for function in (kernel, eager))
        print(f"kernel {ours:.1f} us, eager {theirs:.1f} us on {torch.cuda.get_device_name(kernel.device)} (medians, L2 cache flushed)")
    return 0 if right else 1


def main():
    parser = argparse.ArgumentParser(description="Checks the exported kernel against PyTorch on the GPU and times both.")
    parser.add_argument("--asm", action="store_true", help="print the machine code instead")
    parser.add_argument("--arch", help="of the machine code, as sm_90 (default: this GPU's; with it no GPU is needed)")
    options = parser.parse_args()
    try:
        if not options.asm:
            return check_and_time()
        print(machine_code(compiled(pathlib.Path(__file__).parent, options.arch or arch_of(current_gpu()))))
        return 0
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
