/* SPDX-License-Identifier: MIT
 *
 * Two ways of running one OpenCL C kernel, behind one interface: our virtual GPU, and an OpenCL driver.
 */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include <stddef.h>
#include <stdint.h>

#define SIDE_MAX_ARGUMENTS 4u

/* An argument is a buffer when it has bytes, else the 4-byte value. */
struct side_argument {
   size_t bytes;
   uint32_t value;
};

struct side_work {
   const char *kernel;
   uint32_t threads, group;
   struct side_argument arguments[SIDE_MAX_ARGUMENTS];
   unsigned count;
};

struct side;
struct side_class {
   /* Compiles the source. spec: which device, in the class's own words. NULL: there is none, it has been said why. */
   struct side *(*open)(const char *spec, const char *source);
   const char *(*name)(const struct side *side);
   /* Gets the kernel and its buffers ready, which contents[] fills. The calls below are about it. 0 or -1. */
   int (*prepare)(struct side *side, const struct side_work *work, const void *const *contents);
   int (*write)(struct side *side, unsigned argument, const void *data, size_t size);
   int (*run)(struct side *side); /* returns when it is done */
   int (*read)(struct side *side, unsigned argument, void *data, size_t size);
   void (*release)(struct side *side); /* what prepare() made */
   void (*close)(struct side *side);   /* NULL is fine */
};

/* spec: as for --device. A program without Mesa compiles with the environment's AGX_RUNNER_COMPILER. */
extern const struct side_class side_vgpu;
extern const struct side_class side_opencl; /* spec: a part of the platform's name */

/* What the virtual device has executed so far. 0 or -1. */
struct vgpu_counters;
int side_vgpu_counters(struct side *side, struct vgpu_counters *counters);

#endif
