#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The shell scripts are clean to shellcheck. shell.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
mapfile -t scripts < <(ci/files | xargs -0 awk '/^#!.*(bash|\/sh)$/ { print FILENAME } { nextfile }')
[ ${#scripts[@]} -ge 10 ] || { echo "only ${#scripts[@]} scripts found"; exit 1; }
shellcheck -x "${scripts[@]}"
echo "${#scripts[@]} scripts"
