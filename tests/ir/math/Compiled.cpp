// See Compiled.h.
#include "tests/ir/math/Compiled.h"
#include "backends/llvm/CommonPatterns.h"
#include "ir/math/Expansions.h"

#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::harness;

CompiledOp::~CompiledOp() = default;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// One over the root, wrong by `error`, as an instruction that estimates would be.
static Value modelEstimate(OpBuilder &b, Location loc, Value x, double error) {
  auto constant = [&](double value) -> Value {
    TypedAttr attribute = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  Value root = math::SqrtOp::create(b, loc, x);
  Value exact = arith::DivFOp::create(b, loc, constant(1), root);
  return arith::MulFOp::create(b, loc, exact, constant(1 + error));
}

llvm::Expected<std::unique_ptr<CompiledOp>> CompiledOp::compile(StringRef op, Composed composed,
                                                                StringRef type, unsigned operands,
                                                                Options options) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, func::FuncDialect, scf::SCFDialect,
                  vector::VectorDialect, LLVM::LLVMDialect, cf::ControlFlowDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string vector = "vector<" + std::to_string(kGroup) + "x" + type.str() + ">";
  if (composed) { // A placeholder of what is built below.
    op = "arith.addf";
    operands = 2;
  }
  std::string text = "func.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %r: !llvm.ptr) {\n"
                     "  %x = llvm.load %a {alignment = 4 : i64} : !llvm.ptr -> " +
                     vector + "\n  %y = llvm.load %b {alignment = 4 : i64} : !llvm.ptr -> " +
                     vector + "\n  %v = " + op.str() + (operands == 1 ? " %x" : " %x, %y") + " : " +
                     vector + "\n  llvm.store %v, %r {alignment = 4 : i64} : " + vector +
                     ", !llvm.ptr\n  return\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return makeError("cannot parse:\n" + text);

  if (composed)
    module->walk([&](arith::AddFOp placeholder) {
      OpBuilder b(placeholder);
      mathx::Calculator c(b, placeholder.getLoc(), placeholder.getType());
      placeholder.replaceAllUsesWith(
          composed(c.real(placeholder.getLhs()), c.real(placeholder.getRhs())).v);
      placeholder.erase();
    });

  if (options.contract)
    module->walk([&](arith::ArithFastMathInterface operation) {
      operation->setAttr(operation.getFastMathAttrName(),
                         arith::FastMathFlagsAttr::get(&context, arith::FastMathFlags::contract));
    });

  RewritePatternSet expansions(&context);
  mathx::ExpansionOptions expansionOptions;
  if (options.estimateError != 0)
    expansionOptions.rsqrtEstimate = [=](OpBuilder &b, Location loc, Value x) {
      return modelEstimate(b, loc, x, options.estimateError);
    };
  mathx::populateMathExpansions(expansions, expansionOptions);
  if (failed(applyPatternsGreedily(*module, std::move(expansions))))
    return makeError("the expansion of " + op + " does not converge");

  LLVMTypeConverter converter(&context);
  RewritePatternSet patterns(&context);
  llvmbackend::populateCommonPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(*module, target, std::move(patterns))))
    return makeError("the expansion of " + op + " cannot be lowered to LLVM");

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> compiled = translateModuleToLLVMIR(*module, *llvmContext);
  if (!compiled)
    return makeError("the expansion of " + op + " cannot be translated");
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> host =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  // The expansion's operations as they stand: only what has the flag may be contracted.
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!jit)
    return jit.takeError();
  compiled->setDataLayout((*jit)->getDataLayout());
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(compiled), std::move(llvmContext))))
    return std::move(error);
  auto address = (*jit)->lookup("f");
  if (!address)
    return address.takeError();
  std::unique_ptr<CompiledOp> result(new CompiledOp());
  result->function = address->toPtr<void (*)(const void *, const void *, void *)>();
  result->jit = std::move(*jit);
  return result;
}
