#!/usr/bin/env python3
"""Runs `kernelwright optimize` on the example models over several seeds and prints the numbers the project is held to.

    python3 tests/bench/numbers.py [--bin build/release/bin/kernelwright] [--evals 200] [--seeds 1,2,3] [--out FILE]

Each run uses a new session in a temporary folder. The worst seed is reported. Nothing here decides a test.
"""

import argparse
import json
import math
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BORDERS = ("matmul", "linear", "addmm", "bmm", "mm", "conv", "attention")
MODELS = {"encoder.py": 3, "resnet.py": 5}  # example -> tasks that should end `faster`


def optimize(binary, model, evals, seed, folder):
    report = folder / f"{model}-{seed}.json"
    command = [str(binary), "optimize", str(ROOT / "resources/examples" / model), "--session", str(folder / f"{model}-{seed}.kwr"),
               "--evals", str(evals), "--seed", str(seed), "--json", str(report)]
    started = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr[-2000:]}")
    result = json.loads(report.read_text())
    result["command_s"] = time.monotonic() - started
    return result


def counted(task):
    return task["share"] >= 0.01 and not any(border in op for op in task["operators"] for border in BORDERS)


def speedup(task):
    return task["speedup"] if task["outcome"] == "faster" else 1.0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def row(name, result):
    tasks = result["tasks"]
    faster = sum(task["outcome"] == "faster" for task in tasks)
    low, high = result["model_speedup_ci95"]
    return (f"{name:12} seed {result['seed']}: {result['evaluations_measured']:4} measured, {result['measured_per_min']:6.1f}/min, "
            f"overhead {100 * result['engine_overhead_share']:4.1f} %, {faster:2} of {len(tasks)} tasks faster, "
            f"model {result['model_before_us'] / 1000:.1f} -> {result['model_after_us'] / 1000:.1f} ms "
            f"({result['model_speedup']:.3f}x, {low:.3f}..{high:.3f}), {result['command_s']:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin/kernelwright")
    parser.add_argument("--evals", type=int, default=200)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()

    lines = [f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {' '.join(sys.argv)}"]
    means, worst = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in map(int, options.seeds.split(",")):
            speedups = []
            for model in MODELS:
                result = optimize(options.bin, model, options.evals, seed, pathlib.Path(folder))
                lines.append(row(model, result))
                print(lines[-1], flush=True)
                held = [task for task in result["tasks"] if counted(task)]
                speedups += [speedup(task) for task in held]
                for task in held:
                    lines.append(f"    {task['id']:28} share {100 * task['share']:5.2f} %  {task['outcome']:9} {task['speedup'] or 0:.2f}x "
                                 f"{task['evaluations']:3} evaluations  {task['operators']}")
                faster = sum(task["outcome"] == "faster" for task in result["tasks"])
                worst[model] = min(worst.get(model, faster), faster)
            means.append(geometric_mean(speedups))
            lines.append(f"seed {seed}: geometric mean over {len(speedups)} tasks of 1 % and more: {means[-1]:.3f}x")
            print(lines[-1], flush=True)
    for model, wanted in MODELS.items():
        lines.append(f"worst seed, {model}: {worst[model]} tasks faster (goal {wanted})")
    lines.append(f"worst seed, geometric mean: {min(means):.3f}x (goal 1.5)")
    print("\n".join(lines[-3:]))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
