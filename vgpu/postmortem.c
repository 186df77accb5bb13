/* SPDX-License-Identifier: MIT
 *
 * The text of a post-mortem. What several simdgroups have in common is said once.
 */
#include "vgpu/postmortem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

#define LINE_BYTES 768u
#define NAME_BYTES 160u
#define MOST_VALUES 4u /* different ones that are printed of an operand */

struct text {
   const struct vgpu_postmortem_names *names;
   void (*line)(void *data, const char *text);
   void *data;
};

static void say(const struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct text *text, const char *format, ...)
{
   char line[LINE_BYTES];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(line, sizeof(line), format, arguments);
   va_end(arguments);
   text->line(text->data, line);
}

/* What the client knows of it, or "". */
static const char *source(const struct text *text, const char *place, char name[NAME_BYTES])
{
   name[0] = '\0';
   if (text->names && text->names->source) {
      text->names->source(text->names->data, place, name, NAME_BYTES);
   }
   return name;
}

/* "0-3, 7". */
static void list_bits(uint32_t bits, char *to, size_t size)
{
   to[0] = '\0';
   for (unsigned first = 0; first < 32; first++) {
      unsigned last = first;
      if (!(bits >> first & 1)) {
         continue;
      }
      while (last < 31 && (bits >> (last + 1) & 1)) {
         last++;
      }
      util_append(to, size, last == first ? "%s%u" : "%s%u-%u", *to ? ", " : "", first, last);
      first = last;
   }
}

static bool many_bits(uint32_t bits)
{
   return bits & (bits - 1);
}

/* "simdgroup 4", "simdgroups 4-7". */
static void name_bits(const char *what, uint32_t bits, char *to, size_t size)
{
   char list[128];
   list_bits(bits, list, sizeof(list));
   snprintf(to, size, "%s%s %s", what, many_bits(bits) ? "s" : "", list);
}

static void print_value(const struct vgpu_seen_operand *operand, uint64_t value, char *to, size_t size)
{
   double real;
   switch ((enum vgpu_value_kind)operand->kind) {
   case VGPU_VALUE_FLOAT:
      memcpy(&real, &value, sizeof(real));
      util_append(to, size, "%.9g", real);
      return;
   case VGPU_VALUE_ADDRESS:
      util_append(to, size, "0x%" PRIx64, value);
      return;
   default:
      util_append(to, size, "%" PRId64, (int64_t)value);
   }
}

/* "17 in lanes 0-30, 5 in lane 31". */
static void print_values(const struct vgpu_seen_operand *operand, uint32_t lanes, char *to, size_t size)
{
   const uint32_t all = lanes;
   to[0] = '\0';
   for (unsigned count = 0; lanes; count++) {
      const unsigned first = (unsigned)__builtin_ctz(lanes);
      uint32_t equal = 0;
      char list[160];
      for (uint32_t left = lanes; left; left &= left - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(left);
         equal |= operand->lanes[lane] == operand->lanes[first] ? 1u << lane : 0;
      }
      if (count == MOST_VALUES) {
         util_append(to, size, ", ...");
         return;
      }
      util_append(to, size, "%s", count ? ", " : "");
      print_value(operand, operand->lanes[first], to, size);
      if (equal != all || !many_bits(all)) {
         name_bits("lane", equal, list, sizeof(list));
         util_append(to, size, " in %s", list);
      } else {
         util_append(to, size, " in each active lane");
      }
      lanes &= ~equal;
   }
}

/* Where the value came from. */
static void say_origin(const struct text *text, const struct vgpu_seen_operand *operand)
{
   char name[NAME_BYTES], address[NAME_BYTES] = "";
   if (!operand->from[0]) {
      return;
   }
   if (operand->from_address && text->names && text->names->address) {
      text->names->address(text->names->data, operand->from_address, address, sizeof(address));
   }
   if (operand->from_address) {
      say(text, "         it comes from 0x%" PRIx64 "%s%s, by %s%s", operand->from_address, *address ? ": " : "",
          address, operand->from, source(text, operand->from, name));
   } else {
      say(text, "         it comes from %s%s", operand->from, source(text, operand->from, name));
   }
}

static void say_operand(const struct text *text, const struct vgpu_seen_operand *operand, uint32_t lanes, bool loop)
{
   char values[LINE_BYTES / 2];
   if (operand->kind == VGPU_VALUE_CONSTANT || !lanes) {
      return;
   }
   print_values(operand, lanes, values, sizeof(values));
   const uint32_t changed = operand->changed & lanes;
   say(text, "      %s = %s%s", operand->name, values,
       !loop              ? ""
       : !changed         ? "; the same in each pass"
       : changed == lanes ? "; other values in earlier passes"
                          : "; in some lanes other values in earlier passes");
   if (loop) {
      say_origin(text, operand);
   }
}

static void say_exit(const struct text *text, const struct vgpu_seen_op *exit)
{
   char name[NAME_BYTES];
   say(text, "    a lane leaves it when %s%s %s %s%s: %s%s%s", exit->negated ? "not (" : "", exit->operands[0].name,
       exit->relation, exit->operands[1].name, exit->negated ? ")" : "", exit->place, source(text, exit->place, name),
       exit->lanes ? "" : "; no active lane came there");
   for (unsigned i = 0; i < exit->operand_count; i++) {
      say_operand(text, &exit->operands[i], exit->lanes, true);
   }
}

/* "main + 0x14" of "main + 0x14: jmp_any L1". */
static int place_length(const char *place)
{
   return (int)strcspn(place, ":");
}

/* Its first digit: the rest depends on where the launch was stopped. */
static uint64_t leading_digit(uint64_t number)
{
   uint64_t unit = 1;
   while (number / unit >= 10) {
      unit *= 10;
   }
   return number / unit * unit;
}

static void say_loop(const struct text *text, const struct vgpu_standing *standing)
{
   char name[NAME_BYTES], lanes[160];
   const uint32_t gone = standing->launched & ~standing->active;
   if (!standing->loop[0]) {
      if (standing->state == VGPU_STANDS_RUNNING) {
         say(text, "    it went through no loop twice while it was watched");
      }
      return;
   }
   say(text, "    in the loop from %.*s%s to %.*s", place_length(standing->loop), standing->loop,
       source(text, standing->loop, name), place_length(standing->loop_end), standing->loop_end);
   if (standing->state != VGPU_STANDS_RUNNING) {
      return;
   }
   say(text, "    over %" PRIu64 " more passes did not end it", leading_digit(standing->passes));
   for (unsigned i = 0; i < standing->exit_count; i++) {
      say_exit(text, &standing->exits[i]);
   }
   if (standing->exit_count == 0) {
      say(text, "    no comparison in it takes a lane out of it");
   }
   if (gone) {
      name_bits("lane", gone, lanes, sizeof(lanes));
      say(text,
          "    %s left it or took another way in it, and cannot go on before the active lanes leave it: the lanes of a "
          "simdgroup share one program counter",
          lanes);
   }
}

/* The pixel or vertex of the first active lane. */
static void say_lanes(const struct text *text, unsigned kind, const struct vgpu_standing *standing)
{
   const uint32_t lanes = standing->active ? standing->active : standing->launched;
   const unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
   const char *others = many_bits(lanes) ? ", and others" : "";
   if (kind == VGPU_STAGE_FRAGMENT) {
      say(text, "    pixel %" PRIu32 ", %" PRIu32 " in lane %u%s", standing->at[0][lane], standing->at[1][lane], lane,
          others);
   } else if (kind == VGPU_STAGE_VERTEX) {
      say(text, "    vertex %" PRIu32 " of instance %" PRIu32 " in lane %u%s", standing->at[0][lane],
          standing->at[1][lane], lane, others);
   }
}

static void say_standing(const struct text *text, unsigned kind, const struct vgpu_standing *standing,
                         uint32_t simdgroups)
{
   static const char *const verbs[][2] = {[VGPU_STANDS_RUNNING] = {"runs at", "run at"},
                                          [VGPU_STANDS_BARRIER] = {"waits at", "wait at"},
                                          [VGPU_STANDS_FAULT] = {"faulted at", "faulted at"}};
   char who[160], lanes[160], name[NAME_BYTES];
   name_bits("simdgroup", simdgroups, who, sizeof(who));
   if (standing->active == 0) {
      snprintf(lanes, sizeof(lanes), "no lane is");
   } else if (standing->active == standing->launched) {
      snprintf(lanes, sizeof(lanes), "all lanes are");
   } else {
      name_bits("lane", standing->active, lanes, sizeof(lanes) - sizeof(" are"));
      util_append(lanes, sizeof(lanes), many_bits(standing->active) ? " are" : " is");
   }
   say(text, "  threadgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 ", %s: %s active", standing->threadgroup[0],
       standing->threadgroup[1], standing->threadgroup[2], who, lanes);
   say_lanes(text, kind, standing);
   say(text, "    %s %s%s", verbs[standing->state][many_bits(simdgroups)], standing->place,
       source(text, standing->place, name));
   if (standing->state == VGPU_STANDS_FAULT) {
      for (unsigned i = 0; i < standing->exits[0].operand_count; i++) {
         say_operand(text, &standing->exits[0].operands[i], standing->active, false);
      }
   }
   if (standing->state != VGPU_STANDS_BARRIER) {
      say_loop(text, standing);
   }
}

static bool same_place(const struct vgpu_standing *a, const struct vgpu_standing *b)
{
   bool same = !memcmp(a->threadgroup, b->threadgroup, sizeof(a->threadgroup)) && a->state == b->state &&
               a->launched == b->launched && a->active == b->active && !strcmp(a->place, b->place) &&
               !strcmp(a->loop, b->loop) && a->exit_count == b->exit_count;
   for (unsigned i = 0; same && i < a->exit_count; i++) {
      same = !strcmp(a->exits[i].place, b->exits[i].place);
   }
   return same;
}

/* Of a barrier that not all have reached. */
static void say_missing(const struct text *text, const struct vgpu_postmortem *postmortem)
{
   char waiting[160], list[160];
   const struct {
      uint32_t bits;
      const char *what[2];
   } missing[] = {{postmortem->ended, {"has ended", "have ended"}}, {postmortem->running, {"still runs", "still run"}}};
   if (!postmortem->waiting) {
      return;
   }
   name_bits("simdgroup", postmortem->waiting, waiting, sizeof(waiting));
   for (unsigned i = 0; i < ARRAY_COUNT(missing); i++) {
      if (missing[i].bits) {
         name_bits("simdgroup", missing[i].bits, list, sizeof(list));
         say(text, "  %s of this threadgroup wait%s at a barrier that %s did not reach: %s %s", waiting,
             many_bits(postmortem->waiting) ? "" : "s", list, many_bits(missing[i].bits) ? "they" : "it",
             missing[i].what[many_bits(missing[i].bits)]);
      }
   }
}

static void say_none(const struct text *text, const struct vgpu_postmortem *postmortem)
{
   if (postmortem->fault == VGPU_FAULT_TIMEOUT && postmortem->groups_ended < postmortem->groups) {
      say(text,
          "  the running threadgroups ended within %" PRIu64 " more instructions: no loop without an end was "
          "found, and the launch may be larger than its limit of instructions",
          postmortem->instructions);
   }
}

void vgpu_postmortem_print(const struct vgpu_postmortem *postmortem, const struct vgpu_postmortem_names *names,
                           void (*line)(void *data, const char *text), void *data)
{
   const struct text text = {names, line, data};
   if (postmortem->fault == VGPU_FAULT_NONE ||
       (postmortem->count == 0 && postmortem->groups_ended == postmortem->groups)) {
      return;
   }
   const bool is_stage = postmortem->kind != VGPU_STAGE_COMPUTE;
   char draw[48] = "";
   if (is_stage && postmortem->draw != VGPU_NO_DRAW) {
      snprintf(draw, sizeof(draw), ", of draw %" PRIu64 ",", postmortem->draw);
   }
   say(&text, "%" PRIu64 " of %" PRIu64 " threadgroups of the %s%sprogram at 0x%" PRIx64 "%s had ended.%s",
       postmortem->groups_ended, postmortem->groups, is_stage ? postmortem->stage : "", is_stage ? " " : "",
       postmortem->code, draw, postmortem->count ? " The first that had not:" : "");
   if (postmortem->count == 0) {
      say_none(&text, postmortem);
   }
   for (unsigned i = 0; i < postmortem->count;) {
      const struct vgpu_standing *first = &postmortem->standing[i];
      uint32_t simdgroups = 0;
      for (; i < postmortem->count && same_place(first, &postmortem->standing[i]); i++) {
         simdgroups |= 1u << (postmortem->standing[i].simdgroup & 31);
      }
      say_standing(&text, postmortem->kind, first, simdgroups);
   }
   say_missing(&text, postmortem);
}
