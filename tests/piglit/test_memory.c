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
#include "tests/piglit/run_files.h"

#define SAMPLE 13 /* prime to the numbers of types and vector sizes, which the names go by */

static const char *const ways[] = {
    "virtual:m1,timing=off,threads=1", "virtual:m1,timing=off,threads=2", "virtual:m1,timing=off,threads=3",
    "virtual:m1,timing=on,threads=1",  "virtual:m1,timing=on,threads=2",  "virtual:m1,timing=on,threads=3",
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void add_listed(struct piglit_files *files, const char *list)
{
   const char *wanted = getenv("PIGLIT_MEMORY");
   bool all = wanted != NULL && strcmp(wanted, "all") == 0;
   FILE *file = fopen(list, "r");
   char path[4096];

   CHECK(file != NULL);
   for (unsigned i = 0; file != NULL && fgets(path, sizeof(path), file) != NULL; i++) {
      path[strcspn(path, "\n")] = '\0';
      if (all || i % SAMPLE == 0) {
         add_path(files, path);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

static struct result_run run(const char *device, const char *list, const char *folder)
{
   struct piglit_files files = {0};

   add_path(&files, folder);
   add_listed(&files, list);
   const struct result_run results = run_files(&files, device);
   piglit_files_finish(&files);
   return results;
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

static unsigned compare(const struct result *one, const struct result *other, const char *way)
{
   const char *a = one->output != NULL ? one->output : "", *b = other->output != NULL ? other->output : "";
   char line_a[1024], line_b[1024], test[1024] = "";
   unsigned hashes = 0;

   while (next_line(&a, line_a, sizeof(line_a)) && next_line(&b, line_b, sizeof(line_b))) {
      if (strncmp(line_a, "> ", 2) == 0) {
         strcpy(test, line_a);
      }
      hashes += strncmp(line_a, "Memory hash: ", 13) == 0;
      if (strcmp(line_a, line_b) != 0) {
         printf("%s: %s:\n   %s: %s\n   %s: %s\n", one->name, test, ways[0], line_a, way, line_b);
         check_failures++;
         break;
      }
   }
   return hashes;
}

int main(int argc, char **argv)
{
   struct result_run runs[WAYS];

   if (argc != 3) {
      return 1;
   }
   for (size_t i = 0; i < WAYS; i++) {
      runs[i] = run(ways[i], argv[1], argv[2]);
   }
   for (size_t i = 1; i < WAYS; i++) {
      unsigned hashes = 0;
      CHECK(runs[i].count == runs[0].count && runs[0].count > 0);
      for (size_t r = 0; r < runs[0].count && r < runs[i].count; r++) {
         hashes += compare(&runs[0].results[r], &runs[i].results[r], ways[i]);
      }
      printf("%s: %u kernels in %zu tests compared\n", ways[i], hashes, runs[i].count);
      CHECK(hashes > 0);
   }
   for (size_t i = 0; i < WAYS; i++) {
      result_run_finish(&runs[i]);
   }
   return check_result();
}
