/* SPDX-License-Identifier: MIT
 *
 * Draws a scene twice and compares what each target holds. Invariant: integers, depth, stencil and queries are equal;
 * floats differ by no more than the scene says.
 */
#include "agx_runner/driver/search/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/host.h"
#include "agx_runner/terminal/runner.h"

#define SCENE_SECONDS 60u /* of processor time: hundreds of times what a scene takes */

struct plane {
   const struct host_plane *head;
   const uint32_t *words;
};

/* What a host has answered. */
struct drawn {
   struct driver_answer answer;
   const char *refusal;
   size_t refusal_size;
   int code;
};

static int draw(const struct mesa *mesa, const char *device, const struct batch_test *test, struct drawn *drawn)
{
   struct driver_request request;
   *drawn = (struct drawn){.code = driver_request_start(&request)};
   if (drawn->code == EXIT_OK) {
      host_record_write(request.file, HOST_LIMIT, SCENE_SECONDS, "", 0);
      host_record_write(request.file, HOST_SOURCE, HOST_SCENE, test->scene, strlen(test->scene));
      drawn->code = driver_host_run(mesa, MESA_OPENGL, device, &request, &drawn->answer);
   }
   driver_request_finish(&request);
   return drawn->code;
}

/* The next plane of the answer; NULL: there is none. */
static const struct host_plane *next_plane(struct drawn *drawn, const uint32_t **words)
{
   const struct host_record *record;
   const void *payload;
   while (drawn->code == EXIT_OK && (record = host_records_next(&drawn->answer.records, &payload)) != NULL) {
      const struct host_plane *plane = payload;
      if (record->kind == HOST_REFUSAL) {
         drawn->refusal = payload;
         drawn->refusal_size = record->size;
      } else if (record->kind == HOST_PLANE && record->size >= sizeof(*plane) &&
                 (uint64_t)plane->width * plane->height * plane->channels * 4 == record->size - sizeof(*plane)) {
         *words = (const uint32_t *)(plane + 1);
         return plane;
      }
   }
   return NULL;
}

static float as_float(uint32_t word)
{
   float value;
   memcpy(&value, &word, sizeof(value));
   return value;
}

static bool is_close(const struct host_plane *plane, uint32_t want, uint32_t have)
{
   const float a = as_float(want), b = as_float(have);
   if (want == have || plane->kind == HOST_PLANE_INTEGERS) {
      return want == have;
   }
   const float largest = fmaxf(1, fmaxf(fabsf(a), fabsf(b)));
   return (isnan(a) && isnan(b)) || a == b || fabsf(a - b) <= plane->tolerance * largest;
}

/* Of the results of a query. */
static bool is_near(const struct host_plane *plane, uint32_t want, uint32_t have)
{
   return (want > have ? want - have : have - want) <= plane->spare;
}

static void describe(const struct host_plane *plane, uint32_t word, char *text, size_t size)
{
   if (plane->kind == HOST_PLANE_INTEGERS) {
      snprintf(text, size, "0x%" PRIx32, word);
   } else {
      snprintf(text, size, "%.9g", (double)as_float(word));
   }
}

/* Whether the planes agree; else test->why names the first pixel that differs. */
static bool agree(const struct host_plane *plane, const uint32_t *want, const uint32_t *have, struct batch_test *test)
{
   size_t differ = 0, first = 0;
   const size_t pixels = (size_t)plane->width * plane->height;
   for (size_t pixel = 0; pixel < pixels; pixel++) {
      bool same = true;
      for (size_t i = pixel * plane->channels; same && i < (pixel + 1) * plane->channels; i++) {
         same = is_close(plane, want[i], have[i]);
         first = same || differ > 0 ? first : i;
      }
      differ += !same;
   }
   const bool good = pixels == 1 ? is_near(plane, want[0], have[0]) : differ <= plane->spare;
   if (!good) {
      char texts[2][32];
      const size_t pixel = first / plane->channels;
      describe(plane, want[first], texts[0], sizeof(texts[0]));
      describe(plane, have[first], texts[1], sizeof(texts[1]));
      snprintf(test->why, sizeof(test->why),
               "%s, pixel %zu, %zu, channel %zu: llvmpipe has %s, this driver %s; %zu of %zu pixels differ",
               plane->name, pixel % plane->width, pixel / plane->width, first % plane->channels, texts[0], texts[1],
               differ, pixels);
   }
   return good;
}

static void compare(struct drawn *software, struct drawn *hardware, struct batch_test *test)
{
   const uint32_t *want_words = NULL, *have_words = NULL;
   const struct host_plane *want, *have;
   test->verdict = BATCH_RIGHT;
   do {
      want = next_plane(software, &want_words);
      have = next_plane(hardware, &have_words);
      if (want != NULL && have != NULL &&
          (memcmp(want, have, sizeof(*want)) != 0 || !agree(want, want_words, have_words, test))) {
         test->verdict = BATCH_WRONG;
         return;
      }
   } while (want != NULL && have != NULL);
   const struct drawn *refused = software->refusal != NULL ? software : hardware;
   if (refused->refusal != NULL) {
      test->verdict = BATCH_REFUSED;
      snprintf(test->why, sizeof(test->why), "%.*s", (int)refused->refusal_size, refused->refusal);
   } else if (want != have) {
      test->verdict = BATCH_WRONG;
      snprintf(test->why, sizeof(test->why), "one of the drivers draws fewer targets");
   }
}

/* What the device says of the driver's jobs comes before what they drew. */
static void judge(struct drawn *software, struct drawn *hardware, struct batch_test *test)
{
   const struct device_report *report = &hardware->answer.report;
   if (software->code != EXIT_OK) {
      test->verdict = BATCH_REFUSED;
      snprintf(test->why, sizeof(test->why), "llvmpipe crashed, or did not end");
   } else if (hardware->code != EXIT_OK) {
      test->verdict = BATCH_CRASH;
      snprintf(test->why, sizeof(test->why), "the driver crashed, or did not end");
   } else if (report->faults > 0 || report->soft_faults > 0 || report->findings > 0) {
      test->verdict = BATCH_FAULT;
      snprintf(test->why, sizeof(test->why), "the device reports: %.250s", report->first != NULL ? report->first : "");
   } else {
      compare(software, hardware, test);
   }
}

int driver_scene_run(const struct mesa *mesa, const char *device, struct batch_test *test)
{
   struct mesa reference;
   struct drawn software, hardware = {.code = EXIT_FAILED};
   char name[MESA_PATH + sizeof(MESA_SOFTWARE)];
   snprintf(name, sizeof(name), "%s" MESA_SOFTWARE, mesa->name);
   mesa_describe(name, &reference);
   if (reference.why[0] != '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", name, reference.why);
   }
   (void)draw(&reference, device, test, &software);
   if (software.code != EXIT_ABORTED) {
      (void)draw(mesa, device, test, &hardware);
   }
   const bool aborted = software.code == EXIT_ABORTED || hardware.code == EXIT_ABORTED;
   if (!aborted) {
      judge(&software, &hardware, test);
   }
   driver_answer_finish(&software.answer);
   driver_answer_finish(&hardware.answer);
   return aborted ? EXIT_ABORTED : EXIT_OK;
}
