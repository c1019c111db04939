// See Analysis.h: reading a text, and type-checking its kernels.
#include "tools/tilerun/lsp/Analysis.h"

#include "frontend/ast/Walk.h"
#include "frontend/corpus/Corpus.h"
#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Repair.h"
#include "frontend/corpus/Usage.h"
#include "frontend/lang/Builtin.h"
#include "tools/tilerun/lsp/Positions.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LSP/Logging.h"

#include <chrono>

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::StringRef;

/// A comment of this form above a kernel is its signature.
static constexpr llvm::StringLiteral kSignatureComment{"# tilerun:"};
/// Changes of a guessed signature that are tried, and for how long: people wait for the answer.
static constexpr unsigned kMostRepairs = 800;
static constexpr std::chrono::milliseconds kRepairTime{3000};

Analysis::Analysis(const OpenText &text, llvm::ArrayRef<const OpenText *> others)
    : context(mlir::MLIRContext::Threading::DISABLED) {
  // Most files of a project have no kernel; what else is in them is not for this compiler to judge.
  if (!StringRef(text.text).contains("jit"))
    return;
  SourceManager &sources = frontend.getSources();
  for (const OpenText *other : others)
    sources.addText(other->path, other->text);
  file = static_cast<uint32_t>(others.size()) + 1;
  module = frontend.loadText(text.path, text.text);
  reportAll();
  if (!module)
    return;
  warnOfImports();
  for (const auto &function : module->functions) {
    CheckedFunction &checked = functions.emplace_back();
    checked.function = function.get();
    checked.isHelper = function->usedAsHelper || corpus::returnsValue(*function);
  }
}

LoadedModule *Analysis::getPrelude() {
  if (!prelude)
    prelude = frontend.loadText("<documentation>", lang::getPreludeText().str());
  return prelude;
}

bool Analysis::reads(StringRef path) const {
  llvm::SmallPtrSet<const LoadedModule *, 8> seen;
  llvm::SmallVector<const LoadedModule *> left{module};
  while (!left.empty()) {
    const LoadedModule *at = left.pop_back_val();
    if (!at || !seen.insert(at).second)
      continue;
    if (at != module && at->path == path)
      return true;
    for (const auto &entry : at->globals)
      left.push_back(entry.second.module);
    for (const auto &[name, imported] : at->importedModules)
      left.push_back(imported);
    llvm::append_range(left, at->starImports);
  }
  return false;
}

bool Analysis::checkNext() {
  while (next < functions.size() && functions[next].isChecked)
    ++next;
  if (next == functions.size())
    return false;
  check(functions[next++]);
  return true;
}

/// The bytes of a function with its decorators.
static std::pair<uint32_t, uint32_t> getExtent(const ast::FunctionDef &def) {
  uint32_t begin = def.range.begin.offset;
  for (const ast::Expr *decorator : def.decorators)
    begin = std::min(begin, decorator->range.begin.offset);
  return {begin, def.range.end};
}

CheckedFunction *Analysis::findFunction(uint32_t offset) {
  CheckedFunction *found = nullptr;
  // The last one that has it is the innermost.
  for (CheckedFunction &checked : functions)
    if (auto [begin, end] = getExtent(*checked.function->def); begin <= offset && offset <= end)
      found = &checked;
  return found;
}

void Analysis::checkAt(uint32_t offset) {
  CheckedFunction *found = findFunction(offset);
  if (found && !found->isHelper)
    return check(*found);
  while (checkNext())
    ;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The comment with the signature among those right above a function; none if it has none.
static std::optional<SourceRange> findSignature(const SourceManager &sources,
                                                const ast::FunctionDef &def) {
  const uint32_t file = def.range.begin.file;
  const StringRef text = sources.getText(file);
  unsigned line = sources.getLineColumn({file, getExtent(def).first}).line;
  while (--line > 0) {
    StringRef comment = sources.getLine(file, line).trim();
    if (!comment.starts_with("#"))
      return std::nullopt;
    if (!comment.consume_front(kSignatureComment))
      continue;
    comment = comment.trim();
    const auto begin = static_cast<uint32_t>(comment.data() - text.data());
    return SourceRange{{file, begin}, begin + static_cast<uint32_t>(comment.size())};
  }
  return std::nullopt;
}

void Analysis::check(CheckedFunction &checked) {
  if (std::exchange(checked.isChecked, true))
    return;
  if (auto comment = findSignature(frontend.getSources(), *checked.function->def))
    checkGiven(checked, *comment);
  else if (!checked.isHelper)
    checkGuessed(checked);
}

bool Analysis::compile(CheckedFunction &checked, const KernelSignature &signature) {
  frontend.getDiagnostics().clear();
  checked.signature = signature;
  checked.signature.debugEvents = true;
  auto kernel =
      frontend.compile(*module, checked.function->qualifiedName, checked.signature, context);
  checked.compiles = mlir::succeeded(kernel);
  if (checked.compiles)
    collectFacts(*kernel->module, frontend.getSources(), file, facts);
  return checked.compiles;
}

void Analysis::checkGiven(CheckedFunction &checked, const SourceRange &comment) {
  const SourceManager &sources = frontend.getSources();
  checked.isGuessed = false;
  auto signature = parseSignature(sources.getText(file).slice(comment.begin.offset, comment.end));
  if (!signature) {
    frontend.getDiagnostics().clear();
    frontend.getDiagnostics().error(comment, llvm::toString(signature.takeError()));
  } else {
    compile(checked, *signature);
  }
  reportAll();
}

/// The same for errors that differ only in names, types and sizes.
static std::pair<uint32_t, std::string> getKey(const Diagnostic &error) {
  return {error.range.begin.offset, corpus::generalize(error.message)};
}

/// The errors that all attempts have.
static std::set<std::pair<uint32_t, std::string>>
findCommon(llvm::ArrayRef<corpus::Attempt> attempts) {
  std::map<std::pair<uint32_t, std::string>, size_t> counts;
  for (const corpus::Attempt &attempt : attempts) {
    std::set<std::pair<uint32_t, std::string>> keys;
    for (const Diagnostic &error : attempt.errors)
      keys.insert(getKey(error));
    for (const auto &key : keys)
      ++counts[key];
  }
  std::set<std::pair<uint32_t, std::string>> common;
  for (const auto &[key, count] : counts)
    if (count == attempts.size())
      common.insert(key);
  return common;
}

void Analysis::checkGuessed(CheckedFunction &checked) {
  const DiagnosticEngine &reported = frontend.getDiagnostics();
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::vector<corpus::Attempt> attempts;
  auto attempt = [&](const KernelSignature &signature) {
    corpus::Attempt out;
    out.signature = signature;
    if (deadline && std::chrono::steady_clock::now() > *deadline) {
      out.errors = attempts.empty() ? std::vector<Diagnostic>(1) : attempts.front().errors;
      return out;
    }
    out.compiles = compile(checked, signature);
    const std::set<std::string> &missed = frontend.getMissedGlobals();
    out.missedGlobals.assign(missed.begin(), missed.end());
    if (!out.compiles)
      llvm::copy_if(reported.getDiagnostics(), std::back_inserter(out.errors),
                    [](auto &diagnostic) { return diagnostic.severity == Severity::Error; });
    return out;
  };
  for (const KernelSignature &guess : corpus::guessSignatures(frontend, *checked.function)) {
    attempts.push_back(attempt(guess));
    if (attempts.back().compiles)
      return reportAll();
  }
  const auto common = findCommon(attempts);
  const auto numTried = static_cast<unsigned>(attempts.size());
  deadline = std::chrono::steady_clock::now() + kRepairTime;
  corpus::Attempt best =
      corpus::repair(*checked.function, std::move(attempts), kMostRepairs, attempt);
  checked.signature = best.signature;
  checked.compiles = best.compiles;
  if (best.compiles)
    return reportAll();
  for (const Diagnostic &error : best.errors)
    report(error,
           {corpus::formatSignature(best.signature), common.count(getKey(error)) ? numTried : 0});
}

void Analysis::findLayouts(CheckedFunction &checked, LayoutSource &source) {
  if (checked.layouts || !checked.compiles || source.getTarget().empty())
    return;
  checked.layouts.emplace();
  KernelSignature signature = checked.signature;
  signature.debugEvents = false;
  signature.target = source.getTarget();
  auto kernel = frontend.compile(*module, checked.function->qualifiedName, signature, context);
  if (mlir::failed(kernel))
    return; // The target has what the kernel does not take, as other defaults.
  llvm::Expected<std::string> text = source.emit(*kernel, signature);
  if (text)
    checked.layouts = readLayouts(*text, frontend.getSources().getName(file));
  else
    llvm::lsp::Logger::error("{0} has no layouts: {1}", checked.function->qualifiedName,
                             llvm::toString(text.takeError()));
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

namespace {
struct UsedNames : ast::Walker {
  llvm::StringSet<> names;
  bool visit(const ast::Node &node) override {
    if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&node))
      names.insert(name->name);
    return true;
  }
};
} // namespace

// Host code may import what only Python finds.
void Analysis::warnOfImports() {
  UsedNames used;
  for (const auto &function : module->functions)
    used.walk(function->def->body);
  for (const auto &entry : module->globals) {
    const Global &global = entry.second;
    const bool isImport =
        global.kind == Global::Kind::Module || global.kind == Global::Kind::ImportedName;
    if (!isImport || global.module || global.searched.empty() || global.mayBeMissing ||
        !used.names.contains(entry.getKey()))
      continue;
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.range = global.range;
    warning.message = "the module '" + global.path + "' was not found: it was searched for " +
                      global.searched + "; kernels here use '" + entry.getKey().str() + "'";
    report(warning);
  }
}

void Analysis::report(const Diagnostic &diagnostic, const Guess &guess) {
  diagnostics.push_back(toProtocol(diagnostic, frontend.getSources(), file, guess));
}

void Analysis::reportAll() {
  for (const Diagnostic &diagnostic : frontend.getDiagnostics().getDiagnostics())
    report(diagnostic);
}
