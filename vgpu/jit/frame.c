/* SPDX-License-Identifier: MIT
 *
 * The code around the instructions of a compiled run, for one simdgroup. Bitcode alone: vgpu/jit/emit.c writes the
 * calls, and LLVM inlines them.
 */
#include "vgpu/exec/semantics/frame.h"

#include "vgpu/exec/semantics/line.h"
#include "vgpu/jit/emit.h"
#include "vgpu/jit/facts/lanes.h"

_Static_assert(sizeof(struct vgpu_frame) <= VGPU_FRAME_BYTES && _Alignof(struct vgpu_frame) <= 64,
               "emit.c allocates it");

#define CALLED __attribute__((always_inline)) inline

void vgpu_frame_begin(struct vgpu_frame *, uint32_t *, uint32_t *, const struct vgpu_simd *);
void vgpu_frame_begin_masked(struct vgpu_frame *, uint32_t *, uint32_t *, const struct vgpu_simd *);
void vgpu_frame_renew(struct vgpu_frame *);
void vgpu_frame_renew_mask(struct vgpu_frame *, const struct vgpu_simd *);
void vgpu_frame_pick(const struct vgpu_op *, struct vgpu_frame *, const uint32_t *);
uint32_t *vgpu_frame_own(const struct vgpu_simd *);
uint32_t vgpu_frame_place(const uint32_t *, uint32_t);
void vgpu_frame_load(uint32_t *, const uint32_t *, uint32_t, uint32_t);
void vgpu_frame_save(const uint32_t *, uint32_t *, uint32_t, uint32_t);
void vgpu_frame_copy(uint32_t *, uint32_t, uint32_t);
void vgpu_frame_keep(uint32_t *, const uint32_t *, uint32_t);
void vgpu_frame_finish(uint32_t *, uint32_t, uint32_t);
void vgpu_frame_save_exec(const struct vgpu_frame *, struct vgpu_simd *);
uint32_t vgpu_frame_go_over(const struct vgpu_frame *, struct vgpu_simd *);
uint32_t vgpu_frame_unsettled(const struct vgpu_frame *);
uint32_t vgpu_frame_again(const struct vgpu_frame *);
uint32_t vgpu_frame_all_active(const struct vgpu_frame *);
uint32_t vgpu_frame_again_masked(const struct vgpu_frame *);
uint32_t vgpu_frame_any_active(const struct vgpu_frame *);
uint32_t vgpu_frame_lanes(const struct vgpu_frame *);
uint32_t vgpu_frame_all_run(const uint32_t *);
void vgpu_frame_load_one(uint32_t *, const uint32_t *, uint32_t, uint32_t);
uint32_t vgpu_frame_load_same(uint32_t *, const uint32_t *, uint32_t, uint32_t);
uint32_t vgpu_frame_certain(const struct vgpu_op *, const struct vgpu_simd *, uint32_t, uint32_t);
uint32_t vgpu_frame_passes(const struct vgpu_simd *);
void vgpu_frame_count(const struct vgpu_op *, struct vgpu_simd *, uint32_t, uint32_t);
void vgpu_frame_interpret(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_call(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_load_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_store_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_load_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_store_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
uint32_t vgpu_frame_load_line(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_store_line(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_local_load(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_local_store(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_load_line_masked(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_store_line_masked(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_local_load_masked(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_local_store_masked(const struct vgpu_op *, struct vgpu_frame *);
void vgpu_frame_load_line_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_store_line_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_load_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_load_own_low(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_load_own_high(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_store_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_store_own_low(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_local_store_own_high(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
uint32_t vgpu_frame_stack_load(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_stack_store(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_stack_load_masked(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_stack_store_masked(const struct vgpu_op *, struct vgpu_frame *);
void vgpu_frame_stack_load_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_stack_store_own(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_stack_load_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_stack_store_elements(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
uint32_t vgpu_frame_consecutive(struct vgpu_simd *const *);
uint32_t vgpu_frame_fitting(const struct vgpu_op *, struct vgpu_frame *, uint32_t);
uint8_t *vgpu_frame_find_loads(const struct vgpu_op *, struct vgpu_frame *);
uint8_t *vgpu_frame_find_stores(const struct vgpu_op *, struct vgpu_frame *);
uint32_t vgpu_frame_take(struct vgpu_simd *const *, uint32_t, uint32_t);
void vgpu_frame_advance(struct vgpu_simd *const *, uint32_t);
uint32_t vgpu_frame_streams(const struct vgpu_frame *, const uint8_t *);
void vgpu_frame_load_known(const struct vgpu_op *, struct vgpu_frame *, uint8_t *, uint32_t, uint32_t);
void vgpu_frame_store_known(const struct vgpu_op *, struct vgpu_frame *, uint8_t *, uint32_t, uint32_t);

uint32_t vgpu_region_place(const struct vgpu_op *, const struct vgpu_simd *);
void vgpu_region_begin(volatile uint64_t *, volatile uint32_t *);
uint32_t vgpu_region_exec(const struct vgpu_simd *);
void vgpu_region_enter(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_region_executed(volatile uint64_t *, uint32_t, uint32_t);
uint32_t vgpu_region_over(struct vgpu_simd *);
uint32_t vgpu_region_again(const struct vgpu_simd *, volatile uint32_t *);
void vgpu_region_op(const struct vgpu_op *, struct vgpu_simd *const *, uint32_t, uint32_t);
void vgpu_region_ops(const struct vgpu_op *, struct vgpu_simd *const *, uint32_t, uint32_t);
void vgpu_region_pop(struct vgpu_simd *, uint32_t);
void vgpu_region_if(const struct vgpu_op *, struct vgpu_simd *const *, uint32_t, uint32_t, uint32_t);
void vgpu_region_else(struct vgpu_simd *, uint32_t);
void vgpu_region_leave(const struct vgpu_op *, struct vgpu_simd *, int32_t, uint32_t);
uint64_t vgpu_region_count(struct vgpu_simd *, const volatile uint64_t *, uint64_t);
void vgpu_region_end(struct vgpu_simd *const *, uint64_t);

static const _Alignas(64) uint32_t launched[VGPU_LANES] = {
#define EIGHT VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL
    EIGHT, EIGHT, EIGHT, EIGHT};

VGPU_INLINE void begin(struct vgpu_frame *frame, uint32_t *registers, uint32_t *literals, const struct vgpu_simd *simd)
{
   frame->simd.base[VGPU_REGISTERS] = registers;
   frame->simd.base[VGPU_CONSTANTS] = simd->base[VGPU_CONSTANTS];
   frame->simd.base[VGPU_LITERALS] = literals;
   frame->simd.base[VGPU_COMPUTED] = registers;
   frame->simd.base[VGPU_SAME] = registers;
   frame->simd.base[VGPU_SAME_COMPUTED] = registers;
   frame->simd.base[VGPU_COUNTING] = registers;
   frame->simd.ids = simd->ids;
   frame->simd.group = simd->group;
   frame->simd.worker = simd->worker;
   frame->own = simd;
   frame->distance = vgpu_all(UINT32_MAX);
}

CALLED void vgpu_frame_begin(struct vgpu_frame *frame, uint32_t *registers, uint32_t *literals,
                             const struct vgpu_simd *simd)
{
   begin(frame, registers, literals, simd);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(frame->simd.mask, i, vgpu_all(UINT32_MAX));
   }
   frame->simd.launched = launched;
   frame->simd.exec = VGPU_ALL;
}

/* The same where some lanes are inactive. */
CALLED void vgpu_frame_begin_masked(struct vgpu_frame *frame, uint32_t *registers, uint32_t *literals,
                                    const struct vgpu_simd *simd)
{
   begin(frame, registers, literals, simd);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(frame->simd.mask, i, vgpu_load(simd->mask, i));
   }
   frame->simd.launched = simd->launched;
   frame->simd.exec = simd->exec;
}

/* Before another pass: all results so far are settled. */
CALLED void vgpu_frame_renew(struct vgpu_frame *frame)
{
   frame->distance = vgpu_all(UINT32_MAX);
}

/* After a call, which leaves the mask as it is: LLVM saves it nowhere. */
CALLED void vgpu_frame_renew_mask(struct vgpu_frame *frame, const struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(frame->simd.mask, i, vgpu_load(simd->mask, i));
   }
}

/* A selection by the op's first source, which is the same in all lanes: what the table names by index, from the
 * simdgroup's own registers, which are as at the run's start, or from the constants. */
CALLED void vgpu_frame_pick(const struct vgpu_op *op, struct vgpu_frame *frame, const uint32_t *table)
{
   const int32_t index = ((vi)vgpu_load(vgpu_source_vector(&frame->simd, &op->src[0]), 0))[0];
   const int32_t last = VGPU_PICK_INDICES - 1;
   const uint32_t place = table[index < 0 ? 0 : index > last ? last : index];
   const uint32_t *base =
       place & VGPU_PICK_CONSTANT ? frame->simd.base[VGPU_CONSTANTS] : frame->own->base[VGPU_REGISTERS];
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(vgpu_dest_vector(&frame->simd, &op->dst), i, vgpu_load(base + (place & ~VGPU_PICK_CONSTANT), i));
   }
}

/* The simdgroup's own registers, which stay where they are. */
CALLED uint32_t *vgpu_frame_own(const struct vgpu_simd *simd)
{
   return simd->base[VGPU_REGISTERS];
}

/* Where a register is among those, in words. */
CALLED uint32_t vgpu_frame_place(const uint32_t *places, uint32_t index)
{
   return places[index];
}

/* vector: words from the start of the copies, place: of the simdgroup's own registers. */
CALLED void vgpu_frame_load(uint32_t *registers, const uint32_t *own, uint32_t vector, uint32_t place)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(registers + vector, i, vgpu_load(own + place, i));
   }
}

CALLED void vgpu_frame_save(const uint32_t *registers, uint32_t *own, uint32_t vector, uint32_t place)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(own + place, i, vgpu_load(registers + vector, i));
   }
}

/* Gives all lanes the first one's word, which they are known to have. */
CALLED void vgpu_frame_load_one(uint32_t *registers, const uint32_t *own, uint32_t vector, uint32_t place)
{
   const vu first = vgpu_all(own[place]);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(registers + vector, i, first);
   }
}

/* The same. 0: they did not have it. */
CALLED uint32_t vgpu_frame_load_same(uint32_t *registers, const uint32_t *own, uint32_t vector, uint32_t place)
{
   const uint32_t *from = own + place;
   const vu first = vgpu_all(from[0]);
   vu differs = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      differs |= vgpu_load(from, i) ^ first;
      vgpu_store(registers + vector, i, first);
   }
   return !vgpu_any(differs);
}

/* Whether r0l is 0 in all lanes. */
CALLED uint32_t vgpu_frame_all_run(const uint32_t *registers)
{
   vu nested = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      nested |= vgpu_load(registers, i) & 0xffffu;
   }
   return !vgpu_any(nested);
}

/* Whether a constant source has at least that magnitude. */
CALLED uint32_t vgpu_frame_certain(const struct vgpu_op *op, const struct vgpu_simd *simd, uint32_t source,
                                   uint32_t least)
{
   return (simd->base[VGPU_CONSTANTS][op->src[source].vector] & 0x7fffffffu) >= least;
}

CALLED void vgpu_frame_copy(uint32_t *registers, uint32_t from, uint32_t to)
{
   vgpu_store(registers + to, 0, vgpu_load(registers + from, 0)); /* nobody reads the other parts */
}

/* Saves registers before a pass through a loop. */
CALLED void vgpu_frame_keep(uint32_t *kept, const uint32_t *registers, uint32_t vector)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(kept + vector, i, vgpu_load(registers + vector, i));
   }
}

/* Finishes the float results that the last of these passes through a loop has left. */
CALLED void vgpu_frame_finish(uint32_t *registers, uint32_t passed, uint32_t vector)
{
   for (unsigned i = 0; passed && i < VGPU_CHUNKS; i++) {
      const vf value = (vf)vgpu_load(registers + vector, i);
      vgpu_store(registers + vector, i, vgpu_select((vu)(value != value), vgpu_all(VGPU_F32_NAN), (vu)value));
   }
}

CALLED void vgpu_frame_save_exec(const struct vgpu_frame *frame, struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(simd->mask, i, vgpu_load(frame->simd.mask, i));
   }
   simd->exec = frame->simd.exec;
}

/* Whether an `if` has turned all lanes of a full simdgroup off, so that pop_exec would turn them on again: r0l was 0 in
 * all of them. */
CALLED uint32_t vgpu_frame_go_over(const struct vgpu_frame *frame, struct vgpu_simd *simd)
{
   simd->over = frame->simd.exec == 0;
   return simd->over;
}

/* Whether another pass through the loop is possible. */
CALLED uint32_t vgpu_frame_again(const struct vgpu_frame *frame)
{
   return frame->simd.exec == VGPU_ALL && !vgpu_any((vu)(frame->distance == 0));
}

/* The same where no result can be unsettled. */
CALLED uint32_t vgpu_frame_all_active(const struct vgpu_frame *frame)
{
   return frame->simd.exec == VGPU_ALL;
}

/* The two questions where lanes may be inactive: a pass needs one that is not. */
CALLED uint32_t vgpu_frame_again_masked(const struct vgpu_frame *frame)
{
   return frame->simd.exec != 0 && !vgpu_any((vu)(frame->distance == 0));
}

CALLED uint32_t vgpu_frame_any_active(const struct vgpu_frame *frame)
{
   return frame->simd.exec != 0;
}

/* How many lanes are active. */
CALLED uint32_t vgpu_frame_lanes(const struct vgpu_frame *frame)
{
   return (uint32_t)__builtin_popcount(frame->simd.exec);
}

/* Returns the passes through a loop before other simdgroups run. The timing model needs each pass separately. */
CALLED uint32_t vgpu_frame_passes(const struct vgpu_simd *simd)
{
   return simd->path ? 1 : VGPU_LOOP_PASSES;
}

/* Counts the passes after the first one, which the scheduler has counted. lanes: the sum of their active lanes. */
CALLED void vgpu_frame_count(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t passes, uint32_t lanes)
{
   struct vgpu_worker *worker = simd->worker;
   const uint64_t instructions = (uint64_t)op->native.again * passes;
   worker->instructions += instructions;
   worker->thread_instructions += (uint64_t)op->native.again * lanes;
   worker->allowance -= (int64_t)instructions;
   simd->left -= (int64_t)instructions;
}

/* Whether the registers must not be written back. */
CALLED uint32_t vgpu_frame_unsettled(const struct vgpu_frame *frame)
{
   return vgpu_any((vu)(frame->distance == 0));
}

/* Interprets the op of that index of the run (a loop's body counts first) and all following ones. */
CALLED void vgpu_frame_interpret(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t index)
{
   op->native.interpret(op, simd, index);
}

VGPU_INLINE const struct vgpu_op *find_called(const struct vgpu_op *op, uint32_t index)
{
   return index < op->native.body_count ? &op->native.body[index] : &op->native.first[index - op->native.body_count];
}

/* Interprets that op alone. Its operands have been stored. */
CALLED void vgpu_frame_call(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t index)
{
   const struct vgpu_op *called = find_called(op, index);
   struct vgpu_simd *const simds[1] = {simd};
   simd->worker->interpreted.ops[called->insn->op]++;
   called->run[simd->exec != VGPU_ALL](called, simds, 1);
}

/* ---- Memory. 0: this is not a line of one word or vector a lane, or not to be had without a call ---- */

#define AHEAD 48

/* The bytes of a lane, of raw elements: vgpu_span() without the table of formats. */
VGPU_INLINE unsigned unit_of(const struct vgpu_op *op)
{
   return (32u - (unsigned)__builtin_clz(op->memory.mask | 1)) * op->memory.element_bytes;
}

VGPU_INLINE uint8_t *device_line(const struct vgpu_op *op, struct vgpu_frame *frame, unsigned access, unsigned *step)
{
   struct vgpu_line line = vgpu_line_of(op, access);
   line.span = unit_of(op);
   uint64_t first;
   unsigned bytes;
   return vgpu_line_find(&line, &frame->simd, step, &first, &bytes)
              ? vgpu_memory_cached(&frame->simd.worker->memory, first, access)
              : NULL;
}

/* One lane's 1, 2, 4, 8 or 16 bytes are a unit. Units lie one lane after the other, wherever they start. */
typedef uint8_t unit_bytes __attribute__((vector_size(VGPU_WIDTH), aligned(1), may_alias));
typedef uint16_t unit_halves __attribute__((vector_size(VGPU_WIDTH * 2), aligned(1), may_alias));
typedef vu unit_words __attribute__((aligned(1)));

/* Of two vectors one behind the other: the words with even or odd numbers. */
#if VGPU_WIDTH == 16
#define EVERY_SECOND(a, b, n)                                                                                          \
   __builtin_shufflevector(a, b, n, n + 2, n + 4, n + 6, n + 8, n + 10, n + 12, n + 14, n + 16, n + 18, n + 20,        \
                           n + 22, n + 24, n + 26, n + 28, n + 30)
#define MERGED(a, b, n)                                                                                                \
   __builtin_shufflevector(a, b, n, n + 16, n + 1, n + 17, n + 2, n + 18, n + 3, n + 19, n + 4, n + 20, n + 5, n + 21, \
                           n + 6, n + 22, n + 7, n + 23)
#elif VGPU_WIDTH == 8
#define EVERY_SECOND(a, b, n) __builtin_shufflevector(a, b, n, n + 2, n + 4, n + 6, n + 8, n + 10, n + 12, n + 14)
#define MERGED(a, b, n) __builtin_shufflevector(a, b, n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11)
#else
#define EVERY_SECOND(a, b, n) __builtin_shufflevector(a, b, n, n + 2, n + 4, n + 6)
#define MERGED(a, b, n) __builtin_shufflevector(a, b, n, n + 4, n + 1, n + 5)
#endif

VGPU_INLINE vu second_words(vu a, vu b, unsigned odd)
{
   return odd ? EVERY_SECOND(a, b, 1) : EVERY_SECOND(a, b, 0);
}

/* Words one of a and one of b in turn: the first half of them, or the second one. */
VGPU_INLINE vu merge_words(vu a, vu b, unsigned second)
{
   return second ? MERGED(a, b, VGPU_WIDTH / 2) : MERGED(a, b, 0);
}

/* Word number n of the units of a part of the lanes, with zeros in front of a shorter unit. */
VGPU_INLINE vu read_units(const uint8_t *from, unsigned unit, unsigned n)
{
   const unit_words *words = (const unit_words *)(const void *)from;
   switch (unit) {
   case 1:
      return __builtin_convertvector(*(const unit_bytes *)(const void *)from, vu);
   case 2:
      return __builtin_convertvector(*(const unit_halves *)(const void *)from, vu);
   case 4:
      return words[0];
   case 8:
      return second_words(words[0], words[1], n);
   default:
      return second_words(second_words(words[0], words[1], n & 1), second_words(words[2], words[3], n & 1), n >> 1);
   }
}

VGPU_INLINE void write_units(uint8_t *to, unsigned unit, const vu *units)
{
   unit_words *words = (unit_words *)(void *)to;
   switch (unit) {
   case 1:
      *(unit_bytes *)(void *)to = __builtin_convertvector(units[0], unit_bytes);
      break;
   case 2:
      *(unit_halves *)(void *)to = __builtin_convertvector(units[0], unit_halves);
      break;
   case 4:
      words[0] = units[0];
      break;
   case 8:
      words[0] = merge_words(units[0], units[1], 0);
      words[1] = merge_words(units[0], units[1], 1);
      break;
   default:
      for (unsigned i = 0; i < 4; i++) {
         words[i] =
             merge_words(merge_words(units[0], units[2], i >> 1), merge_words(units[1], units[3], i >> 1), i & 1);
      }
      break;
   }
}

/* The bits of one element. */
VGPU_INLINE uint32_t element_mask(unsigned bytes)
{
   return bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;
}

/* step: a unit, or 0 where all lanes read one place. */
VGPU_INLINE void read_vectors(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, unsigned step)
{
   const unsigned bytes = op->memory.element_bytes, unit = unit_of(op);
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      const unsigned offset = component * bytes;
      if (!(op->memory.mask >> component & 1)) {
         continue;
      }
      const struct vgpu_dest part = vgpu_dest_part(&op->dst, n++);
      uint32_t element = 0;
      if (!step) {
         memcpy(&element, from + offset, bytes);
      }
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const vu words =
             step ? read_units(from + i * VGPU_WIDTH * unit, unit, offset / 4) >> 8 * (offset % 4) : vgpu_all(element);
         vgpu_put_dest(&part, simd, i, words & element_mask(bytes), VGPU_GENERAL);
      }
   }
}

VGPU_INLINE void write_vectors(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to)
{
   const unsigned bytes = op->memory.element_bytes, unit = unit_of(op);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu units[4] = {vgpu_all(0), vgpu_all(0), vgpu_all(0), vgpu_all(0)};
      for (unsigned component = 0; component < 4; component++) {
         const struct vgpu_dest part = vgpu_dest_part(&op->dst, component);
         const unsigned offset = component * bytes;
         if (offset < unit) {
            const vu word = vgpu_load(vgpu_dest_vector(simd, &part), i) >> (part.form == VGPU_HIGH ? 16 : 0);
            units[offset / 4] |= (word & element_mask(bytes)) << 8 * (offset % 4);
         }
      }
      write_units(to + i * VGPU_WIDTH * unit, unit, units);
   }
}

VGPU_INLINE bool is_word(const struct vgpu_op *op)
{
   return op->memory.element_bytes == 4 && op->memory.mask == 1;
}

VGPU_INLINE void read_line(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, unsigned step)
{
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   if (step) {
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vgpu_store(vector, i, ((const vgpu_words *)(const void *)from)[i]);
      }
      return;
   }
   uint32_t word;
   memcpy(&word, from, sizeof(word));
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(vector, i, vgpu_all(word));
   }
}

VGPU_INLINE void write_line(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      ((vgpu_words *)(void *)to)[i] = vgpu_load(vector, i);
   }
}

/* Whole lines of the host's caches, which need not be read before they are written. Other host threads may see such
 * writes in any order until vgpu_host_leave(). */
#define HOST_LINE 64

VGPU_INLINE void write_past_caches(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      __builtin_nontemporal_store(vgpu_load(vector, i), (vu *)(void *)to + i);
   }
}

CALLED uint32_t vgpu_frame_load_line(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   unsigned step;
   const uint8_t *from = device_line(op, frame, VGPU_READ, &step);
   if (!from) {
      return 0;
   }
   __asm__ volatile("" : : : "memory"); /* a loop must see what others have stored since its last pass */
   if (!is_word(op)) {
      read_vectors(op, &frame->simd, from, step);
      return 1;
   }
   VGPU_PREFETCH(from, 0, AHEAD);
   read_line(op, &frame->simd, from, step);
   return 1;
}

CALLED uint32_t vgpu_frame_store_line(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   unsigned step;
   uint8_t *to = device_line(op, frame, VGPU_WRITE, &step);
   if (!to) {
      return 0;
   }
   if (!is_word(op)) {
      write_vectors(op, &frame->simd, to);
      return 1;
   }
   if (frame->simd.worker->streams && (uintptr_t)to % HOST_LINE == 0) {
      write_past_caches(op, &frame->simd, to);
      return 1;
   }
   VGPU_PREFETCH(to, 1, AHEAD);
   write_line(op, &frame->simd, to);
   return 1;
}

/* ---- Lines of simdgroups that lie one after the other in x in the grid: vgpu_jit_lines_follow() ---- */

CALLED uint32_t vgpu_frame_consecutive(struct vgpu_simd *const *simds)
{
   return simds[0]->worker->consecutive;
}

/* Whether all lanes, of all simdgroups, access one word. */
VGPU_INLINE bool is_one_word(const struct vgpu_op *op)
{
   return op->src[1].space != VGPU_COUNTING;
}

VGPU_INLINE uint64_t first_address(const struct vgpu_op *op, const struct vgpu_frame *frame)
{
   const uint32_t *low = vgpu_source_vector(&frame->simd, &op->src[0]);
   const uint32_t index = vgpu_source_vector(&frame->simd, &op->src[1])[0];
   const uint64_t base = ((uint64_t)low[VGPU_LANES] << 32 | low[0]) & ~(uint64_t)3;
   return base + ((op->src[1].sx ? (uint64_t)(int64_t)(int32_t)index : index) << 2);
}

/* Returns how many simdgroups, up to `most`, have their lines on the first one's page, without the index wrapping
 * around. */
CALLED uint32_t vgpu_frame_fitting(const struct vgpu_op *op, struct vgpu_frame *frame, uint32_t most)
{
   if (is_one_word(op)) {
      return most;
   }
   const uint32_t index = vgpu_source_vector(&frame->simd, &op->src[1])[0];
   const uint32_t wrap = op->src[1].sx ? INT32_MAX - index : UINT32_MAX - index;
   const uint32_t page = (uint32_t)(VGPU_PAGE - first_address(op, frame) % VGPU_PAGE) / VGPU_LINE_BYTES;
   const uint32_t fitting = page < wrap / VGPU_LANES ? page : wrap / VGPU_LANES;
   return fitting < most ? fitting : most;
}

VGPU_INLINE uint8_t *find_known(const struct vgpu_op *op, const struct vgpu_frame *frame, unsigned access)
{
   struct vgpu_memory *memory = &frame->simd.worker->memory;
   const uint64_t first = first_address(op, frame);
   uint8_t *at = vgpu_memory_cached(memory, first, access);
   return at ? at : memory->walk(memory, first, access);
}

/* The first simdgroup's line. NULL: it is not mapped. */
CALLED uint8_t *vgpu_frame_find_loads(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   return find_known(op, frame, VGPU_READ);
}

CALLED uint8_t *vgpu_frame_find_stores(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   return find_known(op, frame, VGPU_WRITE);
}

/* Returns how many simdgroups run now, of those that fit: whole cohorts. */
CALLED uint32_t vgpu_frame_take(struct vgpu_simd *const *simds, uint32_t count, uint32_t fitting)
{
   struct vgpu_worker *worker = simds[0]->worker;
   const uint32_t cohorts = fitting / count;
   worker->consecutive -= cohorts;
   return cohorts * count;
}

/* Moves the cohort's simdgroups to the next threadgroups. */
CALLED void vgpu_frame_advance(struct vgpu_simd *const *simds, uint32_t count)
{
   struct vgpu_threadgroup *group = simds[0]->group;
   const uint32_t groups = count / group->simds;
   for (uint32_t i = 0; i < groups; i++) {
      group[i].number += groups;
      group[i].position[0] += groups;
   }
}

/* Whether lines from that place on are written past the caches. */
CALLED uint32_t vgpu_frame_streams(const struct vgpu_frame *frame, const uint8_t *line)
{
   return frame->simd.worker->streams && (uintptr_t)line % HOST_LINE == 0;
}

/* Simdgroups ahead whose lines are asked for: the host's own prefetching stops at the end of a page. */
#define KNOWN_AHEAD 24

/* number: the simdgroup's, counted from the first one of the call. */
CALLED void vgpu_frame_load_known(const struct vgpu_op *op, struct vgpu_frame *frame, uint8_t *first, uint32_t number,
                                  uint32_t streams)
{
   (void)streams;
   const bool one = is_one_word(op);
   const uint8_t *line = one ? first : first + (size_t)number * VGPU_LINE_BYTES;
   if (!one) {
      VGPU_PREFETCH(line, 0, KNOWN_AHEAD);
   }
   read_line(op, &frame->simd, line, one ? 0 : 4);
}

CALLED void vgpu_frame_store_known(const struct vgpu_op *op, struct vgpu_frame *frame, uint8_t *first, uint32_t number,
                                   uint32_t streams)
{
   uint8_t *line = first + (size_t)number * VGPU_LINE_BYTES;
   if (streams) {
      write_past_caches(op, &frame->simd, line);
   } else {
      VGPU_PREFETCH(line, 1, KNOWN_AHEAD);
      write_line(op, &frame->simd, line);
   }
}

/* The same of threadgroup memory: spec/isa.md 4.4. */
VGPU_INLINE uint8_t *local_line(const struct vgpu_op *op, struct vgpu_frame *frame, unsigned *step)
{
   const struct vgpu_threadgroup *group = frame->simd.group;
   VGPU_LANE_ARRAY(uint32_t, offset);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu base = vgpu_get(op, 0, &frame->simd, i, VGPU_GENERAL);
      vgpu_store(offset, i, (base & ~3u) + vgpu_get(op, 1, &frame->simd, i, VGPU_GENERAL) * 4);
   }
   *step = vgpu_rises(offset, 4) ? 4 : 0;
   if (*step == 0 && !vgpu_rises(offset, 0)) {
      return NULL;
   }
   return (uint64_t)offset[0] + (VGPU_LANES - 1) * *step + 4 <= group->bytes ? group->memory + offset[0] : NULL;
}

CALLED uint32_t vgpu_frame_local_store(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   unsigned step;
   uint8_t *to = local_line(op, frame, &step);
   if (!to || step == 0) {
      return 0;
   }
   write_line(op, &frame->simd, to);
   return 1;
}

/* ---- Raw elements wherever they are, of the simdgroup's own registers. LLVM compiles each function once for all
 * accesses of a region. false: the interpreter does it ---- */

static const _Alignas(64) uint32_t lane_numbers[VGPU_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* Whether each active lane's word is `step` more than the one before; word: that of the active lane `first`. */
VGPU_INLINE bool rises_masked(const struct vgpu_simd *simd, const uint32_t *vector, unsigned first, uint32_t word,
                              uint32_t step)
{
   const uint32_t start = word - first * step;
   vu wrong = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      wrong |= (vgpu_load(vector, i) ^ (vgpu_load(lane_numbers, i) * step + start)) & vgpu_load(simd->mask, i);
   }
   return !vgpu_any(wrong);
}

#define NO_STEP UINT32_MAX

/* The bytes from one lane's place to the next: 0, 1, 2, 4, 8 or 16, if all lanes are active. */
VGPU_INLINE uint32_t step_of(const struct vgpu_simd *simd, const uint32_t *offsets)
{
   const uint32_t step = offsets[1] - offsets[0];
   const bool known = simd->exec == VGPU_ALL && step <= VGPU_MAX_SPAN && (step & (step - 1)) == 0;
   return known && vgpu_rises(offsets, step) ? step : NO_STEP;
}

/* Four bytes of each active lane, from its place on. */
VGPU_INLINE void read_places(const struct vgpu_simd *simd, const uint8_t *at, const uint32_t *offsets, vu *words)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
#if VGPU_GATHERS
      words[i] = vgpu_gather(at, vgpu_load(offsets, i), vgpu_load(simd->mask, i));
#else
      VGPU_LANE_ARRAY(uint32_t, of_lanes);
      for (unsigned lane = 0; lane < VGPU_WIDTH; lane++) {
         of_lanes[lane] = 0;
         if (simd->mask[i * VGPU_WIDTH + lane]) {
            memcpy(&of_lanes[lane], at + offsets[i * VGPU_WIDTH + lane], 4);
         }
      }
      words[i] = vgpu_load(of_lanes, 0);
#endif
   }
}

/* The same where lanes lie `step` bytes apart, with all lanes active: word number n. */
VGPU_INLINE void read_steps(const uint8_t *at, unsigned step, unsigned n, vu *words)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      words[i] = read_units(at + i * VGPU_WIDTH * step, step, n);
   }
}

/* Each active lane's offset leaves it four bytes for its last element. step: as step_of() says. */
VGPU_INLINE void load_steps(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *at,
                            const uint32_t *offsets, uint32_t step, int shape)
{
   const unsigned bytes = op->memory.element_bytes;
   const uint8_t *first = at + offsets[0];
   vu words[VGPU_CHUNKS];
   uint32_t same;
   unsigned n = 0, start = UINT32_MAX; /* start: where in a lane's bytes the words lie */
   for (uint32_t mask = op->memory.mask; mask; mask &= mask - 1) {
      const unsigned offset = (unsigned)__builtin_ctz(mask) * bytes;
      const struct vgpu_dest part = vgpu_dest_part(&op->dst, n++);
      if (start == UINT32_MAX || offset + bytes > start + 4) {
         start = step == NO_STEP || step == 0 ? offset : offset & ~3u;
         switch (step) {
         case 0:
            memcpy(&same, first + start, sizeof(same));
            for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
               words[i] = vgpu_all(same);
            }
            break;
         case 4:
            read_steps(first, 4, 0, words);
            break;
         case 8:
            read_steps(first, 8, offset / 4, words);
            break;
         case 16:
            read_steps(first, 16, offset / 4, words);
            break;
         default:
            read_places(simd, at + start, offsets, words);
            break;
         }
      }
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const vu element = words[i] >> 8 * (offset - start) & element_mask(bytes);
         vgpu_put_dest(&part, simd, i, element, shape);
      }
   }
}

/* The same where lanes may lie one after the other. room: bytes from `at` on. */
VGPU_INLINE void load_places(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *at, uint32_t room,
                             const uint32_t *offsets)
{
   uint32_t step = step_of(simd, offsets);
   if (step != 0 && (step < 4 || step < unit_of(op) || offsets[0] + VGPU_LANES * (uint64_t)step > room)) {
      step = NO_STEP;
   }
   load_steps(op, simd, at, offsets, step, VGPU_GENERAL | VGPU_MASKED);
}

VGPU_INLINE void write_element(uint8_t *at, unsigned bytes, uint32_t word)
{
   switch (bytes) {
   case 1:
      __atomic_store_n(at, (uint8_t)word, __ATOMIC_RELAXED);
      break;
   case 2:
      __atomic_store_n((uint16_t *)(void *)at, (uint16_t)word, __ATOMIC_RELAXED);
      break;
   default:
      __atomic_store_n((uint32_t *)(void *)at, word, __ATOMIC_RELAXED);
      break;
   }
}

#if defined(__AVX512F__)
/* One 16-bit element of each active lane, if these lie side by side. */
VGPU_INLINE bool store_active_halves(const struct vgpu_dest *part, const struct vgpu_simd *simd, uint8_t *at,
                                     const uint32_t *offsets)
{
   const unsigned lane = (unsigned)__builtin_ctz(simd->exec);
   const uint32_t start = offsets[lane] - 2 * lane;
   if (!rises_masked(simd, offsets, lane, offsets[lane], 2)) {
      return false;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = vgpu_load(vgpu_dest_vector(simd, part), i) >> (part->form == VGPU_HIGH ? 16 : 0);
      const __m512i mask = (__m512i)vgpu_load(simd->mask, i);
      _mm512_mask_cvtepi32_storeu_epi16(at + (ptrdiff_t)(int32_t)start + i * VGPU_WIDTH * 2,
                                        _mm512_test_epi32_mask(mask, mask), (__m512i)word);
   }
   return true;
}
#endif

/* Lane after lane: the last one wins. */
VGPU_INLINE void store_places(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *at,
                              const uint32_t *offsets)
{
   const unsigned bytes = op->memory.element_bytes;
#if defined(__AVX512F__)
   if (bytes == 2 && op->memory.mask == 1 && store_active_halves(&op->dst, simd, at, offsets)) {
      return;
   }
#endif
   unsigned n = 0;
   for (uint32_t mask = op->memory.mask; mask; mask &= mask - 1) {
      const struct vgpu_dest part = vgpu_dest_part(&op->dst, n++);
      const uint32_t *vector = vgpu_dest_vector(simd, &part);
      const unsigned shift = part.form == VGPU_HIGH ? 16 : 0;
      uint8_t *to = at + (unsigned)__builtin_ctz(mask) * bytes;
      for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(lanes);
         write_element(to + offsets[lane], bytes, vector[lane] >> shift);
      }
   }
}

/* The host's memory behind a page. NULL: it is not mapped for that access. */
VGPU_INLINE uint8_t *find_page(struct vgpu_simd *simd, uint64_t page, unsigned access)
{
   struct vgpu_memory *memory = &simd->worker->memory;
   uint8_t *at = vgpu_memory_cached(memory, page, access);
   return at ? at : memory->walk(memory, page, access);
}

static __attribute__((noinline)) bool load_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   const uint32_t limit = VGPU_PAGE - (unit_of(op) - op->memory.element_bytes + 4);
   uint64_t page;
   if (simd->exec == 0 || !vgpu_page_offsets(op, simd, limit, &page, offsets)) {
      return false;
   }
   const uint8_t *at = find_page(simd, page, VGPU_READ);
   if (!at) {
      return false;
   }
   __asm__ volatile("" : : : "memory"); /* as in vgpu_frame_load_line() */
   load_places(op, simd, at, VGPU_PAGE, offsets);
   return true;
}

static __attribute__((noinline)) bool store_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   uint64_t page;
   if (simd->exec == 0 || !vgpu_page_offsets(op, simd, VGPU_PAGE - unit_of(op), &page, offsets)) {
      return false;
   }
   uint8_t *at = find_page(simd, page, VGPU_WRITE);
   if (!at) {
      return false;
   }
   store_places(op, simd, at, offsets);
   return true;
}

/* The same of threadgroup memory. tail: bytes that a lane needs from its offset on. */
VGPU_INLINE bool local_offsets(const struct vgpu_op *op, const struct vgpu_simd *simd, uint32_t tail, uint32_t *offsets)
{
   const uint32_t bytes = op->memory.element_bytes, room = simd->group->bytes;
   vu wrong = vgpu_all(0);
   for (unsigned i = 0; tail <= room && i < VGPU_CHUNKS; i++) {
      const vu base = vgpu_get(op, 0, simd, i, VGPU_GENERAL) & (0u - bytes);
      const vu offset = base + vgpu_get(op, 1, simd, i, VGPU_GENERAL) * bytes;
      wrong |= (vu)(offset > room - tail) & vgpu_load(simd->mask, i);
      vgpu_store(offsets, i, offset);
   }
   return tail <= room && !vgpu_any(wrong);
}

/* A line, or elements wherever they are if the host gathers them. */
CALLED uint32_t vgpu_frame_local_load(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   struct vgpu_simd *simd = &frame->simd;
   unsigned step;
   const uint8_t *from = is_word(op) ? local_line(op, frame, &step) : NULL;
   if (from) {
      read_line(op, simd, from, step);
      return 1;
   }
   VGPU_LANE_ARRAY(uint32_t, offsets);
   if (!VGPU_GATHERS || !local_offsets(op, simd, unit_of(op) - op->memory.element_bytes + 4, offsets)) {
      return 0;
   }
   load_steps(op, simd, simd->group->memory, offsets, NO_STEP, VGPU_GENERAL);
   return 1;
}

static __attribute__((noinline)) bool local_load_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   if (!local_offsets(op, simd, unit_of(op) - op->memory.element_bytes + 4, offsets)) {
      return false;
   }
   load_places(op, simd, simd->group->memory, simd->group->bytes, offsets);
   return true;
}

static __attribute__((noinline)) bool local_store_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   if (simd->exec == 0 || !local_offsets(op, simd, unit_of(op), offsets)) {
      return false;
   }
   store_places(op, simd, simd->group->memory, offsets);
   return true;
}

#define ELEMENTS(name)                                                                                                 \
   CALLED void vgpu_frame_##name(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t index)                     \
   {                                                                                                                   \
      if (!name(find_called(op, index), simd)) {                                                                       \
         vgpu_frame_call(op, simd, index);                                                                             \
      }                                                                                                                \
   }

ELEMENTS(load_elements)
ELEMENTS(store_elements)
ELEMENTS(local_load_elements)
ELEMENTS(local_store_elements)

/* ---- Lines of which some lanes are inactive: what these would access is neither read nor written ---- */

/* Each access has two functions: one for the frame's copies of registers, and one for the simdgroup's own, which LLVM
 * compiles once for all accesses of a region, and which calls the interpreter where there is no such line. */
#define MASKED(name, elements)                                                                                         \
   CALLED uint32_t vgpu_frame_##name##_masked(const struct vgpu_op *op, struct vgpu_frame *frame)                      \
   {                                                                                                                   \
      return name##_masked(op, &frame->simd);                                                                          \
   }                                                                                                                   \
   MASKED_OWN(name, elements)
#define MASKED_OWN(name, elements)                                                                                     \
   __attribute__((noinline)) void vgpu_frame_##name##_own(const struct vgpu_op *op, struct vgpu_simd *simd,            \
                                                          uint32_t index)                                              \
   {                                                                                                                   \
      if (!name##_masked(find_called(op, index), simd)) {                                                              \
         vgpu_frame_##elements(op, simd, index);                                                                       \
      }                                                                                                                \
   }

/* The second function for a base in half registers and an index that is an immediate or a uniform. */
#define MASKED_BASE(name, elements, suffix, base_form)                                                                 \
   __attribute__((noinline)) void vgpu_frame_##name##_own_##suffix(const struct vgpu_op *op, struct vgpu_simd *simd,   \
                                                                   uint32_t index)                                     \
   {                                                                                                                   \
      struct vgpu_op known = *find_called(op, index);                                                                  \
      known.src[0].space = VGPU_REGISTERS;                                                                             \
      known.src[0].form = base_form;                                                                                   \
      known.src[1].space = VGPU_CONSTANTS;                                                                             \
      known.src[1].form = VGPU_WORD;                                                                                   \
      if (!name##_masked(&known, simd)) {                                                                              \
         vgpu_frame_##elements(op, simd, index);                                                                       \
      }                                                                                                                \
   }

struct masked_line {
   unsigned step;         /* bytes from one lane to the next */
   unsigned first, lanes; /* the first active lane, and how many lie between it and the last one, that included */
};

/* One lane's word, through a copy: an index that is not constant would keep all registers of the run in memory. */
VGPU_INLINE uint32_t word_of(const uint32_t *vector, unsigned lane)
{
   VGPU_LANE_ARRAY(uint32_t, copy);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(copy, i, vgpu_load(vector, i));
   }
   return copy[lane];
}

VGPU_INLINE void find_lanes(const struct vgpu_simd *simd, struct masked_line *line)
{
   line->first = (unsigned)__builtin_ctz(simd->exec);
   line->lanes = VGPU_LANES - (unsigned)__builtin_clz(simd->exec) - line->first;
}

/* Where lane 0 of such a line would lie. NULL: it is none. */
VGPU_INLINE uint8_t *device_line_masked(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned access,
                                        struct masked_line *line)
{
   const uint32_t *low = vgpu_source_vector(simd, &op->src[0]), *index = vgpu_source_vector(simd, &op->src[1]);
   find_lanes(simd, line);
   const bool one_base = op->src[0].space == VGPU_CONSTANTS;
   const unsigned first = line->first, scale = op->memory.shift + 2;
   const uint32_t at = word_of(index, first), base_low = one_base ? low[0] : word_of(low, first),
                  base_high = one_base ? low[VGPU_LANES] : word_of(low + VGPU_LANES, first);
   if (!one_base &&
       (!rises_masked(simd, low, first, base_low, 0) || !rises_masked(simd, low + VGPU_LANES, first, base_high, 0))) {
      return NULL;
   }
   const bool counts = rises_masked(simd, index, first, at, 1), sx = op->src[1].sx;
   if (!counts && (access == VGPU_WRITE || !rises_masked(simd, index, first, at, 0))) {
      return NULL;
   }
   const bool wraps = sx ? (int32_t)at > INT32_MAX - (int32_t)VGPU_LANES : at > UINT32_MAX - VGPU_LANES;
   if (counts && (scale != 2 || wraps)) {
      return NULL;
   }
   line->step = counts ? 4 : 0;
   const uint64_t base = ((uint64_t)base_high << 32 | base_low) & ~(uint64_t)3;
   const uint64_t address = base + ((sx ? (uint64_t)(int64_t)(int32_t)at : at) << scale);
   if (address % VGPU_PAGE + (line->lanes - 1) * line->step + 4 > VGPU_PAGE) {
      return NULL;
   }
   uint8_t *host = vgpu_memory_cached(&simd->worker->memory, address, access);
   return host ? host - first * line->step : NULL;
}

VGPU_INLINE vu load_active(const uint8_t *from, vu mask)
{
#if defined(__AVX512F__)
   return (vu)_mm512_maskz_loadu_epi32(_mm512_test_epi32_mask((__m512i)mask, (__m512i)mask), from);
#elif defined(__AVX2__)
   return (vu)_mm256_maskload_epi32((const int *)(const void *)from, (__m256i)mask);
#else
   vu words = vgpu_all(0);
   for (unsigned lane = 0; lane < VGPU_WIDTH; lane++) {
      if (mask[lane]) {
         uint32_t word;
         memcpy(&word, from + lane * sizeof(word), sizeof(word));
         words[lane] = word;
      }
   }
   return words;
#endif
}

VGPU_INLINE void store_active(uint8_t *to, vu mask, vu words)
{
#if defined(__AVX512F__)
   _mm512_mask_storeu_epi32(to, _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask), (__m512i)words);
#elif defined(__AVX2__)
   _mm256_maskstore_epi32((int *)(void *)to, (__m256i)mask, (__m256i)words);
#else
   for (unsigned lane = 0; lane < VGPU_WIDTH; lane++) {
      if (mask[lane]) {
         const uint32_t word = words[lane];
         memcpy(to + lane * sizeof(word), &word, sizeof(word));
      }
   }
#endif
}

VGPU_INLINE void read_masked(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from,
                             const struct masked_line *line)
{
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst), word = 0;
   if (line->step == 0) {
      memcpy(&word, from, sizeof(word));
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu mask = vgpu_load(simd->mask, i);
      const vu words = line->step ? load_active(from + i * sizeof(vu), mask) : vgpu_all(word);
      vgpu_store(vector, i, vgpu_select(mask, words, vgpu_load(vector, i)));
   }
}

VGPU_INLINE void write_masked(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      store_active(to + i * sizeof(vu), vgpu_load(simd->mask, i), vgpu_load(vector, i));
   }
}

VGPU_INLINE uint32_t load_line_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct masked_line line;
   const uint8_t *from = device_line_masked(op, simd, VGPU_READ, &line);
   if (!from) {
      return 0;
   }
   __asm__ volatile("" : : : "memory"); /* as in vgpu_frame_load_line() */
   read_masked(op, simd, from, &line);
   return 1;
}

MASKED(load_line, load_elements)

VGPU_INLINE uint32_t store_line_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct masked_line line;
   uint8_t *to = device_line_masked(op, simd, VGPU_WRITE, &line);
   if (!to) {
      return 0;
   }
   write_masked(op, simd, to);
   return 1;
}

MASKED(store_line, store_elements)

VGPU_INLINE uint8_t *local_line_masked(const struct vgpu_op *op, struct vgpu_simd *simd, struct masked_line *line)
{
   const struct vgpu_threadgroup *group = simd->group;
   VGPU_LANE_ARRAY(uint32_t, offset);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu base = vgpu_get(op, 0, simd, i, VGPU_GENERAL);
      vgpu_store(offset, i, (base & ~3u) + vgpu_get(op, 1, simd, i, VGPU_GENERAL) * 4);
   }
   find_lanes(simd, line);
   const uint32_t first = offset[line->first];
   line->step = rises_masked(simd, offset, line->first, first, 4) ? 4 : 0;
   if (line->step == 0 && !rises_masked(simd, offset, line->first, first, 0)) {
      return NULL;
   }
   return (uint64_t)first + (line->lanes - 1) * line->step + 4 <= group->bytes
              ? group->memory + first - line->first * line->step
              : NULL;
}

VGPU_INLINE uint32_t local_load_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct masked_line line;
   const uint8_t *from = local_line_masked(op, simd, &line);
   if (!from) {
      return 0;
   }
   read_masked(op, simd, from, &line);
   return 1;
}

MASKED(local_load, local_load_elements)
MASKED_BASE(local_load, local_load_elements, low, VGPU_LOW)
MASKED_BASE(local_load, local_load_elements, high, VGPU_HIGH)

VGPU_INLINE uint32_t local_store_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct masked_line line;
   uint8_t *to = local_line_masked(op, simd, &line);
   if (!to || line.step == 0) {
      return 0;
   }
   write_masked(op, simd, to);
   return 1;
}

MASKED(local_store, local_store_elements)
MASKED_BASE(local_store, local_store_elements, low, VGPU_LOW)
MASKED_BASE(local_store, local_store_elements, high, VGPU_HIGH)

/* ---- Raw words of the stack: vgpu/exec/semantics/exec_local.c. A row has one word of each lane ---- */

/* The copy's stack: an instruction before this one may have made it larger. */
VGPU_INLINE void take_stack(struct vgpu_frame *frame)
{
   frame->simd.stack.words = frame->own->stack.words;
   frame->simd.stack.allocated = frame->own->stack.allocated;
   frame->simd.stack.base = frame->own->stack.base;
}

/* The row that all active lanes access. NULL: they access several, or one that the stack does not have yet. */
VGPU_INLINE uint32_t *stack_row(const struct vgpu_op *op, const struct vgpu_simd *simd, bool masked)
{
   const bool same = vgpu_is_one(&op->src[1]);
   VGPU_LANE_ARRAY(uint32_t, offset);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(offset, i, vgpu_get(op, 1, simd, i, VGPU_GENERAL));
   }
   const unsigned first = masked ? (unsigned)__builtin_ctz(simd->exec) : 0;
   const uint32_t word = (offset[first] >> 2) + simd->stack.base;
   if (!same && !(masked ? rises_masked(simd, offset, first, offset[first], 0) : vgpu_rises(offset, 0))) {
      return NULL;
   }
   return word < simd->stack.allocated ? simd->stack.words + (size_t)word * VGPU_LANES : NULL;
}

CALLED uint32_t vgpu_frame_stack_load(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   take_stack(frame);
   const uint32_t *row = stack_row(op, &frame->simd, false);
   if (!row) {
      return 0;
   }
   read_line(op, &frame->simd, (const uint8_t *)row, 4);
   return 1;
}

CALLED uint32_t vgpu_frame_stack_store(const struct vgpu_op *op, struct vgpu_frame *frame)
{
   take_stack(frame);
   uint32_t *row = stack_row(op, &frame->simd, false);
   if (!row) {
      return 0;
   }
   write_line(op, &frame->simd, (uint8_t *)row);
   return 1;
}

VGPU_INLINE uint32_t stack_load_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct masked_line line = {.step = 4};
   const uint32_t *row = stack_row(op, simd, true);
   if (!row) {
      return 0;
   }
   read_masked(op, simd, (const uint8_t *)row, &line);
   return 1;
}

VGPU_INLINE uint32_t stack_store_masked(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint32_t *row = stack_row(op, simd, true);
   if (!row) {
      return 0;
   }
   write_masked(op, simd, (uint8_t *)row);
   return 1;
}

/* The bytes from the stack's start to each active lane's first word; 0 in others. false: there are other elements than
 * words, or the stack does not have one yet. */
VGPU_INLINE bool stack_offsets(const struct vgpu_op *op, const struct vgpu_simd *simd, uint32_t *offsets)
{
   const struct vgpu_stack *stack = &simd->stack;
   const uint32_t span = 32u - (uint32_t)__builtin_clz(op->memory.mask | 1);
   if (op->memory.element_bytes != 4 || op->dst.form != VGPU_WORD || simd->exec == 0 || span > stack->allocated ||
       stack->allocated > INT32_MAX / VGPU_LINE_BYTES) {
      return false;
   }
   vu past = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = ((vgpu_get(op, 1, simd, i, VGPU_GENERAL) >> 2) + stack->base) & vgpu_load(simd->mask, i);
      past |= (vu)(word > (uint32_t)(stack->allocated - span));
      vgpu_store(offsets, i, word * VGPU_LINE_BYTES + vgpu_load(lane_numbers, i) * 4);
   }
   return !vgpu_any(past);
}

static __attribute__((noinline)) bool stack_load_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   if (!stack_offsets(op, simd, offsets)) {
      return false;
   }
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t left = op->memory.mask; left; left &= left - 1, vector += VGPU_LANES) {
      const uint32_t *row = simd->stack.words + (size_t)(unsigned)__builtin_ctz(left) * VGPU_LANES;
      vu words[VGPU_CHUNKS];
      read_places(simd, (const uint8_t *)row, offsets, words);
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vgpu_store(vector, i, vgpu_select(vgpu_load(simd->mask, i), words[i], vgpu_load(vector, i)));
      }
   }
   return true;
}

static __attribute__((noinline)) bool stack_store_elements(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, offsets);
   if (!stack_offsets(op, simd, offsets)) {
      return false;
   }
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t left = op->memory.mask; left; left &= left - 1, vector += VGPU_LANES) {
      uint8_t *row = (uint8_t *)(simd->stack.words + (size_t)(unsigned)__builtin_ctz(left) * VGPU_LANES);
#if defined(__AVX512F__)
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const __m512i mask = (__m512i)vgpu_load(simd->mask, i);
         _mm512_mask_i32scatter_epi32(row, _mm512_test_epi32_mask(mask, mask), (__m512i)vgpu_load(offsets, i),
                                      (__m512i)vgpu_load(vector, i), 1);
      }
#else
      for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(lanes);
         memcpy(row + offsets[lane], &vector[lane], 4);
      }
#endif
   }
   return true;
}

ELEMENTS(stack_load_elements)
ELEMENTS(stack_store_elements)

#define MASKED_STACK(name)                                                                                             \
   CALLED uint32_t vgpu_frame_##name##_masked(const struct vgpu_op *op, struct vgpu_frame *frame)                      \
   {                                                                                                                   \
      take_stack(frame);                                                                                               \
      return name##_masked(op, &frame->simd);                                                                          \
   }                                                                                                                   \
   MASKED_OWN(name, name##_elements)

MASKED_STACK(stack_load)
MASKED_STACK(stack_store)

/* ---- Regions: vgpu/jit/region.c. op: the region's ---- */

/* Which of the region's blocks the simdgroup is at. */
CALLED uint32_t vgpu_region_place(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   return (uint32_t)(simd->block - op->native.region);
}

/* executed: instructions, and threads' instructions in the high half. It is volatile, because LLVM keeps it in a
 * register otherwise, with its values for each block at which the simdgroup may enter. */
CALLED void vgpu_region_begin(volatile uint64_t *executed, volatile uint32_t *turns)
{
   *executed = 0;
   *turns = VGPU_LOOP_PASSES;
}

CALLED uint32_t vgpu_region_exec(const struct vgpu_simd *simd)
{
   return simd->exec;
}

/* The simdgroup comes to block n, whose instructions may look where it stands. */
CALLED void vgpu_region_enter(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t n)
{
   simd->block = op->native.region + n;
}

/* It executes so many instructions with these lanes active. */
CALLED void vgpu_region_executed(volatile uint64_t *executed, uint32_t exec, uint32_t length)
{
   *executed += (uint64_t)(length * (uint32_t)__builtin_popcount(exec)) << 32 | length;
}

/* Whether the simdgroup goes over the next block. */
CALLED uint32_t vgpu_region_over(struct vgpu_simd *simd)
{
   if (!simd->over) {
      return false;
   }
   simd->over = false;
   return true;
}

/* Whether the simdgroup may jump back. */
CALLED uint32_t vgpu_region_again(const struct vgpu_simd *simd, volatile uint32_t *turns)
{
   const uint32_t left = *turns - 1;
   *turns = left;
   return left > 0 && !simd->worker->stop;
}

/* Interprets op i of block n. LLVM compiles it once for a region. */
__attribute__((noinline)) void vgpu_region_op(const struct vgpu_op *op, struct vgpu_simd *const *simds, uint32_t n,
                                              uint32_t i)
{
   const struct vgpu_op *interpreted = &op->native.region[n].ops[i];
   simds[0]->worker->interpreted.ops[interpreted->insn->op]++;
   interpreted->run[simds[0]->exec != VGPU_ALL](interpreted, simds, 1);
}

/* The same of all `count` ops. */
__attribute__((noinline)) void vgpu_region_ops(const struct vgpu_op *op, struct vgpu_simd *const *simds, uint32_t n,
                                               uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      vgpu_region_op(op, simds, n, i);
   }
}

/* Sets a part of the lanes' depths. Returns the bits of those that run. */
VGPU_INLINE uint32_t set_depth(struct vgpu_simd *simd, unsigned i, vu word, vu depth)
{
   const vu mask = (vu)(depth == 0) & vgpu_load(simd->launched, i);
   vgpu_store(simd->base[VGPU_REGISTERS], i, (word & 0xffff0000u) | depth);
   vgpu_store(simd->mask, i, mask);
   return vgpu_bits(mask, i);
}

/* `pop_exec` for a simdgroup without active lanes. */
__attribute__((noinline)) void vgpu_region_pop(struct vgpu_simd *simd, uint32_t nest)
{
   uint32_t exec = 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = vgpu_load(simd->base[VGPU_REGISTERS], i), depth = word & 0xffffu;
      exec |= set_depth(simd, i, word, (depth - nest) & (vu)(depth > nest));
   }
   simd->exec = exec;
}

/* `else`, where its condition always holds, for such a simdgroup. */
__attribute__((noinline)) void vgpu_region_else(struct vgpu_simd *simd, uint32_t nest)
{
   uint32_t exec = 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = vgpu_load(simd->base[VGPU_REGISTERS], i), depth = word & 0xffffu;
      exec |= set_depth(simd, i, word, vgpu_select((vu)(depth == 0), vgpu_all(nest), depth & (vu)(depth != 1)));
   }
   simd->exec = exec;
}

/* `if` for a simdgroup without active lanes: op i of block n. Lanes that were not launched may have any depth. */
__attribute__((noinline)) void vgpu_region_if(const struct vgpu_op *op, struct vgpu_simd *const *simds, uint32_t n,
                                              uint32_t i, uint32_t nest)
{
   struct vgpu_simd *simd = simds[0];
   uint32_t *r0 = simd->base[VGPU_REGISTERS];
   vu words[VGPU_CHUNKS], runs = vgpu_all(0);
   for (unsigned k = 0; k < VGPU_CHUNKS; k++) {
      const vu word = vgpu_load(r0, k), depth = (word + nest) & 0xffffu;
      runs |= (vu)((word & 0xffffu) == 0) | (vu)(depth == 0);
      words[k] = (word & 0xffff0000u) | depth;
   }
   if (vgpu_any(runs)) {
      vgpu_region_op(op, simds, n, i);
      return;
   }
   for (unsigned k = 0; k < VGPU_CHUNKS; k++) {
      vgpu_store(r0, k, words[k]);
   }
}

CALLED void vgpu_region_leave(const struct vgpu_op *op, struct vgpu_simd *simd, int32_t to, uint32_t ran)
{
   simd->block = op->native.region + to;
   simd->ran = ran;
}

/* Returns the sum of what all have executed so far: fewer than 2^32 threads' instructions, because simdgroups are few
 * and their turns limited. */
CALLED uint64_t vgpu_region_count(struct vgpu_simd *simd, const volatile uint64_t *executed, uint64_t sum)
{
   const uint64_t own = *executed;
   simd->left -= (uint32_t)own;
   return sum + own;
}

CALLED void vgpu_region_end(struct vgpu_simd *const *simds, uint64_t sum)
{
   struct vgpu_worker *worker = simds[0]->worker;
   const uint32_t instructions = (uint32_t)sum;
   worker->instructions += instructions;
   worker->thread_instructions += sum >> 32;
   worker->allowance -= instructions;
   worker->until_sample -= instructions;
}
