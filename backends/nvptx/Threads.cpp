// Threads, programs, barriers, shuffles and matrix instructions.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

struct ThreadIdPattern : ConvertOpToLLVMPattern<simt::ThreadIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ThreadIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(),
                                         "llvm.nvvm.read.ptx.sreg.tid.x", {}));
    return success();
  }
};

template <typename Op> struct ProgramPattern : ConvertOpToLLVMPattern<Op> {
  ProgramPattern(const LLVMTypeConverter &converter, const char *name)
      : ConvertOpToLLVMPattern<Op>(converter), name(name) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    const char *axes[] = {"x", "y", "z"};
    std::string full = std::string("llvm.nvvm.read.ptx.sreg.") + name + "." + axes[op.getAxis()];
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(), full, {}));
    return success();
  }
  const char *name;
};

struct BarrierPattern : ConvertOpToLLVMPattern<simt::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getScope() == simt::BarrierScope::Warp)
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.bar.warp.sync",
                    integerConstant(rewriter, loc, 32, -1));
    else
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.barrier.cta.sync.aligned.all",
                    integerConstant(rewriter, loc, 32, 0));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ShufflePattern : ConvertOpToLLVMPattern<simt::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    StringRef name;
    int64_t clamp = 31;
    switch (op.getMode()) {
    case simt::ShuffleMode::Index:
      name = "llvm.nvvm.shfl.sync.idx.i32";
      break;
    case simt::ShuffleMode::Xor:
      name = "llvm.nvvm.shfl.sync.bfly.i32";
      break;
    case simt::ShuffleMode::Up:
      name = "llvm.nvvm.shfl.sync.up.i32";
      clamp = 0;
      break;
    case simt::ShuffleMode::Down:
      name = "llvm.nvvm.shfl.sync.down.i32";
      break;
    }
    Type type = adaptor.getValue().getType(), i32 = rewriter.getI32Type();
    unsigned bits = type.getIntOrFloatBitWidth();
    Value mask = integerConstant(rewriter, loc, 32, -1);
    Value limit = integerConstant(rewriter, loc, 32, clamp);
    auto move = [&](Value word) {
      return callIntrinsic(rewriter, loc, i32, name, {mask, word, adaptor.getLane(), limit});
    };
    Type integer = rewriter.getIntegerType(bits);
    Value value = adaptor.getValue();
    if (type != integer)
      value = LLVM::BitcastOp::create(rewriter, loc, integer, value);
    if (bits == 64) {
      auto pair = VectorType::get({2}, i32);
      Value words = LLVM::BitcastOp::create(rewriter, loc, pair, value);
      value =
          mapElements(rewriter, loc, pair, words, [&](ValueRange word) { return move(word[0]); });
      value = LLVM::BitcastOp::create(rewriter, loc, integer, value);
    } else if (bits == 32) {
      value = move(value);
    } else {
      value = move(LLVM::ZExtOp::create(rewriter, loc, i32, value));
      value = LLVM::TruncOp::create(rewriter, loc, integer, value);
    }
    if (type != integer)
      value = LLVM::BitcastOp::create(rewriter, loc, type, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct MmaPattern : ConvertOpToLLVMPattern<simt::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto accType = cast<VectorType>(adaptor.getAcc().getType());
    bool isTf32 = op.getInstruction().contains("tf32");
    std::string text = "mma.sync.aligned." + op.getInstruction().str() + " ";
    std::string constraints;
    SmallVector<Value> inputs;
    SmallVector<Type> results;
    unsigned next = 0;
    auto list = [&](size_t count) {
      std::string names = "{";
      for (size_t i = 0; i < count; ++i)
        names += (i ? ", $" : "$") + std::to_string(next++);
      return names + "}";
    };
    auto letter = [](Type type) { return type.isF64() ? "d" : type.isF32() ? "f" : "r"; };
    auto elements = [&](Value vector) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i)
        values.push_back(LLVM::ExtractElementOp::create(rewriter, loc, vector,
                                                        integerConstant(rewriter, loc, 64, i)));
      return values;
    };
    for (int64_t i = 0; i < accType.getNumElements(); ++i) {
      results.push_back(accType.getElementType());
      constraints += std::string(i ? ",=" : "=") + letter(accType.getElementType());
    }
    text += list(results.size());
    for (Value operand : {adaptor.getA(), adaptor.getB()}) {
      SmallVector<Value> words;
      Type element = cast<VectorType>(operand.getType()).getElementType();
      if (element.isF64()) {
        words = elements(operand);
      } else if (isTf32) {
        for (Value value : elements(operand))
          words.push_back(
              callIntrinsic(rewriter, loc, rewriter.getI32Type(), "llvm.nvvm.f2tf32.rna", value));
      } else {
        words = toWords(rewriter, loc, operand, 32);
      }
      for (Value word : words)
        constraints += std::string(",") + letter(word.getType());
      text += ", " + list(words.size());
      inputs.append(words);
    }
    SmallVector<Value> acc = elements(adaptor.getAcc());
    for (Value value : acc)
      constraints += std::string(",") + letter(value.getType());
    text += ", " + list(acc.size()) + ";";
    inputs.append(acc);
    SmallVector<Value> values = inlinePtx(rewriter, loc, results, inputs, text, constraints, false);
    Value vector = LLVM::PoisonOp::create(rewriter, loc, accType);
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(rewriter, loc, vector, value,
                                             integerConstant(rewriter, loc, 64, i));
    rewriter.replaceOp(op, vector);
    return success();
  }
};

} // namespace

void nvptx::populateThreadPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &) {
  patterns.add<ThreadIdPattern, BarrierPattern, ShufflePattern, MmaPattern>(converter);
  patterns.add<ProgramPattern<tile::ProgramIdOp>>(converter, "ctaid");
  patterns.add<ProgramPattern<tile::NumProgramsOp>>(converter, "nctaid");
}
