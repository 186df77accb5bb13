/* SPDX-License-Identifier: MIT
 *
 * A plugin of qemu's user mode that counts the instructions a program executes, in all its threads. Each translated
 * block adds its length when it starts; code that the program makes counts as any other.
 *
 *   qemu-aarch64 -plugin libqemu-count.so,out=FILE PROGRAM
 *
 * FILE gets a line with the count so far at each mark (tests/bench/qemu/count.h), and one at the end. Additions of
 * threads that run at the same time may be lost: the count is exact while one runs at a time.
 *
 * Plugin interface: version 1, which QEMU 7.2 has, as its documentation describes it (docs/devel/tcg-plugins.rst).
 * Debian has no package with its header, so the functions that are used are declared here.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/qemu/count.h"

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void translated_function(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void syscall_function(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                              uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void end_function(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translated_function *function);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op op, void *sum,
                                              uint64_t addend);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, syscall_function *function);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, end_function *function, void *data);

/* What QEMU asks a plugin for. */
__attribute__((visibility("default"))) extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count,
                                                               char **words);

int qemu_plugin_version = 1;

static uint64_t executed;
static FILE *output;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
   (void)id;
   qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                            qemu_plugin_tb_n_insns(block));
}

static void write_count(void)
{
   fprintf(output, "%" PRIu64 "\n", executed);
   fflush(output);
}

static void entered(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                    uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
   (void)id, (void)vcpu, (void)number, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
   if (a1 == QEMU_COUNT_MARK && a2 == QEMU_COUNT_MARK) {
      write_count();
   }
}

static void ended(qemu_plugin_id_t id, void *data)
{
   (void)id, (void)data;
   write_count();
   fclose(output);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **words)
{
   (void)info;
   if (count != 1 || strncmp(words[0], "out=", 4)) {
      fprintf(stderr, "qemu-count: expected out=FILE\n");
      return -1;
   }
   output = fopen(words[0] + 4, "w");
   if (output == NULL) {
      perror(words[0] + 4);
      return -1;
   }
   qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
   qemu_plugin_register_vcpu_syscall_cb(id, entered);
   qemu_plugin_register_atexit_cb(id, ended, NULL);
   return 0;
}
