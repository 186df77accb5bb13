/* SPDX-License-Identifier: MIT
 *
 * A run of many files: which they are, what became of them, and what is told of it.
 */
#ifndef PIGLIT_SESSION_H
#define PIGLIT_SESSION_H

#include "agx_runner/piglit/expect.h"
#include "agx_runner/piglit/result.h"

struct piglit_session {
   struct asahi_device_info device;
   struct piglit_result *results; /* by path */
   size_t count;
   struct expectations *expectations; /* NULL: every test is expected to pass */
   double seconds;
};

/* How many tests ended how. A file without subtests counts as one test. */
struct piglit_totals {
   size_t files, tests;
   size_t status[PIGLIT_STATUSES];
   size_t unexpected, improved, flaky;
};

/* Adds a file, or all .cl and .program_test files below a folder. 0 or a negative errno with a message. */
int piglit_session_add(struct piglit_session *session, const char *path, char *message, size_t message_size);
/* Orders the files, and marks as done those that are not to be run. Nothing is added afterwards. 0 or -ENOMEM. */
int piglit_session_prepare(struct piglit_session *session);
void piglit_session_finish(struct piglit_session *session);

/* Calls `each` for every test with its full name. 0, or -ENOMEM. */
struct piglit_record {
   const char *name;
   const struct piglit_result *file;
   enum piglit_status status;
   const char *reason; /* "" when there is none */
   enum piglit_verdict verdict;
};
int piglit_session_each(const struct piglit_session *session,
                        void (*each)(void *data, const struct piglit_record *record), void *data);
int piglit_session_count(const struct piglit_session *session, struct piglit_totals *totals);

/* Renderers: 0 or -ENOMEM. */
int piglit_write_summary(const struct piglit_session *session, FILE *out);
int piglit_write_json(const struct piglit_session *session, FILE *out);
/* What Piglit's own tester prints, file by file. */
int piglit_write_protocol(const struct piglit_session *session, FILE *out);

#endif
