#!/usr/bin/env bash
# Builds agx-runner and runs its tests, here and (without arguments) built for aarch64 through qemu. The last line is
# "N passed, N failed" (", N skipped" where any was), of both together.
# Arguments go to `meson test`: ./test.sh --suite isa
set -uo pipefail
cd "$(dirname "$0")" || exit 98
build=${BUILD_DIR:-build} cross=build-aarch64 status=0 crossed=
ci/setup.sh --use test || { echo "0 passed, 1 failed"; exit 98; }
meson=$(ci/setup.sh --meson)
"$meson" test -C "$build" --no-suite mesa --print-errorlogs --no-rebuild "$@" || status=98
if [ $# = 0 ]; then
  rm -f "$cross/meson-logs/testlog.json" # of an earlier run
  BUILD_DIR=$cross ci/cross.sh
  case $? in 0) crossed=$cross ;; 77) crossed=skipped ;; *) crossed=$cross status=98 ;; esac
fi
# testlog.json: one line a test, whatever language it is in; the summary is counted from it.
/usr/bin/python3 - "$build" $crossed <<'EOT' || status=98
import json, sys
count = {"passed": 0, "failed": 0, "skipped": 0}
for build in sys.argv[1:]:
    if build == "skipped":
        count["skipped"] += 1
        continue
    try:
        with open(build + "/meson-logs/testlog.json", encoding="utf-8") as log:
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
