/* SPDX-License-Identifier: MIT
 *
 * The assembler's symbols: constants and labels by name. Names point into the source text; nothing is copied.
 */
#include "isa/assembler/parse.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static bool same(struct isa_word a, struct isa_word b)
{
   return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

bool isa_word_is(struct isa_word word, const char *text)
{
   if (word.length != 0 && *word.text != *text) {
      return false;
   }
   return strncmp(word.text, text, word.length) == 0 && text[word.length] == '\0';
}

void isa_symbols_finish(struct isa_symbols *symbols)
{
   util_hash_finish(&symbols->by_name);
   free(symbols->symbols);
}

struct isa_symbol *isa_symbols_find(const struct isa_symbols *symbols, struct isa_word name)
{
   uint32_t entry, hash = util_hash_bytes(name.text, name.length);
   for (struct util_hash_probe probe = util_hash_find(&symbols->by_name, hash); util_hash_next(&probe, &entry);) {
      if (same(symbols->symbols[entry].name, name)) {
         return &symbols->symbols[entry];
      }
   }
   return NULL;
}

struct isa_symbol *isa_symbols_add(struct isa_symbols *symbols, struct isa_word name)
{
   if (!ARRAY_RESERVE(symbols->symbols, symbols->capacity, symbols->count + 1)) {
      return NULL;
   }
   if (!util_hash_add(&symbols->by_name, util_hash_bytes(name.text, name.length), symbols->count)) {
      return NULL;
   }
   struct isa_symbol *symbol = &symbols->symbols[symbols->count++];
   *symbol = (struct isa_symbol){.name = name};
   return symbol;
}

bool isa_symbols_constant(const struct isa_symbols *symbols, struct isa_word name, struct isa_number *value)
{
   for (unsigned i = symbols->repeat_depth; i-- > 0;) {
      if (symbols->repeats[i].name.length != 0 && same(symbols->repeats[i].name, name)) {
         *value = (struct isa_number){.integer = symbols->repeats[i].value};
         return true;
      }
   }
   const struct isa_symbol *symbol = isa_symbols_find(symbols, name);
   if (symbol == NULL || symbol->kind == ISA_SYMBOL_LABEL) {
      return false;
   }
   *value = symbol->value;
   return true;
}
