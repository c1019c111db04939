// See MemoryPatterns.h.
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::llvmbackend;

int64_t llvmbackend::getArenaAlignment(ModuleOp module, int64_t least) {
  module.walk([&](simt::SharedAllocOp op) { least = std::max<int64_t>(least, op.getAlignment()); });
  return least;
}

void llvmbackend::createArena(ModuleOp module, LLVM::Linkage linkage, uint64_t bytes,
                              int64_t alignment) {
  OpBuilder b(module.getBodyRegion());
  LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), bytes),
                         /*isConstant=*/false, linkage, kArenaName, Attribute(), alignment,
                         kSharedSpace);
}

void llvmbackend::addSharedConversion(LLVMTypeConverter &converter) {
  converter.addConversion([](simt::SharedType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  });
}

Value llvmbackend::placeInBuffer(OpBuilder &b, Location loc, Value buffer, Value offset) {
  return LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI8Type(), buffer,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value llvmbackend::toGlobalPointer(OpBuilder &b, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace),
                                  address);
}

unsigned llvmbackend::getAccessBytes(Type vector) {
  auto type = cast<VectorType>(vector);
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

namespace {

template <typename Op> bool isPlain(Op op) {
  return !op.getMask() && op.getCache() == tile::CacheModifier::None &&
         op.getEvict() == tile::EvictionPolicy::Normal;
}

struct LoadPattern : ConvertOpToLLVMPattern<simt::LoadOp> {
  explicit LoadPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)) {}
  LogicalResult matchAndRewrite(simt::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isPlain(op))
      return failure();
    Type type = typeConverter->convertType(op.getType());
    Value pointer = toGlobalPointer(rewriter, op.getLoc(), adaptor.getAddress());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, pointer, getAccessBytes(type),
                                              op.getIsVolatile());
    return success();
  }
};

struct StorePattern : ConvertOpToLLVMPattern<simt::StoreOp> {
  explicit StorePattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)) {}
  LogicalResult matchAndRewrite(simt::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isPlain(op))
      return failure();
    Value value = adaptor.getValue();
    Value pointer = toGlobalPointer(rewriter, op.getLoc(), adaptor.getAddress());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, pointer, getAccessBytes(value.getType()));
    return success();
  }
};

/// The buffer's place in the arena.
int64_t offsetOf(Value buffer) {
  auto alloc = buffer.getDefiningOp<simt::SharedAllocOp>();
  return alloc && alloc.getOffset() ? *alloc.getOffset() : 0;
}

struct AllocPattern : ConvertOpToLLVMPattern<simt::SharedAllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SharedAllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto pointer = LLVM::LLVMPointerType::get(op.getContext(), kSharedSpace);
    Value arena = LLVM::AddressOfOp::create(rewriter, op.getLoc(), pointer, kArenaName);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, pointer, rewriter.getI8Type(), arena,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(offsetOf(op.getResult())))},
        LLVM::GEPNoWrapFlags::inbounds);
    return success();
  }
};

struct SharedLoadPattern : ConvertOpToLLVMPattern<simt::SharedLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SharedLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type type = typeConverter->convertType(op.getType());
    Value pointer = placeInBuffer(rewriter, op.getLoc(), adaptor.getBuffer(), adaptor.getOffset());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, pointer, getAccessBytes(type));
    return success();
  }
};

struct SharedStorePattern : ConvertOpToLLVMPattern<simt::SharedStoreOp> {
  explicit SharedStorePattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)) {}
  LogicalResult matchAndRewrite(simt::SharedStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (op.getMask())
      return failure();
    Value value = adaptor.getValue();
    Value pointer = placeInBuffer(rewriter, op.getLoc(), adaptor.getBuffer(), adaptor.getOffset());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, pointer, getAccessBytes(value.getType()));
    return success();
  }
};

} // namespace

void llvmbackend::populateMemoryPatterns(LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, AllocPattern, SharedLoadPattern, SharedStorePattern>(
      converter);
}
