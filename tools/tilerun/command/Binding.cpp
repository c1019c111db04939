// Binds arguments, meta-parameters and the grid.
#include "tools/tilerun/command/Binding.h"

#include "frontend/corpus/LaunchGuess.h"
#include "runtime/core/Arguments.h"
#include "tools/tilerun/command/Defines.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/host/Operators.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::command;
using host::Value;

static bool isName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c < 0; });
}

/// `Cfg.FAST`
static bool isDottedName(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 2> parts;
  text.split(parts, '.');
  return llvm::all_of(parts, isName);
}

llvm::Expected<std::pair<std::string, std::string>> command::splitAssignment(llvm::StringRef text,
                                                                             llvm::StringRef what) {
  auto [name, rest] = text.split('=');
  name = name.trim();
  if (!text.contains('='))
    return makeUsageError(what + " '" + text + "' has no '='; write NAME=VALUE");
  if (!(what == "argument" ? isDottedName(name) : isName(name)))
    return makeUsageError(what + " '" + text + "': '" + name + "' is not a name; write NAME=VALUE");
  if (rest.trim().empty())
    return makeUsageError(what + " '" + text + "' has no value after '='");
  return std::pair(name.str(), rest.str());
}

/// Launch options may be given like arguments, as in a Triton launch.
static const LaunchOption *findLaunchOption(llvm::StringRef name) {
  for (const LaunchOption &option : getLaunchOptions())
    if (option.name == name)
      return &option;
  return nullptr;
}

static const ast::Parameter *findParameter(const JitFunction &kernel, llvm::StringRef name) {
  for (const ast::Parameter &parameter : kernel.def->parameters)
    if (parameter.name == name)
      return &parameter;
  return nullptr;
}

namespace {

/// State of one binding.
class Binder {
public:
  explicit Binder(Session &session) : session(session), kernel(*session.kernel) {}

  llvm::Expected<Binding> run() {
    for (auto step :
         {&Binder::bindGiven, &Binder::bindAutotune, &Binder::bindDefaults, &Binder::bindHeuristics,
          &Binder::checkMissing, &Binder::setOptions, &Binder::specialize})
      TILERUN_TRY_ERROR((this->*step)());
    return std::move(out);
  }

private:
  llvm::Error bindGiven() {
    std::set<std::string> seen;
    for (const std::string &argument : session.options.arguments) {
      TILERUN_TRY_VALUE(split, splitAssignment(argument, "argument"));
      const auto &[name, text] = split;
      if (!seen.insert(name).second)
        return makeUsageError("argument '" + name + "' is given twice");
      mlir::FailureOr<Value> value =
          host::evaluateArgument(session.expressions, "argument '" + name + "'", text);
      if (mlir::failed(value))
        return session.failure(ExitCode::Usage);
      // A function of the kernel file wins over an expression function of the same name.
      if (auto *function = value->getIf<const host::Function *>())
        if (session.module->findFunction((*function)->name))
          value = Value(host::JitName{(*function)->name.str()});
      set(name, *value);
    }
    TILERUN_TRY_ERROR(addDefines(session, out.signature));
    for (const auto &[name, constant] : session.globals)
      session.evaluator.define(name, toHostValue(constant));
    return llvm::Error::success();
  }

  void set(llvm::StringRef name, const Value &value) {
    session.evaluator.define(name, value);
    if (findParameter(kernel, name))
      out.values[name.str()] = value;
    else if (findLaunchOption(name))
      launchOptions[name.str()] = value;
    else if (auto constant = toConstant(value);
             constant && session.frontend.getGlobalState(kernel, name) == GlobalState::Unknown) {
      session.globals[name.str()] = *constant;
      out.signature.arguments[name.str()] = std::move(*constant);
      out.notes.push_back(name.str() + " is a global");
    }
  }

  llvm::Error bindAutotune() {
    const Options &options = session.options;
    auto isGiven = [&](llvm::StringRef name) {
      return out.values.count(name.str()) || launchOptions.count(name.str());
    };
    TILERUN_TRY_VALUE(config,
                      session.getAutotuneConfig(options.autotuneConfig, out.signature, isGiven));
    std::string number = std::to_string(options.autotuneConfig.value_or(0));
    for (const auto &[name, value] : config) {
      if (!findParameter(kernel, name))
        continue; // Also where a config holds knobs of a target that are not parameters.
      set(name, toHostValue(value));
      out.notes.push_back(name + " from autotune config " + number);
    }
    return llvm::Error::success();
  }

  llvm::Error bindDefaults() {
    for (const ast::Parameter &parameter : kernel.def->parameters) {
      if (!parameter.defaultValue || out.values.count(parameter.name.str()))
        continue;
      auto value = session.evaluate(*parameter.defaultValue);
      if (!value)
        return session.failure(ExitCode::Compile);
      // The frontend knows the default; only expressions need it here.
      session.evaluator.define(parameter.name, toHostValue(*value));
      defaults[parameter.name.str()] = toHostValue(*value);
    }
    return llvm::Error::success();
  }

  llvm::Error bindHeuristics() {
    for (const Heuristic &heuristic : kernel.heuristics) {
      if (out.values.count(heuristic.name))
        continue;
      if (!heuristic.function)
        return makeUsageError("the heuristic for '" + heuristic.name +
                              "' is not a lambda of this file; give " + heuristic.name + "=VALUE");
      auto dictionary = std::make_shared<host::Dictionary>();
      for (const auto *values : {&out.values, &defaults})
        for (const auto &[name, value] : *values)
          dictionary->entries.emplace(name, value);
      session.evaluator.setPreferFallback(true);
      session.remedy = "give " + heuristic.name + "=VALUE";
      mlir::FailureOr<Value> value =
          session.evaluator.call(*heuristic.function, {Value(std::move(dictionary))});
      session.remedy.clear();
      session.evaluator.setPreferFallback(false);
      if (mlir::failed(value))
        return session.failure(ExitCode::Usage);
      set(heuristic.name, *value);
      out.notes.push_back(heuristic.name + " from its heuristic");
    }
    return llvm::Error::success();
  }

  llvm::Error checkMissing() {
    const std::string missing = listMissing(
        session, [&](llvm::StringRef name) { return out.values.count(name.str()) != 0; });
    if (missing.empty())
      return llvm::Error::success();
    // A misspelt name is surplus at the same time.
    std::string misspelt;
    std::vector<llvm::StringRef> open;
    for (const ast::Parameter &parameter : kernel.def->parameters)
      if (!out.values.count(parameter.name.str()))
        open.push_back(parameter.name);
    for (const std::string &argument : session.options.arguments) {
      llvm::StringRef name = llvm::StringRef(argument).split('=').first.trim();
      if (findParameter(kernel, name) || session.evaluator.getUsedNames().count(name))
        continue;
      if (auto near = findNearName(name, open))
        misspelt += "; did you mean '" + near->str() + "' by '" + name.str() + "'?";
    }
    const std::string reason = session.whyConfigsUnknown();
    return makeUsageError(
        "kernel '" + kernel.qualifiedName + "' lacks arguments: " + missing + misspelt +
        (reason.empty() ? "" : "; its autotune configs are not known: " + reason));
  }

  llvm::Error setOptions() {
    for (const auto &[name, value] : launchOptions) {
      auto integer = value.asInteger();
      if (!integer || *integer < 0 || *integer > 1024)
        return makeUsageError(name + " must be a small integer, not " + value.describe());
      findLaunchOption(name)->set(out.signature, static_cast<int64_t>(*integer));
    }
    const Options &options = session.options;
    applyFlags(options, out.signature);
    out.signature.debug = options.debug || options.command == Options::Command::Check ||
                          options.command == Options::Command::Show;
    return checkOptions(out.signature);
  }

  // The command line's own numbers are in range; those of configurations and arguments may not be.
  static llvm::Error checkOptions(const KernelSignature &signature) {
    if (signature.numWarps < 1 || signature.numWarps > 1024 ||
        !llvm::isPowerOf2_64(signature.numWarps))
      return makeUsageError("num_warps is " + llvm::Twine(signature.numWarps) +
                            "; a power of two from 1 to 1024 is expected");
    for (const auto &[name, flag, config, member, least, most] : getLaunchOptions()) {
      const int64_t value = member ? signature.*member : signature.maxnreg.value_or(least);
      if (value < least || value > most)
        return makeUsageError(name + " is " + llvm::Twine(value) + "; " + llvm::Twine(least) +
                              " to " + llvm::Twine(most) + " are possible");
    }
    return llvm::Error::success();
  }

  llvm::Error specialize() {
    for (const ast::Parameter &parameter : kernel.def->parameters) {
      auto it = out.values.find(parameter.name.str());
      if (it == out.values.end())
        continue;
      TILERUN_TRY_ERROR(specialize(parameter, parameter.name.str(), Value(it->second)));
    }
    return llvm::Error::success();
  }

  static bool holdsTensor(const Value &value, unsigned depth = 0) {
    const host::Tuple *tuple = value.asTuple();
    if (!tuple || depth > kMostLevels)
      return value.is<host::Tensor>();
    return llvm::any_of(tuple->elements, [&](const Value &v) { return holdsTensor(v, depth + 1); });
  }

  /// A tuple with tensors becomes an argument for each element: "t.0", "t.1".
  llvm::Error specialize(const ast::Parameter &parameter, const std::string &path,
                         const Value &value) {
    if (!session.describe(parameter).isConstexpr && value.asTuple() && holdsTensor(value)) {
      out.values.erase(path);
      for (auto [index, element] : llvm::enumerate(value.asTuple()->elements)) {
        std::string name = path + "." + std::to_string(index);
        out.values[name] = element;
        TILERUN_TRY_ERROR(specialize(parameter, name, element));
      }
      return llvm::Error::success();
    }
    TILERUN_TRY_VALUE(spec, specialize(parameter, value));
    out.signature.arguments[path] = spec;
    return llvm::Error::success();
  }

  llvm::Error wrong(const ast::Parameter &parameter, const llvm::Twine &message) {
    return makeUsageError("argument '" + parameter.name + "' is " + message);
  }

  llvm::Expected<ArgumentSpec> specialize(const ast::Parameter &parameter, const Value &value) {
    const core::ParameterFacts &facts = session.describe(parameter);
    if (facts.isConstexpr && value.is<host::Tensor>())
      return wrong(parameter, value.describe() + ", but the parameter is a tl.constexpr; give a "
                                                 "number, string or dtype");
    if (value.isTensorLike() && !value.is<host::Tensor>())
      return wrong(parameter, value.describe() + "; say its element type, as in f32(…)");
    std::optional<TilerunArgument> argument = toArgument(value);
    if (value.asInteger() && !argument)
      return wrong(parameter, value.describe() + ", which fits neither int64 nor uint64");
    if (!facts.isConstexpr && (value.is<host::Tensor>() || value.isNumber())) {
      // Allocations start on multiples of 256 bytes, so that the offset decides the alignment.
      core::SpecializationKey key(0, 1, {});
      if (!core::addToKey(key, facts, *argument))
        return wrong(parameter, core::makeKeyError(facts, *argument).getMessage());
      return llvm::cantFail(parseSignature("x=" + core::getSpecText(facts, *argument)))
          .arguments.at("x");
    }
    std::optional<ConstantArgument> constant = toConstant(value);
    if (!constant)
      return wrong(parameter, value.describe() + ", which a kernel cannot take; give a number, "
                                                 "string, dtype, tuple of these, or a tensor");
    return ArgumentSpec(*constant);
  }

  static constexpr unsigned kMostLevels = 32; ///< Of tuples.

  Session &session;
  const JitFunction &kernel;
  Binding out;
  std::map<std::string, Value> defaults, launchOptions;
};

} // namespace

llvm::Expected<Binding> command::bindArguments(Session &session) { return Binder(session).run(); }

llvm::Error command::checkSurplus(Session &session) {
  std::vector<llvm::StringRef> parameters;
  for (const ast::Parameter &parameter : session.kernel->def->parameters)
    parameters.push_back(parameter.name);
  for (const std::string &argument : session.options.arguments) {
    llvm::StringRef name = llvm::StringRef(argument).split('=').first.trim();
    if (llvm::is_contained(parameters, name) || findLaunchOption(name) ||
        session.evaluator.getUsedNames().count(name) || session.globals.count(name.str()))
      continue;
    if (session.frontend.getGlobalState(*session.kernel, name) == GlobalState::Known)
      return makeUsageError("argument '" + name + "' is not a parameter of kernel '" +
                            session.kernel->qualifiedName +
                            "', and the global of this name has a value in the file");
    return makeUsageError("argument '" + name + "' is not a parameter of kernel '" +
                          session.kernel->qualifiedName + "', and nothing refers to it" +
                          suggest(name, parameters));
  }
  return llvm::Error::success();
}

/// Without --grid: one program, if the kernel never asks which one it is.
static llvm::Error checkNeedsNoGrid(const JitFunction &kernel) {
  const corpus::GridGuess guess = corpus::guessGrid(kernel);
  if (guess.numAxes == 0)
    return llvm::Error::success();
  const std::string grid = guess.format("…");
  return makeUsageError("--grid is required: '" + kernel.qualifiedName +
                        "' asks for its program's number; " +
                        (llvm::StringRef(grid).contains("…") ? "it has the form --grid '"
                                                             : "its source suggests --grid '") +
                        grid + "'");
}

llvm::Error command::bindGrid(Session &session, Binding &binding, const core::Device &device) {
  if (session.options.grid.empty())
    return checkNeedsNoGrid(*session.kernel);
  auto fail = [](const llvm::Twine &message) { return makeUsageError("--grid: " + message); };
  mlir::FailureOr<Value> value =
      host::evaluateText(session.expressions, "--grid", session.options.grid);
  if (mlir::succeeded(value))
    if (auto *lambda = value->getIf<const ast::LambdaExpr *>()) {
      auto dictionary = std::make_shared<host::Dictionary>();
      for (const auto &[name, argument] : session.evaluator.getNames())
        dictionary->entries.emplace(name, argument);
      value = session.evaluator.call(**lambda, {Value(std::move(dictionary))});
    }
  if (mlir::failed(value))
    return session.failure(ExitCode::Usage);
  const host::Tuple *tuple = value->asTuple();
  llvm::ArrayRef<Value> axes = tuple ? llvm::ArrayRef(tuple->elements) : llvm::ArrayRef(*value);
  if (axes.empty() || axes.size() > 3)
    return fail(llvm::Twine(axes.size()) + " axes; a grid has 1 to 3");
  for (auto [axis, extent] : llvm::enumerate(axes)) {
    auto integer = extent.asInteger();
    if (!integer)
      return fail("axis " + llvm::Twine(axis) + " is " + extent.describe() +
                  "; it must be an integer");
    if (*integer < 1)
      return fail("axis " + llvm::Twine(axis) + " has " + host::formatInteger(*integer) +
                  " programs; at least 1 is needed");
    const uint32_t most = device.getLimits().maxGrid[axis];
    if (*integer > most)
      return fail("axis " + llvm::Twine(axis) + " has " + host::formatInteger(*integer) +
                  " programs; device '" + session.options.device + "' takes at most " +
                  llvm::Twine(most));
    binding.grid[axis] = static_cast<uint64_t>(*integer);
  }
  return llvm::Error::success();
}

llvm::Error command::checkOverlap(const Binding &binding) {
  struct Span {
    llvm::StringRef name;
    const host::Storage *storage;
    uint64_t begin, end;
  };
  std::vector<Span> spans;
  for (const auto &[name, value] : binding.values)
    if (auto *tensor = value.getIf<host::Tensor>()) {
      auto [begin, end] = tensor->getByteRange();
      if (begin == end)
        continue;
      for (const Span &other : spans)
        if (other.storage == tensor->storage.get() && begin < other.end && other.begin < end)
          return makeUsageError(
              "arguments '" + other.name + "' and '" + name + "' overlap: both are bytes " +
              llvm::Twine(std::max(begin, other.begin)) + " to " +
              llvm::Twine(std::min(end, other.end)) +
              " of one tensor; give one of them a copy(…), or allow it by --allow-overlap");
      spans.push_back({name, tensor->storage.get(), begin, end});
    }
  return llvm::Error::success();
}
