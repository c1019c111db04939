// Conditions around global names (`if os.environ.get("FAST", "0") == "1":`), as far as they depend
// on the environment, on versions and the platform, and on constants of the file alone. The others
// stay unknown.
#include "frontend/module/ModuleReader.h"

#include <cstdlib>
#include <variant>

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

using Kind = TokenKind;

/// A value of host code; none if it is not known.
using HostValue = std::optional<std::variant<std::monostate, bool, int64_t, std::string>>;

/// The oldest Python that the package runs on.
static constexpr unsigned kOldestPython[] = {3, 11};

/// Deepest expression, and longest chain of names, that is followed.
static constexpr unsigned kMaxConditionDepth = 16;

static bool isTrue(const HostValue &value) {
  if (const auto *flag = std::get_if<bool>(&*value))
    return *flag;
  if (const auto *number = std::get_if<int64_t>(&*value))
    return *number != 0;
  const auto *text = std::get_if<std::string>(&*value);
  return text && !text->empty();
}

static HostValue getConstant(const ConstantExpr &constant) {
  int64_t number;
  switch (constant.constant) {
  case ConstantKind::None:
    return std::monostate();
  case ConstantKind::True:
    return true;
  case ConstantKind::False:
    return false;
  case ConstantKind::String:
    return constant.text.str();
  case ConstantKind::Int:
    if (!constant.text.getAsInteger(0, number))
      return number;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {
class ConditionReader {
public:
  /// Names to dotted paths, and to the values of globals.
  using GetPath = function_ref<std::string(const Expr *)>;
  using GetValue = function_ref<const Expr *(StringRef)>;
  using GetEnvironment = function_ref<std::optional<std::string>(StringRef)>;

  ConditionReader(GetPath getPath, GetValue getValue, GetEnvironment getEnvironment)
      : getPath(getPath), getValue(getValue), getEnvironment(getEnvironment) {}

  HostValue read(const Expr *expr, unsigned depth = 0);

private:
  HostValue readCall(const CallExpr &call, unsigned depth);
  HostValue readCompare(const CompareExpr &compare, unsigned depth);
  HostValue readIn(const HostValue &item, const Expr *list, unsigned depth);

  /// A version: the numbers of a tuple, or of a text that a function makes comparable.
  struct Version {
    SmallVector<int64_t, 4> numbers;
    bool isTuple = false;
    bool isAtLeast = false; ///< `sys.version_info`: that or a later one.
    bool isPart = false;    ///< Of it, the first numbers.
  };
  std::optional<Version> readVersion(const Expr *expr, unsigned depth);
  HostValue compareVersions(const Version &left, CompareOp op, const Version &right);

  GetPath getPath;
  GetValue getValue;
  GetEnvironment getEnvironment;
};
} // namespace

HostValue ConditionReader::read(const Expr *expr, unsigned depth) {
  if (!expr || depth > kMaxConditionDepth)
    return std::nullopt;
  if (const auto *constant = dyn_cast<ConstantExpr>(expr))
    return getConstant(*constant);
  if (isa<NameExpr, AttributeExpr>(expr)) {
    const std::string path = getPath(expr);
    if (path == "typing.TYPE_CHECKING")
      return false;
    if (path == "sys.platform") // The command and the library are for Linux.
      return std::string("linux");
    if (path == "os.name")
      return std::string("posix");
    if (path == "sys.version_info.major")
      return int64_t(kOldestPython[0]);
    if (path == "triton.__version__")
      return kTritonVersion.str();
    const auto *name = dyn_cast<NameExpr>(expr);
    return name ? read(getValue(name->name), depth + 1) : std::nullopt;
  }
  if (const auto *subscript = dyn_cast<SubscriptExpr>(expr)) {
    HostValue index = read(subscript->index, depth + 1);
    if (index == HostValue(int64_t(0)) && getPath(subscript->value) == "sys.version_info")
      return int64_t(kOldestPython[0]);
    return std::nullopt;
  }
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return readCall(*call, depth);
  if (const auto *compare = dyn_cast<CompareExpr>(expr))
    return readCompare(*compare, depth);
  if (const auto *unary = dyn_cast<UnaryExpr>(expr)) {
    HostValue operand = unary->op == UnaryOp::Not ? read(unary->operand, depth + 1) : std::nullopt;
    return operand ? HostValue(!isTrue(operand)) : std::nullopt;
  }
  if (const auto *both = dyn_cast<BoolOpExpr>(expr)) {
    // An operand that decides does so whatever the others are.
    bool isKnown = true;
    HostValue last;
    for (const Expr *operand : both->operands) {
      last = read(operand, depth + 1);
      if (last && isTrue(last) != both->isAnd)
        return last;
      isKnown &= last.has_value();
    }
    return isKnown ? last : std::nullopt;
  }
  return std::nullopt;
}

HostValue ConditionReader::readCall(const CallExpr &call, unsigned depth) {
  std::string path = getPath(call.callee);
  if (path == "os.environ.get" || path == "os.getenv") {
    if (call.args.empty() || call.args.size() > 2 || !call.keywords.empty())
      return std::nullopt;
    HostValue name = read(call.args[0], depth + 1);
    const auto *text = name ? std::get_if<std::string>(&*name) : nullptr;
    if (!text)
      return std::nullopt;
    if (auto value = getEnvironment(*text))
      return *value;
    return call.args.size() > 1 ? read(call.args[1], depth + 1) : HostValue(std::monostate());
  }
  if ((path == "int" || path == "bool") && call.args.size() == 1 && call.keywords.empty()) {
    HostValue value = read(call.args[0], depth + 1);
    if (!value || path == "bool")
      return value ? HostValue(isTrue(value)) : std::nullopt;
    int64_t number;
    const auto *text = std::get_if<std::string>(&*value);
    if (text && !StringRef(*text).trim().getAsInteger(10, number))
      return number;
    return std::holds_alternative<int64_t>(*value) ? value : std::nullopt;
  }
  if (path == "platform.system" && call.args.empty())
    return std::string("Linux");
  const auto *method = dyn_cast<AttributeExpr>(call.callee);
  if (method && (method->name == "startswith" || method->name == "endswith") &&
      call.args.size() == 1 && call.keywords.empty()) {
    HostValue whole = read(method->value, depth + 1), part = read(call.args[0], depth + 1);
    const auto *text = whole ? std::get_if<std::string>(&*whole) : nullptr;
    const auto *end = part ? std::get_if<std::string>(&*part) : nullptr;
    if (!text || !end)
      return std::nullopt;
    return method->name == "startswith" ? StringRef(*text).starts_with(*end)
                                        : StringRef(*text).ends_with(*end);
  }
  if (!method || !call.args.empty() || !call.keywords.empty())
    return std::nullopt;
  HostValue self = read(method->value, depth + 1);
  const auto *text = self ? std::get_if<std::string>(&*self) : nullptr;
  if (!text)
    return std::nullopt;
  if (method->name == "lower")
    return StringRef(*text).lower();
  if (method->name == "upper")
    return StringRef(*text).upper();
  if (method->name == "strip")
    return StringRef(*text).trim().str();
  return std::nullopt;
}

HostValue ConditionReader::readIn(const HostValue &item, const Expr *list, unsigned depth) {
  ArrayRef<const Expr *> elements;
  if (const auto *tuple = dyn_cast<TupleExpr>(list))
    elements = tuple->elements;
  else if (const auto *square = dyn_cast<ListExpr>(list))
    elements = square->elements;
  else if (const auto *set = dyn_cast<SetExpr>(list))
    elements = set->elements;
  else
    return std::nullopt;
  for (const Expr *element : elements) {
    HostValue value = read(element, depth + 1);
    if (!value)
      return std::nullopt;
    if (*value == *item)
      return true;
  }
  return false;
}

std::optional<ConditionReader::Version> ConditionReader::readVersion(const Expr *expr,
                                                                     unsigned depth) {
  Version out;
  if (!expr || depth > kMaxConditionDepth)
    return std::nullopt;
  if (const auto *tuple = dyn_cast<TupleExpr>(expr)) {
    for (const Expr *element : tuple->elements) {
      HostValue value = read(element, depth + 1);
      const auto *number = value ? std::get_if<int64_t>(&*value) : nullptr;
      if (!number)
        return std::nullopt;
      out.numbers.push_back(*number);
    }
    out.isTuple = true;
    return out;
  }
  // `sys.version_info[:2]` is compared with as many numbers.
  const auto *subscript = dyn_cast<SubscriptExpr>(expr);
  const bool isSlice = subscript && isa<SliceExpr>(subscript->index);
  if (getPath(isSlice ? subscript->value : expr) == "sys.version_info") {
    out.numbers.append(std::begin(kOldestPython), std::end(kOldestPython));
    out.isTuple = out.isAtLeast = true;
    out.isPart = isSlice;
    return out;
  }
  if (const auto *name = dyn_cast<NameExpr>(expr))
    return readVersion(getValue(name->name), depth + 1);
  const auto *call = dyn_cast<CallExpr>(expr);
  if (!call || call->args.size() != 1 || !call->keywords.empty())
    return std::nullopt;
  const std::string path = getPath(call->callee);
  if (path != "packaging.version.parse" && path != "packaging.version.Version" &&
      path != "pkg_resources.parse_version" && path != "distutils.version.LooseVersion" &&
      path != "looseversion.LooseVersion")
    return std::nullopt;
  HostValue value = read(call->args[0], depth + 1);
  const auto *text = value ? std::get_if<std::string>(&*value) : nullptr;
  SmallVector<StringRef, 4> parts;
  if (text)
    StringRef(*text).split(parts, '.');
  for (StringRef part : parts) {
    int64_t number = 0;
    if (part.getAsInteger(10, number)) // A release candidate, …
      return std::nullopt;
    out.numbers.push_back(number);
  }
  return parts.empty() ? std::nullopt : std::optional(out);
}

HostValue ConditionReader::compareVersions(const Version &left, CompareOp op,
                                           const Version &right) {
  if (left.isTuple != right.isTuple || right.isAtLeast)
    return std::nullopt;
  ArrayRef<int64_t> a = left.numbers, b = right.numbers;
  if (left.isAtLeast) {
    // Any of those versions is at least the other, and not only its first numbers.
    const bool isOpen = op == CompareOp::Gt || op == CompareOp::Le;
    if (a < b || (a == b && left.isPart && isOpen))
      return std::nullopt;
    return op == CompareOp::Ge || op == CompareOp::Gt   ? HostValue(true)
           : op == CompareOp::Lt || op == CompareOp::Le ? HostValue(false)
                                                        : std::nullopt;
  }
  auto dropZeros = [](ArrayRef<int64_t> numbers) { // 3.0 is 3.0.0.
    while (!numbers.empty() && numbers.back() == 0)
      numbers = numbers.drop_back();
    return numbers;
  };
  if (!left.isTuple)
    a = dropZeros(a), b = dropZeros(b);
  switch (op) {
  case CompareOp::Eq:
    return a == b;
  case CompareOp::Ne:
    return a != b;
  case CompareOp::Lt:
    return a < b;
  case CompareOp::Le:
    return !(b < a);
  case CompareOp::Gt:
    return b < a;
  case CompareOp::Ge:
    return !(a < b);
  default:
    return std::nullopt;
  }
}

HostValue ConditionReader::readCompare(const CompareExpr &compare, unsigned depth) {
  if (compare.ops.size() == 1)
    if (auto left = readVersion(compare.first, depth))
      if (auto right = readVersion(compare.rest[0], depth))
        return compareVersions(*left, compare.ops[0], *right);
  if (compare.ops.size() == 1 && getPath(compare.rest[0]) == "os.environ" &&
      (compare.ops[0] == CompareOp::In || compare.ops[0] == CompareOp::NotIn)) {
    HostValue name = read(compare.first, depth + 1);
    const auto *text = name ? std::get_if<std::string>(&*name) : nullptr;
    if (!text)
      return std::nullopt;
    return getEnvironment(*text).has_value() == (compare.ops[0] == CompareOp::In);
  }
  HostValue left = compare.ops.size() == 1 ? read(compare.first, depth + 1) : std::nullopt;
  if (!left)
    return std::nullopt;
  const CompareOp op = compare.ops[0];
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    HostValue found = readIn(left, compare.rest[0], depth);
    return found ? HostValue(isTrue(found) == (op == CompareOp::In)) : std::nullopt;
  }
  HostValue right = read(compare.rest[0], depth + 1);
  if (!right)
    return std::nullopt;
  const auto *a = std::get_if<int64_t>(&*left), *b = std::get_if<int64_t>(&*right);
  switch (op) {
  case CompareOp::Eq:
  case CompareOp::Is:
  case CompareOp::Ne:
  case CompareOp::IsNot:
    // `True == 1` and its like are left alone.
    if (left->index() != right->index() && !std::holds_alternative<std::monostate>(*left) &&
        !std::holds_alternative<std::monostate>(*right) &&
        !std::holds_alternative<std::string>(*left) && !std::holds_alternative<std::string>(*right))
      return std::nullopt;
    return (*left == *right) == (op == CompareOp::Eq || op == CompareOp::Is);
  case CompareOp::Lt:
    return a && b ? HostValue(*a < *b) : std::nullopt;
  case CompareOp::Le:
    return a && b ? HostValue(*a <= *b) : std::nullopt;
  case CompareOp::Gt:
    return a && b ? HostValue(*a > *b) : std::nullopt;
  case CompareOp::Ge:
    return a && b ? HostValue(*a >= *b) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<std::string> ModuleLoader::getEnvironment(StringRef name) {
  const char *value = std::getenv(name.str().c_str());
  // A part of the digest, as files are.
  lookups[("$" + Twine(name) + "=" + (value ? value : "")).str()] = value != nullptr;
  return value ? std::optional<std::string>(value) : std::nullopt;
}

void ModuleLoader::noteEnvironment(StringRef name) {
  if (environmentNames.insert(name.str()).second)
    (void)getEnvironment(name);
}

std::optional<std::optional<std::string>> LoadedModule::getEnvironment(StringRef name) const {
  // Only what is in the digest may decide something.
  if (loader->readUsedFiles != loader->modules.size())
    loader->readUsed();
  if (!loader->environmentNames.count(name))
    return std::nullopt;
  return loader->getEnvironment(name);
}

std::optional<bool> ModuleReader::evaluateCondition(Tokens tokens) {
  const Expr *condition = parseExpression(tokens);
  if (!condition)
    return std::nullopt;
  HostValue value =
      ConditionReader([this](const Expr *expr) { return getPath(expr); },
                      [this](StringRef name) -> const Expr * {
                        auto found = module.globals.find(name);
                        return found == module.globals.end() ? nullptr : found->second.value;
                      },
                      [this](StringRef name) { return loader.getEnvironment(name); })
          .read(condition);
  return value ? std::optional<bool>(isTrue(value)) : std::nullopt;
}

/// `if` chains: an arm is known to run, known not to, or neither.
std::optional<bool> ModuleReader::decideArm(Tokens tokens, size_t colon) {
  const size_t depth = scopes.size();
  const Kind first = tokens[0].kind;
  if (first == Kind::KwIf) {
    std::optional<bool> taken = evaluateCondition(tokens.slice(1, colon - 1));
    chains[depth] = taken;
    return taken;
  }
  auto chain = chains.find(depth);
  if (chain == chains.end() || (first != Kind::KwElif && first != Kind::KwElse)) {
    chains.erase(depth);
    return std::nullopt;
  }
  std::optional<bool> before = chain->second;
  if (!before)
    return std::nullopt;
  if (*before)
    return false;
  std::optional<bool> taken =
      first == Kind::KwElse ? true : evaluateCondition(tokens.slice(1, colon - 1));
  chain->second = taken;
  return taken;
}

} // namespace tilerun
