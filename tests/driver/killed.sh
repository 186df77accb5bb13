#!/usr/bin/env bash
# 1,000 processes that use the node are killed at random times and leave nothing behind: killed.sh LIBRARY UAPI_RUN
# Where the machine allows a mount namespace, /tmp and /dev/shm are empty at the start, and must be empty at the end.
set -euo pipefail
if [ "${3:-}" = '' ]; then
  if unshare --mount true 2>/dev/null; then exec unshare --mount "$0" "$1" "$2" private; fi
  if unshare --user --map-root-user --mount true 2>/dev/null; then exec unshare --user --map-root-user --mount "$0" "$1" "$2" private; fi
  exec "$0" "$1" "$2" shared
fi
library=$1 uapi=$2 kind=$3 count=1000 together=20
fail() { echo "$1"; exit 1; }
[ "$(dirname "$library")" != /tmp ] || fail "the library is in /tmp"
if [ "$kind" = private ]; then
  # The build may be below /tmp itself.
  case $library in /tmp/*) ;; *) mount -t tmpfs tmpfs /tmp ;; esac
  mount -t tmpfs tmpfs /dev/shm
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
: >"$work/report"
left() {
  find "$work/tmp" -mindepth 1
  if [ "$kind" = private ]; then find /dev/shm -mindepth 1; else find /dev/shm -name '*vgpu*' -o -name '*agx*'; fi
}

# A process is killed while it starts, while it submits or while it ends: after 0 to 99 ms.
ended=0 killed=0
for ((i = 0; i < count; i += together)); do
  children=()
  for ((k = 0; k < together; k++)); do
    TMPDIR=$work/tmp AGX_VGPU_NODE=190 AGX_VGPU_REPORT=$work/report LD_PRELOAD=$library "$uapi" /dev/dri/renderD190 >/dev/null 2>&1 &
    children+=($!)
  done
  for child in "${children[@]}"; do
    sleep "0.00$((RANDOM % 10))"
    if kill -9 "$child" 2>/dev/null; then killed=$((killed + 1)); else ended=$((ended + 1)); fi
  done
  wait "${children[@]}" 2>/dev/null || true
done
[ "$killed" -gt $((count / 2)) ] || fail "$ended of $count processes had ended before they were killed"
# A process that opens the node appends a line to the report.
opened=$(wc -l <"$work/report")
[ "$opened" -gt $((count / 2)) ] || fail "only $opened of $count processes had opened the node"
[ -z "$(left)" ] || fail "left: $(left | head)"
[ -z "$(jobs -r)" ] || fail "processes left: $(jobs -r)"
! pgrep -s 0 -x "$(basename "$uapi")" >/dev/null || fail "processes left: $(pgrep -s 0 -xa "$(basename "$uapi")")"

# The node works as before.
LD_PRELOAD=$library AGX_VGPU_NODE=190 "$uapi" /dev/dri/renderD190 timestamps/start-last >/dev/null || fail "the node does not work afterwards"
echo "pass: $killed killed, $opened of them while they used the node, $ended had ended ($kind folders)"
