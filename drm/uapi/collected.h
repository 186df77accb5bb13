/* SPDX-License-Identifier: MIT
 *
 * The format of collected programs: a folder in which each program that a driver has launched is one file, whatever
 * process launched it and however often. vgpu/collect writes it, agx_runner/program/collected.c reads it.
 *
 * A program's file, HASH.agxprog, is a struct collected_program, the main program, and the preamble. HASH is XXH3, 128
 * bits in hexadecimal, of all of the file. It gets this name when it is complete, so that two processes that write the
 * same program do not disturb each other. A file HASH.agxprog.PROCESS is one that was not completed.
 *
 * How often programs ran is in the uses' files, MICROSECONDS-PROCESS.agxuses, which one process writes: the time of its
 * first launch orders them. Such a file is a struct collected_uses and a struct collected_use for each program, in the
 * order of their first launches. An entry is written again after each launch, so that a process that was killed has
 * left what it did. Half an entry at the end is none. Integers are little endian.
 */
#ifndef DRM_COLLECTED_H
#define DRM_COLLECTED_H

#include <stdint.h>

/* Magics include their terminating zero; their last digit is the version. */
#define COLLECTED_MAGIC "AGXPRG1"
#define COLLECTED_USES_MAGIC "AGXUSE1"
#define COLLECTED_SUFFIX ".agxprog"
#define COLLECTED_USES_SUFFIX ".agxuses"

enum collected_stage {
   COLLECTED_COMPUTE,
   COLLECTED_VERTEX,
   COLLECTED_FRAGMENT,
   COLLECTED_BACKGROUND, /* of a render pass: fills the tile */
   COLLECTED_END,        /* of a render pass: stores the tile */
   COLLECTED_STAGES,
};
#define COLLECTED_STAGE_NAMES                                                                                          \
   {                                                                                                                   \
      "compute", "vertex", "fragment", "background", "end-of-tile"                                                     \
   }

struct collected_program {
   char magic[8];
   uint32_t stage;                    /* enum collected_stage */
   uint32_t main_size, preamble_size; /* bytes; preamble 0: none */
   uint16_t half_registers, preamble_half_registers;
   uint32_t threadgroup_bytes;
   uint32_t spill_bucket;   /* of the launch: 0 no scratch memory; n: up to 8 << (n - 1) words a thread */
   uint16_t uniform_halves; /* behind the last one that the launch binds */
   uint16_t group[3];       /* threads of a threadgroup; compute alone */
};

struct collected_uses {
   char magic[8];
   char driver[64];  /* the driver's version, as AGX_VGPU_DRIVER says; "": not known */
   char program[64]; /* the process's name */
};

struct collected_use {
   uint64_t hash[2]; /* low, high */
   uint64_t launches;
   uint64_t threads, instructions, cycles; /* of compute; instructions one per simdgroup, cycles modelled */
};

_Static_assert(sizeof(struct collected_program) == 40, "collected_program");
_Static_assert(sizeof(struct collected_uses) == 136, "collected_uses");
_Static_assert(sizeof(struct collected_use) == 48, "collected_use");

#endif
