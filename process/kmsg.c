/* SPDX-License-Identifier: MIT
 *
 * A read of /dev/kmsg returns one record: "LEVEL,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT
 * ", then lines that begin with a space (Documentation/ABI/testing/dev-kmsg of the kernel). EPIPE: records were
 * overwritten before they were read.
 */
#include "process/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKER "agx-runner: begin "
#define RECORD_MAX 8192 /* the kernel's limit for one read */
#define KEPT_MAX 65536  /* most bytes that are kept of one test */

bool kmsg_open(struct kmsg *kmsg, const char *path)
{
   *kmsg = (struct kmsg){
       .reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
       .writer = open(path, O_WRONLY | O_APPEND | O_CLOEXEC),
   };
   return kmsg->reader >= 0;
}

void kmsg_close(struct kmsg *kmsg)
{
   if (kmsg->reader >= 0) {
      close(kmsg->reader);
   }
   if (kmsg->writer >= 0) {
      close(kmsg->writer);
   }
   *kmsg = (struct kmsg){-1, -1};
}

void kmsg_begin(const struct kmsg *kmsg, const char *name)
{
   char line[600];

   if (kmsg->reader >= 0) {
      lseek(kmsg->reader, 0, SEEK_END);
   }
   if (kmsg->writer >= 0) {
      const int length = snprintf(line, sizeof(line), MARKER "%s\n", name);
      /* the marker is for people only, so a failed write is ignored */
      const ssize_t written = write(kmsg->writer, line, (size_t)length);
      (void)written;
   }
}

static bool add_record(const char *record, FILE *text)
{
   uint64_t microseconds;
   const char *message = strchr(record, ';');

   if (message == NULL || sscanf(record, "%*u,%*u,%" SCNu64, &microseconds) != 1) {
      return false;
   }
   message++;
   if (strncmp(message, MARKER, strlen(MARKER)) == 0) {
      return false;
   }
   fprintf(text, "[%5" PRIu64 ".%06" PRIu64 "] %.*s\n", microseconds / 1000000, microseconds % 1000000,
           (int)strcspn(message, "\n"), message);
   return true;
}

char *kmsg_end(const struct kmsg *kmsg)
{
   char record[RECORD_MAX + 1], *text = NULL;
   size_t size = 0, lines = 0;
   FILE *stream = kmsg->reader >= 0 ? open_memstream(&text, &size) : NULL;

   if (stream == NULL) {
      return NULL;
   }
   for (;;) {
      const ssize_t n = read(kmsg->reader, record, RECORD_MAX);
      if (n < 0 && (errno == EPIPE || errno == EINTR)) {
         continue;
      }
      if (n <= 0 || ftell(stream) > KEPT_MAX) {
         break;
      }
      record[n] = '\0';
      lines += add_record(record, stream);
   }
   if (fclose(stream) != 0 || lines == 0) {
      free(text);
      return NULL;
   }
   return text;
}
