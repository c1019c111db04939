// What names mean: locals first, then the globals of the function's file, then Python's builtins.
// Globals are evaluated on first use, with their errors held back until then.
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilerun::sema {

using namespace ast;

/// Modules of the language that have several names.
static std::string canonicalPath(llvm::StringRef path) {
  if (path == "triton.language.core" || path == "triton.language.standard" || path == "tl")
    return "triton.language";
  if (path == "triton.language.libdevice" ||
      (path.starts_with("triton.language.extra.") && path.ends_with("libdevice")))
    return "triton.language.extra.libdevice";
  return path.str();
}

/// What to do instead of functions of Python's that kernels do not have; empty for other names.
static llvm::StringRef getPythonHint(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"enumerate", "zip", "reversed", "sorted"},
             "index the tuples in a loop over tl.static_range(len(…))")
      .Cases({"sum", "any", "all", "round", "divmod", "pow"},
             "use operators, or the function of tl that has this purpose")
      .Cases({"map", "filter", "iter", "next"}, "use a comprehension over a tuple")
      .Cases({"dict", "set", "frozenset", "slice", "object", "bytes"}, "use a tuple")
      .Case("type", "use isinstance, or x.dtype and x.type")
      .Case("super", "name the base class")
      .Cases({"open", "input", "exec", "eval", "globals", "locals", "setattr", "delattr", "vars"},
             "it belongs to host code")
      .Cases({"repr", "format", "ascii", "chr", "ord", "hex", "oct", "bin", "id", "hash"},
             "use an f-string")
      .Default("");
}

LogicalResult Evaluator::unknownName(llvm::StringRef name, SourceRange range) {
  if (llvm::StringRef hint = getPythonHint(name); !hint.empty())
    return error(range, "Python's '" + name + "' cannot be used in a kernel; " + hint);
  std::vector<llvm::StringRef> names;
  for (const auto &[local, binding] : env().names)
    if (!local.starts_with("<"))
      names.push_back(local);
  if (frame().module)
    llvm::append_range(names, frame().module->globalNames());
  llvm::append_range(names, lang::listNames("builtins", prelude));
  auto near = findNearName(name, names);
  return error(range, "unknown name '" + name + "'" +
                          (near ? "; did you mean '" + near->str() + "'?" : std::string()));
}

Result Evaluator::lookupName(llvm::StringRef name, SourceRange range) {
  auto it = env().names.find(name);
  if (it != env().names.end()) {
    const Binding &binding = it->second;
    if (binding.isBound())
      return binding.value;
    if (binding.isPoisoned())
      return failure();
    return errorWithNotes(range, "'" + name + "' is not defined here: " + binding.why,
                          Note{binding.whyPlace, "'" + name.str() + "' was bound here"});
  }
  if (frame().classScope)
    if (auto value = lookupClassConstant(*frame().classScope, name))
      return *value;
  if (frame().module) {
    if (auto value = lookupNested(*frame().module, frame().scope, name))
      return *value;
    if (auto value = lookupGlobal(*frame().module, name))
      return *value;
    if (frame().module == prelude)
      if (auto value = lang::lookup("triton.language", name, prelude))
        return *value;
  }
  if (auto value = lang::lookup("builtins", name, prelude))
    return *value;
  return unknownName(name, range);
}

/// What the functions around a place bind, innermost first.
std::optional<Value> Evaluator::lookupNested(LoadedModule &module, llvm::StringRef scope,
                                             llvm::StringRef name) {
  for (; !scope.empty(); scope = scope.rsplit('.').first) {
    auto it = module.nested.find((scope + "." + name).str());
    if (it != module.nested.end())
      return resolveCached(module, scope, it->getKey(), it->second);
    if (!scope.contains('.'))
      break;
  }
  return std::nullopt;
}

/// The file that binds a name which another one has by `from … import *`; null if it is its own.
static LoadedModule *findStarOwner(LoadedModule &module, llvm::StringRef name,
                                   llvm::SmallPtrSetImpl<const LoadedModule *> &seen) {
  if (module.globals.contains(name) || name.starts_with("_") || !seen.insert(&module).second)
    return nullptr;
  for (LoadedModule *imported : llvm::reverse(module.starImports)) {
    if (imported->globals.contains(name))
      return imported;
    if (LoadedModule *owner = findStarOwner(*imported, name, seen))
      return owner;
  }
  return nullptr;
}

std::optional<Value> Evaluator::lookupGlobal(LoadedModule &module, llvm::StringRef name) {
  if (auto it = globals.find({&module, name.str()}); it != globals.end())
    return it->second;
  const Global *global = module.lookup(name);
  if (global && !module.globals.contains(name)) {
    // What it stands for is said where it is bound.
    llvm::SmallPtrSet<const LoadedModule *, 4> seen;
    if (LoadedModule *owner = findStarOwner(module, name, seen))
      return lookupGlobal(*owner, name);
  }
  if (!global) {
    // Nested jit functions are found by their qualified or plain name.
    if (const JitFunction *function = module.findFunction(name))
      return Value(FunctionValue{function});
    return std::nullopt;
  }
  return resolveCached(module, "", name, *global);
}

/// The value of a global, or of a variable of the function `scope`; `name` is qualified.
Value Evaluator::resolveCached(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                               const Global &global) {
  std::pair<LoadedModule *, std::string> key{&module, name.str()};
  if (auto it = globals.find(key); it != globals.end())
    return it->second;
  if (!evaluating.insert(key).second)
    return Value(
        OpaqueValue{"the global '" + name.str() + "', which is defined by itself", global.range});
  Value value = resolveGlobal(module, scope, name, global);
  evaluating.erase(key);
  globals[key] = value;
  return value;
}

Value Evaluator::resolveGlobal(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                               const Global &global) {
  std::string quoted = "'" + name.str() + "'";
  switch (global.kind) {
  case Global::Kind::Jit:
    return Value(FunctionValue{global.jit});
  case Global::Kind::Value:
    return evaluateGlobal(module, name, *global.value, global.range, scope);
  case Global::Kind::Module:
    if (global.module)
      return Value(NamespaceValue{global.path, global.module});
    return Value(NamespaceValue{canonicalPath(global.path), nullptr});
  case Global::Kind::ImportedName:
    return resolveImport(global, name);
  case Global::Kind::HostFunction:
    return Value(
        OpaqueValue{"the host function " + quoted + ", which is not decorated with @triton.jit,",
                    global.range});
  case Global::Kind::Class:
    if (global.classDef)
      return Value(makeClass(module, scope, *global.classDef));
    return Value(OpaqueValue{"the class " + quoted, global.range});
  case Global::Kind::Captured:
    return Value(OpaqueValue{quoted + ", a variable of the function around the kernel whose value "
                                      "only Python knows (make it a global constant or a "
                                      "parameter, or let the Python package compile the kernel),",
                             global.range});
  case Global::Kind::Unknown:
    // Functions of one name are made for the same thing; constants are not.
    for (const Expr *alternative : global.alternatives) {
      Value value = evaluateGlobal(module, name, *alternative, alternative->range, scope);
      if (!value.is<FunctionValue>() && !value.is<BuiltinValue>() && !value.is<NamespaceValue>())
        continue;
      warning(alternative->range, "host code decides what " + quoted +
                                      " is, and is not run; this one is taken, the first that "
                                      "kernels can use");
      return value;
    }
    if (global.jit)
      return Value(FunctionValue{global.jit});
    break;
  }
  return Value(OpaqueValue{"the global " + quoted + ", whose value is not known at compile time,",
                           global.range});
}

Value Evaluator::resolveImport(const Global &global, llvm::StringRef name) {
  if (global.module) {
    if (auto value = lookupGlobal(*global.module, global.importedName))
      return *value;
    std::vector<llvm::StringRef> names = global.module->globalNames();
    auto near = findNearName(global.importedName, names);
    return Value(OpaqueValue{"'" + global.importedName + "', which '" + global.path +
                                 "' does not define" +
                                 (near ? " (did you mean '" + near->str() + "'?)" : "") + ",",
                             global.range});
  }
  std::string path = canonicalPath(global.path);
  if (auto value = lookupHostName(path, global.importedName))
    return *value;
  if (auto value = lang::lookup(path, global.importedName, prelude))
    return *value;
  // `from triton.language.extra import libdevice`, `from triton import language as tl`.
  std::string nested = canonicalPath(path + "." + global.importedName);
  if (!lang::listNames(nested, prelude).empty())
    return Value(NamespaceValue{nested, nullptr});
  if (llvm::StringRef(path).starts_with("triton")) {
    std::vector<llvm::StringRef> names = lang::listNames(path, prelude);
    auto near = findNearName(global.importedName, names);
    return Value(OpaqueValue{"'" + global.importedName + "', which '" + path + "' does not have" +
                                 (near ? " (did you mean '" + near->str() + "'?)" : "") + ",",
                             global.range});
  }
  return Value(
      OpaqueValue{"'" + name.str() + "' from the host module '" + global.path + "'", global.range});
}

Value Evaluator::evaluateGlobal(LoadedModule &module, llvm::StringRef name, const Expr &value,
                                SourceRange range, llvm::StringRef scope,
                                const ClassInfo *classScope) {
  // Emission of a global goes to a scratch block: only compile-time results are kept.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::OwningOpRef<mlir::ModuleOp> scratch(
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  builder.setInsertionPointToEnd(scratch->getBody());
  frames.push_back(std::make_unique<Frame>());
  frame().module = &module;
  frame().scope = scope;
  frame().classScope = classScope;
  std::string saved = std::move(quietMessage);
  quietMessage.clear();
  unsigned errorsBefore = numErrors;
  Result result = failure();
  {
    QuietScope scope(*this);
    result = evaluate(value);
  }
  numErrors = errorsBefore;
  std::string reason = std::exchange(quietMessage, std::move(saved));
  frames.pop_back();
  if (succeeded(result) && result->isConstexpr())
    return *result;
  if (succeeded(result))
    reason = "it is " + result->describe();
  return Value(OpaqueValue{"the global '" + name.str() +
                               "', whose value is not known at compile time" +
                               (reason.empty() ? "" : " (" + reason + ")") + ",",
                           range});
}

} // namespace tilerun::sema
