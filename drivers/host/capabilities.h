/* SPDX-License-Identifier: MIT
 *
 * The features of a Vulkan device, and whether they are enough for a shader: a driver may crash on a shader that uses
 * what it does not offer.
 */
#ifndef DRIVERS_HOST_CAPABILITIES_H
#define DRIVERS_HOST_CAPABILITIES_H

#include <stdbool.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "drivers/host/spirv.h"

/* One chain, from `core` on. */
struct host_features {
   VkPhysicalDeviceFeatures2 core;
   VkPhysicalDeviceVulkan11Features v11;
   VkPhysicalDeviceVulkan12Features v12;
   VkPhysicalDeviceVulkan13Features v13;
   VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics;
};

/* Links the chain, for vkGetPhysicalDeviceFeatures2(). atomics: the device has that extension. copies: a struct of
 * another extension that ends the chain; NULL: none. It must not be moved afterwards. */
void host_features_link(struct host_features *features, bool atomics, void *copies);

/* Returns the first capability of the shader that the device does not offer; NULL: it offers all that are known here.
 */
const char *host_features_missing(const struct host_features *features, const struct spirv_interface *interface);

#endif
