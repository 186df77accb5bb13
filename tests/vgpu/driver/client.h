/* SPDX-License-Identifier: MIT
 *
 * A client of the virtual device for its tests: raw ioctls, nothing checked but what a test asks for.
 */
#ifndef TESTS_VGPU_DEVICE_CLIENT_H
#define TESTS_VGPU_DEVICE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drm/uapi/asahi_drm.h"
#include "drm/uapi/kernel.h"
#include "tests/check.h"

/* What device_core.c takes for machine code. */
enum test_op { TEST_APPEND = 1, TEST_SPIN, TEST_SOFT_FAULT, TEST_SCRATCH, TEST_FAULT = 0x100 };
struct test_program {
   uint32_t op, cycles, value, milliseconds;
};

struct client {
   struct asahi_kernel *kernel;
   int fd;
};

void client_open(struct client *client, const char *spec); /* exits when it fails */
void client_close(struct client *client);
int client_ioctl(struct client *client, unsigned long request, void *argument); /* 0 or a positive errno */
int client_fd_ioctl(struct client *client, int fd, unsigned long request, void *argument);

/* The short way to what every test needs; they exit when the device refuses. */
uint32_t client_vm(struct client *client);
uint32_t client_bo(struct client *client, uint64_t size, uint32_t flags, uint32_t vm);
void *client_map(struct client *client, uint32_t bo, size_t size);
int client_bind(struct client *client, uint32_t vm, struct drm_asahi_gem_bind_op op); /* 0 or errno */
uint32_t client_queue(struct client *client, uint32_t vm, uint64_t usc_base);
uint32_t client_syncobj(struct client *client, uint32_t flags);

/* Absolute time that far ahead. */
int64_t after_ms(int64_t milliseconds);
/* 0 or errno. */
int client_wait(struct client *client, uint32_t syncobj, int64_t milliseconds);
int client_wait_point(struct client *client, uint32_t syncobj, uint64_t point, uint32_t flags, int64_t milliseconds);
uint64_t client_query(struct client *client, uint32_t syncobj, uint32_t flags);
/* Status of the fence in the syncobj through a sync_file: 1, 0 or a negative errno. */
int client_status(struct client *client, uint32_t syncobj);
/* last_fault of the counters into a static buffer. */
const char *client_last_fault(struct client *client);

/* A queue with memory around it, laid out as the worked examples of spec/uapi.md 4.2 and 4.3: the USC window at
 * KIT_USC. Programs have slots, each with its own stream. */
#define KIT_USC UINT64_C(0x1500000000)
#define KIT_DATA UINT64_C(0x2000000000)
#define KIT_SLOTS 32u
struct kit {
   struct client client;
   uint32_t vm, queue, exec_bo, data_bo, stamp_bo, stamp_object;
   uint8_t *exec;
   uint32_t *data;
   uint64_t *stamps;
   bool g14x;
};
void kit_open(struct kit *kit, const char *spec);
void kit_close(struct kit *kit);
/* Puts a program into a slot. It appends to the list at data + 4 * `list` words. */
void kit_program(struct kit *kit, unsigned slot, struct test_program program, unsigned list);
/* Puts machine code into a slot, assembled from `text`: u0_u1 is KIT_DATA; 64 threads in groups of 32. Exits when it
 * does not assemble. */
void kit_code(struct kit *kit, unsigned slot, const char *text);
/* Submits a slot, waits for its end and returns the fence's status: 1, or a negative errno. */
int kit_run(struct kit *kit, unsigned slot);
uint64_t kit_stream(unsigned slot); /* the address of the slot's stream */
/* The command that runs a slot. */
struct drm_asahi_cmd_compute kit_command(unsigned slot);

/* A command buffer under construction. */
struct commands {
   uint8_t bytes[65536];
   uint32_t size;
};
void commands_add(struct commands *commands, uint16_t type, const void *payload, uint16_t size, uint16_t vdm_barrier,
                  uint16_t cdm_barrier);
/* 0 or errno. syncs: ins, then outs. */
int client_submit(struct client *client, uint32_t queue, const struct commands *commands,
                  const struct drm_asahi_sync *syncs, uint32_t ins, uint32_t outs);
/* One slot as a submit of one command with one binary out-sync (0: none). */
int kit_submit(struct kit *kit, unsigned slot, uint32_t out);

#endif
