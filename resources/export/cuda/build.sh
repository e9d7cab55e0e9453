#!/bin/sh
# Builds `check`, the test program. Headers and libraries come from $CUDA_HOME, /usr/local/cuda, or the wheels that torch brought.
set -e
cd "$(dirname "$0")"
compiler=${CXX:-g++}
python=${PYTHON:-python3}
wheel=$("$python" -c 'import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec("torch").origin).parents[1] / "nvidia/cu13")' 2>/dev/null) || wheel=

first() {   # the first of these files that is there
  for file in "$@"; do [ -f "$file" ] && echo "$file" && return; done
  return 1
}

for root in "$CUDA_HOME" /usr/local/cuda "$wheel"; do
  [ -f "$root/include/cuda.h" ] && [ -f "$root/include/nvrtc.h" ] || continue
  nvrtc=$(first "$root/lib64/libnvrtc.so" "$root/lib/libnvrtc.so" "$root"/lib64/libnvrtc.so.1? "$root"/lib/libnvrtc.so.1?) || continue
  break
done
[ -n "$nvrtc" ] || { echo "CUDA's headers and libnvrtc were not found. Set CUDA_HOME, or PYTHON to a python3 that has torch." >&2; exit 1; }
driver=$(first "$("$compiler" -print-file-name=libcuda.so.1)" /usr/local/nvidia/lib64/libcuda.so.1 /usr/lib/wsl/lib/libcuda.so.1 \
               "$root/lib64/stubs/libcuda.so" "$root/lib/stubs/libcuda.so") || {
  echo "NVIDIA's driver (libcuda.so.1) was not found. Build on the machine with the GPU." >&2; exit 1; }

# An rpath of the old kind: with it NVRTC, too, finds what it opens beside itself.
"$compiler" -std=c++17 -O2 -I"$root/include" main.cpp "$nvrtc" "$driver" -Wl,--disable-new-dtags,-rpath,"$(dirname "$nvrtc")" -o check
