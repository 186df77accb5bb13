/* SPDX-License-Identifier: MIT
 *
 * The costs of a command besides its instructions, and how the clock follows the load: one row a parameter, with a
 * value for each chip. The virtual device uses them with option dvfs= only.
 */
#ifndef VGPU_COMMAND_PARAMS_H
#define VGPU_COMMAND_PARAMS_H

#include "vgpu/timing/memory/memory_params.h"

enum vgpu_command_param {
   VGPU_COMMAND_LAUNCH,           /* ns of each launch in a control stream */
   VGPU_COMMAND_BARRIER_FULL,     /* ns of a barrier that waits for all launches before it */
   VGPU_COMMAND_BARRIER_PART,     /* ns of a barrier that waits for some launches */
   VGPU_COMMAND_CONCURRENT,       /* launches that run at once where no barrier waits */
   VGPU_COMMAND_CONCURRENT_PART,  /* the same with a barrier of bits 4 to 6 or 10 to 16 */
   VGPU_COMMAND_CONCURRENT_BIT_3, /* the same with bit 3 and none of those bits */
   VGPU_COMMAND_CONCURRENT_BIT_0, /* the same with bit 0 alone; and so on */
   VGPU_COMMAND_CONCURRENT_BIT_1,
   VGPU_COMMAND_CONCURRENT_BIT_2,
   VGPU_COMMAND_CONCURRENT_BIT_20,
   VGPU_COMMAND_STREAM_START,     /* ns from the start timestamp to the first launch */
   VGPU_COMMAND_STREAM_GAP,       /* ns between two commands of one submission */
   VGPU_COMMAND_FIRMWARE,         /* ns of firmware before the first command of a submission */
   VGPU_COMMAND_POWER_UP,         /* ns that a submission waits for a GPU that is off */
   VGPU_COMMAND_POWER_OFF,        /* ns without work after which the GPU is off */
   VGPU_COMMAND_PERIOD,           /* ns between two decisions of the clock controller */
   VGPU_COMMAND_FILTER_UP,        /* ns, time constant of the filter while the demand rises */
   VGPU_COMMAND_FILTER_DOWN,      /* ns, time constant while it falls */
   VGPU_COMMAND_TARGET,           /* percent of busy time that the controller aims at */
   VGPU_COMMAND_COMPOSITOR,       /* ns between two frames of the compositor */
   VGPU_COMMAND_COMPOSITOR_BUSY,  /* ns of GPU time of a frame */
   VGPU_COMMAND_COMPOSITOR_SHARE, /* percent of the GPU that it takes during that time */
   VGPU_COMMAND_PARAMS
};

struct vgpu_command_row {
   const char *name; /* "command/launch" */
   const char *unit;
   double value[VGPU_CHIPS]; /* one for each row of vgpu/timing/chip.c */
   double low, high;         /* limits of the values that option params= accepts */
   const char *source;
   char confidence; /* H, M or L as in launch.csv; '-': there is no source */
};
extern const struct vgpu_command_row vgpu_command_rows[VGPU_COMMAND_PARAMS];

#endif
