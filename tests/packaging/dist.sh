#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# meson dist makes an archive of all that is committed, and what is in it builds. Without Mesa, which takes minutes: the
# instruction set and the client. dist.sh SOURCE_ROOT BUILD_DIR
set -euo pipefail
source=$1 build=$2
if ! [ -e "$source/.git" ]; then echo "skipped: releases are made from a git checkout"; exit 77; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson=$("$source/ci/setup.sh" --meson)
try() { "$@" >"$work/log" 2>&1 || { echo "failed: $*"; tail -n 40 "$work/log"; exit 1; }; }

# What is not committed is not in it, which is no failure here.
try "$meson" dist -C "$build" --no-tests --allow-dirty --formats gztar
archive=$(sed -n 's/^Created //p' "$work/log")
[ -f "$archive" ] || { echo "meson dist named no archive"; exit 1; }
(cd "$(dirname "$archive")" && sha256sum --quiet -c "$(basename "$archive").sha256sum")
mkdir "$work/tree"
tar -xzf "$archive" -C "$work/tree" --strip-components=1
diff <(git -C "$source" ls-tree -r --name-only HEAD | sort) <(cd "$work/tree" && find . ! -type d -printf '%P\n' | sort)
diff <(git -C "$source" ls-tree -r --name-only HEAD | sort) <("$work/tree/ci/files" | tr '\0' '\n' | sort)
try "$meson" setup "$work/build" "$work/tree" -Dmesa=false
try ninja -C "$work/build" isa/libisa.a drm/libasahi_client.a uapi/libuapi.a
