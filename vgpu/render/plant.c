/* SPDX-License-Identifier: MIT
 *
 * Planted faults of a driver: plant.h. Invariant: without rules nothing here changes anything.
 */
#include "vgpu/render/plant.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "vgpu/render/pass.h"

/* Words of the state, `count` of them, each `step` words behind the last one; other places of a pass have step 0, and
 * ask for their word by its name. */
struct word {
   const char *name;
   size_t at;
   unsigned count, step;
};
#define STATE(name, member, count, step)                                                                               \
   {                                                                                                                   \
      name, offsetof(struct render_state, member), count, step                                                         \
   }
#define OTHER(name)                                                                                                    \
   {                                                                                                                   \
      name, 0, 0, 0                                                                                                    \
   }
static const struct word words[] = {
    STATE("restart", restart, 1, 1),
    STATE("vertex_outputs", vertex_outputs, 1, 1),
    STATE("control", fragment_control[0], 2, 1),
    STATE("face", face[0], 2, 1),
    STATE("face_front", face[0], 1, 1),
    STATE("face_back", face[1], 1, 1),
    STATE("face2", face2[0], 2, 1),
    STATE("stencil", stencil[0], 2, 1),
    STATE("stencil_front", stencil[0], 1, 1),
    STATE("stencil_back", stencil[1], 1, 1),
    STATE("bias_scissor", bias_scissor, 1, 1),
    STATE("viewport_x", viewport[0][0], RENDER_VIEWPORTS, 6),
    STATE("viewport_width", viewport[0][1], RENDER_VIEWPORTS, 6),
    STATE("viewport_y", viewport[0][2], RENDER_VIEWPORTS, 6),
    STATE("viewport_height", viewport[0][3], RENDER_VIEWPORTS, 6),
    STATE("viewport_z", viewport[0][4], RENDER_VIEWPORTS, 6),
    STATE("viewport_depth", viewport[0][5], RENDER_VIEWPORTS, 6),
    STATE("output_select", output_select, 1, 1),
    STATE("cull", cull, 1, 1),
    STATE("cull2", cull2, 1, 1),
    STATE("occlusion", occlusion[0], 1, 1),
    /* A draw. */
    OTHER("primitive"),
    OTHER("count"),
    OTHER("instances"),
    OTHER("start"),
    OTHER("index_bytes"),
    OTHER("index_offset"),
    OTHER("index_size"),
    OTHER("restarts"),
    /* What the state points to. */
    OTHER("scissor_left"),
    OTHER("scissor_top"),
    OTHER("scissor_right"),
    OTHER("scissor_bottom"),
    OTHER("bias"),
    OTHER("bias_slope"),
    OTHER("binding_model"),
    OTHER("binding_slot"),
    OTHER("binding_source"),
    OTHER("early"),
    OTHER("sampler_low"),
    OTHER("sampler_high"),
    OTHER("texture_low"),
    OTHER("texture_high"),
    OTHER("end_low"),
    OTHER("end_high"),
    /* The command. 1: the background program is run though it loads, or though it only clears. */
    OTHER("background_loads"),
    OTHER("background_clears"),
    OTHER("end_runs"),
    OTHER("flags"),
    OTHER("layers"),
    OTHER("samples_at"),
    OTHER("zls_control"),
    OTHER("clear_depth"),
    OTHER("clear_stencil"),
    /* The header of each command, of compute ones too. */
    OTHER("barriers"),
};

static uint32_t apply(const struct vgpu_plant_rule *rule, uint32_t value)
{
   switch (rule->operation) {
   case '&':
      return value & rule->number;
   case '|':
      return value | rule->number;
   case '^':
      return value ^ rule->number;
   default:
      return value + rule->number;
   }
}

uint32_t vgpu_planted(const struct vgpu_plant *plant, const char *word, uint32_t value)
{
   for (unsigned i = 0; plant && i < plant->count; i++) {
      if (!strcmp(plant->rules[i].word, word)) {
         value = apply(&plant->rules[i], value);
      }
   }
   return value;
}

uint32_t render_planted(const struct render_pass *pass, const char *word, uint32_t value)
{
   return vgpu_planted(pass->base->plant, word, value);
}

void render_plant_state(const struct render_pass *pass, struct render_state *state)
{
   const struct vgpu_plant *plant = pass->base->plant;
   for (unsigned i = 0; plant && i < plant->count; i++) {
      for (size_t n = 0; n < ARRAY_COUNT(words); n++) {
         if (strcmp(plant->rules[i].word, words[n].name)) {
            continue;
         }
         for (unsigned k = 0; k < words[n].count; k++) {
            char *at = (char *)state + words[n].at + (size_t)k * words[n].step * sizeof(uint32_t);
            uint32_t value;
            memcpy(&value, at, sizeof(value));
            value = apply(&plant->rules[i], value);
            memcpy(at, &value, sizeof(value));
         }
      }
   }
}

static const char *find_word(const char *text, size_t length)
{
   for (size_t n = 0; n < ARRAY_COUNT(words); n++) {
      if (strlen(words[n].name) == length && !strncmp(words[n].name, text, length)) {
         return words[n].name;
      }
   }
   return NULL;
}

bool vgpu_plant_add(struct vgpu_plant *plant, const char *text)
{
   static const char operations[] = "&|^+";
   const size_t length = strcspn(text, operations);
   const char *word = find_word(text, length);
   text += length;
   if (!word || !*text) {
      return false;
   }
   while (*text) {
      char *end;
      const char operation = *text++;
      const unsigned long long number = strtoull(text, &end, 16);
      if (!strchr(operations, operation) || end == text || number > UINT32_MAX || plant->count == VGPU_PLANT_RULES) {
         return false;
      }
      plant->rules[plant->count++] =
          (struct vgpu_plant_rule){.word = word, .operation = operation, .number = (uint32_t)number};
      text = end;
   }
   return true;
}
