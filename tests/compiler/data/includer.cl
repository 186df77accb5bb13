/* SPDX-License-Identifier: MIT */
#include "includer.h"
kernel void included(global int *out)
{
   local int tile[WIDTH];
   tile[get_local_id(0)] = out[get_global_id(0)];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[get_global_id(0)] = tile[WIDTH - 1 - get_local_id(0)];
}
