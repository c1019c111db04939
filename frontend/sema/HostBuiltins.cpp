// Python's own functions that host code uses and kernels do not have: of sequences, dicts and
// numbers that are known at compile time. Also versions and the platform.
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace tilerun::sema {

using namespace ast;

/// Names that `lookupHostBuiltin` finds.
static bool isHostBuiltin(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sum", "any", "all", "sorted", "reversed", "zip", "enumerate"}, true)
      .Cases({"round", "divmod", "pow", "dict", "set", "frozenset"}, true)
      .Cases({"ord", "chr", "hex", "oct", "bin", "type"}, true)
      .Default(false);
}

std::optional<Value> Evaluator::lookupHostBuiltin(llvm::StringRef name) {
  if (isOfKernel() || !isHostBuiltin(name))
    return std::nullopt;
  return Value(NamespaceValue{(kHostBuiltins + "." + name).str(), nullptr});
}

/// A text such as "3.7.0" as its numbers, without zeros at the end; none for a release candidate
/// and the like.
static std::optional<Value> parseVersion(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, '.');
  std::vector<Value> numbers;
  for (llvm::StringRef part : parts) {
    int64_t number = 0;
    if (part.getAsInteger(10, number))
      return std::nullopt;
    numbers.push_back(Value::integer(number));
  }
  while (!numbers.empty() && numbers.back().get<PyInt>() == 0)
    numbers.pop_back();
  Value out = Value::tuple(std::move(numbers));
  out.get<std::shared_ptr<TupleValue>>()->typeName = "Version";
  return out;
}

bool Evaluator::isHostPath(llvm::StringRef path) {
  return path == "os" || path == "os.environ" || path == "sys" || path == "packaging" ||
         path == "packaging.version";
}

std::optional<Value> Evaluator::lookupHostPath(llvm::StringRef path, llvm::StringRef name) {
  if (isOfKernel())
    return std::nullopt;
  std::string full = (path + "." + name).str();
  auto space = [&] { return Value(NamespaceValue{full, nullptr}); };
  return llvm::StringSwitch<std::optional<Value>>(full)
      .Case("triton.__version__", Value::string(kTritonVersion))
      .Case("sys.platform", Value::string("linux"))
      .Case("os.name", Value::string("posix"))
      .Cases({"os.environ", "os.environ.get", "os.getenv"}, space())
      .Cases({"packaging.version", "packaging.version.parse", "packaging.version.Version"}, space())
      .Default(std::nullopt);
}

bool Evaluator::importLocally(const Stmt &statement) {
  auto isKnown = [](llvm::StringRef path) { return isKnownModule(path) || isHostPath(path); };
  if (const auto *plain = llvm::dyn_cast<ImportStmt>(&statement)) {
    for (const ImportName &name : plain->names) {
      llvm::StringRef top = name.name.split('.').first;
      if (!isKnown(top))
        return false;
      bind(name.alias.empty() ? top : name.alias,
           Value(NamespaceValue{(name.alias.empty() ? top : name.name).str(), nullptr}),
           name.range);
    }
    return true;
  }
  const auto &from = *llvm::cast<ImportFromStmt>(&statement);
  if (from.level != 0)
    return false;
  for (const ImportName &name : from.names) {
    std::optional<Value> value = lookupHostName(from.module, name.name);
    if (!value)
      value = lang::lookup(from.module, name.name, prelude);
    if (!value)
      return false;
    bind(name.alias.empty() ? name.name : name.alias, *value, name.range);
  }
  return true;
}

/// Elements in ascending order; equal ones keep theirs. Fails with the first pair that has none.
static ConstResult sortValues(std::vector<Value> items, bool isReversed) {
  std::vector<Value> out;
  const CompareOp op = isReversed ? CompareOp::Gt : CompareOp::Lt;
  for (Value &item : items) {
    auto at = out.end();
    while (at != out.begin()) {
      ConstResult isBefore = evalCompare(op, item, *std::prev(at));
      if (!isBefore.ok())
        return isBefore;
      if (!isBefore.value.get<bool>())
        break;
      --at;
    }
    out.insert(at, std::move(item));
  }
  Value list = Value::tuple(std::move(out));
  list.get<std::shared_ptr<TupleValue>>()->isList = true;
  return {std::move(list), ""};
}

/// Of one number or character, and such.
static std::optional<Value> callOfOne(llvm::StringRef name, const Value &value) {
  auto *number = value.getIf<PyInt>();
  auto *real = value.getIf<double>();
  auto *text = value.getIf<std::string>();
  if (name == "round" && real && std::fabs(*real) < 1e30)
    return Value::integer(static_cast<PyInt>(std::nearbyint(*real)));
  if (name == "round" && number)
    return value;
  if (name == "ord" && text && text->size() == 1)
    return Value::integer(static_cast<unsigned char>((*text)[0]));
  if (name == "chr" && number && *number >= 0 && *number < 128)
    return Value(std::string(1, static_cast<char>(*number)));
  const unsigned radix = name == "hex" ? 16 : name == "oct" ? 8 : name == "bin" ? 2 : 0;
  if (radix && number && *number > INT64_MIN && *number <= INT64_MAX) {
    const uint64_t magnitude = static_cast<uint64_t>(*number < 0 ? -*number : *number);
    const char *prefix = radix == 16 ? "0x" : radix == 8 ? "0o" : "0b";
    llvm::SmallString<72> digits;
    llvm::APInt(64, magnitude)
        .toString(digits, radix, /*Signed=*/false, false, /*UpperCase=*/false);
    return Value((*number < 0 ? "-" : "") + std::string(prefix) + digits.str().str());
  }
  return std::nullopt;
}

Result Evaluator::callHostBuiltin(llvm::StringRef name, const CallArguments &args,
                                  SourceRange range) {
  auto wrong = [&] {
    return error(range, "Python's '" + name + "' is not known for these arguments");
  };
  if (name == "dict") {
    std::vector<Value> entries;
    if (!args.positional.empty()) {
      const TupleValue *given = args.positional[0].getTuple();
      if (args.positional.size() > 1 || !given || given->isRecord())
        return wrong();
      for (auto [i, element] : llvm::enumerate(given->elements)) {
        const TupleValue *pair = element.getTuple();
        if (!given->isDict() && (!pair || pair->elements.size() != 2))
          return wrong();
        entries.push_back(given->isDict() ? Value::tuple({given->getKey(i), element}) : element);
      }
    }
    for (const auto &[key, value] : args.keywords)
      entries.push_back(Value::tuple({Value::string(key), value}));
    return makeDict(entries, range);
  }
  bool isReversed = false;
  for (const auto &[key, value] : args.keywords) {
    if (name != "sorted" || key != "reverse" || !getTruth(value))
      return wrong();
    isReversed = *getTruth(value);
  }
  if (args.positional.empty())
    return name == "set" || name == "frozenset" ? makeSet({}, range) : Result(wrong());
  const Value &first = args.positional[0];
  const size_t count = args.positional.size();
  if (count == 1)
    if (std::optional<Value> value = callOfOne(name, first))
      return *value;
  if (name == "divmod" && count == 2) {
    Result quotient = take(evalBinary(BinaryOp::FloorDiv, first, args.positional[1]), range);
    Result rest = take(evalBinary(BinaryOp::Mod, first, args.positional[1]), range);
    if (failed(quotient) || failed(rest))
      return failure();
    return Value::tuple({*quotient, *rest});
  }
  if (name == "pow" && count == 2)
    return take(evalBinary(BinaryOp::Pow, first, args.positional[1]), range);
  if (name == "type" && count == 1) {
    const char *type = first.is<bool>()          ? "bool"
                       : first.is<PyInt>()       ? "int"
                       : first.is<double>()      ? "float"
                       : first.is<std::string>() ? "str"
                                                 : nullptr;
    auto known = type ? lang::lookup("builtins", type, prelude) : std::nullopt;
    return known ? Result(*known) : Result(wrong());
  }
  std::vector<std::vector<Value>> sequences;
  for (const Value &argument : args.positional) {
    if ((name == "sum" || name == "enumerate") && !sequences.empty())
      break; // The start.
    auto items = iterate(argument, range);
    if (failed(items))
      return failure();
    sequences.push_back(std::move(*items));
  }
  return callOfSequences(name, sequences, count > 1 ? &args.positional[1] : nullptr, isReversed,
                         range);
}

Result Evaluator::callOfSequences(llvm::StringRef name,
                                  llvm::ArrayRef<std::vector<Value>> sequences, const Value *second,
                                  bool isReversed, SourceRange range) {
  const std::vector<Value> &items = sequences[0];
  if (name == "sum") {
    Value total = second ? *second : Value::integer(0);
    for (const Value &item : items) {
      Result next = take(evalBinary(BinaryOp::Add, total, item), range);
      if (failed(next))
        return failure();
      total = *next;
    }
    return bounded(std::move(total), range);
  }
  std::vector<Value> out;
  if (name == "zip") {
    for (size_t i = 0;; ++i) {
      std::vector<Value> row;
      for (const std::vector<Value> &sequence : sequences)
        if (i < sequence.size())
          row.push_back(sequence[i]);
      if (row.size() < sequences.size())
        break;
      out.push_back(Value::tuple(std::move(row)));
    }
    return bounded(Value::tuple(std::move(out)), range);
  }
  const PyInt *start = second ? second->getIf<PyInt>() : nullptr;
  if (second && !(name == "enumerate" && start))
    return error(range, "Python's '" + name + "' is not known for these arguments");
  if (name == "any" || name == "all") {
    for (const Value &item : items) {
      std::optional<bool> truth = getTruth(item);
      if (!truth)
        return error(range, item.describe() + " has no truth value here");
      if (*truth == (name == "any"))
        return Value(name == "any");
    }
    return Value(name == "all");
  }
  if (name == "sorted")
    return take(sortValues(items, isReversed), range);
  if (name == "set" || name == "frozenset")
    return makeSet(items, range);
  for (auto [i, item] : llvm::enumerate(items))
    out.push_back(name == "enumerate"
                      ? Value::tuple({Value::integer((start ? *start : 0) + PyInt(i)), item})
                      : items[items.size() - 1 - i]);
  if (name != "enumerate" && name != "reversed")
    return error(range, "Python's '" + name + "' is not known for these arguments");
  return bounded(Value::tuple(std::move(out)), range);
}

Result Evaluator::callVersion(const CallArguments &args, SourceRange range) {
  auto *text = args.positional.size() == 1 ? args.positional[0].getIf<std::string>() : nullptr;
  std::optional<Value> version = text && args.keywords.empty() ? parseVersion(*text) : std::nullopt;
  return version ? Result(*version)
                 : Result(error(range, "only versions of plain numbers are compared"));
}

} // namespace tilerun::sema
