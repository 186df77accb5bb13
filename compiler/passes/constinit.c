/* SPDX-License-Identifier: MIT
 *
 * Module-scope variables of storage class Function become constants. For an array whose initialiser is partly
 * constant, clang 15 makes such a variable, named constinit, and copies from it.
 *
 * Every use of such a variable, and of each pointer derived from one, must be a known read: if an instruction is not
 * in the list below, the module is not changed, and the validator refuses it. Identifiers are defined before their
 * uses in the order of the words, except for OpPhi, which is not in the list.
 */
#include "compiler/passes/constinit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/OpenCL.std.h"
#include "compiler/spirv/spirv.h"
#include "util/array.h"

#define HEADER_WORDS 5
#define VERSION_WORD 1
#define BOUND_WORD 3
#define BOUND_MAX 0x3fffffu /* SPIR-V's universal limit */
#define VERSION_1_4 0x00010400u
#define VARIABLE_WORDS 5 /* with an initialiser */
#define POINTER_WORDS 4

struct id {
   bool moved;           /* a pointer into one of the variables */
   bool variable;        /* one of the variables */
   bool defined;         /* a new pointer type that has been written */
   uint32_t class, type; /* of a pointer type: storage class and pointee; type 0: it is no pointer type */
   uint32_t constant;    /* of a type: its pointer type in UniformConstant; 0: none */
};

struct module {
   const uint32_t *words;
   size_t count;
   struct id *ids;
   uint32_t bound, new_bound;
   uint32_t variables;
   uint32_t *out;
   size_t out_count;
};

static uint32_t opcode(const uint32_t *at)
{
   return at[0] & SpvOpCodeMask;
}

static uint32_t length(const uint32_t *at)
{
   return at[0] >> SpvWordCountShift;
}

/* Whether all instructions are complete, and the relevant identifiers are below the bound. */
static bool is_well_formed(const struct module *module)
{
   for (size_t i = HEADER_WORDS; i < module->count;) {
      const uint32_t *at = &module->words[i];
      const uint32_t words = length(at);

      if (words == 0 || words > module->count - i) {
         return false;
      }
      if (opcode(at) == SpvOpTypePointer &&
          (words != POINTER_WORDS || at[1] >= module->bound || at[3] >= module->bound)) {
         return false;
      }
      if (opcode(at) == SpvOpVariable && (words < 4 || at[1] >= module->bound || at[2] >= module->bound)) {
         return false;
      }
      i += words;
   }
   return true;
}

/* Collects pointer types and the variables. Returns false if a variable has no initialiser. */
static bool collect(struct module *module)
{
   for (size_t i = HEADER_WORDS; i < module->count; i += length(&module->words[i])) {
      const uint32_t *at = &module->words[i];

      if (opcode(at) == SpvOpFunction) {
         break;
      }
      if (opcode(at) == SpvOpTypePointer) {
         module->ids[at[1]].class = at[2];
         module->ids[at[1]].type = at[3];
         if (at[2] == SpvStorageClassUniformConstant && module->ids[at[3]].constant == 0) {
            module->ids[at[3]].constant = at[1];
         }
      } else if (opcode(at) == SpvOpVariable && at[3] == SpvStorageClassFunction) {
         if (length(at) != VARIABLE_WORDS) {
            return false;
         }
         module->ids[at[2]].moved = module->ids[at[2]].variable = true;
         module->variables++;
      }
   }
   return true;
}

/* Which words of an instruction, from which on, may be identifiers of pointers. For an instruction that is not in the
 * list, all of them. */
static const struct {
   uint32_t opcode, from, words;
} operands[] = {
    {SpvOpName, 0, 0},
    {SpvOpMemberName, 0, 0},
    {SpvOpString, 0, 0},
    {SpvOpSource, 0, 0},
    {SpvOpSourceExtension, 0, 0},
    {SpvOpModuleProcessed, 0, 0},
    {SpvOpExtension, 0, 0},
    {SpvOpExtInstImport, 0, 0},
    {SpvOpCapability, 0, 0},
    {SpvOpMemoryModel, 0, 0},
    {SpvOpEntryPoint, 0, 0},
    {SpvOpExecutionMode, 0, 0},
    {SpvOpDecorate, 0, 0},
    {SpvOpMemberDecorate, 0, 0},
    {SpvOpLine, 0, 0},
    {SpvOpTypeInt, 0, 0},
    {SpvOpTypeFloat, 0, 0},
    {SpvOpTypeVector, 0, 0},
    {SpvOpTypeArray, 0, 0},
    {SpvOpTypeStruct, 0, 0},
    {SpvOpTypeFunction, 0, 0},
    {SpvOpTypePointer, 0, 0},
    {SpvOpConstant, 0, 0},
    {SpvOpVariable, 4, 1},
    {SpvOpFunction, 0, 0},
    {SpvOpLoad, 0, 0}, /* reads it */
    {SpvOpStore, 1, 2},
    {SpvOpCopyMemory, 1, 1},      /* reads the source */
    {SpvOpCopyMemorySized, 1, 1}, /* reads the source */
    {SpvOpExtInst, 5, UINT32_MAX},
    {SpvOpVectorShuffle, 0, 0},
    {SpvOpCompositeExtract, 3, 1},
    {SpvOpCompositeInsert, 3, 2},
    {SpvOpLoopMerge, 0, 0},
    {SpvOpSelectionMerge, 0, 0},
    {SpvOpLabel, 0, 0},
    {SpvOpBranch, 0, 0},
    {SpvOpBranchConditional, 0, 0},
    {SpvOpSwitch, 0, 0},
};

/* Whether the last word of an OpExtInst is a number: the width of a vector, or a rounding mode. */
static bool ends_with_number(const uint32_t *at)
{
   switch (length(at) > 4 ? at[4] : 0) {
   case OpenCLstd_Vloadn:
   case OpenCLstd_Vload_halfn:
   case OpenCLstd_Vloada_halfn:
   case OpenCLstd_Vstore_half_r:
   case OpenCLstd_Vstore_halfn_r:
   case OpenCLstd_Vstorea_halfn_r:
      return true;
   default:
      return false;
   }
}

static bool uses_moved(const struct module *module, const uint32_t *at)
{
   uint32_t from = 1, words = UINT32_MAX;

   for (size_t i = 0; i < ARRAY_COUNT(operands); i++) {
      if (operands[i].opcode == opcode(at)) {
         from = operands[i].from;
         words = operands[i].words;
      }
   }
   const uint32_t end = opcode(at) == SpvOpExtInst && ends_with_number(at) ? length(at) - 1 : length(at);
   for (uint32_t i = from; i < end && i - from < words; i++) {
      if (at[i] < module->bound && module->ids[at[i]].moved) {
         return true;
      }
   }
   return false;
}

/* Whether it derives a pointer from a pointer: result type, result, base, indices. */
static bool is_derivation(const uint32_t *at)
{
   switch (opcode(at)) {
   case SpvOpBitcast:
   case SpvOpCopyObject:
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
   case SpvOpPtrAccessChain:
   case SpvOpInBoundsPtrAccessChain:
      return length(at) >= 4;
   default:
      return false;
   }
}

/* Returns the type's pointer type in UniformConstant, and makes it if needed. 0: it is no pointer to private memory. */
static uint32_t constant_pointer(struct module *module, uint32_t pointer)
{
   if (pointer >= module->bound || module->ids[pointer].type == 0 ||
       module->ids[pointer].class != SpvStorageClassFunction) {
      return 0;
   }
   struct id *pointee = &module->ids[module->ids[pointer].type];
   if (pointee->constant == 0) {
      pointee->constant = module->new_bound++;
   }
   return pointee->constant;
}

/* Follows the pointers. Returns false if one of them may be written through, or used by an unknown instruction. */
static bool follow(struct module *module)
{
   for (size_t i = HEADER_WORDS; i < module->count; i += length(&module->words[i])) {
      const uint32_t *at = &module->words[i];

      if (is_derivation(at) && at[2] < module->bound && at[3] < module->bound && module->ids[at[3]].moved) {
         if (constant_pointer(module, at[1]) == 0) {
            return false;
         }
         module->ids[at[2]].moved = true;
      } else if (opcode(at) == SpvOpVariable && module->ids[at[2]].variable) {
         if (constant_pointer(module, at[1]) == 0 || uses_moved(module, at)) {
            return false;
         }
      } else if (uses_moved(module, at)) {
         return false;
      }
   }
   return true;
}

/* ---- The new module ---- */

static void put(struct module *module, const uint32_t *words, size_t count)
{
   memcpy(&module->out[module->out_count], words, count * sizeof(*words));
   module->out_count += count;
}

static void put_pointer(struct module *module, uint32_t pointee)
{
   const uint32_t id = module->ids[pointee].constant;
   const uint32_t words[POINTER_WORDS] = {POINTER_WORDS << SpvWordCountShift | SpvOpTypePointer, id,
                                          SpvStorageClassUniformConstant, pointee};

   if (!module->ids[id].defined) {
      put(module, words, POINTER_WORDS);
      module->ids[id].defined = true;
   }
}

/* Writes a new pointer type before the first function, or before the variable that needs it, which may come before the
 * module's own. */
static void put_new_pointers(struct module *module)
{
   for (uint32_t i = 0; i < module->bound; i++) {
      if (module->ids[i].constant >= module->bound) {
         put_pointer(module, i);
      }
   }
}

/* Since version 1.4 an entry point lists all variables at module scope. */
static void put_entry_point(struct module *module, const uint32_t *at)
{
   const size_t start = module->out_count;

   put(module, at, length(at));
   for (uint32_t i = 0; i < module->bound && module->words[VERSION_WORD] >= VERSION_1_4; i++) {
      if (module->ids[i].variable) {
         put(module, &i, 1);
      }
   }
   module->out[start] = (uint32_t)(module->out_count - start) << SpvWordCountShift | SpvOpEntryPoint;
}

static void put_instruction(struct module *module, const uint32_t *at)
{
   const size_t start = module->out_count;

   if (opcode(at) == SpvOpEntryPoint) {
      put_entry_point(module, at);
   } else if (opcode(at) == SpvOpTypePointer) {
      if (!module->ids[at[1]].defined) {
         put(module, at, length(at));
         module->ids[at[1]].defined = true;
      }
   } else if (opcode(at) == SpvOpVariable && module->ids[at[2]].variable) {
      const uint32_t pointee = module->ids[at[1]].type;

      put_pointer(module, pointee);
      put(module, at, length(at));
      module->out[module->out_count - VARIABLE_WORDS + 1] = module->ids[pointee].constant;
      module->out[module->out_count - VARIABLE_WORDS + 3] = SpvStorageClassUniformConstant;
   } else {
      put(module, at, length(at));
      if (is_derivation(at) && module->ids[at[2]].moved) {
         module->out[start + 1] = module->ids[module->ids[at[1]].type].constant;
      }
   }
}

static int rewrite(struct module *module)
{
   size_t room = module->count + (size_t)(module->new_bound - module->bound) * POINTER_WORDS, functions = 0;

   for (size_t i = HEADER_WORDS; i < module->count; i += length(&module->words[i])) {
      room += opcode(&module->words[i]) == SpvOpEntryPoint ? module->variables : 0;
   }
   module->out = malloc(room * sizeof(*module->out));
   if (module->out == NULL) {
      return -ENOMEM;
   }
   put(module, module->words, HEADER_WORDS);
   module->out[BOUND_WORD] = module->new_bound;
   for (size_t i = HEADER_WORDS; i < module->count; i += length(&module->words[i])) {
      if (opcode(&module->words[i]) == SpvOpFunction && functions++ == 0) {
         put_new_pointers(module);
      }
      put_instruction(module, &module->words[i]);
   }
   return 1;
}

int compiler_constinit_mend(const uint32_t *words, size_t count, uint32_t **mended, size_t *mended_count)
{
   struct module module = {.words = words, .count = count};

   if (count < HEADER_WORDS || words[BOUND_WORD] > BOUND_MAX) {
      return 0;
   }
   module.bound = module.new_bound = words[BOUND_WORD];
   /* each pointer type gets at most one new type */
   module.ids = calloc((size_t)module.bound * 2 + 1, sizeof(*module.ids));
   if (module.ids == NULL) {
      return -ENOMEM;
   }
   int ret = is_well_formed(&module) && collect(&module) && module.variables > 0 && follow(&module);
   if (ret == 1) {
      ret = rewrite(&module);
   }
   free(module.ids);
   if (ret == 1) {
      *mended = module.out;
      *mended_count = module.out_count;
   }
   return ret;
}
