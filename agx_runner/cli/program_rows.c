/* SPDX-License-Identifier: MIT
 *
 * Rows that the commands share that take a kernel's file.
 */
#include "agx_runner/cli/program_rows.h"

#include "agx_runner/options/shared.h"
#include "isa/isa.h"

static const char *const syntaxes[] = {[ISA_SYNTAX_MESA] = "mesa", [ISA_SYNTAX_APPLEGPU] = "applegpu", NULL};

static const char *const apis[] = {[SHADER_VULKAN] = "vulkan", [SHADER_OPENGL] = "opengl", NULL};

const struct option_info option_program = {
    .name = "program",
    .kind = KIND_FLAG,
    .help = "write the whole program as .agx text (as for an output file NAME.agx; NAME.bin gets the code only)",
};

#define FIELD(member) .field = offsetof(struct source_options, member)
const struct option_row source_rows[] = {
    {&option_build_options, FIELD(build_options)},
    {&option_compile_timeout, FIELD(program.compile_seconds)},
    {&option_compile_memory, FIELD(program.compile_mib)},
    {&option_compiler, FIELD(program.compiler)},
    {&option_mesa, FIELD(program.mesa)},
    {OPTION(.name = "spec", .metavar = "ID=VALUE", .kind = KIND_LIST,
            .help = "with --mesa: value of the specialization constant with that number, of GLSL or SPIR-V of Vulkan"),
     FIELD(program.constants)},
    {OPTION(.name = "api", .metavar = "API", .kind = KIND_CHOICE, .choices = apis, .initial = "vulkan",
            .help = "with --mesa: the driver that takes GLSL: vulkan, or opengl, whose arguments have GLSL's names"),
     FIELD(program.api)},
    {&option_no_cache, FIELD(program.no_cache)},
    {.group = assembly_rows, FIELD(program)},
    {0},
};
#undef FIELD

#define FIELD(member) .field = offsetof(struct program_settings, member)
const struct option_row assembly_rows[] = {
    {&option_define, FIELD(defines)},
    {&option_long_forms, FIELD(long_forms)},
    {0},
};

/* clang-format off */
const struct option_row listing_rows[] = {
   {OPTION(.name = "stats", .kind = KIND_FLAG,
           .help = "print counts instead: instructions by class, bytes, registers, the occupancy they allow, loops"),
    FIELD(stats)},
   {&option_program, FIELD(whole)},
   {OPTION(.name = "syntax", .metavar = "NAME", .kind = KIND_CHOICE, .choices = syntaxes, .initial = "mesa",
           .help = "instructions as mesa or as applegpu writes them"), FIELD(syntax)},
   {0},
};
