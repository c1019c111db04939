// Python's modules of numbers at compile time: `math`, and of `torch` and `numpy` the
// dtypes and their limits.
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace tilerun::sema {

/// Dtypes by the names that these libraries have for them.
static std::optional<DType> parseHostType(llvm::StringRef name) {
  if (auto type = parseDType(name); type && type->str() == name && !type->isPointer())
    return type;
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Case("half", dtype(Scalar::F16))
      .Case("float", dtype(Scalar::F32))
      .Case("double", dtype(Scalar::F64))
      .Case("short", dtype(Scalar::Int16))
      .Case("int", dtype(Scalar::Int32))
      .Case("long", dtype(Scalar::Int64))
      .Case("bool", dtype(Scalar::Int1))
      .Case("float8_e4m3fn", dtype(Scalar::F8E4NV))
      .Case("float8_e5m2", dtype(Scalar::F8E5))
      .Case("float8_e4m3fnuz", dtype(Scalar::F8E4B8))
      .Case("float8_e5m2fnuz", dtype(Scalar::F8E5B16))
      .Default(std::nullopt);
}

/// Constants that all of these modules have, for globals such as `1 / math.log(2)`.
static std::optional<Value> lookupConstant(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Value>>(name)
      .Case("pi", Value(M_PI))
      .Case("e", Value(M_E))
      .Case("tau", Value(2 * M_PI))
      .Case("inf", Value(HUGE_VAL))
      .Case("nan", Value(std::nan("")))
      .Default(std::nullopt);
}

/// Functions of `math` of one argument.
static std::optional<double (*)(double)> findMathFunction(llvm::StringRef name) {
  using Function = double (*)(double);
  return llvm::StringSwitch<std::optional<Function>>(name)
      .Case("sqrt", static_cast<Function>(std::sqrt))
      .Case("exp", static_cast<Function>(std::exp))
      .Case("exp2", static_cast<Function>(std::exp2))
      .Case("log", static_cast<Function>(std::log))
      .Case("log2", static_cast<Function>(std::log2))
      .Case("log10", static_cast<Function>(std::log10))
      .Case("sin", static_cast<Function>(std::sin))
      .Case("cos", static_cast<Function>(std::cos))
      .Case("tan", static_cast<Function>(std::tan))
      .Case("tanh", static_cast<Function>(std::tanh))
      .Case("erf", static_cast<Function>(std::erf))
      .Case("fabs", static_cast<Function>(std::fabs))
      .Case("ceil", static_cast<Function>(std::ceil))
      .Case("floor", static_cast<Function>(std::floor))
      .Default(std::nullopt);
}

static bool isArrayLibrary(llvm::StringRef path) { return path == "torch" || path == "numpy"; }

/// Modules that make named tuples.
static bool isTupleModule(llvm::StringRef path) {
  return path == "collections" || path == "typing";
}

bool Evaluator::isHostModule(llvm::StringRef path) {
  return path == "math" || path == "torch.version" || isArrayLibrary(path) || isTupleModule(path);
}

/// The parts of `os` that read the environment.
static bool isEnvironmentPath(llvm::StringRef path) {
  return path == "os.environ" || path == "os.environ.get" || path == "os.getenv";
}

std::optional<Value> Evaluator::lookupHostName(llvm::StringRef path, llvm::StringRef name) {
  if (isHostPath(path))
    return lookupHostPath(path, name);
  if (!isHostModule(path))
    return std::nullopt;
  if (isTupleModule(path)) {
    if (name != (path == "typing" ? "NamedTuple" : "namedtuple"))
      return std::nullopt;
    return Value(NamespaceValue{(path + "." + name).str(), nullptr});
  }
  // No target is one of AMD's as PyTorch means it.
  if (path == "torch.version")
    return name == "hip" ? std::optional<Value>(Value::none()) : std::nullopt;
  if (path == "torch" && name == "version")
    return Value(NamespaceValue{"torch.version", nullptr});
  if (auto value = lookupConstant(name))
    return *value;
  bool isFunction =
      path == "math" ? findMathFunction(name) || name == "pow" : name == "finfo" || name == "iinfo";
  if (isFunction)
    return Value(NamespaceValue{(path + "." + name).str(), nullptr});
  if (path != "math")
    if (std::optional<DType> type = parseHostType(name))
      return Value(*type);
  return std::nullopt;
}

std::string Evaluator::findReplacement(llvm::StringRef name) {
  // Names that the language has as well are found by themselves.
  auto other = llvm::StringSwitch<llvm::StringRef>(name)
                   .Cases({"matmul", "mm", "bmm", "einsum"}, "tl.dot")
                   .Cases({"amax", "nanmax"}, "tl.max")
                   .Cases({"amin", "nanmin"}, "tl.min")
                   .Cases({"mean", "average"}, "tl.sum(x, axis) / n")
                   .Cases({"absolute", "fabs"}, "tl.abs")
                   .Cases({"clip", "clamp_"}, "tl.clamp")
                   .Cases({"concatenate", "concat", "hstack", "vstack"}, "tl.cat")
                   .Case("stack", "tl.join")
                   .Cases({"transpose", "swapaxes"}, "tl.trans")
                   .Cases({"relu", "ReLU"}, "tl.maximum(x, 0.0)")
                   .Case("silu", "x * tl.sigmoid(x)")
                   .Case("gelu", "0.5 * x * (1.0 + tl.erf(x * 0.70710678))")
                   .Cases({"empty", "zeros_like", "empty_like"}, "tl.zeros")
                   .Cases({"ones", "ones_like", "full_like"}, "tl.full")
                   .Cases({"tensor", "array", "as_tensor", "asarray"}, "tl.load or tl.arange")
                   .Cases({"power", "float_power"}, "libdevice.pow")
                   .Cases({"arctan", "arcsin", "arccos"}, "libdevice.atan, asin or acos")
                   .Case("logical_and", "'&'")
                   .Case("logical_or", "'|'")
                   .Case("logical_not", "'not'")
                   .Cases({"multiply", "divide", "subtract"}, "operators")
                   .Default("");
  if (!other.empty())
    return "use " + other.str();
  for (auto [path, prefix] :
       {std::pair{"triton.language", "tl."}, {"triton.language.extra.libdevice", "libdevice."}})
    if (auto value = lang::lookup(path, name, prelude);
        value && (value->is<BuiltinValue>() || value->is<FunctionValue>()))
      return "use " + (prefix + name).str() +
             (prefix[0] == 'l' ? " (from triton.language.extra import libdevice)" : "");
  return "";
}

LogicalResult Evaluator::foreignMember(llvm::StringRef path, llvm::StringRef name,
                                       SourceRange range) {
  const bool isReason = !frame().function; // Of why a global is unknown: a part of a sentence.
  if (frame().module)
    for (const auto &entry : frame().module->globals) {
      const Global &global = entry.getValue();
      if (global.kind == Global::Kind::Module && global.path == path && !global.searched.empty())
        return errorWithNotes(
            range,
            "the module '" + path + "' was not found: it was looked for " + global.searched +
                (isReason ? ""
                          : "; put it there, or let the Python package compile the kernel, "
                            "which asks Python for it"),
            Note{global.range, "imported here"});
    }
  if (isReason)
    return error(range, path + "." + name + " belongs to host code");
  std::string remedy = findReplacement(name);
  return error(
      range,
      path + "." + name + " belongs to host code and cannot be used in a kernel; " +
          (remedy.empty() ? "use the functions of tl, or compute it before the launch" : remedy));
}

Result Evaluator::getHostMember(llvm::StringRef path, llvm::StringRef name, SourceRange range) {
  if (auto value = lookupHostName(path, name))
    return *value;
  return foreignMember(path, name, range);
}

/// A record of compile-time numbers, as finfo and iinfo give.
static Value makeRecord(llvm::StringRef typeName,
                        std::initializer_list<std::pair<const char *, Value>> fields) {
  auto out = std::make_shared<TupleValue>();
  out->typeName = typeName.str();
  for (auto &[name, value] : fields) {
    out->names.push_back(name);
    out->elements.push_back(value);
  }
  return Value(std::move(out));
}

Result Evaluator::callLimits(llvm::StringRef path, const CallArguments &args, SourceRange range) {
  llvm::StringRef name = path.substr(path.rfind('.') + 1);
  const bool isFloat = name == "finfo";
  auto *type = args.positional.size() == 1 ? args.positional[0].getIf<DType>() : nullptr;
  if (!type || !args.keywords.empty() || type->isPointer() ||
      (isFloat ? !type->isFloat() : !type->isInt() || type->isBool()))
    return error(range, path + " takes one " + (isFloat ? "float" : "integer") + " dtype, as in " +
                            path + (isFloat ? "(torch.float16)" : "(torch.int32)"));
  const PyInt bits = type->getBits();
  if (!isFloat) {
    const PyInt span = PyInt(1) << (type->isSigned() ? bits - 1 : bits);
    return makeRecord(name, {{"bits", Value(bits)},
                             {"min", Value(type->isSigned() ? -span : PyInt(0))},
                             {"max", Value(span - 1)}});
  }
  auto floatType = llvm::dyn_cast<mlir::FloatType>(lang::getMlirType(&context, *type));
  if (!floatType)
    return error(range, path + " does not know the limits of " + type->str());
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  auto number = [](llvm::APFloat value) {
    bool isInexact;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return Value(value.convertToDouble());
  };
  llvm::APFloat one(semantics, 1), next = one;
  next.next(/*nextDown=*/false);
  return makeRecord(name,
                    {{"bits", Value(bits)},
                     {"eps", number(next - one)},
                     {"max", number(llvm::APFloat::getLargest(semantics))},
                     {"min", number(llvm::APFloat::getLargest(semantics, true))},
                     {"tiny", number(llvm::APFloat::getSmallestNormalized(semantics))},
                     {"smallest_normal", number(llvm::APFloat::getSmallestNormalized(semantics))}});
}

Result Evaluator::readEnvironment(const Value &name, const Value *other, SourceRange range) {
  auto *text = name.getIf<std::string>();
  auto variable = text && frame().module ? frame().module->getEnvironment(*text) : std::nullopt;
  if (!variable)
    return error(range, "the name of a variable of the environment must be written as a text");
  assumes = true;
  if (*variable)
    return Value(**variable);
  if (other)
    return *other;
  return error(range, "'" + *text + "' is not set in the environment");
}

std::optional<Result> Evaluator::askEnvironment(ast::CompareOp op, const Value &item,
                                                const Value &container, SourceRange range) {
  auto *space = container.getIf<NamespaceValue>();
  if (!space || space->path != "os.environ" ||
      (op != ast::CompareOp::In && op != ast::CompareOp::NotIn))
    return std::nullopt;
  const Value none = Value::none();
  Result value = readEnvironment(item, &none, range);
  return failed(value) ? value : Result(Value(value->isNone() == (op == ast::CompareOp::NotIn)));
}

Result Evaluator::callHost(llvm::StringRef path, const CallArguments &args, SourceRange range) {
  if (path.consume_front(kHostBuiltins))
    return callHostBuiltin(path.drop_front(), args, range);
  if (path.starts_with("packaging."))
    return callVersion(args, range);
  if (isEnvironmentPath(path)) {
    const size_t count = args.positional.size();
    if (path == "os.environ" || count < 1 || count > 2 || !args.keywords.empty())
      return error(range, path + " takes a name and a default");
    const Value none = Value::none();
    return readEnvironment(args.positional[0], count == 2 ? &args.positional[1] : &none, range);
  }
  if (path.consume_front("collections.") || path.consume_front("typing."))
    return callNamedTuple(path, args, range);
  if (path.consume_front("math."))
    return callMath(path, args, range);
  return callLimits(path, args, range);
}

Result Evaluator::callMath(llvm::StringRef name, const CallArguments &args, SourceRange range) {
  std::vector<double> operands;
  for (const Value &value : args.positional) {
    if (!value.isConstNumber())
      return error(range, "Python's math." + name + " needs compile-time numbers, not " +
                              value.describe() + "; " + findReplacement(name) + " for tensors");
    operands.push_back(value.is<double>()  ? value.get<double>()
                       : value.is<PyInt>() ? static_cast<double>(value.get<PyInt>())
                                           : value.get<bool>());
  }
  bool takesTwo = name == "pow" || (name == "log" && operands.size() == 2);
  if (operands.size() != (takesTwo ? 2u : 1u) || !args.keywords.empty())
    return error(range, "math." + name + " takes " + (takesTwo ? "two numbers" : "one number"));
  double result = name == "pow" ? std::pow(operands[0], operands[1])
                  : takesTwo    ? std::log(operands[0]) / std::log(operands[1])
                                : (*findMathFunction(name))(operands[0]);
  if (std::isnan(result) && llvm::none_of(operands, [](double v) { return std::isnan(v); }))
    return error(range, "math." + name + " is not defined for these numbers");
  if ((name == "ceil" || name == "floor") && std::fabs(result) < 1e30)
    return Value(static_cast<PyInt>(result));
  return Value(result);
}

} // namespace tilerun::sema
