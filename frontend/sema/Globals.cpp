// What names mean: locals first, then the globals of the function's file, then Python's builtins.
// Globals are evaluated on first use, with their errors held back until then.
#include "frontend/sema/Evaluator.h"

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

LogicalResult Evaluator::unknownName(llvm::StringRef name, SourceRange range) {
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
  if (frame().module) {
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

std::optional<Value> Evaluator::lookupGlobal(LoadedModule &module, llvm::StringRef name) {
  std::pair<LoadedModule *, std::string> key{&module, name.str()};
  if (auto it = globals.find(key); it != globals.end())
    return it->second;
  const Global *global = module.lookup(name);
  if (!global) {
    // Nested jit functions are found by their qualified or plain name.
    if (const JitFunction *function = module.findFunction(name))
      return Value(FunctionValue{function});
    return std::nullopt;
  }
  if (!evaluating.insert(key).second)
    return Value(
        OpaqueValue{"the global '" + name.str() + "', which is defined by itself", global->range});
  Value value = resolveGlobal(module, name, *global);
  evaluating.erase(key);
  globals[key] = value;
  return value;
}

Value Evaluator::resolveGlobal(LoadedModule &module, llvm::StringRef name, const Global &global) {
  std::string quoted = "'" + name.str() + "'";
  switch (global.kind) {
  case Global::Kind::Jit:
    return Value(FunctionValue{global.jit});
  case Global::Kind::Value:
    return evaluateGlobal(module, name, *global.value, global.range);
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
      return Value(ClassValue{global.classDef, &module});
    return Value(OpaqueValue{"the class " + quoted, global.range});
  case Global::Kind::Unknown:
    break;
  }
  return Value(OpaqueValue{"the global " + quoted + ", whose value is not known at compile time,",
                           global.range});
}

Value Evaluator::resolveImport(const Global &global, llvm::StringRef name) {
  if (global.module) {
    if (auto value = lookupGlobal(*global.module, global.importedName))
      return *value;
    return Value(
        OpaqueValue{"'" + global.importedName + "', which '" + global.path + "' does not define,",
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
                                SourceRange range) {
  // Emission of a global goes to a scratch block: only compile-time results are kept.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::OwningOpRef<mlir::ModuleOp> scratch(
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  builder.setInsertionPointToEnd(scratch->getBody());
  frames.push_back(std::make_unique<Frame>());
  frame().module = &module;
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

Result Evaluator::getClassMember(const ClassValue &classValue, llvm::StringRef name,
                                 SourceRange range) {
  const ClassDef &definition = *classValue.definition;
  std::vector<llvm::StringRef> names;
  for (const Stmt *statement : definition.body) {
    const Expr *target = nullptr, *value = nullptr;
    if (const auto *assign = llvm::dyn_cast<AssignStmt>(statement)) {
      target = assign->targets.size() == 1 ? assign->targets.front() : nullptr;
      value = assign->value;
    } else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(statement)) {
      target = annotated->target;
      value = annotated->value;
    }
    const auto *targetName = llvm::dyn_cast_or_null<NameExpr>(target);
    if (!targetName || !value)
      continue;
    names.push_back(targetName->name);
    if (targetName->name != name)
      continue;
    std::string key = definition.name.str() + "." + name.str();
    auto [it, isNew] = globals.try_emplace({classValue.module, key});
    if (isNew)
      it->second = evaluateGlobal(*classValue.module, key, *value, statement->range);
    return it->second;
  }
  for (const auto &function : classValue.module->functions)
    if (function->qualifiedName == definition.name.str() + "." + name.str())
      return Value(FunctionValue{function.get()});
  auto near = findNearName(name, names);
  return error(range, "the class '" + definition.name + "' has no compile-time constant '" + name +
                          "'" + (near ? "; did you mean '" + near->str() + "'?" : std::string()));
}

} // namespace tilerun::sema
