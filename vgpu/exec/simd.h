/* SPDX-License-Identifier: MIT
 *
 * What runs: simdgroups, their registers, and instructions in the form in which they are executed.
 *
 * A register is a lane vector: the 32 lanes' words side by side. A value that is the same for all lanes and does not
 * change during a launch (immediates, uniforms) is a lane vector too, made once, so that an instruction reads all its
 * sources alike.
 */
#ifndef VGPU_SIMD_H
#define VGPU_SIMD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"
#include "vgpu/block.h"
#include "vgpu/launch.h"
#include "vgpu/exec/memory.h"

#define VGPU_ALL UINT32_MAX /* exec mask of a full simdgroup */
#define VGPU_MAX_FRAMES 64u /* nested stack_adjust */

struct vgpu_checks;
struct vgpu_group_checks;
struct vgpu_op;
struct vgpu_path;
struct vgpu_program;
struct vgpu_simd;
struct vgpu_simd_checks;
struct vgpu_standing; /* vgpu/postmortem.h */
struct vgpu_worker;

/* ---- Instructions ---- */

/* Where a source's lane vector lies. */
enum vgpu_space {
   VGPU_REGISTERS, /* of the simdgroup */
   VGPU_CONSTANTS, /* of the code: immediates and uniforms */
   /* In compiled runs (vgpu/jit): */
   VGPU_SAME,          /* registers whose words are the same in all lanes */
   VGPU_LITERALS,      /* immediates. LLVM may know the words of this space and those that follow. */
   VGPU_COMPUTED,      /* registers that the run's integer instructions wrote */
   VGPU_SAME_COMPUTED, /* of those, words that are the same in all lanes */
   VGPU_COUNTING,      /* and words that count up by one from lane to lane */
   VGPU_SPACES
};

/* How a word of a lane vector becomes the 32-bit value meant. Only registers have other forms than VGPU_WORD. */
enum vgpu_form {
   VGPU_WORD,        /* as it is */
   VGPU_LOW,         /* the low half, zero-extended */
   VGPU_HIGH,        /* the high half, zero-extended */
   VGPU_LOW_SIGNED,  /* sign-extended */
   VGPU_HIGH_SIGNED, /* sign-extended */
   VGPU_LOW_FLOAT,   /* f16, as f32 */
   VGPU_HIGH_FLOAT,  /* f16, as f32 */
};

struct vgpu_source {
   uint8_t space;       /* enum vgpu_space */
   uint8_t form;        /* enum vgpu_form */
   uint8_t size;        /* bits: 16, 32, 64 (the next lane vector holds the high words) */
   bool sx;             /* the value is signed: how it extends to 64 bits */
   uint32_t vector;     /* words from the space's start */
   uint32_t keep, flip; /* float modifiers: (bits & keep) ^ flip */
};

struct vgpu_dest {
   bool present;
   uint8_t form;    /* VGPU_WORD, VGPU_LOW or VGPU_HIGH */
   uint8_t size;    /* bits: 16, 32, 64 */
   uint16_t half;   /* half-register index */
   uint32_t vector; /* words from the registers' start */
};

/* Runs one instruction on `count` simdgroups that stand at the same place. */
typedef void vgpu_run(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count);

/* A handler comes in four shapes, indexed by the sum of these. */
enum {
   VGPU_MASKED = 1,  /* some lanes may be inactive */
   VGPU_GENERAL = 2, /* some operand is not a plain 32-bit lane vector */
   VGPU_SHAPES = 4,
   /* In compiled runs only: a NaN may have any bits, because only float arithmetic reads the result. */
   VGPU_UNFINISHED = 4
};
struct vgpu_handler {
   vgpu_run *run[VGPU_SHAPES];
};

struct vgpu_op {
   vgpu_run *run[2]; /* all lanes active; some not */
   struct vgpu_dest dst;
   struct vgpu_source src[ISA_MAX_SOURCES];
   /* The members that one kind of instruction needs. */
   union {
      struct {
         uint32_t mask;   /* of components */
         uint32_t format; /* enum isa_format */
         uint32_t element_bytes;
         uint32_t shift; /* of the index, left, in elements; device memory only */
      } memory;
      struct {
         uint32_t operation; /* enum isa_atomic */
      } atomic;
      struct {
         uint32_t first, count; /* half words */
      } uniforms;
      struct {
         uint32_t number;        /* of the special register */
         uint32_t axis, in_grid; /* of a thread position: 0..2; in the grid, else in the threadgroup */
      } special;
      struct {
         uint32_t shift;     /* left, 0..4 */
         uint32_t keep;      /* all ones; 0 where the shift makes the addend vanish */
         uint32_t is_signed; /* saturates to a signed range */
      } addend;
      struct {
         uint32_t condition; /* enum isa_icond or isa_fcond */
         uint32_t invert;
         uint32_t nest; /* n of the exec stack's operations */
         uint32_t quad; /* of ballots */
      } compare;
      struct {
         uint32_t mode; /* enum isa_shuffle */
         uint32_t rotate;
      } shuffle;
      struct {
         uint32_t operation; /* enum isa_reduce */
         uint32_t bits;      /* of an operand */
         uint32_t quad;
      } reduce;
      struct {
         uint32_t round; /* 0: toward zero, 1: to nearest even */
      } convert;
      struct {
         uint32_t mask; /* of the field */
      } bits;
      struct {
         uint8_t mask;               /* of components */
         uint8_t coordinates;        /* without layer and sample */
         uint8_t gather;             /* 1 + the component that is gathered; 0: none */
         bool layered, multisampled; /* behind the coordinates comes the layer, or the sample, or both */
         bool narrow;                /* coordinates have 16 bits */
         bool in_memory;             /* the descriptor; else it is in a state register */
         bool has_level, gradient;   /* src[3] */
         bool shadow, offset;        /* src[4] */
         bool query;                 /* the level, not the texel */
         bool direct;                /* a load for vgpu/exec/semantics/direct.h, as far as the instruction says */
      } image;
      struct { /* a compiled run of ops: vgpu/jit */
         const struct vgpu_op *first;
         const struct vgpu_block *region; /* of a region's code: its blocks, one after the other */
         uint32_t count;
         uint32_t body_count;        /* where the run is a loop's head: */
         const struct vgpu_op *body; /* what comes before another pass through the head */
         uint32_t again;             /* instructions of one more pass through the loop that the run is */
         /* Runs the op of that index, a loop's body counted first, and all after it. */
         void (*interpret)(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t index);
      } native;
   };
   bool saturate, negate;
   /* In compiled runs. Of float arithmetic: no result is a denormal that was rounded up (vgpu/jit/facts/certain.h). Of
    * the exec mask's stack: r0l is 0 in all lanes. Of a load of one word: all lanes get the same. */
   bool certain;
   uint8_t variant, shape;      /* which handler run[] are */
   const struct isa_insn *insn; /* NULL: a compiled run */
   uint64_t address;
};

/* ---- State ---- */

enum vgpu_state { VGPU_READY, VGPU_WAITING /* at a barrier */, VGPU_DONE };

struct vgpu_threadgroup {
   uint64_t number;      /* linear, in the grid */
   uint32_t position[3]; /* in threadgroups */
   uint32_t size[3];     /* threads; less than the launch's at the grid's end */
   uint32_t simds;
   uint32_t ready, waiting; /* of them; the others have stopped */
   uint8_t *memory;         /* threadgroup memory */
   uint32_t bytes;
   bool unchanged;          /* its simdgroups are as they were placed, but for registers that need not be zeroed */
   struct vgpu_simd *first; /* its simdgroups, one after the other */
   struct vgpu_group_checks *checks; /* NULL: off */
};

/* Scratch memory of a simdgroup, word by word: the 32 lanes' first words, then their second ones. */
struct vgpu_stack {
   uint32_t *words;
   size_t allocated;   /* words a lane */
   uint32_t limit;     /* words a lane that the launch allows; 0: none */
   uint32_t top, base; /* words; base: of the innermost frame */
   uint32_t frames[VGPU_MAX_FRAMES];
   unsigned depth;
};

struct vgpu_simd {
   uint32_t *base[VGPU_SPACES];    /* lane vectors, by enum vgpu_space */
   const uint32_t *launched;       /* lane vector: all ones in launched lanes */
   const uint32_t *ids;            /* three lane vectors: thread position in threadgroup */
   const struct vgpu_block *block; /* the one to run next */
   uint32_t exec;
   uint32_t launched_bits;
   int64_t left;   /* instructions that it may still execute */
   uint32_t index; /* in the threadgroup */
   uint8_t state;  /* enum vgpu_state */
   bool ran;       /* block's ops have been run: what ends it comes next */
   bool over;      /* in a compiled region: the `if` that was just run has no lane (vgpu_jit_goes_over()) */
   struct vgpu_threadgroup *group;
   struct vgpu_worker *worker;
   struct vgpu_path *path;          /* where it went, for the timing model; NULL: nobody asks */
   struct vgpu_simd_checks *checks; /* NULL: off */
   struct vgpu_stack stack;
   _Alignas(64) uint32_t mask[VGPU_LANES]; /* exec as a lane vector: 0 or all ones */
};

/* The state that the host threads of a launch share. */
struct vgpu_shared {
   const struct vgpu_launch *launch;
   atomic_uint_fast64_t next_group; /* the first threadgroup that no host thread has taken */
   _Atomic int64_t work;            /* instructions left, and a share for each host thread, which may keep it unspent */
   int64_t share;                   /* that a host thread takes from it at once */
   bool streams;                    /* one word for each thread exceeds the host's caches */
   atomic_bool stop;                /* a fault was raised */
};

/* Simdgroups' instructions that were interpreted although the launch has a compiler, by cause. */
struct vgpu_interpreted {
   uint64_t waiting;           /* in blocks without code for all lanes active */
   uint64_t masked;            /* in blocks without code for some lanes inactive */
   uint64_t again;             /* of code that left them to the interpreter: results near 2^-126, other uniforms */
   uint64_t ops[ISA_OP_COUNT]; /* in blocks with code: those without code of their own, by enum isa_op */
};

/* One host thread's share of a launch. */
struct vgpu_worker {
   const struct vgpu_launch *launch;
   struct vgpu_shared *shared;
   struct vgpu_program *program;
   struct vgpu_memory memory;
   uint16_t *uniforms;           /* writable while the preamble runs, else NULL */
   uint16_t *uniforms_written;   /* likewise */
   struct vgpu_outside *outside; /* likewise */
   struct vgpu_states *states;   /* likewise */
   bool stop;                    /* a fault was raised, here or elsewhere */
   bool streams;                 /* compiled code writes each word once, and more than the host's caches hold */
   /* The number of whole cohorts, consecutive in x, that compiled code may run in one call. Before each but the first
    * it advances the threadgroups, and it subtracts the number that it ran. 0: it runs the given cohort only. */
   uint32_t consecutive;
   int64_t allowance;    /* instructions until the job's work is asked again */
   int64_t budget;       /* of each simdgroup */
   int64_t until_sample; /* instructions until the compiler is told which block runs */
   int64_t period;       /* instructions from the last sample to that one */
   uint64_t sampled_ns;  /* processor time of the host thread at the last sample; 0: none in this launch */
   uint64_t carried_ns;  /* of earlier launches since the last sample */
   uint64_t began_ns;    /* util_clock_ns() when this launch began, or at its last sample */
   enum vgpu_fault fault;
   struct vgpu_standing *faulted; /* of a fault at an instruction; NULL: none, or nobody asks */
   uint64_t faulted_group;
   char message[sizeof(((struct vgpu_outcome *)0)->message)];
   uint64_t instructions, thread_instructions;
   struct vgpu_interpreted interpreted;  /* of these instructions; nobody asks without a compiler */
   struct vgpu_descriptors *descriptors; /* of images, decoded (exec_image.c); the launch frees them. NULL: none yet */
};

/* The lane vector that a source names. */
static inline uint32_t *vgpu_source_vector(const struct vgpu_simd *simd, const struct vgpu_source *source)
{
   return simd->base[source->space] + source->vector;
}

static inline uint32_t *vgpu_dest_vector(const struct vgpu_simd *simd, const struct vgpu_dest *dest)
{
   return simd->base[VGPU_REGISTERS] + dest->vector;
}

#endif
