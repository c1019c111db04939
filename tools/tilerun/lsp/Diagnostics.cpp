// See Diagnostics.h.
#include "tools/tilerun/lsp/Diagnostics.h"

#include "frontend/corpus/Repair.h"
#include "tools/tilerun/lsp/Positions.h"

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::lsp::DiagnosticSeverity;

/// Whether an error stays whatever a kernel is launched with. A name that does not exist does,
/// unless the launch decides that its branch is not taken.
static bool isOfSource(const Diagnostic &diagnostic) {
  llvm::StringRef message = diagnostic.message;
  return corpus::isBeyondRepair(message) || message.starts_with("unknown name") ||
         message.contains(" positional argument");
}

static DiagnosticSeverity toProtocol(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return DiagnosticSeverity::Error;
  case Severity::Warning:
    return DiagnosticSeverity::Warning;
  case Severity::Note:
    return DiagnosticSeverity::Information;
  }
  llvm_unreachable("unknown severity");
}

llvm::lsp::Diagnostic lsp::toProtocol(const Diagnostic &diagnostic, const SourceManager &sources,
                                      uint32_t file, const Guess &guess) {
  llvm::lsp::Diagnostic out;
  out.source = "tilerun";
  out.severity = ::toProtocol(diagnostic.severity);
  out.message = llvm::json::fixUTF8(diagnostic.message);
  std::vector<llvm::lsp::DiagnosticRelatedInformation> related;
  auto relate = [&](SourceRange range, llvm::StringRef message) {
    if (auto location = toLocation(sources, range))
      related.emplace_back(*location, llvm::json::fixUTF8(message));
  };
  SourceRange shown = diagnostic.range;
  if (shown.isValid() && shown.begin.file != file) {
    relate(shown, diagnostic.message);
    shown = {{file, 0}, 0};
    for (const Note &note : diagnostic.notes)
      if (note.range.begin.file == file) {
        shown = note.range;
        break;
      }
  }
  out.range = toRange(sources, shown);
  for (const Note &note : diagnostic.notes)
    relate(note.range, note.message);
  if (!related.empty())
    out.relatedInformation = std::move(related);
  if (!guess.signature.empty() && diagnostic.severity == Severity::Error &&
      !isOfSource(diagnostic)) {
    out.severity = guess.numTried > 1 ? DiagnosticSeverity::Warning : DiagnosticSeverity::Hint;
    const std::string doubt =
        guess.numTried > 1
            ? "All " + std::to_string(guess.numTried) + " guessed signatures give this, as does: "
            : "This may only follow from the signature, which is guessed: ";
    out.message +=
        llvm::json::fixUTF8("\n" + doubt + guess.signature +
                            "\nA line '# tilerun: SIGNATURE' above the kernel gives it.");
  }
  return out;
}
