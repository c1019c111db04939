// Assertions and printing, through the two functions that every driver provides to kernels.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// A pointer to a zero-terminated string; equal strings share one global.
Value stringConstant(OpBuilder &b, Operation *at, StringRef text) {
  auto module = at->getParentOfType<ModuleOp>();
  std::string bytes = text.str() + '\0';
  Location loc = at->getLoc();
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto known : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<StringAttr>(known.getValueOrNull());
    if (value && value.getValue() == bytes)
      global = known;
    ++count;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    // Without any function's location: several may share it, and debug information would look for
    // the scope of a call that was inlined.
    global = LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal,
                                    "tilerun_text_" + std::to_string(count), b.getStringAttr(bytes),
                                    /*alignment=*/1, /*addrSpace=*/1);
  }
  Value address = LLVM::AddressOfOp::create(b, loc, global);
  return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

LLVM::LLVMFuncOp declare(OpBuilder &b, Operation *at, StringRef name, Type result,
                         ArrayRef<Type> arguments) {
  auto module = at->getParentOfType<ModuleOp>();
  if (Operation *known = module.lookupSymbol(name)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
    if (function && function.isExternal())
      return function;
    at->emitError("the kernel has the name of a driver function that its code calls, '")
        << name << "'; rename the kernel";
    return nullptr;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(result, arguments));
}

/// Runs `body` where `condition` holds.
void guarded(ConversionPatternRewriter &rewriter, Operation *op, Value condition,
             function_ref<void()> body) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *after = rewriter.splitBlock(before, Block::iterator(op));
  Block *inside = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, condition, inside, after);
  rewriter.setInsertionPoint(op);
}

struct AssertPattern : ConvertOpToLLVMPattern<simt::AssertOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    auto function = declare(rewriter, op, "__assertfail", LLVM::LLVMVoidType::get(op.getContext()),
                            {pointer, pointer, i32, pointer, i64});
    if (!function)
      return failure();
    std::string file = "<unknown>", kernel = "<unknown>";
    unsigned line = 0;
    loc->walk([&](Location inner) {
      auto position = dyn_cast<FileLineColLoc>(inner);
      if (!position)
        return WalkResult::advance();
      file = position.getFilename().str();
      line = position.getLine();
      return WalkResult::interrupt();
    });
    if (auto parent = op->getParentOfType<LLVM::LLVMFuncOp>())
      kernel = parent.getName().str();
    Value one = integerConstant(rewriter, loc, 1, 1);
    Value fails = LLVM::XOrOp::create(rewriter, loc, adaptor.getCondition(), one);
    // The driver prints "Assertion `…` failed."
    StringRef text = op.getMessage().empty() ? "device_assert" : op.getMessage();
    guarded(rewriter, op, fails, [&] {
      SmallVector<Value> arguments{
          stringConstant(rewriter, op, text), stringConstant(rewriter, op, file),
          integerConstant(rewriter, loc, 32, line), stringConstant(rewriter, op, kernel),
          integerConstant(rewriter, loc, 64, 1)};
      LLVM::CallOp::create(rewriter, loc, function, arguments);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct PrintPattern : ConvertOpToLLVMPattern<simt::PrintOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    auto function = declare(rewriter, op, "vprintf", rewriter.getI32Type(), {pointer, pointer});
    if (!function)
      return failure();
    SmallVector<Type> types(adaptor.getValues().getTypes());
    Type arguments = LLVM::LLVMStructType::getLiteral(op.getContext(), types);
    // In the entry block, so that it is one place on the stack also inside a loop.
    Value buffer;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
      rewriter.setInsertionPointToStart(&kernel.getBody().front());
      buffer = LLVM::AllocaOp::create(rewriter, loc, pointer, arguments,
                                      integerConstant(rewriter, loc, 32, 1), 8);
    }
    guarded(rewriter, op, adaptor.getMask(), [&] {
      for (auto [i, value] : llvm::enumerate(adaptor.getValues())) {
        Value place =
            LLVM::GEPOp::create(rewriter, loc, pointer, arguments, buffer,
                                ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(0), LLVM::GEPArg(int32_t(i))});
        LLVM::StoreOp::create(rewriter, loc, value, place);
      }
      LLVM::CallOp::create(rewriter, loc, function,
                           ValueRange{stringConstant(rewriter, op, op.getFormat()), buffer});
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nvptx::populateDebugPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                  const Architecture &) {
  patterns.add<AssertPattern, PrintPattern>(converter);
}
