/* SPDX-License-Identifier: MIT
 *
 * Writes a sweep as CSV, as a table beside the published cells, and as a plot. Figures of a model keep their label.
 */
#include "agx_runner/measure/ilp/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

const struct sweep_kernel sweep_kernels[SWEEP_KERNELS] = {
    {"FADD16", "FADD", 16}, {"FMUL16", "FMUL", 16}, {"FFMA16", "FFMA", 16},
    {"FADD32", "FADD", 32}, {"FMUL32", "FMUL", 32}, {"FFMA32", "FFMA", 32},
};

double sweep_published(const char *instruction, unsigned bits, unsigned ilp, unsigned simds)
{
   for (unsigned i = 0; i < sweep_reference_count; i++) {
      const struct sweep_reference *row = &sweep_reference_table[i];

      if (strstr(row->instructions, instruction) != NULL && row->ilp == ilp && row->simds == simds) {
         return bits == 16 ? row->cycles16 : row->cycles32;
      }
   }
   return NAN;
}

/* writes an empty cell if there is no number */
static void write_number(double value, FILE *file)
{
   if (isnan(value)) {
      fputc(',', file);
   } else {
      fprintf(file, ",%.4g", value);
   }
}

const char *sweep_kind_name(bool is_virtual)
{
   return is_virtual ? "virtual (modelled)" : "hardware";
}

void sweep_write_csv(const struct sweep *sweep, FILE *file)
{
   fputs(
       "device,kind,instruction,bits,ilp,simds_per_core,occupancy_by,half_registers,cycles,low,high,published,status\n",
       file);
   for (size_t i = 0; i < sweep->count; i++) {
      const struct sweep_point *point = &sweep->points[i];

      fprintf(file, "\"%s\",%s,%s,%u,%u,%u,%s,", sweep->device->path, sweep_kind_name(sweep->device->is_virtual),
              point->kernel->instruction, point->kernel->bits, point->ilp, point->simds,
              point->half_registers != 0 ? "registers" : "threadgroup memory");
      if (point->half_registers != 0) {
         fprintf(file, "%u", point->half_registers);
      }
      write_number(point->cycles, file);
      write_number(point->low, file);
      write_number(point->high, file);
      write_number(point->published, file);
      fprintf(file, ",%s\n", point->status);
   }
}

void sweep_write_cells(const struct sweep *sweep, FILE *file)
{
   fprintf(file, "%-12s %4s %4s %6s %10s %10s %11s\n", "instruction", "bits", "ILP", "simds", "cycles", "published",
           "difference");
   for (size_t i = 0; i < sweep->count; i++) {
      const struct sweep_point *point = &sweep->points[i];

      if (point->half_registers == 0 && !isnan(point->published) && !isnan(point->cycles)) {
         fprintf(file, "%-12s %4u %4u %6u %10.2f %10.2f %+9.0f %%\n", point->kernel->instruction, point->kernel->bits,
                 point->ilp, point->simds, point->cycles, point->published,
                 (point->cycles / point->published - 1) * 100);
      }
   }
   if (sweep->device->is_virtual) {
      fprintf(file, "%s: " RESULT_VIRTUAL_NOTE "\n", sweep->device->path);
   }
}

/* ---- The plot ---- */

enum mark { MEMORY, REGISTERS, PUBLISHED };

static bool has_mark(const struct sweep_point *point, enum mark mark)
{
   return mark == REGISTERS ? point->half_registers != 0 : point->half_registers == 0;
}

/* Writes one named block of data: simdgroups and cycles of the selected points. Returns false if there are none. */
static bool write_block(const struct sweep *sweep, const struct sweep_kernel *kernel, unsigned ilp, enum mark mark,
                        FILE *file)
{
   bool some = false;

   fprintf(file, "$%s_%u_%d << E\n", kernel->name, ilp, mark);
   for (size_t i = 0; i < sweep->count; i++) {
      const struct sweep_point *point = &sweep->points[i];
      const double y = mark == PUBLISHED ? point->published : point->cycles;

      if (point->kernel == kernel && point->ilp == ilp && has_mark(point, mark) && !isnan(y)) {
         fprintf(file, "%u %.4g\n", point->simds, y);
         some = true;
      }
   }
   fputs("nan nan\nE\n", file); /* gnuplot rejects a block without numbers */
   return some;
}

/* Writes the data of a kernel. Returns false if there is nothing to draw. */
static bool write_blocks(const struct sweep *sweep, const struct sweep_kernel *kernel, FILE *file)
{
   bool some = false;

   for (unsigned ilp = 1; ilp <= SWEEP_ILP_MAX; ilp++) {
      for (enum mark mark = MEMORY; mark <= PUBLISHED; mark++) {
         some |= write_block(sweep, kernel, ilp, mark, file);
      }
   }
   return some;
}

static void write_panel(const struct sweep_kernel *kernel, FILE *file)
{
   const char *name = kernel->name;

   fprintf(file, "set title '%s'\nplot ", name);
   for (unsigned ilp = 1; ilp <= SWEEP_ILP_MAX; ilp++) {
      fprintf(file,
              "$%s_%u_0 using 1:2 with linespoints lc %u pt 7 ps 0.3 title 'ILP %u', "
              "$%s_%u_1 using 1:2 with points lc %u pt 4 title '', "
              "$%s_%u_2 using 1:2 with points lc %u pt 2 title ''%s",
              name, ilp, ilp, ilp, name, ilp, ilp, name, ilp, ilp, ilp < SWEEP_ILP_MAX ? ", " : "\n");
   }
}

static void write_script(const void *data, FILE *file)
{
   const struct sweep *sweep = data;
   bool drawn[SWEEP_KERNELS];
   unsigned panels = 0;

   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      drawn[i] = write_blocks(sweep, &sweep_kernels[i], file);
      panels += drawn[i];
   }
   gnuplot_terminal(file, 1200, 800, "");
   fprintf(file,
           "set logscale xy 2\nset xrange [0.9:110]\nset xtics (1,2,4,8,16,24,48,96)\n"
           "set xlabel 'simdgroups a core'\nset ylabel 'cycles an instruction'\nset grid\n"
           "set multiplot layout %u,%u title \"%s (%s): lines: occupancy by threadgroup memory, squares: by registers, "
           "crosses: published\" noenhanced\n",
           panels > 3 ? 2 : 1, panels > 3 ? 3 : panels, sweep->device->path,
           sweep_kind_name(sweep->device->is_virtual));
   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      if (drawn[i]) {
         write_panel(&sweep_kernels[i], file);
      }
   }
   fputs("unset multiplot\n", file);
}

int sweep_plot(const struct sweep *sweep, const char *path)
{
   return gnuplot_write(write_script, sweep, path);
}
