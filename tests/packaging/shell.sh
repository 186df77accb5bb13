#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The shell scripts are clean to shellcheck. shell.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
mapfile -d '' files < <(ci/files)
scripts=()
for file in "${files[@]}"; do
  if [ -f "$file" ] && head -n 1 "$file" | tr -d '\0' | grep -qE '^#!.*(bash|/sh)'; then scripts+=("$file"); fi
done
[ ${#scripts[@]} -ge 10 ] || { echo "only ${#scripts[@]} scripts found"; exit 1; }
shellcheck -x "${scripts[@]}"
echo "${#scripts[@]} scripts"
