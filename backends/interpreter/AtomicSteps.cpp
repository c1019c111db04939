// Atomic read-modify-write and compare-and-swap on host memory, atomic with respect to the launch's
// other threads too. Lanes run in index order.
#include "backends/interpreter/Activity.h"
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/IntegerTypes.h"
#include "backends/interpreter/SmallFloat.h"
#include "backends/interpreter/Steps.h"
#include "ir/tile/TileOps.h"

using namespace tilerun;
using namespace tilerun::interp;
using tile::AtomicKind;

namespace {

/// The new value from the old one and the operand, as bits.
using Combine = uint64_t (*)(uint64_t old, uint64_t value);

template <class T> Combine integerCombine(AtomicKind kind) {
  using U = typename T::U;
  switch (kind) {
  case AtomicKind::And:
    return [](uint64_t a, uint64_t b) { return a & b; };
  case AtomicKind::Or:
    return [](uint64_t a, uint64_t b) { return a | b; };
  case AtomicKind::Xor:
    return [](uint64_t a, uint64_t b) { return a ^ b; };
  case AtomicKind::Add:
    return [](uint64_t a, uint64_t b) -> uint64_t { return U(a + b); };
  case AtomicKind::Max:
    return [](uint64_t a, uint64_t b) { return T::toSigned(U(a)) > T::toSigned(U(b)) ? a : b; };
  case AtomicKind::Min:
    return [](uint64_t a, uint64_t b) { return T::toSigned(U(a)) < T::toSigned(U(b)) ? a : b; };
  case AtomicKind::UMax:
    return [](uint64_t a, uint64_t b) { return std::max(a, b); };
  case AtomicKind::UMin:
    return [](uint64_t a, uint64_t b) { return std::min(a, b); };
  // Floats in the order of their bits, sign first: by value, -0 below +0, and NaN beyond infinity.
  case AtomicKind::FMax:
    return [](uint64_t a, uint64_t b) {
      return (b & T::kSignBit) ? std::min(a, b) : T::toSigned(U(a)) > T::toSigned(U(b)) ? a : b;
    };
  case AtomicKind::FMin:
    return [](uint64_t a, uint64_t b) {
      return (b & T::kSignBit) ? std::max(a, b) : T::toSigned(U(a)) < T::toSigned(U(b)) ? a : b;
    };
  case AtomicKind::Xchg:
    return [](uint64_t, uint64_t b) { return b; };
  case AtomicKind::FAdd:
    return nullptr;
  }
  return nullptr;
}

Combine findCombine(AtomicKind kind, Dtype type) {
  if (kind == AtomicKind::FAdd) {
    switch (type) {
    case Dtype::F16:
      return [](uint64_t a, uint64_t b) -> uint64_t {
        return floatToHalf(halfToFloat(uint16_t(a)) + halfToFloat(uint16_t(b)));
      };
    case Dtype::BF16:
      return [](uint64_t a, uint64_t b) -> uint64_t {
        return floatToBfloat(bfloatToFloat(uint16_t(a)) + bfloatToFloat(uint16_t(b)));
      };
    case Dtype::F32:
      return [](uint64_t a, uint64_t b) -> uint64_t {
        return std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(a)) +
                                       std::bit_cast<float>(uint32_t(b)));
      };
    default:
      return [](uint64_t a, uint64_t b) {
        return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
      };
    }
  }
  switch (sizeOf(type)) {
  case 2:
    return integerCombine<Int16>(kind);
  case 4:
    return integerCombine<Int32>(kind);
  default:
    return integerCombine<Int64>(kind);
  }
}

struct Ordering {
  explicit Ordering(int64_t semantic) : semantic(tile::MemSemantic(semantic)) {}
  tile::MemSemantic semantic;
  bool acquires() const {
    return semantic == tile::MemSemantic::Acquire || semantic == tile::MemSemantic::AcquireRelease;
  }
  bool releases() const {
    return semantic == tile::MemSemantic::Release || semantic == tile::MemSemantic::AcquireRelease;
  }
  std::memory_order get() const {
    switch (semantic) {
    case tile::MemSemantic::Relaxed:
      return std::memory_order_relaxed;
    case tile::MemSemantic::Acquire:
      return std::memory_order_acquire;
    case tile::MemSemantic::Release:
      return std::memory_order_release;
    case tile::MemSemantic::AcquireRelease:
      return std::memory_order_acq_rel;
    }
    llvm_unreachable("unknown ordering");
  }
};

/// Runs `exchange` on every lane that may access its address, with the checks and ordering around
/// it.
template <class T, class Exchange>
void forEachLane(Frame &frame, const Step &step, const uint8_t *mask, Ordering ordering,
                 Exchange exchange) {
  auto *pointers = frame.as<uint64_t>(step.operands[0]);
  auto *result = frame.as<T>(step.results[0]);
  for (size_t i = 0; i < step.count; ++i) {
    if (mask && !mask[i]) {
      result[i] = 0;
      continue;
    }
    const uint64_t address = pointers[i];
    if (address % sizeof(T) != 0) {
      frame.fail(step, "an atomic needs an address that is a multiple of " +
                           llvm::Twine(sizeof(T)) + ", but got 0x" + llvm::utohexstr(address));
      return;
    }
    if (frame.checker) {
      if (ordering.acquires())
        frame.checker->acquire(address);
      if (!frame.checker->access(frame, step, i, address, sizeof(T), Access::Atomic)) {
        result[i] = 0;
        if (frame.stopped)
          return;
        continue;
      }
    } else if (!frame.isInBounds(step, address, sizeof(T))) {
      return frame.failAccess(step, "atomic access", i, address, sizeof(T));
    }
    result[i] = exchange(i, std::atomic_ref<T>(*reinterpret_cast<T *>(address)));
    if (frame.checker && ordering.releases())
      frame.checker->release(address);
  }
}

template <class T> void readModifyWrite(Frame &frame, const Step &step) {
  const Combine combine = findCombine(AtomicKind(step.numbers[0]), step.resultTypes[0]);
  const Ordering ordering(step.numbers[1]);
  auto *values = frame.as<T>(step.operands[1]);
  auto *mask = step.operands[2] == kNoSlot ? nullptr : frame.as<uint8_t>(step.operands[2]);
  forEachLane<T>(frame, step, mask, ordering, [&](size_t i, std::atomic_ref<T> target) {
    T old = target.load(std::memory_order_relaxed);
    while (!target.compare_exchange_weak(old, T(combine(old, values[i])), ordering.get(),
                                         std::memory_order_relaxed))
      ;
    return old;
  });
}

template <class T> void compareAndSwap(Frame &frame, const Step &step) {
  const Ordering ordering(step.numbers[0]);
  auto *expected = frame.as<T>(step.operands[1]);
  auto *values = frame.as<T>(step.operands[2]);
  forEachLane<T>(frame, step, nullptr, ordering, [&](size_t i, std::atomic_ref<T> target) {
    T old = expected[i];
    target.compare_exchange_strong(old, values[i], ordering.get(),
                                   ordering.acquires() ? std::memory_order_acquire
                                                       : std::memory_order_relaxed);
    return old;
  });
}

} // namespace

void interp::runAtomicRMW(Frame &frame, const Step &step) {
  if (frame.activity)
    frame.activity->noteWrite(frame, step);
  switch (sizeOf(step.resultTypes[0])) {
  case 2:
    return readModifyWrite<uint16_t>(frame, step);
  case 4:
    return readModifyWrite<uint32_t>(frame, step);
  default:
    return readModifyWrite<uint64_t>(frame, step);
  }
}

void interp::runAtomicCAS(Frame &frame, const Step &step) {
  if (frame.activity)
    frame.activity->noteWrite(frame, step);
  switch (sizeOf(step.resultTypes[0])) {
  case 2:
    return compareAndSwap<uint16_t>(frame, step);
  case 4:
    return compareAndSwap<uint32_t>(frame, step);
  default:
    return compareAndSwap<uint64_t>(frame, step);
  }
}
