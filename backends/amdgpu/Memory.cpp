// Memory accesses with hints about caches, additions to shared memory, and transposed reads of it.
// Plain accesses are in backends/llvm; masks are branches by now.
#include "backends/amdgpu/Buffers.h"
#include "backends/amdgpu/Patterns.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;
using llvmbackend::getAccessBytes;
using llvmbackend::toGlobalPointer;

bool amdgpu::isStreaming(tile::CacheModifier cache, tile::EvictionPolicy evict) {
  return cache == tile::CacheModifier::CG || cache == tile::CacheModifier::CS ||
         evict == tile::EvictionPolicy::First;
}

namespace {

struct LoadPattern : ConvertOpToLLVMPattern<simt::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type type = typeConverter->convertType(op.getType());
    Value pointer = toGlobalPointer(rewriter, op.getLoc(), adaptor.getAddress());
    // .cv: what any device has written.
    bool isVolatile = op.getIsVolatile() || op.getCache() == tile::CacheModifier::CV;
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, pointer, getAccessBytes(type), isVolatile,
                                              isStreaming(op.getCache(), op.getEvict()));
    return success();
  }
};

struct StorePattern : ConvertOpToLLVMPattern<simt::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value value = adaptor.getValue();
    Value pointer = toGlobalPointer(rewriter, op.getLoc(), adaptor.getAddress());
    // .wt: through to memory.
    bool isVolatile = op.getCache() == tile::CacheModifier::WT;
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, pointer, getAccessBytes(value.getType()),
                                               isVolatile,
                                               isStreaming(op.getCache(), op.getEvict()));
    return success();
  }
};

struct SharedAddPattern : ConvertOpToLLVMPattern<simt::SharedAddOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SharedAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value pointer =
        llvmbackend::placeInBuffer(rewriter, op.getLoc(), adaptor.getBuffer(), adaptor.getOffset());
    LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), LLVM::AtomicBinOp::add, pointer,
                              adaptor.getValue(), LLVM::AtomicOrdering::monotonic, "workgroup");
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadTransposedPattern : ConvertOpToLLVMPattern<simt::LoadTransposedOp> {
  LoadTransposedPattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::LoadTransposedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(typeConverter->convertType(op.getType()));
    const unsigned bits = type.getElementTypeBitWidth();
    if (!arch.info.hasTransposedRead || (bits != 8 && bits != 16) ||
        type.getNumElements() * bits != 64)
      return op.emitError() << arch.info.name << " has no transposed read of " << op.getType();
    const bool isWide = bits == 16;
    auto result = isWide ? VectorType::get({4}, rewriter.getI16Type())
                         : VectorType::get({2}, rewriter.getI32Type());
    Value pointer =
        llvmbackend::placeInBuffer(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    Value read = callIntrinsic(
        rewriter, loc, result,
        isWide ? "llvm.amdgcn.ds.read.tr16.b64" : "llvm.amdgcn.ds.read.tr8.b64", {pointer});
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, read);
    return success();
  }

private:
  const Architecture &arch;
};

} // namespace

void amdgpu::populateMemoryPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                    const Architecture &arch) {
  patterns.add<LoadPattern, StorePattern, SharedAddPattern>(converter);
  patterns.add<LoadTransposedPattern>(converter, arch);
}
