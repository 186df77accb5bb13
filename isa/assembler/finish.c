/* SPDX-License-Identifier: MIT
 *
 * The end of an assembly: branches get their distances, the program its entry points and the fields that no directive
 * gave, and all of it is checked.
 */
#include "isa/assembler/assembly.h"

#include <string.h>

#define CODE_ALIGN 128 /* of an entry point, as agx_program_check() wants it */

/* ---- Branches ---- */

static bool find_target(struct isa_assembly *assembly, const struct isa_branch *branch, int64_t *target)
{
   if (branch->label.length == 0) {
      *target = (int64_t)branch->offset + branch->distance;
      return true;
   }
   const struct isa_symbol *symbol = isa_symbols_find(&assembly->symbols, branch->label);
   if (symbol == NULL || symbol->kind != ISA_SYMBOL_LABEL) {
      isa_report(assembly, ISA_ERROR, branch->place, "label '%.*s' is not defined", (int)branch->label.length,
                 branch->label.text);
      return false;
   }
   *target = symbol->offset;
   return true;
}

/* The branch was encoded with distance 0: the bits of the real one are added. */
static void patch(struct isa_assembly *assembly, const struct isa_branch *branch, int64_t distance)
{
   const struct isa_field *field = branch->row->fields;
   struct isa_insn insn = {
       .set = assembly->program->set, .row = branch->row, .mod = {[ISA_MOD_TARGET] = (int32_t)distance}};
   struct isa_code code = {0, 0};

   while (field->kind != ISA_FIELD_BRANCH) {
      field++;
   }
   const char *legal = isa_kinds[field->kind]->encode(field, &insn, &code);
   if (legal != NULL) {
      isa_report(assembly, ISA_ERROR, branch->place, "'%.*s' is %lld bytes away: the %s of %s takes %s",
                 (int)branch->label.length, branch->label.text, (long long)distance, isa_kinds[field->kind]->name,
                 branch->row->name, legal);
      return;
   }
   for (unsigned i = 0; i < branch->row->length && i < 8; i++) {
      assembly->code.data[branch->offset + i] |= (uint8_t)(code.low >> (8 * i));
   }
}

static void finish_branch(struct isa_assembly *assembly, const struct isa_branch *branch)
{
   int64_t target;
   if (!find_target(assembly, branch, &target)) {
      return;
   }
   if (target < 0 || target >= (int64_t)assembly->code.size) {
      isa_report(assembly, ISA_ERROR, branch->place,
                 "the branch goes to byte %lld, outside the program's %zu bytes of code", (long long)target,
                 assembly->code.size);
      return;
   }
   if (branch->label.length != 0) {
      patch(assembly, branch, target - branch->offset);
   }
}

/* ---- Entry points ---- */

void isa_begin_section(struct isa_assembly *assembly, enum isa_section section, struct isa_place place)
{
   static const uint8_t trap[2] = {0x08, 0x00}; /* what compilers fill with (spec/isa.md 1.1) */
   static const char *const names[] = {".main", ".preamble"};
   struct isa_section_marks *marks = &assembly->sections[section];

   if (marks->begun) {
      isa_report(assembly, ISA_ERROR, place, "%s is already given in line %u", names[section], marks->place.line);
      return;
   }
   while (assembly->code.size % CODE_ALIGN != 0 && !assembly->stopped) {
      isa_append(assembly, trap, assembly->code.size % 2 == 0 ? 2 : 1);
   }
   if (!assembly->sections[ISA_SECTION_MAIN].begun && !assembly->sections[ISA_SECTION_PREAMBLE].begun) {
      memset(assembly->usage, 0, sizeof(assembly->usage)); /* the code before is not the main program */
   }
   *marks = (struct isa_section_marks){.begun = true, .start = (uint32_t)assembly->code.size, .place = place};
   assembly->section = section;
   isa_hazards_reset(&assembly->hazards);
}

/* Without .end, a section ends where the other one begins, or at the end of the code. */
static uint32_t section_end(const struct isa_assembly *assembly, enum isa_section section)
{
   const struct isa_section_marks *marks = &assembly->sections[section];
   const struct isa_section_marks *other = &assembly->sections[1 - section];
   if (marks->ended) {
      return marks->end;
   }
   return other->begun && other->start > marks->start ? other->start : (uint32_t)assembly->code.size;
}

static void set_sections(struct isa_assembly *assembly)
{
   struct agx_program *program = assembly->program;
   const struct isa_section_marks *main = &assembly->sections[ISA_SECTION_MAIN];
   const struct isa_section_marks *preamble = &assembly->sections[ISA_SECTION_PREAMBLE];

   if (preamble->begun && !main->begun) {
      isa_report(assembly, ISA_ERROR, preamble->place, "a program with a .preamble needs a .main too");
   }
   program->main_offset = main->start;
   program->main_size = section_end(assembly, ISA_SECTION_MAIN) - main->start;
   if (preamble->begun) {
      program->has_preamble = true;
      program->preamble_offset = preamble->start;
      program->preamble_size = section_end(assembly, ISA_SECTION_PREAMBLE) - preamble->start;
   }
}

/* ---- Fields ---- */

/* A number that no directive gave is what the code needs; one that is too small is warned of. */
static uint16_t needed(struct isa_assembly *assembly, const char *directive, uint16_t given, unsigned used,
                       const char *what)
{
   struct isa_place place = isa_directive_place(assembly, directive);
   if (place.line == 0) {
      return (uint16_t)used;
   }
   if (given < used) {
      isa_report(assembly, ISA_WARNING, place, "the code uses %u %s, .%s gives it %u", used, what, directive, given);
   }
   return given;
}

static unsigned at_least_one(unsigned number)
{
   return number == 0 ? 1 : number;
}

static void set_fields(struct isa_assembly *assembly)
{
   struct agx_program *program = assembly->program;
   const struct isa_usage *main = &assembly->usage[ISA_SECTION_MAIN];
   const struct isa_usage *preamble = &assembly->usage[ISA_SECTION_PREAMBLE];
   unsigned uniforms =
       main->uniform_halves > preamble->uniform_halves ? main->uniform_halves : preamble->uniform_halves;

   for (size_t i = 0; i < program->uniform_count; i++) {
      unsigned end = (unsigned)program->uniforms[i].start + program->uniforms[i].size;
      uniforms = end > uniforms ? end : uniforms;
   }
   program->uniform_halves = needed(assembly, "uniforms", program->uniform_halves, uniforms, "half uniforms");
   program->half_registers =
       needed(assembly, "registers", program->half_registers, at_least_one(main->half_registers), "half registers");
   if (program->has_preamble) {
      program->preamble_half_registers = needed(assembly, "preamble_registers", program->preamble_half_registers,
                                                at_least_one(preamble->half_registers), "half registers");
   }
   if (isa_directive_place(assembly, "atomics").line == 0) {
      program->uses_atomics = main->atomics || preamble->atomics;
   }
   if (isa_directive_place(assembly, "argument_bytes").line == 0) {
      for (size_t i = 0; i < program->argument_count; i++) {
         uint32_t end = program->arguments[i].offset + program->arguments[i].size;
         program->argument_bytes = end > program->argument_bytes ? end : program->argument_bytes;
      }
   }
}

/* ---- Consistency ---- */

/* agx_program_check() without the limit of threadgroup memory, which is a warning here. */
static const char *check(const struct agx_program *program, size_t uniform_count, size_t argument_count)
{
   struct agx_program probe = *program;
   probe.threadgroup_bytes = 0;
   probe.uniform_count = uniform_count;
   probe.argument_count = argument_count;
   return agx_program_check(&probe);
}

/* The first range or argument whose removal leaves no error is the faulty one. */
static void report_inconsistency(struct isa_assembly *assembly, const char *wrong)
{
   const struct agx_program *program = assembly->program;
   struct isa_place place = {0, 0};

   for (size_t i = program->uniform_count; i-- > 0 && check(program, i + 1, 0) != NULL;) {
      place = assembly->uniform_places[i];
   }
   for (size_t i = program->argument_count; place.line == 0 && i-- > 0 && check(program, 0, i + 1) != NULL;) {
      place = assembly->argument_places[i];
   }
   if (check(program, 0, 0) != NULL) {
      place = (struct isa_place){0, 0};
   }
   isa_report(assembly, ISA_ERROR, place, "%s", wrong);
}

static void move_bytes(struct isa_bytes *bytes, uint8_t **data, size_t *size)
{
   *data = bytes->data;
   *size = bytes->size;
   *bytes = (struct isa_bytes){0};
}

void isa_finish_program(struct isa_assembly *assembly)
{
   struct agx_program *program = assembly->program;

   for (size_t i = 0; i < assembly->branch_count && !assembly->stopped; i++) {
      finish_branch(assembly, &assembly->branches[i]);
   }
   set_sections(assembly);
   if (assembly->result->errors != 0) {
      return;
   }
   set_fields(assembly);
   move_bytes(&assembly->code, &program->code, &program->code_size);
   move_bytes(&assembly->constants, &program->constants, &program->constants_size);

   const char *wrong = check(program, program->uniform_count, program->argument_count);
   if (wrong != NULL) {
      report_inconsistency(assembly, wrong);
   }
}
