/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzzer's function over the files of folders, as a test.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

#define FILE_BYTES_MAX (1 << 20)

/* In memory of just its size, so that a sanitizer sees each byte past it. */
static int replay_file(const char *path)
{
   static uint8_t data[FILE_BYTES_MAX];
   FILE *file = fopen(path, "rb");
   if (file == NULL) {
      fprintf(stderr, "%s: cannot be read\n", path);
      return 1;
   }
   size_t size = fread(data, 1, sizeof(data), file);
   fclose(file);
   uint8_t *copy = malloc(size + (size == 0));
   if (copy == NULL) {
      return 1;
   }
   memcpy(copy, data, size);
   LLVMFuzzerTestOneInput(copy, size);
   free(copy);
   return 0;
}

int main(int argc, char **argv)
{
   unsigned files = 0;
   int failed = 0;
   for (int i = 1; i < argc; i++) {
      DIR *folder = opendir(argv[i]);
      struct dirent *entry;
      while (folder != NULL && (entry = readdir(folder)) != NULL) {
         char path[1024];
         if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
            failed |= replay_file(path);
            files++;
         }
      }
      if (folder != NULL) {
         closedir(folder);
      }
   }
   printf("%u inputs\n", files);
   return failed != 0 || files == 0;
}
