// The context of one command: a frontend, an MLIR context, an expression evaluator, and a kernel.
#pragma once

#include "frontend/Frontend.h"
#include "runtime/core/Program.h"
#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/host/Argument.h"

namespace tilerun::compiler {
struct Services;
}

namespace tilerun::command {

class Session {
public:
  explicit Session(const Options &options);

  /// Splits FILE.py::KERNEL, loads the file, finds the kernel.
  llvm::Error load(llvm::StringRef target);
  /// A path, or "-" for stdin.
  llvm::Error loadFile(llvm::StringRef path);
  /// The kernel once more, apart from the session's frontend.
  core::Status loadAgain(std::shared_ptr<const compiler::Services> services,
                         std::shared_ptr<core::Program> &program);

  DiagnosticEngine &getDiagnostics() { return frontend.getDiagnostics(); }
  /// The text of a node, with white space folded.
  std::string getText(SourceRange range);

  /// Compiles to tile IR; an internal failure leaves a reproducer. `quiet`: what static_print says
  /// was said.
  llvm::Expected<CompiledKernel> compile(const KernelSignature &signature, bool quiet = false);
  /// The exit code of a failure of the library to compile for a signature: that of the diagnostics,
  /// an internal error with a reproducer, or the library's own.
  llvm::Error explainFailure(const core::Status &status, const KernelSignature &signature);

  /// The facts about a kernel's parameter that a launch needs.
  const core::SourceParameter &describe(const ast::Parameter &parameter) const {
    return parameters[static_cast<size_t>(&parameter - kernel->def->parameters.data())];
  }

  bool describesParameter(llvm::StringRef name) const {
    return llvm::any_of(kernel->def->parameters,
                        [&](const ast::Parameter &parameter) { return parameter.name == name; });
  }

  using IsGiven = llvm::function_ref<bool(llvm::StringRef name)>;
  /// The values of the chosen autotune config, except those that are given, and its launch options
  /// in `signature`. An error if the number is out of range or a value is not known at compile
  /// time.
  llvm::Expected<std::vector<std::pair<std::string, ConstantArgument>>>
  getAutotuneConfig(std::optional<unsigned> number, KernelSignature &signature, IsGiven isGiven);
  /// Why the autotune configs of the kernel are not known; empty if they are, or there are none.
  std::string whyConfigsUnknown();

  /// A compile-time expression of the module. None: the diagnostics say why, and advise `remedy`
  /// where it calls a host function.
  std::optional<ConstantArgument> evaluate(const ast::Expr &expression,
                                           llvm::StringRef remedy = "") {
    return frontend.evaluateConstant(*module, expression, {}, globals, remedy);
  }
  /// What a global of the file is, or an attribute of one; none if it is not a global of the file.
  mlir::FailureOr<std::optional<host::Value>> evaluateGlobal(const ast::Expr &expr);

  /// A failure that the diagnostics describe.
  llvm::Error failure(ExitCode code);

  const Options &options;
  Frontend frontend;
  mlir::MLIRContext context;
  ast::Context arena;
  host::Evaluator evaluator;
  host::ExpressionContext expressions;
  LoadedModule *module = nullptr;
  const JitFunction *kernel = nullptr;
  std::vector<core::SourceParameter> parameters; ///< Of the kernel.
  std::string remedy; ///< Where an expression of the host calls a host function.
  /// Values of globals that only host code knows, which arguments give.
  std::map<std::string, ConstantArgument> globals;
};

/// Writes `module` (text or bytecode) and the command line into a new folder for temporary files;
/// gives the folder, or nothing where that failed too.
std::string writeReproducer(const Options &options, llvm::StringRef extension,
                            llvm::StringRef module);

/// An internal error with a reproducer.
llvm::Error makeInternalError(const Options &options, const llvm::Twine &message,
                              llvm::StringRef extension, llvm::StringRef module);

/// An option of launches that flags, autotune configs and arguments can set.
struct LaunchOption {
  llvm::StringLiteral name;
  std::optional<int64_t> Options::*flag;
  const ast::Expr *AutotuneConfig::*config;
  int64_t KernelSignature::*value; ///< Null for maxnreg, which may be left open.
  int64_t least, most;
  void set(KernelSignature &signature, int64_t number) const;
};
llvm::ArrayRef<LaunchOption> getLaunchOptions();
/// What the flags of the command line say of a launch.
void applyFlags(const Options &options, KernelSignature &signature);

/// The kernel's parameters that have no value: "x, BLOCK (constexpr)".
std::string listMissing(Session &session, llvm::function_ref<bool(llvm::StringRef)> isGiven);

/// Whether a parameter is `*args` or `**kwargs`, which the frontend rejects in a kernel.
bool isVariadic(const ast::Parameter &parameter);

/// Names near to `name`, or all of them: "; did you mean 'x'?" or "; choose from 'a', 'b'".
std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

host::Value toHostValue(const ConstantArgument &constant);
/// None for what cannot be a compile-time constant (tensors, lambdas).
std::optional<ConstantArgument> toConstant(const host::Value &value);

} // namespace tilerun::command
