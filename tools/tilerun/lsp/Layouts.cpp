// See Layouts.h.
#include "tools/tilerun/lsp/Layouts.h"

#include "ir/distribute/DistributeDialect.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::lsp;

/// An operation's layouts, one for each result.
static constexpr llvm::StringLiteral kHomes{"distribute.homes"};

/// How many elements along each dimension the registers of a lane, the lanes of a warp, … are. The
/// whole text where a bit moves along several dimensions.
static std::string summarize(const layout::LinearLayout &map) {
  std::vector<std::string> parts;
  for (llvm::StringRef in : {"lane", "warp", "register", "block"}) {
    std::vector<uint64_t> sizes(map.getOuts().size(), 1);
    uint64_t copies = 1;
    for (unsigned bit = 0; bit < map.inBits(in); ++bit) {
      unsigned moved = 0;
      for (auto [size, out] : llvm::zip(sizes, map.getOuts()))
        if (map.getBasis(in, bit, out.name) != 0 && ++moved)
          size *= 2;
      if (moved > 1)
        return map.toString();
      copies *= moved == 0 ? 2 : 1;
    }
    if (map.inBits(in) == 0)
      continue;
    std::string part = in.str() + " ";
    llvm::raw_string_ostream os(part);
    llvm::interleave(sizes, os, "x");
    if (copies > 1)
      os << " (" << copies << " copies)";
    parts.push_back(part);
  }
  return llvm::join(parts, ", ");
}

/// The places in a file of what became one operation; of a function of another file, its calls'.
static void findPlaces(mlir::Location location, llvm::StringRef file,
                       llvm::SmallVectorImpl<mlir::FileLineColLoc> &places) {
  if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    if (place.getFilename() == file)
      places.push_back(place);
  } else if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      findPlaces(part, file, places);
  } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    const size_t before = places.size();
    findPlaces(call.getCallee(), file, places);
    if (places.size() == before)
      findPlaces(call.getCaller(), file, places);
  }
}

std::vector<PlacedLayout> lsp::readLayouts(llvm::StringRef text, llvm::StringRef file) {
  std::vector<PlacedLayout> layouts;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  if (!module)
    return layouts;
  module->walk<mlir::WalkOrder::PostOrder>([&](mlir::Operation *op) {
    llvm::SmallVector<mlir::FileLineColLoc> places;
    findPlaces(op->getLoc(), file, places);
    auto homes = op->getAttrOfType<mlir::ArrayAttr>(kHomes);
    if (places.empty() || !homes)
      return;
    for (auto [result, home] : llvm::zip(op->getResults(), homes)) {
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
      auto layout = llvm::dyn_cast<distribute::LayoutAttr>(home);
      if (!type || !layout)
        continue;
      PlacedLayout out;
      llvm::raw_string_ostream os(out.shape);
      llvm::interleave(type.getShape(), os, "x");
      out.summary = summarize(layout.getMap());
      out.text = layout.getMap().toString();
      for (mlir::FileLineColLoc place : places) {
        out.line = place.getLine();
        out.column = place.getColumn();
        layouts.push_back(out);
      }
    }
  });
  return layouts;
}
