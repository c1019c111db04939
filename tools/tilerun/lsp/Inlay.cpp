// See Inlay.h.
#include "tools/tilerun/lsp/Inlay.h"

#include "frontend/ast/Walk.h"
#include "tools/tilerun/lsp/Positions.h"

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::StringRef;

namespace {

/// A variable that a statement assigns, and where what computes its value may begin, the likeliest
/// place first.
struct Assignment {
  SourceRange target;
  llvm::SmallVector<SourceLoc, 2> values;
};

struct AssignmentWalker : ast::Walker {
  std::vector<Assignment> found;

  void add(const ast::Expr *target, llvm::ArrayRef<SourceLoc> values) {
    if (llvm::isa_and_nonnull<ast::NameExpr>(target))
      found.push_back({target->range, llvm::SmallVector<SourceLoc, 2>(values)});
  }
  bool visit(const ast::Node &node) override {
    if (const auto *assign = llvm::dyn_cast<ast::AssignStmt>(&node))
      for (const ast::Expr *target : assign->targets)
        add(target, assign->value->range.begin);
    else if (const auto *augmented = llvm::dyn_cast<ast::AugAssignStmt>(&node))
      // An addition may become a part of the product that is added.
      add(augmented->target, {augmented->range.begin, augmented->value->range.begin});
    else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssignStmt>(&node))
      if (annotated->value)
        add(annotated->target, annotated->value->range.begin);
    return true;
  }
};

/// "128x64xf16" of a variable that is a tensor; empty for others, and for a helper's that differ.
std::string findShape(const Analysis &analysis, SourceRange target) {
  StringRef shape;
  for (const Fact &fact : analysis.getFacts()) {
    if (fact.range.begin.offset != target.begin.offset || fact.name.empty())
      continue;
    StringRef type = fact.type;
    if (!type.consume_front("tensor<"))
      return "";
    type = type.split(" (").first.drop_back();
    if (!shape.empty() && shape != type)
      return "";
    shape = type;
  }
  return shape.str();
}

/// The last operation that begins with the value and has the variable's shape makes the value.
const PlacedLayout *findLayout(const CheckedFunction &checked, const SourceManager &sources,
                               llvm::ArrayRef<SourceLoc> values, StringRef shape) {
  if (!checked.layouts)
    return nullptr;
  for (SourceLoc value : values) {
    const auto place = sources.getLineColumn(value);
    auto isIt = [&](const PlacedLayout &layout) {
      return layout.line == place.line && layout.column == place.column &&
             shape.starts_with(layout.shape + "x");
    };
    auto reversed = llvm::reverse(*checked.layouts);
    if (auto it = llvm::find_if(reversed, isIt); it != reversed.end())
      return &*it;
  }
  return nullptr;
}

} // namespace

llvm::json::Array lsp::listInlays(Analysis &analysis, Range range, LayoutSource &source) {
  llvm::json::Array inlays;
  const SourceManager &sources = analysis.getSources();
  for (CheckedFunction &checked : analysis.getFunctions()) {
    const ast::FunctionDef &def = *checked.function->def;
    const Range extent = toRange(sources, def.range);
    if (extent.end < range.start || range.end < extent.start)
      continue;
    analysis.checkAt(def.nameRange.begin.offset);
    analysis.findLayouts(checked, source);
    AssignmentWalker walker;
    walker.walk(def.body);
    for (const Assignment &assignment : walker.found) {
      const Range place = toRange(sources, assignment.target);
      const std::string shape = findShape(analysis, assignment.target);
      if (shape.empty() || place.end < range.start || range.end < place.end)
        continue;
      const PlacedLayout *layout = findLayout(checked, sources, assignment.values, shape);
      llvm::lsp::InlayHint inlay(llvm::lsp::InlayHintKind::Type, place.end);
      inlay.label = ": " + shape + (layout ? " [" + layout->summary + "]" : "");
      llvm::json::Value json = toJSON(inlay);
      if (layout)
        (*json.getAsObject())["tooltip"] = "On " + source.getTarget() + " with " +
                                           std::to_string(checked.signature.numWarps) +
                                           " warps: " + layout->text;
      inlays.push_back(std::move(json));
    }
  }
  return inlays;
}
