// The expressions of host code: where the value of a name goes, and whether it may be changed
// there.
#include "frontend/ast/Bindings.h"
#include "frontend/module/HostUses.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

/// The effects on the elements of a value with the effect `flow`: they are in a new list, or pass
/// unchanged.
static Doubt ofElements(Doubt flow) { return flow == Doubt::None ? Doubt::None : Doubt::Elements; }
/// The effects on a value that is put into a list with the effect `flow`.
static Doubt ofElement(Doubt flow) { return flow == Doubt::None ? Doubt::None : Doubt::Value; }

static const std::string *getLiteral(const Expr *expr, std::string &out) {
  const auto *constant = dyn_cast_or_null<ConstantExpr>(expr);
  if (!constant || constant->constant != ConstantKind::String)
    return nullptr;
  out = constant->text.str();
  return &out;
}

/// Methods of lists, dicts and sets that change nothing.
static bool isReadingMethod(StringRef name) {
  return is_contained({"get", "items", "keys", "values", "copy", "index", "count", "union",
                       "intersection", "difference", "issubset", "issuperset"},
                      name);
}

/// Attributes that every object has and that say nothing of what it holds.
static bool isName(StringRef name) {
  return is_contained({"__name__", "__qualname__", "__module__", "__doc__", "__file__"}, name);
}

/// Functions, by their paths, that only read their arguments and keep no reference to them.
static bool isReadingFunction(StringRef path) {
  if (path.starts_with("triton.") || path.starts_with("math.") || path.starts_with("os.path.") ||
      path.starts_with("itertools."))
    return true;
  if (path.consume_front("torch."))
    return is_contained({"tensor", "as_tensor", "empty", "zeros", "ones", "full", "rand", "randn",
                         "randint", "arange", "finfo", "iinfo", "Size"},
                        path);
  if (path.consume_front("numpy."))
    return is_contained({"array", "asarray", "empty", "zeros", "ones", "full", "prod", "sum", "max",
                         "min", "mean", "arange"},
                        path);
  return is_contained({"copy.copy", "copy.deepcopy", "json.dumps", "pprint.pprint",
                       "pytest.mark.parametrize", "collections.namedtuple", "typing.NamedTuple"},
                      path);
}

void HostUses::useAll(ArrayRef<const Expr *> exprs, Doubt flow) {
  for (const Expr *expr : exprs)
    use(expr, flow);
}

void HostUses::use(const Expr *expr, Doubt flow) {
  if (!expr)
    return;
  switch (expr->kind) {
  case Kind::NameExpr: {
    const auto *name = cast<NameExpr>(expr);
    Resolved resolved = resolve(name->name);
    if (resolved.kind == Resolved::Kind::Variable)
      doubt(resolved.key, flow, expr->range);
    else if (resolved.kind == Resolved::Kind::Member)
      doubtMember(resolved.key, flow, expr->range);
    return;
  }
  case Kind::JoinedStrExpr:
    for (const JoinedPart &part : cast<JoinedStrExpr>(expr)->parts) {
      use(part.value, Doubt::None);
      for (const JoinedPart &format : part.format)
        use(format.value, Doubt::None);
    }
    return;
  case Kind::TupleExpr:
  case Kind::ListExpr:
  case Kind::SetExpr: {
    const auto *tuple = dyn_cast<TupleExpr>(expr);
    const auto *list = dyn_cast<ListExpr>(expr);
    for (const Expr *element : tuple  ? tuple->elements
                               : list ? list->elements
                                      : cast<SetExpr>(expr)->elements)
      use(element, ofElement(flow));
    return;
  }
  case Kind::DictExpr: {
    const auto *dict = cast<DictExpr>(expr);
    for (auto [key, value] : llvm::zip(dict->keys, dict->values)) {
      use(key, ofElement(flow));
      use(value, key ? ofElement(flow) : ofElements(flow));
    }
    return;
  }
  case Kind::UnaryExpr:
    return use(cast<UnaryExpr>(expr)->operand, Doubt::None);
  case Kind::BinaryExpr:
    use(cast<BinaryExpr>(expr)->lhs, ofElements(flow));
    return use(cast<BinaryExpr>(expr)->rhs, ofElements(flow));
  case Kind::BoolOpExpr:
    return useAll(cast<BoolOpExpr>(expr)->operands, flow);
  case Kind::CompareExpr:
    use(cast<CompareExpr>(expr)->first, Doubt::None);
    return useAll(cast<CompareExpr>(expr)->rest, Doubt::None);
  case Kind::TernaryExpr:
    use(cast<TernaryExpr>(expr)->condition, Doubt::None);
    use(cast<TernaryExpr>(expr)->thenValue, flow);
    return use(cast<TernaryExpr>(expr)->elseValue, flow);
  case Kind::CallExpr:
    return useCall(*cast<CallExpr>(expr), flow);
  case Kind::AttributeExpr:
    return useAttribute(*cast<AttributeExpr>(expr), flow);
  case Kind::SubscriptExpr: {
    const auto *subscript = cast<SubscriptExpr>(expr);
    use(subscript->index, Doubt::None);
    if (isNamespace(subscript->value))
      return useNamespaceItem(subscript->value, subscript->index, flow, expr->range);
    return use(subscript->value, ofElements(flow));
  }
  case Kind::SliceExpr:
    use(cast<SliceExpr>(expr)->lower, Doubt::None);
    use(cast<SliceExpr>(expr)->upper, Doubt::None);
    return use(cast<SliceExpr>(expr)->step, Doubt::None);
  case Kind::StarredExpr:
    return use(cast<StarredExpr>(expr)->value, ofElements(flow));
  case Kind::LambdaExpr: {
    const auto *lambda = cast<LambdaExpr>(expr);
    readParameters(lambda->parameters);
    push(Scope::Kind::Function, "<lambda>");
    for (const Parameter &parameter : lambda->parameters)
      scopes.back().locals.insert(parameter.name);
    use(lambda->body, Doubt::Value);
    scopes.pop_back();
    return;
  }
  case Kind::NamedExpr: {
    const auto *named = cast<NamedExpr>(expr);
    storeName(named->target->name, expr->range);
    return use(named->value, Doubt::Value);
  }
  case Kind::ComprehensionExpr:
    return useComprehension(*cast<ComprehensionExpr>(expr), flow);
  case Kind::AwaitExpr:
    return use(cast<AwaitExpr>(expr)->value, Doubt::Value);
  case Kind::YieldExpr:
    return use(cast<YieldExpr>(expr)->value, Doubt::Value);
  default:
    return; // Constants.
  }
}

void HostUses::useAttribute(const AttributeExpr &e, Doubt flow) {
  if (isName(e.name))
    return use(e.value, Doubt::None);
  if (getPath(&e) == "sys.modules")
    holdsItself = true;
  doubtMember(e.name, flow, e.range);
  doubtForeign(e.value, e.name, flow, e.range);
  if (flow != Doubt::None)
    attributes[e.name].add({flow, e.range});
  // `f = L.append`, `add = L.__iadd__`
  const bool isMethod = is_contained({"append", "extend", "insert", "remove", "pop", "clear",
                                      "update", "setdefault", "popitem", "sort", "reverse"},
                                     e.name) ||
                        e.name.starts_with("__");
  use(e.value, flow == Doubt::None       ? Doubt::None
               : isMethod                ? Doubt::Value
               : isReadingMethod(e.name) ? Doubt::Elements
                                         : Doubt::None);
}

void HostUses::useComprehension(const ComprehensionExpr &e, Doubt flow) {
  push(Scope::Kind::Comprehension, "");
  for (const ComprehensionFor &clause : e.clauses) {
    use(clause.iterable, Doubt::Elements);
    forEachTarget(clause.target, [&](StringRef name) { scopes.back().locals.insert(name); });
    useAll(clause.conditions, Doubt::None);
  }
  use(e.key, ofElement(flow));
  use(e.element, ofElement(flow));
  scopes.pop_back();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void HostUses::useArguments(const CallExpr &e, Doubt flow) {
  useAll(e.args, flow); // `*x` passes elements.
  for (const Keyword &keyword : e.keywords)
    use(keyword.value, keyword.name.empty() ? ofElements(flow) : flow);
}

/// `kernel[grid](…)`, `kernel.warmup(…)`, `kernel.run(…)`, and calls of functions for kernels.
bool HostUses::isLaunch(const Expr *callee) const {
  if (const auto *subscript = dyn_cast<SubscriptExpr>(callee))
    callee = subscript->value;
  else if (const auto *attribute = dyn_cast<AttributeExpr>(callee);
           attribute && (attribute->name == "warmup" || attribute->name == "run"))
    callee = attribute->value;
  const Global *global = findGlobal(callee);
  return global && global->kind == Global::Kind::Jit;
}

void HostUses::useCall(const CallExpr &e, Doubt flow) {
  if (isLaunch(e.callee)) {
    if (const auto *subscript = dyn_cast<SubscriptExpr>(e.callee))
      use(subscript->index, Doubt::None);
    return useArguments(e, Doubt::None);
  }
  if (const auto *name = dyn_cast<NameExpr>(e.callee);
      name && isBuiltin(name->name) && useBuiltinCall(e, name->name, flow))
    return;
  std::string path = getPath(e.callee);
  StringRef last = StringRef(path).substr(path.rfind('.') + 1);
  if (last == "import_module" || last == "__import__" || last == "getmodule")
    holdsItself = true;
  if (isReadingFunction(path)) {
    use(e.callee, Doubt::None);
    return useArguments(e, ofElements(flow));
  }
  if (const auto *method = dyn_cast<AttributeExpr>(e.callee))
    return useMethodCall(e, *method, flow);
  if (const Global *global = findGlobal(e.callee); global && global->kind == Global::Kind::Class)
    use(e.callee, Doubt::Elements); // A value reaches the lists in its class.
  else                              // Perhaps a method of something.
    use(e.callee, isa<NameExpr>(e.callee) ? Doubt::None : Doubt::Value);
  useArguments(e, Doubt::Value);
}

void HostUses::useMethodCall(const CallExpr &e, const AttributeExpr &method, Doubt flow) {
  const Expr *self = method.value;
  std::string literal;
  if (isNamespace(self)) {
    const bool isRead = isReadingMethod(method.name) || method.name.starts_with("__contains");
    const Doubt done = isRead ? flow : Doubt::Binding;
    // `globals().update(F=1)`
    const bool hasKey = method.name != "update" && !e.args.empty();
    for (const Keyword &keyword : e.keywords)
      if (method.name == "update" && !keyword.name.empty()) {
        ConstantExpr key;
        key.kind = Kind::ConstantExpr;
        key.constant = ConstantKind::String;
        key.text = keyword.name;
        useNamespaceItem(self, &key, Doubt::Binding, e.range);
      }
    const bool isKnown = method.name == "update" && e.args.empty() &&
                         llvm::all_of(e.keywords, [](const Keyword &k) { return !k.name.empty(); });
    if (!isKnown)
      useNamespaceItem(self, hasKey ? e.args[0] : nullptr, done, e.range);
    return useArguments(e, Doubt::Value);
  }
  if (method.name == "__setattr__" || method.name == "__delattr__") {
    // `type.__setattr__(Cfg, "FAST", 1)`, `Cfg.__setattr__("FAST", 1)`
    StringRef name;
    for (const Expr *arg : e.args)
      if (name.empty() && getLiteral(arg, literal))
        name = literal;
    storeAttribute(e.args.size() == 3 ? e.args[0] : self, name, e.range);
    return useArguments(e, Doubt::Value);
  }
  // Methods of strings only read their arguments.
  const bool isText = isa<JoinedStrExpr>(self) || getLiteral(self, literal);
  if (isReadingMethod(method.name)) {
    doubtMember(method.name, Doubt::None, e.range);
    use(self, ofElements(flow));
    return useArguments(e, Doubt::Value);
  }
  // As if the method were taken and called elsewhere.
  useAttribute(method, Doubt::Value);
  useArguments(e, isText ? Doubt::None : Doubt::Value);
}

bool HostUses::useBuiltinCall(const CallExpr &e, StringRef name, Doubt flow) {
  enum class What { Reads, Holds, Gets, Sets, Runs, Evaluates, Names, Other };
  What what =
      StringSwitch<What>(name)
          .Cases({"len", "range", "print", "str", "repr", "isinstance", "issubclass"}, What::Reads)
          .Cases({"bool", "int", "float", "abs", "hash", "id", "any", "all", "sum"}, What::Reads)
          .Cases({"format", "callable", "hasattr", "ascii", "bin", "hex", "oct"}, What::Reads)
          .Cases({"ord", "chr", "round", "divmod", "pow", "super", "complex", "bytes"}, What::Reads)
          .Cases({"list", "tuple", "set", "frozenset", "dict", "enumerate", "zip"}, What::Holds)
          .Cases({"reversed", "iter", "next", "min", "max", "sorted", "map", "filter"}, What::Holds)
          .Case("getattr", What::Gets)
          .Cases({"setattr", "delattr"}, What::Sets)
          .Cases({"exec", "execfile", "__import__"}, What::Runs)
          .Case("eval", What::Evaluates)
          .Cases({"globals", "vars", "locals"}, What::Names)
          .Default(What::Other);
  std::string literal;
  switch (what) {
  case What::Reads:
    useArguments(e, Doubt::None);
    return true;
  case What::Holds:
    // A function among the arguments gets the elements.
    useArguments(e, e.keywords.empty() && name != "map" && name != "filter" ? ofElements(flow)
                                                                            : Doubt::Elements);
    return true;
  case What::Gets: {
    if (e.args.size() < 2)
      return false;
    const bool isKnown = getLiteral(e.args[1], literal);
    doubtMember(isKnown ? literal : "", flow, e.range);
    doubtForeign(e.args[0], isKnown ? literal : "", flow, e.range);
    if (flow != Doubt::None)
      attributes[isKnown ? literal : ""].add({flow, e.range});
    use(e.args[0], ofElement(flow)); // Perhaps a method of it.
    useAll(ArrayRef(e.args).drop_front(2), flow);
    return true;
  }
  case What::Sets:
    if (e.args.size() < 2)
      return false;
    storeAttribute(e.args[0], getLiteral(e.args[1], literal) ? StringRef(literal) : "", e.range);
    useArguments(e, Doubt::None);
    useAll(ArrayRef(e.args).drop_front(2), Doubt::Value);
    return true;
  case What::Runs:
  case What::Evaluates: {
    if (name == "__import__") {
      holdsItself = true;
      return false;
    }
    // Code that is given a namespace of its own sees no other names.
    const bool isApart = e.args.size() > 1 && isa<DictExpr>(e.args[1]);
    if (!isApart)
      doubtEverything(what == What::Runs ? Doubt::Binding : Doubt::Value, e.range);
    useArguments(e, Doubt::Value);
    return true;
  }
  case What::Names:
    // Its uses are checked where an item is taken or set (isNamespace).
    if (isNamespace(&e) && flow != Doubt::None)
      useNamespaceItem(&e, nullptr, Doubt::Binding, e.range);
    useArguments(e, Doubt::None);
    return true;
  case What::Other:
    return false;
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Names as items
//===----------------------------------------------------------------------===//

bool HostUses::isNamespace(const Expr *expr) const {
  if (const auto *attribute = dyn_cast<AttributeExpr>(expr))
    return attribute->name == "__dict__";
  const auto *call = dyn_cast<CallExpr>(expr);
  const auto *name = call ? dyn_cast<NameExpr>(call->callee) : nullptr;
  if (!name || !isBuiltin(name->name))
    return false;
  if (name->name == "globals" || (name->name == "vars" && !call->args.empty()))
    return true;
  // Those of a function are its own.
  return atModuleLevel() && (name->name == "vars" || name->name == "locals");
}

void HostUses::useNamespaceItem(const Expr *space, const Expr *key, Doubt flow, SourceRange place) {
  std::string literal;
  const bool isKnown = getLiteral(key, literal);
  const Expr *object = nullptr; // Whose attributes they are; null: this module's.
  if (const auto *attribute = dyn_cast<AttributeExpr>(space))
    object = attribute->value;
  else if (const auto *call = cast<CallExpr>(space); !call->args.empty())
    object = call->args[0];
  if (!object) {
    isKnown ? doubt(literal, flow, place) : doubtEverything(flow, place);
    return;
  }
  use(object, Doubt::None);
  if (flow == Doubt::Binding)
    return storeAttribute(object, isKnown ? StringRef(literal) : "", place);
  doubtMember(isKnown ? literal : "", flow, place);
  doubtForeign(object, isKnown ? literal : "", flow, place);
}

} // namespace tilerun
