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

/* A row of results/reference/ilp_occupancy.csv, two cells. */
struct sweep_reference {
   const char *instructions; /* "FMUL/FADD/IADD" or "FFMA" */
   unsigned ilp, simds;      /* simds: a core */
   double cycles16, cycles32;
};
extern const struct sweep_reference sweep_reference_table[];
extern const unsigned sweep_reference_count;

/* What is swept. */
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
   unsigned simds;          /* a core, at once */
   unsigned half_registers; /* that keep more from running; 0: threadgroup memory does */
   double cycles, low, high;
   double published; /* NAN: none */
   char status[16];
};

struct sweep {
   struct sweep_point *points;
   size_t count;
   const struct asahi_device_info *device;
};

/* The published cycles of this cell; NAN: none. */
double sweep_published(const char *instruction, unsigned bits, unsigned ilp, unsigned simds);

/* The kind of device, as the table has it: "hardware", or "virtual (modelled)". */
const char *sweep_kind_name(bool is_virtual);
void sweep_write_csv(const struct sweep *sweep, FILE *file);
/* The published cells beside what was measured, for people. */
void sweep_write_cells(const struct sweep *sweep, FILE *file);
/* An SVG, by gnuplot. An enum exit_code; messages are printed. */
int sweep_plot(const struct sweep *sweep, const char *path);

#endif
