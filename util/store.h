/* SPDX-License-Identifier: MIT
 *
 * Bytes that are kept between processes, in files named by a hash of everything that they depend on. Invariant: a load
 * returns what was saved for the same key, or nothing. A damaged entry counts as missing.
 *
 * The files are in 16 folders of $AGX_RUNNER_CACHE_DIR/NAME; without that variable of $XDG_CACHE_HOME/agx-runner/NAME,
 * and without both of ~/.cache/agx-runner/NAME. A
 * writer locks its folder, writes a temporary file and renames it, so a reader sees complete files only. Each folder
 * may use a sixteenth of the store's size: the entries that were used longest ago are removed.
 */
#ifndef UTIL_STORE_H
#define UTIL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTIL_STORE_PATH 512 /* longer paths disable the store */
#define UTIL_STORE_VARIABLE "AGX_RUNNER_CACHE_DIR"

struct util_store {
   char path[UTIL_STORE_PATH];
   char magic[8];
   uint64_t folder_bytes;
};

struct util_store_key {
   uint64_t low, high;
};

/* Writes the folder of all stores. false: there is none. */
bool util_store_folder(char path[UTIL_STORE_PATH]);

/* magic: 8 bytes at the start of each file. false: there is no folder for it, or the size is 0. */
bool util_store_open(struct util_store *store, const char *name, const char magic[8], uint64_t bytes);

/* Parses a text that limits a store, in MiB; NULL or an empty text: *mib is `otherwise`. false, with that, if it is no
 * number. */
bool util_store_limit(const char *text, uint64_t otherwise, uint64_t *mib);

/* Returns false if there is no entry. free() releases *bytes. */
bool util_store_load(const struct util_store *store, const struct util_store_key *key, uint8_t **bytes, size_t *size);
/* Whether there is an entry, which may be damaged. */
bool util_store_has(const struct util_store *store, const struct util_store_key *key);
/* Calls `each` for all entries, of which some may be damaged or gone by then, until it returns false. */
void util_store_list(const struct util_store *store, bool (*each)(void *data, const struct util_store_key *key),
                     void *data);
/* Saves a copy. false: there is no room, or another writer holds the folder for long. */
bool util_store_save(const struct util_store *store, const struct util_store_key *key, const void *bytes, size_t size);
/* Saves what change() makes of the entry, which other writers change before or after, not meanwhile. bytes: NULL, with
 * size 0, where there is no entry. change() sets *size, and free() releases what it returns; NULL: the entry stays.
 * false: as util_store_save(), or it stayed. */
bool util_store_change(const struct util_store *store, const struct util_store_key *key,
                       uint8_t *(*change)(void *data, const uint8_t *bytes, size_t *size), void *data);

#endif
