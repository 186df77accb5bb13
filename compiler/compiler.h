/* SPDX-License-Identifier: MIT
 *
 * Mesa's AGX compiler as agx-runner uses it: OpenCL C, SPIR-V and NIR become struct agx_program. No Mesa type
 * shows here; NIR builders include compiler/nir.h besides.
 *
 * Compilations run in processes of their own, with limits (compiler/service.h): a crash
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
   bool atomic_coherency; /* device atomics with bit 45 (G13X and multi-die): asahi_device_info */
   bool soft_faults;      /* the device promises soft faults: loads may be hoisted */
   bool keep_atomics;     /* leave out Mesa's uniform-atomic reduction */
   bool lines;            /* programs get source lines (agx_program.lines); their code is the same */
   uint32_t group[3];  /* kernels without the attribute reqd_work_group_size are compiled with this one; 0,0,0: as they
                          are */
   const char *kernel; /* of SPIR-V, compile this kernel alone; NULL: all */
   const char *arguments; /* OpenCL build options, "-cl-fast-relaxed-math -DN=4"; NULL: none */
};

/* The macro that leaves out agx-runner's own repairs of what the front end and the backend make wrong, where a build
 * option defines it (-DAGX_RUNNER_NO_REPAIRS; docs/fuzzing.md). Other implementations of OpenCL take such an option,
 * too.
 */
#define COMPILER_NO_REPAIRS "AGX_RUNNER_NO_REPAIRS"
bool compiler_repairs(const struct compiler_options *options);

/* How the process of a compilation ended without a result. */
struct compiler_crash {
   bool crashed;
   bool late;        /* it exceeded its limit of time */
   int signal;       /* 0: none */
   char stage[64];   /* where, in words: "Mesa's AGX backend" */
   char kernel[128]; /* which kernel; "": no single one */
};

/* A kernel of the file that did not become a program. */
struct compiler_refusal {
   char *kernel;                /* its name */
   char *reason;                /* its part of the log */
   struct refusal why;          /* the last line of that, in parts */
   struct compiler_crash crash; /* the compiler crashed on this kernel */
};

/* The kernels of a module that are still to be compiled, each in a process of its own. */
struct compiler_pending {
   uint32_t *words; /* the module, in the host's byte order */
   size_t count;
   char **kernels; /* names */
   size_t kernel_count;
};

/* What a compilation gave. `log` holds the compiler's own messages with file and line, warnings included;
 * programs is empty when it failed. Each kernel stands for itself: a kernel that is refused, or that the compiler
 * crashes on, does not lose the others. */
struct compiler_result {
   struct agx_program **programs; /* one a kernel, in source order */
   size_t count;
   struct compiler_refusal *refused; /* the other kernels, in source order */
   size_t refused_count;
   char *log; /* NUL-terminated; NULL only after -ENOMEM */
   /* Why there is no program; of several kernels, the one whose refusal is an error, else the first. who: REFUSAL_NONE
    * where there are programs. */
   struct refusal why;
   struct compiler_crash crash;     /* it failed because the compiler crashed, and there is no program */
   struct compiler_pending pending; /* empty in what the functions below return */
};
void compiler_result_finish(struct compiler_result *result); /* frees what it holds */

/* There is no program, and each kernel asks for what somebody lacks (refusal_is_unsupported()). */
bool compiler_result_is_unsupported(const struct compiler_result *result);
/* There is no program, and the front end refused a kernel (refusal_is_front_end()). */
bool compiler_result_is_front_end(const struct compiler_result *result);

/* The refusal of the kernel of that name, or NULL. */
const struct compiler_refusal *compiler_result_refusal(const struct compiler_result *result, const char *kernel);

/* Limits of one process of the compiler, for all compilations that follow. They are in force only while compilations
 * have processes of their own: one for a file with one kernel, else one for the front end and one for each kernel.
 * 0: no limit. */
#define COMPILER_SECONDS 300
#define COMPILER_MEMORY_MIB 4096
struct compiler_limits {
   double seconds;      /* of processor time; waiting included, ten times as many */
   uint32_t memory_mib; /* of memory that it allocates (RLIMIT_DATA) */
};
void compiler_set_limits(const struct compiler_limits *limits);
/* Compiles in the calling process instead, without limits: for a debugger or valgrind. */
void compiler_set_in_process(bool in_process);
/* The same in a worker process, whose crash loses one unit of work: a fork for each compilation costs more than a
 * short kernel's compilation. Where the compiler crashes, the last line on stderr names the stage and the kernel.
 * Returns 0 or a negative errno. */
int compiler_set_worker(void);

/* Takes programs from the compilation cache and keeps them there (compiler/cache/cache.h). Off to begin with. */
void compiler_set_cache(bool on);

/* Starts the process that compilations are forked from; the first compilation does it too. Called before a device is
 * opened, that process has no part in the device. 0 or a negative errno. */
int compiler_start(void);
/* That process; 0: it has not been started. */
pid_t compiler_process(void);

/* Loads libclc once, for processes that are forked from this one and compile there: a load takes 0.1 s. Compiles
 * nothing. */
void compiler_prepare(void);

/* 0 when there is at least one program, or -EINVAL (see log), -EFAULT (see crash and log), -ENOMEM. `name` is the file
 * name in messages; includes are looked up beside it.
 *
 * Arguments lie in the block at OpenCL C's natural alignment, a vector of three taking the room of four. Pointers
 * have 8 bytes. A local one (AGX_ARGUMENT_LOCAL) holds a byte offset into threadgroup memory in its lower 4 bytes:
 * the program's own threadgroup_bytes come first, memory for local arguments behind them, each at a multiple of the
 * pointee's alignment (128 at most). */
int compiler_opencl(const char *name, const char *source, size_t size, const struct compiler_options *options,
                    struct compiler_result *result);
/* What a kernel may ask for, separated by spaces as in CL_DEVICE_EXTENSIONS. */
const char *compiler_opencl_extensions(void);

/* SPIR-V for OpenCL kernels, of either byte order. -EINVAL when it is not SPIR-V or has no kernel. */
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

/* NIR: `build` fills the shader's main function through the builder it is given (compiler/nir.h). */
struct compiler_nir_info {
   const char *name;
   uint32_t workgroup_size[3]; /* 0,0,0: any */
   uint32_t threadgroup_bytes;
   const struct agx_argument *arguments; /* offsets and sizes; read with compiler_nir_argument() */
   size_t argument_count;
};
struct nir_builder;
typedef void compiler_nir_build(struct nir_builder *b, const void *data); /* called in the compilation's process */
int compiler_nir(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                 const struct compiler_options *options, struct compiler_result *result);

/* Calls `build` in this process, for what it finds out about the kernel, and compiles nothing. 0 or -EINVAL. */
int compiler_nir_build_only(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                            const struct compiler_options *options);

/* The program that hands out stack memory to kernels with scratch_bytes (spec/uapi.md 4.5), for
 * asahi_device_set_helper(). The same for all chips. NULL: out of memory. */
struct agx_program *compiler_helper_program(void);

/* "25.0.7", and for a checkout its commit: "25.1.0-devel (git-0123456789)". */
const char *compiler_mesa_version(void);

#endif
