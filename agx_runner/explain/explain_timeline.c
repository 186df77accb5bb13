/* SPDX-License-Identifier: MIT
 *
 * What simdgroups do cycle by cycle: a block as text, as llvm-mca shows code for CPUs, and a whole core as a trace.
 * Invariant: each time is that of a recorded event; none is computed here.
 */
#include "agx_runner/explain/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/results/json_text.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

#define COLUMNS 100 /* width of the timeline */
#define MOST_LINES 400
#define CYCLE ((double)VGPU_PROFILE_TICKS)

/* ---- One block ---- */

static const char stall_letters[VGPU_STALLS] = {
    [VGPU_STALL_OPERAND] = 'o', [VGPU_STALL_PIPE] = 'p',    [VGPU_STALL_MEMORY] = 'm',    [VGPU_STALL_SLOT] = 's',
    [VGPU_STALL_CONTROL] = 'c', [VGPU_STALL_BARRIER] = 'b', [VGPU_STALL_SCHEDULER] = '.',
};

/* Finds the block with the most time and stores its addresses. */
static bool find_block(const struct explain *explain, struct explain_window *window)
{
   const struct agx_program *program = explain->program;
   struct blocks code;
   uint64_t most = 0;
   size_t row = 0;
   const bool decoded = blocks_decode(program, program->main_offset, program->main_size, &code);

   for (uint32_t first = 0, end; decoded && first < code.count; first = end) {
      uint64_t time = 0;

      end = blocks_end(&code, first);
      for (; row < explain->count && explain->rows[row].address < code.at[end] - code.start; row++) {
         time += explain_row_time(&explain->rows[row]);
      }
      if (time > most) {
         most = time;
         window->start = code.at[first] - code.start;
         window->end = code.at[end] - code.start;
      }
   }
   blocks_finish(&code);
   return decoded;
}

/* Finds the first pass that begins in the second half of the record, where simdgroups no longer run in step. */
static bool find_pass(const struct explain *explain, struct explain_window *window)
{
   size_t at = explain->event_count / 2;

   while (at < explain->event_count && explain->events[at].address != window->start) {
      at++;
   }
   if (at == explain->event_count) {
      for (at = 0; at < explain->event_count && explain->events[at].address != window->start; at++) {
      }
   }
   if (at == explain->event_count) {
      return false;
   }
   window->simd = explain->events[at].simd;
   window->scheduler = explain->events[at].scheduler;
   window->from = explain->events[at].since;
   window->until = explain->events[at].end;
   for (size_t i = at + 1; i < explain->event_count; i++) {
      const struct vgpu_profile_event *event = &explain->events[i];

      if (event->simd == window->simd) {
         if (event->address <= window->start || event->address >= window->end) {
            break;
         }
         window->until = event->end;
      }
   }
   return true;
}

int explain_window_find(const struct explain *explain, struct explain_window *window)
{
   if (!find_block(explain, window)) {
      return -ENOMEM;
   }
   if (!find_pass(explain, window)) {
      return 0;
   }
   window->simds[window->simd_count++] = window->simd;
   return 1;
}

int explain_window_lane(struct explain_window *window, const struct vgpu_profile_event *event)
{
   if (event->scheduler != window->scheduler || event->end < window->from || event->since > window->until) {
      return -1;
   }
   for (unsigned i = 0; i < window->simd_count; i++) {
      if (window->simds[i] == event->simd) {
         return (int)i;
      }
   }
   if (window->simd_count == window->simd_most || window->simd_count == EXPLAIN_WINDOW_SIMDS) {
      return -1;
   }
   window->simds[window->simd_count] = event->simd;
   return (int)window->simd_count++;
}

/* Returns the ticks of a column: a whole cycle, or more in a long pass. */
static uint64_t column_of(const struct explain_window *window)
{
   const uint64_t column = (window->until - window->from + COLUMNS - 1) / COLUMNS;

   return column < VGPU_PROFILE_TICKS ? VGPU_PROFILE_TICKS : column;
}

static void fill(const struct explain_window *window, char *line, uint64_t from, uint64_t until, char letter)
{
   const uint64_t column = column_of(window);

   from = from < window->from ? window->from : from;
   until = until > window->until ? window->until : until;
   for (uint64_t at = from; at < until; at += column) {
      line[(at - window->from) / column] = letter;
   }
}

static void print_event(const struct explain *explain, const struct explain_window *window,
                        const struct vgpu_profile_event *event, FILE *file)
{
   char line[COLUMNS + 2], text[160], source[EXPLAIN_LINE_SIZE];

   memset(line, ' ', sizeof(line));
   line[COLUMNS] = '\0';
   if (event->stall < VGPU_STALLS) {
      fill(window, line, event->since, event->issue, stall_letters[event->stall]);
   }
   fill(window, line, event->end, event->done, 'e');
   fill(window, line, event->issue, event->issue + 1, 'I');
   explain_instruction(explain, event->address, text, sizeof(text));
   explain_line_text(explain, event->address, source, sizeof(source));
   fprintf(file, "%5" PRIu32 " %04" PRIx64 " |%s| %s%s%s\n", event->simd, event->address, line, text,
           source[0] != '\0' ? "  ; line " : "", source);
}

int explain_timeline(const struct explain *explain, unsigned simds, FILE *file)
{
   struct explain_window window = {.simd_most = simds};
   unsigned lines = 0;

   const int found = explain_window_find(explain, &window);
   if (found < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (found == 0) {
      fputs("\nno timeline: the hottest block is not among the events that were kept\n", file);
      return EXIT_OK;
   }
   fprintf(
       file,
       "\ntimeline of the block at 0x%04" PRIx64 " (%s), scheduler %" PRIu32 ", cycles %.0f to %.0f, a column is "
       "%.1f cycles\nI issue, e until the result is there; waits: o operand, p pipe, m memory, s slot, c control, b "
       "barrier, . scheduler\n simd addr\n",
       window.start, RESULT_VIRTUAL_NOTE, window.scheduler, (double)window.from / CYCLE, (double)window.until / CYCLE,
       (double)column_of(&window) / CYCLE);
   for (size_t i = 0; i < explain->event_count && lines < MOST_LINES; i++) {
      if (explain_window_lane(&window, &explain->events[i]) >= 0) {
         print_event(explain, &window, &explain->events[i], file);
         lines++;
      }
   }
   if (lines == MOST_LINES) {
      fprintf(file, "... and more: %u lines are the most; --trace has all\n", MOST_LINES);
   }
   return EXIT_OK;
}

/* ---- The trace ---- */

static struct json_object *slice(const char *name, const char *category, const struct vgpu_profile_event *event,
                                 uint64_t from, uint64_t until)
{
   struct json_object *object = json_object_new_object();

   json_object_object_add(object, "name", json_text(name));
   json_object_object_add(object, "cat", json_text(category));
   json_object_object_add(object, "ph", json_text("X"));
   json_object_object_add(object, "ts", json_object_new_double((double)from / CYCLE));
   json_object_object_add(object, "dur", json_object_new_double((double)(until - from) / CYCLE));
   json_object_object_add(object, "pid", json_object_new_int64(event->scheduler));
   json_object_object_add(object, "tid", json_object_new_int64(event->simd));
   return object;
}

/* Returns the name of a scheduler, or of one of its simdgroups. */
static struct json_object *label(const char *what, uint32_t scheduler, uint32_t simd, const char *name)
{
   struct json_object *object = json_object_new_object(), *arguments = json_object_new_object();

   json_object_object_add(arguments, "name", json_text(name));
   json_object_object_add(object, "name", json_text(what));
   json_object_object_add(object, "ph", json_text("M"));
   json_object_object_add(object, "pid", json_object_new_int64(scheduler));
   json_object_object_add(object, "tid", json_object_new_int64(simd));
   json_object_object_add(object, "args", arguments);
   return object;
}

static bool put(struct json_object *object, bool first, FILE *file)
{
   const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
   const bool done = text != NULL && fprintf(file, "%s%s", first ? "" : ",\n", text) > 0;

   json_object_put(object);
   return done;
}

static bool put_labels(const struct explain *explain, FILE *file)
{
   char *named = calloc(explain->sum.simds + 1, 1), name[64];
   bool done = named != NULL;

   for (uint32_t i = 0; done && i < VGPU_SCHEDULERS; i++) {
      snprintf(name, sizeof(name), "scheduler %" PRIu32 " (modelled)", i);
      done = put(label("process_name", i, 0, name), i == 0, file);
   }
   for (size_t i = 0; done && i < explain->event_count; i++) {
      const struct vgpu_profile_event *event = &explain->events[i];

      if (event->simd <= explain->sum.simds && !named[event->simd]) {
         named[event->simd] = 1;
         snprintf(name, sizeof(name), "simdgroup %" PRIu32, event->simd);
         done = put(label("thread_name", event->scheduler, event->simd, name), false, file);
      }
   }
   free(named);
   return done;
}

static bool put_event(const struct explain *explain, const struct vgpu_profile_event *event, FILE *file)
{
   char text[160], name[64];

   if (event->stall < VGPU_STALLS) {
      snprintf(name, sizeof(name), "waits: %s", explain_stall_names[event->stall]);
      if (!put(slice(name, "stall", event, event->since, event->issue), false, file)) {
         return false;
      }
   }
   explain_instruction(explain, event->address, text, sizeof(text));
   struct json_object *object = slice(text, "issue", event, event->issue, event->end),
                      *arguments = json_object_new_object();
   json_object_object_add(arguments, "address", json_object_new_int64((int64_t)event->address));
   explain_line_text(explain, event->address, text, sizeof(text));
   if (text[0] != '\0') {
      json_object_object_add(arguments, "line", json_text(text));
   }
   json_object_object_add(arguments, "result_after",
                          json_object_new_double((double)(event->done - event->issue) / CYCLE));
   json_object_object_add(object, "args", arguments);
   return put(object, false, file);
}

static bool put_header(const struct explain *explain, FILE *file)
{
   struct json_object *object = json_object_new_object();

   json_object_object_add(object, "modelled", json_object_new_boolean(true));
   json_object_object_add(object, "device", json_text(explain->device));
   json_object_object_add(object, "kernel", json_text(agx_program_name(explain->program)));
   json_object_object_add(object, "time", json_text("1 us stands for 1 cycle of the core that takes longest"));
   json_object_object_add(object, "events_dropped", json_object_new_int64((int64_t)explain->events_dropped));
   return fputs("{\"otherData\":", file) >= 0 && put(object, true, file) && fputs(",\n\"traceEvents\":[\n", file) >= 0;
}

int explain_trace(const struct explain *explain, const char *path)
{
   struct output output;
   int code = output_open(&output, path);

   if (code != EXIT_OK) {
      return code;
   }
   bool done = put_header(explain, output.file) && put_labels(explain, output.file);
   for (size_t i = 0; done && i < explain->event_count; i++) {
      done = put_event(explain, &explain->events[i], output.file);
   }
   done = done && fputs("\n]}\n", output.file) >= 0;
   code = done ? output_commit(&output) : complain(EXIT_FAILED, "%s: cannot write the trace", path);
   output_discard(&output);
   if (code == EXIT_OK && explain->events_dropped > 0) {
      note("%s: the first %zu events; %" PRIu64 " more are not in it", path, explain->event_count,
           explain->events_dropped);
   }
   return code;
}
