// Streams: commands in order, gathered in command buffers, each of which signals a value of the
// stream's timeline semaphore when it is done.
//
// Rules. A command is recorded behind a full memory barrier, so that it sees what came before it on
// the stream. A batch (one command buffer) is submitted at once if it is full or fewer than two
// are in flight, else when something waits for it, or by the flusher once there are fewer: so
// commands that follow each other quickly share a submission, the device always has the next one,
// and none waits for the host forever. A value of the timeline is promised to a batch when it is
// opened.
//
// Locks. A stream has a mutex, a queue another one, because Vulkan demands that command buffers and
// queues are used by one thread at a time. Both are held for as long as one command takes to be
// recorded or one batch to be submitted; while something is waited for only where the stream's ring
// of transient memory is full, or too many batches are in flight. Order: stream, memory, queue.
// Nothing is allocated for a command once a stream is warm.
#pragma once

#include "plugins/support/LaunchLog.h"
#include "plugins/vulkan/Error.h"
#include "plugins/vulkan/Reports.h"

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
  std::mutex mutex;   ///< Around submissions.
  uint32_t users = 0; ///< Streams that have it; under the context's lock.
};

enum class QueueKind { Compute, Transfer };

/// Whether a command should be in flight soon, or may wait for the next one: timestamps, which come
/// in pairs.
enum class Urgency { Soon, Patient };

/// A piece of host-visible memory with an address, which belongs to the command until it is done.
struct Transient {
  void *host = nullptr;
  TilerunAddress address = 0;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0; ///< Of the piece in the buffer.
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  /// Largest piece that allocateTransient gives; all of one command together, too.
  static constexpr uint64_t kLargestTransient = uint64_t(1) << 20;

  /// The context in which a command is recorded.
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
                       QueueKind kind = QueueKind::Compute, Urgency urgency = Urgency::Soon) {
    std::lock_guard lock(mutex);
    Recorder recorder(*this);
    TILERUN_PLUGIN_TRY(begin(recorder, kind, sink));
    TILERUN_PLUGIN_TRY(fill(recorder));
    return end(std::move(retained), urgency, sink);
  }

  /// Submits what is recorded.
  TilerunStatus flush(const TilerunErrorSink *sink);
  /// The flusher's: submits if few batches are in flight; false if it must look again.
  bool flushIfDrained();
  /// Flushes, and waits until all is done.
  TilerunStatus wait(const TilerunErrorSink *sink) { return finishAll(&Stream::waitFor, sink); }
  /// Flushes; OK if all is done, else NOT_READY.
  TilerunStatus query(const TilerunErrorSink *sink) { return finishAll(&Stream::queryFor, sink); }
  /// The value that stands for all work so far; 0 if there was none. It may not be submitted yet.
  uint64_t getLastValue();
  /// Flushes what is before `value`, and waits for it.
  TilerunStatus waitFor(uint64_t value, const TilerunErrorSink *sink);
  /// Flushes what is before `value`; OK if it has passed, else NOT_READY.
  TilerunStatus queryFor(uint64_t value, const TilerunErrorSink *sink);
  /// Later commands wait until `other` has passed `value`. Both are streams of one context.
  TilerunStatus waitForStream(Stream &other, uint64_t value, const TilerunErrorSink *sink);
  /// Whether the value has passed; asks the driver if need be, and takes no lock. No error: false.
  bool hasPassed(uint64_t value);
  bool isIdle() { return hasPassed(getLastValue()); }

  /// Keeps something as long as the stream, whose state is not known after a failure.
  void keep(std::shared_ptr<void> owned) {
    std::lock_guard lock(mutex);
    kept.push_back(std::move(owned));
  }

  /// Releases what completed commands retained, including other streams, which may retain this one
  /// in turn. On a lost device, that of all commands.
  void settle();

  /// Of a timestamp that commands of this stream write; 0: there are none.
  uint32_t getTimestampBits() const { return compute->timestampBits; }

  Context &context;
  tilerun::plugin_support::LaunchLog log;
  ReportQueue reports; ///< The prints and assertions of launches.

private:
  /// One command buffer and what goes with it.
  struct Batch {
    QueueKind kind = QueueKind::Compute;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0; ///< Signalled at its end.
    uint32_t numCommands = 0;
    bool timed = false; ///< After a timestamp, before the one that ends what is measured.
    bool ended = false;
    bool isOrdered = false;              ///< The next command sees all before it without a barrier.
    uint64_t ringStart = 0, ringEnd = 0; ///< Its part of the ring.
    std::vector<VkSemaphoreSubmitInfo> waits;
    std::vector<std::shared_ptr<void>> retained;
  };
  static constexpr uint32_t kMostCommands = 64; ///< Of a batch.
  static constexpr size_t kMostPending = 64;    ///< Batches in flight.
  static constexpr uint64_t kRingBytes = 8 << 20;

  explicit Stream(Context &context) : context(context) {}
  /// Waits for all work, or asks for it, and marks its launches as finished.
  TilerunStatus finishAll(TilerunStatus (Stream::*how)(uint64_t, const TilerunErrorSink *),
                          const TilerunErrorSink *sink);
  /// Submits what is before `value`.
  TilerunStatus flushFor(uint64_t value, const char *call, const TilerunErrorSink *sink);
  // All of these under the stream's lock.
  TilerunStatus begin(Recorder &recorder, QueueKind kind, const TilerunErrorSink *sink);
  TilerunStatus end(std::shared_ptr<void> retained, Urgency urgency, const TilerunErrorSink *sink);
  TilerunStatus openBatch(QueueKind kind, const TilerunErrorSink *sink);
  TilerunStatus makeBatch(QueueKind kind, std::unique_ptr<Batch> &out,
                          const TilerunErrorSink *sink);
  TilerunStatus submit(const TilerunErrorSink *sink);
  TilerunStatus flushLocked(const TilerunErrorSink *sink);
  TilerunStatus allocateTransient(uint64_t bytes, Transient &out, const TilerunErrorSink *sink);
  /// Asks the driver whether the device is there, without waiting.
  TilerunStatus probe(const TilerunErrorSink *sink);
  TilerunStatus waitForCounter(uint64_t value, const TilerunErrorSink *sink);
  TilerunStatus readCounter(const TilerunErrorSink *sink);
  void addBarrier(VkCommandBuffer commands,
                  VkPipelineStageFlags2 readers = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                  VkAccessFlags2 accesses = VK_ACCESS_2_MEMORY_READ_BIT |
                                            VK_ACCESS_2_MEMORY_WRITE_BIT);
  void recycle();
  void destroyBatch(Batch &batch);
  void raisePassed(uint64_t value);
  Queue &getQueue(QueueKind kind) { return kind == QueueKind::Transfer ? *transfer : *compute; }
  /// Whether at most one batch is in flight. Values are consecutive.
  bool isDrained() { return submitted == 0 || hasPassed(submitted - 1); }
  bool hasOpenWork() const { return open && (open->numCommands || !open->waits.empty()); }

  VkSemaphore timeline = VK_NULL_HANDLE;
  Queue *compute = nullptr;
  Queue *transfer = nullptr;       ///< Null if there is no queue for copies only.
  std::atomic<uint64_t> passed{0}; ///< Highest value that is known to have passed.

  std::mutex mutex; ///< Guards what follows.
  std::unique_ptr<Batch> open;
  std::vector<std::unique_ptr<Batch>> pending; ///< Submitted, oldest first.
  std::vector<std::unique_ptr<Batch>> idle;    ///< To be used again.
  QueueKind lastKind = QueueKind::Compute;     ///< Of the last submission.
  uint64_t submitted = 0;                      ///< Highest value that was submitted.
  /// The ring of transients: positions grow without end, and are taken modulo its size.
  std::shared_ptr<Block> ring;
  uint64_t ringBegin = 0, ringEnd = 0;
  std::vector<std::shared_ptr<void>> kept;
};

} // namespace vulkan
