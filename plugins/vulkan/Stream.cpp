// See Stream.h.
#include "plugins/vulkan/Device.h"

#include "plugins/vulkan/Flusher.h"

#include <algorithm>
#include <chrono>

using namespace vulkan;

TilerunStatus Stream::create(Context &context, std::shared_ptr<Stream> &out,
                             const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "create_stream");
  std::shared_ptr<Stream> stream(new Stream(context));
  TILERUN_PLUGIN_TRY(context.acquireTimeline(stream->timeline, stream->submitted, sink));
  stream->passed = stream->submitted;
  stream->compute = context.acquireQueue(QueueKind::Compute);
  stream->transfer = context.acquireQueue(QueueKind::Transfer);
  context.addStream(stream);
  out = std::move(stream);
  return TILERUN_STATUS_OK;
}

// Its work is done, or the device is lost.
Stream::~Stream() {
  if (open)
    destroyBatch(*open);
  for (auto *list : {&pending, &idle})
    for (std::unique_ptr<Batch> &batch : *list)
      destroyBatch(*batch);
  if (timeline)
    context.releaseTimeline(timeline, submitted);
  context.releaseQueue(compute);
  context.releaseQueue(transfer);
}

void Stream::destroyBatch(Batch &batch) {
  context.table.vkDestroyCommandPool(context.handle, batch.pool, nullptr);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

void Stream::addBarrier(VkCommandBuffer commands, VkPipelineStageFlags2 readers,
                        VkAccessFlags2 accesses) {
  auto barrier = make<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  barrier.dstStageMask = readers;
  barrier.dstAccessMask = accesses;
  auto dependency = make<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  context.table.vkCmdPipelineBarrier2(commands, &dependency);
}

TilerunStatus Stream::makeBatch(QueueKind kind, std::unique_ptr<Batch> &out,
                                const TilerunErrorSink *sink) {
  auto batch = std::make_unique<Batch>();
  batch->kind = kind;
  auto info = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = getQueue(kind).family;
  VK_TRY(context, sink, vkCreateCommandPool(context.handle, &info, nullptr, &batch->pool));
  auto buffers = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  buffers.commandPool = batch->pool;
  buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffers.commandBufferCount = 1;
  if (VkResult result =
          context.table.vkAllocateCommandBuffers(context.handle, &buffers, &batch->commands)) {
    destroyBatch(*batch);
    return failVulkan(sink, context, "vkAllocateCommandBuffers(device, &buffers, &commands)",
                      result);
  }
  batch->retained.reserve(kMostCommands);
  out = std::move(batch);
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::openBatch(QueueKind kind, const TilerunErrorSink *sink) {
  recycle();
  if (pending.size() >= kMostPending) {
    TILERUN_PLUGIN_TRY(waitForCounter(pending.front()->value, sink));
    recycle();
  }
  auto it = std::find_if(idle.begin(), idle.end(),
                         [&](const auto &batch) { return batch->kind == kind; });
  std::unique_ptr<Batch> batch;
  if (it != idle.end()) {
    VK_TRY(context, sink, vkResetCommandPool(context.handle, (*it)->pool, 0));
    batch = std::move(*it);
    idle.erase(it);
  } else if (TilerunStatus status = makeBatch(kind, batch, sink)) {
    return status;
  }
  auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (VkResult result = context.table.vkBeginCommandBuffer(batch->commands, &info)) {
    idle.push_back(std::move(batch));
    return failVulkan(sink, context, "vkBeginCommandBuffer(commands, &info)", result);
  }
  batch->value = submitted + 1;
  batch->numCommands = 0;
  batch->timed = false;
  batch->ended = false;
  batch->isOrdered = false;
  batch->ringStart = ringEnd;
  open = std::move(batch);
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::begin(Recorder &recorder, QueueKind kind, const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "record");
  if (kind == QueueKind::Transfer && !transfer)
    kind = QueueKind::Compute;
  // One that ended could not be submitted before.
  if (open && (open->ended || (open->kind != kind && hasOpenWork())))
    TILERUN_PLUGIN_TRY(submit(sink));
  if (open && open->kind != kind)
    idle.push_back(std::move(open));
  if (!open)
    TILERUN_PLUGIN_TRY(openBatch(kind, sink));
  recorder.commands = open->commands;
  if (!open->isOrdered)
    addBarrier(open->commands);
  open->isOrdered = false;
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::end(std::shared_ptr<void> retained, Urgency urgency,
                          const TilerunErrorSink *sink) {
  if (retained)
    open->retained.push_back(std::move(retained));
  ++open->numCommands;
  // Commands between two timestamps are submitted with them, so that the time between two
  // submissions, which is longer than many kernels, is not part of what is measured.
  if (urgency == Urgency::Patient) {
    open->timed = !open->timed;
    open->isOrdered = true; // A timestamp writes nothing that the next command could read.
  }
  // Transients of the open batch cannot be waited for.
  bool full = open->numCommands >= kMostCommands || ringEnd - open->ringStart > kRingBytes / 4;
  if (!full && (open->timed || !isDrained())) {
    if (open->numCommands == 1)
      context.flusher->add(shared_from_this());
    return TILERUN_STATUS_OK;
  }
  const bool alone = open->numCommands == 1 && open->waits.empty();
  // Earlier commands have returned already: they stay, with this one, and are submitted with the
  // next try.
  TilerunStatus status = submit(alone ? sink : nullptr);
  if (!status)
    return status;
  if (!alone)
    return context.loss.isLost() ? failLost(sink, context, "vkQueueSubmit2") : TILERUN_STATUS_OK;
  open->retained.clear();
  idle.push_back(std::move(open));
  return status;
}

// A value of a timeline, for all commands to wait for or to signal.
static VkSemaphoreSubmitInfo makeMark(VkSemaphore timeline, uint64_t value) {
  auto mark = make<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  mark.semaphore = timeline;
  mark.value = value;
  mark.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return mark;
}

TilerunStatus Stream::submit(const TilerunErrorSink *sink) {
  Batch &batch = *open;
  if (!batch.ended) {
    // For the host, which may read once the semaphore has passed.
    addBarrier(batch.commands, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    if (VkResult result = context.table.vkEndCommandBuffer(batch.commands)) {
      // Its contents are lost.
      if (batch.numCommands > 1)
        loseDevice(context, "vkEndCommandBuffer(commands): " + getResultName(result) +
                                ", so that commands of a stream are gone");
      return failVulkan(sink, context, "vkEndCommandBuffer(commands)", result);
    }
    batch.ended = true;
    // Submissions to one queue are ordered by barriers; those to different ones are not.
    if (batch.kind != lastKind && !hasPassed(submitted))
      batch.waits.push_back(makeMark(timeline, submitted));
  }
  VkSemaphoreSubmitInfo signal = makeMark(timeline, batch.value);
  auto commands = make<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = batch.commands;
  auto info = make<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = static_cast<uint32_t>(batch.waits.size());
  info.pWaitSemaphoreInfos = batch.waits.data();
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  Queue &queue = getQueue(batch.kind);
  {
    std::lock_guard lock(queue.mutex);
    VK_TRY(context, sink, vkQueueSubmit2(queue.handle, 1, &info, VK_NULL_HANDLE));
  }
  submitted = batch.value;
  lastKind = batch.kind;
  batch.ringEnd = ringEnd;
  batch.waits.clear();
  pending.push_back(std::move(open));
  return TILERUN_STATUS_OK;
}

// Takes back the batches that are done.
void Stream::recycle() {
  if (pending.empty())
    return;
  readCounter(nullptr);
  const uint64_t done = passed;
  size_t count = 0;
  for (; count < pending.size() && pending[count]->value <= done; ++count) {
    std::unique_ptr<Batch> &batch = pending[count];
    ringBegin = batch->ringEnd;
    batch->retained.clear();
    idle.push_back(std::move(batch));
  }
  pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(count));
}

void Stream::settle() {
  std::vector<std::shared_ptr<void>> ended; // Outlives the lock.
  std::lock_guard lock(mutex);
  auto take = [&](Batch &batch) {
    ended.insert(ended.end(), batch.retained.begin(), batch.retained.end());
    batch.retained.clear();
  };
  readCounter(nullptr);
  for (const std::unique_ptr<Batch> &batch : pending)
    if (context.loss.isLost() || batch->value <= passed)
      take(*batch);
  if (context.loss.isLost() && open)
    take(*open);
  recycle();
}

TilerunStatus Stream::allocateTransient(uint64_t bytes, Transient &out,
                                        const TilerunErrorSink *sink) {
  constexpr uint64_t kAlignment = 256;
  bytes = (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > kLargestTransient)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "allocateTransient", context,
                std::to_string(bytes) + " bytes of parameters; the maximum is " +
                    std::to_string(kLargestTransient));
  if (!ring)
    TILERUN_PLUGIN_TRY(context.memory.makeBlock(MemoryKind::Upload, kRingBytes, ring, sink));
  uint64_t start = ringEnd;
  if (start % kRingBytes + bytes > kRingBytes)
    start = (start / kRingBytes + 1) * kRingBytes;
  while (start + bytes - ringBegin > kRingBytes) {
    recycle();
    if (start + bytes - ringBegin <= kRingBytes || pending.empty())
      break;
    TILERUN_PLUGIN_TRY(waitForCounter(pending.front()->value, sink));
  }
  ringEnd = start + bytes;
  out.offset = start % kRingBytes;
  out.host = ring->host + out.offset;
  out.address = ring->address + out.offset;
  out.buffer = ring->buffer;
  return TILERUN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Stream::raisePassed(uint64_t value) {
  uint64_t known = passed.load();
  while (known < value && !passed.compare_exchange_weak(known, value)) {
  }
}

TilerunStatus Stream::readCounter(const TilerunErrorSink *sink) {
  uint64_t value = 0;
  VK_TRY(context, sink, vkGetSemaphoreCounterValue(context.handle, timeline, &value));
  raisePassed(value);
  return TILERUN_STATUS_OK;
}

bool Stream::hasPassed(uint64_t value) {
  if (value <= passed.load(std::memory_order_acquire))
    return true;
  return !context.loss.isLost() && !readCounter(nullptr) && value <= passed.load();
}

// With some drivers, waits time out forever after a fault, and only other calls report the loss.
TilerunStatus Stream::probe(const TilerunErrorSink *sink) {
  TILERUN_PLUGIN_TRY(readCounter(sink));
  Queue &queue = getQueue(QueueKind::Compute);
  std::lock_guard lock(queue.mutex);
  VK_TRY(context, sink, vkQueueSubmit2(queue.handle, 0, nullptr, VK_NULL_HANDLE));
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::waitForCounter(uint64_t value, const TilerunErrorSink *sink) {
  if (value <= passed.load(std::memory_order_acquire))
    return TILERUN_STATUS_OK;
  auto info = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  // A GPU is often done before a thread could sleep and be woken.
  if (!context.physical.isCpu) {
    constexpr auto kSpin = std::chrono::microseconds(30);
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      TILERUN_PLUGIN_TRY(readCounter(sink));
      if (value <= passed)
        return TILERUN_STATUS_OK;
    } while (std::chrono::steady_clock::now() < end);
  }
  // In slices, so that a loss that another call saw ends the wait.
  constexpr uint64_t kSlice = 1'000'000'000;
  for (;;) {
    VkResult result = context.table.vkWaitSemaphores(context.handle, &info, kSlice);
    if (result < 0)
      return failVulkan(sink, context, "vkWaitSemaphores(device, &info, timeout)", result);
    if (result == VK_SUCCESS)
      break;
    VK_ENTER(context, sink, "wait");
    TILERUN_PLUGIN_TRY(probe(sink));
  }
  raisePassed(value);
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::flushLocked(const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "flush");
  return hasOpenWork() ? submit(sink) : TILERUN_STATUS_OK;
}

TilerunStatus Stream::flush(const TilerunErrorSink *sink) {
  std::lock_guard lock(mutex);
  return flushLocked(sink);
}

bool Stream::flushIfDrained() {
  std::lock_guard lock(mutex);
  if (!hasOpenWork() || context.loss.isLost())
    return true;
  return isDrained() && submit(nullptr) == TILERUN_STATUS_OK;
}

uint64_t Stream::getLastValue() {
  std::lock_guard lock(mutex);
  return hasOpenWork() ? open->value : submitted;
}

TilerunStatus Stream::flushFor(uint64_t value, const char *call, const TilerunErrorSink *sink) {
  std::lock_guard lock(mutex);
  VK_ENTER(context, sink, call);
  return value > submitted ? flushLocked(sink) : TILERUN_STATUS_OK;
}

TilerunStatus Stream::waitFor(uint64_t value, const TilerunErrorSink *sink) {
  TILERUN_PLUGIN_TRY(flushFor(value, "wait", sink));
  TILERUN_PLUGIN_TRY(waitForCounter(value, sink));
  std::lock_guard lock(mutex);
  recycle();
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::queryFor(uint64_t value, const TilerunErrorSink *sink) {
  TILERUN_PLUGIN_TRY(flushFor(value, "query", sink));
  if (value <= passed)
    return TILERUN_STATUS_OK;
  TILERUN_PLUGIN_TRY(readCounter(sink));
  return value <= passed ? TILERUN_STATUS_OK : TILERUN_STATUS_NOT_READY;
}

TilerunStatus Stream::finishAll(TilerunStatus (Stream::*how)(uint64_t, const TilerunErrorSink *),
                                const TilerunErrorSink *sink) {
  const uint32_t launches = log.getCount();
  TILERUN_PLUGIN_TRY((this->*how)(getLastValue(), sink));
  log.finish(launches);
  return TILERUN_STATUS_OK;
}

TilerunStatus Stream::waitForStream(Stream &other, uint64_t value, const TilerunErrorSink *sink) {
  if (&other == this || other.hasPassed(value))
    return TILERUN_STATUS_OK;
  // A wait is submitted after what it waits for, so that no order of queues can block.
  {
    std::lock_guard lock(other.mutex);
    if (value > other.submitted)
      TILERUN_PLUGIN_TRY(other.flushLocked(sink));
  }
  std::lock_guard lock(mutex);
  VK_ENTER(context, sink, "wait_event");
  // Earlier commands do not wait.
  if (open && (open->ended || open->numCommands))
    TILERUN_PLUGIN_TRY(submit(sink));
  if (!open)
    TILERUN_PLUGIN_TRY(openBatch(lastKind, sink));
  open->waits.push_back(makeMark(other.timeline, value));
  open->retained.push_back(other.shared_from_this());
  return TILERUN_STATUS_OK;
}
