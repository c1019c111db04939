// Threads: their ids, their barriers, and the exchanges within a subgroup.
#include "backends/spirv/Patterns.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// Orders all accesses of global and shared memory, both ways.
spirv::MemorySemantics fullOrder(const Target &target) {
  auto semantics = spirv::MemorySemantics::AcquireRelease | spirv::MemorySemantics::UniformMemory |
                   spirv::MemorySemantics::WorkgroupMemory;
  if (target.hasMemoryModel)
    semantics =
        semantics | spirv::MemorySemantics::MakeAvailable | spirv::MemorySemantics::MakeVisible;
  return semantics;
}

/// Whether lanes of a subgroup are a thread's low bits (as getTargetInfo says for layouts).
bool hasLanes(const Target &target) { return target.hasSubgroupControl && target.hasShuffle; }

Value laneOf(OpBuilder &b, Location loc, KernelContext &kernel) {
  return builtinValue(b, loc, kernel, spirv::BuiltIn::SubgroupLocalInvocationId, b.getI32Type());
}

struct ThreadIdPattern : KernelPattern<simt::ThreadIdOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::ThreadIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    if (!hasLanes(target)) {
      rewriter.replaceOp(
          op, builtinValue(rewriter, loc, kernel, spirv::BuiltIn::LocalInvocationIndex, i32));
      return success();
    }
    // Vulkan does not promise that a subgroup is a run of LocalInvocationIndex.
    Value lane = laneOf(rewriter, loc, kernel);
    if (kernel.numThreads > target.subgroupSize) {
      Value warp = builtinValue(rewriter, loc, kernel, spirv::BuiltIn::SubgroupId, i32);
      Value shift = constantOf(rewriter, loc, i32, llvm::Log2_64(target.subgroupSize));
      Value first = spirv::ShiftLeftLogicalOp::create(rewriter, loc, i32, warp, shift);
      lane = spirv::BitwiseOrOp::create(rewriter, loc, first, lane);
    }
    rewriter.replaceOp(op, lane);
    return success();
  }
};

struct BarrierPattern : KernelPattern<simt::BarrierOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    bool isWarp = op.getScope() == simt::BarrierScope::Warp && hasLanes(target);
    auto scope = isWarp ? spirv::Scope::Subgroup : spirv::Scope::Workgroup;
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(op, scope, scope, fullOrder(target));
    return success();
  }
};

struct FencePattern : KernelPattern<simt::FenceOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::FenceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    // Vulkan has no scope beyond the device.
    auto scope =
        op.getScope() == tile::MemScope::CTA ? spirv::Scope::Workgroup : spirv::Scope::Device;
    rewriter.replaceOpWithNewOp<spirv::MemoryBarrierOp>(op, scope, fullOrder(target));
    return success();
  }
};

/// Drivers' compilers see through whatever could be written here.
struct FreshPattern : KernelPattern<simt::FreshOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::FreshOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, adaptor.getWord());
    return success();
  }
};

struct ShufflePattern : KernelPattern<simt::ShuffleOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!hasLanes(target))
      return lacks(op, "shuffles between lanes, which 'simt.shuffle' needs",
                   "compile for a target with 'shuffle' and 'subgroup-control'");
    Value value = adaptor.getValue();
    Type type = value.getType(), i32 = rewriter.getI32Type();
    unsigned bits = type.getIntOrFloatBitWidth();
    // Subgroup operations on other sizes are a separate feature; words always work.
    Type integer = rewriter.getIntegerType(bits);
    if (bits == 64)
      value = bitcast(rewriter, loc, VectorType::get({2}, i32), value);
    else if (bits < 32)
      value = resizeUnsigned(rewriter, loc, bitcast(rewriter, loc, integer, value), 32);
    value = move(rewriter, loc, op.getMode(), value, adaptor.getLane());
    if (bits < 32)
      value = resizeUnsigned(rewriter, loc, value, bits);
    rewriter.replaceOp(op, bitcast(rewriter, loc, type, value));
    return success();
  }

private:
  Value move(OpBuilder &b, Location loc, simt::ShuffleMode mode, Value value, Value lane) const {
    Type i1 = b.getI1Type();
    switch (mode) {
    case simt::ShuffleMode::Xor:
      return spirv::GroupNonUniformShuffleXorOp::create(b, loc, value.getType(),
                                                        spirv::Scope::Subgroup, value, lane);
    case simt::ShuffleMode::Index:
      break;
    case simt::ShuffleMode::Up: {
      Value own = laneOf(b, loc, kernel);
      Value isInside = spirv::UGreaterThanEqualOp::create(b, loc, i1, own, lane);
      Value other = spirv::ISubOp::create(b, loc, own, lane);
      lane = spirv::SelectOp::create(b, loc, own.getType(), isInside, other, own);
      break;
    }
    case simt::ShuffleMode::Down: {
      Value own = laneOf(b, loc, kernel);
      Value other = spirv::IAddOp::create(b, loc, own, lane);
      Value size = constantOf(b, loc, own.getType(), int64_t(target.subgroupSize));
      Value isInside = spirv::ULessThanOp::create(b, loc, i1, other, size);
      lane = spirv::SelectOp::create(b, loc, own.getType(), isInside, other, own);
      break;
    }
    }
    return spirv::GroupNonUniformShuffleOp::create(b, loc, value.getType(), spirv::Scope::Subgroup,
                                                   value, lane);
  }
};

} // namespace

void spirvbackend::populateSubgroupPatterns(SPIRVTypeConverter &converter,
                                            RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ThreadIdPattern, BarrierPattern, FencePattern, ShufflePattern, FreshPattern>(
      converter, kernel);
}
