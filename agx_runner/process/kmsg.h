/* SPDX-License-Identifier: MIT
 *
 * The kernel log while a test runs: /dev/kmsg, where it may be read, with a marker before each test where it may be
 * written.
 */
#ifndef AGX_RUNNER_KMSG_H
#define AGX_RUNNER_KMSG_H

#include <stdbool.h>

struct kmsg {
   int reader, writer; /* -1: not permitted */
};

/* path: /dev/kmsg, but for tests. False: it may not be read. */
bool kmsg_open(struct kmsg *kmsg, const char *path);
void kmsg_close(struct kmsg *kmsg);
/* Passes over what is there, and leaves a marker with this name. */
void kmsg_begin(const struct kmsg *kmsg, const char *name);
/* The lines since then, each with its time in seconds, our own marker left out; free() it. NULL: none. */
char *kmsg_end(const struct kmsg *kmsg);

#endif
