/* SPDX-License-Identifier: MIT
 *
 * The compilation cache: the result of a compilation as bytes, kept between processes (util/store.h) under a hash of
 * everything that the compilation depends on. Invariant: a lookup returns what was stored for the same key, or nothing.
 */
#ifndef COMPILER_CACHE_H
#define COMPILER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/store.h"

/* Size of the cache if the environment variable does not set it; 0 there disables the cache. */
#define COMPILER_CACHE_MIB 256
#define COMPILER_CACHE_VARIABLE "AGX_RUNNER_CACHE_MIB"

/* Returns the variable's value if it is no number, else NULL. Such a value counts as not set. */
const char *compiler_cache_wrong_limit(void);

/* Counts since the cache was enabled in this process. */
struct compiler_cache_counts {
   unsigned hits, misses, stores;
};
struct compiler_cache_counts compiler_cache_counts(void);

/* The cache is disabled at first. Enabling it has no effect if there is no folder for it, or if the environment makes
 * compilations print or write something (compiler_cache_environment()). */
void compiler_cache_set(bool on);
bool compiler_cache_is_on(void);

struct compiler_cache_bytes {
   const void *data;
   size_t size;
};
/* Returns the key of the parts, whose boundaries matter, and of compiler_cache_identity(). */
struct util_store_key compiler_cache_key(const struct compiler_cache_bytes *parts, size_t count);

/* Returns false if there is no entry. free() releases *bytes. */
bool compiler_cache_load(const struct util_store_key *key, uint8_t **bytes, size_t *size);
/* Stores a copy, if there is room and no other writer holds the folder for long. */
void compiler_cache_store(const struct util_store_key *key, const void *bytes, size_t size);

/* ---- identity.c ---- */

/* Returns a hash of the compiling code: this program (with Mesa in it), the currently loaded libraries (clang, LLVM,
 * the SPIR-V translator) by their build IDs, and libclc's file. */
struct util_store_key compiler_cache_identity(void);

/* Returns the environment variables that change the output of Mesa's compiler, as text for the key. NULL if
 * compilations must not be cached: a variable is set that prints or writes files, or may do so. */
const char *compiler_cache_environment(void);

/* Whether OpenCL C depends on its own text and options alone: not on other files, nor on the time. In doubt it returns
 * false. */
bool compiler_cache_is_closed(const char *source, const char *arguments);

#endif
