// See Reports.h.
#include "plugins/hip/Reports.h"
#include "backends/common/DebugReader.h"

#include <cstdio>

using namespace hip;
using tilerun::backend::DebugBuffer;

#define HIP(call)                                                                                  \
  Outcome { driver.call, #call }
#define TRY_HIP(call)                                                                              \
  if (const Outcome outcome_ = HIP(call))                                                          \
  return outcome_

/// Of a launch, with the header.
static constexpr size_t kBytes = size_t(1) << 20;
static constexpr size_t kWords = kBytes / sizeof(uint32_t);
/// Launches that wait to be read; the next one waits for the oldest.
static constexpr size_t kMostPending = 64;

static thread_local std::string failureOfThread;

const std::string &Reports::getFailure() { return failureOfThread; }

// On the device, because the atomics of one are not sure to reach the host's memory.
Reports::Outcome Reports::makeBuffer(Buffer &buffer) {
  void *device = nullptr, *host = nullptr;
  constexpr unsigned kPortable = 1, kDisableTiming = 2;
  TRY_HIP(hipMalloc(&device, kBytes));
  buffer.address = reinterpret_cast<uint64_t>(device);
  TRY_HIP(hipHostMalloc(&host, kBytes, kPortable));
  buffer.host = static_cast<uint32_t *>(host);
  TRY_HIP(hipEventCreateWithFlags(&buffer.done, kDisableTiming));
  return {};
}

Reports::Outcome Reports::prepare(hipStream_t stream, std::shared_ptr<const Messages> messages,
                                  std::list<Buffer> &buffer) {
  std::lock_guard lock(mutex);
  // A host that launches and never waits gets the lines all the same.
  if (pending.size() >= kMostPending) {
    const hipEvent_t oldest = pending.front().done;
    TRY_HIP(hipEventSynchronize(oldest));
    read(pending.front());
    idle.splice(idle.end(), pending, pending.begin());
    count.store(pending.size(), std::memory_order_relaxed);
  }
  if (idle.empty()) {
    idle.emplace_back();
    if (const Outcome outcome = makeBuffer(idle.back())) {
      broken.splice(broken.end(), idle, std::prev(idle.end()));
      return outcome;
    }
  }
  buffer.splice(buffer.end(), idle, std::prev(idle.end()));
  Buffer &own = buffer.back();
  own.stream = stream;
  own.messages = std::move(messages);
  auto *const address = reinterpret_cast<void *>(own.address);
  Outcome outcome = HIP(hipMemsetD32Async(address, 0, kWords, stream));
  if (!outcome) {
    constexpr int kCapacity = kWords - DebugBuffer::kHeaderWords;
    static_assert(DebugBuffer::kCapacity == 0);
    outcome = HIP(hipMemsetD32Async(address, kCapacity, 1, stream));
  }
  if (outcome)
    broken.splice(broken.end(), buffer);
  return outcome;
}

Reports::Outcome Reports::add(std::list<Buffer> &buffer) {
  std::lock_guard lock(mutex);
  Buffer &own = buffer.back();
  auto *const address = reinterpret_cast<void *>(own.address);
  const hipEvent_t done = own.done;
  const hipStream_t stream = own.stream;
  Outcome outcome = HIP(hipMemcpyDtoHAsync(own.host, address, kBytes, stream));
  if (!outcome)
    outcome = HIP(hipEventRecord(done, stream));
  std::list<Buffer> &next = outcome ? broken : pending;
  next.splice(next.end(), buffer);
  count.store(pending.size(), std::memory_order_relaxed);
  return outcome;
}

// Prints; keeps the first failure.
void Reports::read(const Buffer &buffer) {
  tilerun::backend::DebugReport report =
      readDebugBuffer(buffer.messages->sites, {buffer.host, kWords}, buffer.messages->kernel);
  std::fwrite(report.printed.data(), 1, report.printed.size(), stdout);
  if (!report.printed.empty())
    std::fflush(stdout);
  if (failure.empty())
    failure = std::move(report.failure);
}

Reports::Outcome Reports::takeDone(const hipStream_t *stream, const char *call) {
  std::lock_guard lock(mutex);
  for (auto it = pending.begin(); it != pending.end();) {
    const auto next = std::next(it);
    const bool isAsked = !stream || it->stream == *stream || !it->stream;
    if (isAsked && driver.hipEventQuery(it->done) == kSuccess) {
      read(*it);
      idle.splice(idle.end(), pending, it);
    }
    it = next;
  }
  count.store(pending.size(), std::memory_order_relaxed);
  if (failure.empty())
    return {};
  failureOfThread = std::move(failure);
  failure.clear();
  return {kFailedAssertion, call};
}

void Reports::forget(hipStream_t stream) {
  std::lock_guard lock(mutex);
  for (Buffer &buffer : pending)
    if (buffer.stream == stream)
      buffer.stream = nullptr;
}

void Reports::close() {
  std::lock_guard lock(mutex);
  for (std::list<Buffer> *list : {&pending, &idle, &broken}) {
    for (const Buffer &buffer : *list) {
      if (buffer.address)
        driver.hipFree(reinterpret_cast<void *>(buffer.address));
      if (buffer.host)
        driver.hipHostFree(buffer.host);
      if (buffer.done)
        driver.hipEventDestroy(buffer.done);
    }
    list->clear();
  }
}
