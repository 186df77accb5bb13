/* SPDX-License-Identifier: MIT
 *
 * A run as a table for people.
 */
#include "agx_runner/results/result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/results/reference.h"

#define COLUMNS 8
#define CELL 96
#define SEQUENCE 44 /* visible characters of a sequence: describe and JSON have all */

struct cell {
   char text[CELL];
};

static const char *const headings[COLUMNS] = {"benchmark", "value",      "95 % interval", "unit",
                                              "reference", "difference", "code check",    "answer"};
static const bool left_aligned[COLUMNS] = {[0] = true, [3] = true, [6] = true, [7] = true};

static void figure(struct cell *cell, double value)
{
   if (isfinite(value)) {
      snprintf(cell->text, sizeof(cell->text), "%.*f", fabs(value) < 100 ? 3 : 1, value);
   }
}

static void make_cells(const struct result *result, struct cell *cells)
{
   memset(cells, 0, COLUMNS * sizeof(*cells));
   snprintf(cells[0].text, CELL, "%.*s", CELL - 1, result->name);
   snprintf(cells[3].text, CELL, "%s", result->unit);
   if (!isnan(result->value)) {
      struct cell value = {""}, low = {""}, high = {""};

      figure(&value, result->value);
      snprintf(cells[1].text, CELL, "%s%.30s", result->lower_bound ? ">= " : "", value.text);
      figure(&low, result->low);
      figure(&high, result->high);
      snprintf(cells[2].text, CELL, "%.30s .. %.30s", low.text, high.text);
   }
   if (!isnan(result->reference)) {
      snprintf(cells[4].text, CELL, "%s%.2f", result->reference_qualifier, result->reference);
      if (!isnan(result->value)) {
         const double percent = (result->value / result->reference - 1) * 100;

         /* No "-0.0". */
         snprintf(cells[5].text, CELL, reference_is_alike(result->likeness) ? "%+.1f %%" : "(%+.1f %%)",
                  fabs(percent) < 0.05 ? 0 : percent);
      }
   } else {
      snprintf(cells[4].text, CELL, "-");
   }
   if (result->sequence[0] != '\0') {
      const bool fits = strlen(result->sequence) <= SEQUENCE;

      snprintf(cells[6].text, CELL, "%u of %u: %.*s%s", result->found, result->expected, fits ? SEQUENCE : SEQUENCE - 3,
               result->sequence, fits ? "" : "...");
   } else if (result->instruction[0] != '\0') {
      snprintf(cells[6].text, CELL, "%u of %u %.20s", result->found, result->expected, result->instruction);
   }
   snprintf(cells[7].text, CELL, "%s",
            result->check == RESULT_CHECK_PASS   ? "right"
            : result->check == RESULT_CHECK_FAIL ? "wrong"
                                                 : "");
}

static void print_cells(const struct cell *cells, const int *widths, FILE *file)
{
   for (unsigned c = 0; c < COLUMNS; c++) {
      if (left_aligned[c]) {
         markup_text(cells[c].text, widths[c], file);
      } else {
         fprintf(file, "%*s", widths[c], cells[c].text);
      }
      fputs("  ", file);
   }
}

static void print_header(const struct result_run *run, FILE *file)
{
   const struct asahi_device_info *device = &run->device;

   fprintf(file, "device    %s: %s, %u core%s\n", device->path, device->name, device->cores,
           device->cores == 1 ? "" : "s");
   if (device->is_virtual) {
      fprintf(file, "          " RESULT_VIRTUAL_NOTE "\n");
      if (device->disturbance[0] != '\0') {
         fprintf(file, "          as asked for: %s\n", device->disturbance);
      }
   }
   fprintf(file, "software  agx-runner %s (%s), Mesa %s%s%s, %s\n", run->agx_runner, run->commit, run->mesa,
           run->mesa_debug[0] != '\0' ? ", AGX_MESA_DEBUG=" : "", run->mesa_debug, run->kernel);
   fprintf(file, "run       %s, seed %" PRIu64 "\n\n", run->time, run->seed);
}

/* Prints the inferred clock beside the operating points of the device. */
static void print_operating_points(const struct result_run *run, FILE *file)
{
   const char *separator = "nearest operating points of the inferred clock: ";

   for (uint32_t i = 0; i < run->device.operating_point_count; i++) {
      size_t rows = 0;

      for (size_t k = 0; k < run->count; k++) {
         rows += run->results[k].operating_point_hz == run->device.operating_points[i];
      }
      if (rows > 0) {
         fprintf(file, "%s%.0f MHz (%zu row%s)", separator, (double)run->device.operating_points[i] * 1e-6, rows,
                 rows == 1 ? "" : "s");
         separator = ", ";
      }
   }
   fputs(*separator == ',' ? "\n" : "", file);
}

static void print_energy(const struct result *result, FILE *file)
{
   const struct result_energy *energy = &result->energy;

   if (energy->rail[0] == '\0') {
      return;
   }
   fprintf(file, "%s: %.3f W, %.3f W idle (%s, %u readings, one each %u ms): ", result->name, energy->busy_w,
           energy->idle_w, energy->rail, energy->readings, RESULT_ENERGY_INTERVAL_MS);
   if (isnan(energy->joules)) {
      fprintf(file, "no energy, the GPU was busy for %.0f %% of the time\n", 100 * energy->busy_part);
   } else {
      fprintf(file, "%.4g J a dispatch above idle, %.4g pJ an operation\n", energy->joules,
              1e12 * energy->joules / energy->operations);
   }
}

static void print_summary(const struct result_run *run, FILE *file)
{
   bool referred = false, unlike = false;

   fputc('\n', file);
   for (unsigned status = 0; status < RESULT_STATUS_COUNT; status++) {
      const size_t count = result_count_status(run, status);

      if (status <= RESULT_INVALID || count > 0) {
         fprintf(file, "%s%zu %s", status == 0 ? "" : ", ", count, result_status_names[status]);
      }
   }
   fputc('\n', file);
   for (size_t i = 0; i < run->count; i++) {
      const bool has = !isnan(run->results[i].reference);

      referred |= has;
      unlike |= has && !reference_is_alike(run->results[i].likeness);
   }
   for (size_t i = 0; i < run->count; i++) {
      if (run->results[i].clock_states[0] != '\0') {
         fprintf(file, "%s: two clock states: %s\n", run->results[i].name, run->results[i].clock_states);
      }
   }
   for (size_t i = 0; i < run->count; i++) {
      print_energy(&run->results[i], file);
   }
   print_operating_points(run, file);
   if (referred) {
      fputs("reference: " REFERENCE_SOURCE "\n", file);
   }
   if (unlike) {
      fputs("(difference): not the same code; the published figure is about what Apple's compiler makes of the "
            "operation, "
            "this one about what the code check counts\n",
            file);
   }
   result_print_bands(run, file);
   if (run->device.is_virtual) {
      fprintf(file, "%s: " RESULT_VIRTUAL_NOTE "\n", run->device.path);
   }
}

static const char *colour_of(enum result_status status)
{
   return status == RESULT_PASS ? "\033[32m" : result_status_is_bad(status) ? "\033[31m" : "\033[33m";
}

void result_write_text(const struct result_run *run, bool colour, FILE *file)
{
   struct cell cells[COLUMNS];
   int widths[COLUMNS];

   for (unsigned c = 0; c < COLUMNS; c++) {
      widths[c] = (int)strlen(headings[c]);
   }
   for (size_t i = 0; i < run->count; i++) {
      make_cells(&run->results[i], cells);
      for (unsigned c = 0; c < COLUMNS; c++) {
         const int width = (int)strlen(cells[c].text);
         widths[c] = width > widths[c] ? width : widths[c];
      }
   }

   print_header(run, file);
   for (unsigned c = 0; c < COLUMNS; c++) {
      snprintf(cells[c].text, CELL, "%s", headings[c]);
   }
   print_cells(cells, widths, file);
   fputs("status\n", file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      make_cells(result, cells);
      print_cells(cells, widths, file);
      fprintf(file, "%s%s%s%s", colour ? colour_of(result->status) : "", result_status_names[result->status],
              colour ? "\033[0m" : "", result->reason[0] != '\0' ? ": " : "");
      markup_text(result->reason, 0, file);
      fputc('\n', file);
   }
   print_summary(run, file);
}
