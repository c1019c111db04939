// Making values of classes: fields out of arguments and defaults, `_replace`, and the classes that
// `namedtuple(…)` makes.
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

using namespace ast;

/// The values of a class's fields out of arguments and defaults, in the order of the fields.
FailureOr<std::vector<Value>> Evaluator::bindFields(const ClassInfo &info, CallArguments args,
                                                    SourceRange range) {
  std::string quoted = "'" + info.name + "'";
  std::vector<llvm::StringRef> names;
  names.reserve(info.fields.size());
  for (const ClassInfo::Field &field : info.fields)
    names.push_back(field.name);
  if (args.positional.size() > names.size())
    return error(args.positionalRanges[names.size()],
                 quoted + " has " + llvm::Twine(names.size()) + " fields, but " +
                     llvm::Twine(args.positional.size()) + " values are given");
  std::vector<Value> out = std::move(args.positional);
  out.resize(names.size());
  for (auto [index, keyword] : llvm::enumerate(args.keywords)) {
    auto &[name, value] = keyword;
    auto field = info.findField(name);
    if (!field) {
      auto near = findNearName(name, names);
      return error(args.keywordRanges[index],
                   quoted + " has no field '" + name + "'" +
                       (near ? "; did you mean '" + near->str() + "'?" : std::string()));
    }
    if (out[*field].isValid())
      return error(args.keywordRanges[index],
                   "field '" + name + "' of " + quoted + " is given twice");
    out[*field] = std::move(value);
  }
  for (auto [index, field] : llvm::enumerate(info.fields)) {
    if (out[index].isValid())
      continue;
    if (field.knownDefault) {
      out[index] = *field.knownDefault;
      continue;
    }
    if (!field.defaultValue)
      return error(range, "field '" + field.name + "' of " + quoted + " is not given");
    frames.push_back(std::make_unique<Frame>());
    frame().module = info.module;
    frame().scope = info.scope;
    if (info.scope.empty())
      frame().place = field.defaultValue->range.begin.offset;
    Result result = evaluate(*field.defaultValue);
    frames.pop_back();
    if (failed(result))
      return failure();
    out[index] = std::move(*result);
  }
  return out;
}

static Value makeInstance(std::shared_ptr<const ClassInfo> info, std::vector<Value> elements) {
  auto out = std::make_shared<TupleValue>();
  out->typeName = info->name;
  for (const ClassInfo::Field &field : info->fields)
    out->names.push_back(field.name);
  out->elements = std::move(elements);
  out->elements.resize(out->names.size());
  out->info = std::move(info);
  return Value(std::move(out));
}

Result Evaluator::construct(const ClassValue &classValue, CallArguments args, SourceRange range) {
  const std::shared_ptr<const ClassInfo> &info = classValue.info;
  llvm::SmallVector<Note> notes;
  if (info->definition)
    notes.push_back({info->definition->nameRange, "defined here"});
  if (info->kind == ClassInfo::Kind::Constants)
    return errorWithNotes(range,
                          "the class '" + info->name + "' cannot be constructed in a kernel" +
                              (info->unknownDecorator.empty()
                                   ? llvm::Twine()
                                   : "; it is decorated with '@" +
                                         llvm::Twine(info->unknownDecorator) +
                                         "', which kernels do not know") +
                              "; decorate it with @triton.aggregate, or make it a NamedTuple",
                          notes);
  if (info->fields.size() > Limits::kFields)
    return errorWithNotes(range,
                          "the class '" + info->name + "' has more than " +
                              llvm::Twine(Limits::kFields) + " fields",
                          notes);
  if (info->kind == ClassInfo::Kind::Record) {
    if (lookupMethod(*info, "__init__")) {
      args.positional.insert(args.positional.begin(), makeInstance(info, {}));
      args.positionalRanges.insert(args.positionalRanges.begin(), range);
      return callInit(*info, std::move(args), range);
    }
  }
  auto fields = bindFields(*info, std::move(args), range);
  if (failed(fields))
    return failure();
  if (info->kind == ClassInfo::Kind::Record)
    for (auto [field, value] : llvm::zip(info->fields, *fields)) {
      Result converted = convertField(*info, field, value, range);
      if (failed(converted))
        return failure();
      value = std::move(*converted);
    }
  return bounded(makeInstance(info, std::move(*fields)), range);
}

Result Evaluator::replaceFields(const Value &base, const CallArguments &args, SourceRange range) {
  const TupleValue &tuple = *base.getTuple();
  if (!args.positional.empty())
    return error(args.positionalRanges.front(), "'_replace' takes fields by name");
  auto copy = std::make_shared<TupleValue>(tuple);
  for (auto [index, keyword] : llvm::enumerate(args.keywords)) {
    auto field = tuple.info->findField(keyword.first);
    if (!field) {
      std::vector<llvm::StringRef> names(tuple.names.begin(), tuple.names.end());
      auto near = findNearName(keyword.first, names);
      return error(args.keywordRanges[index],
                   "'" + tuple.info->name + "' has no field '" + keyword.first + "'" +
                       (near ? "; did you mean '" + near->str() + "'?" : std::string()));
    }
    copy->elements[*field] = keyword.second;
  }
  return bounded(Value(std::move(copy)), range);
}

/// `collections.namedtuple("P", ["x", "y"])` and `typing.NamedTuple("P", [("x", int)])`.
Result Evaluator::callNamedTuple(llvm::StringRef function, const CallArguments &args,
                                 SourceRange range) {
  if (frame().function)
    return error(range, "a named tuple cannot be defined inside a kernel; define it at module "
                        "level");
  auto describeForm = [&] {
    return error(range, function + " takes a name and the names of the fields, as in " + function +
                            (function == "namedtuple" ? "(\"P\", [\"x\", \"y\"])"
                                                      : "(\"P\", [(\"x\", int)])"));
  };
  auto info = std::make_shared<ClassInfo>();
  info->kind = ClassInfo::Kind::NamedTuple;
  info->module = frame().module;
  Value name, fields, defaults = Value::none();
  if (!args.positional.empty())
    name = args.positional[0];
  if (args.positional.size() > 1)
    fields = args.positional[1];
  for (const auto &[keyword, value] : args.keywords) {
    if (keyword == "typename")
      name = value;
    else if (keyword == "field_names" || keyword == "fields")
      fields = value;
    else if (keyword == "defaults")
      defaults = value;
    else if (keyword != "module" && keyword != "rename")
      return describeForm();
  }
  if (!name.is<std::string>() || args.positional.size() > 2)
    return describeForm();
  info->name = name.get<std::string>();
  std::vector<std::string> names;
  if (auto *text = fields.getIf<std::string>()) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(*text, parts, ", \t\n");
    for (llvm::StringRef part : parts)
      names.push_back(part.str());
  } else if (const TupleValue *list = fields.getSequence()) {
    for (const Value &item : list->elements) {
      const TupleValue *pair = item.getSequence();
      const Value &field = pair && !pair->elements.empty() ? pair->elements[0] : item;
      if (!field.is<std::string>())
        return describeForm();
      names.push_back(field.get<std::string>());
    }
  } else {
    return describeForm();
  }
  if (names.size() > Limits::kFields)
    return error(range,
                 "the named tuple has more than " + llvm::Twine(Limits::kFields) + " fields");
  for (std::string &field : names) {
    if (info->findField(field))
      return error(range, "the field '" + field + "' occurs twice");
    ClassInfo::Field made;
    made.name = std::move(field);
    made.range = range;
    info->fields.push_back(std::move(made));
  }
  // Defaults belong to the last fields.
  if (const TupleValue *list = defaults.getSequence()) {
    if (list->elements.size() > info->fields.size())
      return error(range, "more defaults than fields");
    size_t first = info->fields.size() - list->elements.size();
    for (auto [index, value] : llvm::enumerate(list->elements))
      info->fields[first + index].knownDefault = std::make_shared<Value>(value);
  }
  return Value(ClassValue{std::move(info)});
}

} // namespace tilerun::sema
