// The evaluator's services: diagnostics with call stacks, locations, limits, options.
#include "frontend/sema/Evaluator.h"
#include "frontend/lang/OlderForms.h"

#include "ir/tile/TileOps.h"

namespace tilerun::sema {

Evaluator::Evaluator(mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                     LoadedModule *prelude, const KernelSignature &options)
    : context(context), diagnostics(diagnostics), prelude(prelude), options(options),
      builder(&context, &ops), emitter(builder, *this) {
  stackBase = static_cast<const char *>(__builtin_frame_address(0));
}

Evaluator::~Evaluator() = default;

bool Evaluator::step(SourceRange range) {
  if (fatal || abandoned)
    return true;
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  if (++steps > lastHostStep && evaluatesHost)
    (void)fatalError(range, "it takes more than " + llvm::Twine(Limits::kHostSteps) + " steps");
  else if (steps > Limits::kSteps)
    (void)expansionError(range,
                         "the kernel takes too long to evaluate at compile time (more than " +
                             llvm::Twine(Limits::kSteps) + " steps)");
  else if (ops.count > maxOps)
    (void)expansionError(range,
                         "the kernel expands to more than " + llvm::Twine(maxOps) + " operations");
  else if (static_cast<size_t>(stackBase > here ? stackBase - here : here - stackBase) >
           Limits::kStackBytes)
    (void)fatalError(range, "the kernel nests too deeply; split it into simpler statements");
  return fatal || abandoned;
}

HostScope::HostScope(Evaluator &evaluator)
    : quiet(evaluator), evaluator(evaluator),
      evaluatesHost(std::exchange(evaluator.evaluatesHost, true)),
      abandoned(std::exchange(evaluator.abandoned, false)),
      enteredHost(std::exchange(evaluator.enteredHost, std::nullopt)),
      lastHostStep(std::exchange(evaluator.lastHostStep, evaluator.steps + Limits::kHostSteps)),
      steps(evaluator.steps), numErrors(evaluator.numErrors) {
  ++evaluator.hostScopes;
}

HostScope::~HostScope() {
  --evaluator.hostScopes;
  evaluator.evaluatesHost = evaluatesHost;
  evaluator.abandoned = abandoned;
  evaluator.enteredHost = std::move(enteredHost);
  evaluator.lastHostStep = lastHostStep;
  evaluator.steps = steps;
  evaluator.numErrors = numErrors;
}

LogicalResult Evaluator::expansionError(SourceRange range, const llvm::Twine &message) {
  // Innermost first; loops of the language's own library are not the user's to change.
  llvm::SmallVector<const LoopScope *> loops;
  for (const auto &active : llvm::reverse(frames))
    if (active->module != prelude)
      for (const LoopScope &loop : llvm::reverse(active->loops))
        if (loop.unrolled)
          loops.push_back(&loop);
  std::string remedy = loops.empty() && largestUnrolled.operations == 0
                           ? "; helpers are inlined at every call, so call fewer"
                           : "; use range or tl.range for loops that need not be unrolled";
  if (ops.count > maxOps)
    remedy += ", or raise the limit by TILERUN_MAX_OPERATIONS in the environment";
  llvm::SmallVector<Note> notes;
  if (loops.empty()) {
    if (largestUnrolled.operations != 0)
      notes.push_back({largestUnrolled.header,
                       "this loop is unrolled, and its " +
                           std::to_string(largestUnrolled.iterations) + " iterations are " +
                           std::to_string(largestUnrolled.operations) + " operations"});
    return fatalError(range, message + remedy, notes);
  }
  auto describe = [](const LoopScope &loop) {
    return "iteration " + std::to_string(loop.iteration) + " of " + std::to_string(loop.iterations);
  };
  for (const LoopScope *loop : llvm::drop_begin(loops))
    notes.push_back({loop->header, "it is in " + describe(*loop) + " of this unrolled loop"});
  return fatalError(loops.front()->header,
                    message + " in " + describe(*loops.front()) + " of this unrolled loop" + remedy,
                    notes);
}

std::optional<UnrolledLoop> Evaluator::getLargestUnrolled() const {
  if (!largestUnrolled.operations)
    return std::nullopt;
  UnrolledLoop loop = largestUnrolled;
  loop.kernelOperations = ops.count;
  return loop;
}

LogicalResult Evaluator::fatalError(SourceRange range, const llvm::Twine &message,
                                    llvm::ArrayRef<Note> notes) {
  if (evaluatesHost) {
    abandoned = true;
    return errorWithNotes(range, message, notes);
  }
  // Also where diagnostics are held back: nothing is evaluated after it.
  unsigned held = std::exchange(quiet, 0);
  LogicalResult result = errorWithNotes(range, message, notes);
  quiet = held;
  fatal = true;
  return result;
}

LogicalResult Evaluator::error(SourceRange range, const llvm::Twine &message) {
  return errorWithNotes(range, message, {});
}

LogicalResult Evaluator::errorWithNotes(SourceRange range, const llvm::Twine &message,
                                        llvm::ArrayRef<Note> notes) {
  ++numErrors;
  if (fatal)
    return failure();
  std::string text = message.str();
  if (quiet) {
    if (quietMessage.empty())
      quietMessage = std::move(text);
    return failure();
  }
  // Frames, innermost first; an error inside the language's own library is shown where the user
  // called it.
  size_t inner = frames.size();
  llvm::SmallVector<Note> stack;
  if (range.isValid() && prelude && range.begin.file == prelude->file) {
    stack.push_back({range, "in the language's library here"});
    while (inner > 0 && frames[inner - 1]->module == prelude) {
      range = frames[inner - 1]->callRange;
      --inner;
    }
  }
  if (!reported.insert({range.begin.file, range.begin.offset, text}).second)
    return failure();
  Diagnostic &diagnostic = diagnostics.error(range, text);
  diagnostic.notes.append(notes.begin(), notes.end());
  diagnostic.notes.append(stack.begin(), stack.end());
  // The calls, innermost first; of many, only both ends.
  constexpr size_t kInnerCalls = 4, kOuterCalls = 2;
  llvm::SmallVector<const Frame *> calls;
  for (size_t i = inner; i > 1; --i)
    if (frames[i - 1]->function && frames[i - 1]->callRange.isValid())
      calls.push_back(frames[i - 1].get());
  const bool isLong = calls.size() > kInnerCalls + kOuterCalls + 1;
  for (size_t i = 0; i < calls.size(); ++i) {
    std::string hidden;
    if (isLong && i == kInnerCalls) {
      size_t last = calls.size() - kOuterCalls;
      hidden = ", behind " + std::to_string(last - i) + " calls that are not shown";
      i = last;
    }
    diagnostic.notes.push_back(
        {calls[i]->callRange,
         "in call to '" + calls[i]->function->qualifiedName + "' here" + hidden});
  }
  if (reported.size() >= Limits::kErrors)
    fatal = true;
  return failure();
}

void Evaluator::warning(SourceRange range, const llvm::Twine &message) {
  if (quiet || fatal)
    return;
  std::string text = message.str();
  if (reported.insert({range.begin.file, range.begin.offset, "w:" + text}).second)
    diagnostics.warning(range, text);
}

void Evaluator::reportBeyond(SourceRange range, const llvm::Twine &what, llvm::StringRef rule,
                             const llvm::Twine &remedy) {
  // Evaluation goes on, so that each use is named.
  const unsigned errorsBefore = numErrors;
  if (!quiet)
    (void)error(range, what + " goes beyond Triton (rule " + rule + "); " + remedy);
  numErrors = errorsBefore;
}

void Evaluator::beyondTriton(SourceRange range, const llvm::Twine &what, llvm::StringRef rule,
                             const llvm::Twine &remedy) {
  // The language's own library may use all of it, and so may Python's functions of compile-time
  // values and expressions outside of functions, which Triton leaves to Python.
  const bool isOfKernel = !frames.empty() && frame().function && !keepsNumbers();
  const bool isOfLibrary = prelude && range.isValid() && range.begin.file == prelude->file;
  if (ops.strict && isOfKernel && !isOfLibrary)
    reportBeyond(range, what, rule, remedy);
}

void Evaluator::olderForm(SourceRange range, const llvm::Twine &form, const llvm::Twine &today) {
  const bool isOfLibrary = prelude && range.isValid() && range.begin.file == prelude->file;
  // Of globals, too: host code is evaluated quietly, and once.
  if (isOfLibrary || fatal || (quiet && !hostScopes))
    return;
  std::string quoted = "'" + form.str() + "' is of an earlier Triton";
  std::string text = ops.strict ? quoted + ", which today's refuses; use " + today.str()
                                : quoted + "; today it is " + today.str();
  pendingNotes.try_emplace(std::move(quoted), PendingNote{range, std::move(text), true});
}

void Evaluator::noteOlderName(llvm::StringRef path, llvm::StringRef name, SourceRange range) {
  if (auto older = lang::findOlderName(path, name))
    olderForm(range, older->form, older->today);
}

/// `import triton.language.libdevice`
void Evaluator::noteOlderModule(llvm::StringRef path, SourceRange range) {
  auto [parent, name] = path.rsplit('.');
  noteOlderName(parent, name, range);
}

void Evaluator::checkSizes(mlir::Operation *op) {
  auto hasSize = [](mlir::Value value, int64_t size) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && llvm::is_contained(type.getShape(), size);
  };
  for (mlir::Value result : op->getResults())
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType()))
      for (int64_t size : type.getShape()) {
        if (size <= 0 || llvm::isPowerOf2_64(size) ||
            llvm::any_of(op->getOperands(), [&](mlir::Value v) { return hasSize(v, size); }))
          continue;
        const std::string what = "a size of " + std::to_string(size) + ", not a power of two,";
        // A number that is spread over a shape mostly follows the other operand, which was named.
        const bool isSpread =
            llvm::isa<tile::SplatOp>(op) || op->hasTrait<mlir::OpTrait::ConstantLike>();
        const bool isNamed = llvm::any_of(reported, [&](const auto &known) {
          return llvm::StringRef(std::get<2>(known)).starts_with(what);
        });
        if (!isSpread || !isNamed)
          reportBeyond(emitter.range, what, "S8",
                       "use " + llvm::Twine(llvm::PowerOf2Ceil(size)) + " and a mask");
      }
}

void Evaluator::print(const llvm::Twine &text) {
  constexpr size_t kMaxOutput = 16u << 20;
  if (!quiet && staticOutput.size() < kMaxOutput)
    staticOutput += text.str();
}

mlir::Location Evaluator::getLocation(SourceRange range) {
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  if (range.isValid()) {
    const SourceManager &sources = diagnostics.getSources();
    auto position = sources.getLineColumn(range.begin);
    llvm::StringRef file = sources.getName(range.begin.file);
    // Editors look up what an expression is, which begins where its first operand does.
    auto end = sources.getLineColumn({range.begin.file, range.end});
    loc = options.debugEvents
              ? mlir::FileLineColRange::get(&context, file, position.line, position.column,
                                            end.line, end.column)
              : mlir::FileLineColLoc::get(&context, file, position.line, position.column);
  }
  if (!frames.empty() && frame().callLoc)
    loc = mlir::CallSiteLoc::get(loc, *frame().callLoc);
  return loc;
}

int64_t Evaluator::getOption(llvm::StringRef name) {
  return llvm::StringSwitch<int64_t>(name)
      .Case("num_warps", options.numWarps)
      .Case("num_stages", options.numStages)
      .Case("num_ctas", options.numCtas)
      .Case("debug", options.debug)
      .Case("debug_events", options.debugEvents && wantsEvents())
      .Default(0);
}

LogicalResult Evaluator::opaqueError(const OpaqueValue &opaque, SourceRange range,
                                     llvm::StringRef use) {
  if (quiet && quietMessage.empty())
    quietOpaque = opaque;
  if (!quiet && !opaque.name.empty())
    missedGlobals.insert(opaque.name);
  llvm::SmallVector<Note> notes;
  if (opaque.range.isValid())
    notes.push_back({opaque.range, "defined here"});
  if (use.empty())
    return errorWithNotes(range, opaque.explain(), notes);
  std::string message = opaque.what + " " + use.str();
  if (opaque.isUnknown())
    message += ": " + opaque.cause;
  if (!opaque.remedy.empty())
    message += "; " + opaque.remedy;
  else if (llvm::StringRef(opaque.what).starts_with("the global "))
    message += "; pass what the kernel needs from it as an argument";
  return errorWithNotes(range, message, notes);
}

LogicalResult Evaluator::requireKnown(const Value &value, SourceRange range) {
  if (const OpaqueValue *unknown = value.findUnknown())
    return opaqueError(*unknown, range);
  return success();
}

Result Evaluator::take(ConstResult result, SourceRange range) {
  if (result.ok())
    return std::move(result.value);
  if (result.unknown)
    return opaqueError(*result.unknown, range);
  return error(range, result.error);
}

} // namespace tilerun::sema
