// See LaneAccess.h.
#include "backends/interpreter/debug/LaneAccess.h"

#include "backends/interpreter/Steps.h"

using namespace tilerun;
using namespace tilerun::interp;

std::optional<LaneAccess> interp::getAccess(const Frame &frame, const Step &step) {
  LaneAccess access{LaneAccess::Kind::Load, nullptr, nullptr, step.count, 0};
  Slot mask = kNoSlot;
  Dtype type;
  if (step.run == runLoad) {
    mask = step.operands[1];
    type = step.resultTypes[0];
  } else if (step.run == runStore || step.run == runAtomicRMW || step.run == runAtomicCAS) {
    access.kind = step.run == runStore ? LaneAccess::Kind::Store : LaneAccess::Kind::Atomic;
    mask = step.run == runAtomicCAS ? kNoSlot : step.operands[2];
    type = step.operandTypes[1];
  } else {
    return std::nullopt;
  }
  access.pointers = frame.as<uint64_t>(step.operands[0]);
  access.mask = mask == kNoSlot ? nullptr : frame.as<uint8_t>(mask);
  access.bytes = sizeOf(type);
  return access;
}
