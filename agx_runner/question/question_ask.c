/* SPDX-License-Identifier: MIT
 *
 * Asks a question, and writes the answer.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/question/answer.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/params_file.h"

#define REMARK "# Paste all lines into an issue, with this one; `agx-runner calibrate FILE` reads them."

static void write_device(const struct asking *asking, const struct question_settings *settings, FILE *text)
{
   const struct asahi_device_info *info = asking->session.info;
   struct result_run run;

   fprintf(text, "chip: %s\nmachine: %s, %u cores, %s\n", info->chip, info->name, info->cores,
           info->is_virtual ? RESULT_VIRTUAL_NOTE : "hardware");
   if (!result_run_init(&run, info, "", settings->seed)) {
      return;
   }
   fprintf(text, "software: agx-runner %s (%s), Mesa %s\nkernel: %s\n", run.agx_runner, run.commit, run.mesa,
           run.kernel);
   result_run_finish(&run);
   fprintf(text, "clock: highest %.0f MHz, %u operating points known, one FFMA taken as %.4g cycles\n",
           info->max_frequency_khz / 1e3, info->operating_point_count, settings->ffma_cycles);
}

static void write_figure(const struct question_ask *ask, const struct question_figure *figure, FILE *text)
{
   fprintf(text, "ask %s = %s\n", ask->name, ask->text);
   if (isnan(figure->value)) {
      fprintf(text, "figure %s: none: %s\n", ask->name, figure->reason);
      return;
   }
   fprintf(text, "figure %s = %.6g from %.6g to %.6g %s", ask->name, figure->value, figure->low, figure->high,
           figure->unit);
   if (figure->samples > 0) {
      fprintf(text, ", %zu samples", figure->samples);
   }
   fprintf(text, figure->clock_hz > 0 ? ", %.0f MHz\n" : "\n", figure->clock_hz * 1e-6);
}

static void write_readings(const struct question *question, const struct question_figure *figures, FILE *text)
{
   for (unsigned i = 0; i < question->decides_count; i++) {
      const struct question_decides *decides = &question->decides[i];
      char name[VGPU_PARAM_NAME];

      vgpu_param_name(decides->parameter, name);
      fprintf(text, "decides %s %g..%g by %s\n", name, decides->low, decides->high, decides->name);
   }
   for (unsigned i = 0; i < question->when_count; i++) {
      const struct question_when *when = &question->whens[i];

      for (unsigned k = 0; k < question->ask_count; k++) {
         if (strcmp(question->asks[k].name, when->name) == 0 && figures[k].value >= when->low &&
             figures[k].value < when->high) {
            fprintf(text, "reads: %s\n", when->text);
         }
      }
   }
}

static int write_answer(struct asking *asking, const struct question *question,
                        const struct question_settings *settings, FILE *text)
{
   struct question_figure figures[QUESTION_ASKS];
   int code = EXIT_OK;

   fprintf(text, ANSWER_FIRST "\n" REMARK "\nquestion: %s\n", question->title);
   write_device(asking, settings, text);
   if (question->model[0] != '\0') {
      fprintf(text, "model %s\n", question->model);
   }
   for (unsigned i = 0; code == EXIT_OK && i < question->ask_count; i++) {
      code = asking_measure(asking, question->asks[i].text, &figures[i]);
      write_figure(&question->asks[i], &figures[i], text);
   }
   if (code == EXIT_OK) {
      write_readings(question, figures, text);
   }
   return code;
}

int question_ask(const char *path, const struct question_settings *settings, FILE *file)
{
   struct question question;
   struct asking asking;
   char *bytes = NULL;
   size_t size = 0;
   int code = question_read(path, &question);

   code = code == EXIT_OK ? asking_open(&asking, settings) : code;
   if (code != EXIT_OK) {
      return code;
   }
   FILE *text = open_memstream(&bytes, &size);
   code = text == NULL ? complain(EXIT_FAILED, "out of memory") : write_answer(&asking, &question, settings, text);
   if (text != NULL && fclose(text) != 0) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK) {
      fprintf(file, "%scheck: %016" PRIx64 "\n", bytes, answer_check(bytes));
   }
   free(bytes);
   asking_close(&asking);
   return code;
}
