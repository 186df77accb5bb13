/* SPDX-License-Identifier: MIT
 *
 * An explanation as one HTML page: what would make the kernel faster, what is busy, stalls by instruction, the
 * timeline of the hottest block as a picture, the better order that was found, and the source beside the code.
 * Invariant: the page needs no script, no network and no other file, and each figure is one of the profile or of the
 * search.
 */
#include "agx_runner/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/markup.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/predict/predict.h"

#define CYCLE ((double)VGPU_PROFILE_TICKS)
#define CYCLE_WIDTH 8u /* pixels of a cycle in the timeline */
#define LANE_HEIGHT 18u
#define LABEL_WIDTH 70u
#define LINES_MOST 4000u

/* ---- Parts ---- */

static void write_head(const struct explain *explain, FILE *file)
{
   fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
         file);
   markup_xml(agx_program_name(explain->program), file);
   fprintf(file, ": where its cycles go</title>\n<style>\n%s</style></head><body class=\"explained\">\n<h1>",
           explain_style);
   markup_xml(agx_program_name(explain->program), file);
   /* the report copies the content of this element (report_explained.c), and its attributes into a table */
   fputs("</h1>\n<main data-kernel=\"", file);
   markup_xml(agx_program_name(explain->program), file);
   fputs("\" data-device=\"", file);
   markup_xml(explain->device, file);
   fprintf(file, "\" data-total=\"%.0f\" data-finding=\"", (double)explain_ticks(explain) / CYCLE);
   if (explain->finding_count > 0) {
      char gain[EXPLAIN_GAIN_SIZE];

      explain_gain(&explain->findings[0], gain, sizeof(gain));
      fprintf(file, "%s, %s", explain->findings[0].name, gain);
   }
   fputs("\">\n<p class=\"note\">", file);
   markup_xml(explain->device, file);
   fprintf(file, ": %s</p>\n", RESULT_VIRTUAL_NOTE);
}

static void write_summary(const struct explain *explain, FILE *file)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const uint64_t groups = sum->groups < sum->room ? sum->groups : sum->room;

   fprintf(file,
           "<p><strong data-cycles=\"%.2f\">%.0f cycles</strong> on the core that takes longest, for %" PRIu64
           " simdgroups in %" PRIu64 " threadgroups. %" PRIu64 " simdgroups at a time, limited by %s; %" PRIu64
           " half registers",
           (double)explain_ticks(explain) / CYCLE, (double)explain_ticks(explain) / CYCLE, sum->simds, sum->groups,
           groups * sum->group_simds, explain_limit_names[sum->limit], sum->half_registers);
   if (sum->next_half_registers > 0) {
      fprintf(file, " (with %" PRIu64 ": %" PRIu64 " simdgroups)", sum->next_half_registers,
              sum->next_room * sum->group_simds);
   }
   fprintf(file, "; %.0f %% of lanes active.", 100 * explain_lanes(explain));
   if (sum->atomic_ticks > sum->ticks) {
      fputs(" Atomics on one word take longer than the core.", file);
   }
   fputs("</p>\n", file);
}

static void write_findings(const struct explain *explain, FILE *file)
{
   fputs("<h2>What would make it faster</h2>\n<ol>\n", file);
   for (unsigned i = 0; i < explain->finding_count && i < EXPLAIN_SHOWN; i++) {
      const struct explain_finding *finding = &explain->findings[i];
      char gain[EXPLAIN_GAIN_SIZE];

      explain_gain(finding, gain, sizeof(gain));
      fprintf(file, "<li data-gain=\"%.6f\"><strong>%s</strong>, %s: ", finding->gain, finding->name, gain);
      markup_xml(finding->advice, file);
      fprintf(file, " <span class=\"soft\">(%s: ", finding->basis);
      markup_xml(finding->basis_text, file);
      fputs(")</span>", file);
      fputs("</li>\n", file);
   }
   fputs(explain->finding_count > 0 ? "</ol>\n"
         : explain->only_recorded   ? "<li>nothing was simulated (--no-simulations)</li>\n</ol>\n"
                                    : "<li>nothing that the model knows of</li>\n</ol>\n",
         file);
}

static void write_use(const char *name, double use, FILE *file)
{
   fprintf(file,
           "<tr><th>%s</th><td class=\"n\">%.1f %%</td><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 100 8\" "
           "preserveAspectRatio=\"none\"><rect class=\"use\" width=\"%.2f\" height=\"8\"/></svg></td></tr>\n",
           name, 100 * use, 100 * (use < 1 ? use : 1));
}

static void write_bounds(const struct explain *explain, FILE *file)
{
   uint64_t issue = 0;

   for (size_t i = 0; i < explain->count; i++) {
      issue += explain->rows[i].issue;
   }
   fputs("<h2>Busy, of the core's time</h2>\n<table>\n", file);
   write_use("issue", (double)issue / VGPU_SCHEDULERS / (double)explain->sum.ticks, file);
   for (unsigned i = 0; i < VGPU_PROFILE_PIPES; i++) {
      if (explain->sum.pipes[i] > 0) {
         write_use(explain_pipe_names[i], explain_pipe_use(explain, i), file);
      }
   }
   for (unsigned i = 0; i < VGPU_PROFILE_LEVELS; i++) {
      if (explain->sum.levels[i] > 0) {
         write_use(explain_level_names[i], explain_level_use(explain, i), file);
      }
   }
   fputs("</table>\n", file);
}

/* ---- Stalls by instruction ---- */

static void write_legend(const char *first, FILE *file)
{
   fprintf(file, "<p class=\"legend\"><span class=\"key issue\"></span> %s ", first);
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      fprintf(file, "<span class=\"key s%u\"></span> %s ", k, explain_stall_names[k]);
   }
   fputs("</p>\n", file);
}

/* `most`: the time that fills the width. */
static void write_stall_bar(const struct vgpu_profile_row *row, uint64_t most, FILE *file)
{
   const double scale = most > 0 ? 100 / (double)most : 0;
   double x = (double)row->issue * scale;

   fprintf(file,
           "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\"><rect class=\"issue\" width=\"%.3f\" "
           "height=\"8\"/>",
           x);
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      const double width = (double)row->stalls[k] * scale;

      if (row->stalls[k] > 0) {
         fprintf(file,
                 "<rect class=\"s%u\" x=\"%.3f\" width=\"%.3f\" height=\"8\"><title>%s %.2f cycles</title></rect>", k,
                 x, width, explain_stall_names[k], (double)row->stalls[k] / CYCLE);
      }
      x += width;
   }
   fputs("</svg>", file);
}

static void write_row(const struct explain *explain, const struct vgpu_profile_row *row, uint64_t most, FILE *file)
{
   const uint64_t time = explain_row_time(row);
   const struct agx_line *line = explain_line(explain, row->address);
   char text[160], where[EXPLAIN_LINE_SIZE];

   explain_instruction(explain, row->address, text, sizeof(text));
   explain_line_text(explain, row->address, where, sizeof(where));
   fprintf(file,
           "<tr id=\"i%" PRIx64 "\" data-address=\"%" PRIu64 "\" data-time=\"%.2f\"><td class=\"n\">%04" PRIx64
           "</td><td class=\"n\">%.1f</td><td class=\"n\">%" PRIu64
           "</td><td class=\"n\" data-lanes=\"%.2f\">%.0f</td><td class=\"n\">%.2f</td><td class=\"wide\">",
           row->address, row->address, (double)time / CYCLE, row->address,
           100 * (double)time / (double)explain->sum.simd_time, row->executions, row->lanes, row->lanes,
           row->executions > 0 ? (double)time / (double)row->executions / CYCLE : 0);
   write_stall_bar(row, most, file);
   if (line != NULL && explain_line_is_own(explain, line)) {
      fprintf(file, "</td><td class=\"n\" data-line=\"%" PRIu32 "\"><a href=\"#L%" PRIu32 "\">%s</a>", line->line,
              line->line, where);
   } else {
      fputs("</td><td class=\"n\">", file);
      markup_xml(where, file);
   }
   fputs("</td><td class=\"code\">", file);
   markup_xml(text, file);
   if (row->source_time > 0) {
      fprintf(file, " <a href=\"#i%" PRIx64 "\">&#8592; %04" PRIx64 "</a>", row->source, row->source);
   }
   fputs("</td></tr>\n", file);
}

static void write_block(const struct explain *explain, const struct blocks *code, const struct explain_block *block,
                        uint64_t most, FILE *file)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(explain->program);
   struct vgpu_prediction prediction;

   vgpu_predict(&vgpu_params_default, code->costs + block->first, block->end - block->first, occupancy.scheduler,
                occupancy.most, &prediction);
   fprintf(file,
           "<tr class=\"block\" id=\"b%" PRIx64 "\"><th colspan=\"8\">block at 0x%04" PRIx64
           ": %.1f %% of the time, bound by %s at full occupancy</th></tr>\n",
           block->address, block->address, 100 * (double)block->time / (double)explain->sum.simd_time,
           vgpu_bound_names[prediction.bound]);
   for (size_t row = block->row; row < block->row_end; row++) {
      write_row(explain, &explain->rows[row], most, file);
   }
}

static void write_table(const struct explain *explain, const struct blocks *code, const struct explain_block *blocks,
                        size_t count, uint64_t most, FILE *file)
{
   fputs("<div class=\"scroll\"><table class=\"code\">\n<tr><th>at</th><th>time "
         "%</th><th>count</th><th>lanes</th><th>cycles "
         "each</th><th>issue and stalls</th><th>line</th><th>instruction, and what it waited for most</th></tr>\n",
         file);
   for (size_t i = 0; i < count; i++) {
      write_block(explain, code, &blocks[i], most, file);
   }
   fputs("</table></div>\n", file);
}

/* Writes the hottest block first, and folds those with little time. */
static int write_instructions(const struct explain *explain, const struct blocks *code, FILE *file)
{
   size_t count, hot = 0;
   uint64_t most = 0;
   struct explain_block *blocks = explain_blocks(explain, code, &count);

   if (blocks == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < explain->count; i++) {
      const uint64_t time = explain_row_time(&explain->rows[i]);

      most = time > most ? time : most;
   }
   while (hot < count && (hot == 0 || (double)blocks[hot].time >= EXPLAIN_COLD * (double)explain->sum.simd_time)) {
      hot++;
   }
   fputs("<section><h2>Time by instruction</h2>\n", file);
   write_legend("issue; waits for:", file);
   write_table(explain, code, blocks, hot, most, file);
   if (hot < count) {
      fprintf(file, "<details><summary>%zu %s less than %.0f %% of the time each</summary>\n", count - hot,
              count - hot == 1 ? "block with" : "blocks with", 100 * EXPLAIN_COLD);
      write_table(explain, code, blocks + hot, count - hot, most, file);
      fputs("</details>\n", file);
   }
   fputs("</section>\n", file);
   free(blocks);
   return EXIT_OK;
}

/* ---- The timeline ---- */

static double place(const struct explain_window *window, uint64_t ticks)
{
   ticks = ticks < window->from ? window->from : ticks > window->until ? window->until : ticks;
   return LABEL_WIDTH + (double)(ticks - window->from) / CYCLE * CYCLE_WIDTH;
}

static void write_span(const struct explain_window *window, const char *class, uint64_t from, uint64_t until,
                       unsigned y, unsigned height, FILE *file)
{
   const double x = place(window, from), width = place(window, until) - x;

   if (width > 0) {
      fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\"/>", class, x, y, width,
              height);
   }
}

static void write_event(const struct explain *explain, const struct explain_window *window,
                        const struct vgpu_profile_event *event, unsigned lane, FILE *file)
{
   const unsigned y = lane * LANE_HEIGHT;
   char text[160], class[8], where[EXPLAIN_LINE_SIZE];

   explain_instruction(explain, event->address, text, sizeof(text));
   explain_line_text(explain, event->address, where, sizeof(where));
   fputs("<g><title>", file);
   markup_xml(text, file);
   if (where[0] != '\0') {
      fputs(", line ", file);
      markup_xml(where, file);
   }
   fprintf(file, " (%04" PRIx64 "): issue at cycle %.2f, result at %.2f</title>", event->address,
           (double)event->issue / CYCLE, (double)event->done / CYCLE);
   if (event->stall < VGPU_STALLS) {
      snprintf(class, sizeof(class), "s%u", event->stall);
      write_span(window, class, event->since, event->issue, y + 4, LANE_HEIGHT - 10, file);
   }
   write_span(window, "issue", event->issue, event->end, y + 2, LANE_HEIGHT - 6, file);
   write_span(window, "busy", event->end, event->done, y + LANE_HEIGHT - 4, 2, file);
   fputs("</g>\n", file);
}

static void write_picture(const struct explain *explain, struct explain_window *window, FILE *file)
{
   const unsigned width =
       LABEL_WIDTH + (unsigned)((window->until - window->from) / VGPU_PROFILE_TICKS + 1) * CYCLE_WIDTH;
   unsigned lines = 0;

   fprintf(
       file,
       "<div class=\"scroll\"><svg class=\"time\" role=\"img\" aria-label=\"timeline\" width=\"%u\" height=\"%u\">\n",
       width, (window->simd_most + 1) * LANE_HEIGHT);
   for (size_t i = 0; i < explain->event_count && lines < LINES_MOST; i++) {
      const int lane = explain_window_lane(window, &explain->events[i]);

      if (lane >= 0) {
         write_event(explain, window, &explain->events[i], (unsigned)lane, file);
         lines++;
      }
   }
   for (unsigned i = 0; i < window->simd_count; i++) {
      fprintf(file, "<text x=\"0\" y=\"%u\">simd %" PRIu32 "</text>\n", i * LANE_HEIGHT + 13, window->simds[i]);
   }
   fputs("</svg></div>\n", file);
}

/* A simdgroup that runs alone is shown, too: it shows when its instructions wait. */
static int write_timeline(const struct explain *explain, unsigned simds, FILE *file)
{
   struct explain_window window = {.simd_most = simds};
   const int found = explain_window_find(explain, &window);

   if (found < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   fputs("<section><h2>Timeline of the hottest block</h2>\n", file);
   if (found == 0) {
      fputs("<p>The hottest block is not among the events that were kept.</p></section>\n", file);
      return EXIT_OK;
   }
   fprintf(file,
           "<p>Block at 0x%04" PRIx64 ", scheduler %" PRIu32 ", cycles %.0f to %.0f; a cycle is %u pixels wide. A thin "
           "line: until the result is there.</p>\n",
           window.start, window.scheduler, (double)window.from / CYCLE, (double)window.until / CYCLE, CYCLE_WIDTH);
   write_legend("issue; waits for:", file);
   write_picture(explain, &window, file);
   fputs("</section>\n", file);
   return EXIT_OK;
}

/* ---- The better order ---- */

static void write_better(const struct explain *explain, FILE *file)
{
   if (explain->better == NULL) {
      return;
   }
   fputs("<section><h2>A better order</h2>\n", file);
   if (explain->better[0] == '\0') {
      fputs("<p>No order was found that makes the launch faster.</p></section>\n", file);
      return;
   }
   fprintf(file,
           "<p>The same launch takes <strong data-better=\"%.3f\">%.3f us</strong> instead of %.3f us, %.1f %% less "
           "(modelled). All bytes of its buffers are equal.</p>\n<div class=\"scroll\"><pre>",
           explain->better_time, explain->better_time * 1e-3, explain->time * 1e-3,
           100 * (1 - explain->better_time / explain->time));
   markup_xml(explain->better, file);
   fputs("</pre></div></section>\n", file);
}

/* ---- The source ---- */

static void write_source(const struct explain *explain, FILE *file)
{
   struct explain_source source;

   if (!explain_read_source(explain, &source)) {
      return;
   }
   const bool timed = explain->program->line_count > 0;
   fputs("<section><h2>Source</h2>\n<p>", file);
   markup_xml(explain->source, file);
   fputs(timed ? "; time %, by the lines of the instructions (~ inferred)</p>\n" : "</p>\n", file);
   fputs("<div class=\"scroll\"><table class=\"source\">\n", file);
   for (size_t i = 0; i < source.count; i++) {
      const struct explain_source_line *line = &source.lines[i];
      const double part = (double)line->time / (double)explain->sum.simd_time;

      fprintf(file, "<tr id=\"L%zu\"><td class=\"n\">%zu</td>", i + 1, i + 1);
      if (timed && line->time > 0) {
         fprintf(file, "<td class=\"n heat\" data-line-time=\"%.6f\" style=\"--heat:%.0f%%\">%s%.1f</td>", part,
                 100 * part, explain_line_mark(line), 100 * part);
      } else if (timed) {
         fputs("<td></td>", file);
      }
      fputs("<td class=\"code\">", file);
      markup_xml(line->text, file);
      fputs("</td></tr>\n", file);
   }
   fputs("</table></div></section>\n", file);
   explain_source_finish(&source);
}

int explain_html(const struct explain *explain, unsigned simds, FILE *file)
{
   const struct agx_program *program = explain->program;
   struct blocks code;
   int result = EXIT_OK;

   write_head(explain, file);
   write_summary(explain, file);
   write_findings(explain, file);
   fputs("<div class=\"beside\">\n", file);
   if (blocks_decode(program, program->main_offset, program->main_size, &code)) {
      result = write_instructions(explain, &code, file);
   } else {
      result = complain(EXIT_FAILED, "out of memory");
   }
   blocks_finish(&code);
   write_source(explain, file);
   fputs("</div>\n", file);
   write_bounds(explain, file);
   if (result == EXIT_OK) {
      result = write_timeline(explain, simds, file);
      write_better(explain, file);
   }
   fputs("</main></body></html>\n", file);
   return result;
}
