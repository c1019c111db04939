// Contexts and devices: enumeration, opening, properties, state.
#include "plugins/vulkan/Device.h"
#include "plugins/support/Property.h"

#include "plugins/vulkan/Flusher.h"
#include "plugins/vulkan/Launch.h"

#include <algorithm>
#include <tuple>

using namespace vulkan;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

Context::Context(const PhysicalDevice &physical)
    : physical(physical), memory(*this), timestamps(std::make_unique<TimestampPool>(*this)),
      flusher(std::make_unique<Flusher>()) {}

Context::~Context() {
  flusher.reset();
  if (!handle)
    return;
  // Streams that were destroyed while busy, and the driver's use of semaphores after they were
  // signalled. A lost device answers at once; any other failure may pass.
  for (int tries = 0; tries < 3; ++tries)
    if (VkResult result = table.vkDeviceWaitIdle(handle);
        result >= 0 || result == VK_ERROR_DEVICE_LOST) {
      if (result == VK_ERROR_DEVICE_LOST)
        loss.lose("vkDeviceWaitIdle: " + getResultName(result));
      break;
    }
  for (const std::shared_ptr<Stream> &stream : getStreams())
    stream->settle();
  memory.release();
  retired.clear();
  for (auto [timeline, value] : idleTimelines)
    table.vkDestroySemaphore(handle, timeline, nullptr);
  timestamps.reset();
  if (pipelineCache)
    table.vkDestroyPipelineCache(handle, pipelineCache, nullptr);
  memory.destroyAll();
  table.vkDestroyDevice(handle, nullptr);
}

TilerunStatus Context::open(const TilerunErrorSink *sink) {
  constexpr float kPriorities[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const QueueFamily &family : physical.families) {
    auto queue = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = family.index;
    queue.queueCount = family.count;
    queue.pQueuePriorities = kPriorities;
    queues.push_back(queue);
    families.push_back(family.index);
  }
  auto info = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &physical.features.core;
  info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = static_cast<uint32_t>(physical.extensions.size());
  info.ppEnabledExtensionNames = physical.extensions.data();
  const InstanceTable &instance = physical.instance->table;
  if (VkResult result = instance.vkCreateDevice(physical.handle, &info, nullptr, &handle)) {
    handle = VK_NULL_HANDLE;
    return failVulkan(sink, *this, "vkCreateDevice(physical, &info, nullptr, &handle)", result);
  }
  auto load = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(
        instance.vkGetDeviceProcAddr(handle, name));
    return member != nullptr;
  };
  // Destroying comes first in the list, so that the destructor has it.
#define VULKAN_LOAD(name)                                                                          \
  if (!load(table.name, #name))                                                                    \
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "vkGetDeviceProcAddr", *this,                    \
                "the driver has no function " #name);
  VULKAN_DEVICE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
#define VULKAN_LOAD(name) load(table.name, #name);
  VULKAN_OPTIONAL_DEVICE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
  for (const QueueFamily &family : physical.families)
    for (uint32_t i = 0; i < family.count; ++i) {
      auto queue = std::make_unique<Queue>();
      queue->family = family.index;
      queue->timestampBits = family.timestampBits;
      table.vkGetDeviceQueue(handle, family.index, i, &queue->handle);
      (family.compute ? computeQueues : transferQueues).push_back(std::move(queue));
    }
  return TILERUN_STATUS_OK;
}

Queue *Context::acquireQueue(QueueKind kind) {
  auto &queues = kind == QueueKind::Compute ? computeQueues : transferQueues;
  if (queues.empty())
    return nullptr;
  std::lock_guard lock(mutex);
  auto it = std::min_element(queues.begin(), queues.end(),
                             [](auto &a, auto &b) { return a->users < b->users; });
  ++(*it)->users;
  return it->get();
}

void Context::releaseQueue(Queue *queue) {
  if (!queue)
    return;
  std::lock_guard lock(mutex);
  --queue->users;
}

TilerunStatus Context::acquireTimeline(VkSemaphore &timeline, uint64_t &value,
                                       const TilerunErrorSink *sink) {
  {
    std::lock_guard lock(mutex);
    if (!idleTimelines.empty()) {
      std::tie(timeline, value) = idleTimelines.back();
      idleTimelines.pop_back();
      return TILERUN_STATUS_OK;
    }
  }
  auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  VK_TRY(*this, sink, vkCreateSemaphore(handle, &info, nullptr, &timeline));
  value = 0;
  return TILERUN_STATUS_OK;
}

void Context::releaseTimeline(VkSemaphore timeline, uint64_t value) {
  std::lock_guard lock(mutex);
  idleTimelines.emplace_back(timeline, value);
}

void Context::addStream(const std::shared_ptr<Stream> &stream) {
  std::lock_guard lock(mutex);
  std::erase_if(streams, [](const auto &weak) { return weak.expired(); });
  streams.push_back(stream);
}

std::vector<std::shared_ptr<Stream>> Context::getStreams() {
  std::vector<std::shared_ptr<Stream>> all;
  std::lock_guard lock(mutex);
  for (const std::weak_ptr<Stream> &weak : streams)
    if (std::shared_ptr<Stream> stream = weak.lock())
      all.push_back(std::move(stream));
  return all;
}

void Context::retire(std::shared_ptr<Stream> stream) {
  stream->flush(nullptr);
  std::vector<std::shared_ptr<Stream>> looked, kept;
  {
    std::lock_guard lock(mutex);
    looked.swap(retired);
  }
  looked.push_back(std::move(stream));
  for (const std::shared_ptr<Stream> &each : looked) {
    each->settle();
    if (!loss.isLost() && (!each->isIdle() || !each->reports.isEmpty()))
      kept.push_back(each);
  }
  std::lock_guard lock(mutex);
  retired.insert(retired.end(), kept.begin(), kept.end());
  // Those that are done end with `looked`, after the lock, which their end takes.
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {

/// The live contexts, by physical device: all handles share one until it is lost.
struct Contexts {
  std::mutex mutex;
  std::vector<std::weak_ptr<Context>> all;
};
Contexts &getContexts() {
  static auto *contexts = new Contexts; // Outlives every thread.
  return *contexts;
}

TilerunStatus getDevices(TilerunDeviceCallback each, void *user, const TilerunErrorSink *sink) {
  std::string reason;
  std::vector<const PhysicalDevice *> devices = getPhysicalDevices(reason, true);
  if (devices.empty())
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "get_devices", "vulkan", reason);
  for (const PhysicalDevice *device : devices) {
    TilerunPluginDeviceInfo info = {sizeof(info),         device->ordinal,
                                    device->id.c_str(),   device->uuid.c_str(),
                                    device->name.c_str(), device->targetText.c_str()};
    each(user, &info);
  }
  return TILERUN_STATUS_OK;
}

TilerunStatus shareContext(const PhysicalDevice &physical, uint64_t foreign,
                           std::shared_ptr<Context> &out, const TilerunErrorSink *sink) {
  Contexts &contexts = getContexts();
  std::lock_guard lock(contexts.mutex);
  std::erase_if(contexts.all, [](const auto &weak) { return weak.expired(); });
  for (const std::weak_ptr<Context> &weak : contexts.all)
    if (std::shared_ptr<Context> context = weak.lock())
      if (&context->physical == &physical && !context->loss.isLost() &&
          (!foreign || reinterpret_cast<uint64_t>(context->handle) == foreign)) {
        out = std::move(context);
        return TILERUN_STATUS_OK;
      }
  if (foreign)
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "open_device", physical.id.c_str(),
                "the context is not a VkDevice of this plugin; others cannot be used, "
                "because Vulkan does not report their queues and features");
  auto context = std::make_shared<Context>(physical);
  TILERUN_PLUGIN_TRY(context->open(sink));
  contexts.all.push_back(context);
  out = std::move(context);
  return TILERUN_STATUS_OK;
}

TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                         TilerunPluginDevice **out, const TilerunErrorSink *sink) {
  std::string reason;
  std::vector<const PhysicalDevice *> devices = getPhysicalDevices(reason, false);
  if (ordinal >= devices.size())
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "open_device", "vulkan",
                devices.empty()
                    ? reason
                    : tilerun::plugin_support::describeMissingDevice(ordinal, devices.size()));
  uint64_t foreign = options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context)
                         ? options->foreign_context
                         : 0;
  auto device = std::make_unique<TilerunPluginDevice>();
  TILERUN_PLUGIN_TRY(shareContext(*devices[ordinal], foreign, device->context, sink));
  TILERUN_PLUGIN_TRY(Stream::create(*device->context, device->stream, sink));
  *out = device.release();
  return TILERUN_STATUS_OK;
}

void closeDevice(TilerunPluginDevice *device) {
  if (!device)
    return;
  device->context->retire(std::move(device->stream));
  delete device;
}

TilerunStatus getDeviceState(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  VK_ENTER(*device->context, sink, "get_device_state");
  return TILERUN_STATUS_OK;
}

using tilerun::plugin_support::setValue;

TilerunStatus getDeviceProperty(TilerunPluginDevice *device, uint32_t property,
                                TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  const PhysicalDevice &p = device->context->physical;
  constexpr size_t kPrefix = sizeof("vulkan:") - 1;
  const std::pair<uint32_t, const char *> texts[] = {
      {TILERUN_DEVICE_PROPERTY_NAME, p.name.c_str()},
      {TILERUN_DEVICE_PROPERTY_UUID, p.uuid.c_str()},
      {TILERUN_DEVICE_PROPERTY_ARCH, p.targetText.c_str() + kPrefix},
      {TILERUN_DEVICE_PROPERTY_DRIVER_VERSION, p.driverVersion.c_str()},
      {TILERUN_DEVICE_PROPERTY_PCI_ADDRESS, p.pciAddress.c_str()},
      {TILERUN_DEVICE_PROPERTY_MATRIX_SHAPES, p.matrixShapes.c_str()},
      {TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, p.binaryCompatibility.c_str()}};
  for (auto [number, text] : texts)
    if (property == number && *text)
      return setValue(value, text);
  const std::pair<uint32_t, uint64_t> numbers[] = {
      {TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, p.memory.memoryHeaps[p.deviceHeap].size},
      {TILERUN_DEVICE_PROPERTY_UNITS, p.units},
      {TILERUN_DEVICE_PROPERTY_WARP_SIZE, p.target.subgroupSize},
      {TILERUN_DEVICE_PROPERTY_MAX_THREADS, p.target.maxThreads},
      {TILERUN_DEVICE_PROPERTY_MAX_SHARED, p.target.sharedBytes},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_X, p.maxGrid[0]},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Y, p.maxGrid[1]},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Z, p.maxGrid[2]},
      {TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY, 1},
      {TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY, 0}, // Addresses are the device's alone.
      {TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST, p.isCpu}};
  for (auto [number, content] : numbers)
    if (property == number)
      return setValue(value, content);
  if (property == TILERUN_DEVICE_PROPERTY_MEMORY_FREE)
    return setValue(value, device->context->memory.getFree());
  std::string why = "property " + std::to_string(property) + " is not known";
  if (property == TILERUN_DEVICE_PROPERTY_PCI_ADDRESS)
    why = "the driver does not report a PCI address";
  else if (property == TILERUN_DEVICE_PROPERTY_MATRIX_SHAPES)
    why = "the device has no cooperative matrices";
  else if (property >= TILERUN_DEVICE_PROPERTY_REGISTERS &&
           property <= TILERUN_DEVICE_PROPERTY_CLOCK_KHZ)
    why = "Vulkan does not report property " + std::to_string(property);
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_device_property", *device->context, why);
}

TilerunStatus getNativeContext(TilerunPluginDevice *device, uint64_t *context,
                               const TilerunErrorSink *) {
  *context = reinterpret_cast<uint64_t>(device->context->handle);
  return TILERUN_STATUS_OK;
}

TilerunStatus synchronizeDevice(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "synchronize_device");
  std::vector<std::shared_ptr<Stream>> streams = context.getStreams();
  // All are submitted before the first is waited for.
  for (const std::shared_ptr<Stream> &stream : streams)
    TILERUN_PLUGIN_TRY(stream->flush(sink));
  for (const std::shared_ptr<Stream> &stream : streams)
    TILERUN_PLUGIN_TRY(stream->wait(sink));
  for (const std::shared_ptr<Stream> &stream : streams)
    TILERUN_PLUGIN_TRY(takeReports(*stream, sink));
  return TILERUN_STATUS_OK;
}

} // namespace

std::vector<std::string> vulkan::getKnownTargets() {
  std::string reason;
  std::vector<std::string> targets;
  for (const PhysicalDevice *device : getPhysicalDevices(reason, false))
    if (std::find(targets.begin(), targets.end(), device->targetText) == targets.end())
      targets.push_back(device->targetText);
  return targets;
}

void vulkan::addDeviceEntries(TilerunPlugin &table) {
  table.get_devices = getDevices;
  table.open_device = openDevice;
  table.close_device = closeDevice;
  table.get_device_state = getDeviceState;
  table.get_device_property = getDeviceProperty;
  table.get_native_context = getNativeContext;
  table.synchronize_device = synchronizeDevice;
}
