/* SPDX-License-Identifier: MIT
 *
 * The layout of a matrix operand, drawn from the result of matrix/layout/check. Invariant: the picture shows the map
 * of the result, whether it is the published one or not; a result without a whole map has no picture.
 */
#include <string.h>

#include "agx_runner/report/report.h"
#include "agx_runner/sweep/sweep_layout.h"

#define ROW "matrix/" MATRIX_LAYOUT_NAME "/check"

void report_layout(const struct result_run *run, FILE *file)
{
   struct matrix_layout layout;

   for (size_t i = 0; i < run->count; i++) {
      if (strcmp(run->results[i].name, ROW) != 0 || !matrix_layout_parse(run->results[i].finding, &layout)) {
         continue;
      }
      fprintf(file,
              "<h2>Layout of a matrix operand</h2>\n<p class=\"soft\">The lane and register (0, 1) that hold each "
              "element of an 8 x 8 operand of simd_matrix_fmadd, found by products of matrices with a single 1 on this "
              "device. It is %sthe published map (docs/spec/isa.md 4.8). Products cannot tell the order of rows: they "
              "are numbered in the order of the diagonal's lanes%s</p>\n<figure>\n",
              matrix_layout_is_published(&layout) ? "" : "<strong>not</strong> ",
              run->device.is_virtual ? ". " RESULT_VIRTUAL_NOTE "." : ".");
      sweep_layout_draw(&run->device, &layout, file);
      fputs("</figure>\n", file);
   }
}
