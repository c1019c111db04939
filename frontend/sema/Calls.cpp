// Calls: arguments, language functions, inlining of helper functions.
#include "frontend/sema/Evaluator.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/ScopeExit.h"

namespace tilerun::sema {

using namespace ast;

/// Methods of Python's own numbers; the others are those of tensors.
static bool isNumberMethod(llvm::StringRef name) {
  return name == "bit_length" || name == "bit_count" || name == "is_integer";
}

Result Evaluator::evaluateCall(const CallExpr &e) {
  const auto *method = llvm::dyn_cast<AttributeExpr>(e.callee);
  if (method && step(method->range))
    return failure();
  Result base = method ? evaluate(*method->value) : Result(Value());
  if (failed(base)) {
    (void)evaluateArguments(e);
    return failure();
  }
  const TupleValue *tuple = base->getTuple();
  bool replaces = method && method->name == "_replace" && tuple && tuple->info &&
                  tuple->info->kind == ClassInfo::Kind::NamedTuple;
  bool ofDict = method && tuple && tuple->isDict();
  bool ofNumber = method && base->isConstNumber() && isNumberMethod(method->name);
  if (replaces || ofDict || ofNumber || base->is<std::string>()) {
    auto args = evaluateArguments(e);
    if (failed(args))
      return failure();
    if (replaces)
      return replaceFields(*base, *args, e.range);
    for (const Value &argument : args->positional)
      if (!ofDict && failed(requireKnown(argument, e.range)))
        return failure();
    if (ofDict)
      return callDictMethod(*base, method->name, *args, e.range);
    if (ofNumber)
      if (auto result = callNumberMethod(*base, method->name, args->positional);
          result && args->keywords.empty())
        return take(std::move(*result), e.range);
    if (ofNumber)
      return error(e.range, "'" + method->name + "' of a number takes no arguments");
    if (args->keywords.empty())
      if (auto result = callStringMethod(base->get<std::string>(), method->name, args->positional))
        return take(std::move(*result), e.range);
    return error(e.range, "'" + method->name +
                              "' of a string is not available in kernels, or not "
                              "with these arguments");
  }
  if (method && base->isTensor() && method->name.starts_with("__")) {
    auto args = evaluateArguments(e);
    if (failed(args))
      return failure();
    if (args->keywords.empty())
      if (auto result = callOperatorMethod(*base, method->name, args->positional, e.range))
        return *result;
  }
  Result callee =
      !method ? evaluate(*e.callee)
              : getAttribute(*base, method->name,
                             method->nameRange.isValid() ? method->nameRange : method->range);
  auto args = evaluateArguments(e);
  if (failed(callee) || failed(args))
    return failure();
  return callValue(*callee, std::move(*args), e.range);
}

FailureOr<Evaluator::CallArguments> Evaluator::evaluateArguments(const CallExpr &e) {
  CallArguments out;
  bool ok = true;
  for (const Expr *argument : e.args) {
    const auto *starred = llvm::dyn_cast<StarredExpr>(argument);
    Result value = evaluate(starred ? *starred->value : *argument);
    if (failed(value)) {
      ok = false;
      continue;
    }
    if (!starred) {
      out.positional.push_back(std::move(*value));
      out.positionalRanges.push_back(argument->range);
      continue;
    }
    auto items = iterate(*value, argument->range);
    if (failed(items)) {
      ok = false;
      continue;
    }
    for (Value &item : *items) {
      out.positional.push_back(std::move(item));
      out.positionalRanges.push_back(argument->range);
    }
  }
  for (const Keyword &keyword : e.keywords) {
    Result value = evaluate(*keyword.value);
    if (failed(value)) {
      ok = false;
      continue;
    }
    if (!keyword.name.empty()) {
      out.keywords.push_back({keyword.name, std::move(*value)});
      out.keywordRanges.push_back(keyword.range);
      continue;
    }
    const TupleValue *dict = value->getTuple();
    // A dict has other keys, too.
    if (!dict || dict->names.size() != dict->elements.size()) {
      (void)error(keyword.range, "'**' needs a dict or a named tuple, not " + value->describe() +
                                     "; pass the arguments by name");
      ok = false;
      continue;
    }
    // The names live as long as the value, which the globals or the arguments hold.
    for (auto [field, element] : llvm::zip(dict->names, dict->elements)) {
      out.keywords.push_back({mlir::StringAttr::get(&context, field).getValue(), element});
      out.keywordRanges.push_back(keyword.range);
    }
  }
  if (!ok)
    return failure();
  return out;
}

Result Evaluator::call(const Value &function, llvm::ArrayRef<Value> args, SourceRange range) {
  CallArguments arguments;
  arguments.positional = args.vec();
  arguments.positionalRanges.assign(args.size(), range);
  return callValue(function, std::move(arguments), range);
}

/// The language's functions use their arguments, except a file to print to and types to compare
/// with: no value of a kernel has a class of host code.
LogicalResult Evaluator::requireKnownArguments(const lang::Builtin &builtin,
                                               const CallArguments &args, SourceRange range) {
  const bool isTypeTest = builtin.name == "isinstance";
  for (auto [i, value] : llvm::enumerate(args.positional))
    if (!(isTypeTest && i == 1) &&
        failed(requireKnown(value,
                            args.positionalRanges[i].isValid() ? args.positionalRanges[i] : range)))
      return failure();
  for (auto [i, keyword] : llvm::enumerate(args.keywords))
    if (keyword.first != "file" && !(isTypeTest && keyword.first == "type") &&
        failed(requireKnown(keyword.second, args.keywordRanges[i])))
      return failure();
  return success();
}

Result Evaluator::callValue(const Value &callee, CallArguments args, SourceRange range) {
  if (step(range))
    return failure();
  if (auto *function = callee.getIf<FunctionValue>())
    return inlineCall(*function->function, std::move(args), range);
  if (auto *builtin = callee.getIf<BuiltinValue>()) {
    if (failed(requireKnownArguments(*builtin->builtin, args, range)))
      return failure();
    auto bound = lang::bindArguments(at(range), *builtin->builtin, args.positional,
                                     args.positionalRanges, args.keywords, args.keywordRanges);
    if (failed(bound))
      return failure();
    return builtin->builtin->emit(at(range), *bound);
  }
  if (auto *bound = callee.getIf<BoundValue>()) {
    args.positional.insert(args.positional.begin(), *bound->self);
    args.positionalRanges.insert(args.positionalRanges.begin(), range);
    Value function = *bound->function;
    return callValue(function, std::move(args), range);
  }
  if (auto *type = callee.getIf<DType>()) {
    if (args.positional.size() != 1 || !args.keywords.empty())
      return error(range, "a dtype called as a conversion takes one value; write x.to(" +
                              type->str() + ")");
    if (failed(requireKnown(args.positional.front(), range)))
      return failure();
    auto converted = lang::cast(at(range), args.positional.front(), *type);
    if (failed(converted))
      return failure();
    return Value(*converted);
  }
  if (auto *classValue = callee.getIf<ClassValue>())
    return construct(*classValue, std::move(args), range);
  if (auto *space = callee.getIf<NamespaceValue>();
      space && (isHostModule(llvm::StringRef(space->path).split('.').first) ||
                isHostPath(llvm::StringRef(space->path).split('.').first) ||
                llvm::StringRef(space->path).starts_with(kHostBuiltins))) {
    for (const Value &argument : args.positional)
      if (failed(requireKnown(argument, range)))
        return failure();
    return callHost(space->path, args, range);
  }
  if (auto *opaque = callee.getIf<OpaqueValue>()) {
    if (const JitFunction *function = findHostFunction(*opaque)) {
      Result result = callHostFunction(*opaque, *function, args, range);
      if (succeeded(result) || quiet || frame().function)
        return result;
    }
    if (!hostRemedy.empty() && !opaque->isUnknown()) {
      OpaqueValue function = *opaque;
      function.remedy = hostRemedy;
      return opaqueError(function, range, "is not run");
    }
    return opaqueError(*opaque, range, "cannot be called in a kernel");
  }
  if (const TupleValue *tuple = callee.getTuple(); tuple && tuple->info)
    if (lookupMethod(*tuple->info, "__call__")) {
      auto member = getMember(tuple->info, &callee, "__call__", range);
      return failed(member) ? Result(failure()) : callValue(**member, std::move(args), range);
    }
  return error(range, callee.describe() + " cannot be called");
}

const JitFunction *Evaluator::findHostFunction(const OpaqueValue &callee) {
  // Outside of functions, globals are evaluated as host code does it.
  if (frame().function && !frame().function->isConstexpr)
    return nullptr;
  auto it = hostFunctions.find({callee.range.begin.file, callee.range.begin.offset});
  if (it == hostFunctions.end())
    return nullptr;
  return it->second.module->readHostFunction(*it->second.global, it->second.name);
}

Result Evaluator::callHostFunction(const OpaqueValue &callee, const JitFunction &function,
                                   CallArguments args, SourceRange range) {
  if (!enteredHost)
    enteredHost = callee;
  if (quiet || frame().function)
    return inlineCall(function, std::move(args), range);
  HostScope scope(*this);
  Result result = inlineCall(function, std::move(args), range);
  return succeeded(result) && !result->isConstexpr() ? Result(failure()) : result;
}

const Liveness &Evaluator::getLiveness(const FunctionDef &function) {
  auto &entry = livenessCache[&function];
  if (!entry)
    entry = std::make_unique<Liveness>(function);
  return *entry;
}

LogicalResult Evaluator::bindParameters(const JitFunction &function, CallArguments args,
                                        SourceRange range, Environment &out) {
  // `_logical_and` of the language's library is the method `logical_and`.
  llvm::StringRef known = function.qualifiedName;
  std::string quoted = "'" + (function.module == prelude ? known.ltrim('_') : known).str() + "'";
  Note definition{function.def->nameRange, quoted + " is defined here"};
  llvm::ArrayRef<Parameter> parameters = function.def->parameters;
  auto bindTo = [&](const Parameter &parameter, Value value, SourceRange place) {
    out.names[parameter.name] = Binding::bound(std::move(value), place);
  };
  size_t next = 0;
  std::vector<llvm::StringRef> names;
  const Parameter *surplus = nullptr; ///< `**kwargs`
  for (const Parameter &parameter : parameters) {
    const bool isVariadic =
        parameter.kind == ParameterKind::VarArgs || parameter.kind == ParameterKind::KwArgs;
    if (isVariadic && !function.isConstexpr && function.module != prelude)
      beyondTriton(parameter.range,
                   "'" + parameter.name + "', which takes any number of arguments,", "Y15",
                   "name the parameters, or pass a tuple");
    if (parameter.kind == ParameterKind::VarArgs) {
      std::vector<Value> rest(args.positional.begin() + std::min(next, args.positional.size()),
                              args.positional.end());
      next = std::max(next, args.positional.size());
      bindTo(parameter, Value::tuple(std::move(rest)), parameter.range);
      continue;
    }
    if (parameter.kind == ParameterKind::KwArgs) {
      surplus = &parameter;
      continue;
    }
    if (parameter.kind != ParameterKind::PositionalOnly)
      names.push_back(parameter.name);
    if (parameter.kind != ParameterKind::KeywordOnly && next < args.positional.size()) {
      bindTo(parameter, args.positional[next], parameter.range);
      ++next;
    }
  }
  if (next < args.positional.size())
    return errorWithNotes(args.positionalRanges[next],
                          quoted + " takes " + llvm::Twine(next) + " positional arguments, but " +
                              llvm::Twine(args.positional.size()) + " are given",
                          definition);
  auto rest = std::make_shared<TupleValue>();
  rest->typeName = "dict";
  for (auto [index, keyword] : llvm::enumerate(args.keywords)) {
    auto &[name, value] = keyword;
    SourceRange place = args.keywordRanges[index];
    if (!llvm::is_contained(names, name) && lang::isCompilerArgument(name))
      continue;
    if (!llvm::is_contained(names, name) && surplus) {
      if (llvm::is_contained(rest->names, name))
        return errorWithNotes(place, "'" + name + "' is given twice to " + quoted, definition);
      rest->names.push_back(name.str());
      rest->elements.push_back(std::move(value));
      continue;
    }
    if (!llvm::is_contained(names, name)) {
      auto near = findNearName(name, names);
      return errorWithNotes(place,
                            quoted + " has no parameter '" + name + "'" +
                                (near ? "; did you mean '" + near->str() + "'?" : std::string()),
                            definition);
    }
    if (out.names.count(name))
      return errorWithNotes(place, "parameter '" + name + "' of " + quoted + " is given twice",
                            definition);
    out.names[name] = Binding::bound(std::move(value), place);
  }
  if (surplus)
    bindMeta(function, out, std::move(rest));
  // Defaults belong to the callee's file.
  for (const Parameter &parameter : parameters) {
    if (out.names.count(parameter.name))
      continue;
    if (!parameter.defaultValue && lang::isCompilerArgument(parameter.name)) {
      bindTo(parameter, Value::none(), parameter.range);
      continue;
    }
    // What is not in `meta` is asked for only where the body comes to it.
    if (!parameter.defaultValue && llvm::is_contained(function.metaKeys, parameter.name))
      continue;
    if (!parameter.defaultValue)
      return errorWithNotes(
          range, "parameter '" + parameter.name + "' of " + quoted + " is not given", definition);
    frames.push_back(std::make_unique<Frame>());
    frame().module = function.module;
    frame().scope = getScope(function);
    if (frame().scope.empty())
      frame().place = parameter.defaultValue->range.begin.offset;
    Result value = evaluate(*parameter.defaultValue);
    frames.pop_back();
    if (failed(value))
      return failure();
    bindTo(parameter, std::move(*value), parameter.range);
  }
  return success();
}

static bool hasNumbers(const TupleValue &tuple) {
  return llvm::any_of(tuple.elements, [](const Value &element) {
    const TupleValue *inner = element.getTuple();
    return element.isConstNumber() || (inner && inner->isSequence() && hasNumbers(*inner));
  });
}

Value Evaluator::decay(const Value &value, SourceRange range) {
  if (value.isConstNumber()) {
    auto tensor = lang::toTensor(at(range), value);
    return succeeded(tensor) ? Value(*tensor) : Value();
  }
  const TupleValue *tuple = value.getTuple();
  if (!tuple || !tuple->isSequence()) // A record's numbers are what its fields are declared as.
    return value;
  // A tuple that grows in an unrolled loop is not copied needlessly each time.
  if (!hasNumbers(*tuple))
    return value;
  auto copy = std::make_shared<TupleValue>(*tuple);
  for (Value &element : copy->elements) {
    element = decay(element, range);
    if (!element.isValid())
      return Value();
  }
  return Value(std::move(copy));
}

Result Evaluator::inlineCall(const JitFunction &function, CallArguments args, SourceRange range,
                             const ClassInfo *constructs) {
  unsigned depth = 0, same = 0;
  for (const auto &active : frames) {
    depth += active->function != nullptr;
    same += active->function == &function;
  }
  if (depth >= Limits::kCallDepth)
    return fatalError(range,
                      "calls nest deeper than " + llvm::Twine(Limits::kCallDepth) +
                          (same ? "; '" + function.qualifiedName +
                                      "' calls itself, and helpers are inlined, so the "
                                      "recursion must end at compile time"
                                : std::string("; helpers are inlined, so call fewer levels")));
  auto next = std::make_unique<Frame>();
  unsigned errorsBefore = numErrors;
  if (failed(bindParameters(function, std::move(args), range, next->env)))
    return failure();
  next->function = &function;
  next->module = function.module;
  next->scope = getScope(function);
  if (frame().module == function.module)
    next->place = frame().place;
  next->liveness = &getLiveness(*function.def);
  next->callRange = range;
  next->callLoc = getLocation(range);
  if (constructs && !function.def->parameters.empty()) {
    next->constructs = constructs;
    next->self = function.def->parameters.front().name;
    next->entryDepth = regionDepth;
  }
  frames.push_back(std::move(next));
  llvm::scope_exit leave([&] { frames.pop_back(); });
  emitEntered(function.qualifiedName, function.def->parameters, function.def->nameRange);
  emitBlock(function.def->body);
  emitEvent(tile::DebugEvent::Leave, function.qualifiedName, function.def->nameRange);
  // Errors inside poison the result, so that its uses are silent.
  if (fatal || numErrors != errorsBefore)
    return failure();
  Environment &last = env();
  if (constructs) {
    if (last.result && !last.result->value.isNone())
      return errorWithNotes(last.result->place,
                            "'__init__' returns nothing, but this returns " +
                                last.result->value.describe(),
                            Note{function.def->nameRange, "'__init__' is defined here"});
    const Binding &self = last.names[frame().self];
    return self.isBound() ? Result(self.value) : Result(failure());
  }
  if (!last.result)
    return Value::none();
  // As in Triton, whose code may rely on it where the others are not taken.
  if (!last.unreachable && !last.result->value.isNone())
    warning(last.result->place, "'" + function.qualifiedName +
                                    "' returns a value on some paths only; its result is "
                                    "undefined on the others");
  return std::move(last.result->value);
}

} // namespace tilerun::sema
