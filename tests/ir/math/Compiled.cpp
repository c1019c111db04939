// See Compiled.h.
#include "tests/ir/math/Compiled.h"
#include "backends/llvm/CommonPatterns.h"
#include "ir/math/Expansions.h"
#include "ir/math/Rounded.h"
#include "ir/simt/Scalarize.h"
#include "tests/ir/math/Tables.h"

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

#include <array>
#include <cmath>
#include <map>
#include <optional>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::harness;

CompiledOp::~CompiledOp() = default;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {

/// A model of an instruction: the exact result with a relative error of up to `bound`. Subnormal
/// numbers are zeros where `flushes`.
struct Instruction {
  const char *name;
  mathx::Estimates::Function mathx::Estimates::*member; ///< None: of a fast form alone.
  double (*exact)(double);
  double bound;    ///< Of the PTX ISA.
  double measured; ///< tests/ir/math/triton_errors.json
  double units;    ///< Likewise, in the result's last place: "tl.exp2", "sqrt", "rsqrt" there.
  bool flushes;
  float (*ofTables)(float);
};

double reciprocalOf(double x) { return 1 / x; }
double inverseRootOf(double x) { return 1 / std::sqrt(x); }

const Instruction kInstructions[] = {
    {"exp2", &mathx::Estimates::exp2, std::exp2, 0x1p-22, 1.45e-7, 1.37, true, tables::exp2},
    {"exp2_whole", &mathx::Estimates::exp2Whole, std::exp2, 0x1p-22, 1.45e-7, 1.37, false,
     tables::exp2Whole},
    {"log2", &mathx::Estimates::log2, std::log2, 0x1p-22, 2.14e-7, 1.2, true, tables::log2},
    {"log2_whole", nullptr, std::log2, 0x1p-22, 2.14e-7, 1.2, false, tables::log2Whole},
    {"reciprocal", &mathx::Estimates::reciprocal, reciprocalOf, 0x1p-23, 9.9e-8, 1, true,
     tables::reciprocal},
    {"reciprocal_whole", nullptr, reciprocalOf, 0x1p-23, 9.9e-8, 1, false, tables::reciprocalWhole},
    {"sqrt", &mathx::Estimates::sqrt, std::sqrt, 0x1p-23, 1e-7, 0.93, true, tables::sqrt},
    {"rsqrt", &mathx::Estimates::rsqrt, inverseRootOf, 0x1p-22, 1.25e-7, 1.46, false,
     tables::rsqrt},
    {"rsqrt_normal", nullptr, inverseRootOf, 0x1p-22, 1.25e-7, 1.46, true, tables::rsqrtNormal},
};
constexpr size_t kCount = std::size(kInstructions);

template <size_t Index, Errors Kind> float model(float x) {
  const Instruction &instruction = kInstructions[Index];
  if (instruction.flushes)
    x = flushed(x);
  const double exact = instruction.exact(x);
  // Fibonacci hashing of the pattern, as a number in [-1, 1].
  const uint32_t hash = llvm::bit_cast<uint32_t>(x) * 2654435769u;
  const double part = Kind == Errors::Above   ? 1
                      : Kind == Errors::Below ? -1
                                              : int32_t(hash) * 0x1p-31;
  const bool isPower = instruction.exact == static_cast<double (*)(double)>(std::exp2);
  double error = exact * instruction.bound * part;
  // The logarithm's is absolute near 1.
  const bool absolute =
      instruction.exact == static_cast<double (*)(double)>(std::log2) && x > 0.5 && x < 2;
  if (absolute)
    error = x == 1 ? 0 : instruction.bound * part;
  if (Kind == Errors::Measured && std::isfinite(exact) && exact != 0) {
    // The measured error includes the rounding below. 2^x is worse below 0 ("bits" and "thousand"
    // of "tl.exp2" in the record).
    const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
    const double units = isPower && x < -0x1p-12f ? 1.95 : instruction.units;
    const double most = absolute ? 0.5 * instruction.measured
                                 : std::min(std::fabs(exact) * instruction.measured, units * unit);
    error = x == 1 && absolute ? 0 : std::max(most - 0.5 * unit, 0.0) * part;
  }
  // Powers of two are exact.
  if (x == 0 || std::isinf(exact) || std::isnan(exact) || (isPower && x == std::trunc(x)))
    error = 0;
  const float result = float(exact + error);
  return instruction.flushes ? flushed(result) : result;
}

using Model = float (*)(float);
template <Errors Kind, size_t... Indices>
std::array<Model, kCount> modelsOf(std::index_sequence<Indices...>) {
  return {model<Indices, Kind>...};
}
std::array<Model, kCount> models(Errors kind) {
  constexpr auto all = std::make_index_sequence<kCount>();
  if (kind == Errors::Tables) {
    std::array<Model, kCount> found{};
    for (auto [instruction, function] : llvm::zip(kInstructions, found))
      function = instruction.ofTables;
    return found;
  }
  return kind == Errors::Measured ? modelsOf<Errors::Measured>(all)
         : kind == Errors::Above  ? modelsOf<Errors::Above>(all)
         : kind == Errors::Below  ? modelsOf<Errors::Below>(all)
                                  : modelsOf<Errors::Mixed>(all);
}

using Emit = std::function<Value(OpBuilder &, Location, Value)>;

/// A device's fast form of an op: x is the last operand.
template <typename Op> struct FastForm : OpRewritePattern<Op> {
  FastForm(MLIRContext *context, Emit emit)
      : OpRewritePattern<Op>(context, PatternBenefit(10)), emit(std::move(emit)) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Value result = emit(rewriter, op.getLoc(), op->getOperands().back());
    if constexpr (std::is_same_v<Op, arith::DivFOp>)
      result = arith::MulFOp::create(rewriter, op.getLoc(), op.getLhs(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
  Emit emit;
};

/// Calls of the models, by declarations that `module` gets: the estimates of expansions, and the
/// fast forms.
mathx::Estimates makeEstimates(ModuleOp module, RewritePatternSet &patterns) {
  mathx::Estimates estimates;
  std::map<StringRef, Emit> emit;
  for (const Instruction &instruction : kInstructions) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    Type type = b.getF32Type();
    auto function = func::FuncOp::create(b, module.getLoc(), instruction.name,
                                         b.getFunctionType({type}, {type}));
    function.setPrivate();
    emit[instruction.name] = [function](OpBuilder &b, Location loc, Value x) mutable {
      return simt::mapElements(b, loc, x.getType(), x, [&](ValueRange element) -> Value {
        return func::CallOp::create(b, loc, function, element).getResult(0);
      });
    };
    if (instruction.member)
      estimates.*instruction.member = emit[instruction.name];
  }
  estimates.hasMinimum = true;
  MLIRContext *context = module.getContext();
  patterns.add<FastForm<math::Exp2Op>>(context, emit["exp2"]);
  patterns.add<FastForm<math::Log2Op>>(context, emit["log2_whole"]);
  patterns.add<FastForm<math::SqrtOp>>(context, emit["sqrt"]);
  patterns.add<FastForm<math::RsqrtOp>>(context, emit["rsqrt_normal"]);
  patterns.add<FastForm<arith::DivFOp>>(context, emit["reciprocal_whole"]);
  return estimates;
}

} // namespace

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
  if (composed) { // A placeholder for the op that is built below.
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
      std::optional<mathx::KeepRoundings> rounded;
      if (options.rounded)
        rounded.emplace(b);
      placeholder.replaceAllUsesWith(
          composed(c.real(placeholder.getLhs()), c.real(placeholder.getRhs())).v);
      placeholder.erase();
    });

  if (options.contract)
    module->walk([&](arith::ArithFastMathInterface operation) {
      if (!mathx::isRounded(operation))
        operation->setAttr(operation.getFastMathAttrName(),
                           arith::FastMathFlagsAttr::get(&context, arith::FastMathFlags::contract));
    });

  RewritePatternSet expansions(&context);
  mathx::ExpansionOptions expansionOptions;
  if (options.estimates != Errors::None)
    expansionOptions.estimates = makeEstimates(*module, expansions);
  mathx::populateMathExpansions(expansions, expansionOptions);
  if (failed(applyPatternsGreedily(*module, std::move(expansions))))
    return makeError("the expansion of " + op + " does not converge");
  std::unique_ptr<CompiledOp> result(new CompiledOp());
  if (options.estimates != Errors::None &&
      !module->walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return result;

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
  if (options.estimates != Errors::None) {
    llvm::orc::SymbolMap symbols;
    for (auto [instruction, model] : llvm::zip(kInstructions, models(options.estimates)))
      symbols[(*jit)->mangleAndIntern(instruction.name)] = {llvm::orc::ExecutorAddr::fromPtr(model),
                                                            llvm::JITSymbolFlags::Exported};
    if (llvm::Error error =
            (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
      return std::move(error);
  }
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(compiled), std::move(llvmContext))))
    return std::move(error);
  auto address = (*jit)->lookup("f");
  if (!address)
    return address.takeError();
  result->function = address->toPtr<void (*)(const void *, const void *, void *)>();
  result->jit = std::move(*jit);
  return result;
}
