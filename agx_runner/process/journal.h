/* SPDX-License-Identifier: MIT
 *
 * The journal of a run: what has begun and what is finished, each line on the disk before the run goes on. A run that
 * was killed, or took the machine with it, is continued from it.
 *
 *    run ["run","float","--results","DIR"]    its arguments
 *    directory /where/it/was/started
 *    begin INDEX TRY NAME                     a test, by its place in the selection; TRY counts from 1
 *    result INDEX TRY {...}                   as result_to_line() writes it
 *    interrupted INDEX                        the user, or a limit, ended the run in it: not the test's doing
 *
 * A line without its newline was not finished and does not count.
 */
#ifndef AGX_RUNNER_JOURNAL_H
#define AGX_RUNNER_JOURNAL_H

#include <stddef.h>

struct journal {
   int fd; /* -1: closed */
};

/* A new one: -EEXIST if there is one. Or one to go on with: waits some seconds for a runner that is about to end,
 * -EWOULDBLOCK if it does not, and cuts off what was not finished. 0 or a negative errno. */
int journal_create(struct journal *journal, const char *path);
int journal_continue(struct journal *journal, const char *path);
void journal_close(struct journal *journal); /* twice is fine */

/* Appends a line (format without the newline) and syncs it. Processes may do so at the same time. 0 or a negative
 * errno: the run must end. */
__attribute__((format(printf, 2, 3))) int journal_append(const struct journal *journal, const char *format, ...);

enum journal_kind { JOURNAL_RUN, JOURNAL_DIRECTORY, JOURNAL_BEGIN, JOURNAL_RESULT, JOURNAL_INTERRUPTED, JOURNAL_KINDS };

struct journal_entry {
   enum journal_kind kind;
   size_t index;
   unsigned try;
   const char *text; /* what follows: name, JSON, path */
};

/* Each line from the start. Lines that make no sense are counted in *damaged (a full disk leaves such). 0, or a
 * negative errno, `each`'s among them. */
int journal_read(const struct journal *journal, int (*each)(void *data, const struct journal_entry *entry), void *data,
                 size_t *damaged);

#endif
