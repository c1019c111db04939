// The slow path of the check of pointers.
#include "runtime/core/PointerCheck.h"

using namespace tilerun;
using namespace tilerun::core;

constinit thread_local detail::SeenAllocation detail::seenAllocations[detail::kSeen] = {};

static bool isSmallAt(TilerunAddress address, TilerunAddress begin, uint64_t bytes) {
  return bytes <= TILERUN_SMALL_BYTES && address - begin <= TILERUN_SMALL_BEFORE;
}

bool PointerCheck::isSmall(TilerunAddress address, const TilerunMemoryRange *range) const {
  // Code may count from so many bytes before the pointer.
  if (address < TILERUN_SMALL_BEFORE)
    return false;
  if (range && range->begin && address - range->begin < range->num_bytes)
    return isSmallAt(address, range->begin, range->num_bytes);
  if (!check(address).isOk()) // The launch says why.
    return false;
  const detail::SeenAllocation &known = detail::getSeen(seen, address);
  return isKnown(address) && known.block && isSmallAt(address, known.begin, known.bytes);
}

Status detail::checkUnseenPointer(const Device &device, TilerunAddress address) {
  if (!address)
    return {};
  MemoryPool::Place place = device.getPool().find(address);
  if (place.block) {
    if (place.generation % 2 == 0)
      return Status::invalid("memory of " + device.getId() +
                             " that is not allocated (freed before?)");
    getSeen(seenAllocations, address) = {device.getSerial(), place.begin, place.blockBytes,
                                         place.block, place.generation};
    return {};
  }
  // The caller's own memory, which the plugin does not know.
  if (device.usesHostMemory())
    return {};
  // If the plugin cannot answer, the driver checks.
  const TilerunPlugin &table = device.getTable();
  if (!table.get_pointer_info)
    return {};
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  Status status = TILERUN_CALL(table, get_pointer_info, device.getHandle(), address, &info);
  if (status.getCode() == TILERUN_STATUS_UNSUPPORTED)
    return {};
  if (status.getCode() == TILERUN_STATUS_INVALID_ARGUMENT)
    return Status::invalid("memory that " + device.getId() +
                           " does not know (a host pointer, or freed memory?)");
  TILERUN_TRY(status);
  if (!info.accessible)
    return Status::invalid(info.other_device ? "memory of another device, which " + device.getId() +
                                                   " cannot use; copy it first"
                                             : "memory that " + device.getId() + " cannot use");
  getSeen(seenAllocations, address) = {device.getSerial(), info.base, info.num_bytes, nullptr, 0};
  return {};
}
