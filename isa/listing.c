/* SPDX-License-Identifier: MIT
 *
 * Listings: labels first, then lines.
 */
#include "isa/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "isa/table.h"
#include "util/array.h"

/* Offsets that branches go to, ascending, each once. */
struct targets {
   size_t *offsets;
   size_t count, capacity;
};

static int add_target(struct targets *targets, size_t offset)
{
   if (!ARRAY_RESERVE(targets->offsets, targets->capacity, targets->count + 1)) {
      return -ENOMEM;
   }
   targets->offsets[targets->count++] = offset;
   return 0;
}

static int compare_offsets(const void *a, const void *b)
{
   size_t x = *(const size_t *)a, y = *(const size_t *)b;
   return (x > y) - (x < y);
}

/* The offset that the branch at `at` goes to; false when that is not within the code. */
static bool branch_target(const struct isa_insn *insn, size_t at, size_t size, size_t *target)
{
   int64_t distance = insn->mod[ISA_MOD_TARGET];
   if (!isa_is_branch(insn) || (distance < 0 && (uint64_t)-distance > at) ||
       (distance >= 0 && (uint64_t)distance > size - at)) {
      return false;
   }
   *target = at + (size_t)distance;
   return true;
}

/* Keeps those targets at which an instruction starts, or which are the end of the code. */
static void keep_starts(const struct isa_set *set, struct targets *targets, const uint8_t *code, size_t size)
{
   struct isa_insn insn;
   size_t kept = 0, next = 0, at = 0;

   while (next < targets->count) {
      size_t target = targets->offsets[next];
      if (target < at) {
         next++;
      } else if (target == at) {
         targets->offsets[kept++] = target;
         while (next < targets->count && targets->offsets[next] == target) {
            next++;
         }
      } else {
         isa_decode(set, code + at, size - at, &insn);
         at += insn.length;
      }
   }
   targets->count = kept;
}

static int find_targets(const struct isa_set *set, const uint8_t *code, size_t size, struct targets *targets)
{
   struct isa_insn insn;
   size_t target;

   for (size_t at = 0; at < size; at += insn.length) {
      isa_decode(set, code + at, size - at, &insn);
      if (branch_target(&insn, at, size, &target) && add_target(targets, target) < 0) {
         return -ENOMEM;
      }
   }
   if (targets->count != 0) {
      qsort(targets->offsets, targets->count, sizeof(*targets->offsets), compare_offsets);
      keep_starts(set, targets, code, size);
   }
   return 0;
}

/* The number of the label at offset, from 1; 0: there is none. */
static size_t label_at(const struct targets *targets, size_t offset)
{
   const size_t *found = targets->count == 0 ? NULL
                                             : bsearch(&offset, targets->offsets, targets->count,
                                                       sizeof(*targets->offsets), compare_offsets);
   return found == NULL ? 0 : (size_t)(found - targets->offsets) + 1;
}

static void list_bytes(const struct isa_insn *insn, FILE *file)
{
   char hex[2 * ISA_MAX_LENGTH + 1];
   for (unsigned i = 0; i < insn->length; i++) {
      hex[2 * i] = "0123456789abcdef"[insn->bytes[i] >> 4];
      hex[2 * i + 1] = "0123456789abcdef"[insn->bytes[i] & 15];
   }
   hex[2 * insn->length] = '\0';
   fprintf(file, "%-24s  ", hex);
}

static void list_line(const struct isa_insn *insn, const struct isa_listing_options *options, size_t at, size_t label,
                      FILE *file)
{
   char text[256], name[32];
   snprintf(name, sizeof(name), "L%zu", label);
   isa_print_to_label(insn, options->syntax, label != 0 ? name : NULL, text, sizeof(text));
   if (options->plain) {
      fputs("   ", file);
   } else {
      fprintf(file, "%8" PRIx64 ":  ", options->base + at);
      list_bytes(insn, file);
   }
   fputs(text, file);
   fputc('\n', file);
}

int isa_list(const struct isa_set *set, const uint8_t *code, size_t size, const struct isa_listing_options *options,
             FILE *file)
{
   struct targets targets = {0};
   struct isa_insn insn;
   int ret = find_targets(set, code, size, &targets);

   for (size_t at = 0, target, label; ret == 0 && at <= size; at += insn.length) {
      label = label_at(&targets, at);
      if (label != 0) {
         fprintf(file, "L%zu:\n", label);
      }
      if (at == size) {
         break;
      }
      isa_decode(set, code + at, size - at, &insn);
      label = branch_target(&insn, at, size, &target) ? label_at(&targets, target) : 0;
      list_line(&insn, options, at, label, file);
   }
   free(targets.offsets);
   return ret;
}

/* ---- Counting ---- */

static void count_instruction(const struct isa_insn *insn, bool padding, struct isa_stats *stats)
{
   if (insn->row == NULL) {
      stats->unknown_bytes += insn->length;
      return;
   }
   stats->instructions++;
   if (padding) {
      stats->padding++;
      return;
   }
   stats->by_timing[isa_timing_class(insn)]++;
   if (isa_is_branch(insn)) {
      stats->loops += insn->mod[ISA_MOD_TARGET] < 0 && isa_flow(insn) == ISA_FLOW_JUMP;
      stats->branches += insn->mod[ISA_MOD_TARGET] >= 0 || isa_flow(insn) == ISA_FLOW_CALL;
   }
   uint32_t end = isa_registers_end(insn);
   stats->half_registers = end > stats->half_registers ? end : stats->half_registers;
}

int isa_count(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_stats *stats)
{
   struct targets targets = {0};
   struct isa_insn insn;
   bool ended = false;
   int ret = find_targets(set, code, size, &targets);

   *stats = (struct isa_stats){.bytes = size};
   for (size_t at = 0; ret == 0 && at < size; at += insn.length) {
      isa_decode(set, code + at, size - at, &insn);
      ended = ended && label_at(&targets, at) == 0;
      count_instruction(&insn, ended && isa_flow(&insn) == ISA_FLOW_TRAP, stats);
      ended = ended || isa_flow(&insn) == ISA_FLOW_STOP;
   }
   stats->max_threads = isa_max_threads(stats->half_registers);
   free(targets.offsets);
   return ret;
}

void isa_stats_print(const struct isa_stats *stats, FILE *file)
{
   fprintf(file, "%-28s %" PRIu64 "\n", "bytes", stats->bytes);
   fprintf(file, "%-28s %" PRIu64 "\n", "instructions", stats->instructions - stats->padding);
   fprintf(file, "%-28s %" PRIu64 "\n", "padding traps", stats->padding);
   if (stats->unknown_bytes != 0) {
      fprintf(file, "%-28s %" PRIu64 "\n", "bytes of no instruction", stats->unknown_bytes);
   }
   fprintf(file, "%-28s %" PRIu64 "\n", "loops", stats->loops);
   fprintf(file, "%-28s %" PRIu64 "\n", "other branches", stats->branches);
   fprintf(file, "%-28s %" PRIu32 "\n", "half registers", stats->half_registers);
   fprintf(file, "%-28s %" PRIu32 "\n", "threads a threadgroup", stats->max_threads);
   fputs("by class\n", file);
   for (unsigned i = 0; i < ISA_TIMING_COUNT; i++) {
      if (stats->by_timing[i] != 0) {
         fprintf(file, "  %-26s %" PRIu64 "\n", isa_timing_name((enum isa_timing)i), stats->by_timing[i]);
      }
   }
}

uint32_t isa_max_threads(uint32_t half_registers)
{
   static const struct {
      uint16_t half_registers, threads;
   } steps[] = {{104, 1024}, {112, 896}, {128, 832}, {136, 768}, {144, 704},
                {160, 640},  {184, 576}, {208, 512}, {232, 448}};
   for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
      if (half_registers <= steps[i].half_registers) {
         return steps[i].threads;
      }
   }
   return 384;
}

/* ---- Lines of hex ---- */

int isa_parse_hex(const char *line, uint8_t *bytes, size_t limit, size_t *column)
{
   size_t count = 0, at = 0;
   for (;;) {
      at += strspn(line + at, " \t\r\n,");
      if (line[at] == '0' && (line[at + 1] == 'x' || line[at + 1] == 'X')) {
         at += 2;
      }
      *column = at + 1;
      if (line[at] == '\0') {
         return count == 0 ? -EINVAL : (int)count;
      }
      unsigned high = isa_digit(line[at]);
      unsigned low = high < 16 ? isa_digit(line[at + 1]) : UINT_MAX;
      if (low >= 16) {
         *column += high < 16;
         return -EINVAL;
      }
      if (count == limit) {
         return -E2BIG;
      }
      bytes[count++] = (uint8_t)(high << 4 | low);
      at += 2;
   }
}

int isa_print_exact(const struct isa_set *set, const uint8_t *bytes, size_t count, enum isa_syntax syntax, char *text,
                    size_t size)
{
   struct isa_insn insn;
   if (count != 0) {
      isa_decode(set, bytes, count, &insn);
      if (insn.row != NULL && insn.length == count) {
         return isa_print(&insn, syntax, text, size);
      }
   }
   return isa_print_bytes(bytes, count, text, size);
}
