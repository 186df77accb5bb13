/* SPDX-License-Identifier: MIT
 *
 * What agx-runner and a host say to each other. A host is a small program that runs under a chosen Mesa with the
 * preloaded virtual GPU, compiles one source through the driver's public API, and launches its entry points.
 *
 *    HOST REQUEST RESULT MESSAGES
 *
 * What the host and its driver write on standard error goes to MESSAGES. The other two are files of one form:
 * HOST_MAGIC with its closing zero, then records. A record is a struct host_record and its payload, padded with zeros
 * to 8 bytes. The last record is HOST_END, so that a file whose writer was killed is noticed. Integers are in the
 * machine's byte order, since both programs run on one machine.
 *
 * A request has the source, then launches: HOST_ENTRY and HOST_ARGUMENT set what the next HOST_LAUNCH takes; what is
 * set stays set, so that a second launch of one entry names only the arguments that change. A request without
 * HOST_LAUNCH asks for the facts alone. HOST_PROBE asks the host for one launch of that entry, or without HOST_ENTRY of
 * each, with arguments of its own that tell in the saved job which uniform comes from which argument.
 *
 * A request to the host of OpenCL may have several sources, each with its options and launches behind it: to start a
 * driver takes longer than to compile. Then HOST_PROGRAM stands in the result before what each source has given, and a
 * refusal ends its own source alone.
 *
 * A result has the driver, the build log, and the facts of each entry, then for each launch HOST_LAUNCHED and the
 * buffers as the launch left them. A refusal is a result, too: the host exits with 0 whenever the result is complete.
 *
 * The number of an argument is its index among the HOST_PARAMETER records of its entry. Behind the last one are
 * buffers that are no argument: a shader gets at them by their addresses (HOST_ADDRESS).
 */
#ifndef DRIVERS_HOST_PROTOCOL_H
#define DRIVERS_HOST_PROTOCOL_H

#include <stdint.h>

#define HOST_MAGIC "AGXHOST"
#define HOST_NAME_BYTES 256u        /* of an entry's name, its closing zero counted */
#define HOST_SOURCE_NAME "input.cl" /* that a build log has for the source: rusticl's own name for any */
#define HOST_WORD_BYTES 64u         /* of an argument's name or type, likewise; longer ones are cut */

enum host_kind {
   HOST_END = 0, /* empty */

   /* Of a request. */
   HOST_SOURCE = 1, /* the source's bytes; number: enum host_language */
   HOST_OPTIONS,    /* text: options of the build */
   HOST_JOBS,       /* text: the folder in which the preloaded library saves jobs */
   HOST_ENTRY,      /* text: the entry point that the following records are about */
   HOST_ARGUMENT,   /* struct host_argument, then its bytes; number: the argument's */
   HOST_LAUNCH,     /* struct host_launch */
   HOST_PROBE,      /* empty */
   HOST_SPECIALIZE, /* struct host_specialization: of the whole request, in any place of it */
   HOST_LIMIT,      /* empty; number: seconds of processor time after which the host is killed */
   HOST_ADDRESS,    /* struct host_address; number: the argument whose bytes get it */
   HOST_KEEP,       /* empty; number: of a buffer or image, whose contents the launch before has left there */
   HOST_REQUIRE,    /* text: an extension of OpenGL; without it nothing is compiled */
   HOST_PIPELINE,   /* struct host_pipeline: how an application has built this shader; then also: */
   HOST_BITS,       /* struct host_bits: a specialization constant of it */
   HOST_BINDING,    /* struct host_binding: of its layout; without one the layout follows from the module */
   HOST_PUSH,       /* struct host_push: push constants of its layout */

   /* The records of a result. Texts have no closing zero. */
   HOST_DRIVER = 32, /* text: the device's name and the driver's version */
   HOST_LOG,         /* text: the build log */
   HOST_REFUSAL,     /* text: why; number: enum host_refusal */
   HOST_FACTS,       /* struct host_facts; number: of the entry, in the driver's order */
   HOST_PARAMETER,   /* struct host_parameter of the entry before; number: the argument's */
   HOST_PROBED,      /* empty; number: of the entry whose markers, refusal and launch follow */
   HOST_MARKER,      /* as HOST_ARGUMENT: what the probe has given */
   HOST_LAUNCHED,    /* struct host_launched; number: of the entry, as in HOST_FACTS */
   HOST_PROGRAM,     /* empty; number: of the source, from 0, whose records follow */
   HOST_AFTER,       /* a buffer's or image's bytes after the launch before; number: the argument's */
   HOST_PLANE,       /* struct host_plane, then its words, row by row: what a scene has drawn */
};

enum host_language {
   HOST_OPENCL_C,
   HOST_SPIRV_KERNEL, /* SPIR-V for OpenCL */
   HOST_SPIRV_SHADER, /* SPIR-V for Vulkan */
   HOST_GLSL,
   HOST_SCENE, /* of OpenGL: fuzz/draw/draw.h */
};

enum host_refusal {
   HOST_NO_LOADER,  /* the API's loader is not there */
   HOST_NO_DEVICE,  /* the driver has no Apple GPU */
   HOST_NO_BUILD,   /* the driver refuses the source; the log says why */
   HOST_NO_ENTRY,   /* the source does not have the named entry point, or has none at all */
   HOST_NO_LAUNCH,  /* the driver refuses an argument or the launch */
   HOST_NO_FEATURE, /* the driver does not offer what the shader needs */
   HOST_BAD_REQUEST,
};

struct host_record {
   uint32_t kind, number;
   uint64_t size; /* bytes of the payload without its padding */
};

enum host_argument_kind {
   HOST_BUFFER,      /* bytes: its contents before each launch */
   HOST_NULL_BUFFER, /* a null pointer */
   HOST_VALUE,       /* bytes: the value */
   HOST_LOCAL,       /* threadgroup memory of `size` bytes */
   HOST_IMAGE,       /* struct host_image, then the texels before each launch, row by row */
   HOST_SAMPLER,     /* struct host_sampler; of an image's number: what the image is sampled with */
   HOST_OTHER,       /* what cannot be given */
};

struct host_argument {
   uint32_t kind; /* enum host_argument_kind */
   uint32_t pad;
   uint64_t size; /* bytes of the buffer, the value, the memory or the texels */
};

/* The kind of an image argument; the number of its sizes, and which one counts layers, follow from it. */
enum host_shape {
   HOST_1D,
   HOST_1D_ARRAY,
   HOST_2D,
   HOST_2D_ARRAY,
   HOST_3D,
   HOST_CUBE,       /* six layers */
   HOST_CUBE_ARRAY, /* a multiple of six */
   HOST_TEXELS,     /* a buffer that is read or written by texels */
   HOST_SHAPES,
};

struct host_image {
   uint32_t format;     /* index of a row of HOST_FORMATS */
   uint32_t dimensions; /* sizes that are given, 1..3 */
   uint32_t size[3];    /* width, height, depth or layers; 1 where not given */
   uint32_t pad;
};

enum host_addressing { HOST_CLAMP, HOST_REPEAT, HOST_MIRROR, HOST_BORDER, HOST_ADDRESSINGS };

struct host_sampler {
   uint32_t linear, addressing, unnormalized, pad; /* addressing: enum host_addressing */
};

/* Before each launch the 8 bytes at `offset` get the GPU address of that buffer. */
struct host_address {
   uint32_t buffer, pad; /* its number */
   uint64_t offset;
};

/* A specialization constant, as the user wrote its value: the host converts it to the constant's type. */
struct host_specialization {
   uint32_t id, is_float;
   int64_t integer;
   double number;
};

/* Of Vulkan. Numbers are those of VkPipelineRobustness...; 0: as the device. */
struct host_pipeline {
   uint32_t storage, uniform, images;
   uint32_t subgroup; /* the size that is required; 0: none */
   uint32_t flags;    /* of the stage */
   uint32_t pad;
   char entry[HOST_NAME_BYTES];
};
struct host_bits {
   uint32_t id, bytes;
   uint64_t bits;
};
struct host_binding {
   uint32_t set, binding, type, count; /* type: of VkDescriptorType */
};
struct host_push {
   uint32_t offset, size;
};

struct host_launch {
   uint32_t grid[3], group[3]; /* threads; group 0,0,0: as the driver chooses */
   uint32_t offset[3];         /* of the threads' indices; 0 of Vulkan */
   uint32_t dimensions;        /* 1..3 */
   uint32_t repeat;            /* launches in all, each with fresh buffers; the last one's are reported */
   uint32_t indirect;          /* of Vulkan and OpenGL: the grid comes from a buffer */
   uint32_t pad;
};

struct host_facts {
   char name[HOST_NAME_BYTES];
   uint32_t parameters;
   uint32_t group[3];      /* the size that the source requires, or 0,0,0 */
   uint64_t local_bytes;   /* threadgroup memory, as the API says; UINT64_MAX: it does not */
   uint64_t private_bytes; /* of a thread, likewise */
};

struct host_parameter {
   uint32_t kind;      /* enum host_argument_kind */
   uint32_t read_only; /* a buffer that the kernel only reads */
   uint64_t size;      /* bytes of a value; 0: not known */
   uint32_t shape;     /* of an image: enum host_shape */
   uint32_t format;    /* of an image: that it must have; HOST_NO_FORMAT: any */
   uint32_t binding;   /* of OpenGL: the binding or unit that the shader declares */
   uint32_t reads;     /* of an image: the shader reads 'f' floats, 'i' or 'u' integers; 0: not known */
   char name[HOST_WORD_BYTES], type[HOST_WORD_BYTES];
};

struct host_launched {
   uint32_t first_job, jobs; /* among the saved jobs by their names' order: those that this launch made */
   uint32_t repeats;         /* that ended */
   int32_t error;            /* of the API, as a number of its own; 0: none */
   uint64_t nanoseconds;     /* of the last one, as the API's profiling says; 0: not known */
};

enum host_plane_kind { HOST_PLANE_INTEGERS, HOST_PLANE_FLOATS };

/* A target, depth, stencil, or the result of a query: 32 bits for each channel of each pixel. */
struct host_plane {
   char name[16];
   uint32_t kind; /* enum host_plane_kind */
   uint32_t width, height, channels;
   float tolerance; /* of floats, as the scene says: of the larger number, or of 1 */
   uint32_t spare;  /* so many pixels may have any value; a query may count so many more or fewer */
};

#endif
