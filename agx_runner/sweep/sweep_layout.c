/* SPDX-License-Identifier: MIT
 *
 * Runs the dispatch of matrix/layout and prints the map that its products give. Invariant: what is printed was found on
 * the device, also where it is not the published map.
 */
#include "agx_runner/sweep/sweep_layout.h"

#include <string.h>

#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/run.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/matrix/layout.h"

static const struct benchmark *find(void)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, "matrix") && !strcmp(bench_at(i)->name, MATRIX_LAYOUT_NAME)) {
         return bench_at(i);
      }
   }
   return NULL;
}

#define CELL 56u /* pixels */
#define HEAD 48u

/* A square for each element, with "lane.register"; lanes of the same quad have the same colour. */
static void draw(const struct session *session, const struct matrix_layout *layout, FILE *file)
{
   const unsigned side = MATRIX_SIZE * CELL;

   fprintf(
       file,
       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
       "font-size=\"15\" text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
       "<text x=\"%u\" y=\"20\" font-size=\"13\">simd_matrix_fmadd on %s (%s): lane.register of each element</text>\n",
       side + 2 * HEAD, side + 2 * HEAD, HEAD + side / 2, session->info->path,
       session->info->is_virtual ? "virtual, modelled" : "hardware");
   for (unsigned i = 0; i < MATRIX_SIZE; i++) {
      fprintf(file, "<text x=\"%u\" y=\"%u\">%u</text>\n<text x=\"%u\" y=\"%u\">%u</text>\n",
              HEAD + i * CELL + CELL / 2, HEAD - 6, i, HEAD / 2, HEAD + i * CELL + CELL / 2 + 5, i);
   }
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      const unsigned x = HEAD + layout->column[p] * CELL, y = HEAD + layout->row[p] * CELL;

      fprintf(file,
              "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"hsl(%u,60%%,85%%)\" stroke=\"#444\"/>\n"
              "<text x=\"%u\" y=\"%u\">%u.%u</text>\n",
              x, y, CELL, CELL, p / 8 * 45, x + CELL / 2, y + CELL / 2 + 5, p / 2, p % 2);
   }
   fputs("</svg>\n", file);
}

static int plot(const struct session *session, const struct matrix_layout *layout, const char *path)
{
   struct output output = {0};
   int code = output_open(&output, path);

   if (code == EXIT_OK) {
      draw(session, layout, output.file);
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int print(const struct session *session, const uint8_t *output, FILE *file, const char *path)
{
   struct matrix_layout layout;
   char why[160];

   if (!matrix_layout_find(output, &layout, why, sizeof(why))) {
      return complain(EXIT_FAILED, "sweep layout: %s", why);
   }
   fprintf(file, "simd_matrix_fmadd on %s (%s)\n", session->info->path,
           session->info->is_virtual ? "virtual, modelled" : "hardware");
   matrix_layout_print(&layout, file);
   fprintf(file, "A, B, C and D share it; it is %sthe published map (docs/spec/isa.md 4.8).\n",
           matrix_layout_is_published(&layout) ? "" : "NOT ");
   fputs("Products cannot tell the order of rows: they are numbered in the order of the diagonal's lanes.\n", file);
   return path != NULL ? plot(session, &layout, path) : EXIT_OK;
}

int sweep_layout(const struct run_settings *settings, FILE *file, const char *plot_path)
{
   struct session session;
   struct result result;
   bool lost = false;
   int code = session_open(&session, settings->device, settings->timeout);

   if (code != EXIT_OK) {
      return code;
   }
   result_init(&result, "matrix/" MATRIX_LAYOUT_NAME);
   struct benchmark_pair *pair = prepare_pair(&session, find(), BENCH_CHECK, 1, &result, &lost);
   if (pair != NULL && run_side(pair, 0, &result, &lost)) {
      code = print(&session, benchmark_pair_output(pair, 0), file, plot_path);
   } else {
      code = complain(EXIT_FAILED, "sweep layout: %s", result.reason);
   }
   benchmark_pair_destroy(pair);
   result_finish(&result);
   session_close(&session);
   return code;
}
