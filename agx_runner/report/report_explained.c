/* SPDX-License-Identifier: MIT
 *
 * Copies pages of `explain --format html` into the report. Invariant: only elements and attributes that explain writes
 * are copied, each element is closed, every link leads into its own part, and no two parts share an id. A file with
 * anything else is refused, so that no file brings a script or an address into the report.
 */
#include "agx_runner/report/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/explain/explain.h"
#include "util/array.h"

#define DEPTH_MOST 32
#define NAME_SIZE 24

static const char *const elements[] = {"section", "h2",    "p",    "ol",  "li",   "strong",  "table",
                                       "tr",      "th",    "td",   "div", "span", "svg",     "g",
                                       "rect",    "title", "text", "pre", "a",    "details", "summary"};
/* data-NAME, id, href and style are allowed, too, each by its own rule. */
static const char *const attributes[] = {"class",   "width", "height",  "x",          "y",
                                         "viewBox", "role",  "colspan", "aria-label", "preserveAspectRatio"};

/* A walk through one page. */
struct walk {
   const char *at;
   unsigned page;                    /* number, for ids */
   char open[DEPTH_MOST][NAME_SIZE]; /* the elements around */
   unsigned depth;
   FILE *out;
};

static bool is_listed(const char *name, const char *const *list, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      if (strcmp(name, list[i]) == 0) {
         return true;
      }
   }
   return false;
}

/* A name of letters, digits and dashes. */
static bool read_name(struct walk *walk, char *name)
{
   size_t length = 0;

   while ((isalnum((unsigned char)*walk->at) || *walk->at == '-') && length + 1 < NAME_SIZE) {
      name[length++] = *walk->at++;
   }
   name[length] = '\0';
   return length > 0 && !isalnum((unsigned char)*walk->at) && *walk->at != '-';
}

/* Whether the value of `length` bytes is one that explain writes there. */
static bool is_allowed(const char *name, const char *value, size_t length)
{
   static const char heat[] = "--heat:";

   if (strcmp(name, "href") == 0) {
      return length > 1 && value[0] == '#';
   }
   if (strcmp(name, "style") == 0) {
      return length > strlen(heat) && strncmp(value, heat, strlen(heat)) == 0 &&
             strspn(value + strlen(heat), "0123456789%") == length - strlen(heat);
   }
   return strcmp(name, "id") == 0 || strncmp(name, "data-", 5) == 0 ||
          is_listed(name, attributes, ARRAY_COUNT(attributes));
}

/* ` name="value"`, copied; ids and links get the page's prefix. */
static bool copy_attribute(struct walk *walk)
{
   char name[NAME_SIZE];

   walk->at++;
   if (!read_name(walk, name) || strncmp(walk->at, "=\"", 2) != 0) {
      return false;
   }
   const char *value = walk->at + 2;
   const size_t length = strcspn(value, "\"<");
   if (value[length] != '"' || !is_allowed(name, value, length)) {
      return false;
   }
   walk->at = value + length + 1;
   if (strcmp(name, "href") == 0) {
      fprintf(walk->out, " href=\"#k%u-%.*s\"", walk->page, (int)length - 1, value + 1);
   } else if (strcmp(name, "id") == 0) {
      fprintf(walk->out, " id=\"k%u-%.*s\"", walk->page, (int)length, value);
   } else {
      fprintf(walk->out, " %s=\"%.*s\"", name, (int)length, value);
   }
   return true;
}

static bool copy_end(struct walk *walk)
{
   char name[NAME_SIZE];

   walk->at += 2;
   if (!read_name(walk, name) || *walk->at != '>' || walk->depth == 0 ||
       strcmp(walk->open[walk->depth - 1], name) != 0) {
      return false;
   }
   walk->at++;
   walk->depth--;
   fprintf(walk->out, "</%s>", name);
   return true;
}

static bool copy_start(struct walk *walk)
{
   char name[NAME_SIZE];

   walk->at++;
   if (!read_name(walk, name) || !is_listed(name, elements, ARRAY_COUNT(elements))) {
      return false;
   }
   fprintf(walk->out, "<%s", name);
   while (*walk->at == ' ') {
      if (!copy_attribute(walk)) {
         return false;
      }
   }
   if (strncmp(walk->at, "/>", 2) == 0) {
      walk->at += 2;
      fputs("/>", walk->out);
      return true;
   }
   if (*walk->at != '>' || walk->depth == DEPTH_MOST) {
      return false;
   }
   walk->at++;
   strcpy(walk->open[walk->depth++], name);
   fputc('>', walk->out);
   return true;
}

/* Everything up to </main>. */
static bool copy_main(struct walk *walk)
{
   while (*walk->at != '\0') {
      if (*walk->at != '<') {
         const size_t length = strcspn(walk->at, "<");

         fwrite(walk->at, 1, length, walk->out);
         walk->at += length;
      } else if (strncmp(walk->at, "</main>", 7) == 0) {
         return walk->depth == 0;
      } else if (!(walk->at[1] == '/' ? copy_end(walk) : copy_start(walk))) {
         return false;
      }
   }
   return false;
}

/* Returns a copy of the value of ` data-NAME="..."`, still escaped, and moves `at` behind it; NULL: there is none. */
static char *take(const char **at, const char *name)
{
   char start[NAME_SIZE];

   snprintf(start, sizeof(start), " data-%s=\"", name);
   if (strncmp(*at, start, strlen(start)) != 0) {
      return NULL;
   }
   const char *value = *at + strlen(start);
   const size_t length = strcspn(value, "\"<");
   *at = value + length + 1;
   return value[length] == '"' ? strndup(value, length) : NULL;
}

static bool read_page(struct report_page *page, const char *text, unsigned number)
{
   static const char start[] = "<main";
   const char *at = strstr(text, start);
   size_t size;

   if (at == NULL) {
      return false;
   }
   at += strlen(start);
   page->kernel = take(&at, "kernel");
   page->device = page->kernel != NULL ? take(&at, "device") : NULL;
   page->cycles = page->device != NULL ? take(&at, "total") : NULL;
   page->finding = page->cycles != NULL ? take(&at, "finding") : NULL;
   if (page->finding == NULL || *at != '>') {
      return false;
   }
   struct walk walk = {.at = at + 1, .page = number, .out = open_memstream(&page->body, &size)};
   const bool copied = walk.out != NULL && copy_main(&walk);
   return walk.out != NULL && fclose(walk.out) == 0 && copied;
}

int report_pages_add(struct report_pages *pages, const char *text)
{
   if (!ARRAY_RESERVE_ONE(pages->list, pages->count)) {
      return -ENOMEM;
   }
   pages->list[pages->count] = (struct report_page){0};
   pages->count++;
   return read_page(&pages->list[pages->count - 1], text, (unsigned)pages->count) ? 0 : -EINVAL;
}

void report_pages_finish(struct report_pages *pages)
{
   for (size_t i = 0; i < pages->count; i++) {
      free(pages->list[i].kernel);
      free(pages->list[i].device);
      free(pages->list[i].cycles);
      free(pages->list[i].finding);
      free(pages->list[i].body);
   }
   free(pages->list);
   *pages = (struct report_pages){0};
}

void report_explained(const struct report_pages *pages, FILE *file)
{
   if (pages == NULL || pages->count == 0) {
      return;
   }
   fprintf(
       file,
       "<style>\n%s</style>\n<h2>Kernels explained</h2>\n<p class=\"soft\">Where their cycles go, by the timing model "
       "of a virtual device: " RESULT_VIRTUAL_NOTE ".</p>\n<table class=\"kernels\">\n<tr><th>kernel</th>"
       "<th>device</th><th class=\"num\">cycles</th><th>what would help most</th></tr>\n",
       explain_style);
   for (size_t i = 0; i < pages->count; i++) {
      const struct report_page *page = &pages->list[i];

      fprintf(file, "<tr><td><a href=\"#k%zu\">%s</a></td><td>%s</td><td class=\"num\">%s</td><td>%s</td></tr>\n",
              i + 1, page->kernel, page->device, page->cycles, page->finding);
   }
   fputs("</table>\n", file);
   for (size_t i = 0; i < pages->count; i++) {
      fprintf(file, "<details class=\"explained\" id=\"k%zu\"><summary>%s</summary>\n", i + 1, pages->list[i].kernel);
      fputs(pages->list[i].body, file);
      fputs("</details>\n", file);
   }
}
