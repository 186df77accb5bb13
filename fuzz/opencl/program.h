/* SPDX-License-Identifier: MIT
 *
 * A generated OpenCL C kernel: a list of nodes, each of which reads earlier nodes only, and its data. It contains no
 * pointer, so that it can be copied, sent through a pipe and shrunk node by node. One threadgroup of `lanes` threads
 * runs it.
 *
 * Invariant: the kernel is defined. Where the data would make an operation undefined (signed overflow, division by
 * zero), ocl_evaluate() sets the node's `guard`, and ocl_print() writes the operation in a defined way.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_PROGRAM_H
#define AGX_RUNNER_FUZZ_OPENCL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fuzz/opencl/number/number.h"
#include "util/random.h"

#define OCL_LANES 32
#define OCL_WIDTH 16                  /* components of the widest vector */
#define OCL_NODES 320                 /* most nodes of a kernel */
#define OCL_SOURCES 4                 /* most sources of a node */
#define OCL_INPUTS 16                 /* buffers that are read, one vector for each lane */
#define OCL_OUTPUTS 24                /* buffers that are written, one vector for each lane */
#define OCL_SCALARS 12                /* arguments passed by value: vectors, too */
#define OCL_OBJECTS 12                /* variables, arrays and fields of structs */
#define OCL_DEPTH 4                   /* most nested control flow */
#define OCL_GLOBALS (OCL_OBJECTS + 8) /* arguments that are read and written: objects, and exchanges between lanes */
#define OCL_GLOBAL_ELEMENTS 256       /* most elements of such an argument */

struct ocl_type {
   uint8_t base;  /* enum ocl_base */
   uint8_t width; /* components: 1, 2, 3, 4, 8, 16 */
};

enum ocl_kind {
   OCL_NONE,   /* a node that was removed */
   OCL_CONST,  /* `data` */
   OCL_INPUT,  /* this lane's element of input buffer `slot` */
   OCL_SCALAR, /* argument `slot` */
   OCL_ID,     /* `slot`: an enum ocl_id; of dimension source 0, or of data[0] if it has no source */
   OCL_OP,     /* ocl_ops[op] of the sources */
   OCL_OUTPUT, /* stores source 0 to this lane's element of output buffer `slot` */
   OCL_READ,   /* object `slot` [source 0 modulo its length] */
   OCL_WRITE,  /* object `slot` [source 0 modulo its length] = source 1 */
   OCL_VSTORE, /* elements of object `slot`, a scalar array, from source 0 (ocl_vector_start()) on = source 1 */
   OCL_IF,     /* source 0: a scalar */
   OCL_ELSE,   /* of the innermost open if */
   OCL_ENDIF,  /* ends the innermost if */
   /* repeats up to the matching ENDLOOP, (source 0 & 3) + data[0] times; data[0] times if it has no source */
   OCL_LOOP,
   OCL_ENDLOOP, /* ends the innermost loop */
   OCL_SWITCH,  /* on source 0 & 3 */
   OCL_CASE,    /* of the innermost switch: data[0]; data[1] != 0: the previous case falls through */
   OCL_DEFAULT, /* the same, for all values that no earlier case names */
   OCL_ENDSWITCH,
   OCL_BREAK,    /* leaves the innermost loop if source 0 is not 0 */
   OCL_CONTINUE, /* continues with the innermost loop's next iteration if source 0 is not 0 */
   OCL_VLOAD,    /* a vector of the elements of object `slot`, a scalar array, from source 0 on */
   /* Between lanes: in local memory, or in argument `slot` in global memory if `slot` is not 0. There lane i has
    * element i * data[2] + data[3], and all lanes share element data[3]. */
   /* old ^ new value of a word that only this lane uses, data[0], changed by atomic `op` with source 0 */
   OCL_OWN,
   OCL_EXCHANGE, /* source 0 of the lane whose number differs by data[0], through memory and barriers */
   OCL_ATOMIC,   /* the result of atomic `op` on data[0] and all lanes' source 0, through memory and barriers */
   OCL_TURN,     /* the iteration number of the loop of ocl_turn_loop(), in all components; 0 if there is none */
   OCL_COPY,     /* element source 0 of struct `slot` = element source 1, both modulo its length */
};

enum ocl_id {
   OCL_LOCAL_ID,
   OCL_GLOBAL_ID,
   OCL_GROUP_ID,
   OCL_LOCAL_SIZE,
   OCL_GLOBAL_SIZE,
   OCL_NUM_GROUPS,
   OCL_GLOBAL_OFFSET,
   OCL_WORK_DIM,
   OCL_IDS
};

/* The memory of an object. */
enum ocl_space {
   OCL_PRIVATE,
   OCL_POINTER,  /* private memory, used through a pointer */
   OCL_NESTED,   /* private memory, an array of arrays */
   OCL_LOCAL,    /* each lane's part of an array in local memory */
   OCL_CONSTANT, /* never written */
   OCL_SPACES,
   OCL_GLOBAL = OCL_SPACES, /* each lane's part of an argument in global memory; no field */
};

/* The layout of all lanes' elements in an argument in global memory. */
enum ocl_order {
   OCL_ROWS,          /* a lane's elements are adjacent: g[i * 8 + j] */
   OCL_POINTER_ROWS,  /* the same, through a pointer to the lane's first element */
   OCL_REVERSED_ROWS, /* the last lane's come first: g[(31 - i) * 8 + j] */
   OCL_COLUMNS,       /* the lanes' elements of one index are adjacent: g[j * 32 + i] */
   OCL_PLAIN_ORDERS,
   OCL_LONG_ROWS = OCL_PLAIN_ORDERS, /* rows, with an index of 64 bits: g[(long)i * 8 + j] */
   OCL_BEHIND_ROWS,                  /* rows, with an index that is negative: (g + i * 8 + 8)[j - 8] */
   OCL_ORDERS
};

/* How a loop is written. Those behind OCL_COMPUTED_FORMS have a constant iteration count. */
enum ocl_loop_form {
   OCL_FOR,
   OCL_WHILE,
   OCL_DO,
   OCL_FOR_ULONG,
   OCL_COMPUTED_FORMS, /* the forms before this one are for loops with a computed iteration count */
   OCL_FOR_DOWN = OCL_COMPUTED_FORMS,
   OCL_FOR_BY_2,
   OCL_FOR_BY_3,
   OCL_FOR_TO,    /* <= */
   OCL_FOR_UNTIL, /* != */
   OCL_DO_UP,
   OCL_LOOP_FORMS
};
/* How a word of OCL_OWN in global memory is addressed. In all forms each lane has its own word. */
enum ocl_own_form { OCL_OWN_PLAIN, OCL_OWN_REVERSED, OCL_OWN_MIXED, OCL_OWN_LONG, OCL_OWN_FORMS };
/* How an output is stored. */
enum ocl_store_form { OCL_STORE, OCL_STORE_VECTOR, OCL_STORE_BYTES, OCL_STORE_FORMS };

/* How an array gets its initial values: by assignments; by a list of constants, the last of which may be replaced by
 * the lane's number; or by a loop: element i is start[0] + i. Fields of a struct get theirs by assignments, or all by a
 * list, which only the shrinker makes. */
enum ocl_list { OCL_ASSIGNED, OCL_LISTED, OCL_LISTED_LANE, OCL_LISTS, OCL_COUNTED = OCL_LISTS, OCL_LISTED_FIELDS };

/* How a struct is declared. */
enum ocl_layout { OCL_PLAIN_LAYOUT, OCL_PACKED, OCL_ALIGNED, OCL_LAYOUTS };

/* An operation as a separate function, which may also get the kernel's sampler and ignores it. */
enum ocl_outline { OCL_INLINE, OCL_FUNCTION, OCL_FUNCTION_WITH_SAMPLER };

/* How an operation is written. Each way is right for all data that needs a lesser one. */
enum ocl_guard {
   OCL_PLAIN,
   OCL_WRAP,   /* in unsigned arithmetic: same value */
   OCL_ADJUST, /* an operand is changed: a nonzero divisor, a factor of 24 bits */
   OCL_OTHER,  /* another operation, or a test of the divisor: least integer / -1 */
};

struct ocl_node {
   uint8_t kind; /* enum ocl_kind */
   uint8_t op;   /* of OCL_OP, OCL_ATOMIC */
   struct ocl_type type;
   uint8_t count;    /* number of sources */
   uint8_t guard;    /* enum ocl_guard; ocl_evaluate() sets it */
   uint8_t outlined; /* of OCL_OP: enum ocl_outline */
   uint8_t form;     /* of a loop: its statement; of an output: how it is stored; 0: the plain form */
   uint8_t slot;
   uint16_t source[OCL_SOURCES];
   uint64_t data[OCL_WIDTH]; /* OCL_CONST: components; of a swizzle: which components */
};

struct ocl_object {
   struct ocl_type type;
   uint8_t length;            /* elements: 1 (a variable), 2, 4, 8 */
   uint8_t record;            /* 1, 2: a field of that struct; 0: no field. All fields of a struct have one length */
   uint8_t space;             /* enum ocl_space, for objects that are no fields */
   uint8_t order;             /* of OCL_GLOBAL: enum ocl_order */
   uint8_t list;              /* enum ocl_list: how an array gets its initial values; ignored for other objects */
   uint16_t spread;           /* of an array in OCL_PRIVATE: distance between elements; 0: they are adjacent */
   uint64_t start[OCL_WIDTH]; /* initial values: component i of element j is start[(i + j) % OCL_WIDTH] */
};

struct ocl_program {
   uint32_t lanes; /* 1 or OCL_LANES */
   uint32_t count, inputs, outputs, scalars, objects;
   struct ocl_type input_type[OCL_INPUTS], output_type[OCL_OUTPUTS], scalar_type[OCL_SCALARS];
   uint64_t scalar[OCL_SCALARS][OCL_WIDTH];
   uint64_t input[OCL_INPUTS][OCL_LANES][OCL_WIDTH]; /* zero-extended, as all values are */
   struct ocl_object object[OCL_OBJECTS];
   uint8_t layout[3]; /* of the structs: enum ocl_layout */
   /* Conversions between integers may name a rounding mode, which has no effect. Translators of LLVM 19 do not support
    * it: docs/mesa-bugs.md, 10. */
   bool integer_modes;
   bool wide_lane;  /* the lane's number has 64 bits when it is an index */
   bool unrepaired; /* agx-runner does not repair faults of the front end or the backend */
   /* Sums and products of floats may be rounded. The kernel forbids contraction (FP_CONTRACT). */
   bool rounded;
   bool nans;          /* floats may be NaN; operations that depend on the bits of a NaN get a number instead */
   uint32_t registers; /* enum fuzz_registers: how many the backend may use. Only the shrinker changes it */
   struct ocl_node nodes[OCL_NODES];
};

/* What each lane must store. */
struct ocl_outputs {
   uint64_t value[OCL_OUTPUTS][OCL_LANES][OCL_WIDTH];
};

static inline struct ocl_type ocl_scalar(uint8_t base)
{
   return (struct ocl_type){.base = base, .width = 1};
}

static inline struct ocl_type ocl_with_base(struct ocl_type type, unsigned base)
{
   return (struct ocl_type){.base = (uint8_t)base, .width = type.width};
}

static inline struct ocl_type ocl_with_width(struct ocl_type type, unsigned width)
{
   return (struct ocl_type){.base = type.base, .width = (uint8_t)width};
}

/* A vector of three takes the room of four. */
static inline unsigned ocl_bytes(struct ocl_type type)
{
   return ocl_bits(type.base) / 8 * (type.width == 3 ? 4u : type.width);
}

static inline bool ocl_same(struct ocl_type a, struct ocl_type b)
{
   return a.base == b.base && a.width == b.width;
}

/* Returns the type in which a buffer has it: a vector of three is three numbers. */
static inline struct ocl_type ocl_stored_type(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base, .width = type.width == 3 ? 1 : type.width};
}

/* Returns 1 if a node begins a block, -1 if it ends one, else 0. */
static inline int ocl_nesting(const struct ocl_node *node)
{
   const uint8_t kind = node->kind;

   return kind == OCL_IF || kind == OCL_LOOP || kind == OCL_SWITCH            ? 1
          : kind == OCL_ENDIF || kind == OCL_ENDLOOP || kind == OCL_ENDSWITCH ? -1
                                                                              : 0;
}

/* Returns the loop whose iterations an OCL_TURN node counts: the innermost enclosing one, if its variable counts up.
 * UINT32_MAX: there is none. */
uint32_t ocl_turn_loop(const struct ocl_program *program, uint32_t index);

/* Returns the element at which a vector of OCL_VLOAD or OCL_VSTORE starts. */
static inline unsigned ocl_vector_start(const struct ocl_object *object, unsigned width, uint64_t index)
{
   return (unsigned)(index & 7) % (object->length - width + 1u);
}

/* Computes what the kernel must store, after setting the guards. Returns false if control flow is malformed. */
bool ocl_evaluate(struct ocl_program *program, struct ocl_outputs *outputs);
/* Computes the last value of a node in a lane. Returns false as above. */
bool ocl_node_value(struct ocl_program *program, uint32_t index, uint32_t lane, uint64_t value[OCL_WIDTH]);

/* Prints the kernel, called "k". Arguments: inputs "inN", outputs "outN", read and written "gN", values "aN". */
void ocl_print(FILE *file, const struct ocl_program *program);
/* Returns its text, which free() releases; NULL: out of memory. */
char *ocl_text(const struct ocl_program *program, size_t *size);
/* Returns the build options that the kernel needs. */
const char *ocl_build_options(const struct ocl_program *program);
/* Prints the comment of a Piglit test: arguments and the right answer. */
struct ocl_test_words {
   const char *title, *options, *entry; /* options: NULL: none */
   bool by_value;                       /* values are no buffers */
};
void ocl_print_test_comment(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                            const struct ocl_test_words *words);
/* Prints it as a Piglit test. */
void ocl_print_piglit(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                      const char *title);
const char *ocl_type_name(struct ocl_type type);
/* Returns the function of an OCL_ID node: "get_local_id". */
const char *ocl_id_name(const struct ocl_node *node);
/* Returns how an object gets its initial values: OCL_ASSIGNED if it cannot have a list. */
enum ocl_list ocl_list_of(const struct ocl_object *object);
/* Returns the elements of a struct; 0: the kernel does not have it. */
unsigned ocl_struct_length(const struct ocl_program *program, unsigned record);
/* Whether it is an array whose elements are not adjacent. */
bool ocl_is_spread(const struct ocl_object *object);
/* Returns the rounding mode that a conversion names: "_rtz". "": it names none, or the node is no conversion. */
const char *ocl_mode_name(const struct ocl_program *program, const struct ocl_node *node);

/* Determines which nodes are printed: those with an effect, and their sources. */
void ocl_needed(const struct ocl_program *program, bool needed[OCL_NODES]);
bool ocl_has_effect(const struct ocl_node *node);
/* These are functions of the table of languages (fuzz/language.h): a program is a struct ocl_program.
 * Describes the kernel in one line, to distinguish findings: "add_sat char(_,#)". */
void ocl_shape(const void *program, char *text, size_t size);

/* Whether an object is in global memory. */
bool ocl_is_global(const struct ocl_object *object);
/* Whether a node reads or writes such an object, or an argument through which lanes exchange. */
bool ocl_uses_global(const struct ocl_program *program, const struct ocl_node *node);
/* Whether the kernel has this argument: arguments.h. */
bool ocl_argument_used(const struct ocl_program *program, enum ocl_kind kind, uint32_t slot);
/* Whether its last argument is a sampler. */
bool ocl_has_sampler(const struct ocl_program *program);
/* Whether it needs cl_khr_fp16. */
bool ocl_has_halves(const struct ocl_program *program);

/* Returns the number of operations and statements of a kernel. */
uint32_t ocl_size(const void *program);
/* Whether a kernel's output contains the operations of a shrunk one's, so that both may fail for the same reason. */
bool ocl_contains(const void *program, const void *shrunk);

#endif
