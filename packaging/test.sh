#!/usr/bin/env bash
# Builds everything and runs all tests.   packaging/test.sh [ctest arguments]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/setup.sh
cmake --preset dev >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
rm -f build-configure.log
cmake --build --preset dev
results=build/dev/test-results.xml
rm -f "$results"
status=0
ctest --preset dev --output-junit "$PWD/$results" "$@" || status=$?
python3 - "$results" <<'END'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
total, failed, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "skipped"))
skipped += int(suite.get("disabled", 0))
print(f"{total - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
END
exit "$status"
