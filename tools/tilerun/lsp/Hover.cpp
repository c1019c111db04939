// See Hover.h.
#include "tools/tilerun/lsp/Hover.h"

#include "frontend/corpus/Guess.h"
#include "frontend/lang/Reference.h"
#include "tools/tilerun/lsp/Lookup.h"
#include "tools/tilerun/lsp/Positions.h"
#include "tools/tilerun/lsp/Symbols.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::StringRef;

namespace {

/// A piece of code and a few words on it.
struct Shown {
  std::string code, words;
  SourceRange range;
};

std::string getSource(const SourceManager &sources, SourceRange range) {
  return sources.getText(range.begin.file).slice(range.begin.offset, range.end).str();
}

std::string getSummary(StringRef docstring) {
  return docstring.trim().split('\n').first.trim().str();
}

/// "tensor<4xf32>", or several where a helper is called with several.
std::string joinTypes(llvm::ArrayRef<const Fact *> facts) {
  std::vector<StringRef> types;
  for (const Fact *fact : facts)
    if (!llvm::is_contained(types, fact->type))
      types.push_back(fact->type);
  return llvm::join(types, " or ");
}

/// The elements of a tuple are facts of their own: "t[0]".
bool isPartOf(StringRef fact, StringRef name) {
  return fact.consume_front(name) &&
         (fact.empty() || fact.starts_with("[") || fact.starts_with("."));
}

/// Up to where assignments have happened: in `x = f(x)`, the second x is not the one that is
/// assigned.
uint32_t getReach(const Place &place) {
  uint32_t reach = place.offset;
  for (const ast::Node *node : place.nodes) {
    const ast::Expr *value = nullptr;
    if (const auto *assign = llvm::dyn_cast<ast::AssignStmt>(node))
      value = assign->value;
    else if (const auto *augmented = llvm::dyn_cast<ast::AugAssignStmt>(node))
      value = augmented->value;
    else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssignStmt>(node))
      value = annotated->value;
    if (value && value->range.begin.offset <= place.offset && node->range.begin.offset > 0)
      reach = node->range.begin.offset - 1;
  }
  return reach;
}

/// A variable as it was assigned last before its place, by the text, or else first behind it.
std::string describeVariable(Analysis &analysis, const Place &place) {
  const ast::FunctionDef &def = *place.function->function->def;
  const StringRef name = place.path.front();
  const uint32_t reach = getReach(place);
  std::optional<uint32_t> best;
  auto isCandidate = [&](const Fact &fact) {
    return isPartOf(fact.name, name) && def.range.begin.offset <= fact.range.begin.offset &&
           fact.range.begin.offset < def.range.end;
  };
  for (const Fact &fact : analysis.getFacts()) {
    const uint32_t at = fact.range.begin.offset;
    if (!isCandidate(fact))
      continue;
    const bool isBefore = at <= reach;
    if (!best || (isBefore ? *best > reach || at > *best : *best > reach && at < *best))
      best = at;
  }
  std::vector<std::pair<std::string, std::vector<const Fact *>>> parts;
  for (const Fact &fact : analysis.getFacts()) {
    if (!isCandidate(fact) || fact.range.begin.offset != *best)
      continue;
    auto it = llvm::find_if(parts, [&](auto &part) { return part.first == fact.name; });
    if (it == parts.end())
      it = parts.insert(parts.end(), {fact.name, {}});
    it->second.push_back(&fact);
  }
  std::string out;
  for (const auto &[part, facts] : parts)
    out += (out.empty() ? "" : "\n") + part + ": " + joinTypes(facts);
  return out;
}

/// The type of an expression; empty if nothing is computed for it.
std::string describeExpression(Analysis &analysis, SourceRange range) {
  // Several operations make one value, the last of which is it.
  const Fact *last = nullptr;
  for (const Fact &fact : analysis.getFacts())
    if (fact.name.empty() && fact.range.begin == range.begin && fact.range.end == range.end)
      last = &fact;
  return last ? last->type : "";
}

Shown describeFunction(const JitFunction &function, const SourceManager &sources) {
  return {describeHeader(function, sources), getSummary(function.def->docstring), {}};
}

std::optional<Shown> describeLanguage(const Value &value, const SourceManager &sources) {
  if (const auto *builtin = value.getIf<BuiltinValue>())
    return Shown{
        lang::describeHeader(*builtin->builtin), builtin->builtin->documentation.str(), {}};
  if (const auto *function = value.getIf<FunctionValue>()) {
    Shown out = describeFunction(*function->function, sources);
    out.code.replace(0, StringRef("def ").size(), "tl.");
    return out;
  }
  if (const auto *space = value.getIf<NamespaceValue>())
    return Shown{"module " + space->path, "", {}};
  if (value.is<DType>())
    return Shown{value.repr(), "A type of elements.", {}};
  return std::nullopt;
}

std::optional<Shown> describeMeaning(Analysis &analysis, const Place &place) {
  const SourceManager &sources = analysis.getSources();
  const Meaning meaning = findMeaning(analysis, place);
  std::optional<Shown> out;
  if (meaning.local.isValid()) {
    if (std::string text = describeVariable(analysis, place); !text.empty())
      out = Shown{text, "", {}};
  } else if (meaning.function) {
    out = describeFunction(*meaning.function, sources);
  } else if (meaning.file) {
    out = Shown{"module " + meaning.file->path, "", {}};
  } else if (meaning.language) {
    out = describeLanguage(*meaning.language, sources);
  } else if (meaning.global && meaning.global->value) {
    out = Shown{
        place.path.back().str() + " = " + getSource(sources, meaning.global->value->range), "", {}};
  }
  if (out)
    out->range = place.name;
  return out;
}

/// The type of the call whose function is named at the place.
std::string describeCall(Analysis &analysis, const Place &place) {
  for (const ast::Node *node : place.nodes)
    if (const auto *call = llvm::dyn_cast<ast::CallExpr>(node))
      if (call->callee->range.end == place.name.end)
        return describeExpression(analysis, call->range);
  return "";
}

/// The types are those of one way to launch the kernel.
std::string describeSignature(const CheckedFunction &checked) {
  if (checked.isHelper || !checked.compiles)
    return "";
  return std::string(checked.isGuessed ? "Guessed" : "Given") + " signature: `" +
         corpus::formatSignature(checked.signature) + "`";
}

} // namespace

std::optional<llvm::lsp::Hover> lsp::findHover(Analysis &analysis, Position position) {
  std::optional<Place> place = findPlace(analysis, position);
  if (!place)
    return std::nullopt;
  if (place->function)
    analysis.checkAt(place->offset);
  std::optional<Shown> shown = describeMeaning(analysis, *place);
  bool hasTypes = false;
  if (shown && place->function) {
    std::string type = describeCall(analysis, *place);
    hasTypes = !type.empty() || findMeaning(analysis, *place).local.isValid();
    shown->code += type.empty() ? "" : " -> " + type;
  } else if (!shown && place->path.empty()) {
    for (const ast::Node *node : llvm::reverse(place->nodes))
      if (std::string type = describeExpression(analysis, node->range); !type.empty()) {
        shown = Shown{getSource(analysis.getSources(), node->range) + ": " + type, "", node->range};
        hasTypes = true;
        break;
      }
  }
  if (!shown)
    return std::nullopt;
  llvm::lsp::Hover hover(toRange(analysis.getSources(), shown->range));
  std::string &text = hover.contents.value;
  text = "```python\n" + shown->code + "\n```";
  if (!shown->words.empty())
    text += "\n\n" + shown->words;
  if (std::string signature = hasTypes ? describeSignature(*place->function) : "";
      !signature.empty())
    text += "\n\n" + signature;
  text = llvm::json::fixUTF8(text);
  return hover;
}

std::optional<llvm::lsp::Location> lsp::findDefinition(Analysis &analysis, Position position) {
  std::optional<Place> place = findPlace(analysis, position);
  if (!place)
    return std::nullopt;
  const Meaning meaning = findMeaning(analysis, *place);
  SourceRange range = meaning.local;
  if (meaning.function)
    range = meaning.function->def->nameRange;
  else if (meaning.file)
    range = {{meaning.file->file, 0}, 0};
  else if (meaning.global)
    range = meaning.global->range;
  return toLocation(analysis.getSources(), range);
}
