/* SPDX-License-Identifier: MIT
 *
 * util/text.h and util/file.h: text is cut where its memory ends, a file is read and written whole or not at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"
#include "tests/check.h"

static void text(void)
{
   char bytes[8] = "........", one[1];
   struct util_text text = {bytes, sizeof(bytes) - 1, 0};
   CHECK(util_text_add(&text, "%s", "abc") && text.length == 3, "abc fits");
   CHECK(util_text_add(&text, "%d", 456) && !strcmp(bytes, "abc456"), "all but the zero byte is used");
   CHECK(util_text_add(&text, "%s", ""), "nothing fits always");
   CHECK(!util_text_add(&text, "x") && text.length == 6, "a cut is reported");
   CHECK(!strcmp(bytes, "abc456") && bytes[7] == '.', "nothing is written behind the memory");
   text.length = 2;
   CHECK(!util_text_add(&text, "123456789") && !strcmp(bytes, "ab1234"), "what fits of a cut text stays");
   text = (struct util_text){one, 1, 0};
   CHECK(!util_text_add(&text, "x") && one[0] == '\0', "a memory of one byte");
   strcpy(bytes, "ab");
   CHECK(util_append(bytes, sizeof(bytes), ", %c", 'c') && !strcmp(bytes, "ab, c"), "append");
   CHECK(!util_append(bytes, sizeof(bytes), "defg") && !strcmp(bytes, "ab, cde"), "append cuts");
   CHECK(util_has_suffix("a.cl", ".cl") && util_has_suffix(".cl", ".cl") && !util_has_suffix("cl", ".cl") &&
             !util_has_suffix("a.clx", ".cl"),
         "suffixes");
}

/* A file of `size` bytes, read with a limit. */
static void read_back(const char *path, size_t size, size_t most, int expected)
{
   char *made = malloc(size + 1), *read = (char *)-1;
   size_t got = 0;
   for (size_t i = 0; i < size; i++) {
      made[i] = (char)(i * 7);
   }
   CHECK(util_replace_file(path, made, size) == 0, "a file is written");
   FILE *file = fopen(path, "rb");
   const int ret = util_read_stream(file, most, &read, &got);
   if (ret != expected || (ret == 0 && (got != size || memcmp(read, made, size) || read[size] != '\0')) ||
       (ret != 0 && (read != NULL || got != 0))) {
      printf("%zu bytes, at most %zu: %d, %zu bytes\n", size, most, ret, got);
      check_failures++;
   }
   fclose(file);
   free(made);
   free(read);
}

static void files(const char *folder)
{
   char path[512], temporary[520], bytes[5];
   struct stat status;
   size_t got;
   snprintf(path, sizeof(path), "%s/file", folder);
   snprintf(temporary, sizeof(temporary), "%s.new", path);
   const size_t sizes[] = {0, 1, 65535, 65536, 65537, 300000};
   for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      read_back(path, sizes[i], sizes[i], 0);
   }
   read_back(path, 1, 0, -EFBIG);
   read_back(path, 200000, 199999, -EFBIG);
   CHECK(stat(temporary, &status) < 0, "the temporary file is gone");

   int pair[2];
   CHECK(pipe(pair) == 0 && util_write_all(pair[1], "abc", 3) == 0 && close(pair[1]) == 0, "a pipe");
   CHECK(util_read_all(pair[0], bytes, 2, &got) == 0 && got == 2 && !memcmp(bytes, "ab", 2), "a part of a pipe");
   CHECK(util_read_all(pair[0], bytes, 5, &got) == 0 && got == 1 && bytes[0] == 'c', "the end of a pipe");
   CHECK(util_read_all(-1, bytes, 5, &got) == -EBADF && got == 0, "an error of reading");
   CHECK(util_write_all(pair[0], "x", 1) == -EBADF, "an error of writing");
   close(pair[0]);

   FILE *file = fopen(folder, "rb");
   char *none;
   CHECK(file != NULL && util_read_stream(file, 10, &none, &got) == -EISDIR && none == NULL, "a folder");
   fclose(file);

   unlink(path);
   CHECK(mkdir(path, 0777) == 0 && util_replace_file(path, "x", 1) < 0, "a folder is in the place");
   CHECK(stat(temporary, &status) < 0, "nothing is left of a failure");
   CHECK(rmdir(path) == 0 && util_replace_file("/proc/nowhere/file", "x", 1) == -ENOENT, "no folder");
}

int main(void)
{
   char folder[] = "/tmp/util-file-XXXXXX";
   text();
   if (mkdtemp(folder) == NULL) {
      perror(folder);
      return 1;
   }
   files(folder);
   rmdir(folder);
   return check_result();
}
