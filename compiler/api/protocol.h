/* SPDX-License-Identifier: MIT
 *
 * What travels between a caller and the process that compiles. Both may be different programs: agx-runner starts
 * agx-compile. Neither trusts the other's sizes. A change of any of these structs, or of what wire.h writes, is a new
 * COMPILER_PROTOCOL.
 *
 * agx-compile sends a struct compiler_hello when it has started, and nothing else: each caller that shares the socket
 * looks at that datagram and leaves it there. A caller sends one datagram a job, with the descriptors of enum
 * compiler_descriptor.
 */
#ifndef COMPILER_PROTOCOL_H
#define COMPILER_PROTOCOL_H

#include "compiler/api/stage.h"
#include "compiler/cache/cache.h"

#define COMPILER_PROTOCOL 2
#define COMPILER_MAGIC "agx-comp" /* 8 bytes, without the closing zero */
/* agx-compile's option; its value is the number of the socket's descriptor. */
#define COMPILER_SERVE_OPTION "--serve"

/* The kinds of jobs. */
enum compiler_kind {
   COMPILER_POINTER,        /* message.run, in a server that is a fork of its caller */
   COMPILER_OPENCL,         /* OpenCL C */
   COMPILER_SPIRV,          /* a SPIR-V module, not validated */
   COMPILER_KERNEL,         /* one kernel of a module that has been validated */
   COMPILER_BENCHMARK,      /* a benchmark's NIR (nir_kernels/nir_request.h) */
   COMPILER_BENCHMARK_TEXT, /* the same as text, which is the result's log */
   COMPILER_HELPER,         /* compiler_helper_program() */
   COMPILER_SESSION,        /* no job: a process that compiles many, one after the other */
   COMPILER_KINDS,
};

struct compiler_message {
   uint32_t protocol; /* COMPILER_PROTOCOL */
   uint32_t kind;     /* enum compiler_kind */
   compiler_job *run; /* of COMPILER_POINTER */
   uint64_t size;     /* of the request's bytes */
   struct compiler_limits limits;
   bool second_try; /* compiler_set_second_try() */
   bool cache;      /* the job may take its program from the compilation cache, and keep it there */
};

enum compiler_descriptor {
   COMPILER_FD_MEMORY, /* a memory file: struct compiler_shared, the request's bytes, the result's bytes; of
                          COMPILER_SESSION, the socket that the session gets its jobs from */
   COMPILER_FD_OUTPUT, /* a memory file: the job's stdout and stderr */
   COMPILER_FD_REPLY,  /* a pipe: struct compiler_ending when the job, or the session's process, has ended */
   COMPILER_FDS,
};

/* The head of the shared memory file. The result's bytes follow those of the request. */
struct compiler_shared {
   struct compiler_progress progress;
   uint64_t result_size; /* 0: there is no whole result */
};

/* How a job ended. */
struct compiler_ending {
   int error;   /* not 0: it could not be started, an errno */
   int status;  /* waitpid()'s */
   bool late;   /* killed after its limit of time */
   long memory; /* KiB resident at most */
};

/* The sizes of all that is exchanged as bytes. */
#define COMPILER_SIZES                                                                                                 \
   {                                                                                                                   \
      sizeof(struct compiler_message), sizeof(struct compiler_shared), sizeof(struct compiler_ending),                 \
          sizeof(struct compiler_options), sizeof(struct agx_program), sizeof(struct agx_argument),                    \
          sizeof(struct agx_uniform_range), sizeof(struct agx_line), sizeof(struct refusal),                           \
          sizeof(struct compiler_crash)                                                                                \
   }

struct compiler_hello {
   char magic[8];
   uint32_t protocol;
   uint32_t sizes[10];             /* COMPILER_SIZES */
   struct util_store_key identity; /* of the compiling code, and of what changes its output */
   char mesa[96];                  /* compiler_mesa_version() */
   char mesa_commit[48];           /* compiler_mesa_commit() */
   char extensions[1024];          /* compiler_opencl_extensions() */
};

/* Sends and receives a message with its descriptors. Send: 0 or a negative errno. Receive: the message is whole and of
 * this protocol, and *fds are the receiver's; 0: it is not, and there are none; -1: every sender has gone. */
int compiler_send(int socket, const struct compiler_message *message, const int fds[COMPILER_FDS]);
int compiler_receive(int socket, struct compiler_message *message, int fds[COMPILER_FDS]);

#endif
