/* SPDX-License-Identifier: MIT
 *
 * with-device: starts a program with the preloaded virtual GPU (vgpu/shim), waits for it, and says on stderr what it
 * ran. Invariant: the report lies in a file without a name, so that nothing is left behind however this ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/device_report.h"
#include "agx_runner/with_device/with_device.h"
#include "drm/asahi.h"

#define LIBRARY "libagx-vgpu.so"
#define DEFAULT_DEVICE "virtual:m1"

/* The library beside this program: in the tree that it was built in, or where both are installed. */
static bool find_library(char *path, size_t size)
{
   static const char *const places[] = {"../vgpu/shim/" LIBRARY, "../" AGX_RUNNER_LIBDIR "/agx-runner/" LIBRARY,
                                        "../lib/agx-runner/" LIBRARY};
   char program[2048];
   const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
   if (length <= 0) {
      return false;
   }
   program[length] = '\0';
   char *slash = strrchr(program, '/');
   if (slash == NULL) {
      return false;
   }
   *slash = '\0';
   for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
      char joined[4096];
      snprintf(joined, sizeof(joined), "%s/%s", program, places[i]);
      char *found = realpath(joined, NULL);
      if (found != NULL) {
         const bool fits = (size_t)snprintf(path, size, "%s", found) < size;
         free(found);
         return fits;
      }
   }
   return false;
}

/* The device is opened once here, so that a mistake in its name is told before the program starts. */
static int check_device(const char *device)
{
   struct asahi_device *opened;
   char why[512];
   if (!asahi_spec_is_virtual(device)) {
      return complain(EXIT_INVALID,
                      "with-device: %s: only virtual devices (" DEFAULT_DEVICE ") can be given to a program", device);
   }
   const int error = asahi_device_open(device, &opened, why, sizeof(why));
   if (error != 0) {
      return complain(EXIT_INVALID, "with-device: %s", why);
   }
   asahi_device_close(opened);
   return EXIT_OK;
}

/* A file without a name. It is passed on by its path under /proc, as programs may close what they do not know. */
static int open_report(char *path, size_t size)
{
   const char *folder = getenv("TMPDIR");
   int fd = open(folder != NULL ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
   if (fd < 0) {
      fd = memfd_create("agx-vgpu report", MFD_CLOEXEC);
   }
   snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), fd);
   return fd;
}

static int set_environment(const char *device, const char *library, const char *report)
{
   const char *before = getenv("LD_PRELOAD");
   char *preload = NULL;
   if (asprintf(&preload, "%s%s%s", library, before != NULL && *before != '\0' ? ":" : "",
                before != NULL ? before : "") < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const bool set = setenv("LD_PRELOAD", preload, 1) == 0 && setenv("AGX_VGPU", device, 1) == 0 &&
                    setenv("AGX_VGPU_REPORT", report, 1) == 0;
   free(preload);
   return set ? EXIT_OK : complain(EXIT_FAILED, "with-device: %s", strerror(errno));
}

/* The program's words, with a NULL behind them. */
static char **make_arguments(const struct string_list *words)
{
   char **arguments = calloc(words->count + 1, sizeof(*arguments));
   for (size_t i = 0; arguments != NULL && i < words->count; i++) {
      arguments[i] = (char *)words->items[i];
   }
   return arguments;
}

/* Ctrl-C is the program's: this one waits for its end and reports. The exit code is the program's, as a shell has it.
 */
static int run(char **arguments, const char *device, const char *library, const char *report)
{
   int status;
   const struct sigaction ignore = {.sa_handler = SIG_IGN};
   struct sigaction interrupt, quit;
   const pid_t child = fork();
   if (child < 0) {
      return complain(EXIT_FAILED, "with-device: fork: %s", strerror(errno));
   }
   if (child == 0) {
      if (set_environment(device, library, report) == EXIT_OK) {
         execvp(arguments[0], arguments);
         complain(EXIT_FAILED, "with-device: %s: %s", arguments[0], strerror(errno));
      }
      _exit(errno == ENOENT ? 127 : 126);
   }
   sigaction(SIGINT, &ignore, &interrupt);
   sigaction(SIGQUIT, &ignore, &quit);
   pid_t ended;
   do {
      ended = waitpid(child, &status, 0);
   } while (ended < 0 && errno == EINTR);
   sigaction(SIGINT, &interrupt, NULL);
   sigaction(SIGQUIT, &quit, NULL);
   if (ended < 0) {
      return complain(EXIT_FAILED, "with-device: waitpid: %s", strerror(errno));
   }
   return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The device with the option that saves its jobs in `folder`, from whatever folder the program works in. NULL, with a
 * message: it cannot be. */
static char *add_trace(const char *device, const char *folder)
{
   char *traced = NULL;
   if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
      complain(EXIT_FAILED, "with-device: --trace %s: %s", folder, strerror(errno));
      return NULL;
   }
   char *absolute = realpath(folder, NULL);
   if (absolute == NULL) {
      complain(EXIT_FAILED, "with-device: --trace %s: %s", folder, strerror(errno));
   } else if (strchr(absolute, ',') != NULL) {
      complain(EXIT_INVALID, "with-device: --trace %s: a comma in the path would end the device's option", absolute);
   } else if (asprintf(&traced, "%s,record=%s", device, absolute) < 0) {
      complain(EXIT_FAILED, "out of memory");
      traced = NULL;
   }
   free(absolute);
   return traced;
}

static int start(const char *device, const struct string_list *words, bool stats)
{
   char library[4096], path[64];
   if (!find_library(library, sizeof(library))) {
      return complain(EXIT_FAILED, "with-device: " LIBRARY " is not where agx-runner was built or installed");
   }
   int code = check_device(device);
   if (code != EXIT_OK) {
      return code;
   }
   const int report = open_report(path, sizeof(path));
   char **arguments = make_arguments(words);
   if (report < 0 || arguments == NULL) {
      code = complain(EXIT_FAILED, "with-device: %s", strerror(errno));
   } else {
      code = run(arguments, device, library, path);
      fprintf(stderr, "agx-runner: with-device %s\n", device);
      const int written = device_report_write(report, stats, stderr);
      code = code == EXIT_OK ? written : code;
   }
   free(arguments);
   if (report >= 0) {
      close(report);
   }
   return code;
}

int with_device_run(const char *device, const struct string_list *words, bool stats, const char *trace)
{
   device = strcmp(device, "auto") == 0 ? DEFAULT_DEVICE : device;
   if (trace == NULL) {
      return start(device, words, stats);
   }
   char *traced = add_trace(device, trace);
   const int code = traced != NULL ? start(traced, words, stats) : EXIT_FAILED;
   free(traced);
   return code;
}
