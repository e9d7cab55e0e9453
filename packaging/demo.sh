#!/usr/bin/env bash
# From nothing to optimized kernels: installs what is missing, builds, optimizes the example encoder on the cpu, and opens the window on the session.
#   packaging/demo.sh [evaluations]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target kernelwright kernelwright-worker kernelwright-runner kernelwright-gui
program=build/release/bin/kernelwright
session=build/demo.kwr
report=build/demo.json
"$program" optimize resources/examples/encoder.py --target cpu --evals "${1:-120}" --session "$session" --json "$report"
cat <<END

The session is $session, the report $report. Next:
    $program show $session tasks                  every task with its measured speedup
    $program show $session failures               what did not work, with the evidence
    $program show $session candidate ID --asm     source, recipe, measurements, machine code
    $program export $session ID --out DIR         a kernel to take away
END

window=build/release/bin/kernelwright-gui
if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
  echo "Opening the window on it ..."
  exec "$window" "$session"
fi
echo "There is no display here. On a machine that has one, this opens the session in the window:"
echo "    $window $session"
echo "A window there can also use the engine here: File, Settings, launch prefix \"ssh $(hostname)\"."
