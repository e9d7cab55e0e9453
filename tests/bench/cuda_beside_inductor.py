#!/usr/bin/env python3
"""Optimizes a few memory-bound tasks on the GPU, exports each winner, and times it beside PyTorch's own kernels and TorchInductor's.

    python3 tests/bench/cuda_beside_inductor.py [--bin build/release/bin/kernelwright] [--evals 40] [--rounds 100] [--out FILE]

Everything is timed in this one process, in rounds of random order: the L2 cache is flushed before each call, the stream held back until the
call is queued, the time is the device's. Speedups are medians of the ratio in each round, with the 95 % interval of a bootstrap. Each
result is held against float64. About five minutes on one H200.
"""
import sys
sys.path.pop(0)  # this folder, whose numbers.py is not the standard library's
import argparse
import importlib.util
import inspect
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
from statistics import median

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests/bench/models"
TASKS = [("softmax 4096x4096 f32", "softmax.py", "f32"), ("softmax 4096x4096 bf16", "softmax.py", "bf16"),
         ("layer_norm 4096x4096 f32", "layer_norm.py", "f32"), ("layer_norm 4096x4096 bf16", "layer_norm.py", "bf16"),
         ("bias + gelu 16384x4096 bf16", "bias_gelu.py", None), ("residual + layer_norm 16384x4096 bf16", "residual_layer_norm.py", None)]
SIDES = ["copy", "ours", "ours, graph", "eager", "eager, graph", "inductor", "inductor, graph"]


def run(options, *arguments):
    environment = dict(os.environ)
    environment.setdefault("KW_RESOURCES_DIR", str(ROOT / "resources"))
    libraries = [str(pathlib.Path(torch.__file__).parent / "lib"), os.environ.get("LD_LIBRARY_PATH")]
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, libraries))
    command = [str(options.bin), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr[-2000:]}")


def optimized(options, name, model, input_set, folder):
    """The exported folder of the best candidate."""
    out = folder / name.replace(" ", "-")
    session, report = out.with_suffix(".kwr"), out.with_suffix(".json")
    named = ["--input-set", input_set] if input_set else []
    run(options, "optimize", MODELS / model, "--target", "cuda", "--python", sys.executable, *named, "--evals", options.evals,
        "--minutes", options.minutes, "--session", session, "--json", report)
    tasks = json.loads(report.read_text())["tasks"]
    if len(tasks) != 1 or tasks[0]["best_candidate"] is None:
        sys.exit(f"{name}: one task with an accepted candidate was expected, the report has {[(t['id'], t['verdicts']) for t in tasks]}")
    run(options, "export", session, tasks[0]["best_candidate"], "--out", out)
    return out


class Clock:
    """Device time of one call in µs, from a flushed L2 cache."""

    def __init__(self):
        self.flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
        self.start, self.end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.hold_cycles = 1_000_000

    def us(self, function):
        while True:
            self.flush.zero_()
            torch.cuda._sleep(self.hold_cycles)
            self.start.record()
            function()
            self.end.record()
            late = self.start.query()   # the stream went on before everything was queued: the host's time would count
            self.end.synchronize()
            if not late:
                return 1e3 * self.start.elapsed_time(self.end)
            self.hold_cycles *= 2
            if self.hold_cycles > 1_000_000_000:
                sys.exit("a call waits for the GPU, or the host is too slow to queue it: it cannot be timed")


def in_graph(function):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = function()

    def replay():
        graph.replay()
        return output
    return replay


def module_of(model, input_set):
    specification = importlib.util.spec_from_file_location(model[:-3], MODELS / model)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    torch.manual_seed(1)
    inputs = module.INPUT_SETS[input_set]() if input_set else module.get_inputs()
    return module.get_model(), [t.cuda() for t in inputs]


def sides_of(folder, model, input_set):
    """What is timed, by name, and the truth in float64. All give the output; the copy moves as many bytes as inputs and output have."""
    from loader import load
    module, inputs = module_of(model, input_set)
    kernel = load(folder)
    by_name = dict(zip(inspect.signature(module.forward).parameters, inputs))
    ordered = [by_name[buffer["name"]] for buffer in kernel.inputs]
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, dynamic=False)
    output = module(*inputs)
    half = sum(t.nbytes for t in (*inputs, output)) // 2
    source, target = (torch.empty(half, dtype=torch.uint8, device="cuda") for _ in range(2))
    plain = {"ours": lambda: kernel(*ordered), "eager": lambda: module(*inputs), "inductor": lambda: compiled(*inputs)}
    graphs = {f"{name}, graph": in_graph(function) for name, function in plain.items()}
    return {"copy": lambda: target.copy_(source), **plain, **graphs}, module(*[t.double() for t in inputs])


def errors_of(sides, truth):
    """Each side's largest distance from float64, and which are further away than four times eager or eps."""
    from checking import error
    outputs = {name: function() for name, function in sides.items() if name != "copy"}
    errors = {name: error(output, truth) for name, output in outputs.items()}
    allowed = max(4 * errors["eager"], 4 * torch.finfo(outputs["eager"].dtype).eps)
    return errors, [name for name, value in errors.items() if not value <= allowed]


def measured(sides, clock, rounds):
    """One list of times a side, in the order of the rounds."""
    times = {name: [] for name in SIDES}
    for number in range(-5, rounds):   # those below zero warm up
        for name in random.sample(SIDES, len(SIDES)):
            us = clock.us(sides[name])
            if number >= 0:
                times[name].append(us)
    return times


def ratio(above, below):
    """Median over the rounds with its 95 % interval."""
    ratios = [a / b for a, b in zip(above, below)]
    samples = sorted(median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return f"{median(ratios):.3f} [{samples[49]:.3f}, {samples[1949]:.3f}]"


def row(cells):
    return f"{cells[0]:40}" + "".join(f"{cell:>24}" for cell in cells[1:])


def described():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    return f"{time.strftime('%Y-%m-%d')}, {torch.cuda.get_device_name(0)}, driver {driver}, torch {torch.__version__}\n{' '.join(sys.argv)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin/kernelwright")
    parser.add_argument("--evals", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=0.6, help="the most that one search takes")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit(f"no GPU: torch {torch.__version__} finds none here")
    random.seed(1)
    times, shares, speedups = [row(["µs", *SIDES])], [row(["share of a copy's speed", *SIDES[1:]])], [row(["speedup of ours over", *SIDES[3:]])]
    header, notes = described(), []
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        exported = [optimized(options, name, model, input_set, pathlib.Path(folder)) for name, model, input_set in TASKS]
        sys.path.insert(0, str(exported[0]))   # one loader serves all folders
        clock = Clock()
        for (name, model, input_set), path in zip(TASKS, exported):
            sides, truth = sides_of(path, model, input_set)
            errors, wrong = errors_of(sides, truth)
            del truth
            result = measured(sides, clock, options.rounds)
            times.append(row([name, *(f"{median(result[side]):.2f}" for side in SIDES)]))
            shares.append(row([name, *(ratio(result["copy"], result[side]) for side in SIDES[1:])]))
            speedups.append(row([name, *(ratio(result[side], result["ours"]) for side in SIDES[3:])]))
            distances = ", ".join(f"{side} {value:.2g}" for side, value in errors.items() if "graph" not in side)
            notes.append(f"{name}: error against float64: {distances}" + (f"; WRONG: {', '.join(wrong)}" if wrong else ""))
            print("\n".join([times[0], times[-1], shares[-1], speedups[-1], notes[-1], ""]), flush=True)
    text = "\n".join([header, "", *times, "", *shares, "", *speedups, "", *notes]) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)
    return 1 if any("WRONG" in note for note in notes) else 0


if __name__ == "__main__":
    sys.exit(main())
