/* SPDX-License-Identifier: MIT
 *
 * The shape of a kernel in one line: its outputs' expressions without numbers. Two kernels of one shape are examples
 * of one finding.
 */
#include <string.h>

#include "fuzz/opencl/print.h"
#include "fuzz/nir/registers.h"

#define DEEPEST 12

static bool has_nan(const struct ocl_node *node)
{
   bool any = false;

   for (unsigned i = 0; i < node->type.width; i++) {
      any |= ocl_is_nan(node->type.base, node->data[i]);
   }
   return any;
}

static void put(FILE *file, const struct ocl_program *program, uint32_t index, unsigned depth)
{
   static const char *const kinds[] = {
       [OCL_READ] = "read",      [OCL_WRITE] = "write",       [OCL_IF] = "if",
       [OCL_LOOP] = "loop",      [OCL_BREAK] = "break",       [OCL_CONTINUE] = "continue",
       [OCL_VLOAD] = "vload",    [OCL_VSTORE] = "vstore",     [OCL_SWITCH] = "switch",
       [OCL_OWN] = "own atomic", [OCL_EXCHANGE] = "exchange", [OCL_ATOMIC] = "atomic",
       [OCL_OUTPUT] = "store",   [OCL_TURN] = "turn",         [OCL_COPY] = "copy struct"};
   const struct ocl_node *node = &program->nodes[index];

   if (node->kind == OCL_CONST || node->kind == OCL_SCALAR || node->kind == OCL_INPUT) {
      fputs(node->kind == OCL_CONST ? has_nan(node) ? "#nan" : "#" : "_", file);
      return;
   }
   const char *name = node->kind == OCL_OP   ? ocl_ops[node->op].name
                      : node->kind == OCL_ID ? ocl_id_name(node)
                                             : kinds[node->kind];
   const char *mode = node->kind == OCL_OP ? ocl_mode_name(program, node) : "";
   const bool large =
       (node->kind == OCL_READ || node->kind == OCL_WRITE) && ocl_is_spread(&program->object[node->slot]);
   const bool sampler = node->kind == OCL_OP && node->outlined == OCL_FUNCTION_WITH_SAMPLER;
   fprintf(file, "%s%s %s%s%s%s", name, mode, ocl_uses_global(program, node) ? "global " : "", large ? "large " : "",
           sampler ? "sampler " : "", ocl_type_name(node->type));
   for (unsigned i = 0; i < node->count; i++) {
      fputs(i == 0 ? "(" : ",", file);
      const struct ocl_node *source = &program->nodes[node->source[i]];
      if (depth == DEEPEST) {
         fputs("...", file);
      } else if (i == 0 && ocl_index_uses(program, node) == 0) {
         fputs("#", file);
      } else {
         put(file, program, node->source[i], depth + 1);
         if (source->kind != OCL_OP && !ocl_same(source->type, node->type)) {
            fprintf(file, ":%s", ocl_type_name(source->type));
         }
      }
   }
   fputs(node->count != 0 ? ")" : "", file);
}

void ocl_shape(const void *data, char *text, size_t size)
{
   const struct ocl_program *program = data;
   FILE *file = fmemopen(text, size, "w");
   const char *gap = "";

   memset(text, 0, size);
   if (file == NULL) {
      return;
   }
   if (program->registers != FUZZ_REGISTERS_ALL) {
      fprintf(file, "%s: ", fuzz_registers_name(program->registers));
   }
   for (uint32_t i = 0; i < program->count; i++) {
      const struct ocl_node *node = &program->nodes[i];
      if (node->kind == OCL_OUTPUT) {
         fputs(gap, file);
         fputs(node->form == OCL_STORE_BYTES && ocl_bytes(node->type) > 16 ? "bytes of " : "", file);
         put(file, program, node->source[0], 0);
         gap = "; ";
      } else if (ocl_has_effect(node) && (node->count != 0 || node->kind == OCL_LOOP)) {
         fputs(gap, file);
         put(file, program, i, 0);
         gap = "; ";
      }
   }
   fclose(file);
   text[size - 1] = '\0';
}

uint32_t ocl_size(const void *data)
{
   const struct ocl_program *program = data;
   bool needed[OCL_NODES];
   uint32_t size = 0;

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      const uint8_t kind = program->nodes[i].kind;
      size += needed[i] && kind != OCL_CONST && kind != OCL_SCALAR && kind != OCL_INPUT ? 1 : 0;
   }
   return size;
}

/* Whether the expression at `at` is an instance of the one at `wanted`, in vectors of any width. A leaf matches
 * anything. */
static bool is_instance(const struct ocl_program *program, uint32_t at, const struct ocl_program *shrunk,
                        uint32_t wanted)
{
   const struct ocl_node *a = &program->nodes[at], *b = &shrunk->nodes[wanted];

   if (b->kind == OCL_CONST || b->kind == OCL_SCALAR || b->kind == OCL_INPUT) {
      return a->type.base == b->type.base;
   }
   if (a->kind != b->kind || a->op != b->op || a->type.base != b->type.base || a->count != b->count) {
      return false;
   }
   for (unsigned i = 0; i < a->count; i++) {
      if (!is_instance(program, a->source[i], shrunk, b->source[i])) {
         return false;
      }
   }
   return true;
}

bool ocl_contains(const void *large, const void *small)
{
   const struct ocl_program *program = large, *shrunk = small;
   const struct ocl_node *wanted = NULL;
   bool needed[OCL_NODES];

   for (uint32_t i = 0; i < shrunk->count; i++) {
      if (ocl_has_effect(&shrunk->nodes[i])) {
         if (wanted != NULL || shrunk->nodes[i].kind != OCL_OUTPUT) {
            return false; /* statements are not compared */
         }
         wanted = &shrunk->nodes[i];
      }
   }
   ocl_needed(program, needed);
   for (uint32_t i = 0; wanted != NULL && i < program->count; i++) {
      if (needed[i] && program->nodes[i].kind == OCL_OP && shrunk->nodes[wanted->source[0]].kind == OCL_OP &&
          is_instance(program, i, shrunk, wanted->source[0])) {
         return true;
      }
   }
   return false;
}
