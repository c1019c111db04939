// Executes Atomics.def on global memory and on LDS. Workgroups run on several host threads:
// operations on global memory are the host's atomic ones.
#include "emulators/amdgpu/Address.h"
#include "emulators/amdgpu/Floats.h"
#include "emulators/amdgpu/Lds.h"

namespace tilerun::amdsim {
namespace {

constexpr Type A = Type::raw;

struct HalfPair {
  uint16_t low, high;
  friend HalfPair operator+(HalfPair a, HalfPair b) {
    return {floatToHalf(halfToFloat(a.low) + halfToFloat(b.low)),
            floatToHalf(halfToFloat(a.high) + halfToFloat(b.high))};
  }
};
struct BfloatPair {
  uint16_t low, high;
  friend BfloatPair operator+(BfloatPair a, BfloatPair b) {
    return {floatToBfloat(bfloatToFloat(a.low) + bfloatToFloat(b.low)),
            floatToBfloat(bfloatToFloat(a.high) + bfloatToFloat(b.high))};
  }
};

template <unsigned bytes> struct BitsOf;
template <> struct BitsOf<4> {
  using T = uint32_t;
};
template <> struct BitsOf<8> {
  using T = uint64_t;
};

template <class Bits> Bits laneValue(Wave &w, unsigned reg, unsigned lane) {
  Bits value = w.row(reg)[lane];
  if constexpr (sizeof(Bits) == 8)
    value |= uint64_t(w.row(reg + 1)[lane]) << 32;
  return value;
}
template <class Bits> void setLaneValue(Wave &w, unsigned reg, unsigned lane, Bits value) {
  w.row(reg)[lane] = uint32_t(value);
  if constexpr (sizeof(Bits) == 8)
    w.row(reg + 1)[lane] = uint32_t(value >> 32);
}

// What an operation computes from the old value and its data, on bits.
template <class Op, class T> struct Combine {
  using Bits = typename BitsOf<sizeof(T)>::T;
  static constexpr unsigned dataWords = sizeof(T) / 4;
  static Bits apply(Wave &w, unsigned data, unsigned lane, Bits old) {
    T b = std::bit_cast<T>(laneValue<Bits>(w, data, lane));
    return std::bit_cast<Bits>(T(Op::apply(std::bit_cast<T>(old), b)));
  }
};
// Of LDS: subnormal numbers of single precision and halves are as MODE says; those of double
// precision stay, and all round to the nearest value.
template <class T> T withoutSubnormals(T value, bool flushes32, bool flushes16) {
  if constexpr (std::is_same_v<T, float>)
    return flushes32 ? flushed(value) : value;
  if constexpr (std::is_same_v<T, HalfPair>)
    if (flushes16)
      return {uint16_t(flushed16(value.low)), uint16_t(flushed16(value.high))};
  return value;
}
template <class Op, class T> struct LdsCombine : Combine<Op, T> {
  using Bits = typename BitsOf<sizeof(T)>::T;
  static Bits apply(Wave &w, unsigned data, unsigned lane, Bits old) {
    auto input = [&](Bits bits) {
      return withoutSubnormals(std::bit_cast<T>(bits), w.flushesInput32, w.flushesInput16);
    };
    T result = T(Op::apply(input(old), input(laneValue<Bits>(w, data, lane))));
    return std::bit_cast<Bits>(withoutSubnormals(result, w.flushesOutput32, w.flushesOutput16));
  }
};
// Stores the first part of the data if the old value equals the second.
template <class T> struct CompareSwap {
  using Bits = T;
  static constexpr unsigned dataWords = sizeof(T) / 2;
  static Bits apply(Wave &w, unsigned data, unsigned lane, Bits old) {
    Bits expected = laneValue<Bits>(w, data + sizeof(T) / 4, lane);
    return old == expected ? laneValue<Bits>(w, data, lane) : old;
  }
};

template <class Bits>
void finishReturn(Wave &w, const Instruction &i, const Bits *old, uint64_t active, uint32_t mark) {
  constexpr unsigned words = sizeof(Bits) / 4;
  for (unsigned word = 0; word < words; ++word) {
    w.checkVector(i.dst[0].reg + word);
    markLoaded<Part::whole>(w, i.dst[0].reg + word, active);
  }
  forLanes(active, [&](unsigned lane) { setLaneValue(w, i.dst[0].reg, lane, old[lane]); });
  markPending(w, i.dst[0], words, mark);
}

template <Space space, class F> void globalAtomic(Wave &w, const Instruction &i) {
  using Bits = typename F::Bits;
  // Text order: address, data, base; of buffers: data, address, description, offset.
  constexpr unsigned data = space == Space::buffer ? 0 : 1;
  Instruction reordered = i;
  if (space == Space::global)
    reordered.src[1] = i.src[2];
  Lanes lanes;
  findLanes<space>(w, reordered, space == Space::buffer ? 1 : 0, sizeof(Bits), Use::update, lanes);
  if (!lanes.isGood)
    return;
  unsigned source = i.src[data].reg;
  checkData(w, i.src[data], F::dataWords, lanes.active, 3, "the operand of an atomic operation");
  Bits old[mostLanes] = {};
  forLanes(lanes.active, [&](unsigned lane) {
    if (lanes.address[lane] % sizeof(Bits))
      return; // reported
    auto *memory = reinterpret_cast<Bits *>(lanes.address[lane]);
    Bits before = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(memory, &before, F::apply(w, source, lane, before), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    old[lane] = before;
  });
  if (space == Space::buffer)
    reordered.dst[0] = i.src[0]; // the old value replaces the data
  if (i.flags & hasReturn)
    finishReturn(w, reordered, old, lanes.active | lanes.dropped, issueLoad(w, space));
  else
    issueStore(w, space);
}

template <class F, bool returnsOld> void ldsAtomic(Wave &w, const Instruction &i) {
  using Bits = typename F::Bits;
  alignas(64) Row scratch;
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  unsigned source = i.src[1].reg;
  checkData(w, i.src[1], F::dataWords, active, 3, "the operand of an atomic operation");
  Bits old[mostLanes] = {};
  uint32_t at[mostLanes];
  Workgroup &group = *w.group;
  uint64_t undefined = 0;
  forLanes(active, [&](unsigned lane) {
    at[lane] = addresses[lane] + uint32_t(i.offset0);
    if (at[lane] % sizeof(Bits))
      return w.report(FindingKind::misaligned, int(lane),
                      "an atomic operation on LDS at byte " + std::to_string(at[lane]));
    if (!useLds(w, at[lane], sizeof(Bits), LdsUse::atomic, lane))
      return;
    uint8_t *memory = group.lds.data() + at[lane];
    Bits marks;
    std::memcpy(&marks, group.ldsUndefined.data() + at[lane], sizeof(Bits));
    undefined |= uint64_t(marks != 0) << lane;
    std::memcpy(&old[lane], memory, sizeof(Bits));
    Bits now = F::apply(w, source, lane, old[lane]);
    std::memcpy(memory, &now, sizeof(Bits));
  });
  if (w.state == WaveState::faulted)
    return;
  if (undefined)
    w.report(FindingKind::ldsUndefined, std::countr_zero(undefined),
             "an atomic operation on LDS that was never written");
  countLds(w, at, active, sizeof(Bits), LdsUse::atomic);
  uint32_t mark = w.issue(Pending::lds);
  if (returnsOld)
    finishReturn(w, i, old, active, mark);
}

namespace op {
#define ATOMIC(Id, old, now, T, ...)                                                               \
  struct Id {                                                                                      \
    using Value = T;                                                                               \
    static T apply([[maybe_unused]] T a, T b) { return __VA_ARGS__; }                              \
  };
#include "emulators/amdgpu/Atomics.def"
#undef ATOMIC
} // namespace op
template <class Op> using CombineOf = Combine<Op, typename Op::Value>;
template <class Op> using LdsCombineOf = LdsCombine<Op, typename Op::Value>;

// "global_atomic_add|global_atomic_add_u32"
#define BOTH(prefix, old, now) (sizeof(now) > 1 ? prefix old "|" prefix now : prefix old)

constexpr OpcodeRow globalRowList[] = {
#define ATOMIC(Id, old, now, T, ...)                                                               \
  {BOTH("global_atomic_", old, now),                                                               \
   Family::atomic,                                                                                 \
   1,                                                                                              \
   returns,                                                                                        \
   {A, A, A, A},                                                                                   \
   globalAtomic<Space::global, CombineOf<op::Id>>},
#include "emulators/amdgpu/Atomics.def"
#undef ATOMIC
#define ATOMIC(Id, old, now, T, ...)                                                               \
  {BOTH("flat_atomic_", old, now),                                                                 \
   Family::atomic,                                                                                 \
   1,                                                                                              \
   returns,                                                                                        \
   {A, A, A},                                                                                      \
   globalAtomic<Space::flat, CombineOf<op::Id>>},
#include "emulators/amdgpu/Atomics.def"
#undef ATOMIC
#define ATOMIC(Id, old, now, T, ...)                                                               \
  {BOTH("buffer_atomic_", old, now),                                                               \
   Family::atomic,                                                                                 \
   0,                                                                                              \
   0,                                                                                              \
   {A, A, A, Type::b32},                                                                           \
   globalAtomic<Space::buffer, CombineOf<op::Id>>},
#include "emulators/amdgpu/Atomics.def"
#undef ATOMIC
    {"buffer_atomic_cmpswap|buffer_atomic_cmpswap_b32",
     Family::atomic,
     0,
     0,
     {A, A, A, Type::b32},
     globalAtomic<Space::buffer, CompareSwap<uint32_t>>},
    {"buffer_atomic_cmpswap_x2|buffer_atomic_cmpswap_b64",
     Family::atomic,
     0,
     0,
     {A, A, A, Type::b32},
     globalAtomic<Space::buffer, CompareSwap<uint64_t>>},
    {"global_atomic_cmpswap|global_atomic_cmpswap_b32",
     Family::atomic,
     1,
     returns,
     {A, A, A, A},
     globalAtomic<Space::global, CompareSwap<uint32_t>>},
    {"global_atomic_cmpswap_x2|global_atomic_cmpswap_b64",
     Family::atomic,
     1,
     returns,
     {A, A, A, A},
     globalAtomic<Space::global, CompareSwap<uint64_t>>},
    {"flat_atomic_cmpswap|flat_atomic_cmpswap_b32",
     Family::atomic,
     1,
     returns,
     {A, A, A},
     globalAtomic<Space::flat, CompareSwap<uint32_t>>},
    {"flat_atomic_cmpswap_x2|flat_atomic_cmpswap_b64",
     Family::atomic,
     1,
     returns,
     {A, A, A},
     globalAtomic<Space::flat, CompareSwap<uint64_t>>},
};

// LDS has the expected and the desired value in operands of their own.
template <class T, bool returnsOld, bool comparesFirst>
void ldsCompareStore(Wave &w, const Instruction &i) {
  alignas(64) Row scratch;
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  const Operand &expected = i.src[comparesFirst ? 1 : 2], &desired = i.src[comparesFirst ? 2 : 1];
  checkData(w, expected, sizeof(T) / 4, active, 3, "the operand of an atomic operation");
  checkData(w, desired, sizeof(T) / 4, active, 3, "the operand of an atomic operation");
  T old[mostLanes] = {};
  uint32_t places[mostLanes];
  forLanes(active, [&](unsigned lane) {
    uint32_t at = places[lane] = addresses[lane] + uint32_t(i.offset0);
    if (at % sizeof(T))
      return w.report(FindingKind::misaligned, int(lane),
                      "an atomic operation on LDS at byte " + std::to_string(at));
    if (!useLds(w, at, sizeof(T), LdsUse::atomic, lane))
      return;
    std::memcpy(&old[lane], w.group->lds.data() + at, sizeof(T));
    T now = laneValue<T>(w, desired.reg, lane);
    if (old[lane] == laneValue<T>(w, expected.reg, lane))
      std::memcpy(w.group->lds.data() + at, &now, sizeof(T));
  });
  if (w.state == WaveState::faulted)
    return;
  countLds(w, places, active, sizeof(T), LdsUse::atomic);
  uint32_t mark = w.issue(Pending::lds);
  if (returnsOld)
    finishReturn(w, i, old, active, mark);
}

} // namespace

llvm::ArrayRef<OpcodeRow> globalAtomicRows() { return globalRowList; }

namespace {

template <bool returnsOld, class F> constexpr OpcodeRow ldsRow(const char *spellings) {
  return {spellings,
          Family::atomic,
          returnsOld,
          0,
          {A, A, returnsOld ? A : Type::none},
          ldsAtomic<F, returnsOld>};
}

struct Take {
  template <class T> static T apply(T, T b) { return b; }
};

constexpr OpcodeRow ldsRowList[] = {
#define LDS_ATOMIC(operation, type, Id)                                                            \
  ldsRow<false, LdsCombineOf<op::Id>>("ds_" operation "_" type),                                   \
      ldsRow<true, LdsCombineOf<op::Id>>("ds_" operation "_rtn_" type),
#include "emulators/amdgpu/LdsAtomics.def"
    ldsRow<true, Combine<Take, uint32_t>>("ds_wrxchg_rtn_b32|ds_storexchg_rtn_b32"),
    ldsRow<true, Combine<Take, uint64_t>>("ds_wrxchg_rtn_b64|ds_storexchg_rtn_b64"),
    // The older name has the expected value first, the newer one last.
    {"ds_cmpst_b32", Family::atomic, 0, 0, {A, A, A}, ldsCompareStore<uint32_t, false, true>},
    {"ds_cmpst_rtn_b32", Family::atomic, 1, 0, {A, A, A, A}, ldsCompareStore<uint32_t, true, true>},
    {"ds_cmpst_b64", Family::atomic, 0, 0, {A, A, A}, ldsCompareStore<uint64_t, false, true>},
    {"ds_cmpst_rtn_b64", Family::atomic, 1, 0, {A, A, A, A}, ldsCompareStore<uint64_t, true, true>},
    {"ds_cmpstore_b32", Family::atomic, 0, 0, {A, A, A}, ldsCompareStore<uint32_t, false, false>},
    {"ds_cmpstore_rtn_b32",
     Family::atomic,
     1,
     0,
     {A, A, A, A},
     ldsCompareStore<uint32_t, true, false>},
    {"ds_cmpstore_b64", Family::atomic, 0, 0, {A, A, A}, ldsCompareStore<uint64_t, false, false>},
    {"ds_cmpstore_rtn_b64",
     Family::atomic,
     1,
     0,
     {A, A, A, A},
     ldsCompareStore<uint64_t, true, false>},
};

} // namespace

llvm::ArrayRef<OpcodeRow> ldsAtomicRows() { return ldsRowList; }

} // namespace tilerun::amdsim
