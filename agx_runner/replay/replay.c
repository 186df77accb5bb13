/* SPDX-License-Identifier: MIT
 *
 * Compares a replayed job with the saved one; the command. Each job gets a device file of its own. Timestamps are not
 * compared.
 */
#include "agx_runner/replay/replay.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/program/check_reports.h"
#include "agx_runner/replay/image.h"
#include "agx_runner/replay/submit.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/vgpu.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)
#define CHUNK (UINT64_C(16) << 20) /* bytes of a buffer that are compared at a time */

struct difference {
   uint64_t bytes;
   size_t buffers;
   uint64_t address; /* GPU address of the first byte; 0: none is mapped */
   uint8_t seen, expected;
};

/* Compares bytes [start, start + size) of a buffer. `image` has room for them. */
static void compare_chunk(const struct replay *replay, uint32_t buffer, uint64_t start, uint64_t size, uint8_t *image,
                          struct difference *difference)
{
   const uint8_t *seen = replay->buffers[buffer].bytes + start;
   replay_image(replay, buffer, start, size, true, image);
   for (uint64_t page = 0; page < size; page += PAGE) {
      if (memcmp(seen + page, image + page, PAGE) == 0) {
         continue;
      }
      for (uint64_t at = page; at < page + PAGE; at++) {
         if (seen[at] != image[at] && difference->bytes++ == 0) {
            difference->address = saved_job_address(replay->job, buffer, start + at);
            difference->seen = seen[at];
            difference->expected = image[at];
         }
      }
   }
}

/* Returns false when out of memory. */
static bool compare(const struct replay *replay, struct difference *difference)
{
   const struct saved_job *job = replay->job;
   uint8_t *image = malloc(CHUNK);
   *difference = (struct difference){0};
   for (uint32_t i = 0; i < job->buffer_count && image != NULL; i++) {
      const uint64_t before = difference->bytes;
      for (uint64_t start = 0; start < job->buffers[i].size; start += CHUNK) {
         const uint64_t left = job->buffers[i].size - start, size = left < CHUNK ? left : CHUNK;
         compare_chunk(replay, i, start, size, image, difference);
         replay_release(replay, i, start, size);
      }
      difference->buffers += difference->bytes != before;
   }
   free(image);
   return image != NULL;
}

static const char *error_name(int error)
{
   return error == 0 ? "success" : asahi_errno_name(-error);
}

int replay_findings(const char *path, const struct replay *replay)
{
   struct asahi_kernel *kernel = replay->raw.kernel;
   struct vgpu_check_report found = {0};
   char text[CHECK_REPORT_TEXT];
   uint32_t count = 0;
   while (replay->raw.is_virtual && kernel->ioctl(kernel, replay->raw.fd, VGPU_IOCTL_CHECK, &found) != -1 &&
          count < found.total) {
      check_report_format(&found, NULL, text);
      fprintf(stderr, "%s\n", text);
      found = (struct vgpu_check_report){.index = ++count, .dropped = found.dropped};
   }
   if (count == 0) {
      return EXIT_OK;
   }
   if (found.dropped > 0) {
      fprintf(stderr, "%" PRIu64 " more findings are not listed\n", found.dropped);
   }
   return complain(EXIT_FAILED, "%s: %" PRIu32 " %s of the device's checks, above", path, count,
                   count == 1 ? "finding" : "findings");
}

static void print_line(void *data, const char *text)
{
   (void)data;
   printf("  %s\n", text);
}

/* Prints the line of a job that was run. Returns an enum exit_code. */
static int report(const char *path, const struct replay *replay)
{
   const struct saved_job *job = replay->job;
   struct difference difference;
   printf("%s: %zu command%s, saved on %s: ", path, job->command_count, job->command_count == 1 ? "" : "s", job->info);
   if (replay->error != job->error) {
      printf("ended with %s, was %s%s%s\n", error_name(replay->error), error_name(job->error),
             replay->fault[0] != '\0' ? ": " : "", replay->fault);
      vgpu_postmortem_print(&replay->postmortem, NULL, print_line, NULL);
      return EXIT_FAILED;
   }
   if (!compare(replay, &difference)) {
      printf("out of memory\n");
      return EXIT_FAILED;
   }
   if (difference.bytes == 0) {
      printf("the same memory%s%s", job->error != 0 ? ", and the same error: " : "",
             job->error != 0 ? error_name(job->error) : "");
      if (replay->compiled > 0) {
         printf("; %" PRIu64 " instructions compiled", replay->compiled);
      }
      printf("\n");
      vgpu_postmortem_print(&replay->postmortem, NULL, print_line, NULL);
      return EXIT_OK;
   }
   printf("%" PRIu64 " byte%s differ%s in %zu of %zu buffers, first at 0x%" PRIx64 ": 0x%02x, was 0x%02x\n",
          difference.bytes, difference.bytes == 1 ? "" : "s", difference.bytes == 1 ? "s" : "", difference.buffers,
          job->buffer_count, difference.address, difference.seen, difference.expected);
   return EXIT_FAILED;
}

static int replay_file(const char *device, const char *path, double seconds)
{
   struct saved_job job;
   struct replay replay = {.raw = {.fd = -1}};
   char why[256];
   int code;
   if (!saved_job_read(path, &job, why, sizeof(why))) {
      code = complain(EXIT_INVALID, "replay: %s: %s", path, why);
   } else if (!replay_open(&replay, device, &job) || !replay_submit(&replay, seconds)) {
      code = complain(EXIT_FAILED, "replay: %s: %s", path, replay.why);
   } else {
      code = report(path, &replay);
      fflush(stdout);
      const int findings = replay_findings(path, &replay);
      code = code == EXIT_OK ? findings : code;
   }
   replay_close(&replay);
   saved_job_finish(&job);
   fflush(stdout);
   return code;
}

static int is_job(const struct dirent *entry)
{
   const size_t length = strlen(entry->d_name), suffix = strlen(SAVED_JOB_SUFFIX);
   return length > suffix && strcmp(entry->d_name + length - suffix, SAVED_JOB_SUFFIX) == 0;
}

static int replay_folder(const char *device, const char *path, double seconds)
{
   struct dirent **entries = NULL;
   const int count = scandir(path, &entries, is_job, alphasort);
   int code = count > 0 ? EXIT_OK : complain(EXIT_INVALID, "replay: %s: it holds no *" SAVED_JOB_SUFFIX, path);
   for (int i = 0; i < count; i++) {
      char *file = NULL;
      if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
         code = complain(EXIT_FAILED, "out of memory");
         file = NULL;
      } else {
         const int one = replay_file(device, file, seconds);
         code = code == EXIT_OK ? one : code;
      }
      free(file);
      free(entries[i]);
   }
   free(entries);
   return code;
}

int replay_run(const char *device, const struct string_list *paths, double seconds)
{
   int code = EXIT_OK;
   for (size_t i = 0; i < paths->count; i++) {
      struct stat status;
      const bool folder = stat(paths->items[i], &status) == 0 && S_ISDIR(status.st_mode);
      const int one = (folder ? replay_folder : replay_file)(device, paths->items[i], seconds);
      code = code == EXIT_OK ? one : code;
   }
   return code;
}
