/* SPDX-License-Identifier: MIT
 *
 * Arguments in global memory that generated kernels read and write at computed indices: how they are written, and that
 * the virtual device stores what the reference says. A read does not stand behind a write that comes after it.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzzing/opencl/kernels.h"
#include "fuzz/opencl/generate/generate.h"

static const struct ocl_type number = {OCL_INT, 1};

static uint16_t add_scalar(uint64_t value)
{
   program.scalar_type[program.scalars] = number;
   program.scalar[program.scalars][0] = value;
   return add((struct ocl_node){.kind = OCL_SCALAR, .type = number, .slot = (uint8_t)program.scalars++});
}

/* Element 6 of each lane is 6 in the beginning; element 2 becomes the number of the lane. */
static void check_order(struct bench_device *bench, enum ocl_order order, const char *text)
{
   begin(OCL_LANES);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = number, .length = 8, .space = OCL_GLOBAL, .order = (uint8_t)order};
   for (unsigned i = 0; i < 8; i++) {
      program.object[0].start[i] = i;
   }
   const uint16_t two = add_scalar(2), six = add_scalar(6);
   add_output(add_read(0, six));
   const uint16_t lane = add((struct ocl_node){.kind = OCL_ID, .type = number, .slot = OCL_GLOBAL_ID});
   add((struct ocl_node){.kind = OCL_WRITE, .type = number, .count = 2, .source = {two, lane}});
   add_output(add_read(0, two));
   CHECK(text_has("global int *g0"));
   CHECK(text_has(text));
   check_right(bench);
   program.wide_lane = true;
   CHECK(text_has("size_t i = "));
   check_right(bench);
}

/* Through elements of an argument, at a distance of their own. */
static void check_exchange(struct bench_device *bench)
{
   begin(OCL_LANES);
   const uint16_t lane = add((struct ocl_node){.kind = OCL_ID, .type = number, .slot = OCL_GLOBAL_ID});
   const struct ocl_node node = {
       .type = number, .count = 1, .source = {lane}, .slot = OCL_OBJECTS, .data = {5, 5, 3, 7}};
   struct ocl_node exchange = node, own = node, all = node;
   exchange.kind = OCL_EXCHANGE;
   own.kind = OCL_OWN;
   own.op = OCL_ATOMIC_CMPXCHG;
   own.slot++;
   all.kind = OCL_ATOMIC;
   all.op = OCL_ATOMIC_MAX;
   all.data[0] = 0;
   all.slot += 2;
   add_output(add(exchange));
   add_output(add(own));
   for (own.form = OCL_OWN_PLAIN + 1; own.form < OCL_OWN_FORMS; own.form++) {
      own.slot = (uint8_t)(own.slot + 2);
      add_output(add(own));
   }
   add_output(add(all));
   CHECK(text_has("g12[(i ^ 5) * 3 + 7]"));
   CHECK(text_has("atomic_cmpxchg(&g13[i * 3 + 7], 5, "));
   CHECK(text_has("atomic_cmpxchg(&g15[(31 - i) * 3 + 7], 5, "));
   CHECK(text_has("atomic_cmpxchg(&g17[(i ^ 5) * 3 + 7], 5, "));
   CHECK(text_has("atomic_cmpxchg(&g19[(long)i * 3 + 7], 5, "));
   CHECK(text_has("atomic_max(&g14[7], "));
   check_right(bench);
   program.wide_lane = true;
   check_right(bench);
}

/* A value that is read before a write, and used behind it, is a variable: also where another read has it as the index
 * of a variable, which no text holds. */
static void check_read_before_write(struct bench_device *bench)
{
   begin(OCL_LANES);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = number, .length = 1, .start = {3}};
   const uint16_t old = add_read(0, add_constant(number, 0));
   add_output(add_read(0, old));
   add((struct ocl_node){.kind = OCL_WRITE, .type = number, .count = 2, .source = {old, add_constant(number, 9)}});
   add_output(old);
   CHECK(text_has("int v1 = m0;"));
   check_right(bench);
}

/* Kernels of all orders come up, and of all ways through which lanes exchange. */
static void check_generated(void)
{
   bool orders[OCL_ORDERS] = {false}, exchanged[3] = {false};

   for (uint64_t seed = 0; seed < 400; seed++) {
      ocl_generate(&program, seed * UINT64_C(0x9e3779b97f4a7c15));
      for (uint32_t i = 0; i < program.objects; i++) {
         if (ocl_is_global(&program.object[i])) {
            orders[program.object[i].order] = true;
            CHECK(program.lanes * program.object[i].length <= OCL_GLOBAL_ELEMENTS);
         }
      }
      for (uint32_t i = 0; i < program.count; i++) {
         const struct ocl_node *node = &program.nodes[i];
         const bool vector = node->kind == OCL_VLOAD || node->kind == OCL_VSTORE;
         const struct ocl_object *object = vector ? &program.object[node->slot] : NULL;
         /* A lane's elements are no neighbours there. */
         CHECK(object == NULL || !ocl_is_global(object) || object->order != OCL_COLUMNS);
         const bool exchange = node->kind == OCL_OWN || node->kind == OCL_EXCHANGE || node->kind == OCL_ATOMIC;
         if (exchange && node->slot != 0) {
            exchanged[node->kind - OCL_OWN] = true;
            CHECK(node->slot >= OCL_OBJECTS && node->slot < OCL_GLOBALS);
            const uint64_t end =
                node->kind == OCL_ATOMIC ? node->data[3] : (program.lanes - 1) * node->data[2] + node->data[3];
            CHECK(end < (node->type.width == 1 ? OCL_GLOBAL_ELEMENTS : program.lanes));
         }
      }
   }
   for (unsigned i = 0; i < OCL_ORDERS; i++) {
      CHECK(orders[i]);
   }
   CHECK(exchanged[0] && exchanged[1] && exchanged[2]);
}

int main(void)
{
   struct bench_device bench;
   char why[ATTEMPT_WHY] = "";

   CHECK(bench_device_open(&bench, "virtual:m1,check=all", NULL, why, sizeof(why)) == 0);
   check_order(&bench, OCL_ROWS, "g0[i * 8 + (a1 & 7)]");
   check_order(&bench, OCL_POINTER_ROWS, "global int *m0 = g0 + i * 8;");
   check_order(&bench, OCL_REVERSED_ROWS, "g0[(31 - i) * 8 + (a1 & 7)]");
   check_order(&bench, OCL_COLUMNS, "g0[(a1 & 7) * 32 + i]");
   check_order(&bench, OCL_LONG_ROWS, "g0[(long)i * 8 + (a1 & 7)]");
   check_order(&bench, OCL_BEHIND_ROWS, "(g0 + i * 8 + 8)[(int)(a1 & 7) - 8]");
   check_exchange(&bench);
   check_read_before_write(&bench);
   check_generated();
   bench_device_close(&bench);
   return check_result();
}
