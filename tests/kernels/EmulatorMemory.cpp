// A warp's memory accesses: the programs' buffers, shared memory, copies between them.
#include "tests/kernels/EmulatorElementwise.h"
#include "tests/kernels/EmulatorWarp.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

static uint64_t readWord(const uint8_t *from, unsigned bytes) {
  uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

static MutableArrayRef<uint8_t> bytesOf(uint64_t &word, unsigned bytes) {
  return {reinterpret_cast<uint8_t *>(&word), bytes};
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

bool Warp::access(AtomicRMWOp op) {
  Data &result = define(op.getResult());
  Type type = op.getValue().getType();
  unsigned bits = type.getIntOrFloatBitWidth(), bytes = bits / 8;
  auto asSigned = [&](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(op.getMask(), lane))
      continue;
    uint8_t *place = program.find(*this, op, at(op.getAddress(), lane), bytes);
    if (!place)
      return false;
    uint64_t old = readWord(place, bytes), value = at(op.getValue(), lane), next = 0;
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
    result.words[lane] = old;
  }
  return true;
}

bool Warp::access(AtomicSumOp op) {
  Type type = getElementTypeOrSelf(op.getValue().getType());
  unsigned bytes = getScalarBytes(type), count = countOf(op.getValue());
  if (bytes * count > program.options.target->vectorSumBytes)
    return fail(op, "the target adds no vectors of this size");
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(op.getMask(), lane))
      continue;
    uint64_t address = at(op.getAddress(), lane);
    uint8_t *place = program.find(*this, op, address, uint64_t(bytes) * count);
    if (!place)
      return false;
    for (unsigned i = 0; i < count; ++i) {
      uint64_t sum = fromDouble(toDouble(readWord(place + i * bytes, bytes), type) +
                                    toDouble(at(op.getValue(), lane, i), type),
                                type);
      std::memcpy(place + i * bytes, &sum, bytes);
    }
  }
  return true;
}

bool Warp::access(LoadOp load) {
  Data &result = define(load.getResult());
  unsigned bytes = getScalarBytes(load.getType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(load.getMask(), lane)) {
      for (unsigned i = 0; load.getOther() && i < result.count; ++i)
        result.words[size_t(lane) * result.count + i] = at(load.getOther(), lane, i);
      continue;
    }
    uint8_t *place =
        program.find(*this, load, at(load.getAddress(), lane), uint64_t(bytes) * result.count);
    if (!place)
      return false;
    for (unsigned i = 0; i < result.count; ++i)
      result.words[size_t(lane) * result.count + i] = readWord(place + i * bytes, bytes);
  }
  return true;
}

bool Warp::access(StoreOp store) {
  unsigned bytes = getScalarBytes(store.getValue().getType()), count = countOf(store.getValue());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(store.getMask(), lane))
      continue;
    uint8_t *place =
        program.find(*this, store, at(store.getAddress(), lane), uint64_t(bytes) * count);
    if (!place)
      return false;
    for (unsigned i = 0; i < count; ++i) {
      uint64_t word = at(store.getValue(), lane, i);
      std::memcpy(place + i * bytes, &word, bytes);
    }
  }
  return true;
}

bool Warp::access(AtomicCASOp swap) {
  Data &result = define(swap.getResult());
  unsigned bytes = getScalarBytes(swap.getType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(swap.getMask(), lane))
      continue;
    uint8_t *place = program.find(*this, swap, at(swap.getAddress(), lane), bytes);
    if (!place)
      return false;
    uint64_t old = readWord(place, bytes), next = at(swap.getValue(), lane);
    if (old == at(swap.getCompare(), lane))
      std::memcpy(place, &next, bytes);
    result.words[lane] = old;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool Warp::access(SharedLoadOp load) {
  Data &result = define(load.getResult());
  unsigned bytes = getScalarBytes(load.getType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint64_t place = placeOf(load.getBuffer(), load.getOffset(), lane);
    if (place % (bytes * result.count))
      return fail(load, "misaligned read of shared memory");
    for (unsigned i = 0; i < result.count; ++i) {
      uint64_t &word = result.words[size_t(lane) * result.count + i];
      if (!check(load, program.shared.read(thread(lane), place + i * bytes, bytesOf(word, bytes))))
        return false;
    }
  }
  return true;
}

bool Warp::access(SharedStoreOp store) {
  unsigned bytes = getScalarBytes(store.getValue().getType()), count = countOf(store.getValue());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(store.getMask(), lane))
      continue;
    uint64_t place = placeOf(store.getBuffer(), store.getOffset(), lane);
    if (place % (bytes * count))
      return fail(store, "misaligned write of shared memory");
    for (unsigned i = 0; i < count; ++i) {
      uint64_t word = at(store.getValue(), lane, i);
      if (!check(store,
                 program.shared.write(thread(lane), place + i * bytes, bytesOf(word, bytes))))
        return false;
    }
  }
  return true;
}

bool Warp::access(SharedAddOp addition) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(addition.getMask(), lane) &&
        !check(addition,
               program.shared.add(thread(lane),
                                  placeOf(addition.getBuffer(), addition.getOffset(), lane),
                                  uint32_t(at(addition.getValue(), lane)))))
      return false;
  return true;
}

bool Warp::access(AsyncCopyOp copy) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Flight flight{copy,
                  thread(lane),
                  placeOf(copy.getBuffer(), copy.getOffset(), lane),
                  copy.getBytes(),
                  llvm::SmallVector<uint8_t, 16>(copy.getBytes(), 0),
                  nullptr};
    if (isActive(copy.getMask(), lane)) {
      uint8_t *source = program.find(*this, copy, at(copy.getAddress(), lane), copy.getBytes());
      if (!source)
        return false;
      // It may read immediately, or as late as the wait.
      if (program.drawBelow(2))
        flight.source = source;
      else
        std::memcpy(flight.bytes.data(), source, flight.bytes.size());
    }
    if (!check(copy, program.shared.beginCopy(flight.thread, flight.place, flight.count)))
      return false;
    queues[unsigned(AsyncQueue::Copies)].open.push_back(std::move(flight));
  }
  return true;
}

bool Warp::access(PhaseInitOp op) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(op.getMask(), lane) &&
        !check(op, program.shared.initialize(thread(lane),
                                             placeOf(op.getBuffer(), op.getOffset(), lane),
                                             op.getArrivals())))
      return false;
  return true;
}

bool Warp::access(PhaseArriveOp op) {
  // An arrival of one lane publishes the accesses ordered before it: its warp's up to the last
  // barrier.
  if (!op.getMask())
    program.shared.synchronize(program.countThrough(number));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(op.getMask(), lane))
      continue;
    uint64_t place = placeOf(op.getBuffer(), op.getOffset(), lane);
    if (!op.getEverywhere() && !program.arrive(*this, op, thread(lane), place, op.getBytes()))
      return false;
    if (op.getEverywhere())
      for (const std::unique_ptr<Program> &block : program.cluster.blocks)
        if (!block->arrive(*this, op, thread(lane), place, op.getBytes()))
          return false;
  }
  return true;
}

bool Warp::complete(Flight &flight) {
  for (auto [to, element] : flight.stored)
    std::memcpy(to, &element, flight.elementBytes);
  if (flight.bytes.empty())
    return check(flight.op, program.shared.endRead(flight.thread, flight.place, flight.count));
  if (flight.source)
    std::memcpy(flight.bytes.data(), flight.source, flight.bytes.size());
  return check(flight.op, program.shared.endCopy(flight.thread, flight.place, flight.bytes));
}

bool Warp::checkEnd() {
  for (const Queue &queue : queues) {
    if (!queue.open.empty())
      return fail(queue.open.front().op, "the program ends and has not waited for this");
    for (const std::vector<Flight> &group : queue.groups)
      if (!group.empty())
        return fail(group.front().op, "the program ends and has not waited for this");
  }
  return true;
}

std::optional<bool> Warp::accessMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
      .Case<AtomicRMWOp, AtomicSumOp, LoadOp, StoreOp, AtomicCASOp, SharedLoadOp, SharedStoreOp,
            SharedAddOp, AsyncCopyOp, BoxCopyOp, BoxStoreOp, PhaseInitOp, PhaseArriveOp>(
          [&](auto access) { return this->access(access); })
      .Default(std::nullopt);
}
