/* SPDX-License-Identifier: MIT
 *
 * sweep ilp: the cycles of an instruction by parallel chains and by simdgroups a core, beside the published cells.
 */
#ifndef AGX_RUNNER_SWEEP_H
#define AGX_RUNNER_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "agx_runner/results/result.h"

/* A row of results/reference/ilp_occupancy.csv, which has two figures. */
struct sweep_reference {
   const char *instructions; /* "FMUL/FADD/IADD" or "FFMA" */
   unsigned ilp, simds;      /* simds: simdgroups a core */
   double cycles16, cycles32;
};
extern const struct sweep_reference sweep_reference_table[];
extern const unsigned sweep_reference_count;

/* A kernel of the sweep. */
struct sweep_kernel {
   const char *name;        /* "FADD32" */
   const char *instruction; /* "FADD" */
   unsigned bits;
};
#define SWEEP_KERNELS 6
extern const struct sweep_kernel sweep_kernels[SWEEP_KERNELS];
#define SWEEP_ILP_MAX 4

/* One figure. */
struct sweep_point {
   const struct sweep_kernel *kernel;
   unsigned ilp;
   unsigned simds;          /* simdgroups of a core that run at once */
   unsigned half_registers; /* half registers that limit the simdgroups; 0: threadgroup memory limits them */
   double cycles, low, high;
   double published; /* NAN: there is none */
   char status[16];
};

struct sweep {
   struct sweep_point *points;
   size_t count;
   const struct asahi_device_info *device;
};

/* Returns the published cycles of this cell; NAN: there are none. */
double sweep_published(const char *instruction, unsigned bits, unsigned ilp, unsigned simds);

/* The kind of device as the table names it: "hardware", or "virtual (modelled)". */
const char *sweep_kind_name(bool is_virtual);
void sweep_write_csv(const struct sweep *sweep, FILE *file);
/* Writes the published cells beside the measured ones, as a table for people. */
void sweep_write_cells(const struct sweep *sweep, FILE *file);
/* Draws an SVG with gnuplot. Returns an enum exit_code; messages are printed. */
int sweep_plot(const struct sweep *sweep, const char *path);

#endif
