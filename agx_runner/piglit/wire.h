/* SPDX-License-Identifier: MIT
 *
 * How a worker process tells its parent what it does: frames on a pipe.
 */
#ifndef PIGLIT_WIRE_H
#define PIGLIT_WIRE_H

#include <stdbool.h>

#include "agx_runner/piglit/run.h"

/* The worker's side: a sink that writes frames to the pipe `*fd`. A parent that is gone ends the process. */
struct piglit_sink piglit_wire_sink(int *fd);
void piglit_wire_done(int fd, enum piglit_status status, const char *reason);

/* The parent's side: bytes as they come. */
struct piglit_wire {
   char *buffer;
   size_t used, room;
};
void piglit_wire_finish(struct piglit_wire *wire);

/* The end of a file's run, taken from the frames. */
struct piglit_wire_end {
   bool done;
   enum piglit_status status;
   char reason[512];
};

/* Reads what there is and hands all whole frames to `sink`. 1: go on; 0: the worker closed its end; else a negative
 * errno (-EPROTO: what came is no frame). */
int piglit_wire_read(struct piglit_wire *wire, int fd, const struct piglit_sink *sink, struct piglit_wire_end *end);

#endif
