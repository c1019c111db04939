// Products by cooperative matrices (SPV_KHR_cooperative_matrix): opaque matrices of per-thread IR
// are those of a subgroup. They are read from and written to the arena of shared memory; with an
// explicit layout through pointers to 128 bits, which tell the driver how all lines are aligned
// without any analysis of its own, whatever the matrix's elements are.
#include "backends/spirv/Patterns.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

spirv::CooperativeMatrixUseKHR useOf(simt::MatrixUse use) {
  switch (use) {
  case simt::MatrixUse::A:
    return spirv::CooperativeMatrixUseKHR::MatrixA;
  case simt::MatrixUse::B:
    return spirv::CooperativeMatrixUseKHR::MatrixB;
  case simt::MatrixUse::Accumulator:
    break;
  }
  return spirv::CooperativeMatrixUseKHR::MatrixAcc;
}

/// Where a matrix lies: a pointer to its first line, and the distance of lines in pointees.
struct Place {
  Value pointer, stride;
};

Place placeOf(OpBuilder &b, Location loc, KernelContext &kernel, Value buffer, Value offset,
              int64_t pitch) {
  Type i32 = b.getI32Type();
  bool isWide = kernel.target.hasExplicitLayout;
  Type view = isWide ? Type(VectorType::get({4}, i32)) : i32;
  Value start = spirv::IAddOp::create(b, loc, buffer, offset);
  return {sharedPointer(b, loc, kernel, start, view),
          constantOf(b, loc, i32, pitch / (isWide ? 16 : 4))};
}

/// Accesses of other threads to these bytes are visible after a barrier.
spirv::MemoryAccessAttr accessOf(OpBuilder &b) {
  return spirv::MemoryAccessAttr::get(b.getContext(), spirv::MemoryAccess::NonPrivatePointer);
}

struct MatrixLoadPattern : KernelPattern<simt::MatrixLoadOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::MatrixLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Place place =
        placeOf(rewriter, loc, kernel, adaptor.getBuffer(), adaptor.getOffset(), op.getPitch());
    auto order = op.getColumnMajor() ? spirv::CooperativeMatrixLayoutKHR::ColumnMajor
                                     : spirv::CooperativeMatrixLayoutKHR::RowMajor;
    rewriter.replaceOpWithNewOp<spirv::KHRCooperativeMatrixLoadOp>(
        op, convert(op.getType()), place.pointer,
        spirv::CooperativeMatrixLayoutKHRAttr::get(rewriter.getContext(), order), place.stride,
        accessOf(rewriter), IntegerAttr());
    return success();
  }
};

struct MatrixStorePattern : KernelPattern<simt::MatrixStoreOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::MatrixStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Place place =
        placeOf(rewriter, loc, kernel, adaptor.getBuffer(), adaptor.getOffset(), op.getPitch());
    rewriter.replaceOpWithNewOp<spirv::KHRCooperativeMatrixStoreOp>(
        op, place.pointer, adaptor.getMatrix(),
        spirv::CooperativeMatrixLayoutKHRAttr::get(rewriter.getContext(),
                                                   spirv::CooperativeMatrixLayoutKHR::RowMajor),
        place.stride, accessOf(rewriter), IntegerAttr());
    return success();
  }
};

struct MatrixSplatPattern : KernelPattern<simt::MatrixSplatOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::MatrixSplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<spirv::CompositeConstructOp>(op, convert(op.getType()),
                                                             ValueRange(adaptor.getScalar()));
    return success();
  }
};

struct MultiplyAddPattern : KernelPattern<simt::MatrixMultiplyAddOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::MatrixMultiplyAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    using Operands = spirv::CooperativeMatrixOperandsKHR;
    spirv::CooperativeMatrixOperandsKHRAttr operands;
    if (op.getType().getElementType().isInteger())
      operands = spirv::CooperativeMatrixOperandsKHRAttr::get(
          rewriter.getContext(),
          Operands::ASigned | Operands::BSigned | Operands::CSigned | Operands::ResultSigned);
    rewriter.replaceOpWithNewOp<spirv::KHRCooperativeMatrixMulAddOp>(
        op, convert(op.getType()), adaptor.getA(), adaptor.getB(), adaptor.getAcc(), operands);
    return success();
  }
};

struct DotBytesPattern : KernelPattern<simt::DotBytesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::DotBytesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto format = spirv::PackedVectorFormatAttr::get(
        rewriter.getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
    Value product = spirv::SDotOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                          adaptor.getA(), adaptor.getB(), format);
    rewriter.replaceOpWithNewOp<spirv::IAddOp>(op, product, adaptor.getAcc());
    return success();
  }
};

} // namespace

std::vector<target::MatrixInstruction> spirvbackend::getMatrixInstructions(const Target &target) {
  using Element = target::MatrixElement;
  std::vector<target::MatrixInstruction> rows;
  if (!target.hasMemoryModel || !target.hasSubgroupControl || !target.hasShuffle)
    return rows;
  auto has = [&](Element element) {
    switch (element) {
    case Element::F16:
      return target.hasFloat16;
    case Element::BF16:
      return target.hasBFloat16Matrix;
    case Element::F64:
      return target.hasFloat64;
    case Element::I8:
      return target.hasInt8;
    default:
      return true;
    }
  };
  for (const CooperativeShape &shape : target.cooperativeShapes)
    if (has(shape.a) && has(shape.b) && has(shape.acc))
      if (auto row = target::opaqueInstruction(shape.a, shape.b, shape.acc, shape.m, shape.n,
                                               shape.k, unsigned(target.subgroupSize)))
        rows.push_back(std::move(*row));
  return rows;
}

void spirvbackend::populateMatrixPatterns(SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns, KernelContext &kernel) {
  converter.addConversion([](simt::MatrixType type) -> Type {
    return spirv::CooperativeMatrixType::get(type.getElementType(), uint32_t(type.getRows()),
                                             uint32_t(type.getColumns()), spirv::Scope::Subgroup,
                                             useOf(type.getUse()));
  });
  patterns.add<MatrixLoadPattern, MatrixStorePattern, MatrixSplatPattern, MultiplyAddPattern,
               DotBytesPattern>(converter, kernel);
}
