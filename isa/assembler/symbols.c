/* SPDX-License-Identifier: MIT
 *
 * The assembler's symbols: constants and labels by name. Names point into the source text; nothing is copied.
 */
#include "isa/assembler/parse.h"

#include <stdlib.h>
#include <string.h>

uint32_t isa_word_hash(struct isa_word word)
{
   uint32_t hash = 2166136261u; /* FNV-1a */
   for (size_t i = 0; i < word.length; i++) {
      hash = (hash ^ (uint8_t)word.text[i]) * 16777619u;
   }
   return hash ^ hash >> 15;
}

static bool same(struct isa_word a, struct isa_word b)
{
   return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

bool isa_word_is(struct isa_word word, const char *text)
{
   return strncmp(word.text, text, word.length) == 0 && text[word.length] == '\0';
}

void isa_symbols_finish(struct isa_symbols *symbols)
{
   free(symbols->slots);
}

/* Where the name is, or would go. There is always a free slot. */
static struct isa_symbol *slot_of(struct isa_symbol *slots, size_t capacity, struct isa_word name)
{
   size_t at = isa_word_hash(name) & (capacity - 1);
   while (slots[at].name.text != NULL && !same(slots[at].name, name)) {
      at = (at + 1) & (capacity - 1);
   }
   return &slots[at];
}

struct isa_symbol *isa_symbols_find(const struct isa_symbols *symbols, struct isa_word name)
{
   if (symbols->capacity == 0) {
      return NULL;
   }
   struct isa_symbol *slot = slot_of(symbols->slots, symbols->capacity, name);
   return slot->name.text != NULL ? slot : NULL;
}

static bool grow(struct isa_symbols *symbols)
{
   size_t capacity = symbols->capacity == 0 ? 64 : symbols->capacity * 2;
   struct isa_symbol *slots = calloc(capacity, sizeof(*slots));
   if (slots == NULL) {
      return false;
   }
   for (size_t i = 0; i < symbols->capacity; i++) {
      if (symbols->slots[i].name.text != NULL) {
         *slot_of(slots, capacity, symbols->slots[i].name) = symbols->slots[i];
      }
   }
   free(symbols->slots);
   symbols->slots = slots;
   symbols->capacity = capacity;
   return true;
}

struct isa_symbol *isa_symbols_add(struct isa_symbols *symbols, struct isa_word name)
{
   if ((symbols->count + 1) * 2 > symbols->capacity && !grow(symbols)) {
      return NULL;
   }
   struct isa_symbol *slot = slot_of(symbols->slots, symbols->capacity, name);
   slot->name = name;
   symbols->count++;
   return slot;
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
