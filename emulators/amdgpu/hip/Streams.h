// Streams and events of the emulated runtime: ordered queues, each with a thread of its own.
//
// Work of the null stream waits for what blocking streams were given before it, and their later
// work for it; streams created as non-blocking are ordered by events alone.
#ifndef TILERUN_EMULATORS_AMDGPU_HIP_STREAMS_H
#define TILERUN_EMULATORS_AMDGPU_HIP_STREAMS_H

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace tilerun::amdsim::hip {

struct Gpu;

// The end of one piece of work. Thread-safe.
class Point {
public:
  void finish();
  void wait() const;
  bool isDone() const;
  // When it was finished; only once it is.
  std::chrono::steady_clock::time_point time() const;

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point when;
};
using PointPtr = std::shared_ptr<Point>;

// Runs what it is given in order, on its own thread. Thread-safe.
class Stream {
public:
  Stream(Gpu &gpu, bool isBlocking);
  ~Stream(); // waits for all work
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  Gpu &gpu;
  const bool isBlocking;

  // The work's end. Must not be called by work of a stream.
  PointPtr submit(std::function<void()> work);
  // The end of what was submitted last; null if nothing was.
  PointPtr last() const;

private:
  struct Item {
    std::function<void()> work;
    PointPtr end;
  };
  void run();

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> items;
  PointPtr lastPoint;
  bool stops = false;
  std::thread worker;
};

// The null stream's and the blocking streams' order among each other is kept here.
PointPtr submitOrdered(Stream &stream, std::function<void()> work);

} // namespace tilerun::amdsim::hip

#endif
