/* SPDX-License-Identifier: MIT
 *
 * A draw: its state and programs, its indices, its vertices on simdgroups, and the primitives that they make. A vertex
 * that several indices of an instance name is run once where indices lie close together.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/exec.h"
#include "vgpu/render/pass.h"
#include "vgpu/spare.h"
#include "util/array.h"

#define NO_TAG_WRITE (1u << 21)
#define DISCARD (1u << 17) /* of both cull words: no primitive is drawn */
#define SCISSOR_BYTES 16u
#define BIAS_BYTES 12u
#define GROUP 32u                /* vertices of a threadgroup */
#define MOST_VERTICES (1u << 26) /* of a draw's instance */
#define MOST_EXPECTED 65536u     /* primitives that room is made for before they are there */
#define RESTART UINT32_MAX       /* in the place of a vertex's slot */

/* ---- State ---- */

static bool read_scissors(struct render_pass *pass, struct render_draw *draw)
{
   const struct render_state *state = &draw->state;
   const bool on = (state->fragment_control[0] | state->fragment_control[1]) >> 16 & 1;
   for (uint32_t i = 0; i < (state->viewport_count ? state->viewport_count : 1); i++) {
      struct render_scissor *scissor = &draw->scissors[i];
      *scissor = (struct render_scissor){.max = {pass->command->width_px, pass->command->height_px}, .max_z = 1};
      uint32_t words[4];
      if (!on) {
         continue;
      }
      const uint64_t va =
          pass->command->isp_scissor_base + ((state->bias_scissor & 0xffff) + i) * (uint64_t)SCISSOR_BYTES;
      if (!render_read(pass, "scissor", va, words, sizeof(words))) {
         return false;
      }
      for (unsigned axis = 0; axis < 2; axis++) {
         const uint32_t most = render_planted(pass, axis ? "scissor_bottom" : "scissor_right", words[axis] & 0xffff);
         scissor->min[axis] = render_planted(pass, axis ? "scissor_top" : "scissor_left", words[axis] >> 16);
         scissor->max[axis] = most < scissor->max[axis] ? most : scissor->max[axis];
      }
      memcpy(&scissor->min_z, &words[2], sizeof(float));
      memcpy(&scissor->max_z, &words[3], sizeof(float));
   }
   return true;
}

static float planted_float(const struct render_pass *pass, const char *word, float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   bits = render_planted(pass, word, bits);
   memcpy(&value, &bits, sizeof(value));
   return value;
}

static bool read_bias(struct render_pass *pass, struct render_draw *draw)
{
   const struct render_state *state = &draw->state;
   float words[3];
   if (!((state->fragment_control[0] | state->fragment_control[1]) >> 17 & 1)) {
      return true;
   }
   const uint64_t va = pass->command->isp_dbias_base + (state->bias_scissor >> 16) * (uint64_t)BIAS_BYTES;
   if (!render_read(pass, "depth bias", va, words, sizeof(words))) {
      return false;
   }
   draw->bias = planted_float(pass, "bias", words[0]);
   draw->slope = planted_float(pass, "bias_slope", words[1]);
   draw->clamp = words[2];
   return true;
}

/* Which coefficient registers the fragment program has, and what they hold. */
static bool read_bindings(struct render_pass *pass, struct render_draw *draw)
{
   const uint32_t *program = draw->state.fragment_program;
   const uint64_t va = pass->base->usc_base + (program[2] & ~3u);
   uint32_t words[1 + RENDER_BINDINGS];
   draw->binding_count = program[0] >> 16 & 0x7f;
   if (!draw->binding_count) {
      return true;
   }
   if (draw->binding_count > RENDER_BINDINGS) {
      return render_fail(pass, VGPU_FAULT_STREAM, "%" PRIu32 " bindings of coefficients, more than %u",
                         draw->binding_count, RENDER_BINDINGS);
   }
   if (!render_read(pass, "bindings of coefficients", va, words, (1 + draw->binding_count) * sizeof(*words))) {
      return false;
   }
   draw->plane_count = words[0] >> 8 & 0xff;
   for (uint32_t i = 0; i < draw->binding_count; i++) {
      const uint32_t word = words[1 + i];
      draw->bindings[i] = (struct render_binding){.count = (uint8_t)((word & 3) + 1),
                                                  .model = render_planted(pass, "binding_model", word >> 2 & 7) & 7,
                                                  .source = render_planted(pass, "binding_source", word >> 5 & 7) & 7,
                                                  .slot = render_planted(pass, "binding_slot", word >> 8 & 0xff) & 0xff,
                                                  .to = word >> 16 & 0xff};
      if (draw->bindings[i].to + draw->bindings[i].count > draw->plane_count) {
         return render_fail(pass, VGPU_FAULT_STREAM,
                            "binding of coefficients 0x%08" PRIx32 " goes past the %" PRIu32 " registers of its header",
                            word, draw->plane_count);
      }
   }
   return true;
}

static bool read_fragment_program(struct render_pass *pass, struct render_draw *draw)
{
   const struct render_state *state = &draw->state;
   char what[64];
   draw->shades = !((state->fragment_control[0] | state->fragment_control[1]) & NO_TAG_WRITE);
   draw->early = true;
   if (!draw->shades) {
      return true;
   }
   snprintf(what, sizeof(what), "fragment program of draw %" PRIu64, pass->next_draw);
   draw->stage.kind = VGPU_STAGE_FRAGMENT;
   draw->stage.name = "fragment";
   draw->stage.draw = pass->next_draw;
   if (!render_program(pass, &draw->fragment, &draw->stage, pass->base->usc_base + (state->fragment_program[1] & ~63u),
                       state->fragment_program[0], what)) {
      return false;
   }
   draw->early = render_planted(pass, "early", draw->fragment.fragment_properties >> 8 & 1);
   return read_bindings(pass, draw);
}

/* The draw's state: that of the draw before where nothing has changed. */
static struct render_draw *find_draw(struct render_pass *pass, const struct render_state *state)
{
   struct render_draw *draw = pass->draw_count ? pass->draws[pass->draw_count - 1] : NULL;
   if (draw && !memcmp(&draw->state, state, sizeof(*state))) {
      return draw;
   }
   draw = calloc(1, sizeof(*draw));
   if (!draw || !ARRAY_RESERVE_ONE(pass->draws, pass->draw_count)) {
      free(draw);
      render_out_of_memory(pass);
      return NULL;
   }
   pass->draws[pass->draw_count++] = draw;
   draw->state = *state;
   draw->number = pass->next_draw;
   const bool read = read_scissors(pass, draw) && read_bias(pass, draw) && read_fragment_program(pass, draw);
   return read ? draw : NULL;
}

/* ---- Indices ---- */

/* The vertices of an instance, and for each place of the draw the vertex that stands there. */
struct vertex_list {
   uint32_t *vertices, *instances; /* by slot */
   uint32_t slots;
   uint32_t *places; /* slots, or RESTART */
   uint32_t count;
   uint32_t *outputs; /* behind them, where they are checked, their undefined bits */
   size_t output_bytes;
   bool is_checked;
};

static void finish_list(struct render_pass *pass, struct vertex_list *list)
{
   struct vgpu_spare *spare = pass->base->spare;
   vgpu_spare_give(spare, list->places, list->count * sizeof(uint32_t));
   vgpu_spare_give(spare, list->vertices, list->count * sizeof(uint32_t));
   vgpu_spare_give(spare, list->instances, list->count * sizeof(uint32_t));
   vgpu_spare_give(spare, list->outputs, list->output_bytes);
}

/* Indices past the buffer's end are 0. */
static bool read_indices(struct render_pass *pass, const struct render_call *call, struct vertex_list *list)
{
   const uint64_t bytes = (uint64_t)call->count * call->index_bytes;
   const uint64_t there = bytes < call->index_size ? bytes : call->index_size;
   uint8_t *raw = calloc(1, bytes + 1);
   if (!raw) {
      return render_out_of_memory(pass);
   }
   const bool read = render_read(pass, "index buffer", call->index_va, raw, there);
   for (uint32_t i = 0; read && i < call->count; i++) {
      list->places[i] = 0;
      memcpy(&list->places[i], raw + (size_t)i * call->index_bytes, call->index_bytes);
   }
   free(raw);
   return read;
}

static bool is_restart(const struct render_call *call, const struct render_state *state, uint32_t index)
{
   const uint32_t mask = call->index_bytes == 4 ? UINT32_MAX : (1u << 8 * call->index_bytes) - 1;
   return call->restart && index == (state->restart & mask);
}

/* Turns indices into slots: the same one for equal indices, where a table from the least to the greatest is no larger
 * than the list calls for. */
static bool assign_slots(struct render_pass *pass, const struct render_state *state, const struct render_call *call,
                         struct vertex_list *list)
{
   uint32_t least = UINT32_MAX, most = 0;
   for (uint32_t i = 0; i < list->count; i++) {
      if (!is_restart(call, state, list->places[i])) {
         least = list->places[i] < least ? list->places[i] : least;
         most = list->places[i] > most ? list->places[i] : most;
      }
   }
   const uint64_t range = least <= most ? (uint64_t)most - least + 1 : 0;
   uint32_t *table = range && range <= 8 * (uint64_t)list->count + 1024 ? malloc(range * sizeof(*table)) : NULL;
   if (table) {
      memset(table, 0xff, range * sizeof(*table));
   } else if (range && range <= 8 * (uint64_t)list->count + 1024) {
      return render_out_of_memory(pass);
   }
   for (uint32_t i = 0; i < list->count; i++) {
      const uint32_t index = list->places[i];
      if (is_restart(call, state, index)) {
         list->places[i] = RESTART;
         continue;
      }
      uint32_t slot = table ? table[index - least] : UINT32_MAX;
      if (slot == UINT32_MAX) {
         slot = list->slots++;
         list->vertices[slot] = index + call->start;
         if (table) {
            table[index - least] = slot;
         }
      }
      list->places[i] = slot;
   }
   free(table);
   return true;
}

static bool make_list(struct render_pass *pass, const struct render_state *state, const struct render_call *call,
                      struct vertex_list *list)
{
   list->count = call->count;
   list->places = vgpu_spare_take(pass->base->spare, call->count * sizeof(uint32_t));
   list->vertices = vgpu_spare_take(pass->base->spare, call->count * sizeof(uint32_t));
   list->instances = vgpu_spare_take(pass->base->spare, call->count * sizeof(uint32_t));
   if (!list->places || !list->vertices || !list->instances) {
      return render_out_of_memory(pass);
   }
   if (call->indexed) {
      return read_indices(pass, call, list) && assign_slots(pass, state, call, list);
   }
   for (uint32_t i = 0; i < call->count; i++) {
      list->places[i] = i;
      list->vertices[i] = call->start + i;
   }
   list->slots = call->count;
   return true;
}

/* ---- Vertices ---- */

/* Whether a vertex has a position that nothing wrote. */
static void find_missing_positions(struct render_pass *pass, const struct vgpu_launch *launch,
                                   const struct vgpu_stage *stage, const struct vertex_list *list)
{
   char text[160];
   for (uint32_t i = 0; i < list->slots; i++) {
      const uint32_t *undefined = stage->undefined + (size_t)i * stage->output_words;
      for (unsigned word = 0; word < 4; word++) {
         if (undefined[word]) {
            snprintf(text, sizeof(text),
                     "vertex program of draw %" PRIu64 ", vertex %" PRIu32 " of instance %" PRIu32
                     ": nothing wrote %c of its position",
                     pass->next_draw, stage->vertices[i], stage->instances[i], "xyzw"[word]);
            launch->level->checks->note(launch->log, VGPU_CHECK_UNDEFINED, launch->code + word,
                                        "the end of the program", text);
         }
      }
   }
}

static bool run_vertices(struct render_pass *pass, const struct render_draw *draw, struct vgpu_launch *launch,
                         struct vgpu_stage *stage, struct vertex_list *list, uint32_t instance)
{
   char what[64];
   struct vgpu_outcome outcome;
   for (uint32_t i = 0; i < list->slots; i++) {
      list->instances[i] = instance;
   }
   const size_t words = (size_t)list->slots * stage->output_words;
   memset(list->outputs, 0, words * sizeof(uint32_t));
   if (list->is_checked) {
      stage->undefined = list->outputs + words;
      memset(stage->undefined, 0xff, words * sizeof(uint32_t));
   }
   stage->vertices = list->vertices;
   stage->instances = list->instances;
   stage->outputs = list->outputs;
   launch->grid[0] = list->slots;
   launch->group[0] = GROUP;
   launch->grid[1] = launch->grid[2] = launch->group[1] = launch->group[2] = 1;
   launch->threads = pass->base->threads;
   vgpu_core_run(launch, &outcome);
   const struct render_state *state = &draw->state;
   if (list->is_checked && !((state->cull | state->cull2) & DISCARD)) {
      find_missing_positions(pass, launch, stage, list);
   }
   render_count(pass, launch, list->slots, GROUP, &outcome, "vertex");
   snprintf(what, sizeof(what), "vertex program of draw %" PRIu64, pass->next_draw);
   return render_add_outcome(pass, launch->postmortem, &outcome, what);
}

/* ---- Primitives ---- */

enum primitive {
   POINTS = 0,
   LINES = 1,
   LINE_STRIP = 3,
   LINE_LOOP = 5,
   TRIANGLES = 6,
   TRIANGLE_STRIP = 9,
   TRIANGLE_FAN = 11
};

struct assembly {
   struct render_pass *pass;
   const struct render_draw *draw;
   const struct vertex_list *list;
   uint32_t words; /* of a vertex */
   uint32_t number;
};

static const uint32_t *outputs_of(const struct assembly *assembly, uint32_t place)
{
   return assembly->list->outputs + (size_t)assembly->list->places[place] * assembly->words;
}

static bool emit(struct assembly *assembly, uint32_t a, uint32_t b, uint32_t c, bool odd)
{
   const uint32_t *const of[3] = {outputs_of(assembly, a), outputs_of(assembly, b), outputs_of(assembly, c)};
   const struct render_corners corners = {
       .outputs = {of[0], of[1], of[2]},
       .flat = {of[0], of[1], of[2]},
       .number = assembly->number++,
       .odd = odd,
   };
   return render_add_triangle(assembly->pass, assembly->draw, &corners);
}

static bool emit_line(struct assembly *assembly, uint32_t a, uint32_t b)
{
   return render_add_line(assembly->pass, assembly->draw, outputs_of(assembly, a), outputs_of(assembly, b),
                          assembly->number++);
}

/* The primitive that starts at a place. `first`: of its run, between restarts. */
static bool emit_one(struct assembly *assembly, uint32_t primitive, uint32_t first, uint32_t i)
{
   switch (primitive) {
   case POINTS:
      return render_add_sprite(assembly->pass, assembly->draw, outputs_of(assembly, i), assembly->number++);
   case LINES:
   case LINE_STRIP:
   case LINE_LOOP:
      return emit_line(assembly, i, i + 1);
   case TRIANGLE_FAN:
      return emit(assembly, first, i + 1, i + 2, false);
   default:
      return emit(assembly, i, i + 1, i + 2, primitive == TRIANGLE_STRIP && (i - first) & 1);
   }
}

/* The primitives of places [first, end), between which no restart is. */
static bool assemble_run(struct assembly *assembly, uint32_t primitive, uint32_t first, uint32_t end)
{
   const uint32_t corners = primitive == POINTS ? 1 : primitive <= LINE_LOOP ? 2 : 3;
   const uint32_t step = primitive == TRIANGLES ? 3 : primitive == LINES ? 2 : 1;
   bool good = true;
   for (uint32_t i = first; i + corners <= end && good; i += step) {
      good = emit_one(assembly, primitive, first, i);
   }
   return good && (primitive != LINE_LOOP || first + 2 > end || emit_line(assembly, end - 1, first));
}

static bool assemble(struct assembly *assembly, uint32_t primitive)
{
   const struct vertex_list *list = assembly->list;
   for (uint32_t first = 0, end; first < list->count; first = end + 1) {
      for (end = first; end < list->count && list->places[end] != RESTART; end++) {
      }
      if (!assemble_run(assembly, primitive, first, end)) {
         return false;
      }
   }
   return true;
}

static bool is_understood(struct render_pass *pass, const struct render_state *state, const struct render_call *call)
{
   static const uint32_t known = 1u << POINTS | 1u << LINES | 1u << LINE_STRIP | 1u << LINE_LOOP | 1u << TRIANGLES |
                                 1u << TRIANGLE_STRIP | 1u << TRIANGLE_FAN;
   if (call->primitive > 31 || !(known >> call->primitive & 1)) {
      return render_fail(pass, VGPU_FAULT_STREAM,
                         "draw %" PRIu64 ": primitives of kind %" PRIu32
                         " (quads, for instance, which Mesa does not use) are not understood",
                         pass->next_draw, call->primitive);
   }
   if (call->count > MOST_VERTICES || call->index_bytes > 4) {
      return render_fail(pass, VGPU_FAULT_STREAM,
                         "draw %" PRIu64 ": %" PRIu32 " vertices, indices of %" PRIu32 " bytes", pass->next_draw,
                         call->count, call->index_bytes);
   }
   if ((state->face[0] >> 18 & 3) == 3 || (state->face[1] >> 18 & 3) == 3) {
      return render_fail(pass, VGPU_FAULT_STREAM, "draw %" PRIu64 ": polygon mode 3 is not understood",
                         pass->next_draw);
   }
   return true;
}

/* About how many a draw has: a guess that costs no memory before it is used. */
static size_t primitives_of(const struct render_call *call)
{
   const uint64_t all = (uint64_t)call->count * call->instances / (call->primitive == TRIANGLES ? 3 : 1);
   return all < MOST_EXPECTED ? (size_t)all : MOST_EXPECTED;
}

bool render_draw(struct render_pass *pass, const struct render_state *state, const struct render_call *call)
{
   struct vertex_list list = {0};
   struct vgpu_stage stage = {.kind = VGPU_STAGE_VERTEX,
                              .name = "vertex",
                              .draw = pass->next_draw,
                              .output_words = state->vertex_outputs & 0xff};
   char what[64];
   if (!call->count || !call->instances) {
      return true;
   }
   if (!is_understood(pass, state, call)) {
      return false;
   }
   struct render_draw *draw = find_draw(pass, state);
   struct vgpu_launch *launch = malloc(sizeof(*launch));
   snprintf(what, sizeof(what), "vertex program of draw %" PRIu64, pass->next_draw);
   if (stage.output_words < 4) {
      stage.output_words = 4;
   }
   bool good = draw && (launch || render_out_of_memory(pass)) &&
               render_program(pass, launch, &stage, pass->base->usc_base + (state->vertex_program & ~63u),
                              state->vertex_counts, what) &&
               make_list(pass, state, call, &list);
   if (good && list.slots) {
      const size_t words = (size_t)list.slots * stage.output_words;
      list.is_checked = pass->base->checks & VGPU_CHECK_UNDEFINED;
      draw->undefined = list.is_checked ? words : 0;
      list.output_bytes = (list.is_checked ? 2 : 1) * words * sizeof(uint32_t);
      list.outputs = vgpu_spare_take(pass->base->spare, list.output_bytes);
      good = (list.outputs || render_out_of_memory(pass)) && render_expect(pass, draw, primitives_of(call));
   }
   for (uint32_t instance = 0; good && list.slots && instance < call->instances; instance++) {
      struct assembly assembly = {.pass = pass, .draw = draw, .list = &list, .words = stage.output_words};
      good = run_vertices(pass, draw, launch, &stage, &list, instance) && assemble(&assembly, call->primitive);
   }
   finish_list(pass, &list);
   free(launch);
   pass->next_draw++;
   return good;
}
