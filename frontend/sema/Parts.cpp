// Parts of values: attributes, subscripts, iteration, comprehensions.
#include "frontend/lang/Emit.h"
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

using namespace ast;

Result Evaluator::evaluateAttribute(const AttributeExpr &e) {
  Result base = evaluate(*e.value);
  if (failed(base))
    return failure();
  return getAttribute(*base, e.name, e.nameRange.isValid() ? e.nameRange : e.range);
}

/// The value of `a.b` after `import a.b.c`; none without such an import.
std::optional<Value> Evaluator::findSubmodule(const NamespaceValue &space, llvm::StringRef name) {
  if (!frame().module)
    return std::nullopt;
  const auto &imported = frame().module->importedModules;
  std::string full = space.path + "." + name.str();
  auto it = imported.lower_bound(full);
  if (it != imported.end() && it->first == full)
    return Value(NamespaceValue{full, it->second});
  if (it != imported.end() && llvm::StringRef(it->first).starts_with(full + "."))
    return Value(NamespaceValue{full, nullptr}); // A folder without __init__.py.
  return std::nullopt;
}

Result Evaluator::getAttribute(const Value &base, llvm::StringRef name, SourceRange range) {
  if (auto *space = base.getIf<NamespaceValue>(); space && !isHostModule(space->path))
    if (!space->module || !space->module->lookup(name))
      if (auto submodule = findSubmodule(*space, name))
        return *submodule;
  if (auto *space = base.getIf<NamespaceValue>(); space && space->module) {
    if (auto value = lookupGlobal(*space->module, name))
      return *value;
    std::vector<llvm::StringRef> names = space->module->globalNames();
    auto near = findNearName(name, names);
    // Placeholders for objects and modules of a process have their own names there.
    llvm::StringRef known =
        llvm::StringRef(space->path).starts_with("__") ? space->module->path : space->path;
    return error(range, "'" + known + "' has no '" + name + "'" +
                            (near ? "; did you mean '" + near->str() + "'?" : std::string()));
  }
  if (auto *space = base.getIf<NamespaceValue>();
      space && (isHostModule(space->path) || isHostPath(space->path)))
    return getHostMember(space->path, name, range);
  if (auto *space = base.getIf<NamespaceValue>(); space && space->path == "triton")
    if (auto value = lookupHostPath(space->path, name))
      return *value;
  if (auto *space = base.getIf<NamespaceValue>();
      space && llvm::StringRef(space->path).split('.').first != "triton")
    return foreignMember(space->path, name, range);
  if (auto *opaque = base.getIf<OpaqueValue>()) {
    if (opaque->member && name == "value")
      return opaque->member->isConstexpr ? Value(opaque->inConstexpr(false))
                                         : opaque->member->value;
    if (opaque->member && name == "name")
      return Value::string(opaque->member->name);
    return opaqueError(*opaque, range, "cannot be used in a kernel");
  }
  if (auto *classValue = base.getIf<ClassValue>())
    return getClassMember(*classValue, name, range);
  if (const TupleValue *tuple = base.getTuple(); tuple && tuple->info)
    return getInstanceMember(base, name, range);
  if (const TupleValue *tuple = base.getTuple()) {
    for (auto [field, element] : llvm::zip(tuple->names, tuple->elements))
      if (field == name && !tuple->isDict())
        return element;
    if (!tuple->names.empty()) {
      if (std::optional<Value> found = lang::findAttribute(at(range), base, name))
        return *found;
      std::vector<llvm::StringRef> names(tuple->names.begin(), tuple->names.end());
      auto near = findNearName(name, names);
      return error(range, base.describe() + " has no field '" + name + "'" +
                              (near ? "; did you mean '" + near->str() + "'?" : std::string()));
    }
  }
  if (base.isConstNumber()) {
    if (name == "value")
      return base;
    // A specialized argument (1) is a number here but a tensor elsewhere: `n.to(tl.int64)`.
    auto tensor = lang::toTensor(at(range), base);
    if (failed(tensor))
      return failure();
    return lang::attribute(at(range), Value(*tensor), name);
  }
  if (name == "value" && (base.is<std::string>() || base.isNone() || base.is<DType>()))
    return base;
  Result found = lang::attribute(at(range), base, name);
  if (auto *space = base.getIf<NamespaceValue>(); space && succeeded(found))
    noteOlderName(space->path, name, range);
  return found;
}

/// A run-time scalar that is an integer constant in the IR, as that constant.
static Value toKnownInteger(const Value &value) {
  auto *tensor = value.getIf<TensorValue>();
  llvm::APInt constant;
  if (tensor && tensor->type.isScalar() && tensor->type.dtype.isInt() && tensor->value &&
      mlir::matchPattern(tensor->value, mlir::m_ConstantInt(&constant)))
    return Value(PyInt(tensor->type.dtype.isSigned() ? constant.getSExtValue()
                                                     : PyInt(constant.getZExtValue())));
  return value;
}

/// `x_ptr + offs`: what an index of a pointer means, as far as one line of source says it.
static std::string getAddress(const SourceManager &sources, const SubscriptExpr &e) {
  auto getText = [&](const Expr &part) {
    llvm::StringRef text =
        sources.getText(part.range.begin.file).slice(part.range.begin.offset, part.range.end);
    return text.size() <= 60 && !text.contains('\n') ? text : llvm::StringRef();
  };
  llvm::StringRef base = getText(*e.value), index = getText(*e.index);
  bool isPlain = !llvm::isa<TupleExpr, SliceExpr>(e.index) && !index.empty();
  return ((base.empty() ? "pointer" : base) + " + " + (isPlain ? index : "offsets")).str();
}

Result Evaluator::evaluateSubscript(const SubscriptExpr &e) {
  Result base = evaluate(*e.value);
  if (failed(base))
    return failure();
  // `os.environ["NAME"]`
  if (auto *space = base->getIf<NamespaceValue>(); space && space->path == "os.environ") {
    Result name = evaluate(*e.index);
    return failed(name) ? name : readEnvironment(*name, nullptr, e.range);
  }
  auto *pointer = base->getIf<TensorValue>();
  // `p[None]`, `p[:, None]`
  auto addsOne = [](const Expr *index) {
    const auto *constant = llvm::dyn_cast<ConstantExpr>(index);
    return constant && constant->constant == ConstantKind::None;
  };
  auto isWhole = [](const Expr *index) {
    const auto *slice = llvm::dyn_cast<SliceExpr>(index);
    return slice && !slice->lower && !slice->upper && !slice->step;
  };
  llvm::ArrayRef<const Expr *> parts = e.index;
  if (const auto *several = llvm::dyn_cast<TupleExpr>(e.index))
    parts = several->elements;
  const bool addsDimensions =
      llvm::any_of(parts, addsOne) &&
      llvm::all_of(parts, [&](const Expr *part) { return addsOne(part) || isWhole(part); });
  if (pointer && pointer->type.isScalar() && pointer->type.dtype.isPointer() && !addsDimensions)
    return error(e.range, "a pointer is not indexed: tl.load(" +
                              getAddress(diagnostics.getSources(), e) + ")");
  std::vector<Value> indices;
  bool ok = true;
  auto add = [&](const Expr &index) {
    Result value = evaluate(index);
    if (failed(value))
      ok = false;
    else
      indices.push_back(std::move(*value));
  };
  const auto *tuple = llvm::dyn_cast<TupleExpr>(e.index);
  if (tuple)
    for (const Expr *index : tuple->elements)
      add(*index);
  else
    add(*e.index);
  if (!ok)
    return failure();
  for (const Value &index : indices)
    if (failed(requireKnown(index, e.range)))
      return failure();
  if (base->isTensor())
    return lang::subscript(at(e.range), *base, indices);
  if (const TupleValue *record = base->getTuple(); record && record->info) {
    bool found = false;
    Value index = indices.size() == 1 && !tuple ? indices[0] : Value::tuple(indices);
    Result element = callOperator(*base, "__getitem__", {index}, e.range, found);
    if (found)
      return element;
  }
  if (base->getTuple() || base->is<std::string>()) {
    if (indices.size() != 1)
      return error(e.range, base->describe() + " takes one index, but there are " +
                                llvm::Twine(indices.size()));
    return take(evalSubscript(*base, toKnownInteger(indices[0])), e.range);
  }
  if (auto *opaque = base->getIf<OpaqueValue>())
    return opaqueError(*opaque, e.range, opaque->name.empty() ? "cannot be used in a kernel" : "");
  if (base->isConstNumber())
    return error(e.range, base->describe() + " cannot be indexed; it is a scalar");
  return lang::subscript(at(e.range), *base, indices);
}

FailureOr<std::vector<Value>> Evaluator::iterate(const Value &value, SourceRange range) {
  if (const TupleValue *tuple = value.getSequence())
    return tuple->elements;
  if (const TupleValue *tuple = value.getTuple(); tuple && tuple->isDict()) {
    std::vector<Value> keys;
    keys.reserve(tuple->elements.size());
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      keys.push_back(tuple->getKey(i));
    return keys;
  }
  if (failed(requireKnown(value, range)))
    return failure();
  auto *shared = value.getIf<std::shared_ptr<RangeValue>>();
  if (!shared)
    return error(range, value.describe() + " cannot be iterated over; use a tuple, a list, range, "
                                           "tl.range or tl.static_range");
  const RangeValue &r = **shared;
  PyInt bounds[3] = {0, 0, 1};
  for (auto [part, out] :
       {std::pair{&r.lower, &bounds[0]}, {&r.upper, &bounds[1]}, {&r.step, &bounds[2]}}) {
    if (!*part || (*part)->isNone())
      continue;
    Value known = r.kind == RangeValue::Kind::StaticRange ? **part : toKnownInteger(**part);
    if (auto *v = known.getIf<PyInt>())
      *out = *v;
    else if (auto *b = known.getIf<bool>())
      *out = *b;
    else
      return error(range,
                   "the bounds of an unrolled loop must be compile-time integers, but one is " +
                       known.describe() + "; use tl.range for run-time bounds");
  }
  auto [lower, upper, stride] = bounds;
  if (stride == 0)
    return error(range, "the step of a range cannot be 0");
  std::vector<Value> items;
  for (PyInt i = lower; stride > 0 ? i < upper : i > upper; i += stride) {
    if (items.size() >= Limits::kIterations)
      return error(range, "this loop unrolls to more than " + llvm::Twine(Limits::kIterations) +
                              " iterations; use range or tl.range");
    items.push_back(Value(i));
  }
  return items;
}

LogicalResult Evaluator::evaluateClauses(const ComprehensionExpr &e, size_t clause,
                                         std::vector<Value> &out) {
  if (clause == e.clauses.size()) {
    Result value = evaluate(*e.element);
    Result key = e.key ? evaluate(*e.key) : Result(Value());
    if (failed(value) || failed(key))
      return failure();
    if (e.key)
      value = Value::tuple({std::move(*key), std::move(*value)});
    if (out.size() >= kMaxSequence)
      return error(e.range, "the comprehension has more than 65536 elements");
    out.push_back(std::move(*value));
    return success();
  }
  const ComprehensionFor &part = e.clauses[clause];
  Result iterable = evaluate(*part.iterable);
  if (failed(iterable))
    return failure();
  auto items = iterate(*iterable, part.iterable->range);
  if (failed(items))
    return failure();
  for (const Value &item : *items) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(part.target))
      env().names[name->name] = Binding::bound(item, name->range);
    else
      emitAssign(*part.target, item, part.target->range);
    bool wanted = true;
    for (const Expr *conditionExpr : part.conditions) {
      Result condition = evaluate(*conditionExpr);
      if (failed(condition))
        return failure();
      if (const OpaqueValue *unknown = condition->asUnknown())
        return opaqueError(*unknown, conditionExpr->range);
      auto truth = getTruth(*condition);
      if (!truth)
        return error(conditionExpr->range, "the condition of a comprehension must be known at "
                                           "compile time, but it is " +
                                               condition->describe());
      wanted = wanted && *truth;
    }
    if (wanted && failed(evaluateClauses(e, clause + 1, out)))
      return failure();
  }
  return success();
}

Result Evaluator::evaluateComprehension(const ComprehensionExpr &e) {
  const bool isDict = e.comprehension == ComprehensionKind::Dict;
  const bool isSet = e.comprehension == ComprehensionKind::Set;
  if (isOfKernel() && (isDict || isSet))
    return error(e.range, "set and dict comprehensions cannot be used in a kernel; use a tuple");
  // The loop variables are local to the comprehension.
  std::map<llvm::StringRef, std::optional<Binding>> saved;
  auto save = [&](auto &self, const Expr &target) -> void {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&target)) {
      auto it = env().names.find(name->name);
      saved.try_emplace(name->name, it == env().names.end() ? std::nullopt
                                                            : std::optional<Binding>(it->second));
    } else if (const auto *tuple = llvm::dyn_cast<TupleExpr>(&target)) {
      for (const Expr *element : tuple->elements)
        self(self, *element);
    }
  };
  for (const ComprehensionFor &clause : e.clauses)
    save(save, *clause.target);
  std::vector<Value> elements;
  LogicalResult result = evaluateClauses(e, 0, elements);
  for (auto &[name, binding] : saved) {
    if (binding)
      env().names[name] = *binding;
    else
      env().names.erase(name);
  }
  if (failed(result))
    return failure();
  if (isDict)
    return makeDict(elements, e.range);
  if (isSet)
    return makeSet(elements, e.range);
  Value value = Value::tuple(std::move(elements));
  value.get<std::shared_ptr<TupleValue>>()->isList = e.comprehension == ComprehensionKind::List;
  return bounded(std::move(value), e.range);
}

} // namespace tilerun::sema
