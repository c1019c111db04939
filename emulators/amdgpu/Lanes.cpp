// Instructions that move values between lanes, or between lanes and scalar registers.
#include "emulators/amdgpu/Masks.h"

namespace tilerun::amdsim {
namespace {

uint32_t scalarValue(Wave &w, const Operand &o) {
  if (o.place == Operand::constant)
    return uint32_t(o.value);
  w.checkScalar(o.reg);
  if (w.sgprShadow[o.reg])
    w.reportUndefined(0, "the number of a lane");
  return w.sgprs[o.reg];
}

// One lane of a vector register to a scalar one; EXEC does not matter.
void readLaneAt(Wave &w, const Instruction &i, unsigned lane) {
  const Operand &source = i.src[0];
  if (source.place != Operand::vgpr) {
    w.sgprs[i.dst[0].reg] =
        source.place == Operand::constant ? uint32_t(source.value) : w.sgprs[source.reg];
    return;
  }
  w.checkVector(source.reg);
  w.checkScalar(i.dst[0].reg);
  w.sgprs[i.dst[0].reg] = w.row(source.reg)[lane];
  w.sgprShadow[i.dst[0].reg] = (w.shadowLow[source.reg] >> lane & 1 ? 0xffffu : 0) |
                               (w.shadowHigh[source.reg] >> lane & 1 ? 0xffff0000u : 0);
}
void readLane(Wave &w, const Instruction &i) {
  readLaneAt(w, i, scalarValue(w, i.src[1]) % w.lanes);
}
void readFirstLane(Wave &w, const Instruction &i) {
  uint64_t exec = w.exec();
  readLaneAt(w, i, exec ? unsigned(std::countr_zero(exec)) : 0);
}
void writeLane(Wave &w, const Instruction &i) {
  unsigned lane = scalarValue(w, i.src[1]) % w.lanes, reg = i.dst[0].reg;
  const Operand &source = i.src[0];
  uint32_t shadow = source.place == Operand::sgpr ? w.sgprShadow[source.reg] : 0;
  w.checkVector(reg);
  if (source.place == Operand::sgpr)
    w.checkScalar(source.reg);
  w.row(reg)[lane] =
      source.place == Operand::constant ? uint32_t(source.value) : w.sgprs[source.reg];
  uint64_t bit = uint64_t(1) << lane;
  setShadow(w, reg, bit, shadow & 0xffff ? bit : 0, shadow >> 16 ? bit : 0);
}

// Counts the bits of a mask below each lane, added to the other operand.
template <bool isHigh> void countBelow(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[2], result[2];
  Shadow shadow;
  const uint32_t *mask = fetch(w, i, i.src[0], 0, scratch[0], shadow);
  const uint32_t *sum = fetch(w, i, i.src[1], 0, scratch[1], shadow);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint64_t below = (uint64_t(1) << lane) - 1;
    uint32_t counted = mask[lane] & uint32_t(isHigh ? below >> 32 : below);
    result[0][lane] = sum[lane] + uint32_t(std::popcount(counted));
  }
  finishVector(w, i, Type::b32, 1, result, activeLanes(w, i), shadow);
}

// Each lane reads the lane that `from` names; those that do not exist or are off read what was
// there.
template <class From>
void moveLanes(Wave &w, const Instruction &i, From from, bool readsInactive, bool zeroes) {
  unsigned source = i.src[0].reg, reg = i.dst[0].reg;
  w.checkVector(source);
  w.checkVector(reg);
  alignas(64) Row result;
  uint64_t exec = w.exec(), low = 0, high = 0, active = 0;
  const uint32_t *values = w.row(source);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    unsigned other = from(lane);
    bool isValid = readsInactive || (exec >> other & 1);
    result[lane] = isValid ? values[other] : 0;
    active |= uint64_t(isValid || zeroes) << lane;
    low |= (isValid ? w.shadowLow[source] >> other & 1 : 0) << lane;
    high |= (isValid ? w.shadowHigh[source] >> other & 1 : 0) << lane;
  }
  active &= exec;
  blendRow(w.row(reg), result, active, w.lanes);
  setShadow(w, reg, active, low, high);
}
// Sixteen numbers of four bits in two scalar registers say which lane of a row each lane reads: of
// its own row, or of the other one in the half.
template <bool crosses> void permuteLane16(Wave &w, const Instruction &i) {
  uint64_t selectors = scalarValue(w, i.src[1]) | uint64_t(scalarValue(w, i.src[2])) << 32;
  moveLanes(
      w, i,
      [&](unsigned lane) {
        unsigned row = (lane & ~15u) ^ (crosses ? 16 : 0);
        return row | unsigned(selectors >> (lane & 15) * 4 & 15);
      },
      i.opSel & 1, i.opSel & 2);
}
void permuteLane64(Wave &w, const Instruction &i) {
  if (w.lanes == 32)
    return; // does nothing there
  moveLanes(w, i, [](unsigned lane) { return lane ^ 32; }, true, true);
}
// Exchanges odd rows of the first register with even rows of the second.
template <unsigned size> void swapRows(Wave &w, const Instruction &i) {
  unsigned a = i.dst[0].reg, b = i.dst[1].reg;
  if (w.exec() != w.allLanes)
    return w.fault(FindingKind::unsupported, std::countr_one(w.exec()),
                   "an exchange of rows while lanes are off is not emulated");
  w.checkVector(a);
  w.checkVector(b);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    if (lane & size)
      continue;
    unsigned other = lane + size;
    std::swap(w.row(a)[other], w.row(b)[lane]);
    uint64_t one = uint64_t(1) << other, two = uint64_t(1) << lane;
    for (uint64_t *shadow : {w.shadowLow, w.shadowHigh}) {
      bool x = shadow[a] & one, y = shadow[b] & two;
      shadow[a] = (shadow[a] & ~one) | (y ? one : 0);
      shadow[b] = (shadow[b] & ~two) | (x ? two : 0);
    }
  }
}
void swapRegisters(Wave &w, const Instruction &i) {
  unsigned a = i.dst[0].reg, b = i.dst[1].reg;
  w.checkVector(a);
  w.checkVector(b);
  uint64_t exec = w.exec();
  alignas(64) Row copy;
  std::memcpy(copy, w.row(a), sizeof(uint32_t) * w.lanes);
  uint64_t low = w.shadowLow[a], high = w.shadowHigh[a];
  blendRow(w.row(a), w.row(b), exec, w.lanes);
  setShadow(w, a, exec, w.shadowLow[b], w.shadowHigh[b]);
  blendRow(w.row(b), copy, exec, w.lanes);
  setShadow(w, b, exec, low, high);
}

struct Copy {
  static uint32_t apply(uint32_t a) { return a; }
};

constexpr OpcodeRow rows[] = {
    {"v_readlane_b32", Family::lane, 1, 0, {Type::b32, Type::b32, Type::b32}, readLane},
    {"v_readfirstlane_b32", Family::lane, 1, 0, {Type::b32, Type::b32}, readFirstLane},
    {"v_writelane_b32", Family::lane, 1, 0, {Type::b32, Type::b32, Type::b32}, writeLane},
    {"v_mbcnt_lo_u32_b32",
     Family::lane,
     1,
     0,
     {Type::b32, Type::b32, Type::b32},
     countBelow<false>},
    {"v_mbcnt_hi_u32_b32", Family::lane, 1, 0, {Type::b32, Type::b32, Type::b32}, countBelow<true>},
    {"v_permlane16_b32",
     Family::lane,
     1,
     readsSelects,
     {Type::b32, Type::b32, Type::b32, Type::b32},
     permuteLane16<false>},
    {"v_permlanex16_b32",
     Family::lane,
     1,
     readsSelects,
     {Type::b32, Type::b32, Type::b32, Type::b32},
     permuteLane16<true>},
    {"v_permlane64_b32", Family::lane, 1, 0, {Type::b32, Type::b32}, permuteLane64},
    {"v_permlane16_swap_b32", Family::lane, 2, 0, {Type::b32, Type::b32}, swapRows<16>},
    {"v_permlane32_swap_b32", Family::lane, 2, 0, {Type::b32, Type::b32}, swapRows<32>},
    {"v_swap_b32", Family::lane, 2, 0, {Type::b32, Type::b32}, swapRegisters},
    {"v_accvgpr_read_b32|v_accvgpr_mov_b32",
     Family::lane,
     1,
     bitwise,
     {Type::b32, Type::b32},
     runVector<Copy, B32, true, B32>},
    {"v_accvgpr_write_b32",
     Family::lane,
     1,
     bitwise,
     {Type::b32, Type::b32},
     runVector<Copy, B32, true, B32>},
};

} // namespace

llvm::ArrayRef<OpcodeRow> laneRows() { return rows; }

} // namespace tilerun::amdsim
