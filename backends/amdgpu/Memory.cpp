// Memory accesses with hints about caches, and additions to shared memory. Plain accesses are in
// backends/llvm; masks are branches by now.
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

} // namespace

void amdgpu::populateMemoryPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, SharedAddPattern>(converter);
}
