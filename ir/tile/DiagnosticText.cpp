// See DiagnosticText.h.
#include "ir/tile/DiagnosticText.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilerun;

/// The positions that a location stands for, innermost first.
static void collectPositions(Location location, SmallVectorImpl<FileLineColLoc> &out) {
  llvm::TypeSwitch<Location>(location)
      .Case<FileLineColLoc>([&](FileLineColLoc position) { out.push_back(position); })
      .Case<NameLoc>([&](NameLoc name) { collectPositions(name.getChildLoc(), out); })
      .Case<CallSiteLoc>([&](CallSiteLoc call) {
        collectPositions(call.getCallee(), out);
        collectPositions(call.getCaller(), out);
      })
      .Case<FusedLoc>([&](FusedLoc fused) {
        // Of several origins the first that is known.
        for (Location part : fused.getLocations()) {
          collectPositions(part, out);
          if (!out.empty())
            return;
        }
      });
}

static std::string format(FileLineColLoc position) {
  return (position.getFilename().getValue() + ":" + Twine(position.getLine()) + ":" +
          Twine(position.getColumn()))
      .str();
}

tile::DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          add(diagnostic);
        return failure();
      }) {}

void tile::DiagnosticText::add(Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  // Dialect conversion's own message adds nothing once a pattern has given the reason.
  if (!text.empty() && StringRef(message).starts_with("failed to legalize operation"))
    return;
  SmallVector<FileLineColLoc> positions;
  collectPositions(diagnostic.getLocation(), positions);
  if (!text.empty())
    text += "\n";
  if (!positions.empty())
    text += format(positions.front()) + ": ";
  text += "error: " + message;
  for (FileLineColLoc caller : llvm::drop_begin(positions, positions.empty() ? 0 : 1))
    text += "\n  called at " + format(caller);
}
