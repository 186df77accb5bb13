/* SPDX-License-Identifier: MIT
 *
 * Steps about launches, commands and barriers. Each checks the output of its kernels.
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
#include "drm/stream.h"
#include "util/array.h"

#define SAMPLES 9
#define LAUNCHES 64
#define FULL_MASK 0x000FFFFFu /* bits 0 to 19: the default */
#define BARRIER_BITS 21
#define TRIALS 20

static void count_figure(struct sheet *sheet, const char *quantity, double at, double value)
{
   sheet_figure(sheet, quantity, at, "count", SHEET_DEVICE, value, value, value);
}

int survey_copy(struct session *session, struct sheet *sheet)
{
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);

   if (ret == 0) {
      const struct asahi_dispatch copy = survey_dispatch(&kernels, SURVEY_COPY, SURVEY_WORDS, 64);
      unsigned wrong = 0;

      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         survey_input(&kernels)[i] = i * 2654435761u + 12345;
      }
      ret = launches_submit(session, &copy, 1, NULL, NULL);
      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         wrong += survey_output(&kernels)[i] != survey_input(&kernels)[i];
      }
      count_figure(sheet, "wrong-words", SURVEY_WORDS, wrong);
      if (ret == 0 && wrong > 0) {
         sheet_status(sheet, "failed", "%u of %u words are wrong", wrong, SURVEY_WORDS);
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Stores the stream that drm/ writes for one launch on this chip class. */
int survey_stream(struct session *session, struct sheet *sheet)
{
   uint8_t bytes[128];
   char hex[2 * sizeof(bytes) + 1] = "";
   struct asahi_stream stream = {.data = bytes, .size = sizeof(bytes)};
   const struct asahi_launch launch = {
       .usc_offset = 0x1000, .uniform_halves = 8, .grid = {64, 1, 1}, .group = {32, 1, 1}};

   asahi_cdm_launch(&stream, session->info->chip_class, &launch);
   asahi_cdm_barrier(&stream, asahi_cdm_defaults.barrier);
   asahi_cdm_terminate(&stream);
   for (size_t i = 0; i < stream.used && !stream.overflow; i++) {
      snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
   }
   sheet_fact(sheet, "cdm-stream-of-64-threads", hex);
   return stream.overflow ? -EOVERFLOW : 0;
}

int survey_launches(struct session *session, struct sheet *sheet)
{
   static const struct {
      const char *name;
      uint32_t mask;
   } masks[] = {{"launches-full-barrier", FULL_MASK}, {"launches-no-barrier", 0}, {"launches-bit-4", 1u << 4}};
   struct survey_kernels kernels;
   double times[SAMPLES];
   int ret = survey_kernels_init(&kernels, session, sheet);

   ret = ret == 0 ? survey_warm_up(&kernels) : ret;
   for (size_t m = 0; ret == 0 && m < ARRAY_COUNT(masks); m++) {
      for (size_t count = 1; ret == 0 && count <= LAUNCHES; count *= 2) {
         const struct asahi_dispatch empty = survey_dispatch(&kernels, SURVEY_EMPTY, 32, 32);

         ret = launches_time(session, &empty, count, masks[m].mask, times, SAMPLES);
         if (ret == 0) {
            sheet_samples(sheet, masks[m].name, (double)count, "ns", SHEET_DEVICE, times, SAMPLES);
         }
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Measures several commands in one submission: from the end of one to the start of the next. */
static int measure_commands(struct survey_kernels *kernels, struct sheet *sheet, size_t count)
{
   struct session *session = kernels->session;
   const struct asahi_dispatch empty = survey_dispatch(kernels, SURVEY_EMPTY, 32, 32);
   double gaps[ASAHI_COMMANDS_MAX];
   const int ret = launches_gaps(session, &empty, count, gaps);

   if (ret == 0 && count > 1) {
      /* on a virtual device without costs of commands, gaps are those of the emulation */
      sheet_samples(sheet, "command-gap", (double)count, "ns",
                    launches_are_timed(session->info) ? SHEET_DEVICE : SHEET_HOST, gaps, count - 1);
   }
   return ret;
}

int survey_commands(struct session *session, struct sheet *sheet)
{
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);

   ret = ret == 0 ? survey_warm_up(&kernels) : ret;
   for (size_t count = 1; ret == 0 && count <= session->info->commands_max; count *= 2) {
      ret = measure_commands(&kernels, sheet, count);
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Each launch adds 1 to each word. */
int survey_dependent(struct session *session, struct sheet *sheet)
{
   const unsigned rounds = 1000;
   struct survey_kernels kernels;
   unsigned wrong = 0;
   int ret = survey_kernels_init(&kernels, session, sheet);

   for (unsigned round = 0; ret == 0 && round < rounds; round++) {
      const struct asahi_dispatch one = survey_dispatch(&kernels, SURVEY_INCREMENT, 512, 64);
      const struct asahi_dispatch two[2] = {one, one};

      ret = launches_submit(session, two, 2, NULL, NULL);
      for (unsigned i = 0; i < 512; i++) {
         wrong += survey_output(&kernels)[i] != 2 * (round + 1);
      }
   }
   count_figure(sheet, "wrong-words", rounds, wrong);
   if (ret == 0 && wrong > 0) {
      sheet_status(sheet, "failed", "%u words were wrong", wrong);
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* One launch writes, the next one reads words that other threads wrote. *stale: number of wrong words. */
static int measure_coherence(struct survey_kernels *kernels, uint32_t mask, unsigned *stale)
{
   const struct asahi_cdm_options cdm = {.barrier = mask, .texture_field = asahi_cdm_defaults.texture_field};
   struct asahi_dispatch pair[2] = {survey_dispatch(kernels, SURVEY_COPY, SURVEY_WORDS, 64),
                                    survey_dispatch(kernels, SURVEY_FORWARD, SURVEY_WORDS, 64)};
   uint32_t expected[SURVEY_WORDS];
   int ret = 0;

   pair[1].arguments = kernels->swapped;
   *stale = 0;
   for (unsigned trial = 0; ret == 0 && trial < TRIALS; trial++) {
      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         survey_input(kernels)[i] = i * 7 + trial * 1000003u;
      }
      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         expected[i] = survey_input(kernels)[(i * 33 + 7) & 4095] + 1;
      }
      ret = launches_submit(kernels->session, pair, 2, &cdm, NULL);
      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         *stale += survey_input(kernels)[i] != expected[i];
      }
   }
   return ret;
}

/* Submits 64 launches of one simdgroup each: if the barrier does not wait, they take as long as one. */
static int measure_mask(struct survey_kernels *kernels, struct sheet *sheet, const char *name, double at, uint32_t mask,
                        uint32_t iterations)
{
   const struct asahi_dispatch empty = survey_dispatch(kernels, SURVEY_EMPTY, 32, 32);
   const struct asahi_dispatch loop = survey_dispatch(kernels, SURVEY_LOOP, 32, 32);
   char quantity[64];
   double times[SAMPLES];
   unsigned stale = 0;
   int ret = launches_time(kernels->session, &empty, LAUNCHES, mask, times, SAMPLES);

   if (ret == 0) {
      snprintf(quantity, sizeof(quantity), "%s-64-empty", name);
      sheet_samples(sheet, quantity, at, "ns", SHEET_DEVICE, times, SAMPLES);
      survey_input(kernels)[0] = iterations;
      ret = launches_time(kernels->session, &loop, LAUNCHES, mask, times, SAMPLES);
   }
   if (ret == 0) {
      snprintf(quantity, sizeof(quantity), "%s-64-loops", name);
      sheet_samples(sheet, quantity, at, "ns", SHEET_DEVICE, times, SAMPLES);
      ret = measure_coherence(kernels, mask, &stale);
   }
   if (ret == 0) {
      snprintf(quantity, sizeof(quantity), "%s-stale-words", name);
      count_figure(sheet, quantity, at, stale);
   }
   return ret;
}

int survey_barriers(struct session *session, struct sheet *sheet)
{
   static const uint32_t masks[] = {0, 0x88, 0xa0, 0xc0, 0x8f, 0x9f, 0x1f, FULL_MASK};
   struct survey_kernels kernels;
   double times[SAMPLES];
   uint32_t iterations = 0;
   int ret = survey_kernels_init(&kernels, session, sheet);

   ret = ret == 0 ? survey_warm_up(&kernels) : ret;
   ret = ret == 0 ? survey_iterations(&kernels, session->info->is_virtual ? 1e5 : 3e5, &iterations) : ret;
   if (ret == 0) {
      const struct asahi_dispatch loop = survey_dispatch(&kernels, SURVEY_LOOP, 32, 32);

      survey_input(&kernels)[0] = iterations;
      ret = launches_time(session, &loop, 1, 0, times, SAMPLES);
      if (ret == 0) {
         sheet_samples(sheet, "one-loop", 1, "ns", SHEET_DEVICE, times, SAMPLES);
         ret = launches_time(session, &loop, 256, 0, times, SAMPLES);
      }
      if (ret == 0) {
         sheet_samples(sheet, "256-loops-no-barrier", 256, "ns", SHEET_DEVICE, times, SAMPLES);
      }
   }
   for (unsigned bit = 0; ret == 0 && bit < BARRIER_BITS; bit++) {
      ret = measure_mask(&kernels, sheet, "bit", bit, 1u << bit, iterations);
   }
   for (size_t i = 0; ret == 0 && i < ARRAY_COUNT(masks); i++) {
      ret = measure_mask(&kernels, sheet, "mask", masks[i], masks[i], iterations);
   }
   survey_kernels_finish(&kernels);
   return ret;
}

int survey_texture(struct session *session, struct sheet *sheet)
{
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);

   for (unsigned field = 0; ret == 0 && field < 2; field++) {
      const struct asahi_cdm_options cdm = {.barrier = asahi_cdm_defaults.barrier, .texture_field = field};
      const struct asahi_dispatch copy = survey_dispatch(&kernels, SURVEY_COPY, SURVEY_WORDS, 64);
      unsigned wrong = 0;
      double ns = 0;

      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         survey_input(&kernels)[i] = i * 31 + field + 1;
      }
      ret = launches_submit(session, &copy, 1, &cdm, &ns);
      for (uint32_t i = 0; i < SURVEY_WORDS; i++) {
         wrong += survey_output(&kernels)[i] != i * 31 + field + 1;
      }
      count_figure(sheet, "wrong-words", field, wrong);
      sheet_figure(sheet, "copy", field, "ns", SHEET_DEVICE, ns, ns, ns);
   }
   survey_kernels_finish(&kernels);
   return ret;
}

int survey_limits(struct session *session, struct sheet *sheet)
{
   static const uint32_t groups[] = {1, 1024, 65535, 65536, 131072};
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);

   for (size_t i = 0; ret == 0 && i < ARRAY_COUNT(groups); i++) {
      const struct asahi_dispatch count = survey_dispatch(&kernels, SURVEY_COUNT, groups[i] * 32, 32);

      survey_output(&kernels)[0] = 0;
      ret = launches_submit(session, &count, 1, NULL, NULL);
      count_figure(sheet, "threads-counted", groups[i], survey_output(&kernels)[0]);
      if (ret == 0 && survey_output(&kernels)[0] != groups[i] * 32) {
         sheet_status(sheet, "failed", "%u threadgroups: %u threads ran", groups[i], survey_output(&kernels)[0]);
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

int survey_scratch(struct session *session, struct sheet *sheet)
{
   static const struct {
      enum survey_kernel kernel;
      uint32_t words;
   } sizes[] = {{SURVEY_STACK_1, 256}, {SURVEY_STACK_4, 1024}, {SURVEY_STACK_16, 4096}};
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);

   for (uint32_t i = 0; ret == 0 && i < SURVEY_WORDS; i++) {
      survey_input(&kernels)[i] = i;
   }
   for (size_t s = 0; ret == 0 && s < ARRAY_COUNT(sizes); s++) {
      const struct asahi_dispatch stack = survey_dispatch(&kernels, sizes[s].kernel, 256, 64);
      unsigned wrong = 0;

      ret = launches_submit(session, &stack, 1, NULL, NULL);
      for (uint32_t i = 0; i < 256; i++) {
         uint32_t sum = 0;

         for (uint32_t k = 0; k < sizes[s].words; k++) {
            sum += (k + i) * (k + 1);
         }
         wrong += survey_output(&kernels)[i] != sum;
      }
      count_figure(sheet, "wrong-threads", sizes[s].words * 4, wrong);
      if (ret == 0 && wrong > 0) {
         sheet_status(sheet, "failed", "%u of 256 threads with %u bytes of stack are wrong", wrong, sizes[s].words * 4);
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Counts the threads of one launch with device atomics. A job that faults is a result, too. */
static int count_atomically(struct session *session, struct sheet *sheet, bool coherent)
{
   const uint32_t threads = 65536;
   struct survey_kernels kernels;
   int ret = survey_kernels_init_coherent(&kernels, session, coherent, sheet);

   if (ret == 0) {
      const struct asahi_dispatch count = survey_dispatch(&kernels, SURVEY_COUNT, threads, 64);

      survey_output(&kernels)[0] = 0;
      ret = launches_submit(session, &count, 1, NULL, NULL);
      if (ret == 0) {
         count_figure(sheet, "threads-counted-of-65536", coherent, survey_output(&kernels)[0]);
      } else if (ret == -EIO) {
         sheet_fact(sheet, coherent ? "with bit 45" : "without bit 45", asahi_device_error(session->device));
         ret = 0;
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* the assumed setting of this chip comes first */
int survey_atomic_bit(struct session *session, struct sheet *sheet)
{
   const bool usual = session->info->atomic_coherency;
   const int ret = count_atomically(session, sheet, usual);

   return ret == 0 ? count_atomically(session, sheet, !usual) : ret;
}
