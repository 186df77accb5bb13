/* SPDX-License-Identifier: MIT
 *
 * What a host's answer says of the kernels of a source. The records stay the answer's: it must outlive the kernels.
 */
#ifndef AGX_RUNNER_DRIVER_KERNEL_H
#define AGX_RUNNER_DRIVER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/host/records.h"
#include "isa/program.h"

/* Bytes behind a record's struct. */
struct driver_bytes {
   const uint8_t *bytes; /* NULL: there are none */
   size_t size;
};

/* Buffers that are no argument, and that a shader gets at by addresses. */
#define DRIVER_BEHIND 32u

struct driver_parameter {
   const struct host_parameter *facts; /* NULL: a buffer that is no argument */
   const struct host_argument *marker; /* what a probe gave; NULL: the kernel was not probed */
   struct driver_bytes marker_bytes;
   struct driver_bytes after; /* a buffer or image as the launch left it */
};

struct driver_kernel {
   const struct host_facts *facts;
   struct driver_parameter *parameters;  /* facts->parameters, then DRIVER_BEHIND */
   const struct host_launched *launched; /* NULL: it was not launched */
   char *refusal;                        /* of its probe; NULL: none */
};

struct driver_kernels {
   struct driver_kernel *list;
   size_t count;
   char *driver, *log, *refusal; /* texts; NULL: none */
   uint32_t refused;             /* enum host_refusal, where there is a refusal */
};

/* Reads the answer; of one about several sources what comes before the first, then, call by call, what each has given.
 * Returns false if out of memory. driver_kernels_finish() must follow in any case. */
bool driver_kernels_read(struct host_records *records, struct driver_kernels *kernels);
void driver_kernels_finish(struct driver_kernels *kernels);

/* A program without code that has the kernel's name, its arguments and its threadgroup's size: for the parser of a
 * launch's options. NULL: out of memory. */
struct agx_program *driver_kernel_interface(const struct driver_kernel *kernel);

/* Prints the build log, with `path` as the name of the source, and the refusal. Returns the exit code of the refusal;
 * EXIT_OK: there is none. */
int driver_kernels_print(const struct driver_kernels *kernels, const char *path, const char *mesa);

#endif
