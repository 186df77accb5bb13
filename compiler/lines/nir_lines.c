/* SPDX-License-Identifier: MIT
 *
 * The source place of each NIR instruction, in a table by address. Invariant: an instruction's place is that of the
 * SPIR-V instruction from which it was made. An instruction that a pass makes gets the place of the one beside which
 * it is inserted, and a copy gets that of its original. An instruction at a block's end, or beside one without a
 * place, gets the nearest place and is marked as inferred: a value that comes from several blocks belongs to none of
 * the lines around it.
 */
#include "compiler/lines/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_control_flow.h"
#include "compiler/spirv/spirv.h"
#include "util/hash_table.h"
#include "util/u_dynarray.h"

#include "compiler/lines/table.h"

#define SPIRV_HEADER_WORDS 5
#define NEAR 32  /* most instructions that are searched */
#define BESIDE 4 /* most blocks that are searched */

struct place {
   uint32_t file; /* byte offset in `files` */
   uint32_t line, column;
   uint32_t operation; /* byte offset in `files`; 0: none */
};

/* One table for the process, like the compilation. */
static struct {
   bool on;
   const uint32_t *words; /* the SPIR-V */
   size_t word_count;
   uint32_t *line_words;        /* by the first word of an instruction: the word of its OpLine; 0: it has none */
   uint32_t call;               /* mark of the call that is being inlined */
   uint32_t last;               /* mark of the instruction that was inserted last */
   const nir_block *last_block; /* its block at that time, which may have been freed */
   struct hash_table *places;   /* const nir_instr * to a mark: compiler_place * 2 + COMPILER_INFERRED */
   struct util_dynarray known;  /* struct place, by compiler_place - 1 */
   struct util_dynarray files;  /* names with their terminating zeros */
   struct util_dynarray output; /* struct agx_line */
} table;

bool compiler_lines_is_on(void)
{
   return table.on;
}

uint32_t compiler_lines_of(const nir_instr *instr)
{
   const struct hash_entry *entry = instr != NULL ? _mesa_hash_table_search(table.places, instr) : NULL;

   return entry != NULL ? (uint32_t)(uintptr_t)entry->data : 0;
}

static void set(const nir_instr *instr, uint32_t mark)
{
   if (mark > COMPILER_INFERRED) {
      _mesa_hash_table_insert(table.places, instr, (void *)(uintptr_t)mark);
   } else {
      _mesa_hash_table_remove_key(table.places, instr);
   }
}

/* ---- Places ---- */

/* Returns the byte offset of the name in `files`. */
static uint32_t find_file(const char *name)
{
   const char *files = table.files.data;
   const size_t length = strlen(name) + 1;

   for (unsigned at = 0; at < table.files.size; at += (unsigned)strlen(files + at) + 1) {
      if (strcmp(files + at, name) == 0) {
         return at;
      }
   }
   const uint32_t at = table.files.size;
   char *copy = util_dynarray_grow(&table.files, char, (unsigned)length);
   if (copy != NULL) {
      memcpy(copy, name, length);
   }
   return copy != NULL ? at : 0;
}

static uint32_t opcode(uint32_t word)
{
   return word & SpvOpCodeMask;
}

static bool ends_block(uint32_t op)
{
   return op == SpvOpBranch || op == SpvOpBranchConditional || op == SpvOpSwitch || op == SpvOpReturn ||
          op == SpvOpReturnValue || op == SpvOpUnreachable || op == SpvOpFunctionEnd;
}

/* Finds the OpLine of each instruction, which ends with its block. spirv_to_nir() ignores that end, and gives
 * instructions without a line the line that it read last. */
static bool find_line_words(const uint32_t *words, size_t count)
{
   size_t line = 0, length;

   table.line_words = calloc(count, sizeof(*table.line_words));
   for (size_t i = SPIRV_HEADER_WORDS; table.line_words != NULL && i < count; i += length) {
      const uint32_t op = opcode(words[i]);

      length = words[i] >> SpvWordCountShift;
      if (length == 0 || length > count - i) {
         break;
      }
      if (op == SpvOpLine && length == 4) {
         line = i;
      } else if (op == SpvOpNoLine) {
         line = 0;
      }
      table.line_words[i] = (uint32_t)line;
      line = ends_block(op) ? 0 : line;
   }
   return table.line_words != NULL;
}

static compiler_place find_place(const nir_debug_info_instr *info)
{
   const struct nir_debug_info_instr *file =
       info->src_loc.line != 0 ? nir_src_as_debug_info(info->src_loc.filename) : NULL;

   if (file == NULL) {
      return 0;
   }
   const size_t word = info->src_loc.spirv_offset / sizeof(*table.words);
   const uint32_t line = word < table.word_count ? table.line_words[word] : 0;
   if (line == 0) {
      return 0;
   }
   const char *operation = compiler_lines_operation(table.words, table.word_count, word);
   const struct place place = {.file = find_file(file->string),
                               .line = table.words[line + 2],
                               .column = table.words[line + 3],
                               .operation = operation != NULL ? find_file(operation) : 0};
   const unsigned count = util_dynarray_num_elements(&table.known, struct place);
   if (count > 0 && memcmp(util_dynarray_element(&table.known, struct place, count - 1), &place, sizeof(place)) == 0) {
      return count;
   }
   util_dynarray_append(&table.known, struct place, place);
   return count + 1;
}

/* ---- Calls that the linker sends here ---- */

void *__real_gc_alloc_size(gc_ctx *ctx, size_t size, size_t alignment);
void *__wrap_gc_alloc_size(gc_ctx *ctx, size_t size, size_t alignment);
void *__real_gc_zalloc_size(gc_ctx *ctx, size_t size, size_t alignment);
void *__wrap_gc_zalloc_size(gc_ctx *ctx, size_t size, size_t alignment);
void __real_nir_instr_insert(nir_cursor cursor, nir_instr *instr);
void __wrap_nir_instr_insert(nir_cursor cursor, nir_instr *instr);
void __real_nir_instr_remove_v(nir_instr *instr);
void __wrap_nir_instr_remove_v(nir_instr *instr);
nir_instr *__real_nir_instr_clone(nir_shader *nir, const nir_instr *original);
nir_instr *__wrap_nir_instr_clone(nir_shader *nir, const nir_instr *original);
nir_instr *__real_nir_instr_clone_deep(nir_shader *nir, const nir_instr *original, struct hash_table *remap);
nir_instr *__wrap_nir_instr_clone_deep(nir_shader *nir, const nir_instr *original, struct hash_table *remap);
void __real_nir_cf_list_clone(nir_cf_list *to, nir_cf_list *from, nir_cf_node *parent, struct hash_table *remap);
void __wrap_nir_cf_list_clone(nir_cf_list *to, nir_cf_list *from, nir_cf_node *parent, struct hash_table *remap);
nir_function_impl *__real_nir_function_impl_clone(nir_shader *nir, const nir_function_impl *original);
nir_function_impl *__wrap_nir_function_impl_clone(nir_shader *nir, const nir_function_impl *original);

/* Removes a mark, because memory of a freed instruction may be reused for another one. */
static void *fresh(void *memory)
{
   if (table.on) {
      _mesa_hash_table_remove_key(table.places, memory);
   }
   return memory;
}

void *__wrap_gc_alloc_size(gc_ctx *ctx, size_t size, size_t alignment)
{
   return fresh(__real_gc_alloc_size(ctx, size, alignment));
}

void *__wrap_gc_zalloc_size(gc_ctx *ctx, size_t size, size_t alignment)
{
   return fresh(__real_gc_zalloc_size(ctx, size, alignment));
}

/* Returns the mark of the nearest instruction that has one, from `instr` on: inferred unless it is `instr` itself. */
static uint32_t nearest(nir_instr *instr, nir_instr *next(nir_instr *))
{
   uint32_t mark = 0, doubt = 0;

   for (unsigned i = 0; i < NEAR && instr != NULL && mark == 0; i++) {
      mark = compiler_lines_of(instr);
      mark |= mark != 0 ? doubt : 0;
      doubt = COMPILER_INFERRED;
      instr = next(instr);
   }
   return mark;
}

/* Returns the function of the block; NULL: it is in none, because a pass has cut it out. */
static const nir_function_impl *function_of(nir_block *block)
{
   nir_cf_node *node = &block->cf_node;

   while (node != NULL && node->type != nir_cf_node_function) {
      node = node->parent;
   }
   return node != NULL ? nir_cf_node_as_function(node) : NULL;
}

/* Returns the previous or next block; NULL: there is none. Before control flow has structure, a function is a list of
 * blocks. */
static nir_block *beside(nir_block *block, bool behind)
{
   const nir_function_impl *function = block != NULL ? function_of(block) : NULL;

   if (function == NULL) {
      return NULL;
   }
   if (function->structured) {
      return behind ? nir_block_cf_tree_next(block) : nir_block_cf_tree_prev(block);
   }
   nir_cf_node *node = behind ? nir_cf_node_next(&block->cf_node) : nir_cf_node_prev(&block->cf_node);
   return node != NULL ? nir_cf_node_as_block(node) : NULL;
}

/* Whether the last instruction was inserted into this block or a neighbour, where a pass that replaces an instruction
 * by control flow continues. */
static bool goes_on_in(nir_block *block)
{
   nir_block *before = block, *after = block;

   for (unsigned i = 0; i < BESIDE && (before != NULL || after != NULL); i++) {
      if (table.last_block != NULL && (before == table.last_block || after == table.last_block)) {
         return true;
      }
      before = beside(before, false);
      after = beside(after, true);
   }
   return false;
}

/* Returns the place of all values of the phi, if control flow replaces one instruction; 0: they have several places. */
static uint32_t mark_of_phi(nir_instr *instr)
{
   uint32_t mark = 0;

   nir_foreach_phi_src(source, nir_instr_as_phi(instr))
   {
      const uint32_t own = compiler_lines_of(source->src.ssa->parent_instr) | COMPILER_INFERRED;

      if (own == COMPILER_INFERRED || (mark != 0 && own != mark)) {
         return 0;
      }
      mark = own;
   }
   return mark;
}

static uint32_t mark_at(nir_cursor cursor, nir_instr *instr)
{
   const bool phi = instr->type == nir_instr_type_phi;
   const uint32_t sources = phi ? mark_of_phi(instr) : 0;
   const bool goes_on = !phi && (cursor.option == nir_cursor_before_block || cursor.option == nir_cursor_after_block) &&
                        goes_on_in(cursor.block);

   if (sources != 0) {
      return sources;
   }
   switch (cursor.option) {
   case nir_cursor_before_block:
      return (goes_on ? table.last : nearest(nir_block_first_instr(cursor.block), nir_instr_next)) | COMPILER_INFERRED;
   case nir_cursor_before_instr:
      return nearest(cursor.instr, nir_instr_next);
   case nir_cursor_after_block:
      return (goes_on ? table.last : nearest(nir_block_last_instr(cursor.block), nir_instr_prev)) | COMPILER_INFERRED;
   default:
      return nearest(cursor.instr, nir_instr_prev);
   }
}

/* An instruction at the start of a block has no line before it: OpPhi becomes values from other blocks. It gets the
 * block's first line. */
static void set_before(nir_instr *instr, uint32_t mark)
{
   while (instr != NULL && compiler_lines_of(instr) == 0) {
      set(instr, mark | COMPILER_INFERRED);
      instr = nir_instr_prev(instr);
   }
}

void __wrap_nir_instr_insert(nir_cursor cursor, nir_instr *instr)
{
   if (table.on) {
      if (instr->type == nir_instr_type_debug_info && nir_instr_as_debug_info(instr)->type == nir_debug_info_src_loc) {
         const uint32_t mark = find_place(nir_instr_as_debug_info(instr)) * 2;

         set(instr, mark);
         if (cursor.option == nir_cursor_after_instr && mark != 0) {
            set_before(cursor.instr, mark);
         }
      } else if (compiler_lines_of(instr) == 0) {
         set(instr, mark_at(cursor, instr));
      }
   }
   __real_nir_instr_insert(cursor, instr);
   if (table.on) {
      table.last = compiler_lines_of(instr);
      table.last_block = instr->block;
   }
}

void __wrap_nir_instr_remove_v(nir_instr *instr)
{
   if (table.on && instr->type == nir_instr_type_call) {
      table.call = compiler_lines_of(instr);
   }
   __real_nir_instr_remove_v(instr);
}

static nir_instr *copied(nir_instr *copy, const nir_instr *original)
{
   if (table.on) {
      set(copy, compiler_lines_of(original));
   }
   return copy;
}

nir_instr *__wrap_nir_instr_clone(nir_shader *nir, const nir_instr *original)
{
   return copied(__real_nir_instr_clone(nir, original), original);
}

nir_instr *__wrap_nir_instr_clone_deep(nir_shader *nir, const nir_instr *original, struct hash_table *remap)
{
   return copied(__real_nir_instr_clone_deep(nir, original, remap), original);
}

/* Copies the marks between two blocks with the same instructions. */
static void copy_block(nir_block *to, nir_block *from, uint32_t otherwise)
{
   nir_instr *instr = nir_block_first_instr(to);

   nir_foreach_instr (original, from) {
      if (instr == NULL) {
         return;
      }
      const uint32_t mark = compiler_lines_of(original);
      set(instr, mark != 0 ? mark : otherwise);
      instr = nir_instr_next(instr);
   }
}

static void copy_list(struct exec_list *to, struct exec_list *from)
{
   struct exec_node *node = exec_list_get_head(to);

   foreach_list_typed(nir_cf_node, original, node, from)
   {
      nir_cf_node *copy = exec_node_data(nir_cf_node, node, node);

      if (exec_node_is_tail_sentinel(node) || copy->type != original->type) {
         return;
      }
      if (copy->type == nir_cf_node_block) {
         copy_block(nir_cf_node_as_block(copy), nir_cf_node_as_block(original), 0);
      } else if (copy->type == nir_cf_node_if) {
         copy_list(&nir_cf_node_as_if(copy)->then_list, &nir_cf_node_as_if(original)->then_list);
         copy_list(&nir_cf_node_as_if(copy)->else_list, &nir_cf_node_as_if(original)->else_list);
      } else if (copy->type == nir_cf_node_loop) {
         copy_list(&nir_cf_node_as_loop(copy)->body, &nir_cf_node_as_loop(original)->body);
         copy_list(&nir_cf_node_as_loop(copy)->continue_list, &nir_cf_node_as_loop(original)->continue_list);
      }
      node = exec_node_get_next(node);
   }
}

void __wrap_nir_cf_list_clone(nir_cf_list *to, nir_cf_list *from, nir_cf_node *parent, struct hash_table *remap)
{
   __real_nir_cf_list_clone(to, from, parent, remap);
   if (table.on && !exec_list_is_empty(&from->list)) {
      copy_list(&to->list, &from->list);
   }
}

/* An instruction without a line of its own, such as those of libclc, gets the line of the call. */
nir_function_impl *__wrap_nir_function_impl_clone(nir_shader *nir, const nir_function_impl *original)
{
   nir_function_impl *copy = __real_nir_function_impl_clone(nir, original);

   if (table.on) {
      nir_block *from = nir_start_block((nir_function_impl *)(uintptr_t)original);

      nir_foreach_block (to, copy) {
         if (from != NULL) {
            copy_block(to, from, table.call);
            from = nir_block_cf_tree_next(from);
         }
      }
      table.call = 0;
   }
   return copy;
}

/* ---- A kernel ---- */

bool compiler_lines_start(const uint32_t *words, size_t count)
{
   compiler_lines_stop();
   table.words = words;
   table.word_count = count;
   table.places = _mesa_pointer_hash_table_create(NULL);
   util_dynarray_init(&table.known, NULL);
   util_dynarray_init(&table.files, NULL);
   util_dynarray_init(&table.output, NULL);
   table.on = true;
   if (!find_line_words(words, count) || table.places == NULL) {
      compiler_lines_stop();
   }
   return table.on;
}

void compiler_lines_stop(void)
{
   if (!table.on) {
      return;
   }
   compiler_lines_backend_stop();
   _mesa_hash_table_destroy(table.places, NULL);
   util_dynarray_fini(&table.known);
   util_dynarray_fini(&table.files);
   util_dynarray_fini(&table.output);
   free(table.line_words);
   memset(&table, 0, sizeof(table));
}

static void remove_type(nir_shader *nir, nir_debug_info_type type)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr_safe(instr, block)
         {
            if (instr->type == nir_instr_type_debug_info && nir_instr_as_debug_info(instr)->type == type) {
               nir_instr_remove(instr);
            }
         }
      }
   }
}

void compiler_lines_strip(nir_shader *nir)
{
   remove_type(nir, nir_debug_info_src_loc);
   remove_type(nir, nir_debug_info_string); /* the names of files, to which the types above refer */
}

void compiler_lines_add(uint32_t offset, compiler_place place, bool inferred)
{
   if (place == 0) {
      return;
   }
   const struct place *known = util_dynarray_element(&table.known, struct place, place - 1);
   const struct agx_line line = {.offset = offset,
                                 .line = known->line,
                                 .column = known->column,
                                 .file = known->file,
                                 .operation = known->operation,
                                 .inferred = inferred};
   util_dynarray_append(&table.output, struct agx_line, line);
}

bool compiler_lines_find(const nir_instr *instr, struct compiler_source_place *place)
{
   const compiler_place index = table.on ? compiler_lines_of(instr) / 2 : 0; /* without COMPILER_INFERRED */

   if (index == 0) {
      return false;
   }
   const struct place *known = util_dynarray_element(&table.known, struct place, index - 1);
   *place = (struct compiler_source_place){
       .file = (const char *)table.files.data + known->file, .line = known->line, .column = known->column};
   return true;
}

int compiler_lines_fill(struct agx_program *program)
{
   if (!table.on || table.output.size == 0) {
      return 0;
   }
   program->lines = malloc(table.output.size);
   program->line_files = malloc(table.files.size);
   if (program->lines == NULL || program->line_files == NULL) {
      return -ENOMEM;
   }
   memcpy(program->lines, table.output.data, table.output.size);
   memcpy(program->line_files, table.files.data, table.files.size);
   program->line_count = util_dynarray_num_elements(&table.output, struct agx_line);
   program->line_files_size = table.files.size;
   return 0;
}
