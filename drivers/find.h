/* SPDX-License-Identifier: MIT
 *
 * The Mesas of this machine: where each lies, which drivers for Apple GPUs it has, and how a program is started with
 * it.
 */
#ifndef DRIVERS_FIND_H
#define DRIVERS_FIND_H

#include <stdbool.h>
#include <stddef.h>

#define MESA_PATH 4096
#define MESA_WORD 64

/* The variable that names a Mesa where the command line names none. */
#define MESA_VARIABLE "AGX_RUNNER_MESA"

enum mesa_kind {
   MESA_LINKED,    /* the compiler that agx-compile contains: no driver */
   MESA_ROOT,      /* a folder of ci/mesa-get */
   MESA_BUILD,     /* a folder in which Mesa was built; as `meson devenv` uses it */
   MESA_INSTALLED, /* the prefix of an installation */
   MESA_SYSTEM,    /* the machine's own */
   MESA_KINDS,
};

enum mesa_api { MESA_OPENCL, MESA_VULKAN, MESA_OPENGL, MESA_APIS };

struct mesa {
   enum mesa_kind kind;
   char name[MESA_PATH];               /* as --mesa takes it */
   char path[MESA_PATH];               /* absolute; "" of the linked one */
   char version[MESA_WORD];            /* "26.2.6-1"; "": not known */
   char drivers[MESA_APIS][MESA_PATH]; /* a loader's file of the driver, or OpenGL's driver; "": there is none */
   char why[512];                      /* why it is not usable; "": it is */
   bool software;                      /* its drivers for the processor, instead of those for Apple GPUs */
};

/* "OpenCL", and "root of ci/mesa-get". */
const char *mesa_api_name(enum mesa_api api);
const char *mesa_kind_name(enum mesa_kind kind);

/* Describes the Mesa that --mesa or the variable names: "linked", "system", the name of a folder below .cache/drivers,
 * or a folder's path. A folder of ci/mesa-get with MESA_SOFTWARE behind its name is that Mesa's drivers for the
 * processor, lavapipe and llvmpipe, to compare with. What is not usable says why. */
#define MESA_SOFTWARE ":software"
void mesa_describe(const char *name, struct mesa *mesa);

/* Writes the version of that Mesa, and returns it. NULL: it is the linked one, or which is NULL. */
const char *mesa_version(const char *which, char version[MESA_WORD]);

/* All that are found: the linked one, the folders of ci/mesa-get, the variable's, the system's. free() the list. false:
 * out of memory. */
bool mesa_list(struct mesa **list, size_t *count);

/* The words to put before a program's own, so that it uses the Mesa's drivers: a program that starts others. NULL ends
 * them; mesa_start_finish() frees them. NULL: out of memory. */
char **mesa_start(const struct mesa *mesa);
void mesa_start_finish(char **words);

#endif
