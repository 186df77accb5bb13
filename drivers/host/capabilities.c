/* SPDX-License-Identifier: MIT
 *
 * Capabilities of SPIR-V beside the features that Vulkan asks for them ("Capabilities" in Vulkan's appendix A).
 */
#include "drivers/host/capabilities.h"

#include <stddef.h>

void host_features_link(struct host_features *features, bool atomics, void *copies)
{
   *features = (struct host_features){
       .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features->v11},
       .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &features->v12},
       .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &features->v13},
       .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
               .pNext = atomics ? &features->atomics : copies},
       .atomics = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = copies},
   };
}

static bool has(const struct spirv_interface *interface, uint32_t capability)
{
   for (uint32_t i = 0; i < interface->capability_count; i++) {
      if (interface->capabilities[i] == capability) {
         return true;
      }
   }
   return false;
}

const char *host_features_missing(const struct host_features *features, const struct spirv_interface *interface)
{
   const VkPhysicalDeviceFeatures *core = &features->core.features;
   const VkPhysicalDeviceVulkan11Features *v11 = &features->v11;
   const VkPhysicalDeviceVulkan12Features *v12 = &features->v12;
   const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *atomics = &features->atomics;
   const struct {
      uint32_t capability;
      VkBool32 offered;
      const char *name;
   } rows[] = {
       {9, v12->shaderFloat16, "Float16"},
       {10, core->shaderFloat64, "Float64"},
       {11, core->shaderInt64, "Int64"},
       {12, v12->shaderBufferInt64Atomics | v12->shaderSharedInt64Atomics, "Int64Atomics"},
       {22, core->shaderInt16, "Int16"},
       {39, v12->shaderInt8, "Int8"},
       {4433, v11->storageBuffer16BitAccess, "StorageBuffer16BitAccess"},
       {4434, v11->uniformAndStorageBuffer16BitAccess, "StorageUniform16"},
       {4435, v11->storagePushConstant16, "StoragePushConstant16"},
       {4448, v12->storageBuffer8BitAccess, "StorageBuffer8BitAccess"},
       {4449, v12->uniformAndStorageBuffer8BitAccess, "UniformAndStorageBuffer8BitAccess"},
       {4450, v12->storagePushConstant8, "StoragePushConstant8"},
       {4472, VK_FALSE, "RayQueryKHR"},
       {5347, v12->bufferDeviceAddress, "PhysicalStorageBufferAddresses"},
       {49, core->shaderStorageImageExtendedFormats, "StorageImageExtendedFormats"},
       {55, core->shaderStorageImageReadWithoutFormat, "StorageImageReadWithoutFormat"},
       {56, core->shaderStorageImageWriteWithoutFormat, "StorageImageWriteWithoutFormat"},
       {5612, VK_FALSE, "AtomicFloat32MinMaxEXT"},
       {5613, VK_FALSE, "AtomicFloat64MinMaxEXT"},
       {5616, VK_FALSE, "AtomicFloat16MinMaxEXT"},
       {6022, VK_FALSE, "CooperativeMatrixKHR"},
       {6033, atomics->shaderBufferFloat32AtomicAdd | atomics->shaderSharedFloat32AtomicAdd, "AtomicFloat32AddEXT"},
       {6034, atomics->shaderBufferFloat64AtomicAdd | atomics->shaderSharedFloat64AtomicAdd, "AtomicFloat64AddEXT"},
       {6095, VK_FALSE, "AtomicFloat16AddEXT"},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      if (!rows[i].offered && has(interface, rows[i].capability)) {
         return rows[i].name;
      }
   }
   return NULL;
}
