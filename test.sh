#!/usr/bin/env bash
# Builds agx-runner and runs its tests. The last line is "N passed, N failed" (", N skipped" where any was).
#
#   ./test.sh [--quick | --all] [WORD...]
#
# --quick  less than a minute after a build: what one runs before each commit
# default  a few minutes: every test but those that make packages or take long
# --all    every test, with gcc's warnings as errors, and the steps of ci/all: formatting, clang's warnings,
#          sanitizers, fuzzers, Mesa's assertions, aarch64. Each step counts as one test (.ci/run calls this)
# WORD     goes to `meson test`: ./test.sh --suite isa
set -uo pipefail
cd "$(dirname "$0")" || exit 98
build=${BUILD_DIR:-build} use=test status=0
# Suites besides the rooms: "slow" takes seconds, "release" makes packages or takes minutes (tests/meson.build).
leave_out=(--no-suite release)
case ${1:-} in
  --quick) leave_out+=(--no-suite slow); shift ;;
  --all) leave_out=() use=all; shift ;;
  -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) [ $# = 0 ] || leave_out=() ;; # who names tests gets them
esac
fail() { echo "0 passed, 1 failed"; exit 98; }
ci/setup.sh --use $use || fail
meson=$(ci/setup.sh --meson) || fail
logs=("$build/meson-logs/testlog.json")
rm -f "${logs[0]}" .cache/all.json # of an earlier run
"$meson" test -C "$build" --no-suite mesa "${leave_out[@]}" --print-errorlogs --no-rebuild "$@" || status=98
if [ $use = all ]; then
  ci/all || status=98
  logs+=(.cache/all.json)
fi
# One line a test, whatever language it is in; the summary is counted from them.
/usr/bin/python3 - "${logs[@]}" <<'EOT' || status=98
import json, sys
count = {"passed": 0, "failed": 0, "skipped": 0}
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8") as log:
            for line in log:
                result = json.loads(line)["result"]
                count["passed" if result in ("OK", "EXPECTEDFAIL") else "skipped" if result == "SKIP" else "failed"] += 1
    except OSError as error:
        print(f"test.sh: no test log: {error}")
        count["failed"] += 1
print(f"{count['passed']} passed, {count['failed']} failed" + (f", {count['skipped']} skipped" if count["skipped"] else ""))
sys.exit(0 if count["passed"] and not count["failed"] else 1)
EOT
[ $status = 0 ] || exit 98
