/* SPDX-License-Identifier: MIT
 *
 * The time of one FFMA in nanoseconds: in AGX assembly, with and without register-cache hints, and at several clocks.
 * All cycles of a survey on hardware depend on the cycles of one FFMA, which were published for code of Apple's
 * compiler, whose instructions carry hints (docs/spec/isa.md 1.6); Mesa 25.0.7 sets none. Invariant: each figure is
 * the difference of two commands of one submission, whose programs differ only in the number of FFMAs in their loop.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/launches.h"
#include "agx_runner/survey/kernels.h"
#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/assemble.h"
#include "util/array.h"

#define SAMPLES 9
#define CHAINS 4
/* FFMAs of each chain in an iteration of the shorter program; the longer one has twice as many */
#define REPEATS 16
#define SIMDGROUPS 88       /* simdgroups a core: results/reference/ilp_occupancy.csv */
#define SCHEDULERS 4        /* schedulers of a core: docs/spec/isa.md, "Apple core" */
#define GROUP 256           /* threads of a threadgroup */
#define TURNS_VIRTUAL 40    /* iterations: a virtual device takes a millisecond for each one of all simdgroups */
#define TURNS_HARDWARE 1000 /* iterations: about a millisecond */
#define RISING 20           /* pairs that are measured while the clock rises */
#define RISING_NS 6e6       /* load before each pair: together as long as the clock needs to reach its maximum */
#define PAUSE_MS 60         /* pause after which the GPU is off and its clock is low */
#define ANSWER (2.0f * CHAINS)

/* each chain is x = x / 2 + 1, which converges to 2 */
static const char text[] = ".kernel \"ffma\"\n"
                           ".argument buffer, \"in\", \"uint*\", offset=0, size=8, read_only\n"
                           ".argument buffer, \"out\", \"float*\", offset=8, size=8\n"
                           ".argument_bytes 16\n.uniforms 8\n.uniform 0, 8, arguments, 0\n.registers 22\n.main\n"
                           "load r9, du0, 0, i32, x, a\nmov r1, thread_in_grid_x\nldimm r3, 4095\nand r1, r1, r3\n"
                           "ldimm r4, 0.5\nldimm r5, 1.0\nldimm r6, 1.0\nldimm r7, 1.0\nldimm r8, 1.0\nldimm r10, 1.0\n"
                           "ldimm r0l, 0\nldimm r2, 0\nwait a\n"
                           "again:\nwhile r2, r9, 1, ult\n"
                           ".rept %2$u\n"
                           "ffma %1$sr8, %1$sr8, %1$sr4, %1$sr5\nffma %1$sr6, %1$sr6, %1$sr4, %1$sr5\n"
                           "ffma %1$sr7, %1$sr7, %1$sr4, %1$sr5\nffma %1$sr10, %1$sr10, %1$sr4, %1$sr5\n"
                           ".endr\n"
                           "iadd r2, r2.sx, 1\njmp_any again\npop_exec 1\n"
                           "fadd r8, r8, r6\nfadd r7, r7, r10\nfadd r8, r8, r7\nstore r8, du2, r1, i32, x, a\nstop\n";

enum form { PLAIN, HINTS, FORMS };

struct ffma {
   struct survey_kernels kernels;
   struct asahi_program *programs[FORMS][2]; /* the shorter and the longer one */
   struct asahi_buffer *turns;               /* one word: the number of iterations */
   uint64_t arguments[2];
};

static int upload(struct session *session, const char *hint, unsigned repeats, struct asahi_program **program)
{
   char source[sizeof(text) + 64];
   struct compiler_result compiled = {0};
   const int length = snprintf(source, sizeof(source), text, hint, repeats);
   int ret = length < 0 || (size_t)length >= sizeof(source)
                 ? -EOVERFLOW
                 : bench_assemble("ffma.agx", source, (size_t)length, NULL, &compiled);

   ret = ret == 0 ? asahi_program_upload(session->device, compiled.programs[0], program) : ret;
   if (compiled.log != NULL) {
      fprintf(stderr, "%s", compiled.log);
   }
   compiler_result_finish(&compiled);
   return ret;
}

static uint32_t turns_of(const struct ffma *ffma)
{
   return ffma->kernels.session->info->is_virtual ? TURNS_VIRTUAL : TURNS_HARDWARE;
}

static int open_ffma(struct ffma *ffma, struct session *session, struct sheet *sheet)
{
   static const char *const hints[FORMS] = {[PLAIN] = "", [HINTS] = "$"};
   int ret = survey_kernels_init(&ffma->kernels, session, sheet);

   for (unsigned i = 0; ret == 0 && i < 2 * FORMS; i++) {
      ret = upload(session, hints[i / 2], i % 2 == 0 ? REPEATS : 2 * REPEATS, &ffma->programs[i / 2][i % 2]);
   }
   ret = ret == 0 ? asahi_buffer_create(session->device, sizeof(uint32_t), &ffma->turns) : ret;
   if (ret == 0) {
      *(uint32_t *)asahi_buffer_map(ffma->turns) = turns_of(ffma);
      ffma->arguments[0] = asahi_buffer_address(ffma->turns);
      ffma->arguments[1] = asahi_buffer_address(ffma->kernels.output);
   }
   return ret;
}

static void close_ffma(struct ffma *ffma)
{
   for (unsigned i = 0; i < 2 * FORMS; i++) {
      asahi_program_destroy(ffma->kernels.session->device, ffma->programs[i / 2][i % 2]);
   }
   asahi_buffer_destroy(ffma->kernels.session->device, ffma->turns);
   survey_kernels_finish(&ffma->kernels);
}

static struct asahi_dispatch dispatch_of(const struct ffma *ffma, enum form form, unsigned side)
{
   return (struct asahi_dispatch){.program = ffma->programs[form][side],
                                  .grid = {32 * SIMDGROUPS * ffma->kernels.session->info->cores, 1, 1},
                                  .group = {GROUP, 1, 1},
                                  .work_dim = 1,
                                  .arguments = ffma->arguments,
                                  .argument_bytes = sizeof(ffma->arguments)};
}

/* Returns the time of one FFMA on a scheduler, from the difference of the two programs. */
static double each_ns(const struct ffma *ffma, const struct asahi_timing *shorter, const struct asahi_timing *longer)
{
   const double more = (double)(longer->end_ns - longer->start_ns) - (double)(shorter->end_ns - shorter->start_ns);

   return more / ((double)turns_of(ffma) * CHAINS * REPEATS * SIMDGROUPS / SCHEDULERS);
}

static int check_answer(const struct ffma *ffma, struct sheet *sheet)
{
   const float *values = (const float *)(const void *)survey_output(&ffma->kernels);

   for (size_t i = 0; i < SURVEY_WORDS; i++) {
      if (values[i] < ANSWER || values[i] > ANSWER) {
         sheet_status(sheet, "failed", "thread %zu stored %g, not %g", i, (double)values[i], (double)ANSWER);
         return 0;
      }
   }
   return 0;
}

/* Compares both forms under load, alternating between them. */
static int compare_forms(const struct ffma *ffma, struct sheet *sheet)
{
   struct session *session = ffma->kernels.session;
   double plain[SAMPLES], hints[SAMPLES], ratios[SAMPLES];
   int ret = survey_warm_up(&ffma->kernels);

   for (unsigned i = 0; ret == 0 && i < SAMPLES; i++) {
      /* each form comes first in every other sample, and so does each program */
      const enum form first = i % 2 == 0 ? PLAIN : HINTS, second = first == PLAIN ? HINTS : PLAIN;
      const unsigned side = i / 2 % 2;
      const struct asahi_dispatch dispatches[] = {dispatch_of(ffma, first, side), dispatch_of(ffma, second, side),
                                                  dispatch_of(ffma, first, !side), dispatch_of(ffma, second, !side)};
      struct asahi_command commands[ARRAY_COUNT(dispatches)];
      struct asahi_timing timings[ARRAY_COUNT(dispatches)];

      for (size_t k = 0; k < ARRAY_COUNT(dispatches); k++) {
         commands[k] = (struct asahi_command){.dispatches = &dispatches[k], .count = 1};
      }
      ret = session_interrupted(session)
                ? -EINTR
                : asahi_submit(session->device, commands, ARRAY_COUNT(commands), session->timeout_ns, timings);
      const unsigned shorter = side == 0 ? 0 : 2, longer = 2 - shorter;
      plain[i] = each_ns(ffma, &timings[shorter + (first != PLAIN)], &timings[longer + (first != PLAIN)]);
      hints[i] = each_ns(ffma, &timings[shorter + (first == PLAIN)], &timings[longer + (first == PLAIN)]);
      ratios[i] = plain[i] / hints[i];
   }
   if (ret == 0) {
      sheet_samples(sheet, "ffma-without-hints", 1, "ns", SHEET_DEVICE, plain, SAMPLES);
      sheet_samples(sheet, "ffma-with-hints", 1, "ns", SHEET_DEVICE, hints, SAMPLES);
      sheet_samples(sheet, "ffma-without-over-with-hints", 1, "ratio", SHEET_DEVICE, ratios, SAMPLES);
   }
   return ret == 0 ? check_answer(ffma, sheet) : ret;
}

/* After a pause, runs a little load, then a pair, and so on, while the clock rises. The ratios of the times of an FFMA
 * are those of the operating points, however long it takes. One thread is enough load. */
static int follow_clock(const struct ffma *ffma, struct sheet *sheet)
{
   struct session *session = ffma->kernels.session;
   const uint64_t settle_ns = session->info->settle_ns;
   const struct asahi_dispatch load = survey_dispatch(&ffma->kernels, SURVEY_LOOP, 1, 1);
   const struct asahi_dispatch shorter = dispatch_of(ffma, PLAIN, 0), longer = dispatch_of(ffma, PLAIN, 1);
   struct asahi_command commands[3 * RISING];
   struct asahi_timing timings[3 * RISING];
   uint32_t iterations;
   int ret = settle_ns == 0 ? 0 : survey_iterations(&ffma->kernels, RISING_NS, &iterations);

   if (settle_ns == 0 || ret != 0) {
      return ret; /* the clock does not change */
   }
   survey_input(&ffma->kernels)[0] = iterations;
   for (unsigned i = 0; i < RISING; i++) {
      commands[3 * i] = (struct asahi_command){.dispatches = &load, .count = 1};
      commands[3 * i + 1] = (struct asahi_command){.dispatches = &shorter, .count = 1};
      commands[3 * i + 2] = (struct asahi_command){.dispatches = &longer, .count = 1};
   }
   survey_pause(PAUSE_MS);
   ret = asahi_submit(session->device, commands, ARRAY_COUNT(commands), session->timeout_ns, timings);
   for (unsigned i = 0; ret == 0 && i < RISING; i++) {
      const double ns = each_ns(ffma, &timings[3 * i + 1], &timings[3 * i + 2]);

      sheet_figure(sheet, "ffma-while-clock-rises", i, "ns", SHEET_DEVICE, ns, ns, ns);
   }
   return ret;
}

int survey_ffma(struct session *session, struct sheet *sheet)
{
   struct ffma ffma = {0};
   int ret = open_ffma(&ffma, session, sheet);

   ret = ret == 0 ? compare_forms(&ffma, sheet) : ret;
   ret = ret == 0 ? follow_clock(&ffma, sheet) : ret;
   close_ffma(&ffma);
   return ret;
}
