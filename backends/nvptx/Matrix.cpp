// Matrix instructions of a warp (mma.sync), and the rounding of their tf32 operands.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// The registers of a fragment as the instruction names them: f32 and f64 accumulators and f64
/// operands one by one, everything else in 32-bit words.
SmallVector<Value> toRegisters(OpBuilder &b, Location loc, Value fragment, bool isAccumulator) {
  auto type = cast<VectorType>(fragment.getType());
  Type element = type.getElementType();
  if (!element.isF64() && !(isAccumulator && element.isF32()))
    return toWords(b, loc, fragment, 32);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    registers.push_back(
        LLVM::ExtractElementOp::create(b, loc, fragment, integerConstant(b, loc, 64, i)));
  return registers;
}

/// As inline PTX rather than intrinsics: LLVM has none for some types and shapes.
struct MmaPattern : ConvertOpToLLVMPattern<simt::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    std::string text = "mma.sync.aligned." + op.getInstruction().str() + " ", constraints;
    unsigned next = 0;
    auto list = [&](size_t count) {
      std::string names = "{";
      for (size_t i = 0; i < count; ++i)
        names += (i ? ", $" : "$") + std::to_string(next++);
      return names + "}";
    };
    auto letter = [](Type type) { return type.isF64() ? "d" : type.isF32() ? "f" : "r"; };
    SmallVector<Value> inputs, acc = toRegisters(rewriter, loc, adaptor.getAcc(), true);
    SmallVector<Type> results;
    for (Value value : acc) {
      constraints += std::string(results.empty() ? "=" : ",=") + letter(value.getType());
      results.push_back(value.getType());
    }
    text += list(results.size());
    for (const SmallVector<Value> &registers :
         {toRegisters(rewriter, loc, adaptor.getA(), false),
          toRegisters(rewriter, loc, adaptor.getB(), false), acc}) {
      for (Value value : registers)
        constraints += std::string(",") + letter(value.getType());
      text += ", " + list(registers.size());
      inputs.append(registers);
    }
    text += ";";
    SmallVector<Value> values = inlinePtx(rewriter, loc, results, inputs, text, constraints, false);
    auto accType = cast<VectorType>(adaptor.getAcc().getType());
    if (accType.getElementType().isInteger() || accType.getElementType().isF16()) {
      rewriter.replaceOp(op, fromWords(rewriter, loc, values, accType));
      return success();
    }
    Value vector = LLVM::PoisonOp::create(rewriter, loc, accType);
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(rewriter, loc, vector, value,
                                             integerConstant(rewriter, loc, 64, i));
    rewriter.replaceOp(op, vector);
    return success();
  }
};

/// f32 to tf32, which is f32 with 10 bits of mantissa.
struct Tf32Pattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  explicit Tf32Pattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)) {}
  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isa<FloatTF32Type>(op.getTo()))
      return failure();
    Location loc = op.getLoc();
    Type type = typeConverter->convertType(op.getType());
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, type, adaptor.getSource(), [&](ValueRange x) -> Value {
          Value bits =
              callIntrinsic(rewriter, loc, rewriter.getI32Type(), "llvm.nvvm.f2tf32.rna", x);
          return LLVM::BitcastOp::create(rewriter, loc, rewriter.getF32Type(), bits);
        }));
    return success();
  }
};

} // namespace

void nvptx::populateMatrixPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &) {
  patterns.add<MmaPattern, Tf32Pattern>(converter);
}
