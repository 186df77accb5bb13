/* SPDX-License-Identifier: MIT
 *
 * Runs a host. Invariant: all files between agx-runner and the host have no name, so that nothing is left behind
 * however either ends.
 */
#include "agx_runner/driver/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/values.h"
#include "agx_runner/with_device/with_device.h"
#include "util/file.h"

#define MESSAGES_MOST (64u << 20) /* bytes: listings of large shaders are long */

static const struct place hosts[MESA_APIS] = {
    [MESA_OPENCL] = {"AGX_RUNNER_OPENCL_HOST", "drivers/host/agx-opencl-host", AGX_RUNNER_LIBEXECDIR},
    [MESA_OPENGL] = {"AGX_RUNNER_OPENGL_HOST", "drivers/host/agx-opengl-host", AGX_RUNNER_LIBEXECDIR},
    [MESA_VULKAN] = {"AGX_RUNNER_VULKAN_HOST", "drivers/host/agx-vulkan-host", AGX_RUNNER_LIBEXECDIR},
};

/* A file in memory; the host opens it by its path under /proc. */
static int open_file(const char *name, char *path, size_t size)
{
   const int fd = memfd_create(name, MFD_CLOEXEC);
   snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), fd);
   return fd;
}

int driver_request_start(struct driver_request *request)
{
   *request = (struct driver_request){.fd = -1};
   request->fd = open_file("agx-runner request", request->path, sizeof(request->path));
   request->file = request->fd >= 0 ? host_records_create(request->path) : NULL;
   return request->file != NULL ? EXIT_OK : complain(EXIT_FAILED, "the host's request: %s", strerror(errno));
}

void driver_request_finish(struct driver_request *request)
{
   if (request->file != NULL) {
      fclose(request->file);
   }
   if (request->fd >= 0) {
      close(request->fd);
   }
   *request = (struct driver_request){.fd = -1};
}

/* NULL: the file cannot be read, or is too long. */
static char *read_messages(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = NULL;
   size_t size = 0;
   if (file != NULL && util_read_stream(file, MESSAGES_MOST, &text, &size) < 0) {
      text = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}

/* A driver may end its program because a job has faulted: so the faults come first. */
static int host_failed(const struct mesa *mesa, int status, const char *messages, const struct device_report *report)
{
   if (messages != NULL && messages[0] != '\0') {
      fprintf(stderr, "%s%s", messages, messages[strlen(messages) - 1] != '\n' ? "\n" : "");
   }
   if (report->first != NULL) {
      (void)complain(EXIT_FAILED, "the device reports: %s",
                     report->first[0] != '\0' ? report->first
                                              : "findings of its checks, which the process has not left");
   }
   if (status == EXIT_ABORTED) {
      return complain(EXIT_ABORTED, "interrupted while the driver of Mesa '%s' was compiling or running", mesa->name);
   }
   if (status == 128 + SIGXCPU) { /* HOST_LIMIT */
      return complain(EXIT_FAILED,
                      "the driver of Mesa '%s' did not end within the processor time that its host may use",
                      mesa->name);
   }
   if (status > 128) {
      return complain(EXIT_FAILED, "the driver of Mesa '%s' crashed: %s", mesa->name, strsignal(status - 128));
   }
   return complain(EXIT_FAILED, "the host of Mesa '%s' gave no answer: exit %d; its messages are above", mesa->name,
                   status);
}

/* The words of the host's command line: those of the Mesa, then the host's own. */
static bool add_words(struct string_list *words, char **start, const char *const *own, size_t count)
{
   bool good = start != NULL;
   for (size_t i = 0; good && start[i] != NULL; i++) {
      good = string_list_add(words, start[i]);
   }
   for (size_t i = 0; good && i < count; i++) {
      good = string_list_add(words, own[i]);
   }
   return good;
}

/* Calls the program with its standard output in `output`, if that is not -1. */
static int call(const char *device, const struct string_list *words, int output, int *report)
{
   if (output < 0) {
      return with_device_call(device, words, report);
   }
   fflush(stdout);
   const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
   if (kept < 0 || dup2(output, STDOUT_FILENO) < 0) {
      return complain(EXIT_FAILED, "standard output: %s", strerror(errno));
   }
   const int status = with_device_call(device, words, report);
   dup2(kept, STDOUT_FILENO);
   close(kept);
   return status;
}

int driver_host_find(enum mesa_api api)
{
   char host[PLACE_PATH];
   return place_find("--mesa", &hosts[api], host);
}

int driver_host_run(const struct mesa *mesa, enum mesa_api api, const char *device, struct driver_request *request,
                    struct driver_answer *answer)
{
   char host[PLACE_PATH], result[64], messages[64];
   const char *why = "";
   struct string_list words = {.count = 0};
   int report = -1;

   *answer = (struct driver_answer){.records = {.size = 0}};
   int code = place_find("--mesa", &hosts[api], host);
   if (code == EXIT_OK && !host_records_close(request->file)) {
      code = complain(EXIT_FAILED, "the host's request could not be written: %s", strerror(errno));
   }
   request->file = NULL;
   if (code != EXIT_OK) {
      return code;
   }
   const int result_fd = open_file("agx-runner result", result, sizeof(result));
   const int messages_fd = open_file("agx-runner messages", messages, sizeof(messages));
   char **start = mesa_start(mesa);
   /* The host and what starts it each open the file of the messages. */
   if (result_fd < 0 || messages_fd < 0 || fcntl(messages_fd, F_SETFL, O_APPEND) < 0 ||
       !add_words(&words, start, (const char *[]){host, request->path, result, messages}, 4)) {
      code = complain(EXIT_FAILED, "out of memory or of files");
   } else {
      const int status = call(device, &words, request->listing ? messages_fd : -1, &report);
      answer->messages = read_messages(messages);
      if (status == EXIT_INVALID && report < 0) {
         code = status; /* the device's name is wrong */
      } else if (!host_records_read(&answer->records, result, &why)) {
         (void)device_report_read(report, &answer->report);
         code = host_failed(mesa, status, answer->messages, &answer->report);
      } else if (!device_report_read(report, &answer->report)) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   mesa_start_finish(start);
   string_list_finish(&words);
   for (size_t i = 0; i < 3; i++) {
      const int fds[] = {result_fd, messages_fd, report};
      if (fds[i] >= 0) {
         close(fds[i]);
      }
   }
   return code;
}

void driver_answer_finish(struct driver_answer *answer)
{
   host_records_finish(&answer->records);
   device_report_finish(&answer->report);
   free(answer->messages);
   answer->messages = NULL;
}
