/* SPDX-License-Identifier: MIT
 *
 * Reads a folder of .agx programs as a run without figures, for comparisons.
 */
#include "agx_runner/program/count.h"
#include "agx_runner/program/program_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/program/assembly.h"
#include "agx_runner/program/collected/collected.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"

#define DEPTH_MAX 16 /* folders in folders: a link may go round in circles */

static bool is_program(const char *name)
{
   const size_t length = strlen(name);

   return (length > 4 && !strcmp(name + length - 4, ".agx")) || collected_is_program(name);
}

static int add_program(const char *path, const char *name, const struct program_settings *settings,
                       struct result_run *run)
{
   struct agx_program *program = NULL;
   uint8_t *text = NULL;
   size_t size;
   int code = file_read(path, &text, &size);
   struct result *result = code == EXIT_OK ? result_add(run, name) : NULL;

   if (code == EXIT_OK && result == NULL) {
      code = complain(EXIT_FAILED, "out of memory");
   } else if (code == EXIT_OK && assembly_program(path, text, size, settings, &program) != EXIT_OK) {
      result_set(result, RESULT_FAIL, "does not assemble");
   } else if (code == EXIT_OK) {
      result->program_hash = agx_program_hash(program);
      code = program_stats_of(program, &result->program) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   }
   agx_program_destroy(program);
   free(text);
   return code;
}

/* A program of a collection, by the name that it has there. */
static int add_collected(const char *path, const struct collected_folder *folder, struct result_run *run)
{
   char name[RESULT_NAME_MAX];
   const char *why;
   uint8_t *bytes = NULL;
   size_t size;
   int code = file_read(path, &bytes, &size);
   struct agx_program *program = code == EXIT_OK ? collected_program(bytes, size, &why) : NULL;
   if (code == EXIT_OK && program == NULL) {
      code = complain(EXIT_INVALID, "%s: %s", path, why);
   }
   if (code == EXIT_OK) {
      collected_name(folder, path, program->name, name, sizeof(name));
      struct result *result = result_add(run, name);
      code = result == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
      if (result != NULL) {
         result->program_hash = agx_program_hash(program);
         code = program_stats_of(program, &result->program) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
      }
   }
   agx_program_destroy(program);
   free(bytes);
   return code;
}

static int add_folder(const char *path, const char *prefix, unsigned depth, const struct program_settings *settings,
                      struct result_run *run)
{
   struct dirent **entries;
   struct collected_folder collected;
   const int count = scandir(path, &entries, NULL, alphasort);
   int code = EXIT_OK;

   if (count < 0) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   if (!collected_folder_read(path, &collected)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (collected.drivers[0] != '\0') {
      result_run_set_mesa(run, "collected programs", collected.drivers);
   }
   for (int i = 0; i < count; i++) {
      const char *name = entries[i]->d_name;
      char *full = NULL, *below = NULL;
      struct stat status;

      if (code == EXIT_OK && name[0] != '.') {
         if (asprintf(&full, "%s/%s", path, name) < 0 || asprintf(&below, "%s%s", prefix, name) < 0) {
            code = complain(EXIT_FAILED, "out of memory");
         } else if (stat(full, &status) == 0 && S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
            char *inner = NULL;

            code = asprintf(&inner, "%s/", below) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                      : add_folder(full, inner, depth + 1, settings, run);
            free(inner);
         } else if (is_program(name)) {
            code = collected_is_program(name) ? add_collected(full, &collected, run)
                                              : add_program(full, below, settings, run);
         }
      }
      free(full);
      free(below);
      free(entries[i]);
   }
   free(entries);
   collected_folder_finish(&collected);
   return code;
}

int program_folder_load(const char *path, const struct program_settings *settings, const char *command_line,
                        struct result_run *run)
{
   struct asahi_device_info device = {.is_virtual = true};

   snprintf(device.path, sizeof(device.path), "%s", path);
   if (!result_run_init(run, &device, command_line, 0)) {
      result_run_finish(run);
      return complain(EXIT_FAILED, "out of memory");
   }
   int code = add_folder(path, "", 0, settings, run);
   if (code == EXIT_OK && run->count == 0) {
      code = complain(EXIT_INVALID, "%s: no .agx or .agxprog program in it", path);
   }
   if (code != EXIT_OK) {
      result_run_finish(run);
   }
   return code;
}
