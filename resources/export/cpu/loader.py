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
import time

import torch

from checking import check, checked, empty, replace  # noqa: F401  (replace is for who imports this)

CPU = torch.device("cpu")


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

    def __call__(self, *tensors):
        if len(tensors) != len(self.inputs):
            raise TypeError(f"this kernel takes {len(self.inputs)} tensors: {[b['name'] for b in self.inputs]}")
        given = iter(tensors)
        held = [checked(b, next(given), CPU) if b["role"] == "input" else empty(b, CPU) for b in self.buffers]
        for function, buffers in self.steps:
            function((ctypes.c_void_p * len(buffers))(*[held[b].data_ptr() for b in buffers]))
        outputs = tuple(t for t, b in zip(held, self.buffers) if b["role"] == "output")
        return outputs[0] if len(outputs) == 1 else outputs


def load(folder=None):
    """Builds kernel.so beside this file where it is missing or older than its source, and loads it."""
    folder = pathlib.Path(folder or pathlib.Path(__file__).parent).resolve()
    built = folder / "kernel.so"
    if not built.exists() or built.stat().st_mtime < (folder / "kernel.cpp").stat().st_mtime:
        subprocess.run(["sh", str(folder / "build.sh")], check=True)
    return Kernel(folder)


def median_us(function, rounds=30):
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        samples.append(1e6 * (time.perf_counter() - start))
    return sorted(samples)[rounds // 2]


def main():
    import task
    kernel = load()
    with torch.inference_mode():
        right, eager, inputs = check(kernel, task, CPU)
        print(f"kernel {median_us(lambda: kernel(*inputs)):.1f} us, eager {median_us(lambda: eager(*inputs)):.1f} us (medians, caches warm)")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
