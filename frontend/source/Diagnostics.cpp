// Collects diagnostics, and writes them as JSON. The text form is in DiagnosticPrinter.cpp.
#include "frontend/source/Source.h"

#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tilerun {

Diagnostic &DiagnosticEngine::error(SourceRange range, const Twine &message) {
  ++numErrors;
  diagnostics.push_back({Severity::Error, range, message.str(), {}});
  return diagnostics.back();
}

Diagnostic &DiagnosticEngine::warning(SourceRange range, const Twine &message) {
  diagnostics.push_back({Severity::Warning, range, message.str(), {}});
  return diagnostics.back();
}

Diagnostic &DiagnosticEngine::note(SourceRange range, const Twine &message) {
  diagnostics.push_back({Severity::Note, range, message.str(), {}});
  return diagnostics.back();
}

void DiagnosticEngine::clear() {
  diagnostics.clear();
  numErrors = 0;
}

static StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  llvm_unreachable("all severities are named");
}

static void writePlace(json::OStream &json, const SourceManager &sources, SourceRange range) {
  SourceManager::LineColumn begin = sources.getLineColumn(range.begin);
  SourceLoc last = range.begin;
  last.offset = std::max(range.end, range.begin.offset);
  SourceManager::LineColumn end = sources.getLineColumn(last);
  json.attribute("file", json::fixUTF8(sources.getName(range.begin.file)));
  json.attribute("line", begin.line);
  json.attribute("column", begin.column);
  json.attribute("endLine", end.line);
  json.attribute("endColumn", end.column);
}

void DiagnosticEngine::printJson(raw_ostream &os) const {
  json::OStream json(os, 2);
  json.array([&] {
    for (const Diagnostic &d : diagnostics) {
      json.object([&] {
        json.attribute("severity", severityName(d.severity));
        writePlace(json, sources, d.range);
        json.attribute("message", json::fixUTF8(d.message));
        json.attributeArray("notes", [&] {
          for (const Note &note : d.notes) {
            json.object([&] {
              writePlace(json, sources, note.range);
              json.attribute("message", json::fixUTF8(note.message));
            });
          }
        });
      });
    }
  });
  os << "\n";
}

} // namespace tilerun
