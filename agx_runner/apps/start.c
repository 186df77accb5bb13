/* SPDX-License-Identifier: MIT
 *
 * Starts programs. Invariant: what a program prints goes to a file without a name, and the standard outputs of this
 * process are afterwards what they were.
 */
#include "agx_runner/apps/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/with_device.h"
#include "drivers/layer/keep.h"
#include "util/array.h"
#include "util/clock.h"
#include "util/file.h"

/* The standard outputs while a program has them. */
struct outputs {
   int file, before[2];
};

static bool redirect(struct outputs *outputs)
{
   fflush(NULL);
   *outputs = (struct outputs){.file = memfd_create("agx-runner output", MFD_CLOEXEC), .before = {-1, -1}};
   for (int i = 0; i < 2 && outputs->file >= 0; i++) {
      outputs->before[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
      if (outputs->before[i] < 0 || dup2(outputs->file, i + 1) < 0) {
         return false;
      }
   }
   return outputs->file >= 0;
}

static void restore(struct outputs *outputs)
{
   fflush(NULL);
   for (int i = 0; i < 2; i++) {
      if (outputs->before[i] >= 0) {
         (void)dup2(outputs->before[i], i + 1);
         close(outputs->before[i]);
      }
   }
}

static char *read_text(int fd)
{
   char *text = NULL;
   size_t size;
   FILE *file = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "r") : NULL;
   if (file == NULL) {
      close(fd);
      return NULL;
   }
   if (util_read_stream(file, APP_TEXT_MOST, &text, &size) < 0) {
      text = NULL;
   }
   fclose(file);
   return text;
}

/* What --collect asks of a program is not asked of one that runs on the processor. */
static bool add_unset(const struct mesa *mesa, struct string_list *all)
{
   static const char *const names[] = {KEEP_FOLDER, "MESA_SHADER_DUMP_PATH"};
   bool good = true;
   for (size_t i = 0; mesa->software && good && i < ARRAY_COUNT(names); i++) {
      good = string_list_add(all, "-u") && string_list_add(all, names[i]);
   }
   return good;
}

/* env's words for the folder and the Mesa, the Mesa's, and the program's. ggml takes a driver for the processor only if
 * it is told its number. */
static bool join(const struct mesa *mesa, char **start, const struct string_list *words, const char *home,
                 const char *starts, struct string_list *all)
{
   bool good = start != NULL && string_list_add(all, "env");
   good = good && add_unset(mesa, all);
   if (good && home[0] != '\0') {
      good = string_list_add(all, "-C") && string_list_add(all, starts) && string_list_add(all, home);
   }
   good = good && (!mesa->software || string_list_add(all, "GGML_VK_VISIBLE_DEVICES=0"));
   for (size_t i = 0; good && start[i] != NULL; i++) {
      good = string_list_add(all, start[i]);
   }
   for (size_t i = 0; good && i < words->count; i++) {
      good = string_list_add(all, words->items[i]);
   }
   return good;
}

int app_start(const struct mesa *mesa, const char *device, const struct string_list *words, const char *folder,
              const char *starts, struct app_run *run)
{
   struct string_list all = {.count = 0};
   struct outputs outputs;
   char home[MESA_PATH + 8] = "";
   int report = -1, code = EXIT_OK;
   *run = (struct app_run){.status = EXIT_FAILED};
   if (folder[0] != '\0') {
      snprintf(home, sizeof(home), "HOME=%s", folder);
   }
   char **start = mesa_start(mesa);
   if (!join(mesa, start, words, home, starts, &all)) {
      code = complain(EXIT_FAILED, "out of memory");
   } else if (!redirect(&outputs)) {
      restore(&outputs);
      code = complain(EXIT_FAILED, "the output of %s: %s", words->items[0], strerror(errno));
   } else {
      const double begun = util_clock_seconds();
      run->status = with_device_call(device, &all, &report);
      run->seconds = util_clock_seconds() - begun;
      restore(&outputs);
      run->text = read_text(outputs.file);
      if (report < 0) {
         code = complain(EXIT_FAILED, "%s", run->text != NULL ? run->text : "the program was not started");
      } else if (run->text == NULL || !device_report_read(report, &run->report)) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   if (report >= 0) {
      close(report);
   }
   string_list_finish(&all);
   mesa_start_finish(start);
   return code;
}

void app_run_finish(struct app_run *run)
{
   free(run->text);
   device_report_finish(&run->report);
   *run = (struct app_run){.status = EXIT_FAILED};
}
