/* SPDX-License-Identifier: MIT
 *
 * The C library's own functions behind those that this library replaces. Invariant: code of this library reaches the
 * system through NEXT() alone, or through a function that is not replaced.
 */
#ifndef VGPU_SHIM_NEXT_H
#define VGPU_SHIM_NEXT_H

#include <stdatomic.h>

/* Exports a function, which then stands in front of the C library's. The other symbols of this library are hidden. */
#define SHIM_EXPORT __attribute__((visibility("default")))

/* The address of the next definition of `name`; cached in *cache. A function that the C library lacks ends the
 * process: its caller could not have been linked. */
void *shim_next(const char *name, _Atomic(void *) *cache);
/* The same, but NULL where the C library has no such function. */
void *shim_next_or_null(const char *name, _Atomic(void *) *cache);

/* NEXT(close)(fd): the type is that of the function's declaration. */
#define NEXT(name)                                                                                                     \
   (__extension__({                                                                                                    \
      static _Atomic(void *) cache_;                                                                                   \
      (__typeof__(&name))shim_next(#name, &cache_);                                                                    \
   }))

#endif
