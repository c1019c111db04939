// The controls of the loader that tests put before the real one; found by dlsym. Environment, read
// when the function that it is about is called:
//   FAKE_VULKAN_FAIL=FUNCTION=RESULT   the function always gives that result
//   FAKE_VULKAN_VERSION=1.1.0          of the loader
//   FAKE_VULKAN_DEVICE_VERSION=1.2.0   of the devices
//   FAKE_VULKAN_WITHOUT=FEATURE,…      features that the devices lack
//   FAKE_VULKAN_DEVICES=0|2            no device, or the first one twice
//   FAKE_VULKAN_DISCRETE=1             the devices have memory that the host does not see, and a
//                                      queue for copies
// The self-test kernel tilerun_test_fault is never run: it loses its device.
#pragma once

extern "C" {
/// The next `times` calls of `function` after `skip` good ones return `result` and do nothing.
void fakeVulkanFail(const char *function, int result, int skip, int times);
/// Forgets all injected failures.
void fakeVulkanReset();
/// The number of live objects: devices and their children.
int fakeVulkanCountAlive();
/// How often `function` was called; -1 if it cannot fail.
int fakeVulkanCountCalls(const char *function);
}
