// The public face of the frontend: owns sources, trees and diagnostics, and runs the evaluator.
#include "frontend/Frontend.h"

#include "frontend/sema/Evaluator.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/thread.h"

#include <cstdlib>

namespace tilerun {

static constexpr llvm::StringLiteral kPreludeName = "<language>";

struct Frontend::Impl {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  ast::Context trees;
  ModuleLoader loader{sources, trees, diagnostics};
  LoadedModule *prelude = nullptr;
  std::unique_ptr<mlir::MLIRContext> scratchContext; ///< For compile-time expressions.
  std::string invalidModule;
  std::set<std::string> missedGlobals;
  std::optional<UnrolledLoop> largestUnrolled;

  /// For expressions outside kernels.
  mlir::MLIRContext &getScratchContext();

  LoadedModule *getPrelude() {
    if (!prelude)
      prelude = loader.loadText(kPreludeName, lang::getPreludeText().str());
    return prelude;
  }
};

Frontend::Frontend() : impl(std::make_unique<Impl>()) {}
Frontend::~Frontend() = default;
SourceManager &Frontend::getSources() { return impl->sources; }
DiagnosticEngine &Frontend::getDiagnostics() { return impl->diagnostics; }
const std::string &Frontend::getInvalidModule() const { return impl->invalidModule; }

LoadedModule *Frontend::loadFile(llvm::StringRef path) { return impl->loader.loadFile(path); }
LoadedModule *Frontend::loadText(llvm::StringRef name, std::string text) {
  return impl->loader.loadText(name, std::move(text));
}

LoadedModule *Frontend::loadSources(std::vector<Source> sources) {
  impl->loader.setFollowImports(false);
  for (Source &source : sources)
    impl->loader.provide(source.module, source.path, std::move(source.text));
  return impl->loader.loadProvided(sources.front().module);
}

std::string Frontend::getSourceDigest() const {
  // The prelude is embedded in this program, and parsed only when something is compiled.
  return impl->loader.getDigest([](llvm::StringRef name) { return name == kPreludeName; });
}

static void loadDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// Runs something on a thread with a deep stack, so that nested programs cannot exhaust the
/// caller's.
static void runOnDeepStack(llvm::function_ref<void()> work) {
  llvm::thread thread(std::optional<unsigned>(sema::Limits::kThreadStack), [&] { work(); });
  thread.join();
}

/// The verifier's complaints about a module; empty if it is well formed.
static std::string verifyModule(mlir::ModuleOp module) {
  std::string complaints;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (!complaints.empty())
      complaints += "; ";
    complaints += diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return "";
  return complaints.empty() ? "the verifier failed" : complaints;
}

/// Jit functions that can be launched, for "did you mean".
static std::vector<llvm::StringRef> getKernelNames(const LoadedModule &module) {
  std::vector<llvm::StringRef> names;
  names.reserve(module.functions.size());
  for (const auto &function : module.functions)
    names.push_back(function->qualifiedName);
  return names;
}

/// The limit of operations that the environment sets, or the default; none if it is not a number.
static std::optional<uint64_t> getMaxOperations(DiagnosticEngine &diagnostics) {
  const char *text = std::getenv(Frontend::kMaxOperations);
  if (!text || !*text)
    return sema::Limits::kOps;
  uint64_t limit = 0;
  if (!llvm::StringRef(text).getAsInteger(10, limit) && limit > 0)
    return limit;
  diagnostics.error({}, llvm::Twine(Frontend::kMaxOperations) + " is '" + text +
                            "'; a number of operations is expected");
  return std::nullopt;
}

/// The text of the variable; empty if it is not set.
static llvm::StringRef getStrictText() {
  const char *text = std::getenv(Frontend::kStrict);
  return text ? text : "";
}

bool Frontend::isStrict() {
  llvm::StringRef text = getStrictText();
  return !text.empty() && text != "0";
}

mlir::FailureOr<CompiledKernel> Frontend::compile(LoadedModule &module, llvm::StringRef kernel,
                                                  const KernelSignature &signature,
                                                  mlir::MLIRContext &context) {
  impl->invalidModule.clear();
  impl->missedGlobals.clear();
  impl->largestUnrolled.reset();
  SourceRange place{{module.file, 0}, 0};
  const JitFunction *function = module.findFunction(kernel);
  if (!function) {
    std::vector<llvm::StringRef> names = getKernelNames(module);
    auto near = findNearName(kernel, names);
    std::string known;
    for (llvm::StringRef name : llvm::ArrayRef(names).take_front(10))
      known += (known.empty() ? "" : ", ") + name.str();
    impl->diagnostics.error(place, "no jit function '" + kernel + "' in this file" +
                                       (near            ? "; did you mean '" + near->str() + "'?"
                                        : known.empty() ? "; it " + module.describeNoKernels()
                                                        : "; it has " + known));
    return mlir::failure();
  }
  LoadedModule *prelude = impl->getPrelude();
  if (!prelude)
    return mlir::failure();
  std::optional<uint64_t> maxOperations = getMaxOperations(impl->diagnostics);
  if (!maxOperations)
    return mlir::failure();
  if (llvm::StringRef text = getStrictText(); isStrict() && text != "1") {
    impl->diagnostics.error({}, llvm::Twine(kStrict) + " is '" + text + "'; 0 or 1 is expected");
    return mlir::failure();
  }
  loadDialects(context);
  mlir::FailureOr<CompiledKernel> result = mlir::failure();
  runOnDeepStack([&] {
    sema::Evaluator evaluator(context, impl->diagnostics, prelude, signature);
    evaluator.setMaxOperations(*maxOperations);
    evaluator.setStrict(isStrict());
    result = evaluator.compileKernel(module, *function);
    impl->missedGlobals = evaluator.getMissedGlobals();
    impl->largestUnrolled = evaluator.getLargestUnrolled();
    if (mlir::failed(result))
      return;
    std::string complaints = verifyModule(*result->module);
    if (complaints.empty())
      return;
    llvm::raw_string_ostream stream(impl->invalidModule);
    result->module->print(stream, mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo());
    impl->diagnostics.error(function->def->nameRange,
                            "internal error: the compiler produced invalid IR for '" + kernel +
                                "': " + complaints);
    result = mlir::failure();
  });
  if (mlir::failed(result) && !impl->diagnostics.hasErrors())
    impl->diagnostics.error(function->def->nameRange,
                            "internal error: '" + kernel + "' was not compiled, without a reason");
  return result;
}

mlir::MLIRContext &Frontend::Impl::getScratchContext() {
  if (!scratchContext) {
    scratchContext = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    loadDialects(*scratchContext);
  }
  return *scratchContext;
}

const std::set<std::string> &Frontend::getMissedGlobals() const { return impl->missedGlobals; }

const std::optional<UnrolledLoop> &Frontend::getLargestUnrolled() const {
  return impl->largestUnrolled;
}

GlobalState Frontend::getGlobalState(const JitFunction &function, llvm::StringRef name) {
  GlobalState state = GlobalState::Absent;
  LoadedModule *prelude = impl->getPrelude();
  if (prelude)
    runOnDeepStack([&] {
      KernelSignature options;
      sema::Evaluator evaluator(impl->getScratchContext(), impl->diagnostics, prelude, options);
      state = evaluator.getGlobalState(function, name);
    });
  return state;
}

/// A compile-time value for the public interface; none if the interface cannot express it.
static std::optional<ConstantArgument> toArgument(const Value &value) {
  if (value.isNone())
    return ConstantArgument{};
  if (auto *v = value.getIf<bool>())
    return ConstantArgument{*v};
  if (auto *v = value.getIf<PyInt>()) {
    if (*v >= INT64_MIN && *v <= INT64_MAX)
      return ConstantArgument{static_cast<int64_t>(*v)};
    if (*v > 0 && *v <= UINT64_MAX)
      return ConstantArgument{static_cast<uint64_t>(*v)};
    return std::nullopt;
  }
  if (auto *v = value.getIf<double>())
    return ConstantArgument{*v};
  if (auto *v = value.getIf<std::string>())
    return ConstantArgument{*v};
  if (auto *v = value.getIf<DType>())
    return ConstantArgument{*v};
  if (auto *v = value.getIf<FunctionValue>())
    return ConstantArgument{ConstantArgument::FunctionName{v->function->qualifiedName}};
  if (const TupleValue *tuple = value.getSequence()) {
    std::vector<ConstantArgument> elements;
    for (const Value &element : tuple->elements) {
      auto converted = toArgument(element);
      if (!converted)
        return std::nullopt;
      elements.push_back(std::move(*converted));
    }
    return ConstantArgument{std::move(elements), tuple->isList};
  }
  return std::nullopt;
}

std::optional<ConstantArgument>
Frontend::evaluateConstant(LoadedModule &module, const ast::Expr &expression,
                           const std::map<std::string, ConstantArgument> &names,
                           const std::map<std::string, ConstantArgument> &globals,
                           llvm::StringRef remedy) {
  LoadedModule *prelude = impl->getPrelude();
  if (!prelude)
    return std::nullopt;
  std::optional<ConstantArgument> result;
  runOnDeepStack([&] {
    KernelSignature options;
    sema::Evaluator evaluator(impl->getScratchContext(), impl->diagnostics, prelude, options);
    evaluator.giveGlobals(globals);
    std::map<llvm::StringRef, Value> values;
    for (const auto &[name, argument] : names)
      values[name] = sema::makeValue(argument, module);
    auto value = evaluator.evaluateConstant(module, expression, std::move(values), remedy);
    if (mlir::failed(value))
      return;
    result = toArgument(*value);
    if (const OpaqueValue *unknown = value->findUnknown())
      impl->diagnostics.error(expression.range, unknown->explain());
    else if (!result)
      impl->diagnostics.error(expression.range,
                              "this must be a constant, but it is " + value->describe());
  });
  return result;
}

} // namespace tilerun
