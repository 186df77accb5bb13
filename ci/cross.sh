#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds agx-runner for aarch64, what Asahi Linux runs on, and runs tests through qemu. A step of ci/all.
#
#   ci/cross.sh          the instruction set, the virtual GPU, the uAPI and its client
#   ci/cross.sh --mesa   Mesa's compiler and the command line besides: four times as long, a step of ./test.sh --night
#
# Environment: BUILD_DIR (default build-aarch64; --mesa: build-aarch64-mesa), MESON_OPTIONS (ci/setup.sh)
# Exits with 77 and a line that says why where this machine cannot: that is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "cross: aarch64 not tested: $*"; exit 77; }

[ "$(uname -m)" != aarch64 ] || skip "this machine is one, and has just run the tests"
grep -q '^ID=debian' /etc/os-release 2>/dev/null || skip "its libraries are taken from Debian's packages, and this is no Debian"
if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null &&
  ! { command -v qemu-aarch64 && command -v aarch64-linux-gnu-gcc; } >/dev/null; then
  skip "there is neither root nor sudo to install a compiler for it and qemu-user"
fi
case ${1:-} in
  '') mesa=false build=${BUILD_DIR:-build-aarch64} ;;
  --mesa) mesa=true build=${BUILD_DIR:-build-aarch64-mesa} ;;
  *) echo "cross: unknown argument '$1': --mesa or none" >&2; exit 79 ;;
esac
# Nobody debugs these programs: without debug information the compiler takes an eighth less time.
BUILD_DIR=$build MESON_OPTIONS="-Ddebug=false -Dmesa=$mesa ${MESON_OPTIONS:-}" ci/setup.sh --use cross
# What an architecture can break. vgpu-timing-chains, -steady and -threads take minutes here, and run the same scheduler as
# vgpu-timing-scheduler; vgpu-timing-sampled runs the program of vgpu-timing-memory for longer.
tests=('isa *' 'vgpu-[!t]*' vgpu-timing-{path,profile,scheduler,memory} 'fuzz replay *' 'uapi *'
  'drm '{stream,va,info,scratch,dispatch,kernel_linux,client,open,virtual})
# The measurements' own tests compute the same on every host, and would take half an hour here; piglit's pool compares the last
# words of a crashed worker, which are qemu's here.
[ $mesa = false ] || tests+=('drm decode' 'compiler '{nir,packing,opencl,spirv} 'piglit '{parse,malformed,compare,expect,run}
  'runner half' 'runner stats' 'runner pattern' 'runner cli catalogue' 'runner cli compile' 'runner cli devices')
# Emulated code is ten times slower, and more. Because the tests are named, Meson builds their programs and no others.
ci/run-tests "$(ci/setup.sh --meson)" "$build" --no-suite mesa --timeout-multiplier 10 "${tests[@]}" || exit 98
