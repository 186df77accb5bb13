/* SPDX-License-Identifier: MIT
 *
 * The bytes that the compute hardware reads: USC words (the state of a launch) and the CDM stream (the launches). Pure
 * functions that need no device. Facts: spec/uapi.md 4.2 and 4.3.
 */
#ifndef DRM_STREAM_H
#define DRM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"

#define ASAHI_USC_ALIGN 64     /* of a block of USC words: launch word 1 has no bits 0..5 */
#define ASAHI_STREAM_ALIGN 256 /* Mesa's; the hardware's requirement is not known */

/* Upper bounds of the bytes that the functions below write. */
#define ASAHI_USC_UNIFORM_SIZE 8
#define ASAHI_USC_TAIL_SIZE (4 + 6 + 4 + 8) /* shared, shader, registers, preshader */
#define ASAHI_CDM_LAUNCH_SIZE (40 + 4)      /* G14X, with its barrier */
#define ASAHI_CDM_TERMINATE_SIZE 8

/* A buffer that is written from its start. Writing past the end sets `overflow` and writes nothing. */
struct asahi_stream {
   uint8_t *data;
   size_t size, used; /* bytes */
   bool overflow;
};

/* Returns how many of `halves` half uniforms one UNIFORM or UNIFORM_HIGH word may load from `start` on: at most 64, and
 * never across half 256, where the other tag begins. */
unsigned asahi_usc_uniform_chunk(unsigned start, unsigned halves);

/* Loads `halves` (1..64, see above) half uniforms from GPU address `address` (a multiple of 4, 40 bits). */
void asahi_usc_uniform(struct asahi_stream *stream, unsigned start, unsigned halves, uint64_t address);
/* Threadgroup memory, bytes: 0..65536. */
void asahi_usc_shared(struct asahi_stream *stream, uint32_t bytes);
/* offset: of the code, from usc_exec_base. */
void asahi_usc_shader(struct asahi_stream *stream, uint32_t offset);
/* half_registers: 1..256. spill_bucket: asahi_scratch_bucket(). */
void asahi_usc_registers(struct asahi_stream *stream, unsigned half_registers, unsigned spill_bucket);
/* Exactly one of the two must come last. */
void asahi_usc_preshader(struct asahi_stream *stream, uint32_t offset);
void asahi_usc_no_preshader(struct asahi_stream *stream);

struct asahi_launch {
   uint32_t usc_offset;         /* of the USC words, from usc_exec_base; a multiple of ASAHI_USC_ALIGN */
   unsigned uniform_halves;     /* 0..512 */
   unsigned preamble_registers; /* half registers of the preamble, 0..256; 0 without one */
   uint32_t grid[3], group[3];  /* threads */
   unsigned texture_field;      /* asahi_cdm_options.texture_field */
};
void asahi_cdm_launch(struct asahi_stream *stream, enum asahi_chip_class chip_class, const struct asahi_launch *launch);
/* mask: asahi_cdm_options.barrier. */
void asahi_cdm_barrier(struct asahi_stream *stream, uint32_t mask);
void asahi_cdm_terminate(struct asahi_stream *stream);

#endif
