// The evaluator's services: diagnostics with call stacks, locations, limits, options.
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

Evaluator::Evaluator(mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                     LoadedModule *prelude, const KernelSignature &options)
    : context(context), diagnostics(diagnostics), prelude(prelude), options(options),
      builder(&context, &ops), emitter(builder, *this) {
  stackBase = static_cast<const char *>(__builtin_frame_address(0));
}

Evaluator::~Evaluator() = default;

bool Evaluator::step(SourceRange range) {
  if (fatal)
    return true;
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  if (++steps > Limits::kSteps)
    (void)fatalError(range, "the kernel takes too long to evaluate at compile time (more than " +
                                llvm::Twine(Limits::kSteps) +
                                " steps); unroll less, or use run-time loops");
  else if (ops.count > Limits::kOps)
    (void)fatalError(range, "the kernel expands to more than " + llvm::Twine(Limits::kOps) +
                                " operations; unroll less, or use run-time loops");
  else if (static_cast<size_t>(stackBase > here ? stackBase - here : here - stackBase) >
           Limits::kStackBytes)
    (void)fatalError(range, "the kernel nests too deeply; split it into simpler statements");
  return fatal;
}

LogicalResult Evaluator::fatalError(SourceRange range, const llvm::Twine &message) {
  // Also where diagnostics are held back: nothing is evaluated after it.
  unsigned held = std::exchange(quiet, 0);
  LogicalResult result = error(range, message);
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
  for (size_t i = inner; i > 1; --i)
    if (frames[i - 1]->function && frames[i - 1]->callRange.isValid())
      diagnostic.notes.push_back(
          {frames[i - 1]->callRange,
           "in call to '" + frames[i - 1]->function->qualifiedName + "' here"});
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
    loc = mlir::FileLineColLoc::get(&context, sources.getName(range.begin.file), position.line,
                                    position.column);
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
      .Default(0);
}

Result Evaluator::take(ConstResult result, SourceRange range) {
  if (result.ok())
    return std::move(result.value);
  return error(range, result.error);
}

} // namespace tilerun::sema
