// Exchange between the lanes of a wave. Permutations that the vector unit does on the way to its
// operands (DPP) and permlane are preferred to ds_swizzle and ds_bpermute, which go through the
// hardware of shared memory but take none of it.
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

/// The controls of DPP, as the ISA guides number them.
enum DppControl : unsigned {
  kRowRotate8 = 0x128,    ///< Lane XOR 8.
  kRowMirror = 0x140,     ///< Lane XOR 15.
  kRowHalfMirror = 0x141, ///< Lane XOR 7.
  kRowXorMask = 0x160,    ///< + mask: lane XOR mask, from RDNA 2 on.
};

/// Within four lanes: lane XOR `mask`.
constexpr unsigned quadXor(unsigned mask) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return control;
}

/// The controls whose sequence is lane XOR `mask`, for 0 < mask < 16.
SmallVector<unsigned, 2> dppControls(unsigned mask, const Architecture &arch) {
  if (arch.hasPermlane())
    return {kRowXorMask | mask};
  // A quad reaches the two low bits only; the others move more lanes and leave a rest of them.
  SmallVector<unsigned, 2> controls;
  unsigned rest = mask;
  if (mask >= 12) {
    controls.push_back(kRowMirror);
    rest ^= 15;
  } else if (mask >= 8) {
    controls.push_back(kRowRotate8);
    rest ^= 8;
  } else if (mask >= 4) {
    controls.push_back(kRowHalfMirror);
    rest ^= 7;
  }
  if (rest)
    controls.push_back(quadXor(rest));
  return controls;
}

struct ShufflePattern : ConvertOpToLLVMPattern<simt::ShuffleOp> {
  ShufflePattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    APInt constant;
    const bool isConstant = matchPattern(op.getLane(), m_ConstantInt(&constant));
    const uint64_t lane = isConstant ? constant.getZExtValue() : 0;
    std::function<Value(Value)> move;
    Value address;
    if (isConstant && op.getMode() == simt::ShuffleMode::Xor && lane < 32)
      move = [&](Value word) { return moveXor(rewriter, loc, word, lane); };
    else if (isConstant && op.getMode() == simt::ShuffleMode::Index && lane < arch.info.warpSize)
      move = [&](Value word) {
        return callIntrinsic(rewriter, loc, rewriter.getI32Type(), "llvm.amdgcn.readlane",
                             {word, integerConstant(rewriter, loc, 32, int64_t(lane))});
      };
    else
      move = [&](Value word) {
        if (!address)
          address = addressOf(rewriter, loc, op.getMode(), adaptor.getLane());
        return callIntrinsic(rewriter, loc, rewriter.getI32Type(), "llvm.amdgcn.ds.bpermute",
                             {address, word});
      };
    rewriter.replaceOp(op, llvmbackend::mapWords(rewriter, loc, adaptor.getValue(), move));
    return success();
  }

private:
  /// From lane XOR `mask`, for mask < 32.
  Value moveXor(OpBuilder &b, Location loc, Value word, unsigned mask) const {
    Type i32 = b.getI32Type();
    auto flag = [&](bool value) { return integerConstant(b, loc, 1, value); };
    auto number = [&](int64_t value) { return integerConstant(b, loc, 32, value); };
    if (mask >= 16 && !arch.hasPermlane()) // Bits 0-4: AND, 10-14: XOR.
      return callIntrinsic(b, loc, i32, "llvm.amdgcn.ds.swizzle", {word, number(mask << 10 | 31)});
    // Every lane is read, so nothing of the old value remains, and the move can be folded into the
    // operation that takes its result.
    Value old = LLVM::PoisonOp::create(b, loc, i32);
    if (mask >= 16) {
      // For each lane of a row four bits: the lane of the other row that it reads.
      uint64_t select = 0;
      for (uint64_t lane = 0; lane < 16; ++lane)
        select |= (lane ^ (mask & 15)) << (4 * lane);
      return callIntrinsic(b, loc, i32, "llvm.amdgcn.permlanex16",
                           {old, word, number(int32_t(select)), number(int32_t(select >> 32)),
                            flag(false), flag(true)});
    }
    if (mask == 0)
      return word;
    for (unsigned control : dppControls(mask, arch))
      word = callIntrinsic(b, loc, i32, "llvm.amdgcn.update.dpp",
                           {old, word, number(control), number(15), number(15), flag(true)});
    return word;
  }

  /// The byte address, of 4 bytes a lane, that ds_bpermute takes.
  Value addressOf(OpBuilder &b, Location loc, simt::ShuffleMode mode, Value lane) const {
    Type i32 = b.getI32Type();
    auto number = [&](int64_t value) { return integerConstant(b, loc, 32, value); };
    Value own = callIntrinsic(b, loc, i32, "llvm.amdgcn.workitem.id.x", {});
    own = LLVM::AndOp::create(b, loc, own, number(arch.info.warpSize - 1));
    Value source = lane;
    // Lanes outside of the wave give the thread's own value.
    auto orOwn = [&](LLVM::ICmpPredicate isInside, Value limit) {
      Value condition = LLVM::ICmpOp::create(b, loc, isInside, source, limit);
      source = LLVM::SelectOp::create(b, loc, condition, source, own);
    };
    switch (mode) {
    case simt::ShuffleMode::Index:
      break;
    case simt::ShuffleMode::Xor:
      source = LLVM::XOrOp::create(b, loc, own, lane);
      break;
    case simt::ShuffleMode::Up:
      source = LLVM::SubOp::create(b, loc, own, lane);
      orOwn(LLVM::ICmpPredicate::sge, number(0));
      break;
    case simt::ShuffleMode::Down:
      source = LLVM::AddOp::create(b, loc, own, lane);
      orOwn(LLVM::ICmpPredicate::slt, number(arch.info.warpSize));
      break;
    }
    return LLVM::ShlOp::create(b, loc, source, number(2));
  }

  const Architecture &arch;
};

} // namespace

void amdgpu::populateShufflePatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                     const Architecture &arch) {
  patterns.add<ShufflePattern>(converter, arch);
}
