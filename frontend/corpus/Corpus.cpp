// See Corpus.h.
#include "frontend/corpus/Corpus.h"

#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Usage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"

#include <mutex>

using namespace tilerun;
using namespace tilerun::corpus;
using llvm::StringRef;

std::string corpus::generalize(StringRef message) {
  std::string out;
  message = message.split(';').first.split('\n').first;
  // Names of the language say what is missing; others only who needs it.
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

static llvm::Expected<std::vector<std::string>> findFiles(StringRef folder) {
  std::vector<std::string> files;
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(folder, status))
    return llvm::createStringError(error, "cannot read '" + folder + "': " + error.message());
  if (!llvm::sys::fs::is_directory(status))
    return std::vector<std::string>{folder.str()};
  std::error_code error;
  // Links are not followed, so that no circle of them can catch us.
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

/// The first error, as reason of `entry`.
static void setReason(const DiagnosticEngine &diagnostics, Entry &entry) {
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    entry.reason = diagnostic.message;
    entry.construct = generalize(diagnostic.message);
    const SourceManager &sources = diagnostics.getSources();
    if (diagnostic.range.isValid()) {
      entry.reasonFile = sources.getName(diagnostic.range.begin.file).str();
      entry.reasonLine = sources.getLineColumn(diagnostic.range.begin).line;
    }
    return;
  }
  entry.reason = entry.construct = "no reason was given";
}

static void tryKernel(Frontend &frontend, mlir::MLIRContext &context, const JitFunction &function,
                      Entry &entry) {
  std::vector<KernelSignature> guesses = guessSignatures(frontend, function);
  for (const KernelSignature &guess : guesses) {
    ++entry.numTried;
    frontend.getDiagnostics().clear();
    auto compiled = frontend.compile(*function.module, function.qualifiedName, guess, context);
    if (mlir::succeeded(compiled)) {
      entry.outcome = Outcome::Compiles;
      entry.signature = formatSignature(guess);
      entry.reason.clear();
      entry.construct.clear();
      entry.reasonFile.clear();
      entry.reasonLine = 0;
      return;
    }
    if (entry.numTried == 1) {
      entry.signature = formatSignature(guess);
      setReason(frontend.getDiagnostics(), entry);
    }
    if (!frontend.getInvalidModule().empty()) {
      entry.outcome = Outcome::Internal;
      setReason(frontend.getDiagnostics(), entry);
      entry.signature = formatSignature(guess);
      return;
    }
  }
}

/// One file, with a frontend of its own: they are not shared between threads.
static void surveyFile(const std::string &path, Survey &out) {
  Frontend frontend;
  LoadedModule *module = frontend.loadFile(path);
  if (!module) {
    Entry reason;
    setReason(frontend.getDiagnostics(), reason);
    out.unreadable.emplace_back(path, reason.reason);
    return;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const auto &function : module->functions) {
    Entry entry;
    entry.file = path;
    entry.name = function->qualifiedName;
    entry.line = frontend.getSources().getLineColumn(function->def->nameRange.begin).line;
    if (function->usedAsHelper || returnsValue(*function))
      entry.outcome = Outcome::Helper;
    else
      tryKernel(frontend, context, *function, entry);
    out.entries.push_back(std::move(entry));
  }
}

llvm::Expected<Survey> corpus::survey(StringRef folder, unsigned threads,
                                      llvm::function_ref<void(uint64_t, uint64_t)> progress) {
  auto files = findFiles(folder);
  if (!files)
    return files.takeError();
  std::vector<Survey> parts(files->size());
  std::mutex mutex;
  uint64_t numDone = 0;
  {
    llvm::StdThreadPool pool(llvm::hardware_concurrency(threads));
    for (size_t i = 0; i < files->size(); ++i)
      pool.async([&, i] {
        surveyFile((*files)[i], parts[i]);
        std::lock_guard lock(mutex);
        progress(++numDone, files->size());
      });
    pool.wait();
  }
  Survey out;
  out.numFiles = files->size();
  for (Survey &part : parts) {
    llvm::append_range(out.entries, std::move(part.entries));
    llvm::append_range(out.unreadable, std::move(part.unreadable));
  }
  return out;
}
