// Conversions between layouts, as the layout algebra plans them.
#include "ir/layout/Conversion.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

Value Lowering::convert(Value vector, const LinearLayout &from, const LinearLayout &to) {
  if (from == to)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  ConversionOptions conversion;
  conversion.elementBytes = getScalarBytes(type);
  conversion.sharedMemory = options.target->sharedModel;
  conversion.maxShuffles = 0;
  llvm::Expected<ConversionPlan> plan = planConversion(from, to, conversion);
  if (!plan) {
    hasFailed = true;
    emitError(loc, "internal error: no conversion between layouts: ")
        << llvm::toString(plan.takeError());
    return poison(VectorType::get({int64_t(1) << to.inBits(kRegister)}, type.getElementType()));
  }
  if (plan->kind == ConversionKind::None)
    return vector;
  if (plan->kind == ConversionKind::Registers) {
    SmallVector<int64_t> indices;
    for (uint64_t reg = 0; reg < (uint64_t(1) << to.inBits(kRegister)); ++reg)
      indices.push_back(registerImage(plan->source, reg, kRegister));
    return pick(vector, indices);
  }
  if (plan->kind != ConversionKind::SharedMemory) {
    hasFailed = true;
    emitError(loc, "internal error: a conversion by ") << toString(plan->kind);
    return vector;
  }
  // Shared memory holds whole bytes.
  if (!type.getElementType().isInteger(1))
    return convertThroughShared(vector, *plan, from, to);
  Value wide = arith::ExtUIOp::create(b, loc, type.clone(b.getI8Type()), vector);
  Value moved = convertThroughShared(wide, *plan, from, to);
  return arith::TruncIOp::create(b, loc, cast<VectorType>(moved.getType()).clone(b.getI1Type()),
                                 moved);
}

/// A register number from its bits in a basis of masks.
static unsigned combineMasks(const BitVectors &masks, uint64_t index) {
  uint64_t reg = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    if ((index >> bit) & 1)
      reg ^= mask;
  return unsigned(reg);
}

Value Lowering::convertThroughShared(Value vector, const ConversionPlan &plan,
                                     const LinearLayout &from, const LinearLayout &to) {
  const SharedPlan &shared = *plan.shared;
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = getScalarBytes(type);
  Value buffer = SharedAllocOp::create(b, loc, int64_t(shared.bytes));

  // Byte offsets are a thread's part and a register's, XORed.
  struct Places {
    llvm::SmallVector<uint64_t, 16> bases;
    uint64_t bits = 0;
  };
  auto placesOf = [&](const LinearLayout &offsets) {
    Places places;
    for (uint64_t basis : threadBases(offsets, kOffset)) {
      places.bases.push_back(basis * bytes);
      places.bits |= basis * bytes;
    }
    return places;
  };
  auto forEachRun = [&](const SharedAccess &access, auto body) {
    Places places = placesOf(access.offsets);
    Value thread = applyToThread(places.bases);
    unsigned width = access.vectorElements;
    for (uint64_t run = 0; run < (uint64_t(1) << access.vectors.runs.size()); ++run) {
      unsigned firstReg = combineMasks(access.vectors.runs, run);
      SmallVector<unsigned, 16> regs;
      for (uint64_t i = 0; i < (uint64_t(1) << access.vectors.withinRun.size()); ++i)
        regs.push_back(firstReg ^ combineMasks(access.vectors.withinRun, i));
      // A run may be longer than one access.
      for (size_t start = 0; start < regs.size(); start += width) {
        ArrayRef<unsigned> group =
            ArrayRef(regs).slice(start, std::min<size_t>(width, regs.size()));
        uint64_t image = registerImage(access.offsets, group[0], kOffset) * bytes;
        body(group, offsetBy(thread, places.bits, image));
      }
    }
  };

  Value first = isFirstHolder(from);
  forEachRun(shared.choice.write, [&](ArrayRef<unsigned> group, Value offset) {
    SmallVector<int64_t> indices(group.begin(), group.end());
    SharedStoreOp::create(b, loc, buffer, offset, pick(vector, indices), first);
  });
  unsigned count = 1u << to.inBits(kRegister);
  Values result(count);
  const LinearLayout &readOffsets = shared.choice.read.offsets;
  std::map<uint64_t, Value> byOffset;
  forEachRun(shared.choice.read, [&](ArrayRef<unsigned> group, Value offset) {
    auto part = VectorType::get({int64_t(group.size())}, type.getElementType());
    Values elements = unpack(SharedLoadOp::create(b, loc, part, buffer, offset));
    for (auto [reg, element] : llvm::zip(group, elements)) {
      result[reg] = element;
      byOffset[registerImage(readOffsets, reg, kOffset)] = element;
    }
  });
  // Registers that repeat another one of their thread.
  for (unsigned reg = 0; reg < count; ++reg)
    if (!result[reg])
      result[reg] = byOffset[registerImage(readOffsets, reg, kOffset)];
  return pack(result);
}
