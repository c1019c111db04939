// What one command works with: a frontend, an MLIR context, an expression evaluator, and a kernel.
#pragma once

#include "frontend/Frontend.h"
#include "runtime/Device.h"
#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/host/Argument.h"

namespace tilerun::command {

class Session {
public:
  explicit Session(const Options &options);

  /// Splits FILE.py::KERNEL, loads the file, finds the kernel.
  llvm::Error load(llvm::StringRef target);
  llvm::Error loadFile(llvm::StringRef path);

  DiagnosticEngine &getDiagnostics() { return frontend.getDiagnostics(); }
  /// The text of a node, with white space folded.
  std::string getText(SourceRange range);

  /// Compiles to tile IR; an internal failure leaves a reproducer.
  llvm::Expected<CompiledKernel> compile(const KernelSignature &signature);
  /// Runs the optimizer; a failure is an internal error with a reproducer.
  llvm::Error optimize(CompiledKernel &compiled);

  /// The values of the chosen autotune config, and its launch options in `signature`. An error if
  /// the number is out of range or a value is not known at compile time.
  llvm::Expected<std::vector<std::pair<std::string, ConstantArgument>>>
  getAutotuneConfig(std::optional<unsigned> number, KernelSignature &signature);

  /// A compile-time expression of the module. None: the diagnostics say why.
  std::optional<ConstantArgument> evaluate(const ast::Expr &expression) {
    return frontend.evaluateConstant(*module, expression, {}, globals);
  }

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

/// Whether a parameter is `*args` or `**kwargs`, which the frontend rejects in a kernel.
bool isVariadic(const ast::Parameter &parameter);
/// Whether a parameter is annotated as `tl.constexpr`.
bool isConstexpr(const ast::Parameter &parameter);

/// Names near to `name`, or all of them: "; did you mean 'x'?" or "; there are 'a', 'b'".
std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

host::Value toHostValue(const ConstantArgument &constant);
/// None for what cannot be a compile-time constant (tensors, lambdas).
std::optional<ConstantArgument> toConstant(const host::Value &value);

/// What is compiled for a device: "cuda:sm_90a".
std::string getTarget(const DeviceProperties &device);

/// The devices that this program has.
DeviceRegistry makeDeviceRegistry();

} // namespace tilerun::command
