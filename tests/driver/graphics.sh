#!/usr/bin/env bash
# A graphics command of Mesa's driver draws nothing, and the device's report names it.
# graphics.sh AGX_RUNNER DRIVER_KERNELS SHADERS DRIVER
set -euo pipefail
runner=$1 kernels=$2 shaders=$3 driver=$4
[ -e "$driver" ] || { echo "skipped: no $driver (ci/mesa-driver subprojects/mesa-25.0.7 builds it)"; exit 77; }
export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver AGX_VGPU_NODE=190
for device in virtual:m1 virtual:m2-max; do
  code=0
  text=$("$runner" with-device --device "$device" -- "$kernels" "$shaders" graphics 2>&1) || code=$?
  [ "$code" = 98 ] || { echo "exit $code, not 98: $text"; exit 1; }
  grep -qE '^  last fault: job [0-9]+, command 0: bad command: render command: the virtual GPU has no rasteriser, it runs compute commands only$' <<<"$text" ||
    { echo "$device: the report does not name the render command: $text"; exit 1; }
done
echo pass
