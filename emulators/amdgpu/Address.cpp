// Address arithmetic of the vector memory instructions.
#include "emulators/amdgpu/Address.h"

#include <algorithm>

namespace tilerun::amdsim {

namespace {

uint64_t pairOf(Wave &w, const Operand &o) {
  return scalarOf(w, o, 0, "an address") | uint64_t(scalarOf(w, o, 1, "an address")) << 32;
}

void globalAddresses(Wave &w, const Instruction &i, const Operand &vector, const Operand *scalar,
                     Lanes &lanes) {
  alignas(64) Row scratch[2];
  const uint32_t *low = addressRow(w, vector, 0, lanes.active, scratch[0]);
  uint64_t add = uint64_t(int64_t(i.offset0));
  if (scalar && scalar->place == Operand::sgpr && scalar->reg != sgprNull) {
    uint64_t base = pairOf(w, *scalar) + add;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      lanes.address[lane] = base + low[lane];
    return;
  }
  const uint32_t *high = addressRow(w, vector, 1, lanes.active, scratch[1]);
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    lanes.address[lane] = (low[lane] | uint64_t(high[lane]) << 32) + add;
}

bool privateAddress(Wave &w, unsigned lane, uint64_t offset, unsigned bytes, uint64_t &address) {
  if (offset > w.scratchBytes || bytes > w.scratchBytes - offset) {
    w.fault(FindingKind::outOfBounds, int(lane),
            "private memory at byte " + std::to_string(offset) + "; a lane has " +
                std::to_string(w.scratchBytes) + " bytes");
    return false;
  }
  address = reinterpret_cast<uint64_t>(w.scratch + uint64_t(lane) * w.scratchBytes + offset);
  return true;
}

// Translates addresses that point into an aperture; returns the lanes that do not.
uint64_t translateApertures(Wave &w, unsigned bytes, Lanes &lanes) {
  uint64_t others = 0;
  forLanes(lanes.active, [&](unsigned lane) {
    uint64_t &address = lanes.address[lane], offset = address & 0xffffffff;
    uint64_t aperture = address - offset;
    if (aperture == sharedAperture) {
      std::vector<uint8_t> &lds = w.group->lds;
      if (offset + bytes > lds.size())
        w.fault(FindingKind::ldsBounds, int(lane),
                "a flat address at byte " + std::to_string(offset) + " of LDS");
      else
        address = reinterpret_cast<uint64_t>(lds.data()) + offset;
    } else if (aperture == privateAperture) {
      privateAddress(w, lane, offset, bytes, address);
    } else {
      others |= uint64_t(1) << lane;
    }
  });
  return others;
}

// Why the buffer of this description is not emulated; null if it is. The last word has bits that
// change bounds and addresses: known are those that compilers write for buffers of bytes.
const char *unknownBuffer(const Wave &w, const uint32_t *resource) {
  bool isGfx9 = w.target->generation == Generation::gfx9;
  if (isGfx9 && (resource[1] >> 30 & 3) == 1)
    return "buffers with a swizzled cache are not emulated";
  if (resource[1] >> 30)
    return "swizzled buffers are not emulated";
  if (resource[3] != (isGfx9 ? 0x27000 : 0x31027000))
    return isGfx9
               ? "the last word of a buffer's description is emulated with the value 0x27000 only"
               : "the last word of a buffer's description is emulated with the value 0x31027000 "
                 "only";
  // The newer last word counts bytes; what it makes of records is not known here.
  if (!isGfx9 && (resource[1] >> 16 & 0x3fff))
    return "buffers with a stride are emulated on gfx9 only";
  return nullptr;
}

void bufferAddresses(Wave &w, const Instruction &i, const Operand *o, unsigned bytes, Use use,
                     Lanes &lanes) {
  uint32_t resource[4];
  for (unsigned word = 0; word < 4; ++word)
    resource[word] = scalarOf(w, o[1], word, "a buffer's description");
  uint64_t base = resource[0] | uint64_t(resource[1] & 0xffff) << 32;
  uint32_t stride = resource[1] >> 16 & 0x3fff, records = resource[2];
  bool isSwizzled = resource[1] >> 30 & 3;
  if (const char *reason = base == privateBuffer ? nullptr : unknownBuffer(w, resource))
    return w.fault(FindingKind::unsupported, -1, reason);
  uint32_t scalar = scalarOf(w, o[2], 0, "an address");
  bool hasIndex = i.flags & idxen, hasOffset = i.flags & offen;
  alignas(64) Row scratch[2] = {};
  const uint32_t *index = hasIndex ? addressRow(w, o[0], 0, lanes.active, scratch[0]) : scratch[0];
  const uint32_t *offset =
      hasOffset ? addressRow(w, o[0], hasIndex, lanes.active, scratch[1]) : scratch[1];
  if (isSwizzled) {
    // The scalar offset counts bytes of all lanes, as the stack pointer does.
    forLanes(lanes.active, [&](unsigned lane) {
      uint64_t inLane = uint64_t(offset[lane]) + uint64_t(i.offset0) + scalar / w.lanes;
      if (w.state != WaveState::faulted)
        privateAddress(w, lane, inLane, bytes, lanes.address[lane]);
    });
    lanes.isPrivate = true;
    return;
  }
  uint64_t outside = 0, split = 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint64_t inRecord = uint64_t(offset[lane]) + uint64_t(int64_t(i.offset0));
    uint64_t at = inRecord + uint64_t(index[lane]) * stride;
    // With a stride the bound counts records, else bytes; the scalar offset is not checked.
    bool countsRecords = stride && hasIndex;
    bool isOutside = countsRecords ? index[lane] >= records : at + bytes > records;
    outside |= uint64_t(isOutside) << lane;
    lanes.wordsInside[lane] = uint8_t(at < records ? std::min<uint64_t>((records - at) / 4, 4) : 0);
    bool isSplit = isOutside && !countsRecords && use != Use::update && lanes.wordsInside[lane];
    split |= uint64_t(isSplit) << lane;
    lanes.address[lane] = base + scalar + at;
  }
  lanes.partial = lanes.active & split;
  lanes.dropped = lanes.active & outside & ~split;
  lanes.active &= ~outside;
}

void scratchAddresses(Wave &w, const Instruction &i, const Operand *o, unsigned bytes,
                      Lanes &lanes) {
  alignas(64) Row scratch;
  const uint32_t *vector = addressRow(w, o[0], 0, lanes.active, scratch);
  uint32_t scalar = scalarOf(w, o[1], 0, "an address");
  lanes.isGood = true;
  forLanes(lanes.active, [&](unsigned lane) {
    uint64_t offset = uint32_t(vector[lane] + scalar + uint32_t(i.offset0));
    lanes.isGood = lanes.isGood && privateAddress(w, lane, offset, bytes, lanes.address[lane]);
  });
}

} // namespace

template <Space space>
void findLanes(Wave &w, const Instruction &i, unsigned first, unsigned bytes, Use use,
               Lanes &lanes) {
  lanes.active = w.exec();
  const Operand *operands = i.src + first;
  if constexpr (space == Space::scratch)
    return scratchAddresses(w, i, operands, bytes, lanes);
  if constexpr (space == Space::buffer)
    bufferAddresses(w, i, operands, bytes, use, lanes);
  else
    globalAddresses(w, i, operands[0], space == Space::global ? operands + 1 : nullptr, lanes);
  if (w.state == WaveState::faulted)
    return;
  if (lanes.isPrivate) {
    lanes.isGood = true;
    return;
  }
  if (use == Use::update)
    checkAlignment(w, lanes.address, lanes.active | lanes.partial, bytes);
  uint64_t checked = lanes.active;
  if constexpr (space == Space::flat)
    checked = translateApertures(w, bytes, lanes);
  lanes.isGood =
      w.state != WaveState::faulted && checkAddresses(w, lanes.address, checked, bytes, use);
  forLanes(lanes.partial, [&](unsigned lane) {
    lanes.isGood = lanes.isGood && checkAddress(w, lanes.address[lane], 4 * lanes.wordsInside[lane],
                                                use, int(lane));
  });
  if (lanes.isGood)
    countGlobal(w, lanes.address, checked, bytes, use);
}

template void findLanes<Space::global>(Wave &, const Instruction &, unsigned, unsigned, Use,
                                       Lanes &);
template void findLanes<Space::flat>(Wave &, const Instruction &, unsigned, unsigned, Use, Lanes &);
template void findLanes<Space::buffer>(Wave &, const Instruction &, unsigned, unsigned, Use,
                                       Lanes &);
template void findLanes<Space::scratch>(Wave &, const Instruction &, unsigned, unsigned, Use,
                                        Lanes &);

uint32_t issueLoad(Wave &w, Space space) {
  if (space == Space::flat)
    w.issue(Pending::lds);
  return w.issue(Pending::vectorMemory);
}
void issueStore(Wave &w, Space space) {
  if (space == Space::flat)
    w.issue(Pending::lds);
  w.issue(w.target->generation == Generation::gfx9 ? Pending::vectorMemory : Pending::store);
}

} // namespace tilerun::amdsim
