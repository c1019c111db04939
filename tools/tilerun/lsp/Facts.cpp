// See Facts.h. Every operation's location has the range of its expression; variables are known from
// the events that a debugger stops at.
#include "tools/tilerun/lsp/Facts.h"

#include "ir/tile/TileOps.h"
#include "tools/tilerun/lsp/Positions.h"

#include "mlir/IR/Location.h"

using namespace tilerun;
using namespace tilerun::lsp;

/// The innermost place in a file. A call makes the values that functions of other files compute.
static mlir::FileLineColRange getPlace(mlir::Location location, llvm::StringRef file) {
  while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    if (mlir::FileLineColRange inner = getPlace(call.getCallee(), file))
      return inner;
    location = call.getCaller();
  }
  auto place = llvm::dyn_cast<mlir::FileLineColRange>(location);
  return place && place.getFilename() == file ? place : mlir::FileLineColRange();
}

static std::optional<SourceRange> toSourceRange(mlir::FileLineColRange place,
                                                const SourceManager &sources, uint32_t file) {
  if (!place)
    return std::nullopt;
  auto begin = toOffset(sources, file, place.getStartLine(), place.getStartColumn());
  auto end = toOffset(sources, file, place.getEndLine(), place.getEndColumn());
  if (!begin || !end)
    return std::nullopt;
  return SourceRange{{file, *begin}, *end};
}

/// A type with the language's word for it where that says more, as for unsigned integers.
static std::string describe(mlir::Type type, llvm::StringRef word) {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << type;
  if (!word.empty())
    os << " (" << word << ")";
  return out;
}

/// Whether a function of the file itself is at a location, and not one that it calls.
static bool isOfFile(mlir::Location location, llvm::StringRef file) {
  while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    location = call.getCallee();
  auto place = llvm::dyn_cast<mlir::FileLineColRange>(location);
  return place && place.getFilename() == file;
}

void lsp::collectFacts(mlir::ModuleOp module, const SourceManager &sources, uint32_t file,
                       std::vector<Fact> &facts) {
  // A loop or a reduction comes behind the operations in it.
  module.walk<mlir::WalkOrder::PostOrder>([&](mlir::Operation *op) {
    std::optional<SourceRange> range =
        toSourceRange(getPlace(op->getLoc(), sources.getName(file)), sources, file);
    if (!range)
      return;
    if (auto event = llvm::dyn_cast<tile::DebugEventOp>(op)) {
      if (event.getKind() != tile::DebugEvent::Assign ||
          !isOfFile(op->getLoc(), sources.getName(file)))
        return;
      std::string type = event.getValue() ? describe(event.getValue().getType(), event.getText())
                         : event.getText().starts_with("a ") ? event.getText().str()
                                                             : "constexpr " + event.getText().str();
      facts.push_back({*range, event.getName().str(), std::move(type)});
    } else if (op->getNumResults() == 1) {
      facts.push_back({*range, "", describe(op->getResult(0).getType(), "")});
    }
  });
}
