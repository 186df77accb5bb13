#!/usr/bin/env bash
# ci/compare-mesa --driver: a driver with a fault is worse, and the report says where; a driver is not worse than itself.
# compare_driver.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2 driver=$1/.cache/mesa-driver
[ -e "$driver/asahi_icd.json" ] || { echo "skipped: no $driver (ci/mesa-driver subprojects/mesa-25.0.7 builds it)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }
tests=$build/tests/driver runner=$build/agx_runner/agx-runner
"$source/tests/driver/planted.py" --only 'second dimension' --work "$work/planted" "$runner" "$tests/driver_compute" "$tests" "$driver"
compare() { code=0; "$source/ci/compare-driver" --quick --build "$build" --work "$work/out" "$@" >"$work/log" 2>&1 || code=$?; }

compare "$driver/asahi_icd.json" "$work/planted/fault/icd.json"
[ "$code" = 98 ] || fail "a driver with a fault: exit $code: $(cat "$work/log")"
grep -q '^  wrong answers: .*compute grid, found by Vulkan clients' "$work/log" || fail "no regression in the verdict: $(cat "$work/log")"
grep -q '| +  launch: .* grid 16 2 6 group 4 3 2' "$work/log" || fail "no difference of streams: $(cat "$work/log")"
grep -q '^| | compute grid | Vulkan clients | pass -.> fail: ' "$work/out/compare.md" || fail "no regression in the report: $(cat "$work/out/compare.md")"
rm -rf "$work/out"

# A missing barrier: the answers are right, since the device runs threads in order, but a check reports it.
"$source/tests/driver/planted.py" --only 'leaves out threadgroup barriers' --work "$work/planted" "$runner" "$tests/driver_compute" "$tests" "$driver"
compare "$driver/asahi_icd.json" "$work/planted/fault/icd.json"
[ "$code" = 98 ] || fail "a driver without barriers: exit $code: $(cat "$work/log")"
grep -A 1 '^ *compute shared  \[Vulkan clients\]' "$work/log" | grep -q '0 reports -> [1-9][0-9]*: check: a read of threadgroup memory' ||
  fail "no report of a check in the report: $(cat "$work/log")"
rm -rf "$work/out"
"$source/tests/driver/planted.py" --only 'second dimension' --work "$work/planted" "$runner" "$tests/driver_compute" "$tests" "$driver" >/dev/null

# Through ci/compare-mesa, and the other way round: what gets better is no regression.
code=0
BUILD_DIR=$build "$source/ci/compare-mesa" --driver --work "$work/mesa" --help >/dev/null || fail "compare-mesa: --driver is unknown"
compare "$work/planted/fault/icd.json" "$driver/asahi_icd.json"
[ "$code" = 0 ] || fail "a mended driver: exit $code: $(cat "$work/log")"
grep -A 1 '^ *compute grid  \[Vulkan clients\]' "$work/log" | grep -q 'fail -> pass' || fail "no progress in the report: $(cat "$work/log")"
compare "$work/nothing" "$driver/asahi_icd.json"
[ "$code" = 79 ] || fail "no tree: exit $code, not 79"
echo pass
