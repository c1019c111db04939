// `tilerun corpus`: how many kernels of a folder compile, and what stops the others.
#include "tools/tilerun/command/Commands.h"

#include "frontend/corpus/Corpus.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/transforms/Passes.h"
#include "tools/tilerun/command/CompileTarget.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace tilerun;
using namespace tilerun::command;
using corpus::Outcome;

static llvm::StringRef getWord(Outcome outcome) {
  switch (outcome) {
  case Outcome::Compiles:
    return "compiles";
  case Outcome::Fails:
    return "fails";
  case Outcome::Refused:
    return "refused";
  case Outcome::Helper:
    return "helper";
  case Outcome::Internal:
    return "internal-error";
  }
  llvm_unreachable("unknown outcome");
}

namespace {
struct Totals {
  std::map<Outcome, uint64_t> counts;
  std::vector<std::pair<std::string, uint64_t>> constructs; ///< The most frequent first.
};
} // namespace

static Totals sumUp(const corpus::Survey &survey) {
  Totals out;
  llvm::MapVector<llvm::StringRef, uint64_t> constructs;
  for (const corpus::Entry &entry : survey.entries) {
    ++out.counts[entry.outcome];
    if (!entry.construct.empty())
      ++constructs[entry.construct];
  }
  for (auto &[construct, count] : constructs)
    out.constructs.emplace_back(construct.str(), count);
  llvm::sort(out.constructs, [](auto &a, auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return out;
}

static void printResult(const corpus::Survey &survey, const Totals &totals) {
  llvm::json::Array kernels, constructs, unreadable;
  using llvm::json::fixUTF8;
  for (const corpus::Entry &entry : survey.entries) {
    llvm::json::Object object{{"file", fixUTF8(entry.file)},
                              {"line", entry.line},
                              {"name", fixUTF8(entry.name)},
                              {"outcome", getWord(entry.outcome)}};
    if (entry.outcome != Outcome::Helper) {
      object["signature"] = fixUTF8(entry.signature);
      object["signatures_tried"] = entry.numTried;
    }
    if (entry.seconds > 0)
      object["target_seconds"] = entry.seconds;
    if (!entry.reason.empty()) {
      object["reason"] = fixUTF8(entry.reason);
      object["construct"] = fixUTF8(entry.construct);
      object["reason_file"] = fixUTF8(entry.reasonFile);
      object["reason_line"] = entry.reasonLine;
    }
    kernels.push_back(std::move(object));
  }
  for (const auto &[construct, count] : totals.constructs)
    constructs.push_back(llvm::json::Object{{"construct", fixUTF8(construct)}, {"kernels", count}});
  for (const auto &[file, reason] : survey.unreadable)
    unreadable.push_back(llvm::json::Object{{"file", fixUTF8(file)}, {"reason", fixUTF8(reason)}});
  llvm::json::Object counts;
  for (Outcome outcome :
       {Outcome::Compiles, Outcome::Fails, Outcome::Refused, Outcome::Internal, Outcome::Helper}) {
    auto found = totals.counts.find(outcome);
    counts[getWord(outcome)] = found == totals.counts.end() ? 0 : found->second;
  }
  printJson(llvm::json::Object{{"files", survey.numFiles},
                               {"counts", std::move(counts)},
                               {"constructs", std::move(constructs)},
                               {"unreadable", std::move(unreadable)},
                               {"kernels", std::move(kernels)}});
}

/// Text cut to `width` bytes, at the end of a character.
static std::string cut(llvm::StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  size_t end = width - 3;
  while (end && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.take_front(end).str() + "...";
}

static void printTable(llvm::raw_ostream &os, const corpus::Survey &survey, const Totals &totals,
                       llvm::StringRef target) {
  for (const corpus::Entry &entry : survey.entries) {
    if (entry.outcome == Outcome::Helper)
      continue;
    os << llvm::formatv("{0,-14} {1}:{2} {3}", getWord(entry.outcome), entry.file, entry.line,
                        entry.name);
    if (!entry.reason.empty()) {
      os << ": ";
      if (entry.reasonFile == entry.file)
        os << "line " << entry.reasonLine << ": ";
      else if (!entry.reasonFile.empty())
        os << entry.reasonFile << ":" << entry.reasonLine << ": ";
      os << cut(llvm::StringRef(entry.reason).split('\n').first, 160);
    }
    os << "\n";
  }
  for (const auto &[file, reason] : survey.unreadable)
    os << llvm::formatv("{0,-14} {1}: {2}\n", "unreadable", file, reason);
  if (!totals.constructs.empty())
    os << "\nWhat stops kernels\n";
  for (const auto &[construct, count] : totals.constructs)
    os << llvm::formatv("{0,6}  {1}\n", count, cut(construct, 160));
  auto count = [&](Outcome outcome) {
    auto found = totals.counts.find(outcome);
    return found == totals.counts.end() ? uint64_t(0) : found->second;
  };
  uint64_t good = count(Outcome::Compiles), bad = count(Outcome::Fails),
           refused = count(Outcome::Refused), internal = count(Outcome::Internal);
  uint64_t all = good + bad + refused + internal;
  if (!target.empty())
    os << llvm::formatv("\n{0} of {1} kernels that type compile for {2}\n", good,
                        good + refused + internal, target);
  os << llvm::formatv("\n{0} of {1} kernels compile ({2:f1} %); failing: {4}, with an internal "
                      "error: {5}; helpers: {6}; files: {3}, of which do not parse: {7}\n",
                      good, all, all ? 100.0 * good / all : 0.0, survey.numFiles,
                      bad + refused + internal, internal, count(Outcome::Helper),
                      survey.unreadable.size());
}

/// What a plugin says to a kernel.
static corpus::Backend::Verdict compileWith(const plugin::Plugin &plugin, const Options &options,
                                            CompiledKernel &kernel,
                                            const KernelSignature &signature) {
  mlir::MLIRContext &context = *kernel.module->getContext();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return mlir::success();
  });
  mlir::PassManager manager(&context);
  buildOptimizePipeline(manager);
  if (mlir::failed(manager.run(*kernel.module)))
    return {"the optimizer failed: " + messages, /*isInternal=*/true};
  ExitCode code = ExitCode::Ok;
  std::string reason;
  llvm::handleAllErrors(
      tryCompile(plugin, signature.target, tile::writeModule(*kernel.module), signature, options),
      [&](const CommandError &error) {
        code = error.code;
        reason = error.message;
      });
  return {reason, code == ExitCode::Internal};
}

llvm::Expected<ExitCode> command::runCorpus(const Options &options) {
  std::optional<corpus::Backend> backend;
  if (!options.targets.empty()) {
    auto plugin = findCompiler(options.targets[0]);
    if (!plugin)
      return plugin.takeError();
    backend = corpus::Backend{
        options.targets[0],
        [&options, plugin = *plugin](CompiledKernel &kernel, const KernelSignature &signature) {
          return compileWith(*plugin, options, kernel, signature);
        }};
  }
  bool showProgress = llvm::errs().is_displayed();
  auto survey = corpus::survey(
      options.target, options.threads,
      [&](uint64_t done, uint64_t of) {
        if (showProgress)
          llvm::errs() << "\r" << done << " of " << of << " files"
                       << (done == of ? "\r\x1b[K" : "");
      },
      backend ? &*backend : nullptr);
  if (!survey)
    return makeCommandError(ExitCode::Usage, llvm::toString(survey.takeError()));
  Totals totals = sumUp(*survey);
  if (options.json)
    printResult(*survey, totals);
  else
    printTable(llvm::outs(), *survey, totals, options.targets.empty() ? "" : options.targets[0]);
  return totals.counts[Outcome::Internal] ? ExitCode::Internal : ExitCode::Ok;
}
