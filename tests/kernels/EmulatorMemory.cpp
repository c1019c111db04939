// What the machine does with memory: the programs' buffers, shared memory, copies between them.
#include "tests/kernels/EmulatorElementwise.h"
#include "tests/kernels/EmulatorMachine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

bool Machine::writeShared(Operation *op, unsigned thread, uint64_t place, ArrayRef<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (place + i >= arena.size())
      return fail(op, "write beyond shared memory");
    Shadow &shadow = shadows[place + i];
    if (!ordered(shadow.reader, thread, shadow.read, shadow.warpRead))
      return fail(op, "no barrier after another thread's read of shared memory");
    // Threads may write the same value.
    if (!ordered(shadow.writer, thread, shadow.written, shadow.warpWritten) &&
        arena[place + i] != bytes[i])
      return fail(op, "no barrier after another thread's write of shared memory");
    bool again = !ordered(shadow.writer, thread, shadow.written, shadow.warpWritten);
    shadow = {again ? -2 : int(thread), -1, epoch, 0, warpEpoch, 0, true, false};
    arena[place + i] = bytes[i];
  }
  return true;
}

bool Machine::readShared(Operation *op, unsigned thread, uint64_t place,
                         MutableArrayRef<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (place + i >= arena.size())
      return fail(op, "read beyond shared memory");
    Shadow &shadow = shadows[place + i];
    if (!shadow.hasValue)
      return fail(op, "read of shared memory that was never written, byte " + Twine(place + i) +
                          " by thread " + Twine(thread));
    if (!ordered(shadow.writer, thread, shadow.written, shadow.warpWritten))
      return fail(op, "no barrier after another thread's write of shared memory");
    bool again = shadow.reader != -1 && shadow.reader != int(thread) && shadow.read == epoch;
    shadow.reader = again ? -2 : int(thread);
    shadow.read = epoch;
    shadow.warpRead = warpEpoch;
    bytes[i] = arena[place + i];
  }
  return true;
}

bool Machine::access(AtomicRMWOp op) {
  Data result = define(op.getResult());
  Type type = op.getValue().getType();
  unsigned bits = type.getIntOrFloatBitWidth(), bytes = bits / 8;
  auto asSigned = [&](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(op.getMask(), t))
      continue;
    uint8_t *place = find(op, at(op.getAddress(), t), bytes);
    if (!place)
      return false;
    uint64_t old = readWord(place, bytes), value = at(op.getValue(), t), next = 0;
    using tile::AtomicKind;
    auto floats = [&](auto f) {
      return fromDouble(f(toDouble(old, type), toDouble(value, type)), type);
    };
    // Floats in the order of their bits as signed magnitudes.
    auto magnitude = [&](uint64_t v) {
      return asSigned(v) < 0 ? asSigned(v) ^ std::numeric_limits<int64_t>::max() : asSigned(v);
    };
    switch (op.getKind()) {
    case AtomicKind::And:
      next = old & value;
      break;
    case AtomicKind::Or:
      next = old | value;
      break;
    case AtomicKind::Xor:
      next = old ^ value;
      break;
    case AtomicKind::Add:
      next = old + value;
      break;
    case AtomicKind::Max:
      next = asSigned(old) > asSigned(value) ? old : value;
      break;
    case AtomicKind::Min:
      next = asSigned(old) < asSigned(value) ? old : value;
      break;
    case AtomicKind::UMax:
      next = std::max(old, value);
      break;
    case AtomicKind::UMin:
      next = std::min(old, value);
      break;
    case AtomicKind::Xchg:
      next = value;
      break;
    case AtomicKind::FAdd:
      next = floats([](double x, double y) { return x + y; });
      break;
    case AtomicKind::FMax:
      next = magnitude(old) > magnitude(value) ? old : value;
      break;
    case AtomicKind::FMin:
      next = magnitude(old) < magnitude(value) ? old : value;
      break;
    }
    std::memcpy(place, &next, bytes);
    result.words[t] = old;
  }
  values[op.getResult()] = result;
  return true;
}

bool Machine::access(LoadOp load) {
  Data result = define(load.getResult());
  unsigned bytes = getScalarBytes(load.getType());
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(load.getMask(), t)) {
      for (unsigned i = 0; load.getOther() && i < result.count; ++i)
        result.words[size_t(t) * result.count + i] = at(load.getOther(), t, i);
      continue;
    }
    uint8_t *place = find(load, at(load.getAddress(), t), uint64_t(bytes) * result.count);
    if (!place)
      return false;
    for (unsigned i = 0; i < result.count; ++i)
      result.words[size_t(t) * result.count + i] = readWord(place + i * bytes, bytes);
  }
  values[load.getResult()] = result;
  return true;
}

bool Machine::access(StoreOp store) {
  unsigned bytes = getScalarBytes(store.getValue().getType()),
           count = countOf(store.getValue().getType());
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(store.getMask(), t))
      continue;
    uint8_t *place = find(store, at(store.getAddress(), t), uint64_t(bytes) * count);
    if (!place)
      return false;
    for (unsigned i = 0; i < count; ++i) {
      uint64_t word = at(store.getValue(), t, i);
      std::memcpy(place + i * bytes, &word, bytes);
    }
  }
  return true;
}

bool Machine::access(AtomicCASOp swap) {
  Data result = define(swap.getResult());
  unsigned bytes = getScalarBytes(swap.getType());
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(swap.getMask(), t))
      continue;
    uint8_t *place = find(swap, at(swap.getAddress(), t), bytes);
    if (!place)
      return false;
    uint64_t old = readWord(place, bytes), next = at(swap.getValue(), t);
    if (old == at(swap.getCompare(), t))
      std::memcpy(place, &next, bytes);
    result.words[t] = old;
  }
  values[swap.getResult()] = result;
  return true;
}

bool Machine::access(SharedLoadOp load) {
  Data result = define(load.getResult());
  unsigned bytes = getScalarBytes(load.getType());
  for (unsigned t = 0; t < threads; ++t)
    for (unsigned i = 0; i < result.count; ++i) {
      uint64_t place = placeOf(load.getBuffer(), load.getOffset(), t);
      if (place % (bytes * result.count))
        return fail(load, "misaligned read of shared memory");
      if (!readShared(load, t, place + i * bytes,
                      MutableArrayRef(
                          reinterpret_cast<uint8_t *>(&result.words[t * result.count + i]), bytes)))
        return false;
    }
  values[load.getResult()] = result;
  return true;
}

bool Machine::access(SharedStoreOp store) {
  unsigned bytes = getScalarBytes(store.getValue().getType()),
           count = countOf(store.getValue().getType());
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(store.getMask(), t))
      continue;
    uint64_t place = placeOf(store.getBuffer(), store.getOffset(), t);
    if (place % (bytes * count))
      return fail(store, "misaligned write of shared memory");
    for (unsigned i = 0; i < count; ++i) {
      uint64_t word = at(store.getValue(), t, i);
      if (!writeShared(store, t, place + i * bytes,
                       ArrayRef(reinterpret_cast<uint8_t *>(&word), bytes)))
        return false;
    }
  }
  return true;
}

bool Machine::access(SharedAddOp addition) {
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(addition.getMask(), t))
      continue;
    uint64_t place = placeOf(addition.getBuffer(), addition.getOffset(), t);
    if (place % 4 || place + 4 > arena.size())
      return fail(addition, "misaligned or outside of shared memory");
    for (uint64_t i = place; i < place + 4; ++i) {
      Shadow &shadow = shadows[i];
      bool isOrdered = ordered(shadow.reader, t, shadow.read, shadow.warpRead) &&
                       (shadow.writer == kAdders ||
                        ordered(shadow.writer, t, shadow.written, shadow.warpWritten));
      if (!shadow.hasValue || !isOrdered)
        return fail(addition, "no barrier before an addition to shared memory");
      shadow = {kAdders, -1, epoch, 0, warpEpoch, 0, true};
    }
    uint32_t word = uint32_t(readWord(&arena[place], 4)) + uint32_t(at(addition.getValue(), t));
    std::memcpy(&arena[place], &word, 4);
  }
  return true;
}

bool Machine::access(AsyncCopyOp copy) {
  for (unsigned t = 0; t < threads; ++t) {
    std::vector<uint8_t> bytes(copy.getBytes(), 0);
    if (active(copy.getMask(), t)) {
      uint8_t *place = find(copy, at(copy.getAddress(), t), bytes.size());
      if (!place)
        return false;
      std::memcpy(bytes.data(), place, bytes.size());
    }
    open.push_back({t, placeOf(copy.getBuffer(), copy.getOffset(), t), bytes, copy});
  }
  return true;
}

bool Machine::access(AsyncCommitOp) {
  groups.push_back(std::move(open));
  open.clear();
  return true;
}

bool Machine::access(AsyncWaitOp wait) {
  for (; groups.size() > wait.getPending(); groups.pop_front())
    for (Copy &copy : groups.front()) {
      if (!writeShared(copy.op, copy.thread, copy.place, copy.bytes))
        return false;
      // What has been waited for is in shared memory, for everyone who is behind a barrier.
      for (size_t i = 0; i < copy.bytes.size(); ++i)
        shadows[copy.place + i].isFenced = true;
    }
  return true;
}

std::optional<bool> Machine::accessMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
      .Case<AtomicRMWOp, LoadOp, StoreOp, AtomicCASOp, SharedLoadOp, SharedStoreOp, SharedAddOp,
            AsyncCopyOp, AsyncCommitOp, AsyncWaitOp>(
          [&](auto access) { return this->access(access); })
      .Default(std::nullopt);
}
