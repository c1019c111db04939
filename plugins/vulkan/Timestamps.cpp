// See Timestamps.h.
#include "plugins/vulkan/Device.h"

using namespace vulkan;

TimestampSlot::~TimestampSlot() {
  std::lock_guard lock(pool.mutex);
  pool.free.emplace_back(queries, index);
}

TimestampPool::~TimestampPool() {
  for (VkQueryPool queries : pools)
    context.table.vkDestroyQueryPool(context.handle, queries, nullptr);
}

TilerunStatus TimestampPool::acquire(std::shared_ptr<TimestampSlot> &out,
                                     const TilerunErrorSink *sink) {
  std::lock_guard lock(mutex);
  if (free.empty()) {
    constexpr uint32_t kCount = 256;
    auto info = make<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kCount;
    VkQueryPool queries = VK_NULL_HANDLE;
    VK_TRY(context, sink, vkCreateQueryPool(context.handle, &info, nullptr, &queries));
    pools.push_back(queries);
    for (uint32_t i = kCount; i-- > 0;)
      free.emplace_back(queries, i);
  }
  auto [queries, index] = free.back();
  free.pop_back();
  // Here, where it does not add to the measured time.
  context.table.vkResetQueryPool(context.handle, queries, index, 1);
  out = std::make_shared<TimestampSlot>(*this, queries, index);
  return TILERUN_STATUS_OK;
}
