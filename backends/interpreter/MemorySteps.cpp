// Loads and stores. Pointers are host addresses; a lane whose mask is false touches nothing.
//
// Tiles are worked on by rows of the innermost dimension: where a row's addresses follow one
// another and its mask is true for a leading part only (most often all of it), the row is one copy,
// and one comparison tells whether it stays in the memory that its pointers lead to.
#include "backends/interpreter/Activity.h"
#include "backends/interpreter/Bounds.h"
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/Steps.h"

#include <algorithm>
#include <cstring>

using namespace tilerun;
using namespace tilerun::interp;

/// Whether n addresses follow each other at a distance of `size` bytes.
static bool areConsecutive(const uint64_t *pointers, size_t n, unsigned size) {
  // Most rows that are not contiguous are recognized by their ends.
  if (n > 1 && pointers[n - 1] != pointers[0] + (n - 1) * size)
    return false;
  uint64_t difference = 0;
  for (size_t i = 0; i < n; ++i)
    difference |= pointers[i] ^ (pointers[0] + i * size);
  return difference == 0;
}

/// How many leading lanes of a row are on, if no lane after those is; n where there is no mask.
static std::optional<size_t> leadingLanes(const uint8_t *mask, size_t n) {
  if (!mask)
    return n;
  auto *off = static_cast<const uint8_t *>(std::memchr(mask, 0, n));
  if (!off)
    return n;
  const size_t leading = off - mask;
  if (std::memchr(off, 1, n - leading))
    return std::nullopt;
  return leading;
}

/// Its highest bit says that an access begins before a range or ends after it: the distance
/// from the first byte, or to the last one that it may begin at, is negative. Ranges are shorter
/// than 2^63 bytes, and have one access at least.
static uint64_t isOutside(uint64_t address, const Range &range, unsigned bytes) {
  const uint64_t distance = address - range.begin;
  return distance | (range.size - bytes - distance);
}

/// Whether no lane that is on is outside, by the highest bit of what `isOutside` says of its
/// address. Without branches in its loops, so that several lanes are looked at at once.
template <class Outside>
static bool areInside(const uint64_t *pointers, const uint8_t *mask, size_t n, Outside isOutside) {
  uint64_t any = 0;
  if (mask)
    for (size_t i = 0; i < n; ++i)
      any |= isOutside(pointers[i]) & (uint64_t(mask[i]) << 63);
  else
    for (size_t i = 0; i < n; ++i)
      any |= isOutside(pointers[i]);
  return !(any >> 63);
}

/// Whether each lane that is on accesses one of the ranges.
static bool areInside(const uint64_t *pointers, const uint8_t *mask, size_t n,
                      llvm::ArrayRef<Range> all, unsigned bytes) {
  llvm::SmallVector<Range, 4> ranges;
  llvm::copy_if(all, std::back_inserter(ranges),
                [&](const Range &range) { return range.size >= bytes; });
  if (ranges.empty())
    return false;
  if (ranges.size() == 1)
    return areInside(pointers, mask, n, [range = ranges[0], bytes](uint64_t address) {
      return isOutside(address, range, bytes);
    });
  if (ranges.size() == 2)
    return areInside(pointers, mask, n, [a = ranges[0], b = ranges[1], bytes](uint64_t address) {
      return isOutside(address, a, bytes) & isOutside(address, b, bytes);
    });
  return areInside(pointers, mask, n, [&](uint64_t address) {
    uint64_t outside = ~uint64_t(0);
    for (const Range &range : ranges)
      outside &= isOutside(address, range, bytes);
    return outside;
  });
}

static size_t rowLength(const Step &step) { return step.shape.empty() ? 1 : step.shape.back(); }

/// For checks, which look at one element after another: whether the row that begins at `i`, if one
/// does, leaves the memory that it begins in.
static void beginElement(Frame &frame, const Step &step, const uint64_t *pointers,
                         const uint8_t *mask, size_t i, unsigned bytes) {
  const size_t row = rowLength(step);
  if (i % row != 0)
    return;
  const auto lanes = leadingLanes(mask ? mask + i : nullptr, row);
  frame.knownOnly = false;
  frame.knownOnly = lanes && *lanes && areConsecutive(pointers + i, *lanes, bytes) &&
                    !frame.isInBounds(step, pointers[i], *lanes * bytes);
}

template <class T> static T read(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
  return value;
}

template <class T> static void load(Frame &frame, const Step &step) {
  auto *pointers = frame.as<uint64_t>(step.operands[0]);
  auto *mask = step.operands[1] == kNoSlot ? nullptr : frame.as<uint8_t>(step.operands[1]);
  auto *other = step.operands[2] == kNoSlot ? nullptr : frame.as<T>(step.operands[2]);
  auto *result = frame.as<T>(step.results[0]);
  auto off = [&](size_t i) { return other ? other[i] : T(0); };

  if (frame.checker) {
    for (size_t i = 0; i < step.count && !frame.stopped; ++i) {
      beginElement(frame, step, pointers, mask, i, sizeof(T));
      if (mask && !mask[i])
        result[i] = off(i);
      else
        result[i] = frame.checker->access(frame, step, i, pointers[i], sizeof(T), Access::Read)
                        ? read<T>(pointers[i])
                        : T(0);
    }
    frame.knownOnly = false;
    return;
  }

  const size_t row = rowLength(step);
  for (size_t start = 0; start < step.count; start += row) {
    const auto lanes = leadingLanes(mask ? mask + start : nullptr, row);
    const bool isDense = lanes && areConsecutive(pointers + start, *lanes, sizeof(T));
    if (isDense && (*lanes == 0 || frame.isInBounds(step, pointers[start], *lanes * sizeof(T)))) {
      if (*lanes)
        std::memcpy(result + start, reinterpret_cast<const void *>(pointers[start]),
                    *lanes * sizeof(T));
      for (size_t i = start + *lanes; i < start + row; ++i)
        result[i] = off(i);
      continue;
    }
    // Lanes that are all on, up to one, need no mask.
    const bool inside =
        areInside(pointers + start, lanes || !mask ? nullptr : mask + start, lanes.value_or(row),
                  frame.launch.bounds.getRanges(step.origin), sizeof(T));
    if (inside) {
      if (mask)
        for (size_t i = start; i < start + row; ++i)
          result[i] = mask[i] ? read<T>(pointers[i]) : off(i);
      else
        for (size_t i = start; i < start + row; ++i)
          result[i] = read<T>(pointers[i]);
      continue;
    }
    frame.knownOnly = isDense; // It began in memory that it left.
    for (size_t i = start; i < start + row; ++i) {
      const bool on = !mask || mask[i];
      if (on && !frame.isInBounds(step, pointers[i], sizeof(T)))
        return frame.failAccess(step, "read", i, pointers[i], sizeof(T));
      result[i] = on ? read<T>(pointers[i]) : off(i);
    }
    frame.knownOnly = false;
  }
}

template <class T> static void store(Frame &frame, const Step &step) {
  auto *pointers = frame.as<uint64_t>(step.operands[0]);
  auto *values = frame.as<T>(step.operands[1]);
  auto *mask = step.operands[2] == kNoSlot ? nullptr : frame.as<uint8_t>(step.operands[2]);
  auto write = [&](size_t i) {
    std::memcpy(reinterpret_cast<void *>(pointers[i]), &values[i], sizeof(T));
  };

  if (frame.checker) {
    for (size_t i = 0; i < step.count && !frame.stopped; ++i) {
      beginElement(frame, step, pointers, mask, i, sizeof(T));
      if ((!mask || mask[i]) &&
          frame.checker->access(frame, step, i, pointers[i], sizeof(T), Access::Write))
        write(i);
    }
    frame.knownOnly = false;
    return;
  }

  const size_t row = rowLength(step);
  for (size_t start = 0; start < step.count; start += row) {
    const auto lanes = leadingLanes(mask ? mask + start : nullptr, row);
    const bool isDense = lanes && areConsecutive(pointers + start, *lanes, sizeof(T));
    if (isDense && (*lanes == 0 || frame.isInBounds(step, pointers[start], *lanes * sizeof(T)))) {
      if (*lanes)
        std::memcpy(reinterpret_cast<void *>(pointers[start]), values + start, *lanes * sizeof(T));
      continue;
    }
    // Lanes that are all on, up to one, need no mask.
    const bool inside =
        areInside(pointers + start, lanes || !mask ? nullptr : mask + start, lanes.value_or(row),
                  frame.launch.bounds.getRanges(step.origin), sizeof(T));
    if (inside) {
      for (size_t i = start; i < start + row; ++i)
        if (!mask || mask[i])
          write(i);
      continue;
    }
    frame.knownOnly = isDense; // It began in memory that it left.
    for (size_t i = start; i < start + row; ++i) {
      if (mask && !mask[i])
        continue;
      if (!frame.isInBounds(step, pointers[i], sizeof(T)))
        return frame.failAccess(step, "write", i, pointers[i], sizeof(T));
      write(i);
    }
    frame.knownOnly = false;
  }
}

void interp::runLoad(Frame &frame, const Step &step) {
  switch (sizeOf(step.resultTypes[0])) {
  case 1:
    load<uint8_t>(frame, step);
    break;
  case 2:
    return load<uint16_t>(frame, step);
  case 4:
    return load<uint32_t>(frame, step);
  default:
    return load<uint64_t>(frame, step);
  }
  // A bool in memory is a byte; anything but 0 is true.
  if (step.resultTypes[0] == Dtype::I1) {
    auto *result = frame.as<uint8_t>(step.results[0]);
    for (size_t i = 0; i < step.count; ++i)
      result[i] = result[i] != 0;
  }
}

void interp::runStore(Frame &frame, const Step &step) {
  if (frame.activity)
    frame.activity->noteWrite(frame, step);
  switch (sizeOf(step.operandTypes[1])) {
  case 1:
    return store<uint8_t>(frame, step);
  case 2:
    return store<uint16_t>(frame, step);
  case 4:
    return store<uint32_t>(frame, step);
  default:
    return store<uint64_t>(frame, step);
  }
}
