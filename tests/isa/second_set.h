/* SPDX-License-Identifier: MIT
 *
 * A second instruction set, made up for tests: that of a generation in which `stop` has another opcode and the name
 * "halt", `ret` is four bytes long with its register elsewhere, and every other row is AGX2's.
 */
#ifndef TESTS_ISA_SECOND_SET_H
#define TESTS_ISA_SECOND_SET_H

#include <string.h>

#include "isa/rows.h"

#define SECOND_STOP 0x08 /* the buckets of the changed rows */
#define SECOND_RET 0x14

static const struct isa_opcode second_stop[] = {
    {NAMES("trap", "trap"), BITS(0xffff, 0x0008), SIZE(2), DOES(TRAP, 'M', "1.4"), TIME(STOP), FLOW(TRAP),
     .fields = (const struct isa_field[]){END}},
    {NAMES("halt", "halt"), BITS(0xffff, 0x5a88), SIZE(2), DOES(STOP, 'M', "1.4"), TIME(STOP), FLOW(STOP),
     .fields = (const struct isa_field[]){END}},
    {0}};
static const struct isa_code second_stop_bits[] = {{0, 0}, {0, 0}};

static const struct isa_opcode second_ret[] = {{NAMES("ret", "ret"), BITS(0xffff, 0x0094), SIZE(4),
                                                DOES(RET, 'D', "1.4"), TIME(BRANCH), FLOW(RETURN),
                                                .fields = (const struct isa_field[]){REG(ISA_SRC0, 32, {24, 8}), END}},
                                               {0}};
static const struct isa_code second_ret_bits[] = {{0xff000000, 0}};

static const struct isa_opcode *second_buckets[ISA_BUCKETS_MAX];
static const struct isa_code *second_bits[ISA_BUCKETS_MAX];
static const struct isa_set second_set = {.name = "second", .buckets = second_buckets, .row_bits = second_bits};

/* Call it before the set is used. */
static inline void second_set_init(void)
{
   memcpy(second_buckets, isa_set_agx2.buckets, sizeof(second_buckets));
   memcpy(second_bits, isa_set_agx2.row_bits, sizeof(second_bits));
   second_buckets[SECOND_STOP] = second_stop;
   second_bits[SECOND_STOP] = second_stop_bits;
   second_buckets[SECOND_RET] = second_ret;
   second_bits[SECOND_RET] = second_ret_bits;
}

#endif
