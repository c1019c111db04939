// Loading and compiling kernels for the command.
#include "tools/tilerun/command/Session.h"

#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "runtime/compiler/Programs.h"
#include "runtime/plugin/Trace.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

static mlir::DialectRegistry makeDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Session::Session(const Options &options)
    : options(options), context(makeDialects(), mlir::MLIRContext::Threading::DISABLED),
      evaluator(frontend.getDiagnostics()),
      expressions{frontend.getSources(), frontend.getDiagnostics(), arena, evaluator} {
  evaluator.setFallback([this](const ast::Expr &expr) { return evaluateGlobal(expr); });
}

mlir::FailureOr<std::optional<host::Value>> Session::evaluateGlobal(const ast::Expr &expr) {
  using Kind = Global::Kind;
  std::optional<host::Value> unknown;
  auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&expr);
  llvm::StringRef name = llvm::cast<ast::NameExpr>(attribute ? attribute->value : &expr)->name;
  const Global *global = module ? module->lookup(name) : nullptr;
  if (!global)
    return unknown;
  const bool isOfFile = global->kind != Kind::Module && global->kind != Kind::ImportedName;
  if (attribute && global->kind != Kind::Class && !(global->kind == Kind::Module && global->module))
    return unknown;
  if (!isOfFile && !global->module) // The language's, or numpy's.
    return unknown;
  if (global->kind == Kind::Jit ||
      (global->kind == Kind::ImportedName && global->module->findFunction(global->importedName)))
    return std::optional(host::Value(host::JitName{name.str()}));
  if (global->kind == Kind::HostFunction)
    return evaluator.fail(expr.range, "the host function '" + name + "' is not run" +
                                          (remedy.empty() ? "" : "; " + remedy));
  if (global->kind == Kind::Value && !attribute)
    if (auto *lambda = llvm::dyn_cast_or_null<ast::LambdaExpr>(global->value))
      return std::optional(host::Value(lambda));
  auto constant = evaluate(expr);
  if (!constant)
    return mlir::failure();
  return std::optional(toHostValue(*constant));
}

llvm::Error Session::failure(ExitCode code) { return makeCommandError(code, ""); }

std::string Session::getText(SourceRange range) {
  if (!range.isValid())
    return "";
  llvm::StringRef text = frontend.getSources().getText(range.begin.file);
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text.slice(range.begin.offset, range.end), words);
  return llvm::join(words, " ");
}

/// A Python file of the same folder whose name is near to that of `path`.
static std::string suggestFile(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder.empty() ? "." : folder, error), end;
       !error && it != end; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".py")
      names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names); // Folders have no order of their own.
  std::vector<llvm::StringRef> candidates(names.begin(), names.end());
  auto near = findNearName(llvm::sys::path::filename(path), candidates);
  if (!near)
    return "";
  llvm::SmallString<128> full(folder);
  llvm::sys::path::append(full, *near);
  return ("; did you mean '" + full + "'?").str();
}

/// The name of stdin in messages.
static constexpr llvm::StringLiteral kStdin = "<stdin>";

core::Status Session::loadAgain(std::shared_ptr<const compiler::Services> services,
                                std::shared_ptr<core::Program> &program) {
  if (module->path == kStdin)
    return compiler::loadText(std::move(services), module->path,
                              frontend.getSources().getText(module->file).str(),
                              kernel->qualifiedName, program);
  return compiler::loadFile(std::move(services), module->path, kernel->qualifiedName, program);
}

llvm::Error Session::loadFile(llvm::StringRef path) {
  if (path == "-") {
    // It can be read once; tuning loads a kernel for each configuration.
    static const auto text = llvm::MemoryBuffer::getSTDIN();
    if (!text)
      return makeUsageError("cannot read stdin: " + text.getError().message());
    Span span("compile", "parse");
    module = frontend.loadText(kStdin, (*text)->getBuffer().str());
    return module ? llvm::Error::success() : failure(ExitCode::Compile);
  }
  // A path that cannot be read is a usage error; a file that cannot be parsed is an error of the
  // kernel.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return makeUsageError("cannot read '" + path + "': " + error.message() +
                          (error == std::errc::no_such_file_or_directory ? suggestFile(path) : ""));
  if (llvm::sys::fs::is_directory(status))
    return makeUsageError("cannot read '" + path + "': it is a folder");
  Span span("compile", "parse");
  module = frontend.loadFile(path);
  return module ? llvm::Error::success() : failure(ExitCode::Compile);
}

std::string command::suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  if (auto near = findNearName(name, candidates))
    return "; did you mean '" + near->str() + "'?";
  if (candidates.empty())
    return "";
  constexpr size_t kMost = 12;
  std::string out = candidates.size() == 1 ? "; the only one is " : "; choose from ";
  for (auto [i, candidate] : llvm::enumerate(candidates.take_front(kMost)))
    out += (i ? ", '" : "'") + candidate.str() + "'";
  if (candidates.size() > kMost)
    out += " and " + std::to_string(candidates.size() - kMost) + " more";
  return out;
}

llvm::Error Session::load(llvm::StringRef target) {
  size_t at = target.rfind("::");
  llvm::StringRef path = target.take_front(at);
  llvm::StringRef name = at == llvm::StringRef::npos ? "" : target.drop_front(at + 2);
  // One colon, as in other tools.
  if (auto [file, rest] = target.split(".py:");
      at == llvm::StringRef::npos && !rest.empty() && !llvm::sys::fs::exists(path))
    return makeUsageError("'" + target + "' is not FILE.py::KERNEL; did you mean '" + file +
                          ".py::" + rest + "'?");
  TILERUN_TRY_ERROR(loadFile(path));
  std::vector<llvm::StringRef> names;
  names.reserve(module->functions.size());
  for (const auto &function : module->functions)
    names.push_back(function->qualifiedName);
  if (names.empty())
    return makeUsageError("'" + path + "' " + module->describeNoKernels());
  if (name.empty()) {
    std::vector<llvm::StringRef> kernels;
    for (const auto &function : module->functions)
      if (!function->usedAsHelper)
        kernels.push_back(function->qualifiedName);
    return makeUsageError("which kernel of '" + path + "'? write FILE.py::KERNEL" +
                          suggest("", kernels));
  }
  kernel = module->findFunction(name);
  if (!kernel &&
      llvm::any_of(module->gluonKernels, [&](auto &gluon) { return gluon.name == name; }))
    return makeUsageError("'" + path + "' " + module->describeNoKernels());
  if (!kernel)
    return makeUsageError("'" + path + "' has no kernel '" + name + "'" + suggest(name, names));
  parameters = compiler::describeParameters(*kernel);
  return llvm::Error::success();
}

llvm::Expected<CompiledKernel> Session::compile(const KernelSignature &signature, bool quiet) {
  Span span("compile", "frontend");
  mlir::FailureOr<CompiledKernel> compiled =
      frontend.compile(*module, kernel->qualifiedName, signature, context);
  if (mlir::succeeded(compiled)) {
    if (!quiet)
      llvm::errs() << compiled->staticOutput;
    return std::move(*compiled);
  }
  if (!frontend.getInvalidModule().empty())
    return makeInternalError(options, "the frontend made an invalid module", "mlir",
                             frontend.getInvalidModule());
  return failure(ExitCode::Compile);
}

llvm::Error Session::explainFailure(const core::Status &status, const KernelSignature &signature) {
  if (!frontend.getInvalidModule().empty())
    return makeInternalError(options, "the frontend made an invalid module", "mlir",
                             frontend.getInvalidModule());
  if (frontend.getDiagnostics().hasErrors())
    return failure(ExitCode::Compile);
  if (status.getCode() != TILERUN_STATUS_INTERNAL)
    return toError(status);
  // A module that the library cannot take although the frontend made it.
  std::vector<uint8_t> module;
  mlir::FailureOr<CompiledKernel> compiled =
      frontend.compile(*this->module, kernel->qualifiedName, signature, context);
  if (mlir::succeeded(compiled))
    module = tile::writeModule(*compiled->module);
  return makeInternalError(
      options, status.getMessage(), "mlirbc",
      llvm::StringRef(reinterpret_cast<const char *>(module.data()), module.size()));
}

std::string Session::whyConfigsUnknown() {
  const std::optional<Autotune> &autotune = kernel->autotune;
  if (!autotune)
    return "";
  if (!autotune->configsKnown)
    return "host code, which is not run, builds the list";
  if (autotune->change.doubt == Doubt::None)
    return "";
  SourceManager &sources = frontend.getSources();
  return "host code, which is not run, may change the list in line " +
         std::to_string(sources.getLineColumn(autotune->change.place.begin).line);
}

llvm::Expected<std::vector<std::pair<std::string, ConstantArgument>>>
Session::getAutotuneConfig(std::optional<unsigned> number, KernelSignature &signature,
                           IsGiven isGiven) {
  std::vector<std::pair<std::string, ConstantArgument>> values;
  if (!kernel->autotune) {
    if (number)
      return makeUsageError("kernel '" + kernel->qualifiedName + "' has no autotune configs");
    return values;
  }
  if (std::string reason = whyConfigsUnknown(); number && !reason.empty())
    return makeUsageError("autotune config " + llvm::Twine(*number) + " is not known: " + reason +
                          "; give the meta-parameters themselves");
  else if (!reason.empty())
    return values;
  const std::vector<AutotuneConfig> &configs = kernel->autotune->configs;
  if (number && *number >= configs.size())
    return makeUsageError("no autotune config " + llvm::Twine(*number) + "; kernel '" +
                          kernel->qualifiedName + "' has " + llvm::Twine(configs.size()) +
                          " that are known, counted from 0");
  if (configs.empty())
    return values;
  const AutotuneConfig &config = configs[number.value_or(0)];
  auto isFlag = [&](llvm::StringRef name) {
    return llvm::any_of(getLaunchOptions(), [&](const LaunchOption &option) {
      return option.name == name && options.*option.flag;
    });
  };
  for (const auto &[name, expr] : config.kwargs) {
    if (isGiven(name) || isFlag(name))
      continue;
    auto value = evaluate(*expr, "give " + name + "=VALUE");
    if (!value)
      return failure(ExitCode::Compile);
    values.emplace_back(name, *value);
  }
  for (const LaunchOption &option : getLaunchOptions()) {
    const ast::Expr *expr = config.*option.config;
    if (!expr || isGiven(option.name) || options.*option.flag)
      continue;
    auto value = evaluate(*expr, "give " + option.name.str() + "=VALUE");
    if (!value)
      return failure(ExitCode::Compile);
    if (auto *integer = std::get_if<int64_t>(&value->value))
      option.set(signature, *integer);
  }
  return values;
}

void LaunchOption::set(KernelSignature &signature, int64_t number) const {
  if (value)
    signature.*value = number;
  else
    signature.maxnreg = number;
}

llvm::ArrayRef<LaunchOption> command::getLaunchOptions() {
  using Config = AutotuneConfig;
  using Signature = KernelSignature;
  static constexpr LaunchOption options[] = {
      {"num_warps", &Options::numWarps, &Config::numWarps, &Signature::numWarps, 1, 1024},
      {"num_stages", &Options::numStages, &Config::numStages, &Signature::numStages, 0, 64},
      {"num_ctas", &Options::numCtas, &Config::numCtas, &Signature::numCtas, 1, 64},
      {"maxnreg", &Options::maxnreg, &Config::maxnreg, nullptr, 1, 1024}};
  return options;
}

void command::applyFlags(const Options &options, KernelSignature &signature) {
  for (const LaunchOption &option : getLaunchOptions())
    if (const std::optional<int64_t> &flag = options.*option.flag)
      option.set(signature, *flag);
}

std::string command::writeReproducer(const Options &options, llvm::StringRef extension,
                                     llvm::StringRef module) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("tilerun-reproducer", folder))
    return "";
  auto write = [&](llvm::StringRef name, llvm::StringRef content) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error)
      os << content;
    os.clear_error();
  };
  write(("module." + extension).str(), module);
  std::string text = "target: " + options.target + "\ngrid: " + options.grid + "\n";
  if (!options.signature.empty())
    text += "signature: " + options.signature + "\n";
  for (const std::string &argument : options.arguments)
    text += "argument: " + argument + "\n";
  write("command.txt", text);
  return folder.str().str();
}

llvm::Error command::makeInternalError(const Options &options, const llvm::Twine &message,
                                       llvm::StringRef extension, llvm::StringRef module) {
  return llvm::make_error<CommandError>(ExitCode::Internal, message.str(),
                                        writeReproducer(options, extension, module));
}

std::string command::listMissing(Session &session,
                                 llvm::function_ref<bool(llvm::StringRef)> isGiven) {
  std::string missing;
  for (const ast::Parameter &parameter : session.kernel->def->parameters)
    if (!parameter.defaultValue && !isVariadic(parameter) && !isGiven(parameter.name))
      missing += (missing.empty() ? "" : ", ") + parameter.name.str() +
                 (session.describe(parameter).isConstexpr ? " (constexpr)" : "");
  return missing;
}

bool command::isVariadic(const ast::Parameter &parameter) {
  return parameter.kind == ast::ParameterKind::VarArgs ||
         parameter.kind == ast::ParameterKind::KwArgs;
}

host::Value command::toHostValue(const ConstantArgument &constant) {
  using host::Value;
  if (auto *b = std::get_if<bool>(&constant.value))
    return Value(*b);
  if (auto *i = std::get_if<int64_t>(&constant.value))
    return Value::integer(*i);
  if (auto *u = std::get_if<uint64_t>(&constant.value))
    return Value::integer(*u);
  if (auto *d = std::get_if<double>(&constant.value))
    return Value(*d);
  if (auto *s = std::get_if<std::string>(&constant.value))
    return Value(*s);
  if (auto *t = std::get_if<DType>(&constant.value))
    return Value(*t);
  if (auto *f = std::get_if<ConstantArgument::FunctionName>(&constant.value))
    return Value(host::JitName{f->name});
  if (auto *elements = std::get_if<std::vector<ConstantArgument>>(&constant.value)) {
    std::vector<Value> values;
    for (const ConstantArgument &element : *elements)
      values.push_back(toHostValue(element));
    return Value::tuple(std::move(values), constant.isList);
  }
  return Value();
}

std::optional<ConstantArgument> command::toConstant(const host::Value &value) {
  ConstantArgument out;
  if (value.isNone())
    return out;
  if (auto *b = value.getIf<bool>()) {
    out.value = *b;
  } else if (auto i = value.asInteger()) {
    if (*i >= INT64_MIN && *i <= INT64_MAX)
      out.value = static_cast<int64_t>(*i);
    else if (*i > 0 && *i <= UINT64_MAX)
      out.value = static_cast<uint64_t>(*i);
    else
      return std::nullopt;
  } else if (auto *d = value.getIf<double>()) {
    out.value = *d;
  } else if (auto *s = value.getIf<std::string>()) {
    out.value = *s;
  } else if (auto *t = value.getIf<DType>()) {
    out.value = *t;
  } else if (auto *j = value.getIf<host::JitName>()) {
    out.value = ConstantArgument::FunctionName{j->name};
  } else if (auto *tuple = value.asTuple()) {
    std::vector<ConstantArgument> elements;
    for (const host::Value &element : tuple->elements) {
      auto constant = toConstant(element);
      if (!constant)
        return std::nullopt;
      elements.push_back(std::move(*constant));
    }
    out.value = std::move(elements);
    out.isList = tuple->isList;
  } else {
    return std::nullopt;
  }
  return out;
}
