// Records (`@triton.aggregate`): running `__init__`, and what may be put into a field. A record is
// a value: its fields are assigned while `__init__` makes it, and never again.
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

using namespace ast;

static std::string quoteField(llvm::StringRef field, const ClassInfo &info) {
  return "field '" + field.str() + "' of '" + info.name + "'";
}

//===----------------------------------------------------------------------===//
// Types of fields
//===----------------------------------------------------------------------===//

/// The type that an annotation names, evaluated at the class; invalid if it is unknown.
Value Evaluator::getAnnotatedValue(const ClassInfo &info, const Expr &annotation) {
  auto [it, isNew] = annotations.try_emplace(&annotation);
  if (!isNew)
    return it->second;
  Value value;
  const auto *text = llvm::dyn_cast<ConstantExpr>(&annotation);
  if (text && text->constant == ConstantKind::String) {
    // Code as a string: a dotted name.
    QuietScope scope(*this);
    unsigned errorsBefore = numErrors;
    llvm::SmallVector<llvm::StringRef, 4> parts;
    text->text.trim().split(parts, '.');
    auto found = lookupNested(*info.module, info.scope, parts.front());
    if (!found)
      found = lookupGlobal(*info.module, parts.front());
    if (!found)
      found = lang::lookup("builtins", parts.front(), prelude);
    for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
      Result next = found ? getAttribute(*found, part, annotation.range) : Result(failure());
      found = succeeded(next) ? std::optional<Value>(std::move(*next)) : std::nullopt;
    }
    if (found)
      value = std::move(*found);
    numErrors = errorsBefore;
  } else {
    value = evaluateGlobal(*info.module, info.name, annotation, annotation.range, info.scope);
  }
  return annotations[&annotation] = std::move(value);
}

/// Whether a value may be in a field of such an annotation; none if the annotation says nothing
/// that is known here. Numbers become run-time scalars where the annotation asks for one.
std::optional<bool> Evaluator::matchAnnotation(const ClassInfo &info, const Expr *annotation,
                                               Value &value, SourceRange range, unsigned depth) {
  if (!annotation || depth > 16)
    return std::nullopt;
  if (isConstexprAnnotation(annotation))
    return value.isConstexpr();
  if (const auto *either = llvm::dyn_cast<BinaryExpr>(annotation)) {
    auto left = matchAnnotation(info, either->lhs, value, range, depth + 1);
    if (left == true)
      return true;
    auto right = matchAnnotation(info, either->rhs, value, range, depth + 1);
    return left && right ? right : right == true ? right : std::nullopt;
  }
  if (const auto *of = llvm::dyn_cast<SubscriptExpr>(annotation)) {
    const auto *name = llvm::dyn_cast<NameExpr>(of->value);
    const auto *attribute = llvm::dyn_cast<AttributeExpr>(of->value);
    llvm::StringRef base = name ? name->name : attribute ? attribute->name : "";
    if (base == "Optional")
      return value.isNone() ? std::optional<bool>(true)
                            : matchAnnotation(info, of->index, value, range, depth + 1);
    if (base == "Union")
      return std::nullopt;
    return matchAnnotation(info, of->value, value, range, depth + 1);
  }
  Value type = getAnnotatedValue(info, *annotation);
  if (type.isNone())
    return value.isNone();
  if (auto *wanted = type.getIf<ClassValue>()) {
    const TupleValue *tuple = value.getTuple();
    return tuple && tuple->info && tuple->info->isDerivedFrom(*wanted->info);
  }
  if (auto *wanted = type.getIf<DType>()) {
    if (value.isConstNumber()) {
      auto converted = lang::cast(at(range), value, *wanted);
      if (failed(converted))
        return false;
      value = Value(*converted);
    }
    auto *tensor = value.getIf<TensorValue>();
    return tensor && tensor->type.dtype == *wanted;
  }
  auto *builtin = type.getIf<BuiltinValue>();
  if (!builtin)
    return std::nullopt;
  llvm::StringRef name = builtin->builtin->name;
  if (name == "tensor") {
    if (value.isConstNumber())
      value = decay(value, range);
    return value.isTensor();
  }
  bool isNumber = name == "int" || name == "float" || name == "bool";
  if (isNumber && value.isTensor())
    return value.get<TensorValue>().type.isScalar();
  if (name == "float" && value.isConstNumber())
    return true;
  auto isInstance = lang::lookup("builtins", "isinstance", prelude);
  QuietScope scope(*this);
  unsigned errorsBefore = numErrors;
  Result matches = isInstance ? call(*isInstance, {value, type}, range) : Result(failure());
  numErrors = errorsBefore;
  if (failed(matches) || !matches->is<bool>())
    return std::nullopt;
  return matches->get<bool>();
}

Result Evaluator::convertField(const ClassInfo &info, const ClassInfo::Field &field, Value value,
                               SourceRange range) {
  auto matches = matchAnnotation(info, field.annotation, value, range, 0);
  if (!value.isValid())
    return failure();
  if (matches.value_or(true))
    return value;
  const SourceManager &sources = diagnostics.getSources();
  SourceRange place = field.annotation->range;
  std::string wanted = sources.getText(place.begin.file)
                           .slice(place.begin.offset, place.end)
                           .take_until([](char c) { return c == '\n'; })
                           .take_front(60)
                           .str();
  std::string hint;
  if (field.isConstexpr)
    hint = ", which is known only at run time";
  else if (value.isConstexpr() && !value.isNone())
    hint = "; declare the field as tl.constexpr to keep compile-time values";
  return errorWithNotes(range,
                        quoteField(field.name, info) + " is declared " + wanted + ", but this is " +
                            value.describe() + hint,
                        Note{field.range, "the field is declared here"});
}

//===----------------------------------------------------------------------===//
// __init__
//===----------------------------------------------------------------------===//

void Evaluator::assignField(const AttributeExpr &target, const Value &value, SourceRange place) {
  const auto *base = llvm::dyn_cast<NameExpr>(target.value);
  const ClassInfo *info = frame().constructs;
  if (!info || !base || base->name != frame().self) {
    (void)error(target.range, "attributes cannot be assigned in a kernel, because tensors and "
                              "records are values; use a variable, or make a new record");
    return;
  }
  Binding &self = env().names[base->name];
  if (self.isPoisoned())
    return;
  const TupleValue *record = self.isBound() ? self.value.getTuple() : nullptr;
  if (!record || record->info.get() != info) {
    (void)error(target.range, "'" + base->name + "' is no longer the record that '__init__' makes");
    return;
  }
  SourceRange range = target.nameRange.isValid() ? target.nameRange : target.range;
  auto index = info->findField(target.name);
  if (!index) {
    std::vector<llvm::StringRef> names(record->names.begin(), record->names.end());
    auto near = findNearName(target.name, names);
    (void)errorWithNotes(
        range,
        "'" + info->name + "' has no field '" + target.name + "'" +
            (near ? "; did you mean '" + near->str() + "'?"
                  : "; declare it in the class, as in '" + target.name.str() + ": tl.tensor'"),
        Note{info->definition->nameRange, "'" + info->name + "' is defined here"});
    self = Binding::poisoned(place);
    return;
  }
  Result converted = convertField(*info, info->fields[*index], value, place);
  if (failed(converted)) {
    env().names[base->name] = Binding::poisoned(place);
    return;
  }
  auto copy = std::make_shared<TupleValue>(*record);
  copy->elements[*index] = std::move(*converted);
  Result whole = bounded(Value(std::move(copy)), place);
  if (failed(whole))
    env().names[base->name] = Binding::poisoned(place);
  else
    bind(base->name, std::move(*whole), place);
}

/// Calls `__init__` with the record that it fills as its first argument.
Result Evaluator::callInit(const ClassInfo &info, CallArguments args, SourceRange range) {
  const Value unset = args.positional.front();
  auto member = getMember(unset.getTuple()->info, &unset, "__init__", range);
  if (failed(member))
    return failure();
  auto *bound = (*member)->getIf<BoundValue>();
  auto *function = bound ? bound->function->getIf<FunctionValue>() : nullptr;
  if (!function)
    return error(range, "'__init__' of '" + info.name + "' must be a method");
  const FunctionDef &def = *function->function->def;
  Result made = inlineCall(*function->function, std::move(args), range, &info);
  if (failed(made))
    return failure();
  const TupleValue *record = made->getTuple();
  if (!record || record->info.get() != &info)
    return errorWithNotes(range, "'__init__' of '" + info.name + "' loses its record",
                          Note{def.nameRange, "'__init__' is defined here"});
  for (auto [field, element] : llvm::zip(info.fields, record->elements))
    if (!element.isValid())
      return errorWithNotes(
          range, "'__init__' of '" + info.name + "' does not set the field '" + field.name + "'",
          {Note{def.nameRange, "'__init__' is defined here"},
           Note{field.range, "the field is declared here"}});
  return made;
}

} // namespace tilerun::sema
