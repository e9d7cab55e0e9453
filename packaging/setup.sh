#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12. May be run any number of times; does nothing when nothing is missing.
#   packaging/setup.sh          system packages (as root or through sudo) and .venv with torch 2.11.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(g++ cmake ninja-build ccache git nlohmann-json3-dev libsqlitecpp-dev libsqlite3-dev libcli11-dev libspdlog-dev libfmt-dev
          libseccomp-dev libdtl-dev libgtest-dev libgmock-dev binutils python3 python3-venv
          qt6-base-dev libqt6svg6-dev libqscintilla2-qt6-dev libqcustomplot-dev fonts-dejavu-core)
torch=2.11.0

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
done

if ((${#missing[@]})); then
  install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if [[ $EUID -eq 0 ]]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    "${install[@]}"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo apt-get update -qq
    sudo "${install[@]}"
  else
    echo "These Debian packages are missing and need an administrator. Ask for:" >&2
    echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

torch_of() { "$1" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0])' 2>/dev/null || true; }

if [[ $(torch_of python3) != "$torch" && $(torch_of .venv/bin/python3) != "$torch" ]]; then
  echo "Installing torch $torch into .venv (two minutes, about 5 GB) ..."
  [[ -x .venv/bin/python3 ]] || python3 -m venv .venv
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check "torch==$torch" numpy
fi
