/* SPDX-License-Identifier: MIT
 *
 * Whether the timing model is on and how many host threads execute must not show in memory: the same files are run
 * each way, and what the kernels left in their buffers, by its hash, is compared.
 *
 *   test-piglit-memory LIST FOLDER
 *
 * LIST names Piglit's files (tests/runner/program/piglit_list.py), of which every SAMPLEth is run, or all when the
 * environment has PIGLIT_MEMORY=all. FOLDER is run besides: tests of our own, all there is where Piglit's cannot be
 * had.
 */
#include <stdlib.h>

#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/pool.h"
#include "agx_runner/piglit/session.h"
#include "tests/piglit/check.h"

#define SAMPLE 13 /* prime to the numbers of types and vector sizes, which the names go by */

static const char *const ways[] = {
    "virtual:m1,timing=off,threads=1", "virtual:m1,timing=off,threads=2", "virtual:m1,timing=off,threads=3",
    "virtual:m1,timing=on,threads=1",  "virtual:m1,timing=on,threads=2",  "virtual:m1,timing=on,threads=3",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void add(struct piglit_session *session, const char *path)
{
   char message[256];

   if (piglit_session_add(session, path, message, sizeof(message)) < 0) {
      printf("%s\n", message);
      exit(1);
   }
}

static void add_listed(struct piglit_session *session, const char *list)
{
   const char *wanted = getenv("PIGLIT_MEMORY");
   bool all = wanted != NULL && strcmp(wanted, "all") == 0;
   FILE *file = fopen(list, "r");
   char path[4096];

   CHECK(file != NULL);
   for (unsigned i = 0; file != NULL && fgets(path, sizeof(path), file) != NULL; i++) {
      path[strcspn(path, "\n")] = '\0';
      if (all || i % SAMPLE == 0) {
         add(session, path);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

static void run(struct piglit_session *session, const char *device, const char *list, const char *folder)
{
   add(session, folder);
   add_listed(session, list);
   CHECK(piglit_session_prepare(session) == 0);
   const struct piglit_pool pool = {
       .device = device, .jobs = 2, .seconds = 120, .results = session->results, .count = session->count};
   CHECK(piglit_pool_run(&pool) == 0);
}

/* The next line of *text that is not about the device, which is what differs on purpose. */
static bool next_line(const char **text, char *line, size_t size)
{
   do {
      size_t length = strcspn(*text, "\n");
      if (**text == 0) {
         return false;
      }
      snprintf(line, size, "%.*s", (int)length, *text);
      *text += length + ((*text)[length] != 0);
   } while (strstr(line, "#   Device:") != NULL);
   return true;
}

static unsigned compare(const struct piglit_result *one, const struct piglit_result *other, const char *way)
{
   const char *a = one->text, *b = other->text;
   char line_a[1024], line_b[1024], test[1024] = "";
   unsigned hashes = 0;

   while (next_line(&a, line_a, sizeof(line_a)) && next_line(&b, line_b, sizeof(line_b))) {
      if (strncmp(line_a, "> ", 2) == 0) {
         strcpy(test, line_a);
      }
      hashes += strncmp(line_a, "Memory hash: ", 13) == 0;
      if (strcmp(line_a, line_b) != 0) {
         printf("%s: %s:\n   %s: %s\n   %s: %s\n", one->path, test, ways[0], line_a, way, line_b);
         failures++;
         break;
      }
   }
   return hashes;
}

int main(int argc, char **argv)
{
   struct piglit_session sessions[WAYS] = {0};

   if (argc != 3) {
      return 1;
   }
   for (size_t i = 0; i < WAYS; i++) {
      run(&sessions[i], ways[i], argv[1], argv[2]);
   }
   for (size_t i = 1; i < WAYS; i++) {
      unsigned hashes = 0;
      CHECK(sessions[i].count == sessions[0].count && sessions[0].count > 0);
      for (size_t f = 0; f < sessions[0].count; f++) {
         hashes += compare(&sessions[0].results[f], &sessions[i].results[f], ways[i]);
      }
      printf("%s: %u kernels in %zu files compared\n", ways[i], hashes, sessions[i].count);
      CHECK(hashes > 0);
   }
   for (size_t i = 0; i < WAYS; i++) {
      piglit_session_finish(&sessions[i]);
   }
   return check_failures();
}
