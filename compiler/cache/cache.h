/* SPDX-License-Identifier: MIT
 *
 * The compilation cache: what a compilation gave, as bytes, in a file named by a hash of all that the compilation
 * depends on. Invariant: what is read is what was written for the same key, or nothing. A damaged entry counts as
 * missing.
 *
 * The files lie in 16 folders of $XDG_CACHE_HOME/agx-runner/compiler, ~/.cache where that variable is not set. A writer
 * holds its folder's lock, writes a temporary file and renames it, so a reader sees whole files only. Each folder keeps
 * at most a sixteenth of the cache's size: the entries that were used longest ago are removed.
 */
#ifndef COMPILER_CACHE_H
#define COMPILER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the cache where the environment variable does not set it; 0 there turns the cache off. */
#define COMPILER_CACHE_MIB 256
#define COMPILER_CACHE_VARIABLE "AGX_RUNNER_CACHE_MIB"

/* What the variable says, where that is no number; else NULL. Such a value counts as not set. */
const char *compiler_cache_wrong_limit(void);

/* What happened in this process since the cache was switched on. */
struct compiler_cache_counts {
   unsigned hits, misses, stores;
};
struct compiler_cache_counts compiler_cache_counts(void);

/* Off to begin with. On has no effect where there is no folder for it, or where the environment makes compilations
 * print or write something (compiler_cache_environment()). */
void compiler_cache_set(bool on);
bool compiler_cache_is_on(void);

struct compiler_cache_bytes {
   const void *data;
   size_t size;
};
struct compiler_cache_key {
   uint64_t low, high;
};
/* Of the parts, whose borders count, and of compiler_cache_identity(). */
struct compiler_cache_key compiler_cache_key(const struct compiler_cache_bytes *parts, size_t count);

/* False: there is no entry. *bytes: free() it. */
bool compiler_cache_load(const struct compiler_cache_key *key, uint8_t **bytes, size_t *size);
/* Keeps a copy, if there is room and no other writer holds the folder for long. */
void compiler_cache_store(const struct compiler_cache_key *key, const void *bytes, size_t size);

/* ---- identity.c ---- */

/* Hash of the code that compiles: this program (with Mesa in it), the libraries loaded now (clang, LLVM, the SPIR-V
 * translator) by their build IDs, and libclc's file. */
struct compiler_cache_key compiler_cache_identity(void);

/* Environment variables that change what Mesa's compiler makes. Returns the text that belongs into the key, NULL where
 * compilations must not be cached: a variable is set that prints, dumps, or that is not known to do neither. */
const char *compiler_cache_environment(void);

/* Whether OpenCL C depends on its own text and options alone: not on other files, nor on the time. Errs on the side of
 * false. */
bool compiler_cache_is_closed(const char *source, const char *arguments);

#endif
