/* SPDX-License-Identifier: MIT
 *
 * Names of Piglit's statuses, and how the results of several tests are merged.
 */
#include "agx_runner/piglit/status.h"

static const char *const status_names[PIGLIT_STATUSES] = {
    [PIGLIT_PASS] = "pass", [PIGLIT_FAIL] = "fail",   [PIGLIT_SKIP] = "skip",
    [PIGLIT_WARN] = "warn", [PIGLIT_CRASH] = "crash", [PIGLIT_TIMEOUT] = "timeout",
};

const char *piglit_status_name(enum piglit_status status)
{
   return status_names[status];
}

enum piglit_status piglit_status_merge(enum piglit_status all, enum piglit_status one)
{
   /* Ranks: the highest one of several results wins. */
   static const unsigned weight[PIGLIT_STATUSES] = {
       [PIGLIT_SKIP] = 0, [PIGLIT_PASS] = 1,    [PIGLIT_WARN] = 2,
       [PIGLIT_FAIL] = 3, [PIGLIT_TIMEOUT] = 4, [PIGLIT_CRASH] = 5,
   };
   return weight[one] > weight[all] ? one : all;
}
