/* SPDX-License-Identifier: MIT
 *
 * Reading and writing whole files, see util/file.h.
 */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

#define AT_ONCE 65536u /* bytes that a stream is asked for at first */

int util_write_all(int fd, const void *bytes, size_t size)
{
   for (size_t done = 0; done < size;) {
      const ssize_t n = write(fd, (const uint8_t *)bytes + done, size - done);
      if (n < 0 && errno != EINTR) {
         return -errno;
      }
      done += n > 0 ? (size_t)n : 0;
   }
   return 0;
}

int util_read_all(int fd, void *bytes, size_t size, size_t *got)
{
   for (*got = 0; *got < size;) {
      const ssize_t n = read(fd, (uint8_t *)bytes + *got, size - *got);
      if (n < 0 && errno != EINTR) {
         return -errno;
      }
      if (n == 0) {
         return 0;
      }
      *got += n > 0 ? (size_t)n : 0;
   }
   return 0;
}

int util_read_stream(FILE *file, size_t most, char **bytes, size_t *size)
{
   size_t capacity = 0;
   int ret = 0;

   *bytes = NULL;
   *size = 0;
   while (ret == 0) {
      /* A zero byte has its place behind the text. */
      if (!ARRAY_RESERVE(*bytes, capacity, *size == 0 ? AT_ONCE : *size + 2)) {
         ret = -ENOMEM;
         break;
      }
      errno = 0;
      const size_t got = fread(*bytes + *size, 1, capacity - 1 - *size, file);
      *size += got;
      if (ferror(file)) {
         ret = errno != 0 ? -errno : -EIO;
      } else if (*size > most) {
         ret = -EFBIG;
      } else if (feof(file)) {
         (*bytes)[*size] = '\0';
         return 0;
      }
   }
   free(*bytes);
   *bytes = NULL;
   *size = 0;
   return ret;
}

int util_replace_file(const char *path, const void *bytes, size_t size)
{
   char *temporary;
   if (asprintf(&temporary, "%s.new", path) < 0) {
      return -ENOMEM;
   }
   const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   int ret = fd < 0 ? -errno : util_write_all(fd, bytes, size);
   if (ret == 0 && fsync(fd) < 0) {
      ret = -errno;
   }
   if (fd >= 0 && close(fd) < 0 && ret == 0) {
      ret = -errno;
   }
   if (ret == 0 && rename(temporary, path) < 0) {
      ret = -errno;
   }
   if (ret != 0 && fd >= 0) {
      unlink(temporary);
   }
   free(temporary);
   return ret;
}
