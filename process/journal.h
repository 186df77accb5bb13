/* SPDX-License-Identifier: MIT
 *
 * The journal of a run: which units have begun and which have ended. The begin of a unit is on the disk before the
 * unit runs. A run that was killed, or that crashed the machine, is resumed from its journal. Only the runner writes
 * it.
 *
 *    run ["run","float","--results","DIR"]    its arguments
 *    directory /where/it/was/started
 *    begin INDEX TRY NAME                     a unit, by its index in the run; TRY counts from 1
 *    result INDEX TRY {...}                   what struct tries' end() gives: one line
 *    interrupted INDEX                        the user, or a limit, ended the run in this unit
 *
 * A line without its newline is incomplete and is ignored.
 */
#ifndef PROCESS_JOURNAL_H
#define PROCESS_JOURNAL_H

#include <stddef.h>

struct journal {
   int fd; /* -1: closed */
};

/* Creates a journal: -EEXIST if there is one. journal_continue() opens an existing one: it waits some seconds for a
 * runner that is about to end, fails with -EWOULDBLOCK if it does not, and removes an incomplete line. Both return 0 or
 * a negative errno. */
int journal_create(struct journal *journal, const char *path);
int journal_continue(struct journal *journal, const char *path);
void journal_close(struct journal *journal); /* may be called twice */

/* When a line is on the disk: before journal_append() returns, or together with the next line that is. A result may
 * wait for the begin of the next test: if the machine crashes before that, the test is run again. */
enum journal_sync { JOURNAL_NOW, JOURNAL_LATER };
/* Appends a line (format without the newline). Returns 0, or a negative errno after which the run must end. */
__attribute__((format(printf, 3, 4))) int journal_append(const struct journal *journal, enum journal_sync when,
                                                         const char *format, ...);
int journal_sync(const struct journal *journal);

enum journal_kind { JOURNAL_RUN, JOURNAL_DIRECTORY, JOURNAL_BEGIN, JOURNAL_RESULT, JOURNAL_INTERRUPTED, JOURNAL_KINDS };

struct journal_entry {
   enum journal_kind kind;
   size_t index;
   unsigned try;
   const char *text; /* the rest of the line: name, JSON, path */
};

/* Calls `each` for each line from the start. Malformed lines, which a full disk leaves, are counted in *damaged.
 * Returns 0, or a negative errno, which may come from `each`. */
int journal_read(const struct journal *journal, int (*each)(void *data, const struct journal_entry *entry), void *data,
                 size_t *damaged);

#endif
