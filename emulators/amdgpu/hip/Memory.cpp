// Memory: allocations, copies and fills in the order of streams.
//
// Device memory is host memory (emulators/amdgpu/Memory.h), so a copy is a memcpy at its turn. What
// a program may not rely on is not there: pageable memory is read when a copy is submitted, pinned
// memory when it runs.
#include "emulators/amdgpu/hip/Runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tilerun::amdsim::hip {

namespace {

uint64_t toAddress(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool isPinned(uint64_t address, uint64_t bytes) {
  Runtime &runtime = getRuntime();
  std::lock_guard lock(runtime.hostMutex);
  auto it = runtime.hostBlocks.upper_bound(address);
  if (it == runtime.hostBlocks.begin())
    return false;
  --it;
  uint64_t offset = address - it->first;
  return offset < it->second.bytes && bytes <= it->second.bytes - offset;
}

// Whether the bytes are in one allocation that the device may access.
bool isAccessible(Gpu &gpu, const void *pointer, uint64_t bytes) {
  return bytes == 0 || gpu.device->memory().find(toAddress(pointer), bytes).has_value();
}

hipError_t allocate(Gpu &gpu, void **pointer, size_t bytes) {
  if (!pointer)
    return invalidValue;
  *pointer = nullptr;
  if (bytes == 0)
    return success;
  uint64_t used = gpu.usedBytes;
  do {
    if (bytes > totalMemory - used)
      return outOfMemory;
  } while (!gpu.usedBytes.compare_exchange_weak(used, used + bytes));
  uint64_t address = gpu.device->memory().allocate(bytes);
  if (!address) {
    gpu.usedBytes -= bytes;
    return outOfMemory;
  }
  *pointer = reinterpret_cast<void *>(address);
  return success;
}

// The size of the allocation that begins there; 0 if none does.
uint64_t bytesAt(Gpu &gpu, void *pointer) {
  std::optional<Allocation> found = gpu.device->memory().find(toAddress(pointer), 1);
  return found && found->begin == toAddress(pointer) && !isPinned(found->begin, 1) ? found->bytes
                                                                                   : 0;
}

void release(Gpu &gpu, void *pointer, uint64_t bytes) {
  if (gpu.device->memory().free(toAddress(pointer)))
    gpu.usedBytes -= bytes;
}

// Work that a kernel that faulted keeps from running.
PointPtr submitUnlessLost(Stream &stream, std::function<void()> work) {
  Gpu &gpu = stream.gpu;
  return submitOrdered(stream, [&gpu, work = std::move(work)] {
    if (!gpu.error())
      work();
  });
}

template <class T> hipError_t fill(void *to, T value, size_t count, hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  if (toAddress(to) % sizeof(T) || count > SIZE_MAX / sizeof(T) ||
      !isAccessible(stream->gpu, to, count * sizeof(T)))
    return invalidValue;
  submitUnlessLost(*stream, [=] { std::fill_n(static_cast<T *>(to), count, value); });
  return success;
}

hipError_t copyBetween(Stream &stream, void *to, const void *from, size_t bytes) {
  submitUnlessLost(stream, [=] { std::memmove(to, from, bytes); });
  return success;
}

// The device that owns the allocation at this address, and the allocation.
std::pair<Gpu *, std::optional<Allocation>> findOwner(uint64_t address) {
  for (const auto &gpu : getRuntime().gpus)
    if (std::optional<Allocation> found = gpu->device->memory().find(address, 1))
      return {gpu.get(), found};
  return {nullptr, std::nullopt};
}

} // namespace

} // namespace tilerun::amdsim::hip

using namespace tilerun::amdsim;
using namespace tilerun::amdsim::hip;

hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  AMDSIM_ENTER(gpu);
  if (!free || !total)
    return invalidValue;
  *total = totalMemory, *free = totalMemory - gpu->usedBytes;
  return success;
}

hipError_t hipMalloc(void **pointer, size_t bytes) {
  AMDSIM_ENTER(gpu);
  int error = allocate(*gpu, pointer, bytes);
  if (error != outOfMemory)
    return error;
  synchronize(*gpu); // what streams are about to free may be enough
  return allocate(*gpu, pointer, bytes);
}

hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  int error = allocate(stream->gpu, pointer, bytes);
  if (PointPtr end = stream->last(); error == outOfMemory && end) {
    end->wait(); // what was freed in this stream's order is there for it
    error = allocate(stream->gpu, pointer, bytes);
  }
  return error;
}

// Waits for the device, as HIP 6 does; memory of a device that lost its context can be freed, too.
hipError_t hipFree(void *pointer) {
  if (!pointer)
    return success;
  auto [gpu, found] = findOwner(toAddress(pointer));
  uint64_t bytes = gpu ? bytesAt(*gpu, pointer) : 0;
  if (!bytes)
    return invalidValue;
  synchronize(*gpu);
  release(*gpu, pointer, bytes);
  return success;
}

hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (!pointer)
    return success;
  Gpu &gpu = stream->gpu;
  uint64_t bytes = bytesAt(gpu, pointer);
  if (!bytes)
    return invalidValue;
  submitOrdered(*stream, [&gpu, pointer, bytes] { release(gpu, pointer, bytes); });
  return success;
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  AMDSIM_ENTER(gpu);
  if (!pointer || bytes == 0 || bytes > totalMemory)
    return invalidValue;
  // Portable and mapped memory is what there is; write-combined and coherent change nothing here.
  constexpr unsigned known = 1 | 2 | 4 | 0x20000000 | 0x40000000 | 0x80000000;
  if (flags & ~known)
    return invalidValue;
  constexpr size_t alignment = 4096;
  void *block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!block)
    return outOfMemory;
  Runtime &runtime = getRuntime();
  {
    std::lock_guard lock(runtime.hostMutex);
    runtime.hostBlocks[toAddress(block)] = {bytes, gpu->ordinal};
  }
  for (const auto &each : runtime.gpus)
    each->device->memory().adopt(toAddress(block), bytes, false, "pinned host memory");
  *pointer = block;
  return success;
}

hipError_t hipHostFree(void *pointer) {
  if (!pointer)
    return success;
  Runtime &runtime = getRuntime();
  {
    std::lock_guard lock(runtime.hostMutex);
    if (!runtime.hostBlocks.contains(toAddress(pointer)))
      return invalidValue;
  }
  for (const auto &each : runtime.gpus) {
    synchronize(*each);
    each->device->memory().forget(toAddress(pointer));
  }
  {
    std::lock_guard lock(runtime.hostMutex);
    runtime.hostBlocks.erase(toAddress(pointer));
  }
  std::free(pointer);
  return success;
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                              hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  if (!isAccessible(stream->gpu, to, bytes) || (bytes && !from))
    return invalidValue;
  if (isPinned(toAddress(from), bytes))
    return copyBetween(*stream, to, from, bytes);
  const char *begin = static_cast<const char *>(from);
  submitUnlessLost(*stream, [to, staged = std::vector<char>(begin, begin + bytes)] {
    std::copy(staged.begin(), staged.end(), static_cast<char *>(to));
  });
  return success;
}

hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  if (!isAccessible(stream->gpu, from, bytes) || (bytes && !to))
    return invalidValue;
  PointPtr end = submitUnlessLost(*stream, [=] { std::memcpy(to, from, bytes); });
  if (!isPinned(toAddress(to), bytes))
    end->wait();
  return stream->gpu.error();
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t handle) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (int error = stream->gpu.error())
    return error;
  if (!isAccessible(stream->gpu, to, bytes) || !isAccessible(stream->gpu, from, bytes))
    return invalidValue;
  return copyBetween(*stream, to, from, bytes);
}

hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                              size_t bytes, hipStream_t handle) {
  Runtime &runtime = getRuntime();
  auto exists = [&](int device) { return device >= 0 && size_t(device) < runtime.gpus.size(); };
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return invalidHandle;
  if (!exists(toDevice) || !exists(fromDevice))
    return invalidDevice;
  if (int error = stream->gpu.error())
    return error;
  if (!isAccessible(*runtime.gpus[size_t(toDevice)], to, bytes) ||
      !isAccessible(*runtime.gpus[size_t(fromDevice)], from, bytes))
    return invalidValue;
  return copyBetween(*stream, to, from, bytes);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  return fill<uint8_t>(to, value, count, stream);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream) {
  return fill<uint16_t>(to, value, count, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill<uint32_t>(to, uint32_t(value), count, stream);
}

// Succeeds for addresses that nobody knows, with zeros and device -1.
hipError_t hipDrvPointerGetAttributes(unsigned count, int *attributes, void **data,
                                      hipDeviceptr_t pointer) {
  if (!count || !attributes || !data)
    return invalidValue;
  Runtime &runtime = getRuntime();
  auto [gpu, found] = findOwner(toAddress(pointer));
  unsigned type = gpu ? deviceMemory : unregisteredMemory;
  int ordinal = gpu ? gpu->ordinal : -1;
  if (gpu) {
    std::lock_guard lock(runtime.hostMutex);
    if (auto it = runtime.hostBlocks.find(found->begin); it != runtime.hostBlocks.end())
      type = hostMemory, ordinal = it->second.ordinal;
  }
  for (unsigned index = 0; index < count; ++index) {
    if (!data[index])
      return invalidValue;
    switch (attributes[index]) {
    case pointerMemoryType:
      std::memcpy(data[index], &type, sizeof type);
      break;
    case pointerDeviceOrdinal:
      std::memcpy(data[index], &ordinal, sizeof ordinal);
      break;
    case pointerRangeStart: {
      uint64_t begin = gpu ? found->begin : 0;
      std::memcpy(data[index], &begin, sizeof begin);
      break;
    }
    case pointerRangeSize: {
      size_t bytes = gpu ? found->bytes : 0;
      std::memcpy(data[index], &bytes, sizeof bytes);
      break;
    }
    default:
      return invalidValue;
    }
  }
  return success;
}
