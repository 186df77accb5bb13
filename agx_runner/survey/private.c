/* SPDX-License-Identifier: MIT
 *
 * Removes the names of this machine and of its user from texts. Names that every machine has (root, localhost), and
 * names with fewer than three characters, remain.
 */
#include "agx_runner/survey/private.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

#define REMOVED "[removed]"

static bool is_name(const char *word)
{
   static const char *const everywhere[] = {"root", "/root", "localhost"};

   for (size_t i = 0; i < ARRAY_COUNT(everywhere); i++) {
      if (!strcmp(word, everywhere[i])) {
         return false;
      }
   }
   return strlen(word) >= 3;
}

struct private_words private_words(void)
{
   static char host[256];
   const struct passwd *user = getpwuid(getuid());
   /* the home folder comes first, because it usually contains the user's name */
   const char *all[PRIVATE_WORDS] = {user != NULL ? user->pw_dir : NULL, user != NULL ? user->pw_name : NULL,
                                     gethostname(host, sizeof(host) - 1) == 0 ? host : NULL};
   struct private_words private = {0};

   for (size_t i = 0; i < PRIVATE_WORDS; i++) {
      if (all[i] != NULL && is_name(all[i])) {
         private.words[private.count++] = all[i];
      }
   }
   return private;
}

static bool in_word(char c)
{
   return isalnum((unsigned char)c) || c == '_';
}

static bool stands_at(const char *text, size_t size, size_t at, const char *word)
{
   const size_t length = strlen(word);

   return at + length <= size && !memcmp(text + at, word, length) && (at == 0 || !in_word(text[at - 1])) &&
          (at + length == size || !in_word(text[at + length]));
}

int private_remove(const struct private_words *private, char **text, size_t *size)
{
   char *result = NULL;
   size_t result_size = 0;

   FILE *out = open_memstream(&result, &result_size);
   if (out == NULL) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < *size;) {
      size_t word = 0;

      while (word < private->count && !stands_at(*text, *size, i, private->words[word])) {
         word++;
      }
      if (word < private->count) {
         fputs(REMOVED, out);
         i += strlen(private->words[word]);
      } else {
         fputc((*text)[i++], out);
      }
   }
   if (fclose(out) != 0) {
      free(result);
      return -ENOMEM;
   }
   free(*text);
   *text = result;
   *size = result_size;
   return 0;
}

static int remove_from_string(const struct private_words *private, struct json_object *value)
{
   const char *was = json_object_get_string(value);
   const bool sentence = strchr(was, ' ') != NULL || was[0] == '/';
   size_t size = strlen(was);
   struct private_words removed = {0};

   for (size_t i = 0; i < private->count; i++) {
      if (sentence || private->words[i][0] == '/') {
         removed.words[removed.count++] = private->words[i];
      }
   }
   char *text = strdup(was);
   int ret = text == NULL ? -ENOMEM : private_remove(&removed, &text, &size);
   if (ret == 0 && json_object_set_string_len(value, text, (int)size) != 1) {
      ret = -ENOMEM;
   }
   free(text);
   return ret;
}

int private_remove_json(const struct private_words *private, struct json_object *value)
{
   int ret = 0;

   switch (json_object_get_type(value)) {
   case json_type_string:
      return remove_from_string(private, value);
   case json_type_array:
      for (size_t i = 0; ret == 0 && i < json_object_array_length(value); i++) {
         ret = private_remove_json(private, json_object_array_get_idx(value, i));
      }
      return ret;
   case json_type_object: {
      json_object_object_foreach(value, key, member)
      {
         (void)key;
         ret = ret == 0 ? private_remove_json(private, member) : ret;
      }
      return ret;
   }
   default:
      return 0;
   }
}
