// PTX that a kernel brings along, and the instructions by which overlapping launches wait for each
// other.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// The type of the PTX register that a constraint names; null if it is not a plain one.
Type registerType(OpBuilder &b, StringRef code) {
  if (code.size() != 1)
    return {};
  switch (code[0]) {
  case 'b':
    return b.getI1Type();
  case 'c':
  case 'h':
    return b.getI16Type();
  case 'r':
    return b.getI32Type();
  case 'l':
  case 'N':
    return b.getI64Type();
  case 'q':
    return b.getIntegerType(128);
  case 'f':
    return b.getF32Type();
  case 'd':
    return b.getF64Type();
  default:
    return {};
  }
}

struct InlineAsmPattern : ConvertOpToLLVMPattern<simt::InlineAsmOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(simt::InlineAsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto constraints = llvm::InlineAsm::ParseConstraints(op.getConstraints());
    llvm::erase_if(constraints, [](const llvm::InlineAsm::ConstraintInfo &item) {
      return item.Type == llvm::InlineAsm::isClobber;
    });
    if (std::string modifier = findModifier(op.getText()); !modifier.empty())
      return op.emitError() << "the text has '" << modifier
                            << "', but operands of PTX have no modifiers; write $0 or ${0}";
    const size_t numOutputs = op.getNumResults();
    SmallVector<Type> registers;
    for (auto [i, item] : llvm::enumerate(constraints)) {
      StringRef code = item.Codes.empty() ? StringRef() : StringRef(item.Codes[0]);
      unsigned tied = 0;
      Type type = registerType(rewriter, code);
      if (i >= numOutputs && !code.getAsInteger(10, tied) && tied < numOutputs)
        type = registers[tied];
      if (!type)
        return op.emitError() << "'" << code
                              << "' is not a constraint of PTX; use h, r, l, f, d or the number of "
                                 "an output";
      registers.push_back(type);
    }

    SmallVector<Value> inputs;
    for (auto [i, value] : llvm::enumerate(adaptor.getOperands())) {
      if (!fits(value.getType(), registers[numOutputs + i]))
        return mismatch(op, "argument register", i, value.getType(), registers[numOutputs + i]);
      inputs.push_back(resize(rewriter, loc, value, registers[numOutputs + i]));
    }
    SmallVector<Type> types;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
      types.push_back(getTypeConverter()->convertType(type));
      // A narrower integer is the low part of a wider result, as of an address for a 32-bit flag.
      bool isLowPart = types.back().isInteger() && registers[i].isInteger();
      if (!isLowPart && !fits(types.back(), registers[i]))
        return mismatch(op, "result register", i, type, registers[i]);
    }
    SmallVector<Value> outputs =
        inlinePtx(rewriter, loc, ArrayRef(registers).take_front(numOutputs), inputs,
                  getMark(loc) + op.getText().str(), op.getConstraints(),
                  /*hasSideEffects=*/!op.getPure());
    for (auto [value, type] : llvm::zip(outputs, types))
      value = resize(rewriter, loc, value, type);
    rewriter.replaceOp(op, outputs);
    return success();
  }

private:
  /// An operand with a modifier that LLVM would refuse, such as "${0:x}"; empty: there is none.
  static std::string findModifier(StringRef text) {
    for (size_t at = text.find("${"); at != StringRef::npos; at = text.find("${", at + 1)) {
      if (at && text[at - 1] == '$') // Of "$${".
        continue;
      StringRef operand = text.slice(at, text.find('}', at) + 1);
      auto [number, modifier] = operand.split(':');
      if (number != "${" && operand.contains(':') && modifier != "r}")
        return operand.str();
    }
    return "";
  }

  /// A comment that says where the assembly stands in the kernel, for messages of the assembler,
  /// which counts lines of the PTX (plugins/support/PtxLines.h).
  static std::string getMark(Location loc) {
    auto place = loc->findInstanceOf<FileLineColLoc>();
    if (!place)
      return "";
    std::string out = "// ";
    for (char c : llvm::sys::path::filename(place.getFilename().getValue()))
      out += c == '$' ? "$$" : llvm::isPrint(c) ? std::string(1, c) : "?";
    return out + ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) +
           "\n\t";
  }

  static LogicalResult mismatch(simt::InlineAsmOp op, StringRef what, size_t number, Type value,
                                Type type) {
    return op.emitError() << what << " " << number << " has " << value.getIntOrFloatBitWidth()
                          << " bits, but its constraint names one of "
                          << type.getIntOrFloatBitWidth() << " bits";
  }

  /// A wider register takes the bits, but one of floats would read another number from them.
  static bool fits(Type value, Type type) {
    unsigned from = value.getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    return from == to || (from < to && type.isInteger());
  }

  /// The bits of `value` as `type`, with zeros above or cut.
  static Value resize(OpBuilder &b, Location loc, Value value, Type type) {
    unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (value.getType() == type)
      return value;
    if (!value.getType().isInteger())
      value = LLVM::BitcastOp::create(b, loc, b.getIntegerType(from), value);
    if (from < to)
      value = LLVM::ZExtOp::create(b, loc, b.getIntegerType(to), value);
    else if (from > to)
      value = LLVM::TruncOp::create(b, loc, b.getIntegerType(to), value);
    return type.isInteger() ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
  }
};

/// ptxas sees through a move, and shares what is computed on both sides of it.
struct FreshPattern : ConvertOpToLLVMPattern<simt::FreshOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::FreshOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, inlinePtx(rewriter, op.getLoc(), op.getType(), adaptor.getWord(),
                                     "lop3.b32 $0, $1, $1, $1, 0xC0;", "=r,r",
                                     /*hasSideEffects=*/true));
    return success();
  }
};

struct GridDependencyPattern : ConvertOpToLLVMPattern<tile::GridDependencyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::GridDependencyOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    bool isWait = op.getKind() == tile::GridDependencyKind::Wait;
    callIntrinsic(rewriter, op.getLoc(), {},
                  isWait ? "llvm.nvvm.griddepcontrol.wait"
                         : "llvm.nvvm.griddepcontrol.launch.dependents",
                  {});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nvptx::populateAssemblyPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<InlineAsmPattern, FreshPattern, GridDependencyPattern>(converter);
}
