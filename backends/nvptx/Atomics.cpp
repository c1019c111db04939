// Atomics, as predicated PTX instructions.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

std::string orderAndScope(tile::MemSemantic sem, tile::MemScope scope) {
  return "." + tile::stringifyMemSemantic(sem).str() + "." + tile::stringifyMemScope(scope).str();
}

char registerOf(unsigned bits) { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }

/// A vector of floats, or one.
struct AtomicSumPattern : ConvertOpToLLVMPattern<simt::AtomicSumOp> {
  AtomicSumPattern(const LLVMTypeConverter &converter, unsigned arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::AtomicSumOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (arch < 90)
      return op.emitError("needs sm_90 or later");
    Location loc = op.getLoc();
    auto vector = cast<VectorType>(adaptor.getValue().getType());
    Type element = vector.getElementType();
    const unsigned bits = element.getIntOrFloatBitWidth();
    SmallVector<Value> inputs{adaptor.getAddress()};
    std::string constraints = "l", values;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value part = LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getValue(),
                                                  integerConstant(rewriter, loc, 64, i));
      inputs.push_back(LLVM::BitcastOp::create(rewriter, loc, rewriter.getIntegerType(bits), part));
      constraints += std::string(",") + registerOf(bits);
      values += (i ? ", $" : "$") + std::to_string(i + 1);
    }
    std::string guard;
    if (Value mask = adaptor.getMask()) {
      guard = "@$" + std::to_string(inputs.size()) + " ";
      inputs.push_back(mask);
      constraints += ",b";
    }
    const int64_t count = vector.getNumElements();
    std::string text = guard + "red" + orderAndScope(tile::MemSemantic::Relaxed, op.getScope()) +
                       ".global.add" + (bits == 16 ? ".noftz" : "") +
                       (count > 1 ? ".v" + std::to_string(count) : "") +
                       (bits == 32        ? ".f32"
                        : element.isF16() ? ".f16"
                                          : ".bf16") +
                       " [$0], " + (count > 1 ? "{" + values + "}" : values) + ";";
    inlinePtx(rewriter, loc, {}, inputs, text, constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
  unsigned arch;
};

struct AtomicRMWPattern : ConvertOpToLLVMPattern<simt::AtomicRMWOp> {
  AtomicRMWPattern(const LLVMTypeConverter &converter, unsigned arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    using tile::AtomicKind;
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType();
    unsigned bits = type.getIntOrFloatBitWidth();
    Type integer = rewriter.getIntegerType(bits);
    Value value = adaptor.getValue();
    if (type != integer)
      value = LLVM::BitcastOp::create(rewriter, loc, integer, value);
    std::string size = std::to_string(bits);
    std::string form;
    switch (op.getKind()) {
    case AtomicKind::And:
      form = "and.b" + size;
      break;
    case AtomicKind::Or:
      form = "or.b" + size;
      break;
    case AtomicKind::Xor:
      form = "xor.b" + size;
      break;
    case AtomicKind::Add:
      form = "add.u" + size;
      break;
    case AtomicKind::Max:
      form = "max.s" + size;
      break;
    case AtomicKind::Min:
      form = "min.s" + size;
      break;
    case AtomicKind::UMax:
      form = "max.u" + size;
      break;
    case AtomicKind::UMin:
      form = "min.u" + size;
      break;
    case AtomicKind::FAdd:
      if (type.isBF16() && arch < 80)
        return op.emitError("'tile.atomic_rmw' fadd on bf16 needs sm_80 or later; accumulate in "
                            "f32 instead");
      if (type.isBF16() && arch < 90)
        return exchangeHalf(op, adaptor, value, rewriter);
      form = bits == 16 ? (type.isBF16() ? "add.noftz.bf16" : "add.noftz.f16") : "add.f" + size;
      break;
    case AtomicKind::Xchg:
      if (bits == 16)
        return exchangeHalf(op, adaptor, value, rewriter);
      form = "exch.b" + size;
      break;
    case AtomicKind::FMax:
    case AtomicKind::FMin:
      if (bits == 16)
        return exchangeHalf(op, adaptor, value, rewriter);
      break;
    }
    auto issue = [&](StringRef name, Value mask, Value previous) {
      std::string reg(1, registerOf(bits));
      SmallVector<Value> inputs{adaptor.getAddress(), value};
      std::string text = "mov.b" + size + " $0, ";
      std::string constraints = "=&" + reg + ",l," + reg;
      if (previous) {
        text += "$3; ";
        inputs.push_back(previous);
        constraints += "," + reg;
      } else {
        text += "0; ";
      }
      std::string guard;
      if (mask) {
        guard = "@$" + std::to_string(inputs.size() + 1) + " ";
        inputs.push_back(mask);
        constraints += ",b";
      }
      text += guard + "atom.global" + orderAndScope(op.getSem(), op.getScope()) + "." + name.str() +
              " $0, [$1], $2;";
      return inlinePtx(rewriter, loc, {integer}, inputs, text, constraints + ",~{memory}", true)[0];
    };
    Value result;
    if (form.empty()) {
      // As integers, floats are ordered by magnitude: positive ones ascending, negative ones
      // descending.
      Value zero = integerConstant(rewriter, loc, bits, 0);
      Value isPositive = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::sge, value, zero);
      Value one = integerConstant(rewriter, loc, 1, 1);
      Value isNegative = LLVM::XOrOp::create(rewriter, loc, isPositive, one);
      if (Value mask = adaptor.getMask()) {
        isPositive = LLVM::AndOp::create(rewriter, loc, isPositive, mask);
        isNegative = LLVM::AndOp::create(rewriter, loc, isNegative, mask);
      }
      bool isMax = op.getKind() == AtomicKind::FMax;
      result = issue((isMax ? "max.s" : "min.s") + size, isPositive, {});
      result = issue((isMax ? "min.u" : "max.u") + size, isNegative, result);
    } else {
      result = issue(form, adaptor.getMask(), {});
    }
    if (type != integer)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// There is no 16-bit exchange, no maximum that returns the old value, and before sm_90 no sum of
  /// bf16: compare and swap until it succeeds.
  LogicalResult exchangeHalf(simt::AtomicRMWOp op, OpAdaptor adaptor, Value value,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), integer = rewriter.getI16Type();
    SmallVector<Value> inputs{adaptor.getAddress(), value};
    std::string constraints = "=&h,l,h", skip;
    if (adaptor.getMask()) {
      inputs.push_back(adaptor.getMask());
      constraints += ",b";
      skip = "@!$3 bra DONE;\n\t";
    }
    std::string scope = tile::stringifyMemScope(op.getScope()).str();
    // The new value in memory; for floats, by the order of their bits as above.
    std::string prepare, next, wanted = "$2";
    if (op.getKind() == tile::AtomicKind::FAdd) {
      // bf16 has no addition, but a fused multiply-add.
      prepare = ".reg .b16 next, one;\n\tmov.b16 one, 0x3f80;\n\t";
      next = "fma.rn.bf16 next, seen, one, $2;\n\t";
      wanted = "next";
    } else if (op.getKind() != tile::AtomicKind::Xchg) {
      bool isMax = op.getKind() == tile::AtomicKind::FMax;
      prepare = ".reg .pred positive;\n\t.reg .b16 next;\n\tsetp.ge.s16 positive, $2, 0;\n\t";
      next = std::string("@positive ") + (isMax ? "max" : "min") +
             ".s16 next, seen, $2;\n\t@!positive " + (isMax ? "min" : "max") +
             ".u16 next, seen, $2;\n\t";
      wanted = "next";
    }
    std::string text = "{\n\t.reg .pred again;\n\t.reg .b16 seen;\n\t" + prepare +
                       "mov.b16 $0, 0;\n\t" + skip + "ld.relaxed." + scope +
                       ".global.b16 seen, [$1];\n\tLOOP: " + next + "atom.global" +
                       orderAndScope(op.getSem(), op.getScope()) + ".cas.b16 $0, [$1], seen, " +
                       wanted + ";\n\tsetp.ne.u16 again, $0, seen;\n\tmov.b16 seen, $0;\n\t" +
                       "@again bra LOOP;\n\tDONE:\n\t}";
    Value result =
        inlinePtx(rewriter, loc, {integer}, inputs, text, constraints + ",~{memory}", true)[0];
    if (type != integer)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  unsigned arch;
};

struct AtomicCASPattern : ConvertOpToLLVMPattern<simt::AtomicCASOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type type = adaptor.getValue().getType();
    unsigned bits = type.getIntOrFloatBitWidth();
    std::string size = std::to_string(bits), reg(1, registerOf(bits));
    SmallVector<Value> inputs{adaptor.getAddress(), adaptor.getCompare(), adaptor.getValue()};
    std::string constraints = "=&" + reg + ",l," + reg + "," + reg, guard;
    if (adaptor.getMask()) {
      guard = "@$4 ";
      inputs.push_back(adaptor.getMask());
      constraints += ",b";
    }
    std::string text = "mov.b" + size + " $0, 0; " + guard + "atom.global" +
                       orderAndScope(op.getSem(), op.getScope()) + ".cas.b" + size +
                       " $0, [$1], $2, $3;";
    rewriter.replaceOp(op, inlinePtx(rewriter, op.getLoc(), {type}, inputs, text,
                                     constraints + ",~{memory}", true));
    return success();
  }
};

} // namespace

void nvptx::populateAtomicPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &arch) {
  patterns.add<AtomicRMWPattern, AtomicSumPattern>(converter, arch.number);
  patterns.add<AtomicCASPattern>(converter);
}
