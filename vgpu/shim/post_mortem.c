/* SPDX-License-Identifier: MIT
 *
 * See post_mortem.h. Invariant: what it says are the numbers that vgpu_postmortem_print() makes words of.
 */
#include "vgpu/shim/post_mortem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void shim_add_string(struct util_text *text, const char *string)
{
   util_text_add(text, "\"");
   for (; *string; string++) {
      unsigned char c = (unsigned char)*string;
      if (c == '"' || c == '\\') {
         util_text_add(text, "\\%c", c);
      } else if (c < 32) {
         util_text_add(text, "\\u%04x", c);
      } else {
         util_text_add(text, "%c", c);
      }
   }
   util_text_add(text, "\"");
}

static void add_member(struct util_text *text, const char *name, const char *string)
{
   util_text_add(text, ", \"%s\": ", name);
   shim_add_string(text, string);
}

/* JSON has no infinity, and no NaN: those are strings. */
static void add_value(struct util_text *text, const struct vgpu_seen_operand *operand, uint64_t value)
{
   double real;
   memcpy(&real, &value, sizeof(real));
   if (operand->kind == VGPU_VALUE_ADDRESS) {
      util_text_add(text, "\"0x%" PRIx64 "\"", value);
   } else if (operand->kind != VGPU_VALUE_FLOAT) {
      util_text_add(text, "%" PRId64, (int64_t)value);
   } else if (isfinite(real)) {
      util_text_add(text, "%.9g", real);
   } else {
      util_text_add(text, "\"%g\"", real);
   }
}

static void add_operand(struct util_text *text, const struct vgpu_seen_operand *operand, uint32_t lanes)
{
   util_text_add(text, "{\"name\": ");
   shim_add_string(text, operand->name);
   util_text_add(text, ", \"lanes\": {");
   for (uint32_t left = lanes; left; left &= left - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(left);
      util_text_add(text, "%s\"%u\": ", left == lanes ? "" : ", ", lane);
      add_value(text, operand, operand->lanes[lane]);
   }
   util_text_add(text, "}}");
}

/* Each active lane's pixel, or vertex and instance. */
static void add_lanes(struct util_text *text, unsigned kind, const struct vgpu_standing *standing)
{
   if (kind != VGPU_STAGE_FRAGMENT && kind != VGPU_STAGE_VERTEX) {
      return;
   }
   util_text_add(text, ", \"%s\": {", kind == VGPU_STAGE_FRAGMENT ? "pixels" : "vertices");
   for (uint32_t left = standing->active; left; left &= left - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(left);
      util_text_add(text, "%s\"%u\": [%" PRIu32 ", %" PRIu32 "]", left == standing->active ? "" : ", ", lane,
                    standing->at[0][lane], standing->at[1][lane]);
   }
   util_text_add(text, "}");
}

static void add_standing(struct util_text *text, unsigned kind, const struct vgpu_standing *standing)
{
   static const char *const states[] = {
       [VGPU_STANDS_RUNNING] = "runs", [VGPU_STANDS_BARRIER] = "waits at a barrier", [VGPU_STANDS_FAULT] = "faulted"};
   util_text_add(text,
                 "{\"threadgroup\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], \"simdgroup\": %" PRIu32
                 ", \"launched\": %" PRIu32 ", \"active\": %" PRIu32,
                 standing->threadgroup[0], standing->threadgroup[1], standing->threadgroup[2], standing->simdgroup,
                 standing->launched, standing->active);
   add_member(text, "state", states[standing->state]);
   add_member(text, "place", standing->place);
   add_member(text, "loop", standing->loop);
   add_lanes(text, kind, standing);
   util_text_add(text, ", \"instructions\": [");
   for (uint32_t i = 0; i < standing->exit_count; i++) {
      const struct vgpu_seen_op *seen = &standing->exits[i];
      util_text_add(text, "%s{\"place\": ", i ? ", " : "");
      shim_add_string(text, seen->place);
      util_text_add(text, ", \"registers\": [");
      for (unsigned n = 0; n < seen->operand_count; n++) {
         util_text_add(text, "%s", n ? ", " : "");
         add_operand(text, &seen->operands[n], seen->lanes);
      }
      util_text_add(text, "]}");
   }
   util_text_add(text, "]}");
}

void shim_add_post_mortem(struct util_text *text, const struct vgpu_postmortem *postmortem)
{
   if (postmortem->fault == VGPU_FAULT_NONE) {
      util_text_add(text, "null");
      return;
   }
   util_text_add(text, "{\"job\": %" PRIu64 ", \"command\": %" PRIu32 ", \"code\": \"0x%" PRIx64 "\"", postmortem->job,
                 postmortem->command, postmortem->code);
   add_member(text, "stage", postmortem->stage);
   if (postmortem->draw != VGPU_NO_DRAW) {
      util_text_add(text, ", \"draw\": %" PRIu64, postmortem->draw);
   }
   util_text_add(text, ", \"threadgroups\": %" PRIu64 ", \"threadgroups_ended\": %" PRIu64 ", \"simdgroups\": [",
                 postmortem->groups, postmortem->groups_ended);
   for (uint32_t i = 0; i < postmortem->count; i++) {
      util_text_add(text, "%s", i ? ", " : "");
      add_standing(text, postmortem->kind, &postmortem->standing[i]);
   }
   util_text_add(text, "]}");
}
