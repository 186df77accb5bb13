/* SPDX-License-Identifier: MIT
 *
 * A layer of OpenCL's loader (OPENCL_LAYERS) that keeps the source of each program and what it is built with.
 * Invariant: each call goes on to the driver as it came, and its answer comes back as it is.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/layer/keep.h"

#define EXPORT __attribute__((visibility("default")))
#define PROGRAM 'p'
#define SPIRV_MAGIC 0x07230203u

static struct _cl_icd_dispatch next, ours;

/* Notes "source HASH.cl" of the program. */
static void note_source(cl_program program, const void *bytes, size_t size, const char *suffix)
{
   char hash[KEEP_HASH];
   struct keep_text text;
   (void)keep_file(bytes, size, suffix, hash);
   keep_start(&text);
   if (text.file != NULL) {
      fprintf(text.file, "source %s%s\n", hash, suffix);
   }
   keep_note(PROGRAM, NULL, (uint64_t)(uintptr_t)program, keep_end(&text));
}

static cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *error)
{
   cl_program program = next.clCreateProgramWithSource(context, count, strings, lengths, error);
   struct keep_text text;
   if (program == NULL) {
      return NULL;
   }
   keep_start(&text);
   for (cl_uint i = 0; text.file != NULL && i < count; i++) {
      const size_t length = lengths != NULL && lengths[i] > 0 ? lengths[i] : strlen(strings[i]);
      (void)fwrite(strings[i], 1, length, text.file);
   }
   char *whole = keep_end(&text);
   if (whole != NULL) {
      note_source(program, whole, text.size, ".cl");
   }
   free(whole);
   return program;
}

static cl_program CL_API_CALL create_with_il(cl_context context, const void *il, size_t size, cl_int *error)
{
   cl_program program = next.clCreateProgramWithIL(context, il, size, error);
   uint32_t magic = 0;
   memcpy(&magic, il, size < sizeof(magic) ? 0 : sizeof(magic));
   if (program != NULL && magic == SPIRV_MAGIC) {
      note_source(program, il, size, ".spv");
   }
   return program;
}

/* The names of the program's kernels, where it has been built: "name;other". free() them. */
static char *names_of(cl_program program)
{
   size_t size = 0;
   char *names = NULL;
   if (next.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size) == CL_SUCCESS && size > 1) {
      names = malloc(size);
   }
   if (names != NULL && next.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL) != CL_SUCCESS) {
      free(names);
      names = NULL;
   }
   return names;
}

/* Keeps what was built. done: the names of the kernels are known. */
static void keep_built(cl_program program, const char *options, bool done)
{
   char *source = keep_noted(PROGRAM, NULL, (uint64_t)(uintptr_t)program);
   char *names = source != NULL && done ? names_of(program) : NULL, *rest = names;
   struct keep_text text;
   if (source == NULL) {
      return;
   }
   keep_start(&text);
   if (text.file != NULL) {
      fprintf(text.file, "agx-built 1\napi opencl\n%s", source);
      if (options != NULL && *options != '\0') {
         fprintf(text.file, "options %.*s\n", (int)strcspn(options, "\n"), options);
      }
      for (char *name; (name = strsep(&rest, ";")) != NULL;) {
         fprintf(text.file, "kernel %s\n", name);
      }
   }
   keep_end_file(&text, ".kernels.built");
   free(names);
   free(source);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
   const cl_int result = next.clBuildProgram(program, count, devices, options, notify, data);
   keep_built(program, options, result == CL_SUCCESS && notify == NULL);
   return result;
}

static cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                  cl_uint headers, const cl_program *header, const char **names,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
   const cl_int result = next.clCompileProgram(program, count, devices, options, headers, header, names, notify, data);
   keep_built(program, options, false);
   return result;
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *written)
{
   static const char name[] = "agx-runner: sources";
   static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
   const void *from = what == CL_LAYER_API_VERSION ? (const void *)&version : name;
   const size_t bytes = what == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(name);
   if ((what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) || (value != NULL && size < bytes)) {
      return CL_INVALID_VALUE;
   }
   if (value != NULL) {
      memcpy(value, from, bytes);
   }
   if (written != NULL) {
      *written = bytes;
   }
   return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *entries_ret,
                                      const struct _cl_icd_dispatch **layer)
{
   const size_t known = sizeof(next) / sizeof(void *);
   if (target == NULL || entries_ret == NULL || layer == NULL) {
      return CL_INVALID_VALUE;
   }
   memcpy(&next, target, (entries < known ? entries : known) * sizeof(void *));
   ours = next;
   ours.clCreateProgramWithSource = create_with_source;
   ours.clBuildProgram = build;
   ours.clCompileProgram = next.clCompileProgram != NULL ? compile : NULL;
   ours.clCreateProgramWithIL = next.clCreateProgramWithIL != NULL ? create_with_il : NULL;
   *layer = &ours;
   *entries_ret = entries < known ? entries : (cl_uint)known;
   return CL_SUCCESS;
}
