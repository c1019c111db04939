// Conversions between floats: PTX instructions with a rounding mode, and the 8-bit formats that the
// hardware knows.
#include "backends/llvm/FloatCasts.h"
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

Value cutOff(OpBuilder &b, Location loc, Value value) {
  return callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.d2f.rz", value);
}

struct FpCastPattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  FpCastPattern(const LLVMTypeConverter &converter, unsigned arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  /// The hardware's name of an 8-bit format; empty if it has none.
  static StringRef nameOf8(Type type) {
    if (isa<Float8E4M3FNType>(type))
      return "e4m3";
    if (isa<Float8E5M2Type>(type))
      return "e5m2";
    return "";
  }

  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type from = op.getFrom(), to = op.getTo();
    bool towardZero = op.getRounding() == tile::RoundingMode::TowardZero;
    unsigned fromBits = isa<FloatType>(from) ? from.getIntOrFloatBitWidth() : 8;
    unsigned toBits = isa<FloatType>(to) ? to.getIntOrFloatBitWidth() : 8;
    auto refuse = [&](StringRef why) {
      return op.emitError() << "'tile.fp_cast' from " << from << " to " << to << " " << why;
    };
    if ((fromBits == 8 && nameOf8(from).empty()) || (toBits == 8 && nameOf8(to).empty()))
      return refuse("is not supported on NVIDIA GPUs yet; f8E4M3FN and f8E5M2 are");
    // The lowering to threads expands what the hardware lacks.
    if (((fromBits == 8 || toBits == 8) && arch < 89) || (toBits == 8 && towardZero))
      return refuse("is not an instruction of this target");
    Type type = typeConverter->convertType(op.getType());
    Type f32 = rewriter.getF32Type(), i16 = rewriter.getI16Type(), i32 = rewriter.getI32Type();
    auto convert = [&](ValueRange x) -> Value {
      Value value = x[0];
      if (fromBits == 8) {
        // The instruction converts two at a time: the high half is not used.
        Value wide = LLVM::ZExtOp::create(rewriter, loc, i16, value);
        Value pair =
            inlinePtx(rewriter, loc, {i32}, wide,
                      "cvt.rn.f16x2." + nameOf8(from).str() + "x2 $0, $1;", "=r,h", false)[0];
        value = LLVM::TruncOp::create(rewriter, loc, i16, pair);
        value = LLVM::BitcastOp::create(rewriter, loc, rewriter.getF16Type(), value);
        value = to.isF16() ? value : Value(LLVM::FPExtOp::create(rewriter, loc, f32, value));
        if (to.isBF16())
          value = LLVM::FPTruncOp::create(rewriter, loc, to, value);
        if (to.isF64())
          value = LLVM::FPExtOp::create(rewriter, loc, to, value);
        if (toBits != 8)
          return value;
      }
      if (toBits == 8) {
        if (value.getType().getIntOrFloatBitWidth() < 32)
          value = LLVM::FPExtOp::create(rewriter, loc, f32, value);
        else if (value.getType().isF64())
          value = llvmbackend::roundToOdd(rewriter, loc, value, cutOff(rewriter, loc, value));
        Value zero = LLVM::ConstantOp::create(rewriter, loc, f32, rewriter.getF32FloatAttr(0));
        Value pair = inlinePtx(rewriter, loc, {i16}, {zero, value},
                               "cvt.rn.satfinite." + nameOf8(to).str() + "x2.f32 $0, $1, $2;",
                               "=h,f,f", false)[0];
        return LLVM::TruncOp::create(rewriter, loc, rewriter.getI8Type(), pair);
      }
      if (towardZero && toBits == 16) {
        if (value.getType().isF64())
          value = cutOff(rewriter, loc, value);
        if (to.isBF16())
          return llvmbackend::truncateToBF16(rewriter, loc, value);
        Value half =
            inlinePtx(rewriter, loc, {i16}, value, "cvt.rz.f16.f32 $0, $1;", "=h,f", false)[0];
        return LLVM::BitcastOp::create(rewriter, loc, to, half);
      }
      if (towardZero && value.getType().isF64() && to.isF32())
        return cutOff(rewriter, loc, value);
      return llvmbackend::castFloat(rewriter, loc, value, to);
    };
    rewriter.replaceOp(op, mapElements(rewriter, loc, type, adaptor.getSource(), convert));
    return success();
  }
  unsigned arch;
};

} // namespace

void nvptx::populateMathPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                 const Architecture &arch) {
  patterns.add<FpCastPattern>(converter, arch.number);
}
