// Streams: commands in order, gathered in command buffers, each of which signals a value of the
// stream's timeline semaphore when it is done.
//
// Rules. A command is recorded behind a full memory barrier, so that it sees what came before it on
// the stream. A batch (one command buffer) is submitted at once if the stream is idle or the batch
// is full, else when something waits for it, or by the flusher once the batches before it are done:
// so commands that follow each other quickly share a submission, and none waits for the host
// forever. Whoever needs a command to be under way calls `flush`.
//
// Locks. A stream has a mutex, a queue another one, because Vulkan demands that command buffers and
// queues are used by one thread at a time. Both are held for as long as one command takes to be
// recorded or one batch to be submitted; never while something is waited for. Order: stream, then
// queue. Nothing is allocated for a command once a stream is warm.
#pragma once

#include "plugins/support/LaunchLog.h"
#include "plugins/vulkan/Error.h"
#include "plugins/vulkan/Reports.h"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace vulkan {

struct Block;

/// A queue of the device.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t family = 0;
  uint32_t timestampBits = 0;
  std::mutex mutex;          ///< Around submissions.
  std::atomic<int> users{0}; ///< Streams that have it.
};

enum class QueueKind { Compute, Transfer };

/// A piece of host-visible memory with an address, which is the command's until it is done.
struct Transient {
  void *host = nullptr;
  TilerunAddress address = 0;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0; ///< Of the piece in the buffer.
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  /// Largest piece that allocateTransient gives.
  static constexpr uint64_t kLargestTransient = uint64_t(1) << 20;

  /// What a command is recorded with.
  class Recorder {
  public:
    VkCommandBuffer getCommands() const { return commands; }
    /// Memory for parameters or staging, aligned to 256. May wait for earlier commands of the
    /// stream to end.
    TilerunStatus allocateTransient(uint64_t bytes, Transient &out, const TilerunErrorSink *sink) {
      return stream.allocateTransient(bytes, out, sink);
    }
    /// A further barrier, for a command of several steps.
    void addBarrier() { stream.addBarrier(commands); }

  private:
    friend class Stream;
    explicit Recorder(Stream &stream) : stream(stream) {}
    Stream &stream;
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };

  static TilerunStatus create(Context &context, std::shared_ptr<Stream> &out,
                              const TilerunErrorSink *sink);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Records a command: `fill(Recorder &)` returns a status, and records nothing unless that is OK.
  /// `retained` is kept until the command is done.
  template <typename Fill>
  TilerunStatus record(Fill &&fill, const TilerunErrorSink *sink,
                       std::shared_ptr<void> retained = nullptr,
                       QueueKind kind = QueueKind::Compute) {
    std::lock_guard lock(mutex);
    Recorder recorder(*this);
    if (TilerunStatus status = begin(recorder, kind, sink))
      return status;
    if (TilerunStatus status = fill(recorder))
      return status;
    return end(std::move(retained), sink);
  }

  /// Submits what is recorded.
  TilerunStatus flush(const TilerunErrorSink *sink);
  /// Flushes, and waits until all is done.
  TilerunStatus wait(const TilerunErrorSink *sink);
  /// Flushes; OK if all is done, else NOT_READY.
  TilerunStatus query(const TilerunErrorSink *sink);
  /// Waits for one value; what is before it is flushed.
  TilerunStatus waitFor(uint64_t value, const TilerunErrorSink *sink);
  /// OK if the value has passed, else NOT_READY. Flushes what is before it.
  TilerunStatus queryFor(uint64_t value, const TilerunErrorSink *sink);
  /// The value that stands for all work so far; 0 if there was none.
  uint64_t getLastValue();
  /// Later commands wait until `other` has passed `value`. Both are streams of one context.
  TilerunStatus waitForStream(Stream &other, uint64_t value, const TilerunErrorSink *sink);
  /// Whether the value is known to have passed; asks the driver if need be. No error: false.
  bool hasPassed(uint64_t value);
  /// Bits of a timestamp that commands of this stream write.
  uint32_t getTimestampBits() const { return compute->timestampBits; }

  Context &context;
  tilerun::plugin_support::LaunchLog log;
  ReportQueue reports; ///< Of kernels that print or assert.

private:
  friend class Flusher;
  /// One command buffer and what goes with it.
  struct Batch {
    QueueKind kind = QueueKind::Compute;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0; ///< Signalled at its end.
    uint32_t numCommands = 0;
    bool ended = false;
    uint64_t ringEnd = 0; ///< Position of the ring when it was submitted.
    std::vector<std::shared_ptr<void>> retained;
    std::vector<VkSemaphoreSubmitInfo> waits;
  };

  explicit Stream(Context &context) : context(context) {}
  TilerunStatus begin(Recorder &recorder, QueueKind kind, const TilerunErrorSink *sink);
  TilerunStatus end(std::shared_ptr<void> retained, const TilerunErrorSink *sink);
  TilerunStatus openBatch(QueueKind kind, const TilerunErrorSink *sink);
  TilerunStatus makeBatch(QueueKind kind, std::unique_ptr<Batch> &out,
                          const TilerunErrorSink *sink);
  TilerunStatus submit(const TilerunErrorSink *sink);
  TilerunStatus allocateTransient(uint64_t bytes, Transient &out, const TilerunErrorSink *sink);
  TilerunStatus waitLocked(uint64_t value, const TilerunErrorSink *sink);
  TilerunStatus readCounter(const TilerunErrorSink *sink);
  void addBarrier(VkCommandBuffer commands);
  void recycle();
  void destroyBatch(Batch &batch);

  std::mutex mutex; ///< Guards what follows, but for the atomics.
  VkSemaphore timeline = VK_NULL_HANDLE;
  Queue *compute = nullptr;
  Queue *transfer = nullptr; ///< Null where there is no queue for copies alone.
  std::unique_ptr<Batch> open;
  std::deque<std::unique_ptr<Batch>> pending;   ///< Submitted, oldest first.
  std::vector<std::unique_ptr<Batch>> idle;     ///< To be used again.
  std::vector<VkSemaphoreSubmitInfo> nextWaits; ///< Of the next batch.
  QueueKind lastKind = QueueKind::Compute;      ///< Of the last submission.
  uint64_t submitted = 0;                       ///< Highest value that was submitted.
  std::atomic<uint64_t> passed{0};              ///< Highest value that is known to have passed.
  /// The ring of transients: positions grow without end, and are taken modulo its size.
  std::shared_ptr<Block> ring;
  uint64_t ringBegin = 0, ringEnd = 0;
};

} // namespace vulkan
