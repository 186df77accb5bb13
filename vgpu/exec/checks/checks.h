/* SPDX-License-Identifier: MIT
 *
 * The checking device: its state of each simdgroup and threadgroup beside their registers and memory. A checked op
 * (checked_op.c) first compares bitmaps of half registers. Only an instruction that accesses a marked half register,
 * or memory, takes the slow path. Invariant: the checks read the program's state and never write it.
 */
#ifndef VGPU_CHECKS_INTERNAL_H
#define VGPU_CHECKS_INTERNAL_H

#include "vgpu/exec/code.h"
#include "vgpu/exec/exec.h"
#include "vgpu/exec/simd.h"

/* How an instruction's result depends on bits that nothing wrote. */
enum vgpu_definedness {
   VGPU_BITS_ANY,     /* one undefined source bit: all of the lane's result */
   VGPU_BITS_MOVE,    /* bits of the data sources move as the instruction moves the data */
   VGPU_BITS_TRUTH,   /* bit by bit, by the truth table and the other source */
   VGPU_BITS_CARRY,   /* the lowest undefined bit and all above it */
   VGPU_BITS_BALLOT,  /* an undefined comparison: this lane's bit in all lanes */
   VGPU_BITS_LANES,   /* one undefined source bit in any lane: all lanes' results */
   VGPU_BITS_SWAP,    /* the first of three xors by which two registers change places: their bits do, too */
   VGPU_BITS_SWAPPED, /* the others of them */
   VGPU_BITS_DEFINED, /* the result does not depend on registers */
   VGPU_BITS_BRANCH,  /* a comparison that sets the exec mask */
   VGPU_BITS_MEMORY,  /* memory.c's */
   VGPU_BITS_STAGE,   /* of vertex and fragment programs alone: stages.c's */
};

struct vgpu_checked_op {
   vgpu_run *run[2]; /* what the op did before it was checked; NULL: nothing */
   struct vgpu_halves reads, writes, discards;
   uint8_t definedness; /* enum vgpu_definedness */
   uint8_t controls;    /* VGPU_BITS_MOVE: the sources that are not data, a bit each */
   bool always;         /* takes the slow road each time */
   bool async;          /* writes its destination later: until the wait on `slot` */
   uint8_t slot;
   bool discarding;
   /* Ops one after the other that are checked together (checked_op.c). 0: not the first of them. */
   uint32_t row;
   struct vgpu_halves row_reads; /* that none of them wrote before */
   struct vgpu_halves row_writes;
   struct vgpu_op shadow;             /* VGPU_BITS_MOVE: the same on the definedness of the data sources */
   uint16_t uniform[ISA_MAX_SOURCES]; /* 1 + the first half word of the uniform that a source is; 0: none */
   bool unwritten;                    /* some of those may have bits that nothing wrote */
   const char *hazard;                /* wrong whatever the registers hold; NULL: nothing */
};

/* Definedness: a bit of the definedness vectors is set where nothing wrote the bit of the register. They follow the
 * registers, in the same order. Behind them lie two lane vectors of zeros, and two for each source that is a uniform.
 */
#define VGPU_SPARE_VECTORS (2u + 2u * ISA_MAX_SOURCES)
struct vgpu_simd_checks {
   struct vgpu_checks *owner;
   struct vgpu_halves undefined;  /* some launched lane's half has undefined bits */
   struct vgpu_halves pending[2]; /* by slot: loads that no wait has followed */
   struct vgpu_halves discarded;
   uint32_t discarded_lanes[VGPU_HALVES];
   const struct vgpu_op *loader[VGPU_HALVES];    /* of pending halves */
   const struct vgpu_op *discarder[VGPU_HALVES]; /* of discarded ones */
   const struct vgpu_op *barrier;                /* at which it waits */
   uint32_t *stack;                              /* definedness of the stack's words, in their order */
   size_t stack_words;                           /* a lane */
};

struct vgpu_accesses;

struct vgpu_group_checks {
   struct vgpu_checks *owner;
   uint8_t *undefined;             /* of the bytes of threadgroup memory */
   struct vgpu_accesses *accesses; /* to the bytes of threadgroup memory */
   uint32_t epoch;                 /* barriers passed, from 1 */
   uint32_t segment;               /* races.c */
   uint32_t first_segment;         /* of the threadgroup */
   uint32_t epoch_segment;         /* the first one since the last barrier */
   uint32_t acquired;
};

struct vgpu_races;

struct vgpu_checks {
   const struct vgpu_launch *launch;
   const struct vgpu_lane_checks *lanes;
   uint32_t definedness_words; /* from a register to its definedness */
   uint32_t groups_count, simds_count;
   struct vgpu_group_checks *groups;
   struct vgpu_simd_checks *simds;
   struct vgpu_races *races; /* of device memory; NULL: off. The launch's own, or `own` */
   struct vgpu_races *own;
   size_t last_range; /* of the launch's: the last one that was touched */
   struct {
      const struct vgpu_op *first, *end;
      const struct vgpu_simd *simd; /* the first of the simdgroups */
   } row;                           /* that was executed as a whole */
};

extern const struct vgpu_check_hooks vgpu_check_hooks;
/* The hooks that other files than state.c define. */
struct vgpu_checked_op *vgpu_check_ops_create(size_t count);
void vgpu_check_bind(const struct vgpu_binder *binder, struct vgpu_op *op);
void vgpu_check_rebind(const struct vgpu_code *code, const struct vgpu_launch *launch, bool preamble, uint32_t halves);
void vgpu_check_bound(const struct vgpu_code *code);
void vgpu_check_control(struct vgpu_simd *simd, const struct vgpu_block *block);
void vgpu_check_release(struct vgpu_threadgroup *group);
/* Whether a lane's result depends on that lane's sources alone. */
bool vgpu_undefined_by_lane(const struct vgpu_checked_op *checked, const struct vgpu_op *op);

/* ---- Small things ---- */

static inline struct vgpu_checked_op *vgpu_check_op(const struct vgpu_code *code, const struct vgpu_op *op)
{
   return &code->checked[op - code->ops];
}

static inline bool vgpu_checks_on(const struct vgpu_simd *simd, enum vgpu_check check)
{
   return simd->checks->owner->launch->checks & check;
}

static inline bool vgpu_halves_meet(const struct vgpu_halves *a, const struct vgpu_halves *b)
{
   return ((a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]) | (a->bits[2] & b->bits[2]) |
           (a->bits[3] & b->bits[3])) != 0;
}

static inline bool vgpu_halves_has(const struct vgpu_halves *set, unsigned half)
{
   return set->bits[half / 64] >> half % 64 & 1;
}

static inline void vgpu_halves_drop(struct vgpu_halves *set, unsigned half)
{
   set->bits[half / 64] &= ~(UINT64_C(1) << half % 64);
}

/* The first half register of both sets from `from` on; VGPU_HALVES: none. */
static inline unsigned vgpu_halves_next(const struct vgpu_halves *a, const struct vgpu_halves *b, unsigned from)
{
   while (from < VGPU_HALVES) {
      uint64_t left = (a->bits[from / 64] & b->bits[from / 64]) >> from % 64;
      if (left) {
         return from + (unsigned)__builtin_ctzll(left);
      }
      from = (from / 64 + 1) * 64;
   }
   return VGPU_HALVES;
}

/* What a source of that form means by a word. Not for sources read as floats. */
static inline uint32_t vgpu_value_as(unsigned form, uint32_t word)
{
   switch (form) {
   case VGPU_LOW:
      return word & 0xffffu;
   case VGPU_HIGH:
      return word >> 16;
   case VGPU_LOW_SIGNED:
      return (uint32_t)(int32_t)(int16_t)word;
   case VGPU_HIGH_SIGNED:
      return (uint32_t)((int32_t)word >> 16);
   default:
      return word;
   }
}

/* The value that a lane's source means; the low word of 64 bits. And of all lanes. */
static inline uint32_t vgpu_lane_value(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd,
                                       unsigned lane)
{
   return vgpu_value_as(op->src[n].form, vgpu_source_vector(simd, &op->src[n])[lane]);
}

static inline void vgpu_lane_values(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd,
                                    uint32_t values[VGPU_LANES])
{
   const uint32_t *words = vgpu_source_vector(simd, &op->src[n]);
   switch (op->src[n].form) {
#define VGPU_VALUES(form)                                                                                              \
   case form:                                                                                                          \
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {                                                             \
         values[lane] = vgpu_value_as(form, words[lane]);                                                              \
      }                                                                                                                \
      break;
      VGPU_VALUES(VGPU_LOW)
      VGPU_VALUES(VGPU_HIGH)
      VGPU_VALUES(VGPU_LOW_SIGNED)
      VGPU_VALUES(VGPU_HIGH_SIGNED)
#undef VGPU_VALUES
   default:
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         values[lane] = words[lane];
      }
      break;
   }
}

/* ---- Reports ---- */

/* Reports a finding at the simdgroup's instruction, in this lane. Findings with one format at one instruction are
 * equal. */
void vgpu_check_found(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_check check, unsigned lane,
                      uint64_t address, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* "r4", "r4l", "r4h". */
struct vgpu_register_name {
   char text[8];
};
struct vgpu_register_name vgpu_name_half(unsigned half, bool word);

/* ---- Memory that an instruction touches ---- */

enum vgpu_memory_kind { VGPU_DEVICE_MEMORY, VGPU_THREADGROUP_MEMORY, VGPU_STACK_MEMORY };

struct vgpu_touch {
   enum vgpu_memory_kind kind;
   bool reads, writes, atomic;
   uint32_t lanes;       /* that touch it */
   uint32_t mask;        /* of elements */
   unsigned element;     /* bytes */
   unsigned span;        /* bytes from a lane's address to the end of its last element */
   uint64_t first, last; /* the lowest and the highest address of the lanes */
   bool even;            /* all lanes: the addresses ascend by `stride` */
   uint64_t stride;
   uint64_t address[VGPU_LANES]; /* of lanes that touch nothing: any value */
};

struct vgpu_access_columns;
struct vgpu_access_run;

/* Of a level: propagate.c. */
struct vgpu_propagation {
   /* The lanes in which one of those sources, a bit each, has undefined bits. Inactive ones have any value. */
   uint32_t (*lanes)(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd,
                     uint32_t sources);
   /* Finds which bits of the result are undefined in the active lanes. For VGPU_BITS_ANY, TRUTH and CARRY. */
   void (*result)(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd);
   /* From threadgroup memory into registers, and back. false: nothing was done; not all lanes are within the memory. */
   bool (*load)(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch);
   bool (*store)(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch);
};

/* Of a level: lanes.c. */
struct vgpu_lane_checks {
   /* false: the instruction touches no memory. */
   bool (*touch_of)(const struct vgpu_op *op, const struct vgpu_simd *simd, struct vgpu_touch *touch);
   /* Notes the accesses of a run where no other thread has an access that is not ordered before them, or where both
    * only read. false: nothing was noted, and each entry must be looked at. */
   bool (*access_run)(const struct vgpu_access_columns *columns, const struct vgpu_access_run *run);
   /* Marks that part of a register's bits as defined in the lanes of the mask. Returns the bits that launched lanes
    * have undefined then. */
   uint32_t (*define)(uint32_t definedness[VGPU_LANES], uint32_t part, const uint32_t mask[VGPU_LANES],
                      const uint32_t launched[VGPU_LANES]);
   const struct vgpu_propagation *propagation;
};

/* ---- The checks: each looks at an instruction before it is executed ---- */

/* vgpu_check_NAME() of VGPU_CHECKS. `touch` is what the instruction does to memory; NULL: nothing. */
#define VGPU_DECLARE_CHECK(constant, bit, name, what)                                                                  \
   void vgpu_check_##name(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,     \
                          const struct vgpu_touch *touch);
VGPU_CHECKS(VGPU_DECLARE_CHECK)
#undef VGPU_DECLARE_CHECK
void vgpu_check_undefined_jump(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd);
/* .bytes is 0 where all of them can be read in one buffer. */
struct vgpu_outside vgpu_check_outside(struct vgpu_simd *simd, uint64_t address, unsigned bytes);

/* A struct vgpu_check_hooks' note. (report.c) */
void vgpu_check_note(struct vgpu_check_log *log, enum vgpu_check check, uint64_t address, const char *place,
                     const char *text);
/* stages.c: an instruction of VGPU_BITS_STAGE. */
void vgpu_check_undefined_stage(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                struct vgpu_simd *simd);
/* A struct vgpu_check_hooks' texel. */
void vgpu_check_texel(struct vgpu_simd *simd, const struct vgpu_op *op, unsigned lane, const uint32_t at[4],
                      const uint32_t size[3]);

/* ---- Traces: the launch has one ---- */

struct vgpu_trace_entry;
/* An instruction that the simdgroup is about to execute; touch: the memory that it touches, or NULL. NULL: there is no
 * room. */
struct vgpu_trace_entry *vgpu_trace_before(const struct vgpu_op *op, const struct vgpu_simd *simd,
                                           const struct vgpu_touch *touch);
void vgpu_trace_after(struct vgpu_trace_entry *entry, const struct vgpu_op *op, const struct vgpu_simd *simd);

/* races.c: those of an earlier launch, or NULL, for another launch. NULL: out of memory. */
struct vgpu_races *vgpu_races_begin(struct vgpu_races *races);
void vgpu_races_start_group(struct vgpu_threadgroup *group);
void vgpu_races_barrier(struct vgpu_threadgroup *group);

#endif
