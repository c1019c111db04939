// A thread that submits batches which were left open while others were in flight, as soon as those
// are done. It starts with the first such batch.
#pragma once

#include "plugins/vulkan/Stream.h"

#include <condition_variable>
#include <thread>

namespace vulkan {

class Flusher {
public:
  Flusher() = default;
  ~Flusher();
  Flusher(const Flusher &) = delete;
  Flusher &operator=(const Flusher &) = delete;

  /// `stream` has an open batch, and others in flight. Called under the stream's lock.
  void add(std::shared_ptr<Stream> stream);

private:
  void run();

  std::mutex mutex; ///< Guards what follows; taken after a stream's.
  std::condition_variable wake;
  std::vector<std::shared_ptr<Stream>> added;
  bool ending = false;
  std::thread thread;
};

} // namespace vulkan
