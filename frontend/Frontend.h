// The frontend's public face: load kernel files, list their kernels, compile one kernel for one
// signature to tile IR.
//
// Rules of this folder: phases are folders (source, lex, ast, parse, module, types, lang, sema) and
// depend in that order; bad programs are rejected here, with diagnostics, so that later phases may
// assert. Nothing here knows a device.
#pragma once

#include "frontend/module/Module.h"
#include "frontend/types/DType.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <set>
#include <variant>

namespace tilerun {

/// A compile-time argument.
struct ConstantArgument {
  /// None, bool, integer, float, string, dtype, tuple, or the name of a jit function of the same
  /// file.
  struct FunctionName {
    std::string name;
  };
  /// A run-time tensor; a heuristic may only ask whether it is None.
  struct Tensor {};
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, DType,
               std::vector<ConstantArgument>, FunctionName, Tensor>
      value;
  bool isList = false; ///< A tuple that was written as a list: `isinstance` and messages tell.
};

/// A run-time argument: its type and the facts it is specialized on.
///
/// One with a `block` is a tensor descriptor of `type`, a pointer, that the host made. The compiled
/// function takes it as several parameters: `name` (the pointer), `name.shape.0`, … (int64, one for
/// each dimension), `name.stride.0`, … (int64, in elements, without the last one, which is 1).
struct TypedArgument {
  DType type;               ///< A scalar type, or a pointer.
  int64_t divisibility = 1; ///< 16: the value (or address) is a multiple of 16.
  bool isSmall = false;     ///< A pointer's memory is below 2 GiB (ir/tile/SmallMemory.h).
  std::vector<int64_t> block = {};
  bool padsWithNan = false; ///< Elements outside a descriptor's tensor read as NaN, not as 0.
};

using ArgumentSpec = std::variant<TypedArgument, ConstantArgument>;

/// The signature that a kernel is compiled for.
struct KernelSignature {
  /// By parameter name; parameters with defaults may be missing. Constants under other names are
  /// values of globals that only host code knows.
  std::map<std::string, ArgumentSpec> arguments;
  int64_t numWarps = 4;
  int64_t numStages = 3;
  int64_t numCtas = 1;
  std::optional<int64_t> maxnreg;
  bool debug = false; ///< device_assert and integer overflow marks are live.
  /// Statements and variables are marked for a debugger, by `tile.debug_event`.
  bool debugEvents = false;
  /// "cuda:sm_90a": decides defaults (float32 `dot` is tf32 on NVIDIA GPUs, else ieee) and the
  /// answers of `tl.target_info`; empty: no particular target.
  std::string target;
};

/// One parameter of the compiled function, in order.
struct CompiledParameter {
  std::string name;
  DType type;
};

struct CompiledKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;  ///< Verified; one function with `tile.kernel`.
  std::string name;                          ///< Of that function.
  std::vector<CompiledParameter> parameters; ///< The arguments that a launch must pass, in order.
  std::string staticOutput;                  ///< The output of static_print.
};

/// The value of an integer argument decides its type and facts, as in a Triton launch: 1 becomes a
/// constant (unless `doNotSpecialize`), the range picks int32, int64 or uint64, divisibility by 16
/// is noted.
ArgumentSpec specializeInteger(int64_t value, bool doNotSpecialize);
ArgumentSpec specializeInteger(uint64_t value, bool doNotSpecialize);

/// Parses `x=*fp32:16, n=i32, BLOCK=1024, ACT="gelu", D=none, T=fp16!`: `name=type[:divisibility]`
/// (a pointer also `*type[:divisibility][:small]`) or `name=constant`; a dtype as a constant is
/// written `tl.float16`, a tensor descriptor with blocks of 64×32 elements
/// `tensordesc<fp16[64,32]>` (`…,nan>` if it pads with NaN). On failure the message says which
/// entry and why.
llvm::Expected<KernelSignature> parseSignature(llvm::StringRef text);

/// The global, or constant of a class ("Cfg.FAST"), that an entry of a signature is about if it is
/// not about a parameter: the elements of a tuple ("t.0") are numbered.
llvm::StringRef getGlobalName(llvm::StringRef path);

/// A text that two signatures have in common exactly if they say the same: a part of cache keys.
std::string getCanonicalText(const KernelSignature &signature);

/// A loop that was unrolled while a kernel was compiled.
struct UnrolledLoop {
  SourceRange header;            ///< The sequence that it iterates over.
  uint64_t iterations = 0;       ///< Of the sequence.
  uint64_t operations = 0;       ///< That it expanded to.
  uint64_t kernelOperations = 0; ///< All operations of the kernel, as far as it was compiled.
};

/// The knowledge about a global.
enum class GlobalState {
  Absent,
  Known,
  Unknown ///< Host code computes it, which is not run: a signature may give its value.
};

class Frontend {
public:
  /// The variable of the environment that limits how many operations a kernel may expand to.
  static constexpr const char *kMaxOperations = "TILERUN_MAX_OPERATIONS";

  /// The variable that, if it is 1, makes each use of what Triton does not take an error.
  static constexpr const char *kStrict = "TILERUN_STRICT";
  /// Whether kernels are compiled so: a part of cache keys, as a kernel that was compiled otherwise
  /// may be one that is refused.
  static bool isStrict();

  Frontend();
  ~Frontend();

  SourceManager &getSources();
  DiagnosticEngine &getDiagnostics();

  /// Null on errors (see the diagnostics).
  LoadedModule *loadFile(llvm::StringRef path);
  LoadedModule *loadText(llvm::StringRef name, std::string text);
  /// Text by its import name, with the path to show in messages.
  struct Source {
    std::string module, path, text;
  };
  /// Loads the first of them; imports find the others, and nothing on disk.
  LoadedModule *loadSources(std::vector<Source> sources);

  /// A hash of everything besides this program that the loaded files depend on: part of the cache
  /// keys of the results of `compile`.
  std::string getSourceDigest() const;

  /// Compiles one kernel; failure leaves diagnostics. The context gets the dialects that are
  /// needed.
  mlir::FailureOr<CompiledKernel> compile(LoadedModule &module, llvm::StringRef kernel,
                                          const KernelSignature &signature,
                                          mlir::MLIRContext &context);

  /// The knowledge about the global of this name in the file of a jit function, or else in its
  /// imports. A signature can provide the value of an unknown one like that of a parameter, by
  /// name.
  GlobalState getGlobalState(const JitFunction &function, llvm::StringRef name);
  /// After a failed `compile`: globals whose values were needed and unknown.
  const std::set<std::string> &getMissedGlobals() const;
  /// After a `compile`, whether it failed or not: of the outermost unrolled loops, the one that
  /// expanded to the most operations. None if nothing was unrolled.
  const std::optional<UnrolledLoop> &getLargestUnrolled() const;

  /// Evaluates a compile-time expression of a module (an autotune config's value, a default) with
  /// given names. A lambda of one parameter (a heuristic) is called with the names as its
  /// dictionary. `globals` are values of globals that are not known. Failure leaves diagnostics;
  /// `remedy` is what they advise where the expression calls a host function.
  std::optional<ConstantArgument>
  evaluateConstant(LoadedModule &module, const ast::Expr &expression,
                   const std::map<std::string, ConstantArgument> &names,
                   const std::map<std::string, ConstantArgument> &globals = {},
                   llvm::StringRef remedy = "");

  /// After a failed `compile` whose diagnostic says "internal error": the module that did not
  /// verify, as text, for a reproducer. Empty otherwise.
  const std::string &getInvalidModule() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilerun
