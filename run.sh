#!/usr/bin/env bash
# Builds agx-runner and measures: the best device found (without an Apple GPU: the virtual M1), every benchmark
# of the default run, a table on the terminal. Arguments go to `agx-runner run`: ./run.sh --device virtual:m2 'float/*'
# With --mesa SUITE Debian's Mesa of that suite compiles: ./run.sh --mesa sid 'kernel/*'
set -euo pipefail
cd "$(dirname "$0")"
ci/setup.sh --use build

# --mesa SUITE compiles the benchmarks in OpenCL C with Debian's Mesa of that suite, which is fetched once.
before=''
for word in "$@"; do
  case $before$word in
    --mesa=*) name=${word#--mesa=} ;;
    --mesa?*) name=$word ;;
    *) name='' ;;
  esac
  before=''
  [ "$word" != --mesa ] || before=$word
  case $name in
    ''|linked|system|*[!a-z0-9-]*) ;;
    *) [ -d "$name" ] || ci/mesa-get "$name" >/dev/null ;;
  esac
done
exec "${BUILD_DIR:-build}/agx_runner/agx-runner" run "$@"
