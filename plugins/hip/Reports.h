// The prints and assertions of kernels: the buffers that launches write to, and reading them once
// the launches are done. backends/common/DebugBuffer.h has the format.
#pragma once

#include "backends/common/DebugBuffer.h"
#include "plugins/hip/Driver.h"
#include "plugins/stream_driver/Device.h"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hip {

/// What a kernel may say.
struct Messages {
  std::string kernel;
  std::vector<tilerun::backend::DebugSite> sites;
};

/// Those of one device, of which any thread may launch and wait. The device is current in every
/// call.
class Reports {
public:
  using Outcome = tilerun::stream_driver::Outcome;

  /// A buffer on the device, where its contents are copied to after a launch, and when that is
  /// done.
  struct Buffer {
    uint64_t address = 0;
    uint32_t *host = nullptr;
    hipEvent_t done = nullptr;
    hipStream_t stream = nullptr;
    std::shared_ptr<const Messages> messages;
  };
  explicit Reports(const Driver &driver) : driver(driver) {}

  /// An empty buffer for a launch on `stream`, whose work empties it.
  Outcome prepare(hipStream_t stream, std::shared_ptr<const Messages> messages,
                  std::list<Buffer> &buffer);
  /// After the launch, whether it has worked or not: its messages are read once its work is done.
  /// The list's buffer goes to this object.
  Outcome add(std::list<Buffer> &buffer);
  /// Lines for stdout of launches that are done: on one stream, or on all. kFailedAssertion with
  /// the text of getFailure if one of them failed. Cheap if there are none: one look at an atomic.
  Outcome take(const hipStream_t *stream, const char *call) {
    return count.load(std::memory_order_relaxed) == 0 ? Outcome() : takeDone(stream, call);
  }
  /// Work of a stream that ends is told of by the next wait for any other.
  void forget(hipStream_t stream);
  /// Frees all; nothing may run any more.
  void close();
  /// What `take` has found last, in this thread.
  static const std::string &getFailure();

private:
  Outcome takeDone(const hipStream_t *stream, const char *call);
  Outcome makeBuffer(Buffer &buffer);
  void read(const Buffer &buffer);

  const Driver &driver;
  std::atomic<size_t> count{0}; ///< Of `pending`.
  std::mutex mutex;             ///< Guards what follows.
  std::list<Buffer> pending;    ///< In the order of launches.
  std::list<Buffer> idle;
  std::list<Buffer> broken; ///< Whose launch may still use them, though a call has failed.
  std::string failure;      ///< Of a launch that had to be read early.
};

} // namespace hip
