// Streams and events.
#include "emulators/amdgpu/hip/Runtime.h"

namespace tilerun::amdsim::hip {

void Point::finish() {
  std::lock_guard lock(mutex);
  done = true, when = std::chrono::steady_clock::now();
  changed.notify_all();
}
void Point::wait() const {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return done; });
}
bool Point::isDone() const {
  std::lock_guard lock(mutex);
  return done;
}
std::chrono::steady_clock::time_point Point::time() const {
  std::lock_guard lock(mutex);
  return when;
}

Stream::Stream(Gpu &gpu, bool isBlocking)
    : gpu(gpu), isBlocking(isBlocking), worker([this] { run(); }) {}

Stream::~Stream() {
  {
    std::lock_guard lock(mutex);
    stops = true;
    changed.notify_all();
  }
  worker.join();
}

PointPtr Stream::submit(std::function<void()> work) {
  auto end = std::make_shared<Point>();
  std::lock_guard lock(mutex);
  items.push_back({std::move(work), end});
  lastPoint = end;
  changed.notify_all();
  return end;
}

PointPtr Stream::last() const {
  std::lock_guard lock(mutex);
  return lastPoint;
}

void Stream::run() {
  for (;;) {
    Item item;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stops || !items.empty(); });
      if (items.empty())
        return;
      item = std::move(items.front());
      items.pop_front();
    }
    item.work();
    item.work = nullptr; // what it held is freed before anyone learns that it is done
    item.end->finish();
  }
}

PointPtr submitOrdered(Stream &stream, std::function<void()> work) {
  Gpu &gpu = stream.gpu;
  std::lock_guard lock(gpu.orderMutex);
  std::vector<PointPtr> before;
  if (&stream == gpu.nullStream.get()) {
    for (const auto &[handle, other] : gpu.streams)
      if (other->isBlocking)
        before.push_back(other->last());
  } else if (stream.isBlocking) {
    before.push_back(gpu.nullStream->last());
  }
  return stream.submit([before = std::move(before), work = std::move(work)] {
    for (const PointPtr &point : before)
      if (point)
        point->wait();
    work();
  });
}

namespace {

// The stream of a handle on its device; null means the thread's device.
std::shared_ptr<Stream> find(hipStream_t handle) {
  Runtime &runtime = getRuntime();
  if (!handle) {
    Gpu *gpu = currentGpu();
    return gpu ? gpu->nullStream : nullptr;
  }
  for (const auto &gpu : runtime.gpus) {
    std::lock_guard lock(gpu->orderMutex);
    if (auto it = gpu->streams.find(handle); it != gpu->streams.end())
      return it->second;
  }
  return nullptr;
}

} // namespace

std::shared_ptr<Stream> findStream(hipStream_t handle) { return find(handle); }

void synchronize(Gpu &gpu) {
  std::vector<PointPtr> ends;
  {
    std::lock_guard lock(gpu.orderMutex);
    ends.push_back(gpu.nullStream->last());
    for (const auto &[handle, stream] : gpu.streams)
      ends.push_back(stream->last());
  }
  for (const PointPtr &end : ends)
    if (end)
      end->wait();
}

} // namespace tilerun::amdsim::hip

using namespace tilerun::amdsim::hip;

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  AMDSIM_ENTER(gpu);
  if (!stream || flags > streamNonBlocking)
    return invalidValue;
  auto made = std::make_shared<Stream>(*gpu, !(flags & streamNonBlocking));
  std::lock_guard lock(gpu->orderMutex);
  *stream = reinterpret_cast<hipStream_t>(made.get());
  gpu->streams[*stream] = std::move(made);
  return success;
}

hipError_t hipStreamDestroy(hipStream_t handle) {
  std::shared_ptr<Stream> stream = handle ? findStream(handle) : nullptr;
  if (!stream)
    return invalidHandle;
  {
    std::lock_guard lock(stream->gpu.orderMutex);
    stream->gpu.streams.erase(handle);
  }
  stream.reset(); // waits for its work
  return success;
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  // The null stream's end is also that of the blocking streams.
  PointPtr end = handle ? stream->last() : submitOrdered(*stream, [] {});
  if (end)
    end->wait();
  return stream->gpu.error();
}

hipError_t hipStreamQuery(hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  PointPtr end = stream->last();
  return !end || end->isDone() ? success : notReady;
}

hipError_t hipStreamIsCapturing(hipStream_t handle, int *status) {
  if (!findStream(handle))
    return invalidHandle;
  if (!status)
    return invalidValue;
  *status = 0; // no graphs here
  return success;
}

hipError_t hipThreadExchangeStreamCaptureMode(int *mode) {
  thread_local int own = 0;
  if (!mode || *mode < 0 || *mode > 2)
    return invalidValue;
  std::swap(own, *mode);
  return success;
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t eventHandle, unsigned flags) {
  std::shared_ptr<Stream> stream = findStream(handle);
  std::shared_ptr<Event> event = getRuntime().events.find(eventHandle);
  if (!stream || !event)
    return invalidHandle;
  if (flags)
    return invalidValue;
  if (PointPtr point = event->point()) // an event that was never recorded holds nothing up
    submitOrdered(*stream, [point] { point->wait(); });
  return stream->gpu.error();
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  AMDSIM_ENTER(gpu);
  if (!event || (flags & ~unsigned(eventBlockingSync | eventDisableTiming)))
    return invalidValue;
  *event = getRuntime().events.add(std::make_shared<Event>(*gpu, !(flags & eventDisableTiming)));
  return success;
}

hipError_t hipEventDestroy(hipEvent_t event) {
  return getRuntime().events.take(event) ? success : invalidHandle;
}

hipError_t hipEventRecord(hipEvent_t eventHandle, hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  std::shared_ptr<Event> event = getRuntime().events.find(eventHandle);
  if (!stream || !event || &stream->gpu != &event->gpu)
    return invalidHandle;
  event->record(submitOrdered(*stream, [] {}));
  return stream->gpu.error();
}

hipError_t hipEventSynchronize(hipEvent_t handle) {
  std::shared_ptr<Event> event = getRuntime().events.find(handle);
  if (!event)
    return invalidHandle;
  if (PointPtr point = event->point())
    point->wait();
  return event->gpu.error();
}

hipError_t hipEventQuery(hipEvent_t handle) {
  std::shared_ptr<Event> event = getRuntime().events.find(handle);
  if (!event)
    return invalidHandle;
  if (int error = event->gpu.error())
    return error;
  PointPtr point = event->point();
  return !point || point->isDone() ? success : notReady;
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t startHandle, hipEvent_t endHandle) {
  std::shared_ptr<Event> start = getRuntime().events.find(startHandle),
                         end = getRuntime().events.find(endHandle);
  if (!milliseconds)
    return invalidValue;
  if (!start || !end || !start->hasTime || !end->hasTime || !start->point() || !end->point())
    return invalidHandle;
  if (!start->point()->isDone() || !end->point()->isDone())
    return notReady;
  std::chrono::duration<float, std::milli> between = end->point()->time() - start->point()->time();
  *milliseconds = between.count();
  return success;
}
