/* SPDX-License-Identifier: MIT
 *
 * What all hosts do alike. Standard error goes to the file that the command line names, so that what a driver writes
 * there disturbs nobody who gets an answer.
 */
#include "drivers/host/launches.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Some compilations never end. */
static void limit_time(struct host_records *request)
{
   const struct host_record *record;
   const void *payload;
   const size_t start = request->at;
   while ((record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_LIMIT) {
         setrlimit(RLIMIT_CPU, &(struct rlimit){record->number, record->number + 5}); /* SIGXCPU, then SIGKILL */
      }
   }
   request->at = start;
}

FILE *host_start(int argc, char **argv, struct host_records *request)
{
   const char *why;
   if (argc != 4) {
      fprintf(stderr, "usage: %s REQUEST RESULT MESSAGES (drivers/host/protocol.h); agx-runner starts it\n", argv[0]);
      return NULL;
   }
   if (freopen(argv[3], "a", stderr) == NULL) {
      return NULL;
   }
   setvbuf(stderr, NULL, _IONBF, 0);
   if (!host_records_read(request, argv[1], &why)) {
      fprintf(stderr, "%s: %s\n", argv[1], why);
      return NULL;
   }
   limit_time(request);
   FILE *result = host_records_create(argv[2]);
   if (result == NULL) {
      fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
   }
   return result;
}

bool host_takes_device(const char *name)
{
   return getenv(HOST_SOFTWARE) != NULL || strncmp(name, "Apple", 5) == 0;
}

uint32_t host_count_jobs(const char *folder)
{
   uint32_t count = 0;
   DIR *stream = folder != NULL ? opendir(folder) : NULL;
   for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
      const char *dot = strrchr(entry->d_name, '.');
      count += dot != NULL && strcmp(dot, ".agxjob") == 0;
   }
   if (stream != NULL) {
      closedir(stream);
   }
   return count;
}

void host_fill_marker(uint8_t *bytes, size_t size, uint32_t entry, uint32_t number)
{
   uint64_t state = (uint64_t)entry << 32 | number;
   for (size_t i = 0; i < size; i++) {
      if (i % 8 == 0) {
         state += UINT64_C(0x9e3779b97f4a7c15);
      }
      uint64_t mixed = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
      mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
      bytes[i] = (uint8_t)((mixed ^ mixed >> 31) >> 8 * (i % 8));
   }
}
