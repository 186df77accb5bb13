/* SPDX-License-Identifier: MIT
 *
 * with-device: starts a program with the preloaded virtual GPU (vgpu/shim), waits for it, and reports its launches on
 * stderr; or starts it with the preloaded recorder of a real GPU (vgpu/recorder). Invariant: the report's file has no
 * name, so that nothing is left behind however the program ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "process/child/interrupt.h"
#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/device_report.h"
#include "agx_runner/with_device/with_device.h"
#include "drm/asahi.h"
#include "drm/uapi/saved_job.h"
#include "util/array.h"
#include "util/store.h"

/* The preloaded libraries, by their places in a build folder. */
static const struct place device_library = {NULL, "vgpu/shim/libagx-vgpu.so", AGX_RUNNER_LIBDIR};
static const struct place recorder_library = {NULL, "vgpu/recorder/libagx-record.so", AGX_RUNNER_LIBDIR};
#define DEFAULT_DEVICE "virtual:m1"

/* Opens the device once, so that a mistake in its name is reported before the program starts. */
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

/* Opens a file without a name. It is passed on by its path under /proc, because programs may close descriptors that
 * they did not open. */
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

/* A variable of the program's environment. */
struct variable {
   const char *name, *value;
};

static int set_environment(const char *library, const struct variable *variables, size_t count)
{
   const char *before = getenv("LD_PRELOAD");
   char *preload = NULL;
   if (asprintf(&preload, "%s%s%s", library, before != NULL && *before != '\0' ? ":" : "",
                before != NULL ? before : "") < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   bool set = setenv("LD_PRELOAD", preload, 1) == 0;
   for (size_t i = 0; i < count; i++) {
      set = set && setenv(variables[i].name, variables[i].value, 1) == 0;
   }
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

#define PAUSE_NS 5000000 /* between two checks of the program */

/* the state of signal handling */
struct ending {
   bool interrupted; /* a signal has arrived */
   bool sent;        /* it was sent to this process, and was passed on */
   double since;     /* seconds of the monotonic clock */
   bool killed;
};

/* Ctrl-C on a terminal reaches the program too, which handles it: a debugger stops its program. A signal sent to this
 * process alone is passed on; a program that does not end then is killed. */
static void look_at_signals(struct ending *ending, pid_t child)
{
   if (interrupt_requested() && !ending->sent) {
      ending->interrupted = true;
      const int signal = interrupt_sent();

      ending->sent = signal != 0;
      ending->since = util_clock_seconds();
      if (ending->sent) {
         kill(child, signal);
      } else {
         interrupt_dismiss();
      }
   }
   if (ending->sent && !ending->killed && util_clock_seconds() - ending->since > INTERRUPT_SECONDS) {
      ending->killed = true;
      kill(child, SIGKILL);
   }
}

static void live(char **arguments, const char *library, const struct variable *variables, size_t count, pid_t parent)
{
   interrupt_forget();
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   if (getppid() != parent) {
      _exit(EXIT_ABORTED);
   }
   if (set_environment(library, variables, count) == EXIT_OK) {
      execvp(arguments[0], arguments);
      complain(EXIT_FAILED, "with-device: %s: %s", arguments[0], strerror(errno));
   }
   _exit(errno == ENOENT ? 127 : 126);
}

/* Returns the program's exit code as a shell does; EXIT_ABORTED if Ctrl-C or a signal to this process ended it.
 * report: whose faults are written to stderr at once; -1: none. */
static int run(char **arguments, const char *library, const struct variable *variables, size_t count, int report)
{
   struct ending ending = {.interrupted = false};
   off_t place = 0;
   const pid_t parent = getpid();
   pid_t ended;
   int status;

   interrupt_defer();
   interrupt_hold();
   const pid_t child = fork();
   if (child == 0) {
      live(arguments, library, variables, count, parent);
   }
   if (child < 0) {
      return complain(EXIT_FAILED, "with-device: fork: %s", strerror(errno));
   }
   while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
      look_at_signals(&ending, child);
      if (report >= 0) {
         device_report_follow(report, &place, stderr);
      }
      nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
   }
   interrupt_release();
   interrupt_settle();
   if (report >= 0) {
      device_report_follow(report, &place, stderr);
   }
   if (ended < 0) {
      return complain(EXIT_FAILED, "with-device: waitpid: %s", strerror(errno));
   }
   if (ending.interrupted && (ending.sent || WIFSIGNALED(status))) {
      return EXIT_ABORTED;
   }
   return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Makes the folder if it is missing. Returns its absolute path, which is valid whatever folder the program works in;
 * free() it. NULL, with a message, on failure. */
static char *make_folder(const char *folder, const char *option)
{
   char *absolute = mkdir(folder, 0777) == 0 || errno == EEXIST ? realpath(folder, NULL) : NULL;
   if (absolute == NULL) {
      complain(EXIT_FAILED, "with-device: %s %s: %s", option, folder, strerror(errno));
   }
   return absolute;
}

char *with_device_folder(const char *device, const char *option, const char *key, const char *folder)
{
   char *longer = NULL, *absolute = make_folder(folder, option);
   if (absolute == NULL) {
      return NULL;
   }
   if (strchr(absolute, ',') != NULL) {
      complain(EXIT_INVALID, "with-device: %s %s: a comma in the path would end the device's option", option, folder);
   } else if (asprintf(&longer, "%s,%s=%s", device, key, absolute) < 0) {
      complain(EXIT_FAILED, "out of memory");
      longer = NULL;
   }
   free(absolute);
   return longer;
}

bool with_device_set_driver(const char *version)
{
   return setenv("AGX_VGPU_DRIVER", version, 1) == 0;
}

/* Runs the program. followed: its faults are said while it runs. *report: as with_device_call() has it. */
static int call(const char *device, const struct string_list *words, bool followed, int *report)
{
   char library[PLACE_PATH], path[64];
   *report = -1;
   int code = place_find("with-device", &device_library, library);
   code = code == EXIT_OK ? check_device(device) : code;
   if (code != EXIT_OK) {
      return code;
   }
   *report = open_report(path, sizeof(path));
   char **arguments = make_arguments(words);
   if (*report < 0 || arguments == NULL) {
      code = complain(EXIT_FAILED, "with-device: %s", strerror(errno));
   } else {
      /* The device keeps compiled code where this process would, also for a program with another home. */
      char cache[UTIL_STORE_PATH];
      const struct variable variables[] = {
          {"AGX_VGPU", device}, {"AGX_VGPU_REPORT", path}, {UTIL_STORE_VARIABLE, cache}};
      const size_t count = util_store_folder(cache) ? ARRAY_COUNT(variables) : ARRAY_COUNT(variables) - 1;
      code = run(arguments, library, variables, count, followed ? *report : -1);
   }
   free(arguments);
   return code;
}

int with_device_call(const char *device, const struct string_list *words, int *report)
{
   return call(device, words, false, report);
}

static int start(const char *device, const struct string_list *words, const struct with_device_settings *settings)
{
   int report;
   int code = call(device, words, true, &report);
   if (report >= 0) {
      bool found;
      fprintf(stderr, "agx-runner: with-device %s\n", device);
      const int written = device_report_write(report, settings->stats, &found, stderr);
      code = code == EXIT_OK ? written : code;
      if (settings->post_mortem != NULL) {
         const int kept = device_report_post_mortems(report, settings->post_mortem);
         code = code == EXIT_OK ? kept : code;
      }
      code = code == EXIT_OK && found && !settings->ignore_faults ? EXIT_FAILED : code;
      close(report);
   }
   return code;
}

int with_device_run(const char *device, const struct string_list *words, const struct with_device_settings *settings)
{
   const struct {
      const char *option, *key, *folder;
   } folders[] = {{"--trace", "record", settings->trace}, {"--collect", "collect", settings->collect}};
   char *spec = strdup(strcmp(device, "auto") == 0 ? DEFAULT_DEVICE : device);
   for (size_t i = 0; spec != NULL && i < ARRAY_COUNT(folders); i++) {
      if (folders[i].folder != NULL) {
         char *longer = with_device_folder(spec, folders[i].option, folders[i].key, folders[i].folder);
         free(spec);
         spec = longer;
      }
   }
   if (spec != NULL && settings->driver != NULL && !with_device_set_driver(settings->driver)) {
      free(spec);
      return complain(EXIT_FAILED, "out of memory");
   }
   int code = spec != NULL ? EXIT_OK : EXIT_FAILED;
   if (code == EXIT_OK && settings->collect != NULL) {
      code = with_device_keep_sources(settings->collect);
   }
   code = code == EXIT_OK ? start(spec, words, settings) : code;
   if (settings->collect != NULL) {
      with_device_drop_sources(settings->collect);
   }
   free(spec);
   return code;
}

static unsigned count_jobs(const char *folder)
{
   unsigned count = 0;
   DIR *stream = opendir(folder);
   for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
      const char *dot = strrchr(entry->d_name, '.');
      count += dot != NULL && strcmp(dot, SAVED_JOB_SUFFIX) == 0;
   }
   if (stream != NULL) {
      closedir(stream);
   }
   return count;
}

int with_device_record(const struct string_list *words, const char *folder)
{
   char library[PLACE_PATH];
   const int found = place_find("with-device", &recorder_library, library);
   char *absolute = found == EXIT_OK ? make_folder(folder, "--record") : NULL;
   char **arguments = make_arguments(words);
   int code = EXIT_FAILED;
   if (absolute != NULL && arguments != NULL) {
      const unsigned before = count_jobs(absolute);
      const struct variable variable = {"AGX_RECORD", absolute};
      code = run(arguments, library, &variable, 1, -1);
      const unsigned saved = count_jobs(absolute) - before;
      fprintf(stderr, "agx-runner: with-device --record: %u job%s saved in %s\n", saved, saved == 1 ? "" : "s", folder);
   } else if (absolute != NULL) {
      complain(EXIT_FAILED, "out of memory");
   }
   free(arguments);
   free(absolute);
   return code;
}
