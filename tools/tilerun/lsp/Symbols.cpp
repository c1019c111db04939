// See Symbols.h.
#include "tools/tilerun/lsp/Symbols.h"

#include "tools/tilerun/lsp/Positions.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::lsp;

std::string lsp::describeHeader(const JitFunction &function, const SourceManager &sources) {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << "def " << function.qualifiedName << "(";
  auto write = [&](const char *before, const ast::Expr *expression) {
    if (expression)
      os << before
         << sources.getText(expression->range.begin.file)
                .slice(expression->range.begin.offset, expression->range.end);
  };
  llvm::interleaveComma(function.def->parameters, os, [&](const ast::Parameter &parameter) {
    os << parameter.name;
    write(": ", parameter.annotation);
    write(parameter.annotation ? " = " : "=", parameter.defaultValue);
  });
  os << ")";
  return out;
}

std::vector<llvm::lsp::DocumentSymbol> lsp::listSymbols(Analysis &analysis) {
  std::vector<llvm::lsp::DocumentSymbol> symbols;
  const SourceManager &sources = analysis.getSources();
  for (const CheckedFunction &checked : analysis.getFunctions()) {
    const ast::FunctionDef &def = *checked.function->def;
    const Range name = toRange(sources, def.nameRange);
    Range whole = toRange(sources, def.range);
    // Editors demand that the name is inside.
    whole.start = std::min(whole.start, name.start);
    whole.end = std::max(whole.end, name.end);
    symbols.emplace_back(checked.function->qualifiedName, llvm::lsp::SymbolKind::Function, whole,
                         name);
    symbols.back().detail = checked.isHelper ? "helper" : "kernel";
  }
  return symbols;
}
