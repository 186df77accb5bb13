#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ci/setup.sh on other distributions, with stand-ins for their package managers: which LLVM it chooses, which packages
# it asks for, and that Mesa's tree is unpacked anew when its patches change. setup.sh SOURCE_ROOT
# shellcheck disable=SC2016 # the stand-ins expand what is in single quotes
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/ci" "$work/tree/subprojects/packagefiles" "$work/bin" "$work/tmp"
cp "$1/ci/setup.sh" "$1/ci/packages.txt" "$work/tree/ci/"
cp "$1/subprojects/mesa.wrap" "$work/tree/subprojects/"
export AGX_RUNNER_OS_RELEASE=$work/os-release PATH=$work/bin:$PATH TMPDIR=$work/tmp
unset AGX_RUNNER_LLVM BUILD_DIR MESON_OPTIONS
fail() { echo "$1"; exit 1; }
# A stand-in for a program: its body is the standard input.
program() { { echo '#!/bin/bash'; cat; } >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
setup() { code=0; "$work/tree/ci/setup.sh" "$@" >"$work/out" 2>"$work/err" || code=$?; }
chooses() { # WHAT VERSION
  setup --packages
  [ "$code" = 0 ] || fail "$1: exit $code: $(cat "$work/err")"
  grep -qx "libclc-$2" "$work/out" || fail "$1: not LLVM $2: $(grep libclc "$work/out" || true)"
}

# Debian. $work/has: what is installed; $work/can: what can be installed.
printf 'ID=debian\nVERSION_ID=99\n' >"$work/os-release"
program dpkg-query <<<"sed 's/^/installed /' $work/has"
program apt-get <<<"for p in \"\${@:4}\"; do grep -qx -- \"\$p\" $work/can || exit 100; done"
program apt-cache <<<"shift; grep -qx -- \"\$1\" $work/can"
parts() { local v; for v in "$@"; do printf '%s\n' "llvm-$v-dev" "clang-$v" "libclc-$v" "libllvmspirvlib-$v-dev"; done; }
: >"$work/has"
{ parts 15 19 21; echo llvm-22-dev; echo clang-22; echo libclc-22; parts 23; echo spirv-tools; } >"$work/can"
chooses "the newest of which all four parts are there" 21
grep -qx spirv-tools "$work/out" || fail "not spirv-tools: $(cat "$work/out")"
parts 22 >>"$work/can"
echo spirv-tools-dev >>"$work/can"
chooses "no newer one than 22" 22
grep -qx spirv-tools-dev "$work/out" || fail "not spirv-tools-dev: $(cat "$work/out")"
parts 19 >"$work/has"
chooses "one that is installed" 19
AGX_RUNNER_LLVM=21 chooses "the one that is asked for" 21
mkdir "$work/tree/build"; touch "$work/tree/build/build.ninja"; echo 15 >"$work/tree/build/.llvm"
chooses "the build folder's own" 15
rm -r "$work/tree/build"
for wrong in 14 23 new; do
  AGX_RUNNER_LLVM=$wrong setup --packages
  [ "$code" = 79 ] || fail "AGX_RUNNER_LLVM=$wrong: exit $code, not 79"
done
: >"$work/has"; parts 14 >"$work/can"
setup --packages
if [ "$code" != 98 ] || ! grep -q 'no LLVM of 15 to 22' "$work/err"; then fail "no LLVM: exit $code: $(cat "$work/err")"; fi

# Fedora: zlib-ng-compat-devel provides zlib-devel, which is no package's name.
printf 'ID=fedora-asahi-remix\nID_LIKE="fedora"\n' >"$work/os-release"
program rpm <<<'[ "$1 $2" = "-q --whatprovides" ] && case $3 in libclc-spirv|json-c-devel) exit 1 ;; esac'
setup
[ "$code" = 98 ] || fail "Fedora: exit $code, not 98"
grep -qE '^  sudo dnf install json-c-devel libclc-spirv ?$' "$work/err" || fail "Fedora: $(cat "$work/err")"

# Arch: pacman -T prints what is neither installed nor provided.
printf 'ID=arch\n' >"$work/os-release"
program pacman <<<'[ "$1" = -T ] || exit 1; shift; for p; do case $p in libclc|scdoc) echo "$p" ;; esac; done; exit 127'
setup
[ "$code" = 98 ] || fail "Arch: exit $code, not 98"
grep -qE '^  sudo pacman -S --needed libclc scdoc ?$' "$work/err" || fail "Arch: $(cat "$work/err")"

# Mesa's tree: kept while the wrap and its patches are the same. A meson of our own unpacks a file, to see when.
program pacman <<<'exit 0'
directory=$(sed -n 's/^directory *= *//p' "$work/tree/subprojects/mesa.wrap")
for p in $(sed -n 's/^diff_files *= *//p' "$work/tree/subprojects/mesa.wrap" | tr ',' ' '); do echo "$p" >"$work/tree/subprojects/packagefiles/$p"; patch=$p; done
program meson <<<"case \$1 in --version) echo 1.9.0 ;; subprojects) echo unpacked >>$work/log; mkdir -p subprojects/$directory; touch subprojects/$directory/meson.build ;; *) exit 1 ;; esac"
sed -i 's|for meson in /usr/bin/meson meson|for meson in meson|' "$work/tree/ci/setup.sh"
for step in 'first 1' 'again 1' 'changed 2' 'again 2'; do
  read -r what times <<<"$step"
  [ "$what" != changed ] || echo more >>"$work/tree/subprojects/packagefiles/$patch"
  setup # ends where it configures: this meson does not
  [ "$(wc -l <"$work/log")" = "$times" ] || fail "Mesa, $what: unpacked $(wc -l <"$work/log") times, not $times: $(cat "$work/err")"
done
# A tree of the developer's own is left alone; what it lacks is said.
rm -r "$work/tree/subprojects/$directory"
mkdir "$work/own"; echo old >"$work/own/file"; touch "$work/own/meson.build"
ln -s "$work/own" "$work/tree/subprojects/$directory"
printf -- '--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old\n+new\n' >"$work/tree/subprojects/packagefiles/$patch"
setup
grep -qF "patch -p1 -d $work/own <$work/tree/subprojects/packagefiles/$patch" "$work/err" || fail "own Mesa: $(cat "$work/err")"
[ "$(cat "$work/own/file")" = old ] || fail "own Mesa was changed"
[ "$(wc -l <"$work/log")" = 2 ] || fail "own Mesa was unpacked over"
echo new >"$work/own/file"
setup
! grep -q 'your own Mesa' "$work/err" || fail "own Mesa with the patch: $(cat "$work/err")"
echo pass
