// Parsing of the table's signatures, and binding of call arguments to them.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include <mutex>

using namespace mlir;

namespace tilerun::lang {

namespace {
/// A default in a signature: None, True, False, an integer, a string, `()`, or a dtype's name.
Value parseDefault(StringRef text) {
  if (text == "None")
    return Value::none();
  if (text == "True" || text == "False")
    return Value(text == "True");
  if (text == "()")
    return Value::tuple({});
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\''))
    return Value(text == "\"\\n\"" ? std::string("\n") : text.drop_front().drop_back().str());
  if (std::optional<DType> type = parseDType(text))
    return Value(*type);
  if (text == "0.0")
    return Value(0.0);
  int64_t integer;
  if (!text.getAsInteger(0, integer))
    return Value::integer(integer);
  llvm_unreachable("a signature in the table has an unreadable default");
}

std::vector<SignatureParameter> parseSignature(StringRef text) {
  std::vector<SignatureParameter> out;
  bool keywordOnly = false;
  while (!text.empty()) {
    // Commas do not occur inside defaults of the table.
    auto [item, rest] = text.split(',');
    item = item.trim();
    text = rest;
    if (item.empty())
      continue;
    if (item == "*") {
      keywordOnly = true;
      continue;
    }
    SignatureParameter parameter;
    parameter.keywordOnly = keywordOnly;
    if (item.consume_front("*")) {
      parameter.variadic = true;
      keywordOnly = true;
    }
    auto [name, defaultText] = item.split('=');
    parameter.name = name.trim().str();
    if (!defaultText.empty())
      parameter.defaultValue = parseDefault(defaultText.trim());
    out.push_back(std::move(parameter));
  }
  return out;
}
} // namespace

llvm::ArrayRef<SignatureParameter> getParameters(const Builtin &builtin) {
  static std::mutex lock;
  static auto *parsed = new std::map<StringRef, std::unique_ptr<std::vector<SignatureParameter>>>();
  std::lock_guard<std::mutex> guard(lock);
  auto &slot = (*parsed)[builtin.signature];
  if (!slot)
    slot = std::make_unique<std::vector<SignatureParameter>>(parseSignature(builtin.signature));
  return *slot;
}

bool isCompilerArgument(StringRef keyword) {
  return keyword == "_semantic" || keyword == "_builder" || keyword == "_generator";
}

FailureOr<Arguments> bindArguments(Emitter &e, const Builtin &builtin,
                                   llvm::ArrayRef<Value> positional,
                                   llvm::ArrayRef<SourceRange> positionalRanges,
                                   llvm::ArrayRef<std::pair<llvm::StringRef, Value>> keywords,
                                   llvm::ArrayRef<SourceRange> keywordRanges) {
  std::string name = displayName(builtin);
  Arguments args;
  args.builtin = &builtin;
  auto rangeOf = [&](llvm::ArrayRef<SourceRange> ranges, size_t i) {
    return i < ranges.size() && ranges[i].isValid() ? ranges[i] : e.range;
  };
  llvm::ArrayRef<SignatureParameter> parameters = getParameters(builtin);
  size_t count = parameters.size();
  args.values.resize(count);
  args.ranges.resize(count);
  args.given.assign(count, false);

  size_t next = 0;
  for (size_t i = 0; i < count && !parameters[i].keywordOnly; ++i) {
    if (parameters[i].variadic) {
      std::vector<Value> rest(positional.begin() + next, positional.end());
      if (!rest.empty()) {
        args.ranges[i] = rangeOf(positionalRanges, next);
        args.given[i] = true;
      }
      args.values[i] = Value::tuple(std::move(rest));
      next = positional.size();
      break;
    }
    if (next == positional.size())
      break;
    args.values[i] = positional[next];
    args.ranges[i] = rangeOf(positionalRanges, next);
    args.given[i] = true;
    ++next;
  }
  if (next < positional.size()) {
    size_t limit = llvm::count_if(parameters, [](auto &p) { return !p.keywordOnly; });
    return e.services.error(
        rangeOf(positionalRanges, next),
        name + " takes " + (limit == 0 ? "no" : "at most " + std::to_string(limit)) +
            " positional argument" + (limit == 1 ? "" : "s") + ", but got " +
            Twine(positional.size()) + "; its parameters are (" + builtin.signature + ")");
  }

  for (size_t k = 0; k < keywords.size(); ++k) {
    auto &[keyword, value] = keywords[k];
    SourceRange range = rangeOf(keywordRanges, k);
    size_t i = 0;
    while (i < count && parameters[i].name != keyword)
      ++i;
    if (i == count && isCompilerArgument(keyword))
      continue;
    if (i == count) {
      std::vector<StringRef> names;
      for (const SignatureParameter &parameter : parameters)
        names.push_back(parameter.name);
      std::string message = name + " has no parameter '" + keyword.str() + "'";
      if (std::optional<StringRef> near = findNearName(keyword, names))
        message += "; did you mean '" + near->str() + "'?";
      else
        message += "; its parameters are (" + builtin.signature.str() + ")";
      return e.services.error(range, message);
    }
    if (args.given[i])
      return e.services.error(range, name + " got '" + keyword +
                                         "' twice; pass it once, by position or by name");
    // A `*shape` parameter may also be given by name, as a tuple.
    if (parameters[i].variadic)
      args.values[i] = value.getTuple() ? value : Value::tuple({value});
    else
      args.values[i] = value;
    args.ranges[i] = range;
    args.given[i] = true;
  }

  for (size_t i = 0; i < count; ++i) {
    if (args.given[i] || parameters[i].variadic) {
      if (!args.values[i].isValid())
        args.values[i] = Value::tuple({});
      continue;
    }
    if (!parameters[i].defaultValue)
      return e.error(name + " needs an argument for '" + parameters[i].name +
                     "'; its parameters are (" + builtin.signature + ")");
    args.values[i] = *parameters[i].defaultValue;
  }
  return args;
}

} // namespace tilerun::lang
