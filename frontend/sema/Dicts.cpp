// Dicts and sets at compile time. Host code may have any keys; kernels write dicts with strings as
// keys, whose values may be run-time values (rule Y15).
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

using namespace ast;

/// Whether Python could hash it.
static bool isKey(const Value &value) {
  if (value.isTensor() || value.is<DescriptorValue>())
    return false;
  const TupleValue *tuple = value.getTuple();
  return !tuple || (!tuple->isList && !tuple->isDict() && !tuple->isSet() &&
                    llvm::all_of(tuple->elements, isKey));
}

namespace {
/// Collects entries; a later one of an equal key replaces the earlier.
class DictBuilder {
public:
  void add(Value key, Value value) {
    if (auto at = findKey(*dict, key)) {
      dict->elements[*at] = std::move(value);
      return;
    }
    // As long as all keys are strings, they are names.
    if (auto *text = key.getIf<std::string>(); text && dict->keys.empty()) {
      dict->names.push_back(*text);
    } else {
      if (dict->keys.empty())
        dict->keys.assign(dict->names.begin(), dict->names.end());
      dict->names.clear();
      dict->keys.push_back(std::move(key));
    }
    dict->elements.push_back(std::move(value));
  }
  size_t size() const { return dict->elements.size(); }
  Value take() { return Value(std::move(dict)); }

private:
  static std::shared_ptr<TupleValue> makeEmpty() {
    auto out = std::make_shared<TupleValue>();
    out->typeName = TupleValue::kDict;
    return out;
  }
  std::shared_ptr<TupleValue> dict = makeEmpty();
};
} // namespace

Result Evaluator::requireKey(Value key, SourceRange range) {
  if (failed(requireKnown(key, range)))
    return failure();
  if (!isKey(key))
    return error(range, key.describe() + " cannot be a key of a dict or an element of a set");
  if (isOfKernel() && !key.is<std::string>())
    return error(range, "only strings can be keys of a dict, not " + key.describe());
  return key;
}

Result Evaluator::evaluateDict(const DictExpr &e) {
  beyondTriton(e.range, "a dict", "Y15", "use a tuple");
  DictBuilder out;
  for (auto [keyExpr, valueExpr] : llvm::zip(e.keys, e.values)) {
    if (out.size() > Limits::kFields)
      return error(e.range, "this dict has more than " + llvm::Twine(Limits::kFields) + " entries");
    Result key = keyExpr ? evaluate(*keyExpr) : Result(Value());
    Result value = evaluate(*valueExpr);
    if (failed(key) || failed(value))
      return failure();
    if (!keyExpr) {
      const TupleValue *other = value->getTuple();
      if (!other || !other->isDict())
        return error(valueExpr->range, "'**' in a dict needs a dict, not " + value->describe());
      for (size_t i = 0; i < other->elements.size(); ++i)
        out.add(other->getKey(i), other->elements[i]);
      continue;
    }
    key = requireKey(std::move(*key), keyExpr->range);
    if (failed(key))
      return failure();
    out.add(std::move(*key), std::move(*value));
  }
  return bounded(out.take(), e.range);
}

Result Evaluator::makeDict(llvm::ArrayRef<Value> entries, SourceRange range) {
  DictBuilder out;
  for (const Value &entry : entries) {
    Result key = requireKey(entry.getTuple()->elements[0], range);
    if (failed(key))
      return failure();
    out.add(std::move(*key), entry.getTuple()->elements[1]);
  }
  return bounded(out.take(), range);
}

Result Evaluator::makeSet(llvm::ArrayRef<Value> elements, SourceRange range) {
  auto out = std::make_shared<TupleValue>();
  out->typeName = TupleValue::kSet;
  for (const Value &element : elements) {
    if (failed(requireKnown(element, range)))
      return failure();
    if (!isKey(element))
      return error(range, element.describe() + " cannot be an element of a set");
    if (llvm::none_of(out->elements, [&](const Value &v) { return isEqual(v, element); }))
      out->elements.push_back(element);
  }
  return bounded(Value(std::move(out)), range);
}

Result Evaluator::callDictMethod(const Value &dict, llvm::StringRef method,
                                 const CallArguments &args, SourceRange range) {
  const TupleValue &entries = *dict.getTuple();
  size_t count = args.positional.size();
  if (method == "get") {
    if (count < 1 || count > 2 || !args.keywords.empty())
      return error(range, "'get' of a dict takes a key and a default");
    if (failed(requireKnown(args.positional[0], range)))
      return failure();
    ConstResult found = evalSubscript(dict, args.positional[0]);
    if (found.ok())
      return std::move(found.value);
    return count == 2 ? args.positional[1] : Value::none();
  }
  bool keys = method == "keys", values = method == "values";
  if (!keys && !values && method != "items")
    return error(
        range, "'" + method +
                   "' of a dict is not available in kernels; available methods are 'get', 'keys', "
                   "'values' and 'items'");
  if (count || !args.keywords.empty())
    return error(range, "'" + method + "' of a dict takes no arguments");
  std::vector<Value> out;
  for (auto [i, element] : llvm::enumerate(entries.elements))
    out.push_back(keys     ? entries.getKey(i)
                  : values ? element
                           : Value::tuple({entries.getKey(i), element}));
  return bounded(Value::tuple(std::move(out)), range);
}

} // namespace tilerun::sema
