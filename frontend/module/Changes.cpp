// How globals change besides plain assignments: by `:=`, and by what host code does to the values
// they hold (HostUses.h), for which a file is searched once it is read.
#include "frontend/module/HostUses.h"
#include "frontend/module/ModuleReader.h"
#include "frontend/parse/Parser.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

using Kind = TokenKind;

bool ModuleReader::isAssignment(Token t) {
  return t.is(Kind::Equal) || (t.kind >= Kind::PlusEqual && t.kind <= Kind::AtEqual) ||
         t.is(Kind::PowEqual) || t.is(Kind::FloorDivEqual) || t.is(Kind::ShlEqual) ||
         t.is(Kind::ShrEqual);
}

/// `if (x := f()):`; only host code knows such a value.
void ModuleReader::readWalruses(Tokens tokens) {
  if (!atModuleLevel())
    return;
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].is(Kind::Walrus) && tokens[i - 1].is(Kind::Name)) {
      Global global;
      global.range = {{module.file, tokens[i - 1].begin}, tokens[i - 1].end};
      bind(text(tokens[i - 1]), global);
    }
}

/// Notes where the statements at module level begin and end.
void ModuleReader::notePiece() {
  Token first = line.front();
  const bool goesOn = first.is(Kind::KwElif) || first.is(Kind::KwElse) ||
                      first.is(Kind::KwExcept) || first.is(Kind::KwFinally) || decoratorsBegin;
  if (scopes.empty() && !(inPiece && goesOn)) {
    pieces.emplace_back(first.begin, lastLineEnd);
    inPiece = true;
  } else if (inPiece) {
    pieces.back().second = lastLineEnd;
  }
}

void ModuleReader::readHostUses() {
  // Python has provided the values of its names.
  if (module.isProvided)
    return;
  DenseSet<uint32_t> kernels;
  for (const auto &function : module.functions)
    kernels.insert(function->def->nameRange.begin.offset);
  auto getPath = [this](const Expr *expr) { return this->getPath(expr); };
  auto getText = [this](SourceRange range) {
    return loader.sources.getText(module.file).slice(range.begin.offset, range.end);
  };
  HostUses uses(module, getPath, getText, kernels);
  ast::Context scratch; // Nothing of these trees is kept.
  uint32_t bytes = 0;
  for (auto [begin, end] : pieces) {
    SourceRange range{{module.file, begin}, end};
    bytes += end - begin;
    std::optional<Block> block;
    if (bytes <= kMaxUsesBytes)
      block = parseStatements(loader.sources, module.file, begin, end, scratch, nullptr);
    block ? uses.read(*block) : uses.readUnparsed(range);
  }
  for (const auto &function : module.functions)
    if (!StringRef(function->qualifiedName).contains('.'))
      uses.readKernel(*function->def);
  uses.finish();
  noteAutotuneChanges();
}

} // namespace tilerun
