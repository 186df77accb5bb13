/* SPDX-License-Identifier: MIT
 *
 * The layers that keep sources (drivers/layer), between a made-up loader and a made-up driver: which files they leave,
 * and that calls and answers pass them as they are. Usage: layer LIBRARY
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "drivers/layer/shader_object.h"
#include "tests/check.h"

static char folder[] = "/tmp/agx-layer-XXXXXX";

/* The only file whose name ends so, with a zero byte behind it; free() it. */
static char *only(const char *suffix, size_t *size)
{
   char path[512] = "", *bytes = NULL;
   unsigned found = 0;
   DIR *stream = opendir(folder);
   for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
      const size_t length = strlen(entry->d_name);
      if (length > strlen(suffix) && strcmp(entry->d_name + length - strlen(suffix), suffix) == 0) {
         snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
         found++;
      }
   }
   if (stream != NULL) {
      closedir(stream);
   }
   CHECK(found == 1);
   FILE *file = fopen(path, "rb");
   CHECK(file != NULL);
   if (file != NULL) {
      bytes = calloc(1, 4096);
      *size = fread(bytes, 1, 4095, file);
      fclose(file);
      unlink(path);
   }
   return bytes != NULL ? bytes : strdup("");
}

static void expect_text(const char *suffix, const char *wanted)
{
   size_t size = 0;
   char *text = only(suffix, &size);
   CHECK_CONTAINS(text, wanted);
   free(text);
}

/* ---- A driver of Vulkan ---- */

static void *table[2]; /* what the first word of the loader's objects points to */
static struct object {
   void **table;
} instance_object = {&table[0]}, device_object = {&table[1]};
static const uint32_t words[] = {0x07230203, 0x10000, 0, 1, 0};
static unsigned destroyed, builds;

static VkResult make_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *a, VkInstance *instance)
{
   (void)info, (void)a;
   *instance = (VkInstance)&instance_object;
   return VK_SUCCESS;
}
static VkResult make_device(VkPhysicalDevice p, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *a,
                            VkDevice *device)
{
   (void)p, (void)info, (void)a;
   *device = (VkDevice)&device_object;
   return VK_SUCCESS;
}
#define MAKER(name, info_type, type, number)                                                                           \
   static VkResult name(VkDevice device, const info_type *info, const VkAllocationCallbacks *a, type *made)            \
   {                                                                                                                   \
      (void)device, (void)info, (void)a;                                                                               \
      *made = (type)(uintptr_t)(number);                                                                               \
      return VK_SUCCESS;                                                                                               \
   }
MAKER(make_module, VkShaderModuleCreateInfo, VkShaderModule, 5)
MAKER(make_set, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout, 5)
MAKER(make_layout, VkPipelineLayoutCreateInfo, VkPipelineLayout, 5)
static VkResult make_compute(VkDevice device, VkPipelineCache cache, uint32_t count,
                             const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *a,
                             VkPipeline *pipelines)
{
   (void)device, (void)cache, (void)infos, (void)a;
   *pipelines = (VkPipeline)(uintptr_t)7;
   builds += count;
   return VK_PIPELINE_COMPILE_REQUIRED; /* an answer that is no error and no success */
}
static VkResult make_objects(VkDevice device, uint32_t count, const struct shader_object_info *infos,
                             const VkAllocationCallbacks *a, uint64_t *shaders)
{
   (void)device, (void)count, (void)infos, (void)a;
   *shaders = 9;
   return VK_SUCCESS;
}
static void destroy_device(VkDevice device, const VkAllocationCallbacks *a)
{
   (void)device, (void)a;
   destroyed++;
}

static PFN_vkVoidFunction driver_function(const char *name)
{
   static const struct {
      const char *name;
      PFN_vkVoidFunction function;
   } functions[] = {
       {"vkCreateInstance", (PFN_vkVoidFunction)make_instance},
       {"vkCreateDevice", (PFN_vkVoidFunction)make_device},
       {"vkCreateShaderModule", (PFN_vkVoidFunction)make_module},
       {"vkCreateDescriptorSetLayout", (PFN_vkVoidFunction)make_set},
       {"vkCreatePipelineLayout", (PFN_vkVoidFunction)make_layout},
       {"vkCreateComputePipelines", (PFN_vkVoidFunction)make_compute},
       {"vkCreateShadersEXT", (PFN_vkVoidFunction)make_objects},
       {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
   };
   for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
      if (strcmp(functions[i].name, name) == 0) {
         return functions[i].function;
      }
   }
   return NULL;
}
static PFN_vkVoidFunction of_instance(VkInstance instance, const char *name)
{
   (void)instance;
   return driver_function(name);
}
static PFN_vkVoidFunction of_device(VkDevice device, const char *name)
{
   (void)device;
   return driver_function(name);
}

static void test_vulkan(void *library)
{
   VkNegotiateLayerInterface layer = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
   const PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate =
       (PFN_vkNegotiateLoaderLayerInterfaceVersion)dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion");
   CHECK(negotiate != NULL && negotiate(&layer) == VK_SUCCESS);
   VkLayerInstanceLink instance_link = {.pfnNextGetInstanceProcAddr = of_instance};
   VkLayerInstanceCreateInfo instance_chain = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                               .function = VK_LAYER_LINK_INFO,
                                               .u.pLayerInfo = &instance_link};
   const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                               .pNext = &instance_chain};
   VkInstance instance;
   CHECK(((PFN_vkCreateInstance)layer.pfnGetInstanceProcAddr(NULL, "vkCreateInstance"))(&instance_info, NULL,
                                                                                        &instance) == VK_SUCCESS);
   CHECK(instance_chain.u.pLayerInfo == NULL); /* the next layer finds its own link */

   VkLayerDeviceLink device_link = {.pfnNextGetInstanceProcAddr = of_instance, .pfnNextGetDeviceProcAddr = of_device};
   const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                               .features.robustBufferAccess = VK_TRUE};
   VkLayerDeviceCreateInfo device_chain = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                           .pNext = &features,
                                           .function = VK_LAYER_LINK_INFO,
                                           .u.pLayerInfo = &device_link};
   const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &device_chain};
   VkDevice device;
   CHECK(((PFN_vkCreateDevice)layer.pfnGetInstanceProcAddr(instance, "vkCreateDevice"))(NULL, &device_info, NULL,
                                                                                        &device) == VK_SUCCESS);
#define ASK(name) ((PFN_##name)layer.pfnGetDeviceProcAddr(device, #name))
   ASK(vkDestroyDevice)(device, NULL); /* goes to the driver */
   CHECK(destroyed == 1);
   CHECK(layer.pfnGetDeviceProcAddr(device, "vkNothing") == NULL);
   CHECK(layer.pfnGetDeviceProcAddr(device, "vkCreateGraphicsPipelines") == NULL); /* this driver has none */

   const VkShaderModuleCreateInfo module_info = {.codeSize = sizeof(words), .pCode = words};
   const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, ~0u, NULL},
                                                    {3, VK_DESCRIPTOR_TYPE_SAMPLER, 4, ~0u, NULL}};
   const VkDescriptorSetLayoutCreateInfo set_info = {.bindingCount = 2, .pBindings = bindings};
   VkShaderModule module;
   VkDescriptorSetLayout set;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   CHECK(ASK(vkCreateShaderModule)(device, &module_info, NULL, &module) == VK_SUCCESS);
   CHECK(ASK(vkCreateDescriptorSetLayout)(device, &set_info, NULL, &set) == VK_SUCCESS);
   const VkDescriptorSetLayout sets[] = {set, set};
   const VkPushConstantRange range = {~0u, 4, 12};
   const VkPipelineLayoutCreateInfo layout_info = {
       .setLayoutCount = 2, .pSetLayouts = sets, .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
   CHECK(ASK(vkCreatePipelineLayout)(device, &layout_info, NULL, &layout) == VK_SUCCESS);
   const float half = 0.5f;
   const VkSpecializationMapEntry entry = {9, 0, sizeof(half)};
   const VkSpecializationInfo special = {1, &entry, sizeof(half), &half};
   const VkComputePipelineCreateInfo info = {.stage = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                       .module = module,
                                                       .pName = "go",
                                                       .pSpecializationInfo = &special},
                                             .layout = layout};
   /* Twice the same, and with the module in the chain: one file. */
   const VkShaderModuleCreateInfo chained = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(words), .pCode = words};
   VkComputePipelineCreateInfo other = info;
   other.stage.module = VK_NULL_HANDLE;
   other.stage.pNext = &chained;
   CHECK(ASK(vkCreateComputePipelines)(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline) ==
         VK_PIPELINE_COMPILE_REQUIRED);
   CHECK(ASK(vkCreateComputePipelines)(device, VK_NULL_HANDLE, 1, &other, NULL, &pipeline) ==
         VK_PIPELINE_COMPILE_REQUIRED);
   CHECK(builds == 2 && pipeline == (VkPipeline)(uintptr_t)7);
   /* A shader object with the same layout, without the constant. */
   const struct shader_object_info object = {.stage = VK_SHADER_STAGE_VERTEX_BIT,
                                             .code_type = SHADER_OBJECT_SPIRV,
                                             .flags = SHADER_OBJECT_FULL,
                                             .code_size = sizeof(words),
                                             .code = words,
                                             .name = "go",
                                             .set_count = 1,
                                             .sets = sets,
                                             .push_count = 1,
                                             .pushes = &range};
   uint64_t shader = 0;
   CHECK(((PFN_vkCreateShadersEXT_)layer.pfnGetDeviceProcAddr(device, "vkCreateShadersEXT"))(device, 1, &object, NULL,
                                                                                             &shader) == VK_SUCCESS);
   CHECK_EQUAL(shader, 9);
   expect_text(".vertex.built",
               ".spv\nentry go\nrobustness 2 2 1\nflags 2\nbinding 0 0 7 1\nbinding 0 3 0 4\npush 4 12\n");
   size_t size = 0;
   char *kept = only(".spv", &size);
   CHECK(size == sizeof(words) && memcmp(kept, words, sizeof(words)) == 0);
   free(kept);
   expect_text(".compute.built",
               ".spv\nentry go\nrobustness 2 2 1\nconstant 9 4 0x3f000000\nbinding 0 0 7 1\nbinding 0 3 0 4\n"
               "binding 1 0 7 1\nbinding 1 3 0 4\npush 4 12\n");
}

/* ---- A driver of OpenCL ---- */

static int object;

static cl_program make_program(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                               cl_int *error)
{
   (void)context, (void)strings, (void)lengths;
   *error = count == 2 ? CL_SUCCESS : CL_INVALID_VALUE;
   return (cl_program)&object;
}
static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                            void (*notify)(cl_program, void *), void *data)
{
   (void)count, (void)devices, (void)notify, (void)data;
   return program == (cl_program)&object && strcmp(options, "-DN=3") == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
}
static cl_int program_info(cl_program program, cl_program_info what, size_t size, void *value, size_t *written)
{
   static const char names[] = "first;second";
   (void)program, (void)size;
   if (what == CL_PROGRAM_KERNEL_NAMES && value != NULL) {
      memcpy(value, names, sizeof(names));
   }
   if (written != NULL) {
      *written = sizeof(names);
   }
   return CL_SUCCESS;
}

static void test_opencl(void *library)
{
   const pfn_clInitLayer start = (pfn_clInitLayer)dlsym(library, "clInitLayer");
   static struct _cl_icd_dispatch driver;
   const struct _cl_icd_dispatch *layer = NULL;
   cl_uint entries = 0;
   driver.clCreateProgramWithSource = make_program;
   driver.clBuildProgram = build_program;
   driver.clGetProgramInfo = program_info;
   CHECK(start != NULL && start(sizeof(driver) / sizeof(void *), &driver, &entries, &layer) == CL_SUCCESS);
   CHECK(entries == sizeof(driver) / sizeof(void *) && layer->clGetProgramInfo == program_info);
   const char *strings[] = {"kernel void first() {}\nXXX", "kernel void second() {}\n"};
   const size_t lengths[] = {23, 0};
   cl_int error = CL_INVALID_CONTEXT;
   cl_program program = layer->clCreateProgramWithSource(NULL, 2, strings, lengths, &error);
   CHECK(program == (cl_program)&object && error == CL_SUCCESS);
   CHECK(layer->clBuildProgram(program, 0, NULL, "-DN=3", NULL, NULL) == CL_SUCCESS);
   expect_text(".cl", "kernel void first() {}\nkernel void second() {}\n");
   expect_text(".kernels.built", ".cl\noptions -DN=3\nkernel first\nkernel second\n");
}

int main(int argc, char **argv)
{
   void *library = argc > 1 && mkdtemp(folder) != NULL && setenv("AGX_SOURCES", folder, 1) == 0
                       ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)
                       : NULL;
   CHECK(library != NULL);
   if (library != NULL) {
      test_vulkan(library);
      test_opencl(library);
   }
   CHECK(rmdir(folder) == 0); /* nothing else was left there */
   return check_result();
}
