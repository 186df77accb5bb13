#!/usr/bin/env bash
# Builds agx-runner and runs its tests. The last line is "N passed, N failed" (", N skipped" where any was).
# Arguments go to `meson test`: ./test.sh --suite isa
set -uo pipefail
cd "$(dirname "$0")"
build=${BUILD_DIR:-build}
ci/setup.sh --use test || { echo "0 passed, 1 failed"; exit 98; }
meson=$(ci/setup.sh --meson)
# json: one line a test, whatever language it is in; the summary below is counted from it.
"$meson" test -C "$build" --no-suite mesa --print-errorlogs --no-rebuild "$@"
status=$?
/usr/bin/python3 - "$build/meson-logs/testlog.json" <<'EOT' || status=98
import json, sys
count = {"passed": 0, "failed": 0, "skipped": 0}
try:
    with open(sys.argv[1], encoding="utf-8") as log:
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
