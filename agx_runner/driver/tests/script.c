/* SPDX-License-Identifier: MIT
 *
 * Runs a script step by step. Launches of one pipeline that follow each other are made by one host, since to start a
 * driver takes longer than a launch; their expectations are compared afterwards, with what each launch has left.
 * Invariant: a memory has the same contents before a launch as if each step ran by itself.
 */
#include "agx_runner/driver/tests/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/tests/build.h"
#include "agx_runner/driver/tests/findings.h"
#include "agx_runner/terminal/runner.h"

struct execution {
   const struct piglit_run *run;
   const struct script *script;
   const struct piglit_sink *sink;
   struct contents contents;
   struct built *built; /* of each pipeline */
   char *reason;
};

/* What a host has of a memory, while the request is written. */
struct given {
   bool sent;    /* it has the contents */
   bool changed; /* a launch before may have written it, so that only the host knows the contents */
};

static enum piglit_status fail(const struct execution *execution, unsigned line, const char *text)
{
   snprintf(execution->reason, PIGLIT_REASON, "%s:%u: %s", execution->script->path, line, text);
   return PIGLIT_FAIL;
}

/* ---- Which steps one host runs ---- */

static void mark_changed(const struct execution *execution, size_t pipeline, struct given *given)
{
   const struct script_pipeline *of = &execution->script->pipelines[pipeline];

   for (size_t i = 0; i < of->binding_count; i++) {
      given[of->bindings[i].memory].changed |= !execution->script->memories[of->bindings[i].memory].is_value;
   }
}

/* The step behind the last one that the host of the launch at `first` can run: one pipeline, and no write to a part of
 * a memory that a launch has changed. */
static size_t batch_end(const struct execution *execution, size_t first, struct given *given)
{
   const struct script *script = execution->script;
   size_t i = first;

   for (; i < script->step_count; i++) {
      const struct script_step *step = &script->steps[i];
      if (step->kind == STEP_RUN && step->pipeline != script->steps[first].pipeline) {
         break;
      }
      if (step->kind == STEP_RUN) {
         mark_changed(execution, step->pipeline, given);
      } else if (contents_writes(step)) {
         if (given[step->memory].changed && !contents_writes_all(&execution->contents, step)) {
            break;
         }
         given[step->memory].changed = false;
      }
   }
   return i;
}

/* ---- The request ---- */

static void write_image(const struct content *content, const unsigned sizes[2], uint32_t index, FILE *file)
{
   const struct {
      struct host_argument argument;
      struct host_image image;
   } record = {{.kind = HOST_IMAGE, .size = content->size},
               {.format = content->format, .dimensions = 2, .size = {sizes[0], sizes[1], 1}}};

   host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record), content->bytes, content->size);
}

/* A value has the size that the shader has. */
static bool write_value(const struct content *content, const struct host_parameter *parameter, uint32_t index,
                        FILE *file)
{
   const struct host_argument record = {.kind = HOST_VALUE, .size = parameter->size};
   uint8_t *bytes = calloc(1, parameter->size + 1);

   if (bytes == NULL) {
      return false;
   }
   if (content != NULL) {
      memcpy(bytes, content->bytes, content->size < parameter->size ? content->size : parameter->size);
   }
   host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record), bytes, parameter->size);
   free(bytes);
   return true;
}

static bool write_argument(const struct execution *execution, const struct contents *contents,
                           const struct built *built, uint32_t index, struct given *given, FILE *file)
{
   const struct host_parameter *parameter = built->kernel->parameters[index].facts;
   const size_t memory = built->memories[index];

   if (memory == BUILT_NO_MEMORY) {
      return write_value(NULL, parameter, index, file);
   }
   const struct content *content = &contents->list[memory];
   if (given[memory].sent) {
      if (given[memory].changed) {
         host_record_write(file, HOST_KEEP, index, "", 0);
      }
      return true;
   }
   given[memory].sent = true;
   if (parameter->kind == HOST_VALUE) {
      return write_value(content, parameter, index, file);
   }
   if (parameter->kind == HOST_IMAGE) {
      write_image(content, execution->script->memories[memory].image_sizes, index, file);
   } else {
      const struct host_argument record = {.kind = HOST_BUFFER, .size = content->size};
      host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record), content->bytes, content->size);
   }
   return true;
}

static bool write_launch(const struct execution *execution, const struct contents *contents, const struct built *built,
                         const struct script_step *step, struct given *given, FILE *file)
{
   struct host_launch launch = {.dimensions = 3, .repeat = 1};

   for (uint32_t i = 0; i < built->kernel->facts->parameters; i++) {
      if (!write_argument(execution, contents, built, i, given, file)) {
         return false;
      }
   }
   for (unsigned i = 0; i < 3; i++) {
      launch.grid[i] = step->groups[i] * built->kernel->facts->group[i];
   }
   host_record_write(file, HOST_LAUNCH, 0, &launch, sizeof(launch));
   mark_changed(execution, step->pipeline, given);
   return true;
}

/* Writes the launches of the steps; `contents` get their writes. */
static enum piglit_status write_steps(struct execution *execution, struct contents *contents, struct built *built,
                                      size_t first, size_t end, struct given *given, FILE *file)
{
   enum piglit_status status = PIGLIT_PASS;

   for (size_t i = first; status == PIGLIT_PASS && i < end; i++) {
      const struct script_step *step = &execution->script->steps[i];
      if (contents_writes(step)) {
         contents_write(contents, step);
         given[step->memory] = (struct given){.sent = false};
      } else if (step->kind == STEP_RUN) {
         status = built_resolve(built, contents, step->pipeline, step->line, execution->reason);
         if (status == PIGLIT_PASS && !write_launch(execution, contents, built, step, given, file)) {
            status = fail(execution, step->line, "out of memory");
         }
      }
   }
   return status;
}

/* ---- The answer ---- */

/* Takes what the next launch of the answer has left. */
static bool take_launch(struct execution *execution, const struct built *built, struct host_records *records)
{
   const struct host_record *record;
   const void *payload;

   do {
      record = host_records_next(records, &payload);
   } while (record != NULL && record->kind != HOST_LAUNCHED);
   if (record == NULL) {
      return false;
   }
   for (size_t before = records->at; (record = host_records_next(records, &payload)) != NULL; before = records->at) {
      if (record->kind != HOST_AFTER) {
         records->at = before;
         break;
      }
      const size_t memory =
          record->number < built->kernel->facts->parameters ? built->memories[record->number] : BUILT_NO_MEMORY;
      if (memory != BUILT_NO_MEMORY && record->size == execution->contents.list[memory].size) {
         memcpy(execution->contents.list[memory].bytes, payload, record->size);
      }
   }
   return true;
}

static enum piglit_status judge_steps(struct execution *execution, struct built *built, size_t first, size_t end,
                                      struct host_records *records)
{
   enum piglit_status status = PIGLIT_PASS;

   for (size_t i = first; status == PIGLIT_PASS && i < end; i++) {
      const struct script_step *step = &execution->script->steps[i];
      if (step->kind == STEP_RUN) {
         status = built_resolve(built, &execution->contents, step->pipeline, step->line, execution->reason);
         if (status == PIGLIT_PASS && !take_launch(execution, built, records)) {
            status = fail(execution, step->line, "the host reported no launch");
         }
      } else if (contents_writes(step)) {
         contents_write(&execution->contents, step);
      } else {
         status = contents_judge(&execution->contents, step, execution->reason);
      }
   }
   return status;
}

static enum piglit_status judge(struct execution *execution, struct built *built, size_t first, size_t end,
                                struct driver_answer *answer)
{
   const unsigned line = execution->script->steps[first].line;
   const size_t start = answer->records.at;
   struct driver_kernels kernels;
   enum piglit_status status;

   if (!driver_kernels_read(&answer->records, &kernels)) {
      status = fail(execution, line, "out of memory");
   } else if (kernels.refusal != NULL) {
      status = fail(execution, line, kernels.refusal);
   } else if (answer->report.faults > 0 || answer->report.findings > 0) {
      driver_tests_findings(&answer->report, execution->sink);
      status =
          fail(execution, line,
               answer->report.faults > 0 ? "the device reports a fault" : "the device reports a finding of its checks");
   } else {
      answer->records.at = start;
      status = judge_steps(execution, built, first, end, &answer->records);
   }
   driver_kernels_finish(&kernels);
   return status;
}

/* ---- Steps ---- */

static enum piglit_status run_batch(struct execution *execution, size_t first, size_t end)
{
   const struct script_step *launch = &execution->script->steps[first];
   struct built *built = &execution->built[launch->pipeline];
   struct given *given = calloc(execution->script->memory_count + 1, sizeof(*given));
   struct driver_answer answer = {.records = {.size = 0}};
   struct driver_request request;
   struct contents contents = {.list = NULL};
   bool refused;
   enum piglit_status status = given != NULL ? PIGLIT_PASS : fail(execution, launch->line, "out of memory");

   if (status == PIGLIT_PASS && !built->made) {
      status = built_make(built, execution->script, launch->pipeline, execution->run, execution->reason, &refused);
   }
   if (status == PIGLIT_PASS) {
      const bool started = contents_copy(&execution->contents, &contents);
      status = built_request(built, execution->script, execution->run, &request) == EXIT_OK && started
                   ? write_steps(execution, &contents, built, first, end, given, request.file)
                   : fail(execution, launch->line, "out of memory or of files");
      if (status == PIGLIT_PASS) {
         status = driver_host_run(&built->source.mesa, built->source.api, execution->run->device_name, &request,
                                  &answer) == EXIT_OK
                      ? judge(execution, built, first, end, &answer)
                      : fail(execution, launch->line, "the driver crashed or did not end, or its host did not run");
      }
      driver_request_finish(&request);
   }
   driver_answer_finish(&answer);
   contents_finish(&contents);
   free(given);
   return status;
}

/* The driver must compile or refuse the shader, as the step says. */
static enum piglit_status expect_link(struct execution *execution, const struct script_step *step)
{
   struct built *built = &execution->built[step->pipeline];
   bool refused;

   built_finish(built);
   const enum piglit_status status =
       built_make(built, execution->script, step->pipeline, execution->run, execution->reason, &refused);

   if (step->kind == STEP_LINKS) {
      return status;
   }
   if (status == PIGLIT_PASS) {
      return fail(execution, step->line, "the driver compiles the shader, which the test does not expect");
   }
   if (refused) {
      execution->reason[0] = '\0';
   }
   return refused ? PIGLIT_PASS : status;
}

static enum piglit_status run_steps(struct execution *execution)
{
   const struct script *script = execution->script;
   enum piglit_status status = PIGLIT_PASS;

   for (size_t i = 0; status == PIGLIT_PASS && i < script->step_count;) {
      const struct script_step *step = &script->steps[i];
      size_t end = i + 1;
      if (step->kind == STEP_RUN) {
         struct given *given = calloc(script->memory_count + 1, sizeof(*given));
         end = given != NULL ? batch_end(execution, i, given) : i + 1;
         free(given);
         status = run_batch(execution, i, end);
      } else if (step->kind == STEP_LINKS || step->kind == STEP_REFUSED) {
         status = expect_link(execution, step);
      } else if (contents_writes(step)) {
         contents_write(&execution->contents, step);
      } else {
         status = contents_judge(&execution->contents, step, execution->reason);
      }
      i = end;
   }
   return status;
}

enum piglit_status driver_script_run(const struct piglit_run *run, const struct script *script,
                                     const struct piglit_sink *sink, char *reason)
{
   struct execution execution = {.run = run,
                                 .script = script,
                                 .sink = sink,
                                 .built = calloc(script->pipeline_count + 1, sizeof(struct built)),
                                 .reason = reason};
   enum piglit_status status = contents_init(&execution.contents, script, reason);

   if (status == PIGLIT_PASS && execution.built == NULL) {
      snprintf(reason, PIGLIT_REASON, "%s: out of memory", script->path);
      status = PIGLIT_FAIL;
   }
   if (status == PIGLIT_PASS) {
      status = run_steps(&execution);
   }
   for (size_t i = 0; execution.built != NULL && i < script->pipeline_count; i++) {
      built_finish(&execution.built[i]);
   }
   free(execution.built);
   contents_finish(&execution.contents);
   return status;
}
