/* SPDX-License-Identifier: MIT
 *
 * The kernel log during a test: reads /dev/kmsg if that is permitted, and writes a marker before each test if that is.
 */
#ifndef PROCESS_KMSG_H
#define PROCESS_KMSG_H

#include <stdbool.h>

struct kmsg {
   int reader, writer; /* -1: not permitted */
};

/* path: /dev/kmsg, except in tests. Returns false if it cannot be read. */
bool kmsg_open(struct kmsg *kmsg, const char *path);
void kmsg_close(struct kmsg *kmsg);
/* Skips the existing records and writes a marker with this name. */
void kmsg_begin(const struct kmsg *kmsg, const char *name);
/* Returns the lines since then, each with its time in seconds, without the marker; free() releases it. NULL: none. */
char *kmsg_end(const struct kmsg *kmsg);

#endif
