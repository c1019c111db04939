// See Lookup.h. Kernels have syntax trees; host code, which the frontend does not parse, has names
// alone.
#include "tools/tilerun/lsp/Lookup.h"

#include "frontend/ast/Walk.h"
#include "frontend/lang/Builtin.h"
#include "frontend/sema/Names.h"
#include "tools/tilerun/lsp/Positions.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::StringRef;

static constexpr llvm::StringLiteral kTensorMembers{"triton.language.tensor"};
/// Imports of imports that are followed.
static constexpr unsigned kMostImports = 100;

static bool covers(SourceRange range, uint32_t offset) {
  return range.begin.offset <= offset && offset <= range.end;
}

namespace {
/// Nodes around a byte, and whether one of their names is at it: not in a comment or a text.
struct AroundWalker : ast::Walker {
  explicit AroundWalker(Place &place) : place(place) {}
  Place &place;
  bool isName = false;

  void note(SourceRange range) { isName |= covers(range, place.offset); }
  void note(const ast::FunctionDef &def) {
    note(def.nameRange);
    for (const ast::Parameter &parameter : def.parameters) {
      note(parameter.range);
      walk(parameter.annotation);
      walk(parameter.defaultValue);
    }
    for (const ast::Expr *decorator : def.decorators)
      walk(decorator);
    walk(def.returns);
    walk(def.body);
  }
  bool visit(const ast::Node &node) override {
    if (!covers(node.range, place.offset))
      return false;
    place.nodes.push_back(&node);
    if (llvm::isa<ast::NameExpr>(node))
      note(node.range);
    else if (const auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&node))
      note(attribute->nameRange);
    return true;
  }
};
} // namespace

/// The path that ends with the name at `place.name`, by the text.
static void readPath(const SourceManager &sources, uint32_t file, Place &place) {
  StringRef text = sources.getText(file);
  SourceRange part = place.name;
  while (part.end > part.begin.offset) {
    place.path.push_back(text.slice(part.begin.offset, part.end));
    uint32_t before = part.begin.offset;
    if (before == 0 || text[before - 1] != '.')
      break;
    part = findName(sources, file, before - 1);
    place.isMember = part.end != before - 1 || part.begin.offset == part.end;
    if (place.isMember)
      break;
  }
  std::reverse(place.path.begin(), place.path.end());
}

std::optional<Place> lsp::findPlace(Analysis &analysis, Position position) {
  const SourceManager &sources = analysis.getSources();
  const uint32_t file = analysis.getFile();
  std::optional<uint32_t> offset = toOffset(sources, file, position);
  if (!analysis.isRead() || !offset)
    return std::nullopt;
  Place place;
  place.offset = *offset;
  place.name = findName(sources, file, *offset);
  place.function = analysis.findFunction(*offset);
  bool isName = true;
  if (place.function) {
    AroundWalker walker(place);
    walker.note(*place.function->function->def);
    isName = walker.isName;
  } else {
    StringRef line = sources.getLine(file, static_cast<unsigned>(position.line) + 1);
    isName = line.find('#') >= static_cast<size_t>(position.character);
  }
  if (isName)
    readPath(sources, file, place);
  return place;
}

//===----------------------------------------------------------------------===//
// Meanings
//===----------------------------------------------------------------------===//

/// Where a function binds a name first; invalid if it does not.
static SourceRange findLocal(const ast::FunctionDef &def, StringRef name) {
  for (const ast::Parameter &parameter : def.parameters)
    if (parameter.name == name)
      return parameter.range;
  sema::AssignedNames assigned = sema::collectAssigned(def.body);
  auto it = assigned.find(name);
  return it == assigned.end() ? SourceRange() : it->second;
}

static Meaning ofLanguage(StringRef path, StringRef name, LoadedModule *prelude) {
  Meaning out;
  out.language = lang::lookup(path, name, prelude);
  return out;
}

static Meaning ofGlobal(const LoadedModule &module, StringRef name, LoadedModule *prelude) {
  Meaning out;
  const Global *global = module.lookup(name);
  for (unsigned i = 0; i < kMostImports && global; ++i) {
    if (global->kind != Global::Kind::ImportedName || !global->module)
      break;
    const Global *imported = global->module->lookup(global->importedName);
    if (!imported)
      break;
    global = imported;
  }
  if (!global)
    return ofLanguage("builtins", name, prelude);
  if (global->jit)
    out.function = global->jit;
  else if (global->kind == Global::Kind::Module && global->module)
    out.file = global->module;
  else if (global->kind == Global::Kind::Module)
    out.language = Value(NamespaceValue{global->path});
  else if (global->kind == Global::Kind::ImportedName)
    out.language = lang::lookup(global->path, global->importedName, prelude);
  if (!out.function && !out.file)
    out.global = global;
  return out;
}

/// The member of something; `path` is its dotted name, for imports of `a.b.c`.
static Meaning findMember(Analysis &analysis, const Meaning &of, StringRef path, StringRef name) {
  LoadedModule *prelude = analysis.getPrelude();
  if (of.file && of.file->lookup(name))
    return ofGlobal(*of.file, name, prelude);
  const auto &imported = analysis.getModule()->importedModules;
  if (auto it = imported.find((path + "." + name).str()); it != imported.end() && it->second) {
    Meaning out;
    out.file = it->second;
    return out;
  }
  if (of.language)
    if (const auto *space = of.language->getIf<NamespaceValue>())
      return ofLanguage(space->path, name, prelude);
  return {};
}

/// A method: of a tensor, as far as syntax tells.
static Meaning findMethod(Analysis &analysis, StringRef name) {
  Meaning method = ofLanguage(kTensorMembers, name, analysis.getPrelude());
  if (method.language)
    return method;
  method = ofLanguage("triton.language", name, analysis.getPrelude());
  const auto *builtin = method.language ? method.language->getIf<BuiltinValue>() : nullptr;
  return builtin && builtin->builtin->isMethod ? method : Meaning();
}

/// The name that an import at a place of the file binds; empty if none is there.
static StringRef findImported(const LoadedModule &module, uint32_t offset) {
  for (const auto &entry : module.globals) {
    const Global &global = entry.second;
    if ((global.kind == Global::Kind::ImportedName || global.kind == Global::Kind::Module) &&
        covers(global.range, offset))
      return entry.getKey();
  }
  return "";
}

/// The file that is named behind a `from` of the place's line; null if the name is not one.
static const LoadedModule *findFromFile(Analysis &analysis, const Place &place) {
  const SourceManager &sources = analysis.getSources();
  const unsigned line = sources.getLineColumn(place.name.begin).line;
  for (const auto &entry : analysis.getModule()->globals) {
    const Global &global = entry.second;
    const StringRef path = global.path;
    if (global.kind == Global::Kind::ImportedName && global.module &&
        llvm::is_contained({path, path.rsplit('.').second}, place.path.back()) &&
        sources.getLineColumn(global.range.begin).line == line &&
        place.offset < global.range.begin.offset)
      return global.module;
  }
  return nullptr;
}

Meaning lsp::findMeaning(Analysis &analysis, const Place &place) {
  if (place.path.empty())
    return {};
  if (place.isMember)
    return findMethod(analysis, place.path.back());
  Meaning out;
  if (!place.function && place.path.size() == 1)
    if (StringRef bound = findImported(*analysis.getModule(), place.offset); !bound.empty())
      return ofGlobal(*analysis.getModule(), bound, analysis.getPrelude());
  if (!place.function) {
    out.file = findFromFile(analysis, place);
    if (out.file)
      return out;
  }
  if (place.function) {
    const ast::FunctionDef &def = *place.function->function->def;
    if (covers(def.nameRange, place.offset)) {
      out.function = place.function->function;
      return out;
    }
    out.local = findLocal(def, place.path.front());
    if (out.local.isValid())
      return place.path.size() == 1 ? out : findMethod(analysis, place.path.back());
  }
  out = ofGlobal(*analysis.getModule(), place.path.front(), analysis.getPrelude());
  std::string path = place.path.front().str();
  for (StringRef part : llvm::drop_begin(place.path)) {
    out = findMember(analysis, out, path, part);
    path += "." + part.str();
  }
  return out;
}
