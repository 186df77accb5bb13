/* SPDX-License-Identifier: MIT
 *
 * Runs the dispatch of matrix/layout and prints the map that its products give. Invariant: the printed map was found
 * on the device, even if it is not the published one.
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

static int plot(const struct session *session, const struct matrix_layout *layout, const char *path)
{
   struct output output = {0};
   int code = output_open(&output, path);

   if (code == EXIT_OK) {
      sweep_layout_draw(session->info, layout, output.file);
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
   int code = session_open(&session, settings->device, settings->timeout);

   if (code != EXIT_OK) {
      return code;
   }
   result_init(&result, "matrix/" MATRIX_LAYOUT_NAME);
   session_set_result(&session, &result);
   struct benchmark_pair *pair = prepare_pair(&session, find(), BENCH_CHECK, 1);
   if (pair != NULL && run_side(pair, 0)) {
      code = print(&session, benchmark_pair_output(pair, 0), file, plot_path);
   } else {
      code = complain(EXIT_FAILED, "sweep layout: %s", result.reason);
   }
   benchmark_pair_destroy(pair);
   result_finish(&result);
   session_close(&session);
   return code;
}
