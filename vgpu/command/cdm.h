/* SPDX-License-Identifier: MIT
 *
 * The compute command stream: reads CDM blocks and USC words from GPU memory, and makes launches from them.
 */
#ifndef VGPU_CDM_H
#define VGPU_CDM_H

#include <stdbool.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/launch.h"
#include "vgpu/timing/chip.h"

/* Links with return that may be open at a time. Mesa's decoder (lib/decode.c) keeps a stack of 16; what the
 * hardware holds is not known. */
#define VGPU_CDM_DEPTH 16

struct vgpu_cdm {
   /* What every launch of the command shares; the rest of `launch` is set by each vgpu_cdm_next(). */
   struct vgpu_launch launch;
   uint64_t va;      /* of the next block */
   uint64_t pending; /* of a launch that no barrier block has followed yet; 0: none */
   uint64_t returns[VGPU_CDM_DEPTH];
   unsigned depth;
   uint32_t barrier; /* word of the last barrier block */
   enum vgpu_fault fault;
   char message[VGPU_MESSAGE_BYTES];
   char no_scratch[128]; /* why the helper program that was given is of no use; or "" */
};

enum vgpu_cdm_step {
   VGPU_CDM_LAUNCH,  /* launch is filled */
   VGPU_CDM_SKIP,    /* a block that launches nothing */
   VGPU_CDM_BARRIER, /* barrier is filled */
   VGPU_CDM_END,     /* terminated */
   VGPU_CDM_FAULT,   /* fault and message say which */
};

/* chip, vm, usc_base and the device's settings in `launch` are the caller's to fill before. `command` gives the
 * stream and the helper program. */
void vgpu_cdm_start(struct vgpu_cdm *cdm, const struct drm_asahi_cmd_compute *command);
enum vgpu_cdm_step vgpu_cdm_next(struct vgpu_cdm *cdm);

/* Whether launches before a barrier block with that word end before those after it start, and are seen by them. */
bool vgpu_cdm_barrier_orders(uint32_t word);

/* Reads the USC words at `va` into `launch`. false: a fault, told in *fault and message. (usc.c) */
bool vgpu_usc_read(struct vgpu_launch *launch, uint64_t va, enum vgpu_fault *fault, char *message, size_t size);

/* The 32-bit words a thread of scratch memory that the hardware could hand out with this helper program and scratch
 * header: spec/uapi.md 4.5. 0: none; then `why` says what is wrong with them, "" when none was given. (scratch.c) */
uint32_t vgpu_scratch_words(const struct vgpu_launch *launch, const struct drm_asahi_helper_program *helper, char *why,
                            size_t why_size);

#endif
