// Conversions between floats.
#include "backends/amdgpu/Patterns.h"
#include "backends/llvm/FloatCasts.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

/// The instructions' word for an 8-bit format, which is the same for both kinds of formats.
struct Format8 {
  StringRef name; ///< Empty if the architecture converts no such format.
  float largest = 0;

  Format8(Type type, const Architecture &arch) {
    if (!arch.hasFloat8())
      return;
    const bool isFnuz = arch.hasUnsignedZeros8();
    if (isFnuz ? isa<Float8E4M3FNUZType>(type) : isa<Float8E4M3FNType>(type)) {
      name = "fp8";
      largest = isFnuz ? 240 : 448;
    } else if (isFnuz ? isa<Float8E5M2FNUZType>(type) : isa<Float8E5M2Type>(type)) {
      name = "bf8";
      largest = 57344;
    }
  }
};

struct FpCastPattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  FpCastPattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type from = op.getFrom(), to = op.getTo();
    bool isFrom8 = !isa<FloatType>(from) || from.getIntOrFloatBitWidth() == 8;
    bool isTo8 = !isa<FloatType>(to) || to.getIntOrFloatBitWidth() == 8;
    bool towardZero = op.getRounding() == tile::RoundingMode::TowardZero;
    // The lowering to threads expands what the target's table does not claim.
    const Format8 from8(from, arch), to8(to, arch);
    if ((isFrom8 && from8.name.empty()) || (isTo8 && (to8.name.empty() || towardZero)) ||
        isa<FloatTF32Type>(to))
      return op.emitError() << "'tile.fp_cast' from " << from << " to " << to
                            << " is not an instruction of " << arch.info.name;
    auto convert = [&](ValueRange x) -> Value {
      Value value = x[0];
      if (isFrom8)
        value = read8(rewriter, loc, value, from8.name);
      if (isTo8)
        return write8(rewriter, loc, value, to8);
      return towardZero ? truncate(rewriter, loc, value, to)
                        : llvmbackend::castFloat(rewriter, loc, value, to);
    };
    rewriter.replaceOp(op, mapElements(rewriter, loc, typeConverter->convertType(op.getType()),
                                       adaptor.getSource(), convert));
    return success();
  }

private:
  static Value read8(OpBuilder &b, Location loc, Value byte, StringRef name) {
    Value word = LLVM::ZExtOp::create(b, loc, b.getI32Type(), byte);
    return callIntrinsic(b, loc, b.getF32Type(), ("llvm.amdgcn.cvt.f32." + name).str(),
                         {word, integerConstant(b, loc, 32, 0)});
  }

  /// The instruction makes a NaN of what is too large unless a mode is set: it is limited before.
  static Value write8(OpBuilder &b, Location loc, Value value, const Format8 &format) {
    Type f32 = b.getF32Type(), i32 = b.getI32Type();
    if (value.getType().isF64())
      value = llvmbackend::roundToOdd(b, loc, value, llvmbackend::truncateToF32(b, loc, value));
    else
      value = llvmbackend::castFloat(b, loc, value, f32);
    auto constant = [&](float number) -> Value {
      return LLVM::ConstantOp::create(b, loc, f32, b.getF32FloatAttr(number));
    };
    Value limited = callIntrinsic(b, loc, f32, "llvm.amdgcn.fmed3",
                                  {value, constant(-format.largest), constant(format.largest)});
    Value isNan = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, value, value);
    value = LLVM::SelectOp::create(b, loc, isNan, value, limited);
    Value pair = callIntrinsic(
        b, loc, i32, ("llvm.amdgcn.cvt.pk." + format.name + ".f32").str(),
        {value, value, integerConstant(b, loc, 32, 0), integerConstant(b, loc, 1, 0)});
    return LLVM::TruncOp::create(b, loc, b.getI8Type(), pair);
  }

  static Value truncate(OpBuilder &b, Location loc, Value value, Type to) {
    if (to.getIntOrFloatBitWidth() >= value.getType().getIntOrFloatBitWidth())
      return llvmbackend::castFloat(b, loc, value, to);
    if (value.getType().isF64())
      value = llvmbackend::truncateToF32(b, loc, value);
    if (to.isF32())
      return value;
    if (to.isBF16())
      return llvmbackend::truncateToBF16(b, loc, value);
    auto pairType = VectorType::get({2}, b.getF16Type());
    Value zero = LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(0));
    Value pair = callIntrinsic(b, loc, pairType, "llvm.amdgcn.cvt.pkrtz", {value, zero});
    return LLVM::ExtractElementOp::create(b, loc, pair, integerConstant(b, loc, 64, 0));
  }

  const Architecture &arch;
};

} // namespace

void amdgpu::populateFpCastPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                    const Architecture &arch) {
  patterns.add<FpCastPattern>(converter, arch);
}
