/* SPDX-License-Identifier: MIT
 *
 * Loads, stores and atomics on device memory: spec/isa.md 4.1 - 4.3.
 */
#include "vgpu/exec/fault.h"
#include "vgpu/exec/semantics/lane_pointers.h"
#include "vgpu/exec/semantics/line.h"
#include "vgpu/stage.h"
#include "vgpu/timing/path/path.h"

#include <stdatomic.h>

/* ---- Device memory ---- */

static void addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned align, unsigned scale,
                      uint64_t *address)
{
   const uint32_t *low = vgpu_source_vector(simd, &op->src[0]), *high = low + VGPU_LANES;
   const uint32_t *index = vgpu_source_vector(simd, &op->src[1]);
   uint64_t keep = ~(uint64_t)(align - 1);
   if (op->src[1].sx) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint64_t base = ((uint64_t)high[lane] << 32 | low[lane]) & keep;
         address[lane] = base + ((uint64_t)(int64_t)(int32_t)index[lane] << scale);
      }
   } else {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint64_t base = ((uint64_t)high[lane] << 32 | low[lane]) & keep;
         address[lane] = base + ((uint64_t)index[lane] << scale);
      }
   }
}

static unsigned log2_of(unsigned size)
{
   return (unsigned)__builtin_ctz(size);
}

/* A lane's bytes that lie on two pages: each element on its own. */
static void load_across(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t address, uint8_t *to, unsigned span)
{
   for (unsigned offset = 0; offset < span; offset += op->memory.element_bytes) {
      const uint8_t *from = vgpu_memory_at(&simd->worker->memory, address + offset, VGPU_READ);
      if (from) {
         memcpy(to + offset, from, op->memory.element_bytes);
      } else if (op->memory.mask >> (offset / op->memory.element_bytes) & 1) {
         vgpu_memory_miss(simd, op, address + offset, false);
      }
   }
}

/* Host memory behind such a line. NULL: it is not that, or has no translation. */
VGPU_INLINE uint8_t *find_line(const struct vgpu_line *line, struct vgpu_simd *simd, unsigned *step)
{
   uint64_t first;
   unsigned bytes;
   if (simd->exec != VGPU_ALL || !vgpu_line_find(line, simd, step, &first, &bytes)) {
      return NULL;
   }
   uint8_t *at = vgpu_memory_at(&simd->worker->memory, first, line->access);
   if (at && __builtin_expect(simd->path != NULL, 0)) {
      unsigned kind = line->access == VGPU_READ ? VGPU_ACCESS_LOAD : VGPU_ACCESS_STORE;
      vgpu_access_run(&simd->path->accesses, kind, first, bytes);
   }
   return at;
}

/* Pointers of lanes that all lie on one page, which is then looked up once. Inactive lanes have that of an active one.
 * false: they do not, or it is not mapped for reading. */
static bool find_on_page(struct vgpu_simd *simd, const uint64_t *address, unsigned span,
                         struct vgpu_lane_pointers *pointers)
{
   const uint64_t exec = simd->exec, first = address[exec ? (unsigned)__builtin_ctzll(exec) : 0];
   const uint64_t page = first & ~(uint64_t)(VGPU_PAGE - 1);
   VGPU_LANE_ARRAY(uint64_t, offset);
   uint64_t bits = 0; /* of all offsets: none above those of a page's */
   for (uint64_t lane = 0; lane < VGPU_LANES; lane++) {
      const uint64_t active = 0 - (exec >> lane & 1);
      offset[lane] = ((address[lane] & active) | (first & ~active)) - page;
      bits |= offset[lane] | (offset[lane] + span - 1);
   }
   uint8_t *at = exec && bits < VGPU_PAGE ? vgpu_memory_at(&simd->worker->memory, page, VGPU_READ) : NULL;
   if (!at) {
      return false;
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      pointers->at[lane] = at + offset[lane];
   }
   pointers->valid = simd->exec;
   return true;
}

/* Loads of lanes that all lie on one page, where the host gathers. The page's last bytes are left to load_lanes(),
 * since four are read at each element. false: they do not. */
static bool load_on_page(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const unsigned bytes = op->memory.element_bytes;
   if (!VGPU_GATHERS || simd->exec == 0 || !isa_formats[op->memory.format].raw) {
      return false;
   }
   VGPU_LANE_ARRAY(uint32_t, offsets);
   uint64_t page;
   if (!vgpu_page_offsets(op, simd, VGPU_PAGE - (vgpu_span(op) - bytes + 4), &page, offsets)) {
      return false;
   }
   const uint8_t *at = vgpu_memory_at(&simd->worker->memory, page, VGPU_READ);
   if (!at) {
      return false;
   }
#if VGPU_GATHERS
   vgpu_load_offsets(op, simd, at, offsets);
#endif
   return true;
}

static __attribute__((noinline)) void load_lanes(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_memory *memory = &simd->worker->memory;
   VGPU_LANE_ARRAY(uint64_t, address);
   struct vgpu_lane_pointers pointers;
   unsigned span = vgpu_span(op);
   if (!simd->path && load_on_page(op, simd)) {
      return;
   }
   addresses(op, simd, op->memory.element_bytes, op->memory.shift + log2_of(op->memory.element_bytes), address);
   if (!simd->path && find_on_page(simd, address, span, &pointers)) {
      vgpu_load_lanes(op, simd, &pointers);
      return;
   }
   pointers.valid = simd->exec;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      uint8_t *at = NULL;
      bool active = simd->exec >> lane & 1, across = address[lane] % VGPU_PAGE + span > VGPU_PAGE;
      if (active && !across) {
         at = vgpu_memory_at(memory, address[lane], VGPU_READ);
      }
      pointers.at[lane] = at;
      if (at) {
         continue;
      }
      pointers.at[lane] = pointers.spare[lane];
      memset(pointers.spare[lane], 0, VGPU_MAX_SPAN);
      if (active && across) {
         load_across(op, simd, address[lane], pointers.spare[lane], span);
      } else if (active) {
         pointers.valid &= ~(1u << lane);
         vgpu_memory_miss(simd, op, address[lane], false);
      }
   }
   if (simd->path) {
      vgpu_access_lanes(&simd->path->accesses, VGPU_ACCESS_LOAD, address, pointers.valid, span);
   }
   vgpu_load_lanes(op, simd, &pointers);
}

static void store_across(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t address, const uint8_t *from,
                         unsigned span)
{
   for (unsigned offset = 0; offset < span; offset += op->memory.element_bytes) {
      if (!(op->memory.mask >> (offset / op->memory.element_bytes) & 1)) {
         continue;
      }
      uint8_t *to = vgpu_memory_at(&simd->worker->memory, address + offset, VGPU_WRITE);
      if (to) {
         memcpy(to, from + offset, op->memory.element_bytes);
      } else {
         vgpu_memory_miss(simd, op, address + offset, true);
      }
   }
}

static __attribute__((noinline)) void store_lanes(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_memory *memory = &simd->worker->memory;
   VGPU_LANE_ARRAY(uint64_t, address);
   struct vgpu_lane_pointers pointers;
   unsigned span = vgpu_span(op);
   addresses(op, simd, op->memory.element_bytes, op->memory.shift + log2_of(op->memory.element_bytes), address);
   pointers.valid = simd->exec;
   uint32_t across = 0;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] % VGPU_PAGE + span > VGPU_PAGE) {
         pointers.at[lane] = pointers.spare[lane];
         across |= 1u << lane;
         continue;
      }
      pointers.at[lane] = vgpu_memory_at(memory, address[lane], VGPU_WRITE);
      if (!pointers.at[lane]) {
         pointers.valid &= ~(1u << lane);
         vgpu_memory_miss(simd, op, address[lane], true);
      }
   }
   if (simd->path) {
      vgpu_access_lanes(&simd->path->accesses, VGPU_ACCESS_STORE, address, pointers.valid, span);
   }
   vgpu_store_lanes(op, simd, &pointers);
   for (; across; across &= across - 1) {
      unsigned lane = (unsigned)__builtin_ctz(across);
      store_across(op, simd, address[lane], pointers.spare[lane], span);
   }
}

/* The next cohort (COMFORTABLE in cohort.c) in this slot: prefetching it made streams faster by a quarter
 * (results/vgpu-speed.md). */
#define AHEAD 8

/* Pointers to all lanes of a line. */
static void point(struct vgpu_lane_pointers *pointers, uint8_t *first, unsigned step)
{
   pointers->valid = VGPU_ALL;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      pointers->at[lane] = first + lane * step;
   }
}

static void load_line(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *first, unsigned step)
{
   struct vgpu_lane_pointers pointers;

   if (vgpu_has_words(op)) {
      vgpu_load_line(op, simd, first, step);
   } else if (vgpu_has_halves(op, step)) {
      vgpu_load_halves(op, simd, first);
   } else {
      point(&pointers, (uint8_t *)(uintptr_t)first, step);
      vgpu_load_lanes(op, simd, &pointers);
   }
}

static void store_line(const struct vgpu_op *op, struct vgpu_simd *simd, uint8_t *first, unsigned step)
{
   struct vgpu_lane_pointers pointers;

   if (vgpu_has_words(op)) {
      vgpu_store_line(op, simd, first, step);
   } else if (vgpu_has_halves(op, step)) {
      vgpu_store_halves(op, simd, first);
   } else {
      point(&pointers, first, step);
      vgpu_store_lanes(op, simd, &pointers);
   }
}

static void load_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   const struct vgpu_line line = vgpu_line_of(op, VGPU_READ);
   for (unsigned i = 0; i < count; i++) {
      unsigned step;
      const uint8_t *first = find_line(&line, simds[i], &step);
      if (first) {
         VGPU_PREFETCH(first, 0, AHEAD);
         load_line(op, simds[i], first, step);
      } else {
         load_lanes(op, simds[i]);
      }
   }
}

static void store_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   const struct vgpu_line line = vgpu_line_of(op, VGPU_WRITE);
   for (unsigned i = 0; i < count; i++) {
      unsigned step;
      uint8_t *first = find_line(&line, simds[i], &step);
      if (first) {
         VGPU_PREFETCH(first, 1, AHEAD);
         store_line(op, simds[i], first, step);
      } else {
         store_lanes(op, simds[i]);
      }
   }
}

const struct vgpu_handler VGPU_NAME(vgpu_do_load) = {{load_all, load_all, load_all, load_all}};
VGPU_OPERATION(LOAD, load, FALL, PLAIN, load);
const struct vgpu_handler VGPU_NAME(vgpu_do_store) = {{store_all, store_all, store_all, store_all}};

/* A fragment program's store. */
static void store_live(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const uint32_t active = simd->exec;
   simd->exec = vgpu_stage_storing(simd->worker->launch->stage, simd->index * VGPU_LANES, active);
   store_lanes(op, simd);
   simd->exec = active;
}
VGPU_SLOW_HANDLER(store_live, store_live);
VGPU_OPERATION(STORE, store, FALL, PLAIN, store, store_live);

/* ---- Atomics. src[2]: data, src[3]: the register after it ---- */

/* The most frequent atomic: the old value is not used. Additions of all lanes to one word are summed up first. */
static void add_words(const struct vgpu_op *op, struct vgpu_simd *simd, const uint64_t *address, const uint32_t *data)
{
   uint64_t page = address[__builtin_ctz(simd->exec | 1u << 31)] / VGPU_PAGE; /* the one that host is */
   uint8_t *host = vgpu_memory_at(&simd->worker->memory, page * VGPU_PAGE, VGPU_READ | VGPU_WRITE);
   if (host && simd->exec == VGPU_ALL && vgpu_spaced(address, 0)) {
      uint32_t sum = 0;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         sum += data[lane];
      }
      vgpu_memory_add(&simd->worker->memory, (uint32_t *)(void *)(host + address[0] % VGPU_PAGE), sum);
      return;
   }
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] / VGPU_PAGE != page) {
         page = address[lane] / VGPU_PAGE;
         host = vgpu_memory_at(&simd->worker->memory, page * VGPU_PAGE, VGPU_READ | VGPU_WRITE);
      }
      if (host) {
         vgpu_memory_add(&simd->worker->memory, (uint32_t *)(void *)(host + address[lane] % VGPU_PAGE), data[lane]);
      } else {
         vgpu_memory_miss(simd, op, address[lane], true);
      }
   }
}

static void atomic(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   VGPU_LANE_ARRAY(uint32_t, old);
   const uint32_t *data = vgpu_source_vector(simd, &op->src[2]), *next = vgpu_source_vector(simd, &op->src[3]);
   addresses(op, simd, 4, 2, address);
   if (simd->path) {
      vgpu_access_atomic(&simd->path->accesses, address, simd->exec, 4);
   }
   if (op->atomic.operation == ISA_ATOMIC_ADD && !op->dst.present) {
      add_words(op, simd, address, data);
      return;
   }
   memset(old, 0, sizeof(old));
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint8_t *at = vgpu_memory_at(&simd->worker->memory, address[lane], VGPU_READ | VGPU_WRITE);
      if (at) {
         old[lane] = vgpu_atomic_word((uint32_t *)(void *)at, op->atomic.operation, data[lane], next[lane]);
      } else {
         vgpu_memory_miss(simd, op, address[lane], true);
      }
   }
   if (op->dst.present) {
      vgpu_put_lanes(op, simd, old);
   }
}

static void atomic64(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   const uint32_t *low = vgpu_source_vector(simd, &op->src[2]), *high = vgpu_source_vector(simd, &op->src[3]);
   addresses(op, simd, 8, 3, address);
   if (simd->path) {
      vgpu_access_atomic(&simd->path->accesses, address, simd->exec, 8);
   }
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint8_t *at = vgpu_memory_at(&simd->worker->memory, address[lane], VGPU_READ | VGPU_WRITE);
      if (!at) {
         vgpu_memory_miss(simd, op, address[lane], true);
         continue;
      }
      uint64_t *word = (uint64_t *)(void *)at, data = (uint64_t)high[lane] << 32 | low[lane];
      uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
      while ((op->atomic.operation == ISA_ATOMIC_UMIN64 ? data < old : data > old) &&
             !__atomic_compare_exchange_n(word, &old, data, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
   }
}

VGPU_SLOW_HANDLER(atomic, atomic);
VGPU_SLOW_HANDLER(atomic64, atomic64);
VGPU_OPERATION(ATOMIC, atomic, FALL, PLAIN, atomic, atomic64);

/* ---- Order. Other host threads run other threadgroups at the same time, on the same memory ---- */

/* Everything before it is visible to all before anything after it. One fence serves all simdgroups, because they run on
 * this host thread. Every kind of memory barrier uses the strongest fence; spec/isa.md 4.6 does not distinguish
 * them. */
static void memory_barrier(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   (void)op, (void)simds, (void)count;
   atomic_thread_fence(memory_order_seq_cst);
}

/* A load has its value before anything after the wait is done. x86 keeps loads before later accesses anyway, so there
 * the instruction costs nothing. */
#if defined(__x86_64__)
const struct vgpu_handler VGPU_NAME(vgpu_do_wait) = {{NULL}};
#else
static void wait_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   (void)op, (void)simds, (void)count;
   atomic_thread_fence(memory_order_acquire);
}

const struct vgpu_handler VGPU_NAME(vgpu_do_wait) = {{wait_all, wait_all, wait_all, wait_all}};
#endif
VGPU_OPERATION(WAIT, nothing, FALL, PLAIN, wait);

const struct vgpu_handler VGPU_NAME(vgpu_do_memory_barrier) = {
    {memory_barrier, memory_barrier, memory_barrier, memory_barrier}};
VGPU_OPERATION(MEMORY_BARRIER, nothing, FALL, PLAIN, memory_barrier);
