// `tilerun compile`: stops after a phase and writes its result.
#include "ir/tile/ModuleBytes.h"
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/Defines.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"

#include "tools/tilerun/host/AtomicFile.h"

#include "mlir/IR/AsmState.h"

using namespace tilerun;
using namespace tilerun::command;

/// A bare word of a signature that is not a type names a jit function of the file; anything else is
/// a mistake of the command line.
static llvm::Error checkFunctionNames(const LoadedModule &module, llvm::StringRef parameter,
                                      const ConstantArgument &argument) {
  if (auto *elements = std::get_if<std::vector<ConstantArgument>>(&argument.value)) {
    for (const ConstantArgument &element : *elements)
      TILERUN_TRY_ERROR(checkFunctionNames(module, parameter, element));
    return llvm::Error::success();
  }
  auto *function = std::get_if<ConstantArgument::FunctionName>(&argument.value);
  if (!function || module.findFunction(function->name))
    return llvm::Error::success();
  llvm::StringRef word = function->name;
  // Among equally near names the first wins.
  std::vector<llvm::StringRef> names = {"f32", "i32", "f16", "bf16", "f64", "i64",  "i16",  "i8",
                                        "u32", "u64", "u16", "u8",   "i1",  "fp32", "fp16", "fp64"};
  for (const auto &candidate : module.functions)
    names.push_back(candidate->qualifiedName);
  std::string hint;
  if (auto near = findNearName(word, names))
    hint = near->str();
  else if (std::string wide = word.rtrim("0123456789").str() + "32"; parseDType(wide))
    hint = wide;
  return makeUsageError("--signature: '" + word + "' of parameter '" + parameter +
                        "' is neither a type nor a jit function of the file" +
                        (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
}

llvm::Expected<KernelSignature> command::makeSignature(Session &session) {
  const Options &options = session.options;
  if (!options.arguments.empty()) {
    // Arguments as of a launch decide the types and what is known of the values. Names that nothing
    // uses may belong to the launch's grid.
    if (!options.signature.empty())
      return makeUsageError("--signature and arguments exclude each other; both say the types");
    TILERUN_TRY_VALUE(binding, bindArguments(session));
    return binding.signature;
  }
  llvm::Expected<KernelSignature> signature = parseSignature(options.signature);
  if (!signature)
    return makeUsageError("--signature: " + llvm::toString(signature.takeError()));
  std::vector<llvm::StringRef> parameters;
  for (const ast::Parameter &parameter : session.kernel->def->parameters)
    parameters.push_back(parameter.name);
  std::set<std::string> given;
  for (const auto &[path, spec] : signature->arguments) {
    // "t.0" is an element of a tuple.
    std::string name = path.substr(0, path.find('.'));
    given.insert(name);
    const bool isParameter = llvm::is_contained(parameters, name);
    if (!isParameter)
      name = getGlobalName(path);
    auto *constant = std::get_if<ConstantArgument>(&spec);
    if (!isParameter && constant &&
        session.frontend.getGlobalState(*session.kernel, name) == GlobalState::Unknown)
      session.globals[name] = *constant;
    else if (!isParameter)
      return makeUsageError("--signature: kernel '" + session.kernel->qualifiedName +
                            "' has no parameter '" + name + "'" + suggest(name, parameters));
    if (constant)
      TILERUN_TRY_ERROR(checkFunctionNames(*session.module, name, *constant));
  }
  TILERUN_TRY_ERROR(addDefines(session, *signature));
  auto isGiven = [&](llvm::StringRef name) { return given.count(name.str()) != 0; };
  TILERUN_TRY_VALUE(config, session.getAutotuneConfig(options.autotuneConfig, *signature, isGiven));
  for (const auto &[name, value] : config)
    if (llvm::is_contained(parameters, name) && given.insert(name).second)
      signature->arguments.emplace(name, value);
  if (const std::string missing = listMissing(session, isGiven); !missing.empty())
    return makeUsageError("--signature lacks " + missing +
                          (session.whyConfigsUnknown().empty()
                               ? ""
                               : "; the autotune configs of '" + session.kernel->qualifiedName +
                                     "' are not known: " + session.whyConfigsUnknown()));
  applyFlags(options, *signature);
  signature->debug = options.debug;
  return signature;
}

/// The output, as bytes.
static llvm::Expected<std::string> emit(Session &session) {
  const Options &options = session.options;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.emit == "ast") {
    ast::dump(*session.kernel->def, session.frontend.getSources(), os);
    return text;
  }
  TILERUN_TRY_VALUE(signature, makeSignature(session));
  // Tile IR is printed for the first target.
  if (!options.targets.empty())
    signature.target = options.targets[0];
  TILERUN_TRY_VALUE(compiled, session.compile(signature));
  if (options.emit == "tile-opt")
    if (core::Status status = compiler::optimize(*compiled.module, compiled.name,
                                                 CompileSettings(signature, options).get());
        !status.isOk())
      return session.explainFailure(status, signature);
  if (options.bytecode) {
    std::vector<uint8_t> bytes = tile::writeModule(*compiled.module);
    return std::string(bytes.begin(), bytes.end());
  }
  mlir::OpPrintingFlags flags;
  if (options.locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  compiled.module->print(os, flags);
  if (!llvm::StringRef(text).ends_with("\n"))
    os << "\n";
  return text;
}

llvm::Expected<ExitCode> command::runCompile(Session &session) {
  const Options &options = session.options;
  if (options.bytecode && options.emit == "ast")
    return makeUsageError("--bytecode needs --emit tile or tile-opt");
  const bool tileOnly =
      options.emit == "ast" || options.emit == "tile" || options.emit == "tile-opt";
  if (!tileOnly && options.targets.empty()) {
    std::string target = findTargetThatEmits(options.emit);
    return makeUsageError("--emit " + options.emit +
                          (target.empty()
                               ? ": no target emits that; without --target it may be ast, "
                                 "tile or tile-opt"
                               : " needs --target, such as " + target));
  }
  if (!tileOnly && options.bytecode)
    return makeUsageError("--bytecode needs --emit tile or tile-opt");
  for (auto [isGiven, flag] : {std::pair{options.resources, "--resources"},
                               std::pair{options.schedule.has_value(), "--schedule"},
                               std::pair{options.remarks, "--remarks"}})
    if (isGiven && (tileOnly || options.targets.empty()))
      return makeUsageError(llvm::StringRef(flag) +
                            " needs --target, such as cuda:sm_90a, and code to emit");
  if (!tileOnly) {
    TILERUN_TRY_ERROR(session.load(options.target));
    return runCompileTargets(session);
  }
  bool toStdout = options.output == "-";
  if (toStdout && options.bytecode && options.json)
    return makeUsageError("--json and --bytecode need -o FILE");
  if (toStdout && options.bytecode && llvm::outs().is_displayed())
    return makeUsageError("bytecode is not written to a terminal; use -o FILE");
  TILERUN_TRY_ERROR(session.load(options.target));
  std::optional<host::AtomicFile> file;
  if (!toStdout) {
    llvm::Expected<host::AtomicFile> opened = host::AtomicFile::open(options.output);
    if (!opened)
      return makeUsageError(llvm::toString(opened.takeError()));
    file.emplace(std::move(*opened));
  }
  TILERUN_TRY_VALUE(content, emit(session));
  session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
  if (file)
    if (llvm::Error error = file->commit(content))
      return withExitCode(std::move(error), ExitCode::Usage);
  if (options.json) {
    llvm::json::Object object{{"status", "ok"},
                              {"exit_code", 0},
                              {"kernel", jsonText(session.kernel->qualifiedName)},
                              {"emit", jsonText(options.emit)}};
    if (toStdout)
      object["text"] = jsonText(content);
    else
      object["file"] = jsonText(options.output);
    printJson(std::move(object));
  } else if (toStdout) {
    llvm::outs() << content;
    llvm::outs().flush();
  }
  return ExitCode::Ok;
}
