/* SPDX-License-Identifier: MIT
 *
 * What the Vulkan layer writes down of robustness: the features of a device, then what a pipeline and its stage say.
 * The expected numbers follow from Vulkan's rules for VkPipelineRobustnessCreateInfo: what hangs at a stage counts
 * instead of what hangs at its pipeline, and "as the device" means the device's features.
 */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "drivers/layer/built.h"
#include "tests/check.h"

/* VkPipelineRobustnessBufferBehavior..., VkPipelineRobustnessImageBehavior... */
enum behavior { AS_DEVICE = 0, OFF = 1, ROBUST = 2, ROBUST2 = 3 };

static char folder[] = "/tmp/agx-robustness-XXXXXX";

/* ---- Devices ---- */

struct features {
   const char *name;
   bool core, chained, buffers2, images2, images13, images; /* core: in pEnabledFeatures; chained: by a structure */
   struct built_robustness means;
};
static const struct features DEVICES[] = {
    {"nothing", false, false, false, false, false, false, {OFF, OFF, OFF}},
    {"robustBufferAccess", true, false, false, false, false, false, {ROBUST, ROBUST, OFF}},
    {"robustBufferAccess, chained", false, true, false, false, false, false, {ROBUST, ROBUST, OFF}},
    {"robustBufferAccess2", false, true, true, false, false, false, {ROBUST2, ROBUST2, OFF}},
    {"robustImageAccess2", false, true, false, true, false, false, {ROBUST, ROBUST, ROBUST2}},
    {"robustImageAccess of 1.3", false, false, false, false, true, false, {OFF, OFF, ROBUST}},
    {"robustImageAccess", true, false, false, false, false, true, {ROBUST, ROBUST, ROBUST}},
    {"both of 2", false, true, true, true, true, true, {ROBUST2, ROBUST2, ROBUST2}},
};

static void test_device(const struct features *row)
{
   VkPhysicalDeviceImageRobustnessFeatures images = {
       .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, .robustImageAccess = row->images};
   VkPhysicalDeviceVulkan13Features third = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                             .pNext = &images,
                                             .robustImageAccess = row->images13};
   VkPhysicalDeviceRobustness2FeaturesEXT second = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
                                                    .pNext = &third,
                                                    .robustBufferAccess2 = row->buffers2,
                                                    .robustImageAccess2 = row->images2};
   VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                    .pNext = &second,
                                    .features.robustBufferAccess = row->chained};
   const VkPhysicalDeviceFeatures core = {.robustBufferAccess = row->core};
   const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = row->core ? (const void *)&second : &all,
                                    .pEnabledFeatures = row->core ? &core : NULL};
   const struct built_robustness found = built_device(&info);
   CHECK(found.storage == row->means.storage && found.uniform == row->means.uniform &&
             found.images == row->means.images,
         ": %s means %u %u %u", row->name, found.storage, found.uniform, found.images);
}

/* ---- Pipelines ---- */

struct said {
   bool there;
   struct built_robustness what;
};
struct pipeline {
   struct built_robustness device;
   struct said pipeline, stage;
   const char *line;
};
#define NOTHING                                                                                                        \
   {                                                                                                                   \
      false,                                                                                                           \
      {                                                                                                                \
         AS_DEVICE, AS_DEVICE, AS_DEVICE                                                                               \
      }                                                                                                                \
   }
static const struct pipeline PIPELINES[] = {
    {{ROBUST, ROBUST, OFF}, NOTHING, NOTHING, "\nrobustness 2 2 1\n"},
    {{ROBUST2, ROBUST, ROBUST}, NOTHING, NOTHING, "\nrobustness 3 2 2\n"},
    {{ROBUST, ROBUST, OFF}, {true, {ROBUST2, OFF, ROBUST}}, NOTHING, "\nrobustness 3 1 2\n"},
    {{ROBUST, ROBUST2, OFF}, {true, {AS_DEVICE, AS_DEVICE, ROBUST2}}, NOTHING, "\nrobustness 2 3 3\n"},
    {{ROBUST, ROBUST, OFF}, NOTHING, {true, {OFF, ROBUST2, ROBUST}}, "\nrobustness 1 3 2\n"},
    {{ROBUST, ROBUST, OFF}, {true, {OFF, OFF, ROBUST2}}, {true, {ROBUST2, ROBUST2, ROBUST}}, "\nrobustness 3 3 2\n"},
    /* "As the device" of the stage is not as the pipeline. */
    {{ROBUST, ROBUST, OFF},
     {true, {OFF, OFF, ROBUST2}},
     {true, {AS_DEVICE, AS_DEVICE, AS_DEVICE}},
     "\nrobustness 2 2 1\n"},
};

/* Removes the folder's files; the text of the one that ends so, "" where there is none. */
static void take(const char *suffix, char *text, size_t size)
{
   DIR *stream = opendir(folder);
   text[0] = '\0';
   for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
      char path[512];
      snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
      FILE *file = strstr(entry->d_name, suffix) != NULL ? fopen(path, "r") : NULL;
      if (file != NULL) {
         text[fread(text, 1, size - 1, file)] = '\0';
         fclose(file);
      }
      if (entry->d_name[0] != '.') {
         unlink(path);
      }
   }
   if (stream != NULL) {
      closedir(stream);
   }
}

static void test_pipeline(const struct pipeline *row)
{
   static const uint32_t words[] = {0x07230203, 0x10000, 0, 1, 0};
   const VkShaderModuleCreateInfo module = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(words), .pCode = words};
   VkPipelineRobustnessCreateInfoEXT said[2];
   const struct said *const rows[] = {&row->pipeline, &row->stage};
   for (unsigned i = 0; i < 2; i++) {
      said[i] = (VkPipelineRobustnessCreateInfoEXT){
          .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
          .pNext = i == 1 ? &module : NULL,
          .storageBuffers = (VkPipelineRobustnessBufferBehaviorEXT)rows[i]->what.storage,
          .uniformBuffers = (VkPipelineRobustnessBufferBehaviorEXT)rows[i]->what.uniform,
          .images = (VkPipelineRobustnessImageBehaviorEXT)rows[i]->what.images};
   }
   const VkPipelineShaderStageCreateInfo stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .pNext = row->stage.there ? (const void *)&said[1] : &module,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"};
   char text[1024];
   built_keep_stage(&stage, &row->device, &stage, VK_NULL_HANDLE, row->pipeline.there ? &said[0] : NULL);
   take(".compute.built", text, sizeof(text));
   CHECK_CONTAINS(text, row->line);
}

int main(void)
{
   CHECK(mkdtemp(folder) != NULL && setenv("AGX_SOURCES", folder, 1) == 0);
   for (size_t i = 0; i < sizeof(DEVICES) / sizeof(*DEVICES); i++) {
      test_device(&DEVICES[i]);
   }
   for (size_t i = 0; i < sizeof(PIPELINES) / sizeof(*PIPELINES); i++) {
      test_pipeline(&PIPELINES[i]);
   }
   CHECK(rmdir(folder) == 0);
   return check_result();
}
