/* SPDX-License-Identifier: MIT
 *
 * The slice of one run: the instructions on which the wrong store depends. The store is certainly wrong. An
 * instruction that the slice reaches is
 * - right, if its result is a value of NIR in all lanes: the slice ends there;
 * - wrong, if its result is a value of NIR only in those lanes in which the program is right;
 * - otherwise not known: a step that NIR does not have, right or wrong.
 * The error begins at an instruction whose sources are all right. If that one is not known, it may be a right step
 * whose user is wrong: then all instructions are marked down to the first one that is certainly wrong.
 */
#include "fuzz/slice/slice.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/slice/control.h"
#include "fuzz/slice/match.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "util/array.h"

#define HALVES 256
#define MEMORY_SOURCE VGPU_TRACE_SOURCES /* index of a source: what an instruction reads from memory */
#define NOWHERE UINT32_MAX

/* An instruction of the program, and everything that it read and wrote. */
struct place {
   uint32_t offset; /* byte offset in the code */
   uint32_t first;  /* first entry of the trace */
   struct fuzz_series sources[VGPU_TRACE_SOURCES], results[VGPU_TRACE_RESULTS];
   struct fuzz_series at; /* addresses, if it accesses memory */
   enum match match;      /* match of the results */
   bool matched, in_slice, visited, begins, passed, marked;
};

/* A source of an instruction, and one that computed it. */
struct edge {
   uint32_t place, source, producer;
};

struct slice {
   const struct slice_input *input;
   const struct vgpu_trace_entry *entries;
   uint32_t entry_count;
   struct place *places;
   uint32_t place_count;
   uint32_t *by_offset; /* index of the place by half of the offset */
   struct edge *edges;
   size_t edge_count, edge_capacity;
   struct match_with with; /* values of NIR */
   uint32_t *uniform;      /* by half uniform: the place that stored it in this launch */
   bool failed;            /* memory ran out, or a series is too long */
};

/* ---- Reading the trace ---- */

static uint32_t lane_of(const struct vgpu_trace_entry *entry, uint32_t lane)
{
   return entry->simd * FUZZ_SIMD + lane;
}

static uint32_t place_of(struct slice *slice, uint32_t index)
{
   const uint64_t offset = slice->entries[index].address;
   uint32_t *place = &slice->by_offset[offset / 2];
   if (*place == NOWHERE) {
      *place = slice->place_count++;
      slice->places[*place] = (struct place){.offset = (uint32_t)offset, .first = index};
   }
   return *place;
}

static void add_edge(struct slice *slice, uint32_t place, uint32_t source, uint32_t producer)
{
   for (size_t i = 0; i < slice->edge_count; i++) {
      const struct edge *edge = &slice->edges[i];
      if (edge->place == place && edge->source == source && edge->producer == producer) {
         return;
      }
   }
   if (!ARRAY_RESERVE(slice->edges, slice->edge_capacity, slice->edge_count + 1)) {
      slice->failed = true;
      return;
   }
   slice->edges[slice->edge_count++] = (struct edge){place, source, producer};
}

static void add_values(struct slice *slice, struct fuzz_series *series, const struct vgpu_trace_entry *entry,
                       const struct vgpu_trace_value *value)
{
   series->bits = value->bits;
   for (uint32_t lane = 0; lane < FUZZ_SIMD; lane++) {
      if (entry->exec >> lane & 1) {
         slice->failed |= !fuzz_series_add(series, lane_of(entry, lane), value->lane[lane], FUZZ_EXACT);
      }
   }
}

static void add_addresses(struct slice *slice, struct fuzz_series *series, const struct vgpu_trace_entry *entry)
{
   series->bits = 64;
   for (uint32_t lane = 0; entry->memory != VGPU_TRACE_NO_MEMORY && lane < FUZZ_SIMD; lane++) {
      if (entry->exec >> lane & 1) {
         slice->failed |= !fuzz_series_add(series, lane_of(entry, lane), entry->access[lane], FUZZ_EXACT);
      }
   }
}

/* Returns the bytes that an instruction stores or loads. */
static uint64_t access_bytes(const struct vgpu_trace_entry *entry)
{
   uint32_t count = entry->result_count;

   for (uint32_t i = 0; entry->writes && i < entry->source_count; i++) {
      count += entry->sources[i].data;
   }
   return (uint64_t)entry->element * (count != 0 ? count : 1);
}

static bool stores_there(const struct vgpu_trace_entry *store, uint32_t lane, uint64_t address, uint64_t bytes)
{
   return (store->exec >> lane & 1) != 0 && store->access[lane] < address + bytes &&
          address < store->access[lane] + access_bytes(store);
}

/* Finds the last stores to the addresses that this load reads. */
static void find_stores(struct slice *slice, uint32_t index, uint32_t place)
{
   const struct vgpu_trace_entry *load = &slice->entries[index];

   for (uint32_t lane = 0; lane < FUZZ_SIMD; lane++) {
      bool found = (load->exec >> lane & 1) == 0;
      for (uint32_t i = index; !found && i-- > 0;) {
         const struct vgpu_trace_entry *store = &slice->entries[i];
         const bool own = load->memory == VGPU_TRACE_STACK;
         if (store->group != load->group) {
            break;
         }
         if (!store->writes || store->memory != load->memory || (own && store->simd != load->simd)) {
            continue;
         }
         for (uint32_t other = own ? lane : 0; !found && other < (own ? lane + 1 : FUZZ_SIMD); other++) {
            found = stores_there(store, other, load->access[lane], access_bytes(load));
         }
         if (found) {
            add_edge(slice, place, MEMORY_SOURCE, place_of(slice, i));
         }
      }
   }
}

/* Adds the instructions that computed a source: for each lane the one that wrote its register, or its uniform. */
static void add_producers(struct slice *slice, uint32_t index, uint32_t n, const struct vgpu_trace_entry *entry,
                          uint32_t (*writer)[HALVES])
{
   const struct vgpu_trace_value *source = &entry->sources[n];
   const bool uniform = source->kind == VGPU_TRACE_UNIFORM;

   for (uint32_t lane = 0; lane < FUZZ_SIMD; lane++) {
      for (uint32_t half = source->half; half < source->half + source->bits / 16u; half++) {
         const uint32_t producer = uniform         ? half < AGX_UNIFORM_HALVES ? slice->uniform[half] : NOWHERE
                                   : half < HALVES ? writer[lane_of(entry, lane)][half]
                                                   : NOWHERE;
         if (entry->exec >> lane & 1 && producer != NOWHERE) {
            add_edge(slice, index, n, producer);
         }
      }
   }
}

static void note_result(struct slice *slice, uint32_t index, const struct vgpu_trace_value *result,
                        const struct vgpu_trace_entry *entry, uint32_t (*writer)[HALVES])
{
   for (uint32_t half = result->half; half < result->half + result->bits / 16u; half++) {
      if (result->kind == VGPU_TRACE_UNIFORM && half < AGX_UNIFORM_HALVES) {
         slice->uniform[half] = index;
      }
      for (uint32_t lane = 0; result->kind == VGPU_TRACE_REGISTER && half < HALVES && lane < FUZZ_SIMD; lane++) {
         if (entry->exec >> lane & 1) {
            writer[lane_of(entry, lane)][half] = index;
         }
      }
   }
}

/* Whether one instruction may read a register that the other has written. */
static bool same_run(const struct vgpu_trace_entry *a, const struct vgpu_trace_entry *b)
{
   return a->group == b->group && a->preamble == b->preamble;
}

/* Fills in the places and the edges. */
static void follow(struct slice *slice, uint32_t (*writer)[HALVES])
{
   for (uint32_t i = 0; i < slice->entry_count && !slice->failed; i++) {
      const struct vgpu_trace_entry *entry = &slice->entries[i];
      if (i == 0 || entry->group != slice->entries[i - 1].group) {
         memset(slice->uniform, 0xff, AGX_UNIFORM_HALVES * sizeof(*slice->uniform));
      }
      if (i == 0 || !same_run(entry, &slice->entries[i - 1])) {
         memset(writer, 0xff, FUZZ_LANES * sizeof(*writer));
      }
      if (entry->preamble && slice->input->trace.launches == 1) {
         continue; /* it has one lane only, so its values cannot be distinguished */
      }
      const uint32_t index = place_of(slice, i);
      struct place *place = &slice->places[index];
      for (uint32_t n = 0; n < entry->source_count; n++) {
         add_values(slice, &place->sources[n], entry, &entry->sources[n]);
         add_producers(slice, index, n, entry, writer);
      }
      if (entry->reads) {
         find_stores(slice, i, index);
      }
      add_addresses(slice, &place->at, entry);
      for (uint32_t n = 0; n < entry->result_count; n++) {
         add_values(slice, &place->results[n], entry, &entry->results[n]);
         note_result(slice, index, &entry->results[n], entry, writer);
      }
   }
}

/* ---- Matching results ---- */

#define TRUTH_OF_MOVE 10

static void decode(const struct slice *slice, const struct place *place, struct isa_insn *insn)
{
   const struct agx_program *code = slice->input->code;

   isa_decode(code->set, code->code + place->offset, code->code_size - place->offset, insn);
}

static bool is_op(const struct slice *slice, const struct place *place, enum isa_op op)
{
   struct isa_insn insn;

   decode(slice, place, &insn);
   return insn.op == op;
}

static bool is_move(const struct slice *slice, const struct place *place)
{
   struct isa_insn insn;

   decode(slice, place, &insn);
   return insn.op == ISA_OP_UNIFORM_STORE || (insn.op == ISA_OP_BITOP && insn.mod[ISA_MOD_TRUTH] == TRUTH_OF_MOVE);
}

/* Whether a result is an unchanged source: of a move, of a store to uniforms, or of a bit operation with a constant,
 * with which Mesa clears the bits above a small integer. */
static bool moves(const struct slice *slice, const struct place *place)
{
   return is_op(slice, place, ISA_OP_UNIFORM_STORE) ||
          (is_op(slice, place, ISA_OP_BITOP) && slice->entries[place->first].source_count == 1 &&
           match_same(&place->results[0], &place->sources[0]));
}

static bool reads(const struct slice *slice, const struct place *place, enum vgpu_trace_kind kind)
{
   const struct vgpu_trace_entry *entry = &slice->entries[place->first];

   for (uint32_t n = 0; n < entry->source_count; n++) {
      if (entry->sources[n].kind == kind) {
         return true;
      }
   }
   return false;
}

/* Whether a result may equal a value of NIR by chance: it is always the same number, though computed; or more
 * instructions compute that number than there are such values. One of those may be wrong, for instance pass on a source
 * unchanged. */
static bool is_chance(const struct slice *slice, const struct place *place, uint32_t result, uint32_t right)
{
   const struct fuzz_series *series = &place->results[result];
   uint32_t same = 0;

   if (slice->entries[place->first].memory != VGPU_TRACE_NO_MEMORY || is_move(slice, place) ||
       !reads(slice, place, VGPU_TRACE_REGISTER)) {
      return false;
   }
   for (uint32_t i = 0; i < slice->place_count; i++) {
      const struct place *other = &slice->places[i];
      const bool moved = moves(slice, other);
      for (uint32_t n = 0; n < slice->entries[other->first].result_count; n++) {
         same += !moved && match_same(&other->results[n], series) ? 1 : 0;
      }
   }
   return match_constant(series) || same > right;
}

static enum match match_place(const struct slice *slice, struct place *place)
{
   place->match = place->matched ? place->match : MATCH_RIGHT;
   for (uint32_t n = 0; !place->matched && n < slice->entries[place->first].result_count; n++) {
      uint32_t right;
      enum match match = match_values(&slice->with, &place->results[n], &right);
      if (match == MATCH_RIGHT && is_chance(slice, place, n, right)) {
         match = MATCH_NONE;
      }
      place->match = match < place->match ? match : place->match;
   }
   place->matched = true;
   return place->match;
}

/* Whether a uniform is set before the launch: it is a constant or an argument, and no result of the preamble. */
static bool is_preset(const struct slice *slice, const struct vgpu_trace_value *uniform)
{
   const struct agx_program *code = slice->input->code;
   const uint32_t end = uniform->half + uniform->bits / 16u;

   for (size_t i = 0; i < code->uniform_count; i++) {
      const struct agx_uniform_range *range = &code->uniforms[i];
      if (uniform->half >= range->start && end <= (uint32_t)range->start + range->size) {
         return true;
      }
   }
   return !code->has_preamble;
}

static bool is_produced(const struct slice *slice, uint32_t index, uint32_t source)
{
   for (size_t i = 0; i < slice->edge_count; i++) {
      if (slice->edges[i].place == index && slice->edges[i].source == source) {
         return true;
      }
   }
   return false;
}

/* Whether it reads something that no instruction of the trace has computed. */
static bool reads_preamble(const struct slice *slice, uint32_t index)
{
   const struct vgpu_trace_entry *entry = &slice->entries[slice->places[index].first];

   for (uint32_t n = 0; n < entry->source_count; n++) {
      if (entry->sources[n].kind == VGPU_TRACE_UNIFORM && !is_preset(slice, &entry->sources[n]) &&
          !is_produced(slice, index, n)) {
         return true;
      }
   }
   return false;
}

/* a part of a result may be a value of NIR even if the result is none */
static bool source_is_right(const struct slice *slice, uint32_t index, uint32_t source)
{
   const struct place *place = &slice->places[index];
   const struct fuzz_series *series = &place->sources[source];
   const struct vgpu_trace_value *value = &slice->entries[place->first].sources[source];

   if (value->kind == VGPU_TRACE_UNIFORM && is_preset(slice, value)) {
      return true;
   }
   if (match_values(&slice->with, series, NULL) != MATCH_RIGHT) {
      return false;
   }
   for (size_t i = 0; i < slice->edge_count; i++) {
      const struct edge *edge = &slice->edges[i];
      if (edge->place != index || edge->source != source) {
         continue;
      }
      struct place *producer = &slice->places[edge->producer];
      const bool whole = producer->results[0].bits == series->bits;
      if (match_place(slice, producer) != MATCH_RIGHT && (whole || match_constant(series))) {
         return false;
      }
   }
   return true;
}

/* ---- The slice ---- */

static void visit(struct slice *slice, uint32_t index);

/* Visits the instructions that computed another value of NIR than the expected one. */
static void visit_other(struct slice *slice, uint32_t index)
{
   struct place *place = &slice->places[index];

   place->matched = true;
   place->match = MATCH_NONE;
   place->visited = false;
   visit(slice, index);
}

/* Continues with the instructions that computed a wrong source. Returns false if they are right, or if there are
 * none. */
static bool visit_source(struct slice *slice, uint32_t index, uint32_t source)
{
   bool reached = false;

   for (size_t i = 0; i < slice->edge_count; i++) {
      const struct edge edge = slice->edges[i];
      if (edge.place == index && edge.source == source && edge.producer != index) {
         visit(slice, edge.producer);
         reached |= slice->places[edge.producer].in_slice;
      }
   }
   return reached;
}

/* Whether an instruction accesses an address that no load or store of NIR accesses. The stack is not part of NIR. */
static bool is_elsewhere(const struct slice *slice, const struct place *place)
{
   static const enum fuzz_series_kind kinds[][2] = {
       [VGPU_TRACE_DEVICE] = {FUZZ_SERIES_LOAD, FUZZ_SERIES_DEVICE},
       [VGPU_TRACE_THREADGROUP] = {FUZZ_SERIES_LOCAL, FUZZ_SERIES_SHARED},
   };
   const struct vgpu_trace_entry *entry = &slice->entries[place->first];
   struct match_with with = slice->with;

   if (entry->memory != VGPU_TRACE_DEVICE && entry->memory != VGPU_TRACE_THREADGROUP) {
      return false;
   }
   with.kind = kinds[entry->memory][entry->writes != 0];
   return match_values(&with, &place->at, NULL) != MATCH_RIGHT;
}

static void visit(struct slice *slice, uint32_t index)
{
   struct place *place = &slice->places[index];
   const struct vgpu_trace_entry *entry = &slice->entries[place->first];
   bool depends = false;

   if (place->visited) {
      return;
   }
   place->visited = true;
   /* A store has no result: it is in the slice if the stored value is wrong, or if a load has no other error. */
   if (match_place(slice, place) == MATCH_RIGHT && entry->result_count != 0) {
      return;
   }
   place->in_slice = true;
   for (uint32_t n = 0; n < entry->source_count; n++) {
      if (!source_is_right(slice, index, n)) {
         depends |= visit_source(slice, index, n);
      }
   }
   if (is_elsewhere(slice, place)) {
      place->match = MATCH_WRONG; /* values stored at the intended address do not matter */
   } else {
      depends |= visit_source(slice, index, MEMORY_SOURCE);
   }
   place->begins = !depends;
   slice->failed |= place->begins && reads_preamble(slice, index); /* which may be the error */
   /* A move that only moves is not wrong by itself: it reads the wrong register, or its source was computed wrongly. */
   for (size_t i = 0; place->begins && moves(slice, place) && i < slice->edge_count; i++) {
      const struct edge edge = slice->edges[i];
      if (edge.place == index && !slice->places[edge.producer].in_slice) {
         visit_other(slice, edge.producer);
      }
   }
}

/* Marks instructions from the beginning of the error to the first one that is certainly wrong. */
static void mark(struct slice *slice, uint32_t index, uint32_t store)
{
   struct place *place = &slice->places[index];

   if (place->passed) {
      return;
   }
   place->passed = true;
   place->marked = place->begins || !moves(slice, place); /* a move passes on an earlier error */
   if (index == store || place->match == MATCH_WRONG) {
      return;
   }
   for (size_t i = 0; i < slice->edge_count; i++) {
      const struct edge *edge = &slice->edges[i];
      const struct vgpu_trace_entry *user = &slice->entries[slice->places[edge->place].first];
      /* the stored value is certainly wrong, so the store is not a step */
      if (edge->producer == index && edge->place != store && slice->places[edge->place].in_slice &&
          (user->result_count != 0 || user->memory != VGPU_TRACE_DEVICE)) {
         mark(slice, edge->place, store);
      }
   }
}

/* ---- Where it starts ---- */

/* Returns the last store to an address. */
static uint32_t last_store(const struct slice *slice, uint32_t *lane)
{
   const struct slice_input *input = slice->input;

   for (uint32_t i = slice->entry_count; i-- > 0;) {
      const struct vgpu_trace_entry *entry = &slice->entries[i];
      const bool of_launch = entry->group == input->launch && entry->writes && entry->memory == VGPU_TRACE_DEVICE;
      for (uint32_t n = 0; of_launch && n < FUZZ_SIMD; n++) {
         if (stores_there(entry, n, input->address, 1)) {
            *lane = n;
            return i;
         }
      }
   }
   return NOWHERE;
}

/* Returns the instruction that computed a half register which an instruction reads in a lane. */
static uint32_t writer_of(struct slice *slice, uint32_t index, uint32_t lane, uint32_t half)
{
   for (uint32_t i = index; i-- > 0 && same_run(&slice->entries[i], &slice->entries[index]);) {
      const struct vgpu_trace_entry *entry = &slice->entries[i];
      for (uint32_t n = 0; entry->simd == slice->entries[index].simd && n < entry->result_count; n++) {
         const struct vgpu_trace_value *result = &entry->results[n];
         if (entry->exec >> lane & 1 && half >= result->half && half < result->half + result->bits / 16u) {
            return place_of(slice, i);
         }
      }
   }
   return NOWHERE;
}

/* Visits the instructions that computed the wrong byte of the store. */
static void visit_stored(struct slice *slice, uint32_t index, uint32_t lane)
{
   const struct vgpu_trace_entry *entry = &slice->entries[index];
   const uint32_t at = (uint32_t)(slice->input->address - entry->access[lane]);
   struct place *store = &slice->places[place_of(slice, index)];
   uint32_t component = 0;

   store->visited = store->in_slice = store->begins = true; /* if it reads the right value, and stores another one */
   for (uint32_t n = 0; n < entry->source_count; n++) {
      const struct vgpu_trace_value *source = &entry->sources[n];
      const uint32_t byte = at % entry->element;
      const bool covers = source->data && at / entry->element == component;
      component += source->data;
      if (!covers || (uint8_t)(source->lane[lane] >> byte * 8) == slice->input->expected) {
         continue;
      }
      const uint32_t producer =
          source->kind == VGPU_TRACE_REGISTER ? writer_of(slice, index, lane, source->half + byte / 2) : NOWHERE;
      if (producer != NOWHERE) {
         visit(slice, producer);
         store->begins = !slice->places[producer].in_slice;
         if (store->begins) { /* it reads the wrong register, or that is wrong */
            visit_other(slice, producer);
         }
      }
   }
}

static int by_number(const void *a, const void *b)
{
   const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

   return (x > y) - (x < y);
}

static void collect(const struct slice *slice, struct culprits *culprits)
{
   for (uint32_t i = 0; i < slice->place_count; i++) {
      if (slice->places[i].marked && culprits->count++ < CULPRITS_MOST) {
         culprits->offset[culprits->count - 1] = slice->places[i].offset;
      }
   }
   culprits->count = culprits->count <= CULPRITS_MOST ? culprits->count : 0;
   qsort(culprits->offset, culprits->count, sizeof(culprits->offset[0]), by_number);
}

/* Visits an instruction that is certainly wrong, for everything that it reads, or for its address. */
static void visit_wrong(struct slice *slice, uint32_t index, bool address)
{
   struct place *place = &slice->places[index];
   const struct vgpu_trace_entry *entry = &slice->entries[place->first];
   bool depends = false;

   place->visited = place->in_slice = place->matched = true;
   place->match = MATCH_WRONG;
   for (uint32_t n = 0; n < entry->source_count; n++) {
      if (!(address && entry->sources[n].data) && !source_is_right(slice, index, n)) {
         depends |= visit_source(slice, index, n);
      }
   }
   place->begins = !depends;
   slice->failed |= place->begins && reads_preamble(slice, index);
}

/* Visits the wrong branch, or else the stores to wrong addresses, or else the wrong store. Returns its place; NOWHERE:
 * it was not executed, or there is none. */
static uint32_t visit_first(struct slice *slice, uint32_t branch)
{
   bool elsewhere = false;
   uint32_t lane = 0;

   if (branch != CONTROL_RIGHT) {
      visit_wrong(slice, slice->by_offset[branch / 2], false);
      return NOWHERE;
   }
   for (uint32_t i = 0; i < slice->place_count; i++) {
      if (slice->entries[slice->places[i].first].writes && is_elsewhere(slice, &slice->places[i])) {
         visit_wrong(slice, i, true);
         elsewhere = true;
      }
   }
   const uint32_t store = elsewhere ? NOWHERE : last_store(slice, &lane);
   if (store == NOWHERE) {
      return NOWHERE;
   }
   visit_stored(slice, store, lane);
   return place_of(slice, store);
}

static void slice_from(struct slice *slice, uint32_t branch, struct culprits *culprits)
{
   const uint32_t store = visit_first(slice, branch);

   for (uint32_t i = 0; i < slice->place_count; i++) {
      if (slice->places[i].begins) {
         mark(slice, i, store);
      }
   }
   if (!slice->failed) {
      collect(slice, culprits);
   }
}

bool slice_find(struct slice_input *input, struct culprits *culprits)
{
   const uint32_t branch = control_cut(input->code, &input->trace, &input->values, input->good, &input->cut);
   struct slice slice = {.input = input,
                         .entries = input->trace.entries,
                         .entry_count = input->trace.count,
                         .with = {&input->values, FUZZ_SERIES_VALUE, input->good, input->cut}};
   uint32_t(*writer)[HALVES] = malloc(FUZZ_LANES * sizeof(*writer));
   const size_t halves = input->code->code_size / 2 + 1;

   *culprits = (struct culprits){0};
   slice.places = calloc(halves, sizeof(*slice.places));
   slice.by_offset = malloc(halves * sizeof(*slice.by_offset));
   slice.uniform = malloc(AGX_UNIFORM_HALVES * sizeof(*slice.uniform));
   const bool room = writer != NULL && slice.places != NULL && slice.by_offset != NULL && slice.uniform != NULL;
   if (room) {
      memset(slice.by_offset, 0xff, halves * sizeof(*slice.by_offset));
      follow(&slice, writer);
   }
   if (room && !slice.failed) {
      slice_from(&slice, branch, culprits);
   }
   for (uint32_t i = 0; i < slice.place_count; i++) {
      fuzz_series_finish(&slice.places[i].at);
      for (uint32_t n = 0; n < VGPU_TRACE_SOURCES; n++) {
         fuzz_series_finish(&slice.places[i].sources[n]);
      }
      for (uint32_t n = 0; n < VGPU_TRACE_RESULTS; n++) {
         fuzz_series_finish(&slice.places[i].results[n]);
      }
   }
   free(writer);
   free(slice.places);
   free(slice.by_offset);
   free(slice.uniform);
   free(slice.edges);
   return room;
}

void slice_input_finish(struct slice_input *input)
{
   trace_finish(&input->trace);
   fuzz_values_finish(&input->values);
}
