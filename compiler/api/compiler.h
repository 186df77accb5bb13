/* SPDX-License-Identifier: MIT
 *
 * Mesa's AGX compiler as agx-runner uses it: OpenCL C, SPIR-V and NIR become struct agx_program. No type of Mesa is
 * visible here; NIR builders also include compiler/nir.h.
 *
 * Compilations run in processes of their own, with limits (compiler/api/service.h): a crash
 * of clang, the SPIR-V translator or Mesa is a result, not the caller's end.
 *
 * Not safe to call from several threads at once.
 */
#ifndef COMPILER_COMPILER_H
#define COMPILER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler/refusal/refusal.h"
#include "isa/program.h"

struct compiler_options {
   bool atomic_coherency; /* device atomics need bit 45 (G13X and multi-die): asahi_device_info */
   bool soft_faults;      /* the device guarantees soft faults, so loads may be hoisted */
   bool keep_atomics;     /* skip Mesa's uniform-atomic reduction */
   bool lines;            /* programs get source lines (agx_program.lines); their code is the same */
   /* kernels without the attribute reqd_work_group_size are compiled with this one; 0,0,0: without */
   uint32_t group[3];
   const char *kernel;    /* the only kernel of SPIR-V to compile; NULL: all */
   const char *arguments; /* OpenCL build options, "-cl-fast-relaxed-math -DN=4"; NULL: none */
};

/* A build option that defines this macro disables agx-runner's own repairs of front-end and backend faults
 * (-DAGX_RUNNER_NO_REPAIRS; docs/fuzzing.md). Other implementations of OpenCL accept such an option, too. */
#define COMPILER_NO_REPAIRS "AGX_RUNNER_NO_REPAIRS"
bool compiler_repairs(const struct compiler_options *options);

/* How the process of a compilation ended without a result. */
struct compiler_crash {
   bool crashed;
   bool late;        /* it exceeded its time limit */
   int signal;       /* 0: none */
   char stage[64];   /* the stage in words: "Mesa's AGX backend" */
   char kernel[128]; /* the kernel; "": no particular one */
};

/* A kernel of the file for which there is no program. */
struct compiler_refusal {
   char *kernel;                /* its name */
   char *reason;                /* its part of the log */
   struct refusal why;          /* the last line of the reason, as a struct */
   struct compiler_crash crash; /* the compiler crashed on this kernel */
};

/* The kernels of a module that are still to be compiled, each in a process of its own. */
struct compiler_pending {
   uint32_t *words; /* the module, in the host's byte order */
   size_t count;
   char **kernels; /* names */
   size_t kernel_count;
};

/* The result of a compilation. `log` has the compiler's own messages with file and line, including warnings; there are
 * no programs if it failed. Kernels are independent: if one is refused, or the compiler crashes on it, the others are
 * not lost. */
struct compiler_result {
   struct agx_program **programs; /* one for each kernel, in source order */
   size_t count;
   struct compiler_refusal *refused; /* the other kernels, in source order */
   size_t refused_count;
   char *log; /* NUL-terminated; NULL only after -ENOMEM */
   /* Why there is no program; among several kernels, an error comes before a refusal of another kind, then the first.
    * who: REFUSAL_NONE if there are programs. */
   struct refusal why;
   struct compiler_crash crash;     /* how the compiler crashed, if it did and there is no program */
   struct compiler_pending pending; /* empty in the results of the functions below */
};
void compiler_result_finish(struct compiler_result *result); /* frees its members */

/* Whether there is no program, and each kernel needs a feature that is missing (refusal_is_unsupported()). */
bool compiler_result_is_unsupported(const struct compiler_result *result);
/* Whether there is no program, and the front end refused a kernel (refusal_is_front_end()). */
bool compiler_result_is_front_end(const struct compiler_result *result);

/* Returns the refusal of the kernel of that name, or NULL. */
const struct compiler_refusal *compiler_result_refusal(const struct compiler_result *result, const char *kernel);

/* Limits of one process of the compiler, for all later compilations. They apply only while compilations have processes
 * of their own: one for a file with one kernel; otherwise one for the front end and one for each kernel. 0: no
 * limit. */
#define COMPILER_SECONDS 300
#define COMPILER_MEMORY_MIB 4096
struct compiler_limits {
   double seconds;      /* processor time; the limit of wall time is ten times as long */
   uint32_t memory_mib; /* memory that it allocates (RLIMIT_DATA) */
};
void compiler_set_limits(const struct compiler_limits *limits);
/* Compiles in the calling process instead, without limits: for a debugger or valgrind. */
void compiler_set_in_process(bool in_process);
/* From now on one process compiles everything for this process: a fork for each compilation costs more than compiling a
 * short kernel. A crash ends that process and one compilation, which is not tried again. */
void compiler_set_session(void);

/* A compilation ends with -ECANCELED soon after this function returns true. NULL: none does. */
void compiler_set_cancelled(bool (*cancelled)(void));

/* Enables or disables the compilation cache (compiler/cache/cache.h). It is disabled at first. false: virtual devices
 * do not keep compiled code either. */
void compiler_set_cache(bool on);

/* A program without a compiler may use several, each with a server of its own. The functions that follow, and all
 * compilations, are about the one in use: number 0, until compiler_use() takes another one. */
#define COMPILERS 2
void compiler_use(unsigned which);
unsigned compiler_used(void);

/* Which agx-compile compiles, in a program that has no compiler itself. The strings must live as long as the process.
 * `path` NULL: there is none, and `missing` says why. A server of another program is left. */
void compiler_set_program(const char *path, const char *missing);
/* Returns the path of that program; "agx-compile" if there is none. */
const char *compiler_program(void);
/* The same; NULL: there is none, and *missing says why. */
const char *compiler_path(const char **missing);

/* Starts the process that compilations are forked from; the first compilation does it too. Called before a device is
 * opened, that process has no part in the device. 0 or a negative errno. */
int compiler_start(void);
/* Returns that process; 0: it has not been started. */
pid_t compiler_process(void);
/* Waits until it can compile. 0, or a negative errno with a sentence that says why not. */
int compiler_connect(const char **why);

/* Loads libclc once, for processes that are forked from this one and compile there, because loading takes 0.1 s.
 * Compiles nothing. */
void compiler_prepare(void);

/* Returns 0 if there is at least one program, or -EINVAL (see log), -EFAULT (see crash and log), -ENOMEM. `name` is the
 * file name in messages; includes are searched in its folder.
 *
 * Arguments are in the block at OpenCL C's natural alignment, where a vector of three takes the room of four. Pointers
 * have 8 bytes. A local one (AGX_ARGUMENT_LOCAL) holds a byte offset into threadgroup memory in its lower 4 bytes: the
 * program's own threadgroup_bytes come first, memory for local arguments follows, each at a multiple of the pointee's
 * alignment (128 at most). */
int compiler_opencl(const char *name, const char *source, size_t size, const struct compiler_options *options,
                    struct compiler_result *result);
/* The extensions that a kernel may use, separated by spaces as in CL_DEVICE_EXTENSIONS. */
const char *compiler_opencl_extensions(void);

/* Compiles SPIR-V for OpenCL kernels, of either byte order. -EINVAL: it is not SPIR-V or has no kernel. */
int compiler_spirv(const char *name, const void *words, size_t size, const struct compiler_options *options,
                   struct compiler_result *result);

/* A kernel file that was compiled to SPIR-V when agx-runner was built; compile it with compiler_spirv(). Who has
 * such files lists them in its meson.build, which makes a table of them (see compiler/meson.build):
 *
 *    foreach name : ['saxpy', 'atomic_umax32']
 *      spv += custom_target(name + '.spv', input : name + '.cl', output : name + '.spv', depfile : name + '.d',
 *        command : compiler_cl_command)
 *    endforeach
 *    table = custom_target('modules.c', input : spv, output : 'modules.c',
 *      command : [compiler_embed_command, '@OUTPUT@', 'bench_modules', '@INPUT@'])
 */
struct compiler_module {
   const char *name;      /* of the file, without ".cl" */
   const uint32_t *words; /* in the order of the building machine */
   size_t size;           /* bytes */
};

/* Compiles NIR: `build` fills the shader's main function with the given builder (compiler/nir.h). */
struct compiler_nir_info {
   const char *name;
   uint32_t workgroup_size[3]; /* 0,0,0: any */
   uint32_t threadgroup_bytes;
   const struct agx_argument *arguments; /* offsets and sizes; compiler_nir_argument() reads them */
   size_t argument_count;
};
struct nir_builder;
typedef void compiler_nir_build(struct nir_builder *b, const void *data); /* called in the compilation's process */
int compiler_nir(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                 const struct compiler_options *options, struct compiler_result *result);

/* Calls `build` in this process to learn about the kernel, and compiles nothing. Returns 0 or -EINVAL. */
int compiler_nir_build_only(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                            const struct compiler_options *options);

/* Returns the program that hands out stack memory to kernels with scratch_bytes (spec/uapi.md 4.5), for
 * asahi_device_set_helper(). It is the same for all chips. NULL: out of memory. */
struct agx_program *compiler_helper_program(void);

/* Returns "25.0.7", or for a checkout its commit: "25.1.0-devel (git-0123456789)". */
const char *compiler_mesa_version(void);
/* Returns the commit of the source that the compiler's Mesa was built from: 12 digits, "+changes" behind them when
 * files differed from it; "unknown" for a release. util/commit.py writes the definition with every build. */
const char *compiler_mesa_commit(void);

#endif
