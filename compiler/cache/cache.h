/* SPDX-License-Identifier: MIT
 *
 * The compilation cache: the result of a compilation as bytes, in a file named by a hash of everything that the
 * compilation depends on. Invariant: a lookup returns what was stored for the same key, or nothing. A damaged entry
 * counts as missing.
 *
 * The files are in 16 folders of $XDG_CACHE_HOME/agx-runner/compiler, or of ~/.cache if that variable is not set. A
 * writer locks its folder, writes a temporary file and renames it, so a reader sees complete files only. Each folder
 * may use a sixteenth of the cache's size: the entries that were used longest ago are removed.
 */
#ifndef COMPILER_CACHE_H
#define COMPILER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
struct compiler_cache_key {
   uint64_t low, high;
};
/* Returns the key of the parts, whose boundaries matter, and of compiler_cache_identity(). */
struct compiler_cache_key compiler_cache_key(const struct compiler_cache_bytes *parts, size_t count);

/* Returns false if there is no entry. free() releases *bytes. */
bool compiler_cache_load(const struct compiler_cache_key *key, uint8_t **bytes, size_t *size);
/* Stores a copy, if there is room and no other writer holds the folder for long. */
void compiler_cache_store(const struct compiler_cache_key *key, const void *bytes, size_t size);

/* ---- identity.c ---- */

/* Returns a hash of the compiling code: this program (with Mesa in it), the currently loaded libraries (clang, LLVM,
 * the SPIR-V translator) by their build IDs, and libclc's file. */
struct compiler_cache_key compiler_cache_identity(void);

/* Returns the environment variables that change the output of Mesa's compiler, as text for the key. NULL if
 * compilations must not be cached: a variable is set that prints or writes files, or may do so. */
const char *compiler_cache_environment(void);

/* Whether OpenCL C depends on its own text and options alone: not on other files, nor on the time. In doubt it returns
 * false. */
bool compiler_cache_is_closed(const char *source, const char *arguments);

#endif
