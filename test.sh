#!/usr/bin/env bash
# Builds agx-runner and runs its tests. The last line is "N passed, N failed" (", N skipped" where any was).
#
#   ./test.sh [--quick | --all | --night] [WORD...]
#
# --quick  less than a minute after a build: what one runs before each commit
# default  a few minutes: every test but those that make packages or take long
# --all    every test but those of --night, with gcc's warnings as errors, and the steps of ci/all: formatting, clang's warnings,
#          sanitizers, fuzzers, aarch64. Each step counts as one test (.ci/run calls this)
# --night  --all, the few tests that repeat for minutes what others do for seconds, Mesa's assertions, and Mesa's compiler on
#          aarch64
# WORD     goes to `meson test`: ./test.sh --suite isa
#
# Environment: TEST_RETRIES (default 0): how often a test that fails runs again, alone (ci/run-tests)
set -uo pipefail
cd "$(dirname "$0")" || exit 98
build=${BUILD_DIR:-build} use=test night=() status=0
# Suites besides the rooms: "slow" takes seconds, "release" makes packages or takes minutes, "night" takes more of them
# (tests/meson.build).
leave_out=(--no-suite release --no-suite night)
case ${1:-} in
  --quick) leave_out+=(--no-suite slow); shift ;;
  --all) leave_out=(--no-suite night) use=all; shift ;;
  --night) leave_out=() use=all night=(--night); shift ;;
  -h|--help) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) [ $# = 0 ] || leave_out=() ;; # who names tests gets them
esac
# "own-driver": with the Vulkan driver of the pinned Mesa, which ci/mesa-driver builds. ci/all runs the newest Mesa's drivers.
[ -e .cache/mesa-driver/asahi_icd.json ] || [ ${#leave_out[@]} = 0 ] || leave_out+=(--no-suite own-driver)
fail() { echo "0 passed, 1 failed"; exit 98; }
ci/setup.sh --use $use || fail
meson=$(ci/setup.sh --meson) || fail
logs=("$build/meson-logs/results.json")
rm -f "${logs[0]}" .cache/all.json # of an earlier run
ci/run-tests "$meson" "$build" --no-suite mesa "${leave_out[@]}" --no-rebuild "$@" || status=98
if [ $use = all ]; then
  ci/all "${night[@]}" || status=98
  logs+=(.cache/all.json)
fi
ci/run-tests --summary "${logs[@]}" || status=98
[ $status = 0 ] || exit 98
