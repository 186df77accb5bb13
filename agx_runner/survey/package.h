/* SPDX-License-Identifier: MIT
 *
 * The archive of a survey: a tar file compressed with zstd. Its contents are listed before it is written, and it is
 * written completely or not at all.
 */
#ifndef AGX_RUNNER_PACKAGE_H
#define AGX_RUNNER_PACKAGE_H

#include <stddef.h>

struct package_entry {
   char name[96];
   char *data; /* package_finish() frees it */
   size_t size;
};

struct package {
   struct package_entry *entries;
   size_t count;
};

/* Takes ownership of `data`. Returns 0 or -ENOMEM (data is freed then, too). */
int package_add(struct package *package, const char *name, char *data, size_t size);
void package_finish(struct package *package);
/* time: of all entries, seconds since 1970. Prints messages; returns an enum exit_code. */
int package_write(const struct package *package, const char *path, long long time);
/* Returns the data of that entry of an archive, NUL-terminated; free() releases it. NULL: a message was printed. */
char *package_read_entry(const char *path, const char *name, size_t *size);

#endif
