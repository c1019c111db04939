// See EmulatorShared.h.
#include "tests/kernels/EmulatorShared.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tilerun::test::emulator;
using Problem = SharedMemory::Problem;

/// Of an entry: more than one lane at the same time.
static constexpr uint32_t kSeveralLanes = 255;
/// The value read from a place that may not be read.
static constexpr uint8_t kPoison = 0xcd;

Clocks SharedMemory::makeClocks(unsigned warpsOfBlock, unsigned blocks) {
  const unsigned all = (warpsOfBlock + 1) * blocks;
  Clocks clocks(all, std::vector<uint32_t>(all, 0));
  for (unsigned w = 0; w < all; ++w)
    clocks[w][w] = 1;
  return clocks;
}

SharedMemory::SharedMemory(uint64_t bytes, unsigned warpsOfBlock, unsigned block, Clocks &clocks)
    : warps(unsigned(clocks.size())), engine((warpsOfBlock + 1) * block + warpsOfBlock),
      arena(bytes, kPoison), cells(bytes), readers(bytes * warps), writers(bytes * warps),
      fences(warps, 0), clocks(clocks) {}

void SharedMemory::synchronize(llvm::ArrayRef<unsigned> members) {
  for (unsigned w : members)
    ++clocks[w][w];
  if (members.size() < 2)
    return;
  std::vector<uint32_t> latest(warps, 0);
  for (unsigned w : members)
    for (unsigned v = 0; v < warps; ++v)
      latest[v] = std::max(latest[v], clocks[w][v]);
  for (unsigned w : members)
    clocks[w] = latest;
}

bool SharedMemory::areOrdered(uint64_t mask, const std::vector<Entry> &entries, uint64_t place,
                              Thread thread) const {
  for (; mask; mask &= mask - 1) {
    unsigned w = unsigned(std::countr_zero(mask));
    Entry entry = entries[place * warps + w];
    bool isSame = w == thread.warp && (entry & 255) == thread.lane && thread.lane < kUnknownLane;
    if (!isSame && (entry >> 8) >= clocks[thread.warp][w])
      return false;
  }
  return true;
}

void SharedMemory::note(uint64_t &mask, std::vector<Entry> &entries, uint64_t place,
                        Thread thread) {
  Entry &entry = entries[place * warps + thread.warp];
  const uint32_t now = clocks[thread.warp][thread.warp];
  const uint64_t bit = uint64_t(1) << thread.warp;
  bool isAgain = (mask & bit) && (entry >> 8) == now && (entry & 255) != thread.lane;
  entry = now << 8 | (isAgain ? kSeveralLanes : thread.lane);
  mask |= bit;
}

Problem SharedMemory::checkRange(uint64_t place, uint64_t bytes) const {
  if (place + bytes <= arena.size())
    return std::nullopt;
  return "access beyond shared memory";
}

Problem SharedMemory::checkOverwrite(Thread thread, uint64_t place) const {
  const Cell &cell = cells[place];
  if (cell.reads)
    return "write to shared memory that an asynchronous instruction still reads";
  if (!areOrdered(cell.readers, readers, place, thread))
    return "no barrier after another thread's read of shared memory";
  return std::nullopt;
}

Problem SharedMemory::read(Thread thread, uint64_t place, llvm::MutableArrayRef<uint8_t> bytes) {
  if (Problem problem = checkRange(place, bytes.size()))
    return problem;
  for (size_t i = 0; i < bytes.size(); ++i) {
    Cell &cell = cells[place + i];
    if (cell.copies)
      return "read of shared memory whose copy has not been waited for";
    if (!cell.hasValue)
      return "read of shared memory that was never written, byte " + std::to_string(place + i) +
             " by lane " + std::to_string(thread.lane) + " of warp " + std::to_string(thread.warp);
    if (!areOrdered(cell.writers, writers, place + i, thread))
      return "no barrier after another thread's write of shared memory";
    note(cell.readers, readers, place + i, thread);
    bytes[i] = arena[place + i];
  }
  return std::nullopt;
}

Problem SharedMemory::write(Thread thread, uint64_t place, llvm::ArrayRef<uint8_t> bytes) {
  if (Problem problem = checkRange(place, bytes.size()))
    return problem;
  for (size_t i = 0; i < bytes.size(); ++i) {
    Cell &cell = cells[place + i];
    if (cell.copies)
      return "write to shared memory whose copy has not been waited for";
    if (Problem problem = checkOverwrite(thread, place + i))
      return problem;
    bool isOrdered = areOrdered(cell.writers, writers, place + i, thread);
    // Threads may write the same value.
    if (!isOrdered && (cell.isAdded || arena[place + i] != bytes[i]))
      return "no barrier after another thread's write of shared memory";
    if (isOrdered)
      cell.writers = 0;
    cell.readers = 0;
    note(cell.writers, writers, place + i, thread);
    cell.hasValue = true;
    cell.isAdded = cell.isCopied = false;
    cell.lastWriter = uint8_t(thread.warp);
    cell.fences = fences[thread.warp];
    arena[place + i] = bytes[i];
  }
  return std::nullopt;
}

Problem SharedMemory::add(Thread thread, uint64_t place, uint32_t value) {
  if (place % 4)
    return "misaligned addition to shared memory";
  if (Problem problem = checkRange(place, 4))
    return problem;
  for (uint64_t i = place; i < place + 4; ++i) {
    Cell &cell = cells[i];
    if (!cell.hasValue || cell.copies)
      return "addition to shared memory that was never written";
    if (Problem problem = checkOverwrite(thread, i))
      return problem;
    if (!cell.isAdded && !areOrdered(cell.writers, writers, i, thread))
      return "no barrier before an addition to shared memory";
    if (!cell.isAdded)
      cell.writers = 0;
    cell.readers = 0;
    note(cell.writers, writers, i, thread);
    cell.isAdded = true;
    cell.isCopied = false;
    cell.lastWriter = uint8_t(thread.warp);
    cell.fences = fences[thread.warp];
  }
  uint32_t word;
  std::memcpy(&word, &arena[place], 4);
  word += value;
  std::memcpy(&arena[place], &word, 4);
  return std::nullopt;
}

Problem SharedMemory::beginCopy(Thread thread, uint64_t place, uint64_t bytes) {
  if (Problem problem = checkRange(place, bytes))
    return problem;
  for (uint64_t i = place; i < place + bytes; ++i) {
    Cell &cell = cells[i];
    if (Problem problem = checkOverwrite(thread, i))
      return problem;
    if (!areOrdered(cell.writers, writers, i, thread))
      return "no barrier after another thread's write of shared memory";
    ++cell.copies;
    if (cell.copies == 1)
      arena[i] = kPoison;
  }
  return std::nullopt;
}

Problem SharedMemory::endCopy(Thread thread, uint64_t place, llvm::ArrayRef<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    Cell &cell = cells[place + i];
    uint16_t others = uint16_t(cell.copies - 1);
    if (cell.isOverlapped && arena[place + i] != bytes[i])
      return "two copies to the same bytes of shared memory are under way";
    cell.isOverlapped = others != 0;
    cell.copies = 0;
    if (Problem problem = write(thread, place + i, bytes[i]))
      return problem;
    cell.copies = others;
    cell.isCopied = true;
  }
  return std::nullopt;
}

Problem SharedMemory::beginRead(Thread thread, uint64_t place,
                                llvm::MutableArrayRef<uint8_t> bytes) {
  if (Problem problem = read(thread, place, bytes))
    return problem;
  for (size_t i = 0; i < bytes.size(); ++i) {
    Cell &cell = cells[place + i];
    if (!cell.isCopied && fences[cell.lastWriter] == cell.fences)
      return "no fence between a write of shared memory and a matrix instruction";
    ++cell.reads;
  }
  return std::nullopt;
}

Problem SharedMemory::endRead(Thread thread, uint64_t place, uint64_t bytes) {
  for (uint64_t i = place; i < place + bytes; ++i) {
    --cells[i].reads;
    note(cells[i].readers, readers, i, thread);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Phase barriers
//===----------------------------------------------------------------------===//

Problem SharedMemory::initialize(Thread thread, uint64_t place, uint32_t arrivals) {
  if (place % 8)
    return "misaligned phase barrier";
  constexpr uint8_t kOpaque[8] = {};
  if (Problem problem = write(thread, place, kOpaque))
    return problem;
  std::vector<uint32_t> none(warps, 0);
  phases[place] = {arrivals, arrivals, 0, 0, none, none};
  return std::nullopt;
}

Problem SharedMemory::checkPhase(Thread thread, uint64_t place) const {
  if (!phases.contains(place))
    return "use of a phase barrier that nobody has initialized";
  if (!areOrdered(cells[place].writers, writers, place, thread))
    return "no barrier after the initialization of a phase barrier";
  return std::nullopt;
}

void SharedMemory::endIfComplete(Phase &phase) {
  if (phase.missing || phase.bytes)
    return;
  phase.missing = phase.arrivals;
  phase.seen = phase.arrived;
  ++phase.ended;
}

Problem SharedMemory::arrive(Thread thread, uint64_t place, uint32_t bytes) {
  if (Problem problem = checkPhase(thread, place))
    return problem;
  Phase &phase = phases.at(place);
  const std::vector<uint32_t> &clock = clocks[thread.warp];
  for (unsigned w = 0; w < warps; ++w)
    phase.arrived[w] = std::max(phase.arrived[w], clock[w]);
  if (!phase.missing)
    return "arrival at a phase that waits for bytes alone";
  --phase.missing;
  phase.bytes += bytes;
  endIfComplete(phase);
  return std::nullopt;
}

bool SharedMemory::isLastArrival(uint64_t place, uint32_t bytes) const {
  auto found = phases.find(place);
  return found != phases.end() && found->second.missing == 1 && found->second.bytes + bytes == 0;
}

Problem SharedMemory::beginBox(Thread thread, uint64_t place, uint64_t bytes) {
  for (unsigned w = 0; w < warps; ++w)
    if (w != engine)
      clocks[engine][w] = std::max(clocks[engine][w], clocks[thread.warp][w]);
  return beginCopy(thread, place, bytes);
}

Problem SharedMemory::endBox(uint64_t place, llvm::ArrayRef<uint8_t> bytes, uint64_t at) {
  if (Problem problem = endCopy({engine, 0}, place, bytes))
    return problem;
  Phase &phase = phases.at(at);
  phase.arrived[engine] = ++clocks[engine][engine];
  phase.bytes -= int64_t(bytes.size());
  endIfComplete(phase);
  return std::nullopt;
}

bool SharedMemory::isLastBox(uint64_t at, uint64_t bytes) const {
  const Phase &phase = phases.at(at);
  return !phase.missing && phase.bytes == int64_t(bytes);
}

bool SharedMemory::hasEnded(uint64_t place, unsigned parity) const {
  return (phases.at(place).ended & 1) != parity;
}

void SharedMemory::acquire(unsigned warp, uint64_t place) {
  const std::vector<uint32_t> &seen = phases.at(place).seen;
  for (unsigned w = 0; w < warps; ++w)
    if (w != warp)
      clocks[warp][w] = std::max(clocks[warp][w], seen[w]);
}
