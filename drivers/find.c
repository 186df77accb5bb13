/* SPDX-License-Identifier: MIT
 *
 * Finds Mesas by the files that each kind of folder has. Invariant: nothing is started and no library is opened, so
 * that a broken driver breaks nothing here.
 */
#include "drivers/find.h"

#include <glob.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

#define ROOTS ".cache/drivers"
/* That a folder's program, and the hosts, take. */
#define SOFTWARE_VARIABLE "AGX_MESA_SOFTWARE"

static const char *const api_names[MESA_APIS] = {"OpenCL", "Vulkan", "OpenGL"};
static const char *const kind_names[MESA_KINDS] = {"linked compiler", "folder of ci/mesa-get", "build folder",
                                                   "installation", "system"};

const char *mesa_api_name(enum mesa_api api)
{
   return api_names[api];
}

const char *mesa_kind_name(enum mesa_kind kind)
{
   return kind_names[kind];
}

/* ---- Files ---- */

/* Writes the first file that the pattern finds below the folder. */
static bool look(const char *folder, const char *pattern, char found[MESA_PATH])
{
   char joined[MESA_PATH];
   glob_t matches;
   const int length = snprintf(joined, sizeof(joined), "%s/%s", folder, pattern);
   if (length < 0 || (size_t)length >= sizeof(joined) || glob(joined, 0, NULL, &matches) != 0) {
      return false;
   }
   const bool fits = snprintf(found, MESA_PATH, "%s", matches.gl_pathv[0]) < MESA_PATH;
   globfree(&matches);
   return fits;
}

static bool has(const char *folder, const char *pattern)
{
   char found[MESA_PATH];
   return look(folder, pattern, found);
}

/* ---- Kinds of folders ---- */

/* Where each kind has the files of the loaders, by API; the first pattern that matches counts. OpenGL's driver is the
 * one whose name says that it is of Apple GPUs, or in a build folder the library of all drivers. */
#define PATTERNS 3
static const char *const driver_patterns[MESA_KINDS][MESA_APIS][PATTERNS] = {
    [MESA_ROOT] = {{"vendors/rusticl.icd"}, {"asahi_icd.json"}, {"root/usr/lib/*/dri/asahi_dri.so"}},
    [MESA_BUILD] = {{"src/gallium/targets/rusticl/rusticl.icd"},
                    {"src/asahi/vulkan/asahi_devenv_icd*.json"},
                    {"src/gallium/targets/dri/libgallium-*.so", "src/gallium/targets/dri/libgallium_dri.so"}},
    [MESA_INSTALLED] = {{"etc/OpenCL/vendors/rusticl.icd"},
                        {"share/vulkan/icd.d/asahi_icd*.json"},
                        {"lib/*/dri/asahi_dri.so", "lib64/dri/asahi_dri.so", "lib/dri/asahi_dri.so"}},
    [MESA_SYSTEM] = {{"etc/OpenCL/vendors/rusticl.icd"},
                     {"usr/share/vulkan/icd.d/asahi_icd*.json", "etc/vulkan/icd.d/asahi_icd*.json"},
                     {"usr/lib/*/dri/asahi_dri.so", "usr/lib64/dri/asahi_dri.so", "usr/lib/dri/asahi_dri.so"}},
};

/* The libraries that the loader's files name. In a build folder they are missing until ninja has linked them. */
static const char *const build_libraries[MESA_APIS] = {"src/gallium/targets/rusticl/libRusticlOpenCL.so.1",
                                                       "src/asahi/vulkan/libvulkan_asahi.so", NULL};

static void find_drivers(struct mesa *mesa)
{
   for (unsigned api = 0; api < MESA_APIS; api++) {
      const char *const *patterns = driver_patterns[mesa->kind][api];
      for (unsigned i = 0; i < PATTERNS && patterns[i] != NULL && mesa->drivers[api][0] == '\0'; i++) {
         (void)look(mesa->path, patterns[i], mesa->drivers[api]);
      }
      if (mesa->kind == MESA_BUILD && build_libraries[api] != NULL && !has(mesa->path, build_libraries[api])) {
         mesa->drivers[api][0] = '\0';
      }
   }
}

/* ---- Versions ---- */

/* The line "mesa-vulkan-drivers 26.2.6-1 HASH" of the list of packages. */
static void read_root_version(struct mesa *mesa)
{
   char path[MESA_PATH + 16], line[512];
   snprintf(path, sizeof(path), "%s/packages", mesa->path);
   FILE *file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (sscanf(line, "mesa-vulkan-drivers %63s", mesa->version) == 1) {
         break;
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

static void read_build_version(struct mesa *mesa)
{
   char path[MESA_PATH + 40];
   struct json_object *version;
   snprintf(path, sizeof(path), "%s/meson-info/intro-projectinfo.json", mesa->path);
   struct json_object *info = json_object_from_file(path);
   if (info != NULL && json_object_object_get_ex(info, "version", &version)) {
      snprintf(mesa->version, sizeof(mesa->version), "%s", json_object_get_string(version));
   }
   json_object_put(info);
}

/* From the name of the library of all OpenGL and OpenCL drivers: "libgallium-25.0.7-2.so". */
static void read_installed_version(struct mesa *mesa)
{
   static const char *const patterns[] = {"lib/*/libgallium-*.so",     "lib64/libgallium-*.so",
                                          "lib/libgallium-*.so",       "usr/lib/*/libgallium-*.so",
                                          "usr/lib64/libgallium-*.so", "usr/lib/libgallium-*.so"};
   char path[MESA_PATH];
   for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
      if (look(mesa->path, patterns[i], path)) {
         const char *start = strstr(strrchr(path, '/'), "libgallium-") + strlen("libgallium-");
         snprintf(mesa->version, sizeof(mesa->version), "%.*s", (int)strcspn(start, "/") - (int)strlen(".so"), start);
         return;
      }
   }
}

static void (*const read_version[MESA_KINDS])(struct mesa *mesa) = {
    [MESA_ROOT] = read_root_version,
    [MESA_BUILD] = read_build_version,
    [MESA_INSTALLED] = read_installed_version,
    [MESA_SYSTEM] = read_installed_version,
};

/* ---- Descriptions ---- */

__attribute__((format(printf, 2, 3))) static void refuse(struct mesa *mesa, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(mesa->why, sizeof(mesa->why), format, arguments);
   va_end(arguments);
}

static enum mesa_kind kind_of(const char *folder)
{
   return has(folder, "run") && has(folder, "packages") ? MESA_ROOT
          : has(folder, "meson-info")                   ? MESA_BUILD
                                                        : MESA_INSTALLED;
}

static void describe_folder(struct mesa *mesa)
{
   find_drivers(mesa);
   read_version[mesa->kind](mesa);
   const bool any = mesa->drivers[MESA_OPENCL][0] != '\0' || mesa->drivers[MESA_VULKAN][0] != '\0' ||
                    mesa->drivers[MESA_OPENGL][0] != '\0';
   if (mesa->kind == MESA_ROOT && !has(mesa->path, ".done")) {
      refuse(mesa, "ci/mesa-get did not finish it: run ci/mesa-get again");
   } else if (!any && mesa->kind == MESA_BUILD) {
      refuse(mesa, "no driver for Apple GPUs is built there: it needs -Dvulkan-drivers=asahi, or "
                   "-Dgallium-drivers=asahi with -Dgallium-rusticl=true, and ninja");
   } else if (!any && mesa->kind == MESA_SYSTEM) {
      refuse(mesa, "no driver for Apple GPUs is installed on this machine");
   } else if (!any) {
      refuse(mesa, "it is no folder of ci/mesa-get, no build folder of Mesa, and no installation with a driver for "
                   "Apple GPUs");
   }
}

/* The folder below .cache/drivers, in the current folder or in the source tree that this program was built in. */
static bool find_root(const char *name, char path[MESA_PATH])
{
   char program[MESA_PATH], joined[2 * MESA_PATH];
   const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
   program[length > 0 ? length : 0] = '\0';
   char *slash = strrchr(program, '/');
   if (slash != NULL) {
      *slash = '\0';
   }
   const char *const from[] = {".", program};
   const char *const up[] = {"", "/../.."};
   for (size_t i = 0; i < ARRAY_COUNT(from); i++) {
      snprintf(joined, sizeof(joined), "%s%s/" ROOTS "/%s", from[i], up[i], name);
      char *found = realpath(joined, NULL);
      const bool fits = found != NULL && snprintf(path, MESA_PATH, "%s", found) < MESA_PATH;
      free(found);
      if (fits) {
         return true;
      }
   }
   return false;
}

static bool find_path(const char *name, char path[MESA_PATH])
{
   if (strchr(name, '/') == NULL && find_root(name, path)) {
      return true;
   }
   char *found = realpath(name, NULL);
   const bool fits = found != NULL && snprintf(path, MESA_PATH, "%s", found) < MESA_PATH;
   free(found);
   return fits;
}

/* Whether the folder's program takes the variable that add_words() sets. */
static bool run_knows_software(const char *folder)
{
   char path[MESA_PATH + 8], line[1024];
   bool knows = false;
   snprintf(path, sizeof(path), "%s/run", folder);
   FILE *file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      knows |= strstr(line, SOFTWARE_VARIABLE) != NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return knows;
}

/* rusticl and OpenGL's driver compile for the processor, too; Vulkan's driver for it is another. */
static void take_software(struct mesa *mesa)
{
   mesa->software = true;
   mesa->drivers[MESA_VULKAN][0] = '\0';
   (void)look(mesa->path, "lvp_icd.json", mesa->drivers[MESA_VULKAN]);
   if (mesa->why[0] == '\0' && (mesa->kind != MESA_ROOT || mesa->drivers[MESA_VULKAN][0] == '\0')) {
      refuse(mesa, MESA_SOFTWARE " is for the folders of ci/mesa-get, which have lavapipe");
   } else if (mesa->why[0] == '\0' && !run_knows_software(mesa->path)) {
      refuse(mesa, "the folder is older than " MESA_SOFTWARE ": run ci/mesa-get again");
   }
}

void mesa_describe(const char *name, struct mesa *mesa)
{
   const size_t length = strlen(name), suffix = strlen(MESA_SOFTWARE);
   if (length > suffix && strcmp(name + length - suffix, MESA_SOFTWARE) == 0) {
      char before[MESA_PATH];
      snprintf(before, sizeof(before), "%.*s", (int)(length - suffix), name);
      mesa_describe(before, mesa);
      snprintf(mesa->name, sizeof(mesa->name), "%s", name);
      take_software(mesa);
      return;
   }
   *mesa = (struct mesa){.kind = MESA_INSTALLED};
   snprintf(mesa->name, sizeof(mesa->name), "%s", name);
   if (strcmp(name, "linked") == 0) {
      mesa->kind = MESA_LINKED;
   } else if (strcmp(name, "system") == 0) {
      mesa->kind = MESA_SYSTEM;
      describe_folder(mesa);
   } else if (!find_path(name, mesa->path)) {
      refuse(mesa,
             "there is no such folder, and none below " ROOTS ": `ci/mesa-get %s` fetches Debian's Mesa of a suite",
             strchr(name, '/') == NULL ? name : "SUITE");
   } else {
      mesa->kind = kind_of(mesa->path);
      describe_folder(mesa);
   }
}

const char *mesa_version(const char *which, char version[MESA_WORD])
{
   struct mesa mesa = {.kind = MESA_LINKED};
   if (which != NULL) {
      mesa_describe(which, &mesa);
   }
   snprintf(version, MESA_WORD, "%s", mesa.version[0] != '\0' ? mesa.version : "unknown");
   return mesa.kind == MESA_LINKED ? NULL : version;
}

/* ---- The list ---- */

struct listing {
   struct mesa *list;
   size_t count;
};

/* A folder that the list has already is not added again. */
static bool add(struct listing *listing, const char *name)
{
   struct mesa described;
   mesa_describe(name, &described);
   for (size_t i = 0; i < listing->count; i++) {
      if (listing->list[i].kind == described.kind && strcmp(listing->list[i].path, described.path) == 0) {
         return true;
      }
   }
   if (!ARRAY_RESERVE_ONE(listing->list, listing->count)) {
      return false;
   }
   listing->list[listing->count++] = described;
   return true;
}

static bool add_roots(struct listing *listing)
{
   char folder[MESA_PATH], pattern[MESA_PATH + 8];
   glob_t matches;
   bool good = true;
   if (!find_root("", folder)) {
      return true;
   }
   snprintf(pattern, sizeof(pattern), "%s/*", folder);
   if (glob(pattern, GLOB_ONLYDIR, NULL, &matches) != 0) {
      return true;
   }
   for (size_t i = 0; good && i < matches.gl_pathc; i++) {
      good = add(listing, strrchr(matches.gl_pathv[i], '/') + 1);
   }
   globfree(&matches);
   return good;
}

bool mesa_list(struct mesa **list, size_t *count)
{
   struct listing listing = {.count = 0};
   const char *named = getenv(MESA_VARIABLE);
   const bool good = add(&listing, "linked") && add_roots(&listing) &&
                     (named == NULL || named[0] == '\0' || add(&listing, named)) && add(&listing, "system");
   if (!good) {
      free(listing.list);
      listing = (struct listing){.count = 0};
   }
   *list = listing.list;
   *count = listing.count;
   return good;
}

/* ---- Programs ---- */

#define MOST_WORDS 8

struct words {
   char **list; /* NULL ends them */
   size_t count;
   bool failed;
};

/* Adds "VARIABLE=value", or the value alone; a variable without a value is not set. */
static void add_word(struct words *words, const char *variable, const char *value)
{
   char *word = NULL;
   if (value[0] == '\0' || words->failed) {
      return;
   }
   words->failed = asprintf(&word, "%s%s%s", variable, variable[0] != '\0' ? "=" : "", value) < 0;
   if (!words->failed) {
      words->list[words->count++] = word;
   }
}

/* Puts the folders with the Mesa's libraries before those that are searched anyway. */
static void add_library_path(struct words *words, const struct mesa *mesa)
{
   static const char *const folders[] = {"src/gallium/targets/rusticl",
                                         "src/gallium/targets/dri",
                                         "src/gbm",
                                         "src/egl",
                                         "lib64",
                                         "lib",
                                         "lib/*-linux-gnu"};
   const char *before = getenv("LD_LIBRARY_PATH");
   char found[MESA_PATH], *joined = strdup(before != NULL ? before : "");
   for (size_t i = 0; joined != NULL && i < ARRAY_COUNT(folders); i++) {
      char *longer = NULL;
      if (look(mesa->path, folders[i], found)) {
         longer = asprintf(&longer, "%s%s%s", found, joined[0] != '\0' ? ":" : "", joined) < 0 ? NULL : longer;
         free(joined);
         joined = longer;
      }
   }
   words->failed |= joined == NULL;
   if (joined != NULL) {
      add_word(words, "LD_LIBRARY_PATH", joined);
   }
   free(joined);
}

/* The loaders' variables. A folder of ci/mesa-get has a program that sets them. */
static void add_words(struct words *words, const struct mesa *mesa)
{
   if (mesa->kind == MESA_ROOT) {
      char run[MESA_PATH + 8];
      snprintf(run, sizeof(run), "%s/run", mesa->path);
      if (mesa->software) {
         add_word(words, "", "env");
         add_word(words, SOFTWARE_VARIABLE, "1");
      }
      add_word(words, "", run);
      return;
   }
   add_word(words, "", "env");
   add_word(words, "OCL_ICD_VENDORS", mesa->drivers[MESA_OPENCL]);
   add_word(words, "RUSTICL_ENABLE", "asahi");
   add_word(words, "VK_DRIVER_FILES", mesa->drivers[MESA_VULKAN]);
   add_word(words, "VK_ICD_FILENAMES", mesa->drivers[MESA_VULKAN]);
   if (mesa->kind != MESA_SYSTEM) {
      add_library_path(words, mesa);
   }
}

char **mesa_start(const struct mesa *mesa)
{
   struct words words = {.list = calloc(MOST_WORDS, sizeof(*words.list))};
   if (words.list == NULL) {
      return NULL;
   }
   add_words(&words, mesa);
   if (words.failed) {
      mesa_start_finish(words.list);
      return NULL;
   }
   return words.list;
}

void mesa_start_finish(char **words)
{
   for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
      free(words[i]);
   }
   free(words);
}
