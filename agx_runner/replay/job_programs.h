/* SPDX-License-Identifier: MIT
 *
 * The programs that a saved job launches: a virtual device tells their addresses when the job has run, and the job's
 * memory contains their code.
 */
#ifndef AGX_RUNNER_REPLAY_JOB_PROGRAMS_H
#define AGX_RUNNER_REPLAY_JOB_PROGRAMS_H

#include "agx_runner/replay/submit.h"
#include "compiler/api/compiler.h"
#include "vgpu/vgpu.h"

/* Facts about a program and its launches. */
struct job_program {
   /* named by its GPU address: "0x1100004000". It has no uniforms and arguments: those are the client's. The
    * threadgroup's size is that of its longest launch */
   struct agx_program *program;
   struct vgpu_launch_info longest; /* of its launches */
   uint32_t number;                 /* index of that launch among all launches of the job */
   uint64_t launches, cycles;       /* of all its launches together, modelled */
};

struct job_programs {
   struct job_program *list; /* in the order of their first launches */
   size_t count;
   uint64_t launches, cycles; /* of the job */
   /* Of render passes, each with its first launch: named by stage and address, "vertex:0x1100004000". They have no
    * threadgroup's size and no cycles: no time of theirs is modelled. */
   struct job_program *stages;
   size_t stage_count;
};

/* Reads the programs of the job that has run. Prints messages; returns an enum exit_code: EXIT_FAILED also if it
 * launched nothing. job_programs_finish() must follow in any case. */
int job_programs_read(const struct replay *replay, const char *path, struct job_programs *programs);
void job_programs_finish(struct job_programs *programs);

#endif
