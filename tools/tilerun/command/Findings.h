// Findings about a kernel's source, read from JSON and printed with source lines: those of a
// checked launch, from the fault that the plugin `cpu` reports (docs/interpreter.md), and the
// compiler's remarks.
#pragma once

#include "runtime/core/Status.h"
#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/host/Mismatch.h"

#include <map>
#include <optional>

namespace tilerun::command {

/// A position in kernel source.
struct SourcePosition {
  std::string file;
  unsigned line = 0, column = 0; ///< From 1; 0 where they are not known.
};

struct Finding {
  std::string kind, kernel, message;
  bool isWarning = false; ///< It may be by design, or is not a mistake on this device.
  bool isNote = false;    ///< A fact about a launch; it never fails.
  std::array<int64_t, 3> program{};
  std::vector<int64_t> element; ///< Index in the tensor of the access; empty for a scalar.
  SourcePosition position;
  std::vector<SourcePosition> callStack; ///< Call sites of inlined helpers, innermost first.
  SourcePosition other; ///< Of the access that a race is with, or of the store of a masked value;
                        ///< line 0 where there is none.
  int64_t count = 1;
  llvm::json::Object json; ///< As the device reported it.
};

/// How much a launch does, as the interpreter counts it (docs/interpreter.md).
struct Work {
  uint64_t bytesRead = 0, bytesWritten = 0, operations = 0, productOperations = 0;
  bool complete = false; ///< Counting was not given up.
  uint64_t getBytes() const { return bytesRead + bytesWritten; }
};
llvm::json::Object getJson(const Work &work);

/// What a fault says of a launch.
struct Findings {
  std::vector<Finding> mistakes; ///< Errors and warnings.
  std::vector<Finding> notes;
  /// By the argument that leads to the memory; if they were asked for.
  std::map<std::string, host::Writers> writers;
  std::optional<Work> work; ///< If it was asked for.
  bool empty() const { return mistakes.empty() && notes.empty() && writers.empty() && !work; }
};
/// Empty for a fault of another kind.
llvm::Expected<Findings> readFindings(const core::Error &error);

void print(llvm::raw_ostream &os, Painter &painter, Session &session, const Finding &finding);

/// The source line of a position with a caret under its column; nothing where it is not known.
void printLine(llvm::raw_ostream &os, const Painter &painter, Session &session,
               const SourcePosition &position);

/// The output of a compiler for the phase "remarks-json" (docs/remarks.md).
llvm::Expected<llvm::json::Array> readRemarks(const TilerunPluginArtifact &artifact);
/// On stderr, where diagnostics are.
void printRemarks(Session &session, llvm::StringRef target, const llvm::json::Array &remarks);

} // namespace tilerun::command
