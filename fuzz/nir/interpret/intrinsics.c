/* SPDX-License-Identifier: MIT
 *
 * The intrinsics that the interpreter supports: memory, lanes of a simdgroup, identifiers. An address or the choice of
 * a lane must be exact; a load has the certainty of the bytes that it reads.
 */
#include <math.h>
#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/u_math.h"

#include "fuzz/nir/interpret/interpreter.h"

/* Returns the bytes at an address; NULL: it is outside of all memory. */
struct region *fuzz_find_region(struct interpreter *run, uint64_t address, uint64_t bytes, uint64_t *offset)
{
   for (unsigned i = 0; i < REGIONS; i++) {
      struct region *region = &run->regions[i];
      if (i != REGION_SHARED && i != REGION_SCRATCH && bytes <= region->size &&
          address - region->base <= region->size - bytes) {
         *offset = address - region->base;
         return region;
      }
   }
   return NULL;
}

void fuzz_load(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, struct region *region,
               uint64_t offset)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);
   const unsigned bytes = MAX2(intr->def.bit_size / 8u, 1u);

   for (unsigned c = 0; c < intr->def.num_components; c++) {
      const unsigned at = lane * intr->def.num_components + c;
      uint8_t certainty = FUZZ_EXACT;
      uint64_t known = 0;
      nir_const_value value = {0};
      memcpy(&value, region->bytes + offset + c * bytes, bytes);
      for (unsigned i = 0; i < bytes; i++) {
         const uint8_t of_byte = region->certainty[offset + c * bytes + i];
         certainty = MAX2(certainty, of_byte);
         known |= of_byte == FUZZ_EXACT ? UINT64_C(0xff) << i * 8 : 0;
      }
      lanes->values[at] = value;
      lanes->certainty[at] = certainty;
      lanes->known[at] = known;
   }
}

/* The bytes of an approximate value or of a NaN mean nothing by themselves: only outputs, and values that a preamble
 * passes on, are read as they were stored. */
static uint8_t stored_certainty(const struct interpreter *run, const struct region *region, uint8_t certainty)
{
   const bool as_stored = region == &run->regions[REGION_OUTPUTS] || region->bytes == run->preamble;

   return as_stored ? certainty : (uint8_t)fuzz_dependent(certainty);
}

/* Stores the certainty of one component, byte by byte. */
static void store_certainty(const struct interpreter *run, const struct lanes *lanes, unsigned component,
                            struct region *region, uint64_t offset, unsigned bytes)
{
   const uint8_t certainty = lanes->certainty[component];

   for (unsigned i = 0; i < bytes; i++) {
      const bool known = certainty == FUZZ_UNDEFINED && (lanes->known[component] >> i * 8 & 0xff) == 0xff;
      region->certainty[offset + i] = known ? (uint8_t)FUZZ_EXACT : stored_certainty(run, region, certainty);
   }
}

/* In no program do two lanes store the same byte of the outputs. If a pass widens a store, the last lane is
 * undetermined. */
static void take_outputs(struct interpreter *run, unsigned lane, uint64_t offset, unsigned bytes)
{
   for (uint64_t i = offset; i < offset + bytes; i++) {
      if (run->owner[i] != 0 && run->owner[i] != lane + 1) {
         run->regions[REGION_OUTPUTS].certainty[i] = FUZZ_UNDEFINED;
      }
      run->owner[i] = (uint8_t)(lane + 1);
   }
}

void fuzz_store(struct interpreter *run, nir_src src, unsigned lane, unsigned write_mask, struct region *region,
                uint64_t offset)
{
   const unsigned bytes = MAX2(src.ssa->bit_size / 8u, 1u); /* a preamble stores booleans, too */
   const struct lanes *lanes = fuzz_lanes(run, src);

   for (unsigned c = 0; c < src.ssa->num_components; c++) {
      if ((write_mask >> c & 1) != 0) {
         memcpy(region->bytes + offset + c * bytes, &fuzz_lane_value(run, src, lane)[c], bytes);
         store_certainty(run, lanes, lane * src.ssa->num_components + c, region, offset + c * bytes, bytes);
         if (region == &run->regions[REGION_OUTPUTS]) {
            take_outputs(run, lane, offset + c * bytes, bytes);
         }
      }
   }
}

/* Returns the address of load_agx and similar intrinsics: an index that is extended, and scaled by the element's size
 * and a shift. */
static uint64_t agx_address(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned first, unsigned bits,
                            unsigned lane)
{
   fuzz_require_certain(run, intr->src[first], lane, "address");
   fuzz_require_certain(run, intr->src[first + 1], lane, "address");
   const uint32_t index = fuzz_lane_value(run, intr->src[first + 1], lane)->u32;
   const uint64_t extended = nir_intrinsic_sign_extend(intr) ? (uint64_t)(int64_t)(int32_t)index : index;

   return fuzz_lane_value(run, intr->src[first], lane)->u64 +
          (extended << ((unsigned)nir_intrinsic_base(intr) + util_logbase2(bits / 8)));
}

static void access_global(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool stores,
                          bool agx)
{
   const unsigned first = stores ? 1 : 0;
   const unsigned bits = stores ? intr->src[0].ssa->bit_size : intr->def.bit_size;
   const unsigned components = stores ? intr->src[0].ssa->num_components : intr->def.num_components;

   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, intr->src[first], lane, "address");
      const uint64_t address =
          agx ? agx_address(run, intr, first, bits, lane) : fuzz_lane_value(run, intr->src[first], lane)->u64;
      uint64_t offset;
      struct region *region = fuzz_find_region(run, address, (uint64_t)components * bits / 8, &offset);
      if (region == NULL) {
         fuzz_fail(run, "access out of bounds at 0x%llx", (unsigned long long)address);
      }
      if (stores) {
         fuzz_keep(run, FUZZ_SERIES_DEVICE, intr, lane, address);
         const unsigned all = (1u << components) - 1;
         fuzz_store(run, intr->src[0], lane, nir_intrinsic_has_write_mask(intr) ? nir_intrinsic_write_mask(intr) : all,
                    region, offset);
      } else {
         fuzz_keep(run, FUZZ_SERIES_LOAD, intr, lane, address);
         fuzz_load(run, intr, lane, region, offset);
      }
   }
}

/* Whether the other simdgroup accessed it since the last barrier. */
static bool by_other(const struct interpreter *run, uint32_t access, unsigned lane)
{
   return access >> 2 == run->epoch && (access & 3 & ~(1u << lane / FUZZ_SIMD)) != 0;
}

static void note(const struct interpreter *run, uint32_t *access, unsigned lane)
{
   const uint32_t before = *access >> 2 == run->epoch ? *access : run->epoch << 2;

   *access = before | 1u << lane / FUZZ_SIMD;
}

enum shared_use { SHARED_LOAD, SHARED_STORE, SHARED_UPDATE };

/* Records an access to threadgroup memory. Returns true if it races with one of the other simdgroup. */
static bool races(struct interpreter *run, uint64_t offset, unsigned bytes, unsigned lane, enum shared_use use)
{
   bool race = false;

   if (run->shared == NULL) {
      run->shared = rzalloc_array(run->context, struct shared_access, FUZZ_SHARED_BYTES);
   }
   if (run->shared == NULL) {
      fuzz_fail(run, "out of memory");
   }
   for (uint64_t i = offset; i < offset + bytes && i < FUZZ_SHARED_BYTES; i++) {
      struct shared_access *access = &run->shared[i];
      race |= by_other(run, access->stored, lane) || (use != SHARED_LOAD && by_other(run, access->loaded, lane)) ||
              (use != SHARED_UPDATE && by_other(run, access->updated, lane));
      note(run, use == SHARED_LOAD ? &access->loaded : use == SHARED_STORE ? &access->stored : &access->updated, lane);
   }
   return race;
}

static void access_shared(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool stores)
{
   struct region *region = fuzz_unwritten_region(run, REGION_SHARED);

   FOREACH_LANE(lane, mask)
   {
      const nir_src at = intr->src[stores ? 1 : 0];
      fuzz_require_certain(run, at, lane, "offset");
      const uint64_t offset = nir_const_value_as_uint(*fuzz_lane_value(run, at, lane), at.ssa->bit_size) +
                              (uint64_t)nir_intrinsic_base(intr);
      if (offset > FUZZ_SHARED_BYTES - 128) {
         fuzz_fail(run, "threadgroup access out of bounds at %llu", (unsigned long long)offset);
      }
      const nir_def *data = stores ? intr->src[0].ssa : &intr->def;
      const unsigned bytes = data->num_components * MAX2(data->bit_size, 8u) / 8u;
      const bool race = races(run, offset, bytes, lane, stores ? SHARED_STORE : SHARED_LOAD);
      if (stores) {
         fuzz_keep(run, FUZZ_SERIES_SHARED, intr, lane, offset);
         fuzz_store(run, intr->src[0], lane, nir_intrinsic_write_mask(intr), region, offset);
      } else {
         fuzz_keep(run, FUZZ_SERIES_LOCAL, intr, lane, offset);
         fuzz_load(run, intr, lane, region, offset);
      }
      if (race && stores) {
         memset(region->certainty + offset, FUZZ_UNDEFINED, bytes);
      } else if (race) {
         fuzz_undefine(fuzz_define(run, &intr->def), lane, intr->def.num_components);
      }
   }
}

/* Private memory in the backend's layout: the lanes' parts are consecutive. */
static void access_scratch(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool stores)
{
   const nir_src at = intr->src[stores ? 1 : 0];
   const nir_def *data = stores ? intr->src[0].ssa : &intr->def;
   const uint64_t bytes = (uint64_t)data->num_components * MAX2(data->bit_size, 8u) / 8u;
   struct region *region = fuzz_unwritten_region(run, REGION_SCRATCH);

   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, at, lane, "offset");
      const uint64_t offset = nir_const_value_as_uint(*fuzz_lane_value(run, at, lane), at.ssa->bit_size);
      if (offset > FUZZ_SCRATCH_BYTES || offset + bytes > region->size / FUZZ_LANES) {
         fuzz_fail(run, "access to private memory out of bounds at %llu", (unsigned long long)offset);
      }
      const uint64_t start = lane * (region->size / FUZZ_LANES) + offset;
      if (stores) {
         fuzz_store(run, intr->src[0], lane, nir_intrinsic_write_mask(intr), region, start);
      } else {
         fuzz_load(run, intr, lane, region, start);
      }
   }
}

/* Returns the new value of an atomic. */
static uint32_t atomic_result(struct interpreter *run, nir_atomic_op op, uint32_t old, uint32_t value, uint32_t compare)
{
   switch (op) {
   case nir_atomic_op_iadd:
      return old + value;
   case nir_atomic_op_umin:
      return MIN2(old, value);
   case nir_atomic_op_umax:
      return MAX2(old, value);
   case nir_atomic_op_imin:
      return (uint32_t)MIN2((int32_t)old, (int32_t)value);
   case nir_atomic_op_imax:
      return (uint32_t)MAX2((int32_t)old, (int32_t)value);
   case nir_atomic_op_iand:
      return old & value;
   case nir_atomic_op_ior:
      return old | value;
   case nir_atomic_op_ixor:
      return old ^ value;
   case nir_atomic_op_xchg:
      return value;
   case nir_atomic_op_cmpxchg:
      return old == compare ? value : old;
   default:
      fuzz_fail(run, "an atomic that the interpreter does not know");
   }
}

/* Executes one lane after the other: programs do not use results that depend on the order. `data`: the source that
 * holds the value, or the compared value, which the new value follows. */
static void atomic(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, struct region *region,
                   uint64_t offset, unsigned data)
{
   const nir_atomic_op op = nir_intrinsic_atomic_op(intr);
   const nir_src source = intr->src[op == nir_atomic_op_cmpxchg ? data + 1 : data];
   struct lanes *lanes = fuzz_define(run, &intr->def);
   uint32_t old;

   if (intr->def.bit_size != 32 || intr->def.num_components != 1) {
      fuzz_fail(run, "an atomic of %u bits", intr->def.bit_size);
   }
   fuzz_load(run, intr, lane, region, offset);
   old = lanes->values[lane].u32;
   const uint32_t result = atomic_result(run, op, old, fuzz_lane_value(run, source, lane)->u32,
                                         fuzz_lane_value(run, intr->src[data], lane)->u32);
   const uint8_t certainty =
       (uint8_t)MAX3(fuzz_dependent(lanes->certainty[lane]), fuzz_dependent(fuzz_certainty(run, source, lane)),
                     fuzz_dependent(fuzz_certainty(run, intr->src[data], lane)));
   memcpy(region->bytes + offset, &result, sizeof(result));
   memset(region->certainty + offset, certainty, sizeof(result));
}

static void shared_atomic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   struct region *region = fuzz_unwritten_region(run, REGION_SHARED);

   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, intr->src[0], lane, "offset");
      const uint64_t offset =
          nir_const_value_as_uint(*fuzz_lane_value(run, intr->src[0], lane), 32) + (uint64_t)nir_intrinsic_base(intr);
      if (offset > FUZZ_SHARED_BYTES - 4) {
         fuzz_fail(run, "threadgroup access out of bounds at %llu", (unsigned long long)offset);
      }
      const bool race = races(run, offset, 4, lane, SHARED_UPDATE);
      fuzz_keep(run, FUZZ_SERIES_SHARED, intr, lane, offset);
      atomic(run, intr, lane, region, offset, 1);
      if (race) {
         memset(region->certainty + offset, FUZZ_UNDEFINED, 4);
      }
   }
}

static void global_atomic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool agx)
{
   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, intr->src[0], lane, "address");
      uint64_t address = fuzz_lane_value(run, intr->src[0], lane)->u64, offset;
      if (agx) {
         fuzz_require_certain(run, intr->src[1], lane, "address");
         const uint32_t index = fuzz_lane_value(run, intr->src[1], lane)->u32;
         address += (nir_intrinsic_sign_extend(intr) ? (uint64_t)(int64_t)(int32_t)index : index) << 2;
      }
      struct region *region = fuzz_find_region(run, address, 4, &offset);
      if (region == NULL) {
         fuzz_fail(run, "atomic out of bounds at 0x%llx", (unsigned long long)address);
      }
      fuzz_keep(run, FUZZ_SERIES_DEVICE, intr, lane, address);
      atomic(run, intr, lane, region, offset, agx ? 2 : 1);
   }
}

static void load_preamble(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned byte)
{
   struct region region = {.bytes = run->preamble, .certainty = run->preamble_certainty};

   FOREACH_LANE(lane, mask)
   {
      fuzz_load(run, intr, lane, &region, byte);
   }
}

static void store_preamble(struct interpreter *run, const nir_intrinsic_instr *intr)
{
   struct region region = {.bytes = run->preamble, .certainty = run->preamble_certainty};

   fuzz_store(run, intr->src[0], 0, ~0u, &region, (uint64_t)nir_intrinsic_base(intr) * 2);
}

static void set_number(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, uint64_t number)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);

   lanes->values[lane * intr->def.num_components] = nir_const_value_for_raw_uint(number, intr->def.bit_size);
}

/* For one threadgroup in one dimension: the sizes of the others are 1. */
static void load_size(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, uint64_t size)
{
   const unsigned components = intr->def.num_components;
   struct lanes *lanes = fuzz_define(run, &intr->def);

   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, size);
      for (unsigned c = 1; c < components; c++) {
         lanes->values[lane * components + c] = nir_const_value_for_raw_uint(1, intr->def.bit_size);
      }
   }
}

/* Defines lane numbers below `bound`. */
static void number_lanes(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned bound)
{
   fuzz_define(run, &intr->def);
   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, lane % bound);
   }
}

/* ---- Between the lanes of a simdgroup: all lanes of `mask` are in one ---- */

/* Reads the value of another lane, which this lane chooses. */
static void read_lane(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const unsigned components = intr->def.num_components;
   struct lanes *lanes = fuzz_define(run, &intr->def);
   const struct lanes *from = fuzz_lanes(run, intr->src[0]);

   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, intr->src[1], lane, "lane");
      const uint64_t other =
          nir_const_value_as_uint(*fuzz_lane_value(run, intr->src[1], lane), intr->src[1].ssa->bit_size);
      const uint64_t from_lane = lane / FUZZ_SIMD * FUZZ_SIMD + other;
      if (other >= FUZZ_SIMD || (mask >> from_lane & 1) == 0) {
         fuzz_undefine(lanes, lane, components);
         continue;
      }
      fuzz_copy(lanes, lane, from, (unsigned)from_lane, components);
   }
}

/* For the active lanes: the number of the first or last one, whether a lane is the first, or the first one's value. */
static void first_lane(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const unsigned first = (unsigned)__builtin_ctzll(mask), components = intr->def.num_components;
   struct lanes *lanes = fuzz_define(run, &intr->def);

   FOREACH_LANE(lane, mask)
   {
      if (intr->intrinsic == nir_intrinsic_read_first_invocation) {
         fuzz_copy(lanes, lane, fuzz_lanes(run, intr->src[0]), first, components);
      } else if (intr->intrinsic == nir_intrinsic_elect) {
         set_number(run, intr, lane, lane == first);
      } else {
         const unsigned last = 63u - (unsigned)__builtin_clzll(mask);
         set_number(run, intr, lane, (intr->intrinsic == nir_intrinsic_last_invocation ? last : first) % FUZZ_SIMD);
      }
   }
}

static nir_const_value combine(const struct interpreter *run, nir_op op, nir_const_value a, nir_const_value b,
                               unsigned bits)
{
   nir_const_value *sources[] = {&a, &b}, result;

   nir_eval_const_opcode(op, &result, 1, bits, sources, run->nir->info.float_controls_execution_mode);
   return result;
}

/* Reductions and scans over integers. */
static void scan(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const nir_op op = (nir_op)nir_intrinsic_reduction_op(intr);
   const unsigned bits = intr->def.bit_size;
   struct lanes *lanes = fuzz_define(run, &intr->def);
   const struct lanes *from = fuzz_lanes(run, intr->src[0]);
   nir_const_value total = nir_alu_binop_identity(op, bits);
   uint8_t certainty = FUZZ_EXACT;

   if (nir_alu_type_get_base_type(nir_op_infos[op].output_type) == nir_type_float || intr->def.num_components != 1 ||
       (intr->intrinsic == nir_intrinsic_reduce && nir_intrinsic_cluster_size(intr) % FUZZ_SIMD != 0)) {
      fuzz_fail(run, "a reduction that the interpreter does not know");
   }
   FOREACH_LANE(lane, mask)
   {
      const nir_const_value before = total;
      const uint8_t certainty_before = certainty;
      total = combine(run, op, total, from->values[lane], bits);
      certainty = (uint8_t)MAX2(certainty, fuzz_dependent(from->certainty[lane]));
      const bool exclusive = intr->intrinsic == nir_intrinsic_exclusive_scan;
      lanes->values[lane] = exclusive ? before : total;
      lanes->certainty[lane] = exclusive ? certainty_before : certainty;
   }
   FOREACH_LANE(lane, mask)
   {
      if (intr->intrinsic == nir_intrinsic_reduce) {
         lanes->values[lane] = total;
         lanes->certainty[lane] = certainty;
      }
   }
}

/* Sets the same number in all lanes, which depends on source 0 in all of them. */
static void set_numbers(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, uint64_t number)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);
   uint8_t certainty = FUZZ_EXACT;

   FOREACH_LANE(lane, mask)
   {
      certainty = (uint8_t)MAX2(certainty, fuzz_dependent(fuzz_certainty(run, intr->src[0], lane)));
   }
   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, number);
      lanes->certainty[lane] = certainty;
   }
}

static void ballot(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   uint32_t votes = 0;

   FOREACH_LANE(lane, mask)
   {
      votes |= fuzz_lane_value(run, intr->src[0], lane)->b ? UINT32_C(1) << lane % FUZZ_SIMD : 0;
   }
   set_numbers(run, intr, mask, votes);
}

/* Whether a condition is true in any lane or in all, or a value is the same in all. */
static void vote(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const nir_intrinsic_op op = intr->intrinsic;
   const nir_src from = intr->src[0];
   const unsigned bits = from.ssa->bit_size;
   const uint64_t first = nir_const_value_as_uint(*fuzz_lane_value(run, from, (unsigned)__builtin_ctzll(mask)), bits);
   bool any = false, all = true;

   if (from.ssa->num_components != 1) {
      fuzz_fail(run, "a vote over a vector");
   }
   FOREACH_LANE(lane, mask)
   {
      const uint64_t number = nir_const_value_as_uint(*fuzz_lane_value(run, from, lane), bits);
      const bool agrees = op == nir_intrinsic_vote_ieq ? number == first : number != 0;
      any |= agrees;
      all &= agrees;
   }
   set_numbers(run, intr, mask, op == nir_intrinsic_vote_any ? any : all);
}

static void among_lanes(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask,
                        void (*of_simdgroup)(struct interpreter *, const nir_intrinsic_instr *, lane_mask))
{
   for (unsigned first = 0; first < FUZZ_LANES; first += FUZZ_SIMD) {
      const lane_mask part = mask & (lane_mask)UINT32_MAX << first;
      if (part != 0) {
         of_simdgroup(run, intr, part);
      }
   }
}

static void load_parameter(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);
   const unsigned components = intr->def.num_components;
   const unsigned number = (unsigned)nir_intrinsic_param_idx(intr);

   if (run->call == NULL || number >= run->call->num_params) {
      fuzz_fail(run, "a parameter of no call");
   }
   const nir_def *from = run->call->params[number].ssa;
   const struct lanes *values = from->index < run->caller->def_count ? &run->caller->defs[from->index] : NULL;
   if (values == NULL || values->values == NULL || from->num_components != components) {
      fuzz_fail(run, "a value is read before it is made");
   }
   FOREACH_LANE(lane, mask)
   {
      fuzz_copy(lanes, lane, values, lane, components);
   }
}

/* Returns the offset of an argument in its block, which is the same in all lanes. It may be an op on a constant that is
 * not folded yet. */
static unsigned input_offset(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const unsigned lane = (unsigned)__builtin_ctzll(mask);

   fuzz_require_certain(run, intr->src[0], lane, "argument");
   const unsigned offset = fuzz_lane_value(run, intr->src[0], lane)->u32 + (unsigned)nir_intrinsic_base(intr);
   if (offset > run->memory->argument_bytes) {
      fuzz_fail(run, "an argument behind the last one");
   }
   return offset;
}

void fuzz_intrinsic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_local_invocation_index:
   case nir_intrinsic_load_local_invocation_id:
   case nir_intrinsic_load_global_invocation_id:
      number_lanes(run, intr, mask, FUZZ_LANES);
      break;
   case nir_intrinsic_load_subgroup_invocation:
      number_lanes(run, intr, mask, FUZZ_SIMD);
      break;
   case nir_intrinsic_load_base_global_invocation_id:
   case nir_intrinsic_load_workgroup_id:
   case nir_intrinsic_load_base_workgroup_id:
      fuzz_define(run, &intr->def); /* there is one threadgroup, at 0 */
      break;
   case nir_intrinsic_load_num_workgroups:
   case nir_intrinsic_load_work_dim:
      load_size(run, intr, mask, 1);
      break;
   case nir_intrinsic_load_workgroup_size:
   case nir_intrinsic_load_global_size:
      load_size(run, intr, mask, util_bitcount64(run->memory->lanes));
      break;
   case nir_intrinsic_load_param:
      load_parameter(run, intr, mask);
      break;
   case nir_intrinsic_convert_alu_types:
      fuzz_convert(run, intr, mask);
      break;
   case nir_intrinsic_load_deref:
      fuzz_access_deref(run, intr, mask, false);
      break;
   case nir_intrinsic_store_deref:
      fuzz_access_deref(run, intr, mask, true);
      break;
   case nir_intrinsic_load_kernel_input:
      load_preamble(run, intr, mask, input_offset(run, intr, mask));
      break;
   case nir_intrinsic_load_preamble:
      load_preamble(run, intr, mask, (unsigned)nir_intrinsic_base(intr) * 2);
      break;
   case nir_intrinsic_store_preamble:
      store_preamble(run, intr);
      break;
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
      access_global(run, intr, mask, false, false);
      break;
   case nir_intrinsic_store_global:
      access_global(run, intr, mask, true, false);
      break;
   case nir_intrinsic_load_agx:
   case nir_intrinsic_load_constant_agx:
      access_global(run, intr, mask, false, true);
      break;
   case nir_intrinsic_store_agx:
      access_global(run, intr, mask, true, true);
      break;
   case nir_intrinsic_load_shared:
      access_shared(run, intr, mask, false);
      break;
   case nir_intrinsic_store_shared:
      access_shared(run, intr, mask, true);
      break;
   case nir_intrinsic_load_scratch:
      access_scratch(run, intr, mask, false);
      break;
   case nir_intrinsic_store_scratch:
      access_scratch(run, intr, mask, true);
      break;
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
      global_atomic(run, intr, mask, false);
      break;
   case nir_intrinsic_global_atomic_agx:
   case nir_intrinsic_global_atomic_swap_agx:
      global_atomic(run, intr, mask, true);
      break;
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
      shared_atomic(run, intr, mask);
      break;
   case nir_intrinsic_elect:
   case nir_intrinsic_first_invocation:
   case nir_intrinsic_last_invocation:
   case nir_intrinsic_read_first_invocation:
      among_lanes(run, intr, mask, first_lane);
      break;
   case nir_intrinsic_shuffle:
   case nir_intrinsic_read_invocation:
      among_lanes(run, intr, mask, read_lane);
      break;
   case nir_intrinsic_reduce:
   case nir_intrinsic_exclusive_scan:
   case nir_intrinsic_inclusive_scan:
      among_lanes(run, intr, mask, scan);
      break;
   case nir_intrinsic_ballot:
      among_lanes(run, intr, mask, ballot);
      break;
   case nir_intrinsic_vote_any:
   case nir_intrinsic_vote_all:
   case nir_intrinsic_vote_ieq:
      among_lanes(run, intr, mask, vote);
      break;
   case nir_intrinsic_nop:
   case nir_intrinsic_barrier: /* all lanes run in lockstep, those of both simdgroups */
      run->epoch += nir_intrinsic_execution_scope(intr) >= SCOPE_WORKGROUP ? 1 : 0;
      break;
   default:
      fuzz_fail(run, "the interpreter does not know %s", nir_intrinsic_infos[intr->intrinsic].name);
   }
}
