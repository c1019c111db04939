// Classes of kernel source: what kind each is, its fields, and what `x.name` finds in it. A kernel
// makes values of named tuples and of records (`@triton.aggregate`); other classes hold constants.
#include "frontend/ast/Bindings.h"
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilerun::sema {

using namespace ast;

/// The name that a decorator or a base has where it is defined: `record` of `from
/// triton.language.core import _aggregate as record` is "_aggregate". Empty for other expressions.
static llvm::StringRef getDefinedName(const LoadedModule *module, const Expr *expr) {
  for (unsigned depth = 0; expr && depth < 16; ++depth) {
    if (const auto *call = llvm::dyn_cast<CallExpr>(expr)) {
      expr = call->callee;
      continue;
    }
    if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(expr))
      return attribute->name;
    const auto *name = llvm::dyn_cast<NameExpr>(expr);
    if (!name)
      return "";
    const Global *global = module ? module->lookup(name->name) : nullptr;
    if (global && global->kind == Global::Kind::ImportedName)
      return global->importedName;
    if (!global || global->kind != Global::Kind::Value)
      return name->name;
    expr = global->value;
  }
  return "";
}

static bool isNamedTupleCall(const LoadedModule *module, const Expr *expr) {
  llvm::StringRef name = getDefinedName(module, expr);
  return llvm::isa<CallExpr>(expr) && (name == "namedtuple" || name == "NamedTuple");
}

/// An annotation whose values are compile-time ones.
static bool isConstexprField(const Expr *annotation) {
  if (isConstexprAnnotation(annotation))
    return true;
  const auto *name = llvm::dyn_cast_or_null<NameExpr>(annotation);
  return name && (name->name == "str" || name->name == "dtype");
}

/// Bases that leave the constants of a class as they are.
static bool isPlainBase(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"object", "ABC", "Protocol", "Generic", "NamedTuple", "TypedDict", "Exception"}, true)
      .Cases({"Module", "Function", "IntEnum", "IntFlag", "StrEnum", "int", "str"}, true)
      .Default(false);
}

/// `class Kind(str, Enum)`: members are strings, as those of an IntEnum are integers.
static bool mixesIn(const LoadedModule &module, const ClassDef &definition) {
  return llvm::any_of(definition.bases, [&](const Expr *base) {
    llvm::StringRef name = getDefinedName(&module, base);
    return name == "int" || name == "str";
  });
}

ClassValue Evaluator::makeClass(LoadedModule &module, llvm::StringRef scope,
                                const ClassDef &definition) {
  auto info = std::make_shared<ClassInfo>();
  info->name = definition.name.str();
  info->definition = &definition;
  info->module = &module;
  info->scope = scope.str();
  for (const Expr *decorator : definition.decorators) {
    llvm::StringRef name = getDefinedName(&module, decorator);
    if (name == "aggregate" || name == "_aggregate")
      info->kind = ClassInfo::Kind::Record;
    else
      info->unknownDecorator = name.empty() ? "…" : name.str();
  }
  // A metaclass can turn a class into anything.
  for (const Keyword &keyword : definition.keywords)
    if (keyword.name != "metaclass" || getDefinedName(&module, keyword.value) != "ABCMeta")
      info->unknownBase = "its metaclass";
  bool hasOwnFields = true;
  for (const Expr *base : definition.bases) {
    if (!llvm::isa<CallExpr>(base) && getDefinedName(&module, base) == "NamedTuple") {
      info->kind = ClassInfo::Kind::NamedTuple;
      continue;
    }
    const Expr *baseName = base; // `Generic[T]`
    if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(base))
      baseName = subscript->value;
    const llvm::StringRef known = getDefinedName(&module, baseName);
    const bool isEnum = known == "Enum" || known == "Flag";
    const bool isPlain = isPlainBase(known) || (isEnum && mixesIn(module, definition));
    if (!llvm::isa<NameExpr, AttributeExpr>(base) && !isNamedTupleCall(&module, base)) {
      if (!isPlain)
        info->unknownBase = "the base of its class";
      continue;
    }
    Value value = evaluateGlobal(module, definition.name, *base, base->range, scope);
    const auto *parent = value.getIf<ClassValue>();
    if (!parent) {
      if (!isPlain && isEnum)
        info->isEnum = true, info->isFlag |= known == "Flag";
      else if (!isPlain)
        info->unknownBase = "the base '" + known.str() + "'";
      continue;
    }
    if (info->unknownBase.empty())
      info->unknownBase = parent->info->unknownBase;
    info->isEnum |= parent->info->isEnum;
    info->isFlag |= parent->info->isFlag;
    info->bases.push_back(parent->info);
    if (info->kind == ClassInfo::Kind::Constants)
      info->kind = parent->info->kind;
    // A subclass of a named tuple only adds methods.
    hasOwnFields &= parent->info->kind != ClassInfo::Kind::NamedTuple;
    for (const ClassInfo::Field &field : parent->info->fields)
      if (info->fields.size() <= Limits::kFields && !info->findField(field.name))
        info->fields.push_back(field);
  }
  if (info->kind == ClassInfo::Kind::Constants || !hasOwnFields)
    return {info};
  for (const Stmt *statement : definition.body) {
    const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(statement);
    const auto *name = annotated ? llvm::dyn_cast<NameExpr>(annotated->target) : nullptr;
    if (!name || getDefinedName(&module, annotated->annotation) == "ClassVar")
      continue;
    ClassInfo::Field field;
    field.name = name->name.str();
    field.annotation = annotated->annotation;
    field.defaultValue = annotated->value;
    field.isConstexpr =
        info->kind == ClassInfo::Kind::Record && isConstexprField(annotated->annotation);
    field.range = annotated->range;
    if (auto known = info->findField(field.name))
      info->fields[*known] = std::move(field);
    else if (info->fields.size() <= Limits::kFields)
      info->fields.push_back(std::move(field));
  }
  return {info};
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The last definition of a method in a class; null if it has none.
static const FunctionDef *findMethod(const ClassInfo &info, llvm::StringRef name) {
  if (!info.definition)
    return nullptr;
  for (const Stmt *statement : llvm::reverse(info.definition->body))
    if (const auto *def = llvm::dyn_cast<FunctionDef>(statement))
      if (def->name == name)
        return def;
  return nullptr;
}

std::optional<Evaluator::Method> Evaluator::lookupMethod(const ClassInfo &info,
                                                         llvm::StringRef name) {
  const FunctionDef *def = findMethod(info, name);
  if (!def) {
    for (const auto &base : info.bases)
      if (auto method = lookupMethod(*base, name))
        return method;
    return std::nullopt;
  }
  Method method;
  bool isJit = false;
  for (const Expr *decorator : def->decorators) {
    llvm::StringRef known = getDefinedName(info.module, decorator);
    auto kind = llvm::StringSwitch<std::optional<Method::Kind>>(known)
                    .Cases({"jit", "constexpr_function", "must_use_result"}, method.kind)
                    .Case("staticmethod", Method::Kind::Static)
                    .Case("classmethod", Method::Kind::OfClass)
                    .Cases({"property", "cached_property"}, Method::Kind::Property)
                    .Default(std::nullopt);
    isJit |= known == "jit";
    if (kind)
      method.kind = *kind;
    else
      method.unknownDecorator = known.empty() ? "…" : known.str();
  }
  if (isJit) // Others, such as autotune, say how it is launched.
    method.unknownDecorator.clear();
  // Functions without @triton.jit are Python's own: they compute with compile-time values.
  std::unique_ptr<JitFunction> &function = methods[def];
  if (!function) {
    function = std::make_unique<JitFunction>();
    function->def = def;
    function->module = info.module;
    function->qualifiedName =
        (info.scope.empty() ? "" : info.scope + ".") + info.name + "." + name.str();
    function->isConstexpr = !isJit;
  }
  method.function = function.get();
  return method;
}

namespace {
/// Where the body of a class binds a name.
struct ConstantBinding {
  const Stmt *statement = nullptr; ///< Null: it does not.
  const Expr *value = nullptr;     ///< Null: it is unknown without running the body.
};
} // namespace

/// A name that is bound twice, under a condition, or by parts has no value that is known.
static ConstantBinding findConstant(const ClassDef &definition, llvm::StringRef name) {
  ConstantBinding out;
  for (const Stmt *statement : definition.body) {
    unsigned count = 0;
    forEachBinding(
        statement, [&](llvm::StringRef bound) { count += bound == name; },
        [](const GlobalStmt &) {});
    if (count == 0)
      continue;
    const Expr *value = nullptr;
    auto isName = [&](const Expr *target) {
      const auto *targetName = llvm::dyn_cast<NameExpr>(target);
      return targetName && targetName->name == name;
    };
    if (const auto *assign = llvm::dyn_cast<AssignStmt>(statement))
      value = llvm::any_of(assign->targets, isName) ? assign->value : nullptr;
    else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(statement))
      value = annotated->value;
    // `x: int` alone declares a field.
    if (llvm::isa<AnnAssignStmt>(statement) && !value)
      continue;
    out = {statement, out.statement || count > 1 ? nullptr : value};
  }
  return out;
}

/// Whether methods of an enumeration or its bases make its members, or decide what they equal.
static bool makesMembers(const ClassInfo &info) {
  for (const char *name : {"__new__", "__init__", "__eq__", "__ne__", "__bool__", "__len__",
                           "_generate_next_value_", "value", "name"})
    if (findMethod(info, name))
      return true;
  return llvm::any_of(info.bases, [](const auto &base) { return makesMembers(*base); });
}

/// What `enum.auto()` gives a member: its number, if all members before it have it as well.
static std::optional<PyInt> countAutoMembers(const ClassInfo &info, llvm::StringRef name) {
  PyInt count = 0;
  for (const Stmt *statement : info.definition->body) {
    const auto *assign = llvm::dyn_cast<AssignStmt>(statement);
    if (!assign) {
      if (llvm::isa<FunctionDef, ExprStmt, PassStmt>(statement))
        continue;
      return std::nullopt;
    }
    const auto *target = llvm::dyn_cast<NameExpr>(assign->targets.front());
    const auto *call = llvm::dyn_cast<CallExpr>(assign->value);
    if (!target || assign->targets.size() != 1 || !call || !call->args.empty() ||
        !call->keywords.empty() || getDefinedName(info.module, call) != "auto")
      return std::nullopt;
    ++count;
    if (target->name == name)
      return count;
  }
  return std::nullopt;
}

/// `Color.RED` of `class Color(enum.Enum)`, which is an object that equals nothing but itself. A
/// member of an `enum.Flag` may also be a set of others, of which nothing is known here.
Value Evaluator::makeEnumMember(const ClassInfo &info, llvm::StringRef name, SourceRange range,
                                Value value, bool canGive) {
  const std::string qualified = info.name + "." + name.str();
  OpaqueValue member{"'" + qualified + "'", range};
  member.remedy = "use " + qualified + ".value, or derive the class from enum." +
                  (info.isFlag ? "IntFlag" : "IntEnum");
  if (info.isFlag) {
    member.cause = "a member of an enum.Flag is an object, which kernels cannot use";
    if (canGive) {
      if (const ConstantArgument *constant = findGiven(qualified))
        return makeValue(*constant, *info.module);
      member.name = qualified;
      member.remedy += ", or pass its value, " + qualified + "=…, with the kernel's arguments";
    }
  }
  member.member = std::make_shared<EnumMember>(
      EnumMember{info.shared_from_this(), name.str(), std::move(value)});
  return Value(std::move(member));
}

Value Evaluator::evaluateClassConstant(const ClassInfo &info, llvm::StringRef name,
                                       SourceRange range, const Expr *expr) {
  const std::string qualified = info.name + "." + name.str();
  // Of a class at module level a signature may give it.
  const Global *own = info.scope.empty() ? info.module->findBinding("", info.name) : nullptr;
  const bool canGive = !info.module->isProvided && own && own->classDef == info.definition;
  auto unknown = [&](const llvm::Twine &cause) {
    return makeUnknown(*info.module, "'" + qualified + "'", range, "", cause);
  };
  std::optional<OpaqueValue> opaque;
  Value value;
  if (!expr)
    opaque = unknown("it is decided by the body of the class, which is not run");
  else if (!info.unknownBase.empty())
    opaque = unknown("the effect of " + info.unknownBase + " on it is unknown");
  else if (info.isEnum && makesMembers(info))
    opaque = unknown("its class has methods that decide what a member is, and they are not run");
  else if (auto number = info.isEnum && !info.isFlag ? countAutoMembers(info, name) : std::nullopt)
    value = Value(*number);
  else if (value = evaluateGlobal(*info.module, qualified, *expr, range, info.scope, &info);
           const OpaqueValue *part = info.isEnum ? value.findUnknown() : value.asUnknown())
    opaque = *part;
  else if (auto change = findMemberChange(info, name, value))
    opaque = unknown(describeChange(*change, range));
  if (!opaque && info.isEnum)
    return makeEnumMember(info, name, range, std::move(value), canGive);
  if (!opaque)
    return value;
  if (canGive) {
    if (const ConstantArgument *constant = findGiven(qualified))
      return makeValue(*constant, *info.module);
    opaque->name = qualified;
    opaque->remedy.clear();
  }
  return Value(std::move(*opaque));
}

std::optional<Value> Evaluator::lookupClassConstant(const ClassInfo &info, llvm::StringRef name) {
  auto [it, isNew] = classConstants.try_emplace({&info, name.str()});
  if (!isNew && it->second.isValid())
    return it->second;
  auto found = [&](Value value) {
    classConstants[{&info, name.str()}] = value;
    return std::optional<Value>(std::move(value));
  };
  ConstantBinding binding =
      info.definition ? findConstant(*info.definition, name) : ConstantBinding();
  if (const auto *inner = llvm::dyn_cast_or_null<ClassDef>(binding.statement)) {
    found(Value(OpaqueValue{"a class that is its own base", inner->nameRange}));
    return found(Value(makeClass(*info.module, info.scope, *inner)));
  }
  if (binding.statement && !llvm::isa<FunctionDef>(binding.statement)) {
    found(Value(OpaqueValue{"'" + info.name + "." + name.str() + "'", binding.statement->range,
                            "it is defined by itself"}));
    return found(evaluateClassConstant(info, name, binding.statement->range, binding.value));
  }
  for (const auto &base : info.bases)
    if (auto value = lookupClassConstant(*base, name))
      return value;
  return std::nullopt;
}

static Value bindTo(Value self, Value function) {
  return Value(BoundValue{std::make_shared<Value>(std::move(self)),
                          std::make_shared<Value>(std::move(function))});
}

/// A member of a class that is not a field. `self` is a value of the class, or null for `Foo.name`.
/// None if there is no such member.
FailureOr<std::optional<Value>> Evaluator::getMember(const std::shared_ptr<const ClassInfo> &info,
                                                     const Value *self, llvm::StringRef name,
                                                     SourceRange range) {
  if (auto method = lookupMethod(*info, name)) {
    if (!method->unknownDecorator.empty()) {
      return LogicalResult(errorWithNotes(
          range,
          "'" + method->function->qualifiedName + "' is decorated with '@" +
              method->unknownDecorator +
              "', which kernels do not know; use @triton.jit, @triton.constexpr_function, "
              "@property, @staticmethod or @classmethod",
          Note{method->function->def->nameRange, "defined here"}));
    }
    Value function(FunctionValue{method->function});
    switch (method->kind) {
    case Method::Kind::Static:
      return std::optional<Value>(std::move(function));
    case Method::Kind::OfClass:
      return std::optional<Value>(bindTo(Value(ClassValue{info}), std::move(function)));
    case Method::Kind::Property: {
      if (!self)
        break;
      Result value = call(function, {*self}, range);
      if (failed(value))
        return failure();
      return std::optional<Value>(std::move(*value));
    }
    case Method::Kind::OfValue:
      if (!self)
        break;
      return std::optional<Value>(bindTo(*self, std::move(function)));
    }
    return std::optional<Value>(std::move(function));
  }
  if (auto constant = lookupClassConstant(*info, name))
    return constant;
  if (name == "_fields" && info->kind == ClassInfo::Kind::NamedTuple) {
    std::vector<Value> names;
    for (const ClassInfo::Field &field : info->fields)
      names.push_back(Value::string(field.name));
    return std::optional<Value>(Value::tuple(std::move(names)));
  }
  if (name == "__name__" && !self)
    return std::optional<Value>(Value::string(info->name));
  return std::optional<Value>();
}

/// All names of a class, for "did you mean".
static void listMembers(const ClassInfo &info, bool withFields, std::vector<llvm::StringRef> &out) {
  if (withFields)
    for (const ClassInfo::Field &field : info.fields)
      out.push_back(field.name);
  for (const Stmt *statement : info.definition ? info.definition->body : Block()) {
    if (const auto *def = llvm::dyn_cast<FunctionDef>(statement))
      out.push_back(def->name);
    else if (const auto *assign = llvm::dyn_cast<AssignStmt>(statement))
      for (const Expr *target : assign->targets)
        if (const auto *name = llvm::dyn_cast<NameExpr>(target))
          out.push_back(name->name);
  }
  for (const auto &base : info.bases)
    listMembers(*base, /*withFields=*/false, out);
}

Result Evaluator::getInstanceMember(const Value &base, llvm::StringRef name, SourceRange range) {
  const TupleValue &tuple = *base.getTuple();
  if (auto index = tuple.info->findField(name)) {
    const Value &element = tuple.elements[*index];
    if (element.isValid())
      return element;
    return error(range, "field '" + name + "' of '" + tuple.info->name +
                            "' is read before '__init__' sets it");
  }
  auto member = getMember(tuple.info, &base, name, range);
  if (failed(member))
    return failure();
  if (*member)
    return std::move(**member);
  std::vector<llvm::StringRef> names;
  listMembers(*tuple.info, /*withFields=*/true, names);
  auto near = findNearName(name, names);
  llvm::SmallVector<Note> notes;
  if (tuple.info->definition)
    notes.push_back(
        {tuple.info->definition->nameRange, "'" + tuple.info->name + "' is defined here"});
  return errorWithNotes(range,
                        base.describe() + " has no field '" + name + "'" +
                            (near ? "; did you mean '" + near->str() + "'?" : std::string()),
                        notes);
}

Result Evaluator::getClassMember(const ClassValue &classValue, llvm::StringRef name,
                                 SourceRange range) {
  auto member = getMember(classValue.info, nullptr, name, range);
  if (failed(member))
    return failure();
  if (*member)
    return std::move(**member);
  std::vector<llvm::StringRef> names;
  listMembers(*classValue.info, /*withFields=*/false, names);
  auto near = findNearName(name, names);
  if (classValue.info->findField(name))
    return error(range, "'" + name + "' is a field: read it from a value of the class '" +
                            classValue.info->name + "', not from the class");
  return error(range, "the class '" + classValue.info->name + "' has no compile-time constant '" +
                          name + "'" +
                          (near ? "; did you mean '" + near->str() + "'?" : std::string()));
}

std::optional<Value> Evaluator::findMember(const Value &base, llvm::StringRef name,
                                           SourceRange range) {
  if (auto *space = base.getIf<NamespaceValue>(); space && space->module)
    return lookupGlobal(*space->module, name);
  const TupleValue *tuple = base.getTuple();
  auto *classValue = base.getIf<ClassValue>();
  if (!classValue && !(tuple && tuple->info))
    return std::nullopt;
  if (tuple)
    if (auto index = tuple->info->findField(name)) {
      const Value &element = tuple->elements[*index];
      return element.isValid() ? std::optional<Value>(element) : std::nullopt;
    }
  auto member =
      getMember(tuple ? tuple->info : classValue->info, tuple ? &base : nullptr, name, range);
  return succeeded(member) ? std::move(*member) : std::nullopt;
}

Result Evaluator::callOperator(const Value &base, llvm::StringRef name, llvm::ArrayRef<Value> args,
                               SourceRange range, bool &found) {
  const TupleValue *tuple = base.getTuple();
  found = tuple && tuple->info && lookupMethod(*tuple->info, name);
  if (!found)
    return failure();
  auto member = getMember(tuple->info, &base, name, range);
  if (failed(member))
    return failure();
  return call(**member, args, range);
}

} // namespace tilerun::sema
