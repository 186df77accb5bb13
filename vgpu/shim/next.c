/* SPDX-License-Identifier: MIT
 *
 * Looking up what this library stands in front of.
 */
#include "vgpu/shim/next.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *shim_next_or_null(const char *name, _Atomic(void *) *cache)
{
   void *found = atomic_load_explicit(cache, memory_order_acquire);
   if (!found) {
      found = dlsym(RTLD_NEXT, name);
      atomic_store_explicit(cache, found, memory_order_release);
   }
   return found;
}

void *shim_next(const char *name, _Atomic(void *) *cache)
{
   void *found = shim_next_or_null(name, cache);
   if (!found) {
      fprintf(stderr, "libagx-vgpu: the C library has no %s\n", name);
      abort();
   }
   return found;
}
