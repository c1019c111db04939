// Which of MODE's two directions an instruction has, and the host's rounding.
#include "emulators/amdgpu/Rounding.h"
#include "emulators/amdgpu/Types.h"

#include <algorithm>

namespace tilerun::amdsim {
namespace {

enum class Direction : uint8_t { none, single, other };

bool isWideOrHalf(Type type) {
  return type == Type::f16 || type == Type::pkF16 || type == Type::f64;
}

// By the result's type. A conversion from double precision to single has the direction of double
// precision, as LLVM sets it for llvm.fptrunc.round.
Direction directionOf(const OpcodeRow &row) {
  bool isArithmetic = row.family == Family::vector || row.family == Family::scalar;
  if (!isArithmetic || (row.flags & nearest))
    return Direction::none;
  if (isWideOrHalf(row.types[0]) || (row.types[0] == Type::f32 && row.types[1] == Type::f64))
    return Direction::other;
  bool isSingle = row.types[0] == Type::f32 || row.types[0] == Type::pkF32;
  return isSingle ? Direction::single : Direction::none;
}

// Computed in single precision, then made a half.
bool roundsInBoth(const OpcodeRow &row) {
  return row.types[0] == Type::f16 && row.types[1] == Type::f32 && row.types[2] == Type::f32;
}

int hostRounding(uint32_t direction, Type operand) {
  constexpr int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  // Compilers convert unsigned integers by the difference of two numbers, which for 0 is -0 where
  // the host rounds downward; of what is not negative that is toward zero.
  bool isUnsigned = operand == Type::b32 || operand == Type::b16;
  int result = host[direction & 3];
  return isUnsigned && result == FE_DOWNWARD ? FE_TOWARDZERO : result;
}

} // namespace

void runDirected(Wave &w, const Instruction &i) {
  Direction direction = i.row ? directionOf(*i.row) : Direction::none;
  uint32_t flags = i.row ? i.row->flags : 0, single = w.mode & 3, other = w.mode >> 2 & 3;
  if (i.second) { // both halves of a pair are of single precision, or move bits
    flags |= i.second->row->flags;
    direction = std::max(direction, directionOf(*i.second->row));
  }
  if (flags & roundsSomehow)
    return w.fault(FindingKind::unsupported, -1,
                   "how this instruction rounds while MODE has another direction than the nearest "
                   "even value is not known");
  if (direction == Direction::other && roundsInBoth(*i.row) && single != other)
    return w.fault(FindingKind::unsupported, -1,
                   "a mixed multiply-add whose two directions in MODE differ is not emulated");
  if (direction == Direction::none)
    return i.run(w, i);
  uint32_t wanted = direction == Direction::single ? single : other;
  std::fesetround(hostRounding(wanted, i.second ? Type::f32 : i.row->types[1]));
  i.run(w, i);
  std::fesetround(FE_TONEAREST);
}

} // namespace tilerun::amdsim
