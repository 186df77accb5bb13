#!/usr/bin/env bash
# Builds agx-runner and measures: the best device found (without an Apple GPU: the virtual M1), every benchmark
# of the default run, a table on the terminal. Arguments go to `agx-runner run`: ./run.sh --device virtual:m2 'float/*'
set -euo pipefail
cd "$(dirname "$0")"
ci/setup.sh --use build
exec "${BUILD_DIR:-build}/agx_runner/agx-runner" run "$@"
