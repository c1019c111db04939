// The decorators of jit functions: which ones make a function one, and what they say.
#include "frontend/module/ModuleReader.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

using Kind = TokenKind;

std::string ModuleReader::resolvePath(StringRef dotted) const {
  auto [head, rest] = dotted.split('.');
  auto alias = aliases.find(head);
  std::string path = alias == aliases.end() ? head.str() : alias->second;
  return rest.empty() ? path : path + "." + rest.str();
}

/// The dotted path of a name or a chain of attributes; empty for anything else.
std::string ModuleReader::getPath(const Expr *expr) const {
  SmallVector<StringRef, 4> parts;
  while (auto *attribute = dyn_cast<AttributeExpr>(expr)) {
    parts.push_back(attribute->name);
    expr = attribute->value;
  }
  auto *name = dyn_cast<NameExpr>(expr);
  if (!name)
    return {};
  std::string dotted = name->name.str();
  for (StringRef part : llvm::reverse(parts))
    dotted += ("." + part).str();
  return resolvePath(dotted);
}

/// The dotted name in a decorator's line; empty if it is something else. Works on tokens, because
/// most decorators belong to host code.
std::string ModuleReader::readDottedName(Tokens tokens) const {
  if (tokens.size() < 2 || !tokens[1].is(Kind::Name))
    return {};
  std::string dotted = text(tokens[1]).str();
  size_t i = 2;
  for (; i + 1 < tokens.size() && tokens[i].is(Kind::Dot) && tokens[i + 1].is(Kind::Name); i += 2)
    dotted += ("." + text(tokens[i + 1])).str();
  return i < tokens.size() && !tokens[i].is(Kind::LParen) ? std::string() : dotted;
}

/// Whether a decorator's line is `@triton.aggregate` by whatever name.
bool ModuleReader::isRecordDecorator(Tokens tokens) const {
  std::string path = resolvePath(readDottedName(tokens));
  StringRef last = StringRef(path).substr(StringRef(path).rfind('.') + 1);
  return last == "aggregate" || last == "_aggregate";
}

/// Whether a decorator makes a function that the compiler calls as Python would: one of
/// compile-time values, as `@tl.constexpr` does too, or one of the language's own kind.
static bool isConstexprDecorator(StringRef path) {
  if (path == "triton.language.core.builtin" || path.ends_with(".triton.language.core.builtin") ||
      path == "triton.language.builtin" || path.ends_with(".triton.language.builtin"))
    return true;
  return path == "constexpr_function" || path.ends_with(".constexpr_function") ||
         path == "triton.language.constexpr" || path.ends_with(".triton.language.constexpr") ||
         path.ends_with("triton.language.core.constexpr");
}

/// Whether a decorator's line is `@gluon.jit` by whatever name.
bool ModuleReader::isGluonDecorator(Tokens tokens) const {
  std::string path = resolvePath(readDottedName(tokens));
  return StringRef(path).contains("gluon") && StringRef(path).ends_with(".jit");
}

/// Whether a decorator's line is `@triton.jit…` by whatever name.
bool ModuleReader::isJitDecorator(Tokens tokens) const {
  std::string dotted = readDottedName(tokens);
  if (dotted.empty())
    return false;
  StringRef plain = dotted;
  std::string resolved = resolvePath(plain);
  StringRef path = resolved;
  // Kernels of the lower-level dialect that ships with Triton are not of this language.
  if (path.contains("gluon"))
    return false;
  if (path == "triton.jit" || path.ends_with(".triton.jit"))
    return true;
  if (isConstexprDecorator(path))
    return true;
  if (path.starts_with("triton.") && path.ends_with(".jit"))
    return true;
  if (path == "runtime.jit.jit" || path.ends_with(".runtime.jit.jit"))
    return true;
  // `from triton import *`
  return plain == "jit" && path == "jit" && llvm::is_contained(module.starImportPaths, "triton");
}

/// The text of a construct with each run of white space (and line joins) as one blank.
std::string ModuleReader::foldedText(SourceRange range) const {
  StringRef source = loader.sources.getText(range.begin.file).slice(range.begin.offset, range.end);
  // Long enough for any configuration that a person writes.
  source = source.take_front(4096);
  std::string out;
  bool blank = false;
  for (char c : source) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      blank = !out.empty();
      continue;
    }
    if (blank)
      out.push_back(' ');
    blank = false;
    out.push_back(c);
  }
  return out;
}

const Expr *ModuleReader::followGlobal(const Expr *expr) const {
  for (unsigned i = 0; expr && i < 16; ++i) {
    auto *name = dyn_cast<NameExpr>(expr);
    if (!name)
      return expr;
    auto it = module.globals.find(name->name);
    if (it == module.globals.end() || it->second.kind != Global::Kind::Value)
      return nullptr;
    if (followed)
      followed->push_back(name->name.str());
    expr = it->second.value;
  }
  return nullptr;
}

bool ModuleReader::readStrings(const Expr *expr, std::vector<std::string> &out) const {
  expr = followGlobal(expr);
  if (!expr)
    return false;
  ArrayRef<const Expr *> elements;
  if (auto *list = dyn_cast<ListExpr>(expr))
    elements = list->elements;
  else if (auto *tuple = dyn_cast<TupleExpr>(expr))
    elements = tuple->elements;
  else
    return false;
  for (const Expr *element : elements) {
    auto *constant = dyn_cast<ConstantExpr>(element);
    if (!constant || constant->constant != ConstantKind::String)
      return false;
    out.push_back(constant->text.str());
  }
  return true;
}

void ModuleReader::readDecorators(JitFunction &function) {
  for (const Expr *decorator : function.def->decorators) {
    function.isConstexpr |= isConstexprDecorator(getPath(decorator));
    auto *call = dyn_cast<CallExpr>(decorator);
    if (!call)
      continue;
    std::string path = getPath(call->callee);
    StringRef last = StringRef(path).rsplit('.').second;
    if (last.empty())
      last = path;
    if (last == "jit")
      readJitArguments(function, *call);
    else if (last == "heuristics")
      readHeuristics(function, *call);
    else if (last == "autotune" && !function.autotune)
      readAutotune(function, *call);
  }
}

void ModuleReader::readJitArguments(JitFunction &function, const CallExpr &call) {
  auto isTrue = [&](const Expr *value) {
    value = followGlobal(value);
    auto *constant = dyn_cast_or_null<ConstantExpr>(value);
    return constant && (constant->constant == ConstantKind::True ||
                        (constant->constant == ConstantKind::Int && constant->text != "0"));
  };
  // Parameters by name or by number.
  auto readParameters = [&](const Expr *value, std::vector<std::string> &out) {
    value = followGlobal(value);
    if (!value)
      return;
    ArrayRef<const Expr *> elements = value;
    if (auto *list = dyn_cast<ListExpr>(value))
      elements = list->elements;
    else if (auto *tuple = dyn_cast<TupleExpr>(value))
      elements = tuple->elements;
    else if (auto *set = dyn_cast<SetExpr>(value))
      elements = set->elements;
    for (const Expr *element : elements) {
      auto *constant = dyn_cast<ConstantExpr>(element);
      unsigned index;
      if (!constant)
        continue;
      if (constant->constant == ConstantKind::String)
        out.push_back(constant->text.str());
      else if (constant->constant == ConstantKind::Int && !constant->text.getAsInteger(0, index) &&
               index < function.def->parameters.size())
        out.push_back(function.def->parameters[index].name.str());
    }
  };
  for (const Keyword &keyword : call.keywords) {
    if (keyword.name == "noinline")
      function.noinlineFunction = isTrue(keyword.value);
    else if (keyword.name == "debug")
      function.debug = isTrue(keyword.value);
    else if (keyword.name == "do_not_specialize")
      readParameters(keyword.value, function.doNotSpecialize);
    else if (keyword.name == "do_not_specialize_on_alignment")
      readParameters(keyword.value, function.doNotSpecializeOnAlignment);
  }
}

void ModuleReader::readHeuristics(JitFunction &function, const CallExpr &call) {
  const Expr *values = call.args.empty() ? nullptr : call.args[0];
  for (const Keyword &keyword : call.keywords)
    if (keyword.name == "values")
      values = keyword.value;
  auto *dict = dyn_cast_or_null<DictExpr>(followGlobal(values));
  if (!dict)
    return;
  for (auto [key, value] : llvm::zip(dict->keys, dict->values)) {
    auto *name = dyn_cast_or_null<ConstantExpr>(key);
    if (!name || name->constant != ConstantKind::String)
      continue;
    Heuristic heuristic;
    heuristic.name = name->text.str();
    heuristic.function = dyn_cast_or_null<LambdaExpr>(followGlobal(value));
    heuristic.text = foldedText(value->range);
    heuristic.range = value->range;
    function.heuristics.push_back(std::move(heuristic));
  }
}

} // namespace tilerun
