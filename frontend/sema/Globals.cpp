// Name lookup: locals first, then the globals of the function's file, then Python's builtins.
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
  // Inductor's, which passes them on.
  if (path == "torch._inductor.runtime.triton_helpers.libdevice")
    return "triton.language.extra.libdevice";
  if (path == "torch._inductor.runtime.triton_helpers.math")
    return "triton.language.math";
  if (path == "triton.language.libdevice" ||
      (path.starts_with("triton.language.extra.") && path.ends_with("libdevice")))
    return "triton.language.extra.libdevice";
  return path.str();
}

/// Advice for Python functions that kernels lack; empty for other names.
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
  if (!near && frame().module && !frame().module->missingStarImports.empty()) {
    const auto &[path, searched] = *frame().module->missingStarImports.begin();
    return error(range, "unknown name '" + name + "'; if 'from " + path +
                            " import *' should bring it: that module was not found, it was looked "
                            "for " +
                            searched);
  }
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
    if (auto value = lookupClassConstant(*frame().classScope, name)) {
      // There are no members before the end of their class.
      auto *opaque = value->getIf<OpaqueValue>();
      return opaque && opaque->member ? opaque->member->value : *value;
    }
  if (frame().module) {
    if (auto value = lookupNested(*frame().module, frame().scope, name))
      return *value;
    if (auto value = lookupGlobal(*frame().module, name, frame().place))
      return *value;
    if (frame().module == prelude)
      if (auto value = lang::lookup("triton.language", name, prelude))
        return *value;
  }
  if (auto value = lang::lookup("builtins", name, prelude))
    return *value;
  if (auto value = lookupHostBuiltin(name))
    return *value;
  return unknownName(name, range);
}

/// The bindings of the functions around a place, innermost first.
std::optional<Value> Evaluator::lookupNested(LoadedModule &module, llvm::StringRef scope,
                                             llvm::StringRef name) {
  for (; !scope.empty(); scope = scope.rsplit('.').first) {
    auto it = module.nested.find((scope + "." + name).str());
    if (it != module.nested.end())
      return resolveCached(module, scope, it->getKey(), it->second, it->getKey());
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

/// The names that `from … import *` brings from modules without a file: the language's, and
/// Python's own.
std::optional<Value> Evaluator::lookupStarImports(const LoadedModule &module,
                                                  llvm::StringRef name) {
  if (name.starts_with("_"))
    return std::nullopt;
  llvm::SmallPtrSet<const LoadedModule *, 4> seen;
  llvm::SmallVector<const LoadedModule *> modules = {&module};
  while (!modules.empty()) {
    const LoadedModule *next = modules.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (llvm::StringRef imported : llvm::reverse(next->starImportPaths)) {
      std::string path = canonicalPath(imported);
      if (auto value = lookupHostName(path, name))
        return value;
      if (auto value = lang::lookup(path, name, prelude))
        return value;
    }
    modules.append(next->starImports.begin(), next->starImports.end());
  }
  return std::nullopt;
}

/// A file that binds a name again, by `*`, after the place where this one does.
static LoadedModule *findLaterStar(const LoadedModule &module, llvm::StringRef name) {
  const Global *own = module.findBinding("", name);
  if (!own || name.starts_with("_"))
    return nullptr;
  for (auto [imported, offset] : llvm::zip(module.starImports, module.starOffsets))
    if (own->isBoundBefore(offset) && imported->lookup(name))
      return imported;
  return nullptr;
}

/// The earlier binding of a name at a place before it was bound again; null if it was not bound
/// again.
static const Global *findEarlier(const LoadedModule &module, llvm::StringRef name, uint32_t place) {
  const Global *last = module.findBinding("", name);
  auto earlier = module.earlier.find(name);
  if (!last || last->isBoundBefore(place) || earlier == module.earlier.end())
    return nullptr;
  for (const Global &global : llvm::reverse(earlier->second))
    if (global.isBoundBefore(place))
      return &global;
  return nullptr;
}

std::optional<Value> Evaluator::lookupGlobal(LoadedModule &module, llvm::StringRef name,
                                             uint32_t place) {
  if (const Global *global = place ? findEarlier(module, name, place) : nullptr)
    return resolveCached(module, "", name, *global,
                         (name + "@" + llvm::Twine(global->range.begin.offset)).str());
  if (auto it = globals.find({&module, name.str()}); it != globals.end())
    return it->second;
  const Global *global = module.lookup(name);
  if (LoadedModule *later = findLaterStar(module, name))
    return lookupGlobal(*later, name);
  if (global && !module.globals.contains(name)) {
    // It is looked up in the module that binds it.
    llvm::SmallPtrSet<const LoadedModule *, 4> seen;
    if (LoadedModule *owner = findStarOwner(module, name, seen))
      return lookupGlobal(*owner, name);
  }
  if (!global) {
    // Nested jit functions are found by their qualified or plain name.
    if (const JitFunction *function = module.findFunction(name))
      return Value(FunctionValue{function});
    return lookupStarImports(module, name);
  }
  return resolveCached(module, "", name, *global, name);
}

/// A name without the functions and classes that it is in.
static llvm::StringRef getPlainName(llvm::StringRef qualified) {
  return qualified.substr(qualified.rfind('.') + 1);
}

/// Whether a value may be another one after host code did something to what holds it.
static bool mayChange(const Value &value, Doubt doubt) {
  if (doubt == Doubt::None || doubt == Doubt::Binding)
    return doubt == Doubt::Binding;
  const TupleValue *tuple = value.getTuple();
  if (!tuple)
    return false;
  if (doubt == Doubt::Value && (tuple->isList || tuple->isDict() || tuple->isSet()))
    return true;
  return llvm::any_of(tuple->elements,
                      [](const Value &element) { return mayChange(element, Doubt::Value); });
}

static const HostChange *findIn(const llvm::StringMap<HostChange> &changes, llvm::StringRef name) {
  auto it = changes.find(name);
  return it == changes.end() ? nullptr : &it->second;
}

/// The change because of which a value is not known, if there is one.
static std::optional<HostChange> chooseChange(const Value &value,
                                              std::initializer_list<const HostChange *> changes) {
  for (const HostChange *change : changes)
    if (change && mayChange(value, change->doubt))
      return *change;
  return std::nullopt;
}

std::optional<HostChange> Evaluator::findChange(const LoadedModule &module, llvm::StringRef name,
                                                const Global &global, const Value &value) {
  return chooseChange(
      value, {&global.change, findIn(module.foreignChanges, name), &module.anyForeignChange});
}

std::optional<HostChange> Evaluator::findMemberChange(const ClassInfo &info, llvm::StringRef name,
                                                      const Value &value) {
  const LoadedModule &module = *info.module;
  const Global *own = module.findBinding(info.scope, info.name);
  HostChange ofClass = own ? own->change : HostChange();
  // Code with access to the class can set its members; code with a value of it can change the lists
  // in it.
  if (ofClass.doubt == Doubt::Elements)
    ofClass.doubt = Doubt::Value;
  else if (ofClass.doubt == Doubt::Value)
    ofClass.doubt = Doubt::Binding;
  return chooseChange(value,
                      {findIn(module.memberChanges, name), &module.anyMemberChange, &ofClass});
}

std::string Evaluator::describeChange(const HostChange &change, SourceRange definition) {
  const SourceManager &sources = diagnostics.getSources();
  std::string out = "host code, which is not run, may change it in line " +
                    std::to_string(sources.getLineColumn(change.place.begin).line);
  if (definition.begin.file != change.place.begin.file)
    out += " of '" + sources.getName(change.place.begin.file).str() + "'";
  return out;
}

/// The value of a global, or of a variable of the function `scope`; `name` is qualified.
Value Evaluator::resolveCached(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                               const Global &global, llvm::StringRef cacheName) {
  std::pair<LoadedModule *, std::string> key{&module, cacheName.str()};
  if (auto it = globals.find(key); it != globals.end()) {
    assumes |= assumedGlobals.count(key) != 0;
    return it->second;
  }
  if (!evaluating.insert(key).second)
    return Value(makeUnknown(module, "the global '" + name.str() + "'", global.range, "",
                             "it is defined by itself"));
  const ConstantArgument *given = findGiven(getPlainName(name));
  auto notesBefore = given ? pendingNotes : decltype(pendingNotes)();
  const bool outerAssumes = std::exchange(assumes, false);
  Value value = resolveGlobal(module, scope, name, global);
  if (assumes)
    assumedGlobals.insert(key);
  assumes |= outerAssumes;
  if (auto change = value.asUnknown() ? std::nullopt : findChange(module, name, global, value))
    value = Value(makeUnknown(module, "the global '" + name.str() + "'", global.range, name,
                              describeChange(*change, global.range)));
  const OpaqueValue *unknown = value.asUnknown();
  if (given && ((unknown && !unknown->isFunction) || assumedGlobals.count(key))) {
    value = makeValue(*given, module);
    pendingNotes = std::move(notesBefore);
  }
  evaluating.erase(key);
  globals[key] = value;
  return value;
}

Value Evaluator::resolveGlobal(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                               const Global &global) {
  const TriedImport *assumed = nullptr;
  std::optional<const Global *> chosen = chooseBinding(module, global, assumed);
  if (!chosen)
    return resolveBinding(module, scope, name, global);
  if (assumed)
    noteAssumption(module, name, global, **chosen, *assumed);
  return resolveBinding(module, scope, name, **chosen);
}

Value Evaluator::resolveBinding(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                                const Global &global) {
  std::string quoted = "'" + name.str() + "'";
  switch (global.kind) {
  case Global::Kind::Jit:
    if (!global.functions.empty())
      return chooseFunction(module, name, global);
    return Value(FunctionValue{global.jit});
  case Global::Kind::Value:
    return evaluateGlobal(module, name, *global.value, global.range, scope);
  case Global::Kind::Module: {
    if (global.module)
      return Value(NamespaceValue{global.path, global.module});
    std::string path = canonicalPath(global.path);
    // `try: import mylib` / `except ImportError: mylib = None`
    if (global.mayBeMissing && !isKnownModule(path))
      return Value(makeUnknown(module, "the module " + quoted, global.range, name,
                               "the file does not exist, and then host code decides its value"));
    noteOlderModule(global.path, global.range);
    return Value(NamespaceValue{std::move(path), nullptr});
  }
  case Global::Kind::ImportedName:
    return resolveImport(module, global, name);
  case Global::Kind::HostFunction:
    // With `@cache` and the like a function is still a function.
    if (global.isDecorated && !global.isBuiltin && !module.isProvided &&
        !module.readHostFunction(global, name))
      return Value(
          makeUnknown(module, "the host function " + quoted, global.range, name,
                      "its decorators are host code, which is not run, and may replace it"));
    if (global.isBuiltin)
      if (const JitFunction *function = module.readHostFunction(global, name))
        return Value(FunctionValue{function});
    hostFunctions[{global.range.begin.file, global.range.begin.offset}] = {&module, &global,
                                                                           name.str()};
    return Value(OpaqueValue{"the host function " + quoted, global.range, "", "",
                             "decorate it with @triton.jit"});
  case Global::Kind::Class:
    if (global.classDef)
      return Value(makeClass(module, scope, *global.classDef));
    return Value(OpaqueValue{"the class " + quoted, global.range});
  case Global::Kind::Captured:
    return Value(makeUnknown(module, quoted, global.range, name,
                             "it is a variable of the function around the kernel, whose value only "
                             "Python knows"));
  case Global::Kind::Unknown:
    // Functions of one name are made for the same thing; constants are not.
    for (const Expr *alternative : global.alternatives) {
      Value value = evaluateGlobal(module, name, *alternative, alternative->range, scope);
      if (!value.is<FunctionValue>() && !value.is<BuiltinValue>() && !value.is<NamespaceValue>())
        continue;
      warning(alternative->range,
              "host code, which is not run, chooses among several definitions of " + quoted +
                  "; this one is used, the first that kernels can use");
      return value;
    }
    if (global.jit)
      return Value(FunctionValue{global.jit});
    break;
  }
  return Value(makeUnknown(module, "the global " + quoted, global.range, name,
                           global.alternatives.size() > 1
                               ? "host code, which is not run, chooses among several values"
                               : "host code, which is not run, computes it"));
}

/// `if is_hip(): @jit def f …` / `else: @jit def f …`: the line of one is given like a value.
Value Evaluator::chooseFunction(const LoadedModule &module, llvm::StringRef name,
                                const Global &global) {
  const SourceManager &sources = diagnostics.getSources();
  const ConstantArgument *constant = findGiven(getPlainName(name));
  const auto *line = constant ? std::get_if<int64_t>(&constant->value) : nullptr;
  std::string lines;
  for (const JitFunction *function : global.functions) {
    unsigned own = sources.getLineColumn(function->def->nameRange.begin).line;
    if (line && *line == own)
      return Value(FunctionValue{function});
    lines += (lines.empty()                         ? ""
              : function == global.functions.back() ? " and "
                                                    : ", ") +
             std::to_string(own);
  }
  OpaqueValue out = makeUnknown(module, "the function '" + name.str() + "'", global.range, name,
                                "host code, which is not run, chooses among the functions in "
                                "lines " +
                                    lines);
  out.remedy = "pass the line of one, " + name.str() + "=…, with the kernel's arguments";
  out.isFunction = true;
  return Value(std::move(out));
}

/// Whether imports of a module succeed, though there is no file: it is one that the compiler has
/// something of.
bool Evaluator::isKnownModule(llvm::StringRef path) {
  llvm::StringRef top = path.split('.').first;
  return top == "triton" || isHostModule(top);
}

OpaqueValue Evaluator::makeUnknown(const LoadedModule &module, std::string what, SourceRange range,
                                   llvm::StringRef name, const llvm::Twine &cause) {
  OpaqueValue out{std::move(what), range, cause.str()};
  if (module.isProvided) {
    // The host has resolved all names, and written down the values that have a textual form.
    out.cause = "it is of a kind that kernels cannot use";
    out.remedy = "make it a number, a string, a dtype or a tuple of these";
    return out;
  }
  out.name = getPlainName(name).str();
  if (out.name.empty())
    out.remedy = "make it a tl.constexpr parameter";
  return out;
}

Value Evaluator::resolveImport(LoadedModule &module, const Global &global, llvm::StringRef name) {
  // An unknown name, with a suggestion.
  auto missing = [&](const std::string &where, const char *verb,
                     llvm::ArrayRef<llvm::StringRef> names) {
    OpaqueValue out{"'" + global.importedName + "'", global.range, "'" + where + "' " + verb};
    if (auto near = findNearName(global.importedName, names))
      out.remedy = "did you mean '" + near->str() + "'?";
    return Value(std::move(out));
  };
  if (global.module) {
    if (auto value = lookupGlobal(*global.module, global.importedName))
      return *value;
    return missing(global.path, "does not define it", global.module->globalNames());
  }
  std::string path = canonicalPath(global.path);
  if (auto value = lookupHostName(path, global.importedName))
    return *value;
  if (auto value = lang::lookup(path, global.importedName, prelude)) {
    noteOlderModule(global.path, global.range);
    noteOlderName(path, global.importedName, global.range);
    return *value;
  }
  // `from triton.language.extra import libdevice`, `from triton import language as tl`.
  std::string nested = canonicalPath(path + "." + global.importedName);
  if (!lang::listNames(nested, prelude).empty())
    return Value(NamespaceValue{nested, nullptr});
  if (llvm::StringRef(path).starts_with("triton"))
    return missing(path, "does not have it", lang::listNames(path, prelude));
  OpaqueValue out = makeUnknown(
      module, "'" + name.str() + "' from the host module '" + global.path + "'", global.range, name,
      global.searched.empty() ? "a file of that module was not found, and host code is not run"
                              : "that module was not found, it was looked for " + global.searched);
  if (isHostModule(llvm::StringRef(path).split('.').first)) {
    out.cause = "it belongs to host code";
    out.remedy = findReplacement(global.importedName);
  }
  out.origin = out.what;
  return Value(std::move(out));
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
  if (scope.empty() && value.range.begin.file == module.file)
    frame().place = value.range.begin.offset;
  std::string saved = std::exchange(quietMessage, "");
  std::optional<OpaqueValue> savedOpaque = std::exchange(quietOpaque, std::nullopt);
  Result result = failure();
  std::optional<OpaqueValue> entered;
  {
    HostScope scope(*this);
    result = evaluate(value);
    entered = std::exchange(enteredHost, std::nullopt);
  }
  std::string reason = std::exchange(quietMessage, std::move(saved));
  std::optional<OpaqueValue> opaque = std::exchange(quietOpaque, std::move(savedOpaque));
  frames.pop_back();
  if (const OpaqueValue *unknown = succeeded(result) ? result->asUnknown() : nullptr)
    opaque = *unknown; // `F = G`
  else if (succeeded(result) && result->isConstexpr())
    return *result;
  else if (succeeded(result))
    reason = "it is " + result->describe();
  // Why exactly it cannot be computed is a matter of its body.
  if (!opaque && entered)
    opaque = std::move(entered);
  OpaqueValue out =
      makeUnknown(module, "the global '" + name.str() + "'", range, classScope ? "" : name,
                  reason.empty() ? "host code, which is not run, computes it"
                                 : "it cannot be computed at compile time (" + reason + ")");
  if (!opaque)
    return Value(std::move(out));
  // Whatever is between, the user has to know where it begins.
  out.origin = opaque->origin.empty() ? opaque->what : opaque->origin;
  if (opaque->cause == "it is defined by itself")
    out.cause = opaque->cause;
  else if (!module.isProvided)
    out.cause = "host code, which is not run, computes it from " + out.origin;
  return Value(std::move(out));
}

//===----------------------------------------------------------------------===//
// Values that the signature gives
//===----------------------------------------------------------------------===//

const ConstantArgument *Evaluator::findGiven(llvm::StringRef name) const {
  auto it = given.find(name.str());
  return it == given.end() ? nullptr : &it->second;
}

GlobalState Evaluator::getGlobalState(const JitFunction &function, llvm::StringRef name) {
  auto state = GlobalState::Absent;
  auto add = [&](const std::optional<Value> &value) {
    if (value && value->asUnknown())
      state = GlobalState::Unknown;
    else if (value && state == GlobalState::Absent)
      state = GlobalState::Known;
  };
  // As if nothing were given; what is evaluated here is not kept.
  std::map<std::string, ConstantArgument> savedGiven = std::exchange(given, {});
  auto savedNotes = pendingNotes;
  auto savedAssumed = std::exchange(assumedGlobals, {});
  auto savedGlobals = std::exchange(globals, {});
  auto savedConstants = std::exchange(classConstants, {});
  QuietScope scope(*this);
  unsigned errorsBefore = numErrors;
  add(lookupNested(*function.module, getScope(function), name));
  auto [head, member] = name.split('.'); // `Cfg.FAST`
  llvm::SmallVector<LoadedModule *> modules = {function.module};
  for (size_t i = 0; i < modules.size() && state != GlobalState::Unknown; ++i) {
    LoadedModule *module = modules[i];
    if (module->lookup(head)) { // Reads the file.
      std::optional<Value> value = lookupGlobal(*module, head);
      auto *classValue = value && !member.empty() ? value->getIf<ClassValue>() : nullptr;
      if (classValue)
        add(lookupClassConstant(*classValue->info, member));
      else if (member.empty())
        add(value);
      if (member.empty() && assumedGlobals.count({module, head.str()}))
        state = GlobalState::Unknown;
    }
    auto visit = [&](LoadedModule *imported) {
      if (imported && imported != prelude && !llvm::is_contained(modules, imported))
        modules.push_back(imported);
    };
    for (const auto &entry : module->globals)
      visit(entry.getValue().module);
    for (const auto &[path, imported] : module->importedModules)
      visit(imported);
    llvm::for_each(module->starImports, visit);
  }
  numErrors = errorsBefore;
  given = std::move(savedGiven);
  pendingNotes = std::move(savedNotes);
  assumedGlobals = std::move(savedAssumed);
  globals = std::move(savedGlobals);
  classConstants = std::move(savedConstants);
  return state;
}

} // namespace tilerun::sema
