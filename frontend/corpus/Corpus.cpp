// See Corpus.h.
#include "frontend/corpus/Corpus.h"

#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Repair.h"
#include "frontend/corpus/Slice.h"
#include "frontend/corpus/Usage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <set>

using namespace tilerun;
using namespace tilerun::corpus;
using llvm::StringRef;

std::string corpus::generalize(StringRef message) {
  std::string out;
  message = message.split(';').first.split('\n').first;
  // Names of the language say what is missing; other names only say where it is needed.
  const bool keepsNames = message.contains("'triton.");
  for (size_t i = 0; i < message.size();) {
    char c = message[i];
    size_t close = c == '\'' ? message.find('\'', i + 1) : StringRef::npos;
    if (close != StringRef::npos) {
      StringRef quoted = message.slice(i + 1, close);
      out += keepsNames || quoted.starts_with("tl.") ? ("'" + quoted + "'").str() : "'…'";
      i = close + 1;
    } else if (c == '[') {
      size_t end = message.find(']', i);
      i = end == StringRef::npos ? message.size() : end + 1;
      out += "[…]";
    } else if (llvm::isDigit(c) && (i == 0 || !llvm::isAlnum(message[i - 1]))) {
      while (i < message.size() && (llvm::isDigit(message[i]) || message[i] == '.'))
        ++i;
      out += "N";
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

static bool isHidden(StringRef path) { return llvm::sys::path::filename(path).starts_with("."); }

llvm::Expected<std::vector<std::string>> corpus::findFiles(StringRef folder) {
  std::vector<std::string> files;
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(folder, status))
    return llvm::createStringError(error, "cannot read '" + folder + "': " + error.message());
  if (!llvm::sys::fs::is_directory(status))
    return std::vector<std::string>{folder.str()};
  std::error_code error;
  // Links are not followed, so that cycles of them are harmless.
  for (llvm::sys::fs::recursive_directory_iterator it(folder, error, /*follow_symlinks=*/false),
       end;
       it != end && !error; it.increment(error)) {
    if (isHidden(it->path())) {
      it.no_push();
      continue;
    }
    if (StringRef(it->path()).ends_with(".py") &&
        it->type() == llvm::sys::fs::file_type::regular_file)
      files.push_back(it->path());
  }
  if (error)
    return llvm::createStringError(error, "cannot read '" + folder + "': " + error.message());
  llvm::sort(files);
  return files;
}

/// The most signatures that are tried for one kernel beyond the first guesses.
static constexpr unsigned kMostRepairs = 800;

/// The first error, as the reason of `entry`.
static void setReason(const SourceManager &sources, llvm::ArrayRef<Diagnostic> diagnostics,
                      Entry &entry) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::Error)
      continue;
    entry.reason = diagnostic.message;
    entry.construct = generalize(diagnostic.message);
    if (diagnostic.range.isValid()) {
      entry.reasonFile = sources.getName(diagnostic.range.begin.file).str();
      entry.reasonLine = sources.getLineColumn(diagnostic.range.begin).line;
    }
    return;
  }
  entry.reason = entry.construct = "no reason was given";
}

/// `FILE:LINE:COLUMN: error: MESSAGE`, with more in front of it, or any other text.
static void setReason(StringRef message, Entry &entry) {
  message = message.trim();
  auto [before, after] = message.split(": error: ");
  if (after.empty()) {
    after = message;
  } else {
    StringRef line, file;
    std::tie(before, line) = before.rsplit(':'); // The column.
    std::tie(file, line) = before.rsplit(':');
    entry.reasonFile = file.substr(file.rfind(' ') + 1).str();
    if (line.getAsInteger(10, entry.reasonLine))
      entry.reasonLine = 0;
  }
  entry.reason = after.split('\n').first.str();
  entry.construct = generalize(entry.reason);
}

/// Kernels of fewer operations than this are not slow because something is unrolled.
static constexpr uint64_t kManyOperations = 1000;

/// Names the unrolled loop that the kernel which was compiled last mostly is; empty if there is
/// none.
static std::string describeUnrolled(const Frontend &frontend, const SourceManager &sources,
                                    StringRef file) {
  const std::optional<UnrolledLoop> &loop = frontend.getLargestUnrolled();
  if (!loop || loop->kernelOperations < kManyOperations ||
      loop->operations < loop->kernelOperations / 2)
    return "";
  std::string place = std::to_string(sources.getLineColumn(loop->header.begin).line);
  StringRef its = sources.getName(loop->header.begin.file);
  return std::to_string(loop->operations) + " of " + std::to_string(loop->kernelOperations) +
         " operations are " + std::to_string(loop->iterations) +
         " iterations of the unrolled loop in " +
         (its == file ? "line " + place : its.str() + ":" + place) + "; use range or tl.range";
}

static void compileOn(Frontend &frontend, mlir::MLIRContext &context, const JitFunction &function,
                      const KernelSignature &signature, const Backend &backend, Listener &listener,
                      Entry &entry) {
  mlir::FailureOr<CompiledKernel> kernel =
      frontend.compile(*function.module, function.qualifiedName, signature, context);
  assert(mlir::succeeded(kernel) && "it compiled a moment ago");
  entry.unrolled = describeUnrolled(frontend, frontend.getSources(), entry.file);
  listener.compiling(entry);
  auto start = std::chrono::steady_clock::now();
  Backend::Verdict verdict = backend.compile(*kernel, signature);
  entry.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (verdict.message.empty())
    return;
  entry.outcome = verdict.isInternal ? Outcome::Internal : Outcome::Refused;
  setReason(verdict.message, entry);
}

/// The same with no size above `largest`: numbers and blocks that are powers of two. False if that
/// changes nothing.
static bool shrink(KernelSignature &signature, int64_t largest) {
  bool changed = false;
  auto limit = [&](int64_t &size) {
    if (size <= largest || !llvm::isPowerOf2_64(static_cast<uint64_t>(size)))
      return;
    size = largest;
    changed = true;
  };
  for (auto &[name, spec] : signature.arguments) {
    if (auto *typed = std::get_if<TypedArgument>(&spec)) {
      for (int64_t &size : typed->block)
        limit(size);
    } else if (auto *size = std::get_if<int64_t>(&std::get<ConstantArgument>(spec).value)) {
      limit(*size);
    }
  }
  return changed;
}

/// The lines of the functions between which host code chooses; none if the name is not such a
/// choice.
static std::vector<int64_t> findFunctionLines(const SourceManager &sources,
                                              const LoadedModule &module, StringRef name) {
  const Global *global = module.lookup(name);
  if (global && global->kind == Global::Kind::ImportedName && global->module)
    global = global->module->lookup(global->importedName);
  std::vector<int64_t> lines;
  if (global)
    for (const JitFunction *function : global->functions)
      lines.push_back(sources.getLineColumn(function->def->nameRange.begin).line);
  return lines;
}

static void tryKernel(Frontend &frontend, mlir::MLIRContext &context, const JitFunction &function,
                      const Backend *backend, const Defines &defines, Listener &listener,
                      Entry &entry) {
  DiagnosticEngine &diagnostics = frontend.getDiagnostics();
  bool isInternal = false;
  auto attempt = [&](const KernelSignature &signature) {
    ++entry.numTried;
    diagnostics.clear();
    Attempt out;
    out.signature = signature;
    out.compiles = mlir::succeeded(
        frontend.compile(*function.module, function.qualifiedName, signature, context));
    entry.unrolled = describeUnrolled(frontend, frontend.getSources(), entry.file);
    listener.typed(entry);
    isInternal |= !frontend.getInvalidModule().empty();
    const std::set<std::string> &missed = frontend.getMissedGlobals();
    out.missedGlobals.assign(missed.begin(), missed.end());
    for (const std::string &name : missed)
      if (auto lines = findFunctionLines(frontend.getSources(), *function.module, name);
          !lines.empty())
        out.functionLines[name] = std::move(lines);
    if (!out.compiles)
      llvm::copy_if(diagnostics.getDiagnostics(), std::back_inserter(out.errors),
                    [](auto &diagnostic) { return diagnostic.severity == Severity::Error; });
    // A bug of the compiler must be reported, whatever else would compile.
    if (isInternal && entry.outcome != Outcome::Internal) {
      entry.outcome = Outcome::Internal;
      entry.signature = formatSignature(signature);
      setReason(frontend.getSources(), out.errors, entry);
    }
    return out;
  };
  std::vector<Attempt> attempts;
  for (KernelSignature &guess : guessSignatures(frontend, function)) {
    if (backend)
      guess.target = backend->target;
    for (const auto &[name, value] : defines)
      guess.arguments.emplace(name, value); // A parameter's comes before.
    attempts.push_back(attempt(guess));
    if (attempts.back().compiles || isInternal)
      break;
  }
  if (isInternal)
    return;
  Attempt last = attempts.back().compiles
                     ? std::move(attempts.back())
                     : repair(function, std::move(attempts), kMostRepairs, attempt);
  if (isInternal)
    return;
  entry.outcome = last.compiles ? Outcome::Compiles : Outcome::Fails;
  entry.signature = formatSignature(last.signature);
  if (!last.compiles)
    setReason(frontend.getSources(), last.errors, entry);
  else if (backend)
    compileOn(frontend, context, function, last.signature, *backend, listener, entry);
  // Blocks of many dimensions get too large for a target with the sizes that are usual for two.
  for (int64_t largest : {32, 16, 8, 4}) {
    if (entry.outcome != Outcome::Refused)
      break;
    KernelSignature smaller = last.signature;
    if (!shrink(smaller, largest) || !attempt(smaller).compiles)
      continue;
    Entry next = entry;
    next.outcome = Outcome::Compiles;
    next.signature = formatSignature(smaller);
    next.reason = next.reasonFile = next.construct = "";
    next.reasonLine = 0;
    compileOn(frontend, context, function, smaller, *backend, listener, next);
    next.seconds += entry.seconds;
    if (next.outcome != Outcome::Refused)
      entry = std::move(next);
  }
}

/// Whether a file may hold jit functions: most files of a project have none, and reading one means
/// reading what it imports.
static bool mentionsJit(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return !buffer || (*buffer)->getBuffer().contains("jit");
}

/// A file's name, which must not depend on the working directory.
static std::string getFullPath(StringRef path) {
  llvm::SmallString<256> out(path);
  if (!llvm::sys::fs::make_absolute(out))
    llvm::sys::path::remove_dots(out, /*remove_dot_dot=*/true);
  return out.str().str();
}

/// The decorator that makes kernels of a function that returns values, such as
/// `@pointwise_dynamic`: one that is not Triton's. Empty if there is none.
static StringRef findMaker(const JitFunction &function) {
  // Of Triton's and Python's packages, and those that only mark or cache a function.
  static constexpr llvm::StringLiteral kKnown[] = {"jit",
                                                   "autotune",
                                                   "heuristics",
                                                   "constexpr_function",
                                                   "must_use_result",
                                                   "builtin",
                                                   "cache",
                                                   "lru_cache",
                                                   "wraps",
                                                   "aggregate",
                                                   "_aggregate",
                                                   "constexpr",
                                                   "_tensor_member_fn",
                                                   "_add_reduction_docstr"};
  for (const ast::Expr *decorator : function.def->decorators)
    if (StringRef name = getDecoratorName(decorator);
        !name.empty() && !llvm::is_contained(kKnown, name))
      return name;
  return "";
}

FileSummary corpus::surveyFile(const std::string &path, const Backend *backend, Listener &listener,
                               const std::function<Defines()> &define) {
  FileSummary out;
  if (!mentionsJit(path))
    return out;
  Frontend frontend;
  LoadedModule *module = frontend.loadFile(path);
  if (!module) {
    Entry reason;
    setReason(frontend.getSources(), frontend.getDiagnostics().getDiagnostics(), reason);
    out.unreadable = reason.reason;
    return out;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto getLine = [&](SourceLoc loc) { return frontend.getSources().getLineColumn(loc).line; };
  for (const auto &[name, loc] : module->gluonKernels)
    out.made.push_back({name, getLine(loc), "gluon.jit"});
  const Defines defines = define && !module->functions.empty() ? define() : Defines();
  for (auto [index, function] : llvm::enumerate(module->functions)) {
    for (const JitFunction *callee : findForeignCallees(*function))
      out.called.emplace_back(getFullPath(callee->module->path), callee->qualifiedName);
    Entry entry;
    entry.file = path;
    entry.name = function->qualifiedName;
    entry.line = getLine(function->def->nameRange.begin);
    entry.index = static_cast<unsigned>(index);
    const bool isHelper = function->usedAsHelper || returnsValue(*function);
    if (StringRef maker = isHelper ? findMaker(*function) : ""; !maker.empty())
      out.made.push_back({entry.name, entry.line, maker.str()});
    if (!listener.begin(entry))
      continue;
    if (isHelper) {
      entry.outcome = Outcome::Helper;
    } else {
      Defines own;
      for (const auto &[name, value] : defines)
        if (frontend.getGlobalState(*function, name) == GlobalState::Unknown)
          own.emplace(name, value);
      tryKernel(frontend, context, *function, backend, own, listener, entry);
    }
    entry.unrolled.clear();
    listener.finish(entry);
  }
  llvm::sort(out.made, [](auto &a, auto &b) { return a.line < b.line; });
  llvm::sort(out.called);
  out.called.erase(llvm::unique(out.called), out.called.end());
  return out;
}

void corpus::markHelpers(llvm::MutableArrayRef<Entry> entries, llvm::ArrayRef<Function> called) {
  std::set<Function> helpers(called.begin(), called.end());
  for (Entry &entry : entries)
    if (entry.outcome != Outcome::Internal &&
        helpers.count({getFullPath(entry.file), entry.name})) {
      Entry helper;
      helper.file = entry.file;
      helper.name = entry.name;
      helper.line = entry.line;
      helper.index = entry.index;
      helper.outcome = Outcome::Helper;
      entry = std::move(helper);
    }
}
