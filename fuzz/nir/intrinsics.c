/* SPDX-License-Identifier: MIT
 *
 * The intrinsics that the interpreter supports: memory, lanes of a simdgroup, identifiers. An address or the choice of
 * a lane must be exact; a load has the certainty of the bytes that it reads.
 */
#include <math.h>
#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/u_math.h"

#include "fuzz/nir/interpreter.h"
#include "fuzz/opencl/number/number.h"

/* Returns the bytes at an address; NULL: it is outside of all memory. */
static struct region *find_region(struct interpreter *run, uint64_t address, uint64_t bytes, uint64_t *offset)
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

static void load_value(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, struct region *region,
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

static void store_value(struct interpreter *run, nir_src src, unsigned lane, unsigned write_mask, struct region *region,
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

/* Returns the new value of an atomic of 32 bits. */
static uint32_t atomic_result(struct interpreter *run, nir_atomic_op op, uint32_t old, uint32_t value, uint32_t compare)
{
   static const struct {
      uint8_t op, base; /* base 0: not known */
   } atomics[] = {
       [nir_atomic_op_iadd] = {OCL_ATOMIC_ADD, OCL_UINT},  [nir_atomic_op_umin] = {OCL_ATOMIC_MIN, OCL_UINT},
       [nir_atomic_op_umax] = {OCL_ATOMIC_MAX, OCL_UINT},  [nir_atomic_op_imin] = {OCL_ATOMIC_MIN, OCL_INT},
       [nir_atomic_op_imax] = {OCL_ATOMIC_MAX, OCL_INT},   [nir_atomic_op_iand] = {OCL_ATOMIC_AND, OCL_UINT},
       [nir_atomic_op_ior] = {OCL_ATOMIC_OR, OCL_UINT},    [nir_atomic_op_ixor] = {OCL_ATOMIC_XOR, OCL_UINT},
       [nir_atomic_op_xchg] = {OCL_ATOMIC_XCHG, OCL_UINT}, [nir_atomic_op_cmpxchg] = {OCL_ATOMIC_CMPXCHG, OCL_UINT},
   };

   if (op >= ARRAY_SIZE(atomics) || atomics[op].base == 0) {
      fuzz_fail(run, "an atomic that the interpreter does not know");
   }
   return (uint32_t)ocl_atomic((enum ocl_atomic)atomics[op].op, atomics[op].base, old, value, compare);
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
   load_value(run, intr, lane, region, offset);
   old = lanes->values[lane].u32;
   const uint32_t result = atomic_result(run, op, old, fuzz_lane_value(run, source, lane)->u32,
                                         fuzz_lane_value(run, intr->src[data], lane)->u32);
   const uint8_t certainty =
       (uint8_t)MAX3(fuzz_dependent(lanes->certainty[lane]), fuzz_dependent(fuzz_certainty(run, source, lane)),
                     fuzz_dependent(fuzz_certainty(run, intr->src[data], lane)));
   memcpy(region->bytes + offset, &result, sizeof(result));
   memset(region->certainty + offset, certainty, sizeof(result));
}

/* How memory is accessed: one of the spaces, and what is done there. */
enum {
   SPACE_GLOBAL,
   SPACE_SHARED,
   SPACE_SCRATCH, /* private memory in the backend's layout: the lanes' parts are consecutive */
   SPACE_DEREF,   /* by a pointer to a variable */
   SPACES = 3,    /* mask */
   STORES = 4,
   UPDATES = 8, /* by an atomic */
   INDEXED = 16 /* by an index that is extended, and scaled by the element's size and a shift: load_agx and the like */
};

/* Returns a lane's address, or its offset in threadgroup or private memory. */
static uint64_t address_of(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned first, unsigned bits,
                           unsigned lane, unsigned how)
{
   const nir_src at = intr->src[first];
   uint64_t address = nir_const_value_as_uint(*fuzz_lane_value(run, at, lane), at.ssa->bit_size);

   if ((how & SPACES) == SPACE_DEREF) {
      return address;
   }
   fuzz_require_certain(run, at, lane, (how & SPACES) == SPACE_GLOBAL ? "address" : "offset");
   if ((how & SPACES) == SPACE_SHARED) {
      address += (uint64_t)nir_intrinsic_base(intr);
   }
   if ((how & INDEXED) != 0) {
      fuzz_require_certain(run, intr->src[first + 1], lane, "address");
      const uint32_t index = fuzz_lane_value(run, intr->src[first + 1], lane)->u32;
      const unsigned shift = (how & UPDATES) != 0 ? 2 : (unsigned)nir_intrinsic_base(intr) + util_logbase2(bits / 8);
      address += (nir_intrinsic_sign_extend(intr) ? (uint64_t)(int64_t)(int32_t)index : index) << shift;
   }
   return address;
}

static struct region *locate(struct interpreter *run, uint64_t address, unsigned bytes, unsigned lane, unsigned how,
                             uint64_t *offset)
{
   const unsigned space = how & SPACES;
   struct region *region;

   *offset = address;
   if (space == SPACE_SHARED) {
      if (address > FUZZ_SHARED_BYTES - ((how & UPDATES) != 0 ? 4 : 128)) {
         fuzz_fail(run, "threadgroup access out of bounds at %llu", (unsigned long long)address);
      }
      return fuzz_unwritten_region(run, REGION_SHARED);
   }
   if (space == SPACE_SCRATCH) {
      region = fuzz_unwritten_region(run, REGION_SCRATCH);
      if (address > FUZZ_SCRATCH_BYTES || address + bytes > region->size / FUZZ_LANES) {
         fuzz_fail(run, "access to private memory out of bounds at %llu", (unsigned long long)address);
      }
      *offset = lane * (region->size / FUZZ_LANES) + address;
      return region;
   }
   region = find_region(run, address, bytes, offset);
   if (region == NULL) {
      fuzz_fail(run, "access out of bounds at 0x%llx", (unsigned long long)address);
   }
   return region;
}

/* Records the address, as far as machine code accesses it, too. */
static void keep_address(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, uint64_t address,
                         unsigned how)
{
   const bool changes = (how & (STORES | UPDATES)) != 0;

   if ((how & SPACES) == SPACE_GLOBAL) {
      fuzz_keep(run, changes ? FUZZ_SERIES_DEVICE : FUZZ_SERIES_LOAD, intr, lane, address);
   } else if ((how & SPACES) == SPACE_SHARED) {
      fuzz_keep(run, changes ? FUZZ_SERIES_SHARED : FUZZ_SERIES_LOCAL, intr, lane, address);
   }
}

static void access_memory(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned how)
{
   const bool stores = (how & STORES) != 0, updates = (how & UPDATES) != 0, deref = (how & SPACES) == SPACE_DEREF;
   const unsigned value = deref ? 1 : 0;
   const nir_def *data = stores ? intr->src[value].ssa : &intr->def;
   const unsigned bytes = data->num_components * MAX2(data->bit_size, 8u) / 8u;
   const enum shared_use use = stores ? SHARED_STORE : updates ? SHARED_UPDATE : SHARED_LOAD;

   if (deref && data->bit_size == 1) {
      fuzz_fail(run, "a boolean in memory");
   }
   FOREACH_LANE(lane, mask)
   {
      uint64_t offset;
      const uint64_t address = address_of(run, intr, stores && !deref ? 1 : 0, data->bit_size, lane, how);
      struct region *region = locate(run, address, bytes, lane, how, &offset);
      const bool race = (how & SPACES) == SPACE_SHARED && races(run, offset, bytes, lane, use);
      keep_address(run, intr, lane, address, how);
      if (updates) {
         atomic(run, intr, lane, region, offset, (how & INDEXED) != 0 ? 2 : 1);
      } else if (stores) {
         store_value(run, intr->src[value], lane,
                     nir_intrinsic_has_write_mask(intr) ? nir_intrinsic_write_mask(intr) : ~0u, region, offset);
      } else {
         load_value(run, intr, lane, region, offset);
      }
      if (race && (stores || updates)) {
         memset(region->certainty + offset, FUZZ_UNDEFINED, bytes);
      } else if (race) {
         fuzz_undefine(fuzz_define(run, &intr->def), lane, intr->def.num_components);
      }
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

/* Arguments, and what the preamble has stored. */
static void access_preamble(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   struct region region = {.bytes = run->preamble, .certainty = run->preamble_certainty};
   const unsigned offset = intr->intrinsic == nir_intrinsic_load_kernel_input ? input_offset(run, intr, mask)
                                                                              : (unsigned)nir_intrinsic_base(intr) * 2;

   if (intr->intrinsic == nir_intrinsic_store_preamble) {
      store_value(run, intr->src[0], 0, ~0u, &region, offset);
      return;
   }
   FOREACH_LANE(lane, mask)
   {
      load_value(run, intr, lane, &region, offset);
   }
}

static void set_number(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, uint64_t number)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);

   lanes->values[lane * intr->def.num_components] = nir_const_value_for_raw_uint(number, intr->def.bit_size);
}

/* For one threadgroup in one dimension: the sizes of the others are 1. of_lanes: whether the first is the number of
 * lanes, not 1. */
static void load_size(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned of_lanes)
{
   const unsigned components = intr->def.num_components;
   struct lanes *lanes = fuzz_define(run, &intr->def);

   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, of_lanes != 0 ? util_bitcount64(run->memory->lanes) : 1);
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

/* There is one threadgroup, at 0. */
static void load_zero(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   (void)mask;
   (void)fuzz_define(run, &intr->def);
}

/* All lanes run in lockstep, those of both simdgroups. */
static void barrier(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   (void)mask;
   run->epoch += nir_intrinsic_execution_scope(intr) >= SCOPE_WORKGROUP ? 1 : 0;
}

/* The intrinsics that are known. */
static const struct action {
   void (*plain)(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask);
   void (*with)(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned detail);
   unsigned detail;
   bool of_simdgroup; /* all lanes of the mask are in one */
} actions[nir_num_intrinsics] = {
    [nir_intrinsic_load_local_invocation_index] = {.with = number_lanes, .detail = FUZZ_LANES},
    [nir_intrinsic_load_local_invocation_id] = {.with = number_lanes, .detail = FUZZ_LANES},
    [nir_intrinsic_load_global_invocation_id] = {.with = number_lanes, .detail = FUZZ_LANES},
    [nir_intrinsic_load_subgroup_invocation] = {.with = number_lanes, .detail = FUZZ_SIMD},
    [nir_intrinsic_load_base_global_invocation_id] = {load_zero},
    [nir_intrinsic_load_workgroup_id] = {load_zero},
    [nir_intrinsic_load_base_workgroup_id] = {load_zero},
    [nir_intrinsic_load_num_workgroups] = {.with = load_size, .detail = false},
    [nir_intrinsic_load_work_dim] = {.with = load_size, .detail = false},
    [nir_intrinsic_load_workgroup_size] = {.with = load_size, .detail = true},
    [nir_intrinsic_load_global_size] = {.with = load_size, .detail = true},
    [nir_intrinsic_load_param] = {load_parameter},
    [nir_intrinsic_convert_alu_types] = {fuzz_convert},
    [nir_intrinsic_load_kernel_input] = {access_preamble},
    [nir_intrinsic_load_preamble] = {access_preamble},
    [nir_intrinsic_store_preamble] = {access_preamble},
    [nir_intrinsic_load_deref] = {.with = access_memory, .detail = SPACE_DEREF},
    [nir_intrinsic_store_deref] = {.with = access_memory, .detail = SPACE_DEREF | STORES},
    [nir_intrinsic_load_global] = {.with = access_memory, .detail = SPACE_GLOBAL},
    [nir_intrinsic_load_global_constant] = {.with = access_memory, .detail = SPACE_GLOBAL},
    [nir_intrinsic_store_global] = {.with = access_memory, .detail = SPACE_GLOBAL | STORES},
    [nir_intrinsic_global_atomic] = {.with = access_memory, .detail = SPACE_GLOBAL | UPDATES},
    [nir_intrinsic_global_atomic_swap] = {.with = access_memory, .detail = SPACE_GLOBAL | UPDATES},
    [nir_intrinsic_load_agx] = {.with = access_memory, .detail = SPACE_GLOBAL | INDEXED},
    [nir_intrinsic_load_constant_agx] = {.with = access_memory, .detail = SPACE_GLOBAL | INDEXED},
    [nir_intrinsic_store_agx] = {.with = access_memory, .detail = SPACE_GLOBAL | STORES | INDEXED},
    [nir_intrinsic_global_atomic_agx] = {.with = access_memory, .detail = SPACE_GLOBAL | UPDATES | INDEXED},
    [nir_intrinsic_global_atomic_swap_agx] = {.with = access_memory, .detail = SPACE_GLOBAL | UPDATES | INDEXED},
    [nir_intrinsic_load_shared] = {.with = access_memory, .detail = SPACE_SHARED},
    [nir_intrinsic_store_shared] = {.with = access_memory, .detail = SPACE_SHARED | STORES},
    [nir_intrinsic_shared_atomic] = {.with = access_memory, .detail = SPACE_SHARED | UPDATES},
    [nir_intrinsic_shared_atomic_swap] = {.with = access_memory, .detail = SPACE_SHARED | UPDATES},
    [nir_intrinsic_load_scratch] = {.with = access_memory, .detail = SPACE_SCRATCH},
    [nir_intrinsic_store_scratch] = {.with = access_memory, .detail = SPACE_SCRATCH | STORES},
    [nir_intrinsic_elect] = {first_lane, .of_simdgroup = true},
    [nir_intrinsic_first_invocation] = {first_lane, .of_simdgroup = true},
    [nir_intrinsic_last_invocation] = {first_lane, .of_simdgroup = true},
    [nir_intrinsic_read_first_invocation] = {first_lane, .of_simdgroup = true},
    [nir_intrinsic_shuffle] = {read_lane, .of_simdgroup = true},
    [nir_intrinsic_read_invocation] = {read_lane, .of_simdgroup = true},
    [nir_intrinsic_reduce] = {scan, .of_simdgroup = true},
    [nir_intrinsic_exclusive_scan] = {scan, .of_simdgroup = true},
    [nir_intrinsic_inclusive_scan] = {scan, .of_simdgroup = true},
    [nir_intrinsic_ballot] = {ballot, .of_simdgroup = true},
    [nir_intrinsic_vote_any] = {vote, .of_simdgroup = true},
    [nir_intrinsic_vote_all] = {vote, .of_simdgroup = true},
    [nir_intrinsic_vote_ieq] = {vote, .of_simdgroup = true},
    [nir_intrinsic_barrier] = {barrier},
};

void fuzz_intrinsic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const struct action *action = &actions[intr->intrinsic];

   if (action->with != NULL) {
      action->with(run, intr, mask, action->detail);
   } else if (action->of_simdgroup) {
      for (unsigned first = 0; first < FUZZ_LANES; first += FUZZ_SIMD) {
         const lane_mask part = mask & (lane_mask)UINT32_MAX << first;
         if (part != 0) {
            action->plain(run, intr, part);
         }
      }
   } else if (action->plain != NULL) {
      action->plain(run, intr, mask);
   } else if (intr->intrinsic != nir_intrinsic_nop) {
      fuzz_fail(run, "the interpreter does not know %s", nir_intrinsic_infos[intr->intrinsic].name);
   }
}
