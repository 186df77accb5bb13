/* SPDX-License-Identifier: MIT
 *
 * LLVM's C interface. The library is opened at run time, so that neither a program nor the preloaded library pays for
 * it before a block is compiled, and so that all works without it.
 *
 * Memory: each compilation has a context of its own, which goes when the object is made. On x86-64 vgpu/jit/object.c
 * loads the object, elsewhere LLVM's linker. Both map code writable while they fill it in and executable afterwards,
 * never both.
 */
#include "vgpu/jit/llvm.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Orc.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include "util/array.h"

/* From LLVM 18 on, a pass that is named in a text ends the process unless one iteration is enough. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif

/* The passes after inlining: they fold the descriptors' fields, and keep vectors in registers. */
#define PASSES                                                                                                         \
   "always-inline,globaldce,function(sroa,early-cse<memssa>," COMBINE ",simplifycfg,gvn,jump-threading," COMBINE       \
   ",sroa,early-cse<memssa>,dse,adce,simplifycfg),globaldce"

/* ---- The library ---- */

typedef void initialize(void);

#if defined(__x86_64__)
#define OWN_LOADER 1 /* vgpu/jit/object.h */
#define LINKER(F)
#else
#define OWN_LOADER 0
#define LINKER(F)                                                                                                      \
   F(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess)                                                             \
   F(LLVMOrcCreateLLJIT)                                                                                               \
   F(LLVMOrcCreateLLJITBuilder)                                                                                        \
   F(LLVMOrcDisposeLLJIT)                                                                                              \
   F(LLVMOrcJITDylibAddGenerator)                                                                                      \
   F(LLVMOrcJITDylibCreateResourceTracker)                                                                             \
   F(LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine)                                                            \
   F(LLVMOrcLLJITAddObjectFileWithRT)                                                                                  \
   F(LLVMOrcLLJITBuilderSetJITTargetMachineBuilder)                                                                    \
   F(LLVMOrcLLJITGetGlobalPrefix)                                                                                      \
   F(LLVMOrcLLJITGetMainJITDylib)                                                                                      \
   F(LLVMOrcLLJITLookup)                                                                                               \
   F(LLVMOrcReleaseResourceTracker)                                                                                    \
   F(LLVMOrcResourceTrackerRemove)
#endif

#define FUNCTIONS(F)                                                                                                   \
   F(LLVMContextCreate)                                                                                                \
   F(LLVMContextDispose)                                                                                               \
   F(LLVMCreateMemoryBufferWithMemoryRange)                                                                            \
   F(LLVMCreateMemoryBufferWithMemoryRangeCopy)                                                                        \
   F(LLVMCreateTargetMachine)                                                                                          \
   F(LLVMCreatePassBuilderOptions)                                                                                     \
   F(LLVMDisposeErrorMessage)                                                                                          \
   F(LLVMDisposeMemoryBuffer)                                                                                          \
   F(LLVMDisposeMessage)                                                                                               \
   F(LLVMDisposeModule)                                                                                                \
   F(LLVMDisposePassBuilderOptions)                                                                                    \
   F(LLVMDisposeTargetMachine)                                                                                         \
   F(LLVMGetBitcodeModuleInContext2)                                                                                   \
   F(LLVMGetBufferSize)                                                                                                \
   F(LLVMGetBufferStart)                                                                                               \
   F(LLVMGetErrorMessage)                                                                                              \
   F(LLVMGetFirstGlobal)                                                                                               \
   F(LLVMGetNextGlobal)                                                                                                \
   F(LLVMGetFirstFunction)                                                                                             \
   F(LLVMGetNamedFunction)                                                                                             \
   F(LLVMGetNextFunction)                                                                                              \
   F(LLVMGetStringAttributeAtIndex)                                                                                    \
   F(LLVMGetStringAttributeValue)                                                                                      \
   F(LLVMGetTarget)                                                                                                    \
   F(LLVMGetTargetFromTriple)                                                                                          \
   F(LLVMGetValueName2)                                                                                                \
   F(LLVMIsDeclaration)                                                                                                \
   F(LLVMLinkModules2)                                                                                                 \
   F(LLVMParseIRInContext)                                                                                             \
   F(LLVMRunPasses)                                                                                                    \
   F(LLVMSetLinkage)                                                                                                   \
   F(LLVMTargetMachineEmitToMemoryBuffer)                                                                              \
   LINKER(F)

struct library {
#define FIELD(name) __typeof__(name) *name;
   FUNCTIONS(FIELD)
};

#if defined(__x86_64__)
#define TARGET(what) "LLVMInitializeX86" what
#if defined(VGPU_BITCODE_V4)
#define VGPU_BITCODES(F) F(v4, "x86-64-v4", 16) F(v3, "x86-64-v3", 8)
#else
#define VGPU_BITCODES(F) F(v3, "x86-64-v3", 8)
#endif
#else
#define TARGET(what) "LLVMInitializeAArch64" what
#define VGPU_BITCODES(F) F(plain, "plain", 4)
#endif

/* Finds the functions. false: something is missing. */
static bool library_open(struct library *library, char *message, size_t message_size)
{
   static const char *const targets[] = {TARGET("TargetInfo"), TARGET("Target"), TARGET("TargetMC"),
                                         TARGET("AsmPrinter"), TARGET("AsmParser")};
   /* The file names that distributions use. The library is never closed, because LLVM keeps state for the whole
    * process. */
   static const char *const names[] = {"libLLVM.so." VGPU_LLVM_VERSION, "libLLVM-" VGPU_LLVM_MAJOR ".so.1",
                                       "libLLVM-" VGPU_LLVM_MAJOR ".so"};
   void *handle = NULL;
   for (size_t i = 0; i < ARRAY_COUNT(names) && !handle; i++) {
      handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
   }
   if (!handle) {
      snprintf(message, message_size, "%s", dlerror());
      return false;
   }
   const char *missing = NULL;
#define FIND(name)                                                                                                     \
   library->name = (__typeof__(name) *)dlsym(handle, #name);                                                           \
   missing = library->name ? missing : #name;
   FUNCTIONS(FIND)
   for (size_t i = 0; i < ARRAY_COUNT(targets) && !missing; i++) {
      initialize *function = (initialize *)dlsym(handle, targets[i]);
      missing = function ? NULL : targets[i];
      if (function) {
         function();
      }
   }
   if (missing) {
      snprintf(message, message_size, "LLVM " VGPU_LLVM_VERSION " has no function %s", missing);
   }
   return !missing;
}

/* ---- Bitcode ---- */

/* Made by vgpu/jit/bitcode.py. */
#define DECLARE(suffix, level, width)                                                                                  \
   extern const char vgpu_bitcode_##suffix[], vgpu_bitcode_##suffix##_end[];                                           \
   extern const char vgpu_bitcode_##suffix##_names[], vgpu_bitcode_##suffix##_names_end[];
VGPU_BITCODES(DECLARE)

static const struct bitcode {
   const char *level, *start, *end;
   const char *names, *names_end; /* of its functions, in order, each with a zero byte behind it */
   unsigned width;
} bitcodes[] = {
#define BITCODE(suffix, level, width)                                                                                  \
   {level,                                                                                                             \
    vgpu_bitcode_##suffix,                                                                                             \
    vgpu_bitcode_##suffix##_end,                                                                                       \
    vgpu_bitcode_##suffix##_names,                                                                                     \
    vgpu_bitcode_##suffix##_names_end,                                                                                 \
    width},
    VGPU_BITCODES(BITCODE)};

/* ---- An instance ---- */

struct vgpu_llvm {
   const struct bitcode *bitcode;
   uint8_t *notes;
   bool tried; /* to open the library; what follows is of an open one */
   struct library library;
   const char *file;
   LLVMContextRef context; /* of the module alone */
   LLVMModuleRef module;
   char *triple;
   LLVMTargetMachineRef machine;
#if !OWN_LOADER
   LLVMOrcLLJITRef linker;
#endif
   char attributes[4096];
};

/* Functions are read when something needs them. */
static LLVMModuleRef read_bitcode(const struct vgpu_llvm *llvm, LLVMContextRef context)
{
   const size_t size = (size_t)(llvm->bitcode->end - llvm->bitcode->start);
   LLVMMemoryBufferRef buffer =
       llvm->library.LLVMCreateMemoryBufferWithMemoryRange(llvm->bitcode->start, size, "semantics", false);
   LLVMModuleRef module = NULL;
   return llvm->library.LLVMGetBitcodeModuleInContext2(context, buffer, &module) ? NULL : module;
}

static void read_attributes(struct vgpu_llvm *llvm)
{
   static const char *const names[] = {"target-cpu", "target-features", "prefer-vector-width", "tune-cpu"};
   const struct library *library = &llvm->library;
   LLVMValueRef function = library->LLVMGetNamedFunction(llvm->module, "vgpu_frame_begin");
   size_t used = 0;
   for (size_t i = 0; i < ARRAY_COUNT(names) && function; i++) {
      LLVMAttributeRef attribute = library->LLVMGetStringAttributeAtIndex(
          function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
      if (attribute) {
         unsigned length;
         const char *value = library->LLVMGetStringAttributeValue(attribute, &length);
         used += (size_t)snprintf(llvm->attributes + used, sizeof(llvm->attributes) - used, "\"%s\"=\"%.*s\" ",
                                  names[i], (int)length, value);
      }
   }
}

static LLVMTargetMachineRef create_machine(const struct vgpu_llvm *llvm, char **message)
{
   const struct library *library = &llvm->library;
   const bool plain = !strcmp(llvm->bitcode->level, "plain");
   LLVMTargetRef target;
   return library->LLVMGetTargetFromTriple(llvm->triple, &target, message)
              ? NULL
              : library->LLVMCreateTargetMachine(target, llvm->triple, plain ? "generic" : llvm->bitcode->level, "",
                                                 LLVMCodeGenLevelDefault, OWN_LOADER ? LLVMRelocPIC : LLVMRelocDefault,
                                                 OWN_LOADER ? LLVMCodeModelSmall : LLVMCodeModelJITDefault);
}

/* Prints and frees it. Whether there was one. */
static bool is_error(const struct vgpu_llvm *llvm, LLVMErrorRef error, char *message, size_t message_size)
{
   if (error) {
      char *text = llvm->library.LLVMGetErrorMessage(error);
      snprintf(message, message_size, "%s", text);
      llvm->library.LLVMDisposeErrorMessage(text);
   }
   return error != NULL;
}

#if !OWN_LOADER
static bool create_linker(struct vgpu_llvm *llvm, char *message, size_t message_size)
{
   const struct library *library = &llvm->library;
   char *text = NULL;
   LLVMTargetMachineRef own = create_machine(llvm, &text);
   if (!own) {
      snprintf(message, message_size, "%s", text ? text : "LLVM has no such target");
      library->LLVMDisposeMessage(text);
      return false;
   }
   LLVMOrcLLJITBuilderRef builder = library->LLVMOrcCreateLLJITBuilder();
   library->LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
       builder, library->LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(own));
   if (is_error(llvm, library->LLVMOrcCreateLLJIT(&llvm->linker, builder), message, message_size)) {
      llvm->linker = NULL;
      return false;
   }
   /* For memcpy() and the like, which LLVM may call. */
   LLVMOrcDefinitionGeneratorRef process;
   if (is_error(llvm,
                library->LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                    &process, library->LLVMOrcLLJITGetGlobalPrefix(llvm->linker), NULL, NULL),
                message, message_size)) {
      return false;
   }
   library->LLVMOrcJITDylibAddGenerator(library->LLVMOrcLLJITGetMainJITDylib(llvm->linker), process);
   return true;
}
#endif

struct vgpu_llvm *vgpu_llvm_create(const char *level, char *message, size_t message_size)
{
   const struct bitcode *bitcode = NULL;
   for (size_t i = 0; i < ARRAY_COUNT(bitcodes); i++) {
      bitcode = strcmp(bitcodes[i].level, level) ? bitcode : &bitcodes[i];
   }
   if (!bitcode) {
      snprintf(message, message_size, "there is no bitcode for %s hosts", level);
      return NULL;
   }
   struct vgpu_llvm *llvm = calloc(1, sizeof(*llvm));
   if (!llvm) {
      snprintf(message, message_size, "out of memory");
      return NULL;
   }
   llvm->bitcode = bitcode;
   llvm->notes = calloc(VGPU_LLVM_NOTES, 1);
   if (!llvm->notes) {
      snprintf(message, message_size, "out of memory");
      free(llvm);
      return NULL;
   }
   return llvm;
}

static bool prepare(struct vgpu_llvm *llvm, char *message, size_t message_size)
{
   if (!library_open(&llvm->library, message, message_size)) {
      return false;
   }
   Dl_info where;
   llvm->file = dladdr((const void *)llvm->library.LLVMContextCreate, &where) != 0 ? where.dli_fname : "";
   llvm->context = llvm->library.LLVMContextCreate();
   llvm->module = read_bitcode(llvm, llvm->context);
   llvm->triple = llvm->module ? strdup(llvm->library.LLVMGetTarget(llvm->module)) : NULL;
   if (!llvm->triple) {
      snprintf(message, message_size, "LLVM " VGPU_LLVM_VERSION " cannot read the bitcode of %s", llvm->bitcode->level);
      return false;
   }
   read_attributes(llvm);
   char *text = NULL;
   llvm->machine = create_machine(llvm, &text);
   if (!llvm->machine) {
      snprintf(message, message_size, "%s", text ? text : "LLVM has no such target");
      llvm->library.LLVMDisposeMessage(text);
      return false;
   }
#if OWN_LOADER
   return true;
#else
   return create_linker(llvm, message, message_size);
#endif
}

static void close_llvm(struct vgpu_llvm *llvm)
{
   const struct library *library = &llvm->library;
#if !OWN_LOADER
   char ignored[256];
   if (llvm->linker) {
      is_error(llvm, library->LLVMOrcDisposeLLJIT(llvm->linker), ignored, sizeof(ignored));
      llvm->linker = NULL;
   }
#endif
   if (llvm->machine) {
      library->LLVMDisposeTargetMachine(llvm->machine);
      llvm->machine = NULL;
   }
   if (llvm->module) {
      library->LLVMDisposeModule(llvm->module);
      llvm->module = NULL;
   }
   if (llvm->context) {
      library->LLVMContextDispose(llvm->context);
      llvm->context = NULL;
   }
   free(llvm->triple);
   llvm->triple = NULL;
}

bool vgpu_llvm_open(struct vgpu_llvm *llvm, char *message, size_t message_size)
{
   if (!llvm->tried) {
      llvm->tried = true;
      if (!prepare(llvm, message, message_size)) {
         close_llvm(llvm);
      }
   }
   return vgpu_llvm_is_open(llvm);
}

bool vgpu_llvm_is_open(const struct vgpu_llvm *llvm)
{
   return llvm->machine != NULL;
}

void vgpu_llvm_destroy(struct vgpu_llvm *llvm)
{
   if (llvm) {
      close_llvm(llvm);
      free(llvm->notes);
      free(llvm);
   }
}

bool vgpu_llvm_has(const struct vgpu_llvm *llvm, const char *name)
{
   const char *first = llvm->bitcode->names, *end = llvm->bitcode->names_end;
   while (first < end) { /* both are at the start of a name, or behind the last one */
      const char *middle = first + (end - first) / 2;
      while (middle > first && middle[-1]) {
         middle--;
      }
      const int order = strcmp(name, middle);
      if (order == 0) {
         return true;
      }
      if (order < 0) {
         end = middle;
      } else {
         first = middle + strlen(middle) + 1;
      }
   }
   return false;
}

uint8_t *vgpu_llvm_notes(const struct vgpu_llvm *llvm)
{
   return llvm->notes;
}

unsigned vgpu_llvm_width(const struct vgpu_llvm *llvm)
{
   return llvm->bitcode->width;
}

const char *vgpu_llvm_attributes(const struct vgpu_llvm *llvm)
{
   return llvm->attributes;
}

const char *vgpu_llvm_bitcode(const struct vgpu_llvm *llvm, size_t *size)
{
   *size = (size_t)(llvm->bitcode->end - llvm->bitcode->start);
   return llvm->bitcode->start;
}

const char *vgpu_llvm_file(const struct vgpu_llvm *llvm)
{
   return vgpu_llvm_is_open(llvm) ? llvm->file : "";
}

void vgpu_llvm_describe(const struct vgpu_llvm *llvm, const char *path, char *text, size_t size)
{
   struct stat file = {.st_size = 0};
   if (stat(path, &file)) {
      file = (struct stat){.st_size = 0};
   }
   snprintf(text, size, "LLVM %s, %s, %lld bytes of %lld.%09ld, %s, %s", VGPU_LLVM_VERSION, path,
            (long long)file.st_size, (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec, llvm->bitcode->level,
            PASSES);
}

/* ---- Compiling ---- */

static void set_linkage(const struct vgpu_llvm *llvm, LLVMModuleRef module, LLVMLinkage linkage, const char *but)
{
   const struct library *library = &llvm->library;
   for (LLVMValueRef global = library->LLVMGetFirstGlobal(module); global;
        global = library->LLVMGetNextGlobal(global)) {
      if (!library->LLVMIsDeclaration(global)) {
         library->LLVMSetLinkage(global, linkage);
      }
   }
   for (LLVMValueRef function = library->LLVMGetFirstFunction(module); function;
        function = library->LLVMGetNextFunction(function)) {
      size_t length;
      const char *name = library->LLVMGetValueName2(function, &length);
      if (!library->LLVMIsDeclaration(function) && strcmp(name, but) != 0) {
         library->LLVMSetLinkage(function, linkage);
      }
   }
}

/* The module with the semantics that it calls, which LLVM links because they are "link once", and drops once they are
 * inlined because they are internal. */
static LLVMModuleRef link(const struct vgpu_llvm *llvm, LLVMContextRef context, const char *text, size_t size,
                          const char *name, char *message, size_t message_size)
{
   const struct library *library = &llvm->library;
   LLVMModuleRef module = NULL;
   char *reason = NULL;
   LLVMMemoryBufferRef buffer = library->LLVMCreateMemoryBufferWithMemoryRange(text, size, "block", true);
   if (library->LLVMParseIRInContext(context, buffer, &module, &reason)) {
      snprintf(message, message_size, "%s", reason);
      library->LLVMDisposeMessage(reason);
      return NULL;
   }
   LLVMModuleRef semantics = read_bitcode(llvm, context);
   if (semantics) {
      set_linkage(llvm, semantics, LLVMLinkOnceODRLinkage, "");
   }
   if (!semantics || library->LLVMLinkModules2(module, semantics)) {
      snprintf(message, message_size, "the semantics cannot be linked");
      library->LLVMDisposeModule(module);
      return NULL;
   }
   set_linkage(llvm, module, LLVMInternalLinkage, name);
   return module;
}

static LLVMMemoryBufferRef make_object(const struct vgpu_llvm *llvm, LLVMModuleRef module, char *message,
                                       size_t message_size)
{
   const struct library *library = &llvm->library;
   LLVMPassBuilderOptionsRef options = library->LLVMCreatePassBuilderOptions();
   const bool failed =
       is_error(llvm, library->LLVMRunPasses(module, PASSES, llvm->machine, options), message, message_size);
   library->LLVMDisposePassBuilderOptions(options);
   LLVMMemoryBufferRef object = NULL;
   char *reason = NULL;
   if (!failed &&
       library->LLVMTargetMachineEmitToMemoryBuffer(llvm->machine, module, LLVMObjectFile, &reason, &object)) {
      snprintf(message, message_size, "%s", reason);
      library->LLVMDisposeMessage(reason);
      return NULL;
   }
   return object;
}

bool vgpu_llvm_compile(struct vgpu_llvm *llvm, const char *text, size_t size, const char *name, uint8_t **object,
                       size_t *object_size, char *message, size_t message_size)
{
   const struct library *library = &llvm->library;
   *object = NULL;
   if (!vgpu_llvm_open(llvm, message, message_size)) {
      return false;
   }
   LLVMContextRef context = library->LLVMContextCreate();
   LLVMModuleRef module = link(llvm, context, text, size, name, message, message_size);
   LLVMMemoryBufferRef buffer = module ? make_object(llvm, module, message, message_size) : NULL;
   if (module) {
      library->LLVMDisposeModule(module);
   }
   library->LLVMContextDispose(context);
   if (buffer) {
      *object_size = library->LLVMGetBufferSize(buffer);
      *object = malloc(*object_size);
      if (*object) {
         memcpy(*object, library->LLVMGetBufferStart(buffer), *object_size);
      } else {
         snprintf(message, message_size, "out of memory");
      }
      library->LLVMDisposeMemoryBuffer(buffer);
   }
   return *object != NULL;
}

/* ---- Loading ---- */

#if OWN_LOADER

bool vgpu_llvm_load(struct vgpu_llvm *llvm, const uint8_t *object, size_t size, const char *name,
                    struct vgpu_llvm_code *code, char *message, size_t message_size)
{
   (void)llvm;
   *code = (struct vgpu_llvm_code){.bytes = size};
   return vgpu_object_load(&code->object, object, size, name, &code->address, message, message_size);
}

void vgpu_llvm_free(struct vgpu_llvm *llvm, struct vgpu_llvm_code *code)
{
   (void)llvm;
   vgpu_object_finish(&code->object);
   *code = (struct vgpu_llvm_code){.address = NULL};
}

#else

/* Gives the object's code memory of its own. */
bool vgpu_llvm_load(struct vgpu_llvm *llvm, const uint8_t *object, size_t size, const char *name,
                    struct vgpu_llvm_code *code, char *message, size_t message_size)
{
   const struct library *library = &llvm->library;
   if (!vgpu_llvm_open(llvm, message, message_size)) {
      return false;
   }
   LLVMOrcResourceTrackerRef tracker =
       library->LLVMOrcJITDylibCreateResourceTracker(library->LLVMOrcLLJITGetMainJITDylib(llvm->linker));
   LLVMOrcExecutorAddress address = 0;
   LLVMMemoryBufferRef buffer =
       library->LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)object, size, "object");
   *code = (struct vgpu_llvm_code){.tracker = tracker, .bytes = size};
   if (is_error(llvm, library->LLVMOrcLLJITAddObjectFileWithRT(llvm->linker, tracker, buffer), message, message_size) ||
       is_error(llvm, library->LLVMOrcLLJITLookup(llvm->linker, &address, name), message, message_size)) {
      vgpu_llvm_free(llvm, code);
      return false;
   }
   code->address = (void *)(uintptr_t)address;
   return true;
}

void vgpu_llvm_free(struct vgpu_llvm *llvm, struct vgpu_llvm_code *code)
{
   const struct library *library = &llvm->library;
   if (code->tracker) {
      char message[128];
      LLVMOrcResourceTrackerRef tracker = code->tracker;
      is_error(llvm, library->LLVMOrcResourceTrackerRemove(tracker), message, sizeof(message));
      library->LLVMOrcReleaseResourceTracker(tracker);
   }
   *code = (struct vgpu_llvm_code){.address = NULL};
}

#endif
