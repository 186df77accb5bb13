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
expect '^  0x[0-9a-f]+ +compute +[1-9]'
expect '^  processor time of the device: [0-9.]+ s$'

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

# The device's compiled code is kept where this program keeps its own, whatever the other program's home is.
XDG_CACHE_HOME='' HOME=$work/home with env HOME="$work/other" printenv AGX_RUNNER_CACHE_DIR
[ "$(cat "$work/out")" = "$work/home/.cache/agx-runner" ] || fail "the folder of compiled code: $(cat "$work/out")"

# Two processes, of which one is killed.
with bash -c 'cat <>/dev/dri/renderD190 & exec 3<>/dev/dri/renderD190; kill -9 $!; wait; python3 -c "import os; os.open(\"/dev/dri/renderD190\", os.O_RDWR); os.kill(os.getpid(), 9)"; exit 0'
expect '^(cat|bash|python3) \([0-9]+\) was killed, or ended by _exit\(\); until its last job: 0 commands, '

# A fault is said at once and in the report, with its count, and changes the exit code; unless it is not to.
fault='fault: bad command: unknown CDM block'
with "$uapi" /dev/dri/renderD190 fault/stream-garbage
[ "$code" = 98 ] || fail "a fault: exit $code, not 98: $(cat "$work/err")"
[ "$(grep -c "^agx-runner: with-device: uapi_run ([0-9]*): $fault" "$work/err")" = 1 ] || { cat "$work/err"; fail "the fault is not said at once"; }
expect '^  fault, 1 time: bad command: unknown CDM block'
expect '^  last fault: job [0-9]+, command 0: bad command: unknown CDM block'
with --ignore-faults "$uapi" /dev/dri/renderD190 fault/stream-garbage
[ "$code" = 0 ] || fail "--ignore-faults: exit $code, not 0"
expect "$fault"
with bash -c "'$uapi' /dev/dri/renderD190 fault/stream-garbage; exit 3"
[ "$code" = 3 ] || fail "a program with an exit code of its own: exit $code, not 3"

# A program that is killed has left its faults and its counters: here after two faults, while a stream runs endlessly.
with -d virtual:m1,budget=1000000000000 bash -c "'$uapi' /dev/dri/renderD190 fault/stream & sleep 2; kill -9 \$!; wait"
expect "^agx-runner: with-device: uapi_run \([0-9]+\): $fault"
expect '^uapi_run \([0-9]+\) was killed, or ended by _exit\(\); until its last job: [0-9]+ commands, [0-9]+ cycles \(modelled\), 2 faults$'
expect '^  last fault: job [0-9]+, command 0: bad command: unknown CDM block'

# The report's file is made; a path that cannot be is said.
library=$(dirname "$(dirname "$runner")")/vgpu/shim/libagx-vgpu.so
LD_PRELOAD=$library AGX_VGPU_REPORT=$work/made "$uapi" /dev/dri/renderD190 timestamps >"$work/out" 2>"$work/err"
[ "$(wc -l <"$work/made")" = 2 ] || fail "the report's file: $(cat "$work/made")"
rm "$work/made"
LD_PRELOAD=$library AGX_VGPU_REPORT=$work/none/made "$uapi" /dev/dri/renderD190 timestamps >"$work/out" 2>"$work/err"
expect "^libagx-vgpu: AGX_VGPU_REPORT=$work/none/made: No such file or directory"
# Without a report, the fault is said on stderr.
LD_PRELOAD=$library "$uapi" /dev/dri/renderD190 fault/stream-garbage >"$work/out" 2>"$work/err"
expect "^libagx-vgpu: $fault"

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
