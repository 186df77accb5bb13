#!/usr/bin/env bash
# agx-runner with-device: its report, its exit codes, its errors. with_device.sh AGX_RUNNER UAPI_RUN
set -euo pipefail
runner=$1 uapi=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AGX_VGPU_NODE=190 TMPDIR=$work
fail() { echo "$1"; exit 1; }
expect() { grep -qE -- "$1" "$work/err" || { cat "$work/err"; fail "no '$1'"; }; }
with() { code=0; "$runner" with-device "$@" >"$work/out" 2>"$work/err" || code=$?; }

with --stats "$uapi" /dev/dri/renderD190 timestamps
[ "$code" = 0 ] || fail "exit $code: $(cat "$work/err")"
expect '^agx-runner: with-device virtual:m1$'
expect '^uapi_run \([0-9]+\): [1-9][0-9]* commands, [1-9][0-9]* programs, [1-9][0-9]* launches, [1-9][0-9]* cycles \(modelled\), [0-9]+ faults$'
expect '^  0x[0-9a-f]+ +[1-9]'

# The program's words are its own; so is its exit code.
with -d virtual:m2 ls -l /dev/dri
if [ "$code" != 0 ] || ! grep -q '226, 190 .*renderD190' "$work/out"; then fail "ls: $(cat "$work/out" "$work/err")"; fi
expect '^no process opened the device$'
with -- bash -c 'exit 42'
[ "$code" = 42 ] || fail "exit $code, not 42"
with bash -c 'kill -TERM $$'
[ "$code" = 143 ] || fail "exit $code, not 143"
with "$work/nothing"
[ "$code" = 127 ] || fail "exit $code, not 127"

# Two processes, of which one is killed.
with bash -c 'cat <>/dev/dri/renderD190 & exec 3<>/dev/dri/renderD190; kill -9 $!; wait; python3 -c "import os; os.open(\"/dev/dri/renderD190\", os.O_RDWR); os.kill(os.getpid(), 9)"; exit 0'
expect 'was killed'

# What cannot be.
with -d virtual:m9 true
[ "$code" = 79 ] || fail "exit $code, not 79"
expect 'no virtual chip "m9"'
with -d /dev/dri/renderD128 true
[ "$code" = 79 ] || fail "a node: exit $code, not 79"
with
[ "$code" = 79 ] || fail "no program: exit $code, not 79"

# A library that was not built: the command that builds it. One that was not installed: where it is looked for.
mkdir -p "$work/partial/agx_runner" "$work/installed/bin"
cp "$runner" "$work/partial/agx_runner/" && touch "$work/partial/build.ninja"
cp "$runner" "$work/installed/bin/"
partial() { code=0; "$work/$1" with-device "${@:2}" >"$work/out" 2>"$work/err" || code=$?; [ "$code" = 98 ] || fail "$1: exit $code, not 98"; }
partial partial/agx_runner/agx-runner true
expect "libagx-vgpu.so is not built. To build it: ninja -C $work/partial vgpu/shim/libagx-vgpu.so$"
partial partial/agx_runner/agx-runner --record "$work/jobs" true
expect "libagx-record.so is not built. To build it: ninja -C $work/partial vgpu/recorder/libagx-record.so$"
partial installed/bin/agx-runner true
expect "libagx-vgpu.so is not where agx-runner was installed, $work/installed/bin/\\.\\./lib"
rm -rf "$work/partial" "$work/installed"

# A device that reports what it checks.
with -d virtual:m1,check=all "$uapi" /dev/dri/renderD190 timestamps
expect 'commands'
rmdir "$work"/* 2>/dev/null || true
[ "$(find "$work" -type f | sort | tr '\n' ' ')" = "$work/err $work/out " ] || fail "left: $(find "$work" -type f)"
echo pass
