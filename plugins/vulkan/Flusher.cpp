// See Flusher.h.
#include "plugins/vulkan/Flusher.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>

using namespace vulkan;

Flusher::~Flusher() {
  {
    std::lock_guard lock(mutex);
    ending = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void Flusher::add(std::shared_ptr<Stream> stream) {
  {
    std::lock_guard lock(mutex);
    added.push_back(std::move(stream));
    if (!thread.joinable()) {
      // Signals are for the program's own threads.
      sigset_t all, before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      thread = std::thread([this] { run(); });
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  }
  wake.notify_one();
}

void Flusher::run() {
  // Short enough that a device hardly idles after a short kernel; it grows with the time that one
  // takes.
  constexpr auto kShortest = std::chrono::microseconds(20), kLongest = 50 * kShortest;
  auto pause = kShortest;
  std::vector<std::shared_ptr<Stream>> watched, fresh;
  std::unique_lock lock(mutex);
  while (!ending) {
    if (watched.empty()) {
      wake.wait(lock, [&] { return ending || !added.empty(); });
      pause = kShortest;
    }
    if (!ending)
      wake.wait_for(lock, pause); // More commands may come for the same batch.
    fresh.swap(added);
    lock.unlock();
    pause = fresh.empty() ? std::min(2 * pause, kLongest) : kShortest;
    for (std::shared_ptr<Stream> &stream : fresh)
      watched.push_back(std::move(stream));
    fresh.clear();
    std::erase_if(watched,
                  [](const std::shared_ptr<Stream> &stream) { return stream->flushIfDrained(); });
    lock.lock();
  }
}
