/* SPDX-License-Identifier: MIT
 *
 * The programs that a saved job launches: a virtual device says where they lie, once the job has run, and the job's
 * memory has their code.
 */
#ifndef AGX_RUNNER_REPLAY_JOB_PROGRAMS_H
#define AGX_RUNNER_REPLAY_JOB_PROGRAMS_H

#include "agx_runner/replay/submit.h"
#include "compiler/compiler.h"
#include "vgpu/vgpu.h"

/* What is known of a program and its launches. */
struct job_program {
   struct agx_program *program;     /* named by its GPU address: "0x1100004000". No uniforms, no arguments: those are
                                       the client's. The threadgroup's size is that of its longest launch */
   struct vgpu_launch_info longest; /* of its launches */
   uint32_t number;                 /* of that one among all launches of the job, from 0 on */
   uint64_t launches, cycles;       /* all its launches together, modelled */
};

struct job_programs {
   struct job_program *list; /* in the order of their first launches */
   size_t count;
   uint64_t launches, cycles; /* of the job */
};

/* Of the job that has run. Messages are printed; an enum exit_code: EXIT_FAILED also where it launched nothing.
 * job_programs_finish() must follow in any case. */
int job_programs_read(const struct replay *replay, const char *path, struct job_programs *programs);
void job_programs_finish(struct job_programs *programs);

#endif
