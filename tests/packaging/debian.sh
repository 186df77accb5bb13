#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a Debian package of what is built, installs it into a root of its own, uses it there, and removes it.
# debian.sh SOURCE_ROOT BUILD_DIR
set -euo pipefail
source=$1 build=$2
skip() { echo "skipped: $*"; exit 77; }
die() { echo "$*"; exit 1; }
{ command -v dh && command -v dpkg-buildpackage; } >/dev/null || skip "no dpkg-buildpackage and debhelper"
[ "$(id -u)" = 0 ] || skip "dpkg installs for root only"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without the package of debugging symbols, whose compression takes longer than all the rest.
DEB_BUILD_OPTIONS=noautodbgsym "$source/ci/packaging/build-deb" --built "$build" "$work/deb" >"$work/log" 2>&1 ||
  { tail -n 40 "$work/log"; die "the package was not built"; }

# The machine's own list of packages, so that the dependencies are looked for among what is installed.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/"
in_root() { dpkg --instdir="$root" --admindir="$root/var/lib/dpkg" "$@" >"$work/log" 2>&1 || { grep -v 'files list file' "$work/log"; die "dpkg $1 failed"; }; }
in_root --install "$work"/deb/agx-runner_*.deb
diff <("$build/agx_runner/agx-runner" --version) <("$root/usr/bin/agx-runner" --version)
"$root/usr/bin/agx-runner" run --device virtual:m1 float/fadd32/latency --format csv >"$work/csv"
grep -q 'float/fadd32/latency.*pass' "$work/csv" || die "the installed program does not measure"
"$root/usr/bin/agx-runner" fuzz --count 1 --language nir >"$work/log" || die "the installed fuzzer does not work"
for page in man1/agx-runner.1 man5/agx-assembly.5 man5/agx-runner-result.5; do
  # Not through a pipe: grep -q ends at the first match, and with pipefail a gzip that still writes then fails.
  gzip -dc "$root/usr/share/man/$page.gz" >"$work/page"
  grep -q '^\.TH "' "$work/page" || die "no manual page $page"
done
bash -n "$root/usr/share/bash-completion/completions/agx-runner.bash"
for file in bin/cl-program-tester share/zsh/site-functions/_agx-runner share/doc/agx-runner/copyright; do
  [ -s "$root/usr/$file" ] || die "no $file"
done
in_root --purge agx-runner
left=$(find "$root" -path "$root/var" -prune -o ! -type d -print)
[ -z "$left" ] || die "left behind: $left"
