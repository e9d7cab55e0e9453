#!/usr/bin/env python3
"""Runs the whole test suite on a GPU machine, the device parts included, then the timer's controls there, and prints a table.

    python3 tests/gpu_suite.py [--bin build/dev/bin] [--only PATTERN] [--out tests/bench/results/cuda-suite.txt]

The programs may have been built elsewhere: they find torch's libraries beside the torch of this Python, and the sources (golden texts,
archives) beside this file. Ends with status 1 if a test failed, or if the device parts were skipped because there is no GPU.
"""

import argparse
import datetime
import fnmatch
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DEVICE_PARTS = {"cuda_plan_test", "device_judge_test", "device_memory_test", "driver_test", "emitted_test", "gpu_verdict_test", "kernel_trace_test",
                "launch_test", "lost_context_test", "profile_test"}
LONGEST_S = 900


def environment(binaries):
    spec = importlib.util.find_spec("torch")
    if spec is None:
        sys.exit(f"{sys.executable} has no torch; run this with the Python whose torch the programs were built for (2.11.0).")
    libraries = pathlib.Path(spec.origin).parent / "lib"
    paths = [str(libraries)] + [p for p in [os.environ.get("LD_LIBRARY_PATH")] if p]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "KW_SOURCE_DIR": str(ROOT), "KW_BIN_DIR": str(binaries), "KW_PYTHON": sys.executable}


def machine():
    asked = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    return asked.stdout.strip().splitlines()[0] if asked.returncode == 0 and asked.stdout.strip() else "no GPU"


def counted(output, word):
    found = re.findall(rf"\[  {word} \] (\d+) test", output)
    return int(found[-1]) if found else 0


def run(program, env):
    started = time.monotonic()
    try:
        done = subprocess.run([str(program)], env=env, capture_output=True, text=True, errors="replace", timeout=LONGEST_S, check=False)
        output, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        output, status = "", "timeout"
    failed = re.findall(r"^\[  FAILED  \] (\S+)", output, re.MULTILINE)
    return {"name": program.name, "status": status, "passed": counted(output, "PASSED "), "skipped": counted(output, "SKIPPED"),
            "failed": sorted(set(failed)), "seconds": time.monotonic() - started, "output": output}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    parser.add_argument("--only", default="*", help="programs whose name matches, as a shell pattern")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    binaries = options.bin.resolve()
    programs = sorted(p for p in binaries.glob("*_test") if fnmatch.fnmatch(p.name, options.only))
    if not programs:
        sys.exit(f"no test programs in {binaries}; build them with packaging/test.sh, or name their folder with --bin")
    env = environment(binaries)
    lines = [f"{datetime.date.today()}, {machine()}", "python3 tests/gpu_suite.py " + " ".join(sys.argv[1:]), ""]
    print("\n".join(lines), flush=True)

    def say(line):
        lines.append(line)
        print(line, flush=True)

    wrong = False
    for program in programs:
        ran = run(program, env)
        skipped_device = ran["name"] in DEVICE_PARTS and "no GPU" in ran["output"]
        bad = ran["status"] != 0 or skipped_device
        wrong = wrong or bad
        result = "ok" if not bad else f"status {ran['status']} {' '.join(ran['failed'])}"
        if skipped_device:
            result = "no GPU: the device parts did not run"
        say(f"{ran['name']:28} {ran['passed']:4} passed {ran['skipped']:3} skipped {ran['seconds']:7.1f} s  {result}")
        if bad:
            print(ran["output"][-4000:], file=sys.stderr)
    controls = binaries / "gpu_timer_controls"
    if controls.exists():
        done = subprocess.run([str(controls)], env=env, capture_output=True, text=True, check=False)
        wrong = wrong or done.returncode != 0
        say("\n" + done.stdout + done.stderr)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
