// Errors of a compilation as the text that a caller gets, in the form of a compiler's messages.
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace tilerun::tile {

/// Collects errors while it lives; they go on to the context's other handlers. One line each:
/// "file.py:7:3: error: message", then a line for each call that was inlined. For the thread that
/// uses the context.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);
  /// Without a last newline; empty if there was no error.
  const std::string &getText() const { return text; }

private:
  void add(mlir::Diagnostic &diagnostic);
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilerun::tile
