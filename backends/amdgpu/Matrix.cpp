// Matrix instructions of a wave (MFMA, WMMA), and the rounding of their xf32 operands.
#include "backends/amdgpu/Matrices.h"
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

struct MmaPattern : ConvertOpToLLVMPattern<simt::MmaOp> {
  MmaPattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    std::optional<Form> form = findForm(arch.generation, op.getInstruction());
    if (!form)
      return op.emitError() << arch.info.name << " has no matrix instruction '"
                            << op.getInstruction() << "'";
    Value a = toOperand(rewriter, loc, adaptor.getA(), *form);
    Value b = toOperand(rewriter, loc, adaptor.getB(), *form);
    auto flag = [&](bool value) { return integerConstant(rewriter, loc, 1, value); };
    auto number = [&](unsigned value) { return integerConstant(rewriter, loc, 32, value); };
    SmallVector<Value> operands{a, b, adaptor.getAcc()};
    std::string name = op.getInstruction().str();
    switch (*form) {
    case Form::Mfma:
    case Form::MfmaBits:
      operands.append(3, number(0));
      break;
    case Form::MfmaFormats:
    case Form::MfmaScaled: {
      const target::MatrixInstruction &row = *arch.info.findMatrix(op.getInstruction());
      operands.append({number(formatOf(row.a)), number(formatOf(row.b))});
      // Which byte of a word, and the word, of each operand's scales. With zeros LLVM takes the
      // instruction that has none.
      for (unsigned operand = 0; operand < 2; ++operand) {
        operands.push_back(number(row.isScaled ? (*op.getBytes())[operand] : 0));
        operands.push_back(row.isScaled ? adaptor.getScales()[operand] : number(0));
      }
      // "mfma.f32.32x32x64.f8f6f4.fp8.bf8" is of the intrinsic "mfma.scale.f32.32x32x64.f8f6f4".
      StringRef shape = op.getInstruction().rsplit('.').first.rsplit('.').first;
      shape.consume_front("mfma.");
      shape.consume_front("scale.");
      name = ("mfma.scale." + shape).str();
      break;
    }
    case Form::Wmma:
    case Form::WmmaBits:
      break;
    case Form::WmmaSigned:
      operands = {flag(true), a, flag(true), b, adaptor.getAcc(), flag(false)};
      break;
    }
    rewriter.replaceOp(op, callIntrinsic(rewriter, loc, adaptor.getAcc().getType(),
                                         "llvm.amdgcn." + name, operands));
    return success();
  }

private:
  /// The number of an element's format, where the instruction takes several.
  static unsigned formatOf(target::MatrixElement element) {
    return element == target::MatrixElement::E2M1 ? 4 : element == target::MatrixElement::E5M2;
  }

  /// A fragment as the intrinsic takes it.
  static Value toOperand(OpBuilder &b, Location loc, Value fragment, Form form) {
    auto type = cast<VectorType>(fragment.getType());
    const int64_t count = type.getNumElements();
    const unsigned bits = type.getElementTypeBitWidth();
    if (form == Form::Wmma || (form == Form::Mfma && count > 1))
      return fragment;
    if (form == Form::Mfma)
      return LLVM::ExtractElementOp::create(b, loc, fragment, integerConstant(b, loc, 64, 0));
    Type result;
    if (bits == 16)
      result = VectorType::get({count}, b.getI16Type());
    else if (form == Form::MfmaBits && count * bits <= 64)
      result = b.getIntegerType(count * bits);
    else
      result = VectorType::get({count * bits / 32}, b.getI32Type());
    return LLVM::BitcastOp::create(b, loc, result, fragment);
  }

  const Architecture &arch;
};

/// f32 to xf32, which is f32 with 10 bits of mantissa: to nearest, halves away from zero.
struct XF32Pattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  explicit XF32Pattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)) {}
  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isa<FloatTF32Type>(op.getTo()))
      return failure();
    Location loc = op.getLoc();
    auto number = [&](int64_t value) { return integerConstant(rewriter, loc, 32, value); };
    auto round = [&](ValueRange x) -> Value {
      Value bits = LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), x[0]);
      Value isNan = LLVM::FCmpOp::create(rewriter, loc, LLVM::FCmpPredicate::uno, x[0], x[0]);
      Value up = LLVM::AddOp::create(rewriter, loc, bits, number(0x1000));
      // The payload of a NaN must not be rounded away, nor carried into its sign.
      Value quiet = LLVM::OrOp::create(rewriter, loc, bits, number(0x400000));
      bits = LLVM::SelectOp::create(rewriter, loc, isNan, quiet, up);
      bits = LLVM::AndOp::create(rewriter, loc, bits, number(~0x1fff));
      return LLVM::BitcastOp::create(rewriter, loc, rewriter.getF32Type(), bits);
    };
    rewriter.replaceOp(op, mapElements(rewriter, loc, typeConverter->convertType(op.getType()),
                                       adaptor.getSource(), round));
    return success();
  }
};

} // namespace

void amdgpu::populateMatrixPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                    const Architecture &arch) {
  patterns.add<MmaPattern>(converter, arch);
  patterns.add<XF32Pattern>(converter);
}
