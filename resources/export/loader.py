"""Puts the exported kernel into PyTorch.

    from loader import load, replace
    kernel = load()                            # callable on tensors, in the order of task.INPUTS
    y = kernel(x, weight, bias)
    replace(model, "encoder.norm", kernel)     # where the module's forward(x...) is exactly this task

Run as a program it checks the kernel against PyTorch in float64, shows it inside a module, and times both.
"""
import ctypes
import json
import pathlib
import subprocess
import sys

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "boolean": torch.bool, "bool": torch.bool, "c64": torch.complex64,
          "c128": torch.complex128}


class Kernel:
    """One plan, loaded. Calling it allocates the outputs, runs the steps in order and returns one tensor or a tuple."""

    def __init__(self, folder):
        self.plan = json.loads((folder / "plan.json").read_text())
        library = ctypes.CDLL(str(folder / "kernel.so"))
        self.steps = []
        for step in self.plan["steps"]:
            function = library[step["name"]]
            function.argtypes, function.restype = [ctypes.POINTER(ctypes.c_void_p)], None
            self.steps.append((function, step["buffers"]))
        self.buffers = self.plan["buffers"]
        self.inputs = [b for b in self.buffers if b["role"] == "input"]

    @staticmethod
    def _empty(buffer):
        return torch.empty_strided(buffer["sizes"], buffer["strides"], dtype=DTYPES[buffer["dtype"]])

    def _checked(self, buffer, tensor):
        if tensor.device.type != "cpu" or tensor.dtype != DTYPES[buffer["dtype"]] or list(tensor.shape) != buffer["sizes"]:
            raise ValueError(f"{buffer['name']}: this kernel takes {buffer['dtype']}{buffer['sizes']} on the cpu, "
                             f"not {tensor.dtype} {list(tensor.shape)} on {tensor.device}")
        if all(size == 1 or have == want for size, have, want in zip(tensor.shape, tensor.stride(), buffer["strides"])):
            return tensor
        if any(stride == 0 and size > 1 for size, stride in zip(buffer["sizes"], buffer["strides"])):
            raise ValueError(f"{buffer['name']}: this kernel takes an expanded tensor with strides {buffer['strides']}")
        return self._empty(buffer).copy_(tensor)

    def __call__(self, *tensors):
        if len(tensors) != len(self.inputs):
            raise TypeError(f"this kernel takes {len(self.inputs)} tensors: {[b['name'] for b in self.inputs]}")
        given = iter(tensors)
        held = [self._checked(b, next(given)) if b["role"] == "input" else self._empty(b) for b in self.buffers]
        for function, buffers in self.steps:
            function((ctypes.c_void_p * len(buffers))(*[held[b].data_ptr() for b in buffers]))
        outputs = tuple(t for t, b in zip(held, self.buffers) if b["role"] == "output")
        return outputs[0] if len(outputs) == 1 else outputs


class KernelModule(torch.nn.Module):
    """The kernel as a module; `extra` are inputs that the caller does not pass (weights of the module it replaces)."""

    def __init__(self, kernel, *extra):
        super().__init__()
        self.kernel, self.extra = kernel, extra

    def forward(self, *tensors):
        return self.kernel(*tensors, *self.extra)


def load(folder=None):
    """Builds kernel.so beside this file where it is missing or older than its source, and loads it."""
    folder = pathlib.Path(folder or pathlib.Path(__file__).parent).resolve()
    built = folder / "kernel.so"
    if not built.exists() or built.stat().st_mtime < (folder / "kernel.cpp").stat().st_mtime:
        subprocess.run(["sh", str(folder / "build.sh")], check=True)
    return Kernel(folder)


def replace(model, path, kernel, *extra):
    """model.path becomes the kernel; returns what stood there before."""
    parent, _, name = path.rpartition(".")
    owner = model.get_submodule(parent)
    before = getattr(owner, name)
    setattr(owner, name, KernelModule(kernel, *extra))
    return before


def draw(name, dtype, sizes, strides, domain, generator):
    base = torch.empty_strided(sizes, strides, dtype=dtype)
    storage = torch.as_strided(base, (base.untyped_storage().size() // max(base.element_size(), 1),), (1,), 0)
    if domain.startswith("index "):
        storage.copy_(torch.randint(0, int(domain.split()[1]), storage.shape, generator=generator))
    elif dtype.is_floating_point:
        values = torch.randn(storage.shape, generator=generator, dtype=torch.float64)
        storage.copy_(values.abs() + 0.1 if domain == "positive" else values)
    else:
        storage.copy_(torch.randint(0, 2 if dtype == torch.bool else 10, storage.shape, generator=generator))
    return base


def as_tuple(outputs):
    return outputs if isinstance(outputs, (tuple, list)) else (outputs,)


def error(value, truth):
    """Largest |x - t| / (|t| + rms(t)); infinite where one is NaN and the other is not."""
    value, truth = value.double(), truth.double()
    if truth.numel() == 0:
        return 0.0
    finite = truth[truth.isfinite()]
    rms = finite.square().mean().sqrt() if finite.numel() else torch.tensor(0.0)
    same = (value == truth) | (value.isnan() & truth.isnan())
    each = torch.where(same, torch.zeros_like(truth), (value - truth).abs() / (truth.abs() + rms))
    return each.nan_to_num(nan=float("inf")).max().item()


def median_us(function, rounds=30):
    import time
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        samples.append(1e6 * (time.perf_counter() - start))
    return sorted(samples)[rounds // 2]


def main():
    import task
    kernel, generator = load(), torch.Generator().manual_seed(1)
    inputs = [draw(*row, generator) for row in task.INPUTS]
    with torch.inference_mode():
        eager = task.Task()
        wanted = as_tuple(eager(*inputs))
        try:
            truth = as_tuple(eager(*[t.double() if t.is_floating_point() else t for t in inputs]))
        except RuntimeError:   # an operator of this task has no float64 form
            truth = wanted
        got = as_tuple(kernel(*inputs))
        right = True
        for i, (x, e, t) in enumerate(zip(got, wanted, truth)):
            eps = torch.finfo(e.dtype).eps if e.dtype.is_floating_point else 0
            allowed = max(4 * error(e, t), 4 * eps)
            ok = x.dtype == e.dtype and x.shape == e.shape and error(x, t) <= allowed
            right = right and ok
            print(f"output {i}: error {error(x, t):.3g}, eager's own {error(e, t):.3g}, allowed {allowed:.3g}: {'right' if ok else 'WRONG'}")
        model = torch.nn.Sequential()
        model.add_module("task", eager)
        replace(model, "task", kernel)
        inside = as_tuple(model.task(*inputs))
        right = right and all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(inside, got))
        print(f"inside a module: {'the same' if right else 'DIFFERENT'}")
        print(f"kernel {median_us(lambda: kernel(*inputs)):.1f} us, eager {median_us(lambda: eager(*inputs)):.1f} us (medians, caches warm)")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
