// The evaluator: walks a kernel's syntax tree once, computes what is known at compile time, and
// emits tile IR for the rest.
//
// Rules of this folder: names, tuples and functions exist only here; in the IR there are scalars
// and tensors. Calls are inlined. A failure has always been reported when it is returned, and the
// names it would have bound are poisoned, so that one mistake gives one message. Nothing in a
// kernel may make the evaluator crash, loop for ever, or use unbounded memory: depth, steps and ops
// are limited.
#pragma once

#include "frontend/Frontend.h"
#include "frontend/lang/Builtin.h"
#include "frontend/sema/ConstEval.h"
#include "frontend/sema/Environment.h"
#include "frontend/sema/Liveness.h"
#include "frontend/sema/Names.h"

#include "mlir/IR/Builders.h"

#include <set>

namespace tilerun::tile {
enum class DebugEvent : uint32_t;
}

namespace tilerun::sema {

using lang::Result;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

/// Limits of one compilation.
struct Limits {
  static constexpr uint64_t kSteps = 20'000'000;    ///< Expressions and statements evaluated.
  static constexpr uint64_t kHostSteps = 1'000'000; ///< Of them, of one global of host code.
  static constexpr uint64_t kOps = 100'000; ///< Operations emitted, unless another limit is set.
  static constexpr uint64_t kIterations = 100'000;   ///< Of one unrolled loop.
  static constexpr size_t kTupleElements = 1u << 14; ///< Of one tuple, nested ones included.
  static constexpr unsigned kTupleDepth = 64;
  static constexpr size_t kFields = 4096;             ///< Of one class; it keeps one more.
  static constexpr unsigned kCallDepth = 64;          ///< Nested helper calls.
  static constexpr unsigned kRegionDepth = 200;       ///< Nested run-time control flow.
  static constexpr unsigned kErrors = 20;             ///< Reported before giving up.
  static constexpr size_t kStackBytes = 24u << 20;    ///< Of the thread's stack.
  static constexpr unsigned kThreadStack = 64u << 20; ///< Of the thread a compilation runs on.
};

class Evaluator final : public lang::SemaServices {
public:
  Evaluator(mlir::MLIRContext &context, DiagnosticEngine &diagnostics, LoadedModule *prelude,
            const KernelSignature &options);
  ~Evaluator() override;

  /// Another limit of operations.
  void setMaxOperations(uint64_t limit) { maxOps = limit; }

  /// Emits one kernel into a new module (not yet verified).
  FailureOr<CompiledKernel> compileKernel(LoadedModule &module, const JitFunction &kernel);

  GlobalState getGlobalState(const JitFunction &function, llvm::StringRef name);
  /// Names of globals whose values were needed and unknown.
  const std::set<std::string> &getMissedGlobals() const { return missedGlobals; }
  /// Refuses what Triton does not take. Before a kernel is compiled.
  void setStrict(bool strict) { ops.strict = strict ? this : nullptr; }
  /// Of the outermost unrolled loops, the one that emitted the most operations.
  std::optional<UnrolledLoop> getLargestUnrolled() const;

  /// Evaluates a compile-time expression; run-time results are an error. `remedy`: what to do about
  /// calls of host functions, if it stands outside of kernels.
  Result evaluateConstant(LoadedModule &module, const ast::Expr &expression,
                          std::map<llvm::StringRef, Value> names, llvm::StringRef remedy = "");
  /// Values of globals that only host code knows, by name. (A kernel's are in its signature.)
  void giveGlobals(std::map<std::string, ConstantArgument> values) { given = std::move(values); }

  // lang::SemaServices
  Result call(const Value &function, llvm::ArrayRef<Value> args, SourceRange range) override;
  LogicalResult error(SourceRange range, const llvm::Twine &message) override;
  void warning(SourceRange range, const llvm::Twine &message) override;
  void beyondTriton(SourceRange range, const llvm::Twine &what, llvm::StringRef rule,
                    const llvm::Twine &remedy) override;
  void olderForm(SourceRange range, const llvm::Twine &form, const llvm::Twine &today) override;
  void print(const llvm::Twine &text) override;
  mlir::Location getLocation(SourceRange range) override;
  int64_t getOption(llvm::StringRef name) override;
  llvm::StringRef getTarget() override { return options.target; }
  LoadedModule *getPrelude() override { return prelude; }
  std::optional<Value> findMember(const Value &base, llvm::StringRef name,
                                  SourceRange range) override;

private:
  /// An enclosing loop of the function.
  struct LoopScope {
    SourceRange range;
    uint32_t bodyEnd = UINT32_MAX; ///< Offset after the last statement.
    bool unrolled = false;
    SourceRange header; ///< Of an unrolled one: the sequence that it iterates over,
    size_t iteration = 0, iterations = 0; ///< and where it is, counted from 1.
    std::set<llvm::StringRef> carried;    ///< Names whose values survive an iteration.
  };
  /// One active function.
  struct Frame {
    const JitFunction *function = nullptr; ///< Null while a global is evaluated.
    LoadedModule *module = nullptr;
    llvm::StringRef scope; ///< Qualified name of what is around the code ("make"), if anything.
    const Liveness *liveness = nullptr;
    SourceRange callRange;                 ///< Where it was called, in the frame below.
    std::optional<mlir::Location> callLoc; ///< The same as a location.
    Environment env;
    std::vector<LoopScope> loops; ///< Enclosing loops, outermost first.
    /// Of an `__init__`: the record that it makes, and the name that it has for it.
    const ClassInfo *constructs = nullptr;
    llvm::StringRef self;
    unsigned entryDepth = 0;               ///< `regionDepth` when it was entered.
    const ClassInfo *classScope = nullptr; ///< Around a constant of a class that is evaluated.
    /// Of code that runs while the file is read: its offset in bytes. Globals that are bound again
    /// after it have their earlier values. 0: it runs afterwards.
    uint32_t place = 0;
  };
  Frame &frame() { return *frames.back(); }
  Environment &env() { return frames.back()->env; }
  lang::Emitter &at(SourceRange range) {
    emitter.range = range;
    return emitter;
  }
  /// Counts a step; true if evaluation must stop (a limit, or too many errors).
  bool step(SourceRange range);
  LogicalResult errorWithNotes(SourceRange range, const llvm::Twine &message,
                               llvm::ArrayRef<Note> notes);
  LogicalResult fatalError(SourceRange range, const llvm::Twine &message,
                           llvm::ArrayRef<Note> notes = {});
  /// The kernel gets too large: names the unrolled loops at hand, or the one that made most of it.
  LogicalResult expansionError(SourceRange range, const llvm::Twine &message);
  /// Reports a use of a thing that kernels cannot use, with where it was defined: `use` is "cannot
  /// be called in a kernel"; empty: its value is needed, and unknown.
  LogicalResult opaqueError(const OpaqueValue &opaque, SourceRange range, llvm::StringRef use = "");
  /// Reports a value that is needed here and unknown, or has unknown elements.
  LogicalResult requireKnown(const Value &value, SourceRange range);

  // Expressions (Expressions.cpp).
  Result evaluate(const ast::Expr &expression);
  Result evaluateKind(const ast::Expr &expression);
  Result evaluateConstantExpr(const ast::ConstantExpr &expression);
  Result evaluateJoined(llvm::ArrayRef<ast::JoinedPart> parts, SourceRange range);
  Result evaluateSequence(llvm::ArrayRef<const ast::Expr *> elements, bool isList);
  Result bounded(Value value, SourceRange range);
  // Dicts and sets (Dicts.cpp).
  Result evaluateDict(const ast::DictExpr &expression);
  Result requireKey(Value key, SourceRange range);
  /// Of pairs of a key and a value.
  Result makeDict(llvm::ArrayRef<Value> entries, SourceRange range);
  Result makeSet(llvm::ArrayRef<Value> elements, SourceRange range);
  Result evaluateUnary(const ast::UnaryExpr &expression);
  /// `x.__add__(y)` and its relatives, of a tensor; none if the name is not an operator's.
  std::optional<Result> callOperatorMethod(const Value &self, llvm::StringRef name,
                                           llvm::ArrayRef<Value> args, SourceRange range);
  Result evaluateBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range);
  Result evaluateBoolOp(const ast::BoolOpExpr &expression);
  Result evaluateCompare(const ast::CompareExpr &expression);
  Result evaluateTernary(const ast::TernaryExpr &expression);
  Result evaluateAttribute(const ast::AttributeExpr &expression);
  Result evaluateSubscript(const ast::SubscriptExpr &expression);
  Result evaluateComprehension(const ast::ComprehensionExpr &expression);
  LogicalResult evaluateClauses(const ast::ComprehensionExpr &expression, size_t clause,
                                std::vector<Value> &out);
  Result getAttribute(const Value &base, llvm::StringRef name, SourceRange range);
  std::optional<Value> findSubmodule(const NamespaceValue &space, llvm::StringRef name);
  Result take(ConstResult result, SourceRange range);
  /// Elements of a tuple, list or compile-time range.
  FailureOr<std::vector<Value>> iterate(const Value &value, SourceRange range);

  struct CallArguments {
    std::vector<Value> positional;
    std::vector<SourceRange> positionalRanges;
    std::vector<std::pair<llvm::StringRef, Value>> keywords;
    std::vector<SourceRange> keywordRanges;
  };

  // Names and globals (Globals.cpp).
  Result lookupName(llvm::StringRef name, SourceRange range);
  /// `place`: as in `Frame`.
  std::optional<Value> lookupGlobal(LoadedModule &module, llvm::StringRef name, uint32_t place = 0);
  /// What host code may do to a global, or to a constant of a class, that has this value by its
  /// definition; none if it stays that.
  static std::optional<HostChange> findChange(const LoadedModule &module, llvm::StringRef name,
                                              const Global &global, const Value &value);
  static std::optional<HostChange> findMemberChange(const ClassInfo &info, llvm::StringRef name,
                                                    const Value &value);
  std::string describeChange(const HostChange &change, SourceRange definition);
  std::optional<Value> lookupStarImports(const LoadedModule &module, llvm::StringRef name);
  std::optional<Value> lookupNested(LoadedModule &module, llvm::StringRef scope,
                                    llvm::StringRef name);
  Value resolveCached(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                      const Global &global, llvm::StringRef cacheName);
  Value chooseFunction(const LoadedModule &module, llvm::StringRef name, const Global &global);
  Value resolveGlobal(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                      const Global &global);
  /// The same of one binding of a name.
  Value resolveBinding(LoadedModule &module, llvm::StringRef scope, llvm::StringRef name,
                       const Global &global);
  Value resolveImport(LoadedModule &module, const Global &global, llvm::StringRef name);
  OpaqueValue makeUnknown(const LoadedModule &module, std::string what, SourceRange range,
                          llvm::StringRef name, const llvm::Twine &cause);
  /// The signature's value for unknown globals of this name; null if it has none.
  const ConstantArgument *findGiven(llvm::StringRef name) const;
  void takeGlobals(const JitFunction &kernel, llvm::ArrayRef<llvm::StringRef> parameters);
  /// Evaluates an expression of module level, or of a function with that qualified name, or of a
  /// class, whose names come first.
  Value evaluateGlobal(LoadedModule &module, llvm::StringRef name, const ast::Expr &value,
                       SourceRange range, llvm::StringRef scope = "",
                       const ClassInfo *classScope = nullptr);

  // Bindings under conditions (Choices.cpp).
  /// The binding that counts, and the imports that are assumed to fail for it; none if that is not
  /// known.
  std::optional<const Global *> chooseBinding(LoadedModule &module, const Global &global,
                                              const TriedImport *&assumed);
  std::optional<bool> isBoundBy(LoadedModule &module, const Global &binding,
                                const TriedImport *&assumed);
  std::optional<bool> holds(LoadedModule &module, const Guard &guard, const TriedImport *&assumed);
  std::optional<bool> succeeds(const TriedImport &import);
  void noteAssumption(LoadedModule &module, llvm::StringRef name, const Global &global,
                      const Global &binding, const TriedImport &import);
  /// Reports what was noted while a kernel was compiled: older forms, and imports that were assumed
  /// to fail.
  void reportNotes();

  // Host modules (HostModules.cpp).
  static bool isHostModule(llvm::StringRef path);
  static bool isKnownModule(llvm::StringRef path);
  std::optional<Value> lookupHostName(llvm::StringRef path, llvm::StringRef name);
  // Python's own functions, versions, the platform (HostBuiltins.cpp).
  /// An import in a function of host code; false if something in it is not known.
  bool importLocally(const ast::Stmt &statement);
  static constexpr llvm::StringLiteral kHostBuiltins{"__builtins__"};
  std::optional<Value> lookupHostBuiltin(llvm::StringRef name);
  /// Whether it is a module of which host code has something.
  static bool isHostPath(llvm::StringRef path);
  std::optional<Value> lookupHostPath(llvm::StringRef path, llvm::StringRef name);
  Result callHostBuiltin(llvm::StringRef name, const CallArguments &args, SourceRange range);
  /// `second`: the second argument, or null.
  Result callOfSequences(llvm::StringRef name, llvm::ArrayRef<std::vector<Value>> sequences,
                         const Value *second, bool isReversed, SourceRange range);
  Result callVersion(const CallArguments &args, SourceRange range);
  /// A variable of the environment, or `other`, if there is one, where it is not set.
  Result readEnvironment(const Value &name, const Value *other, SourceRange range);
  /// `item in os.environ`; none if it is something else.
  std::optional<Result> askEnvironment(ast::CompareOp op, const Value &item, const Value &container,
                                       SourceRange range);
  Result getHostMember(llvm::StringRef path, llvm::StringRef name, SourceRange range);
  /// The kernel language's replacement for a function of a host module: "use tl.exp".
  std::string findReplacement(llvm::StringRef name);
  /// Reports the use of `path.name`, of a module that kernels have nothing of.
  LogicalResult foreignMember(llvm::StringRef path, llvm::StringRef name, SourceRange range);
  Result callHost(llvm::StringRef path, const CallArguments &args, SourceRange range);
  Result callLimits(llvm::StringRef path, const CallArguments &args, SourceRange range);
  Result callMath(llvm::StringRef name, const CallArguments &args, SourceRange range);
  Result callNamedTuple(llvm::StringRef function, const CallArguments &args, SourceRange range);
  LogicalResult unknownName(llvm::StringRef name, SourceRange range);

  // Classes (Classes.cpp, Instances.cpp).
  struct Method {
    enum class Kind { OfValue, OfClass, Static, Property } kind = Kind::OfValue;
    const JitFunction *function = nullptr;
    std::string unknownDecorator;
  };
  ClassValue makeClass(LoadedModule &module, llvm::StringRef scope,
                       const ast::ClassDef &definition);
  std::optional<Method> lookupMethod(const ClassInfo &info, llvm::StringRef name);
  Value evaluateClassConstant(const ClassInfo &info, llvm::StringRef name, SourceRange range,
                              const ast::Expr *expr);
  Value makeEnumMember(const ClassInfo &info, llvm::StringRef name, SourceRange range, Value value,
                       bool canGive);
  std::optional<Value> lookupClassConstant(const ClassInfo &info, llvm::StringRef name);
  FailureOr<std::optional<Value>> getMember(const std::shared_ptr<const ClassInfo> &info,
                                            const Value *self, llvm::StringRef name,
                                            SourceRange range);
  Result getClassMember(const ClassValue &classValue, llvm::StringRef name, SourceRange range);
  /// `base.name` of a named tuple or record.
  Result getInstanceMember(const Value &base, llvm::StringRef name, SourceRange range);
  /// Calls a method such as `__add__` if the value's class has it.
  Result callOperator(const Value &base, llvm::StringRef name, llvm::ArrayRef<Value> args,
                      SourceRange range, bool &found);
  FailureOr<std::vector<Value>> bindFields(const ClassInfo &info, CallArguments args,
                                           SourceRange range);
  Result construct(const ClassValue &classValue, CallArguments args, SourceRange range);
  Result replaceFields(const Value &base, const CallArguments &args, SourceRange range);

  // Records (Records.cpp).
  Value getAnnotatedValue(const ClassInfo &info, const ast::Expr &annotation);
  std::optional<bool> matchAnnotation(const ClassInfo &info, const ast::Expr *annotation,
                                      Value &value, SourceRange range, unsigned depth);
  Result convertField(const ClassInfo &info, const ClassInfo::Field &field, Value value,
                      SourceRange range);
  void assignField(const ast::AttributeExpr &target, const Value &value, SourceRange place);
  Result callInit(const ClassInfo &info, CallArguments args, SourceRange range);

  // Calls (Calls.cpp).
  Result evaluateCall(const ast::CallExpr &expression);
  Result callDictMethod(const Value &dict, llvm::StringRef method, const CallArguments &args,
                        SourceRange range);
  FailureOr<CallArguments> evaluateArguments(const ast::CallExpr &expression);
  LogicalResult requireKnownArguments(const lang::Builtin &builtin, const CallArguments &args,
                                      SourceRange range);
  Result callValue(const Value &callee, CallArguments args, SourceRange range);
  /// The function behind a host function that a function of compile-time values calls, else null.
  const JitFunction *findHostFunction(const OpaqueValue &callee);
  /// Calls one. Outside of functions and globals, where errors are reported, none is if it fails.
  Result callHostFunction(const OpaqueValue &callee, const JitFunction &function,
                          CallArguments args, SourceRange range);
  /// Inlines a function. An `__init__` gives the record of class `constructs` that it makes.
  Result inlineCall(const JitFunction &function, CallArguments args, SourceRange range,
                    const ClassInfo *constructs = nullptr);
  LogicalResult bindParameters(const JitFunction &function, CallArguments args, SourceRange range,
                               Environment &out);
  /// Binds `**meta` of a function to the arguments that `rest` holds, and those of its keys.
  void bindMeta(const JitFunction &function, Environment &out,
                std::shared_ptr<TupleValue> rest = nullptr);
  Value decay(const Value &value, SourceRange range);
  /// Whether numbers that are assigned or returned here stay compile-time values.
  bool keepsNumbers() {
    return frame().module == prelude || (frame().function && frame().function->isConstexpr);
  }
  /// Whether code of a kernel is evaluated, and not host code or a function of compile-time values.
  bool isOfKernel() { return frame().function && !keepsNumbers(); }
  const Liveness &getLiveness(const ast::FunctionDef &function);
  /// The qualified name of what a function is defined in; empty for a file.
  static llvm::StringRef getScope(const JitFunction &function) {
    llvm::StringRef name = function.qualifiedName;
    return name.take_front(name.contains('.') ? name.rfind('.') : 0);
  }

  // Statements (Statements.cpp).
  void emitBlock(ast::Block block);
  void emitStatement(const ast::Stmt &statement);
  bool isPointer(const ast::Expr &expression);
  bool isOfMeta(const ast::Expr &value);
  void emitAssign(const ast::Expr &target, const Value &value, SourceRange place);
  void emitAnnotatedAssign(const ast::AnnAssignStmt &statement);
  bool extendTuple(llvm::StringRef name, const Value &more, SourceRange place);
  bool growTuple(const ast::AssignStmt &assign);
  void emitAugmentedAssign(const ast::AugAssignStmt &statement);
  void emitAssert(const ast::AssertStmt &statement);
  void emitRaise(const ast::RaiseStmt &statement);
  void emitReturn(const ast::ReturnStmt &statement);
  void unpack(llvm::ArrayRef<const ast::Expr *> targets, const Value &value, SourceRange range);
  void bind(llvm::StringRef name, Value value, SourceRange place, bool isConstexpr = false);
  void poisonTargets(const ast::Expr &target);
  void poisonAssigned(ast::Block block);

  // What a debugger shows (DebugEvents.cpp).
  bool wantsEvents();
  void emitEvent(tile::DebugEvent kind, llvm::StringRef name, SourceRange range);
  void emitAssigned(llvm::StringRef name, const Value &value, SourceRange range);
  void emitEntered(llvm::StringRef name, llvm::ArrayRef<ast::Parameter> parameters,
                   SourceRange range);

  // Run-time branches (Branches.cpp).
  using Emit = llvm::function_ref<void()>;
  struct Arm {
    mlir::Block *block = nullptr;
    Environment env;
    /// No later code runs after this arm, or it was entered with an exit taken: values that are
    /// missing in it do not matter.
    bool gone = false;
  };
  bool emitIf(const ast::IfStmt &statement, ast::Block rest);
  void emitGuarded(ast::Block rest);
  void emitBranch(mlir::Value condition, SourceRange range, uint32_t end, Emit thenArm,
                  Emit elseArm, bool elseExited);
  mlir::scf::IfOp openBranch(mlir::Value condition, SourceRange range, Arm &thenArm, Arm &elseArm);
  void emitArm(Arm &arm, const Environment &start, Emit body);
  void closeBranch(mlir::scf::IfOp op, Arm &thenArm, Arm &elseArm, SourceRange range, uint32_t end);
  struct Join;
  std::optional<Value> joinValues(Join &join, const Value &a, const Value &b);
  std::optional<Value> joinMissing(Join &join, const Value &v, bool missingThen);
  bool isIrrelevant(const Arm &arm, llvm::StringRef name);
  void joinNames(Join &join, uint32_t end);
  void joinResults(Join &join);
  bool isLastOfBody(uint32_t end);
  bool isLiveAfter(llvm::StringRef name, uint32_t offset);
  FailureOr<mlir::Value> getFlag(const Value &flag, SourceRange range);
  FailureOr<mlir::Value> getExited(SourceRange range);
  mlir::Value makeBool(bool value, SourceRange range);
  mlir::Value negate(mlir::Value condition, SourceRange range);
  FailureOr<mlir::Value> toCondition(const Value &value, SourceRange range,
                                     llvm::StringRef construct);
  Result takeHidden(llvm::StringRef name, SourceRange range);

  // Loops (Loops.cpp, LoopCarried.cpp).
  struct LoopPlan;
  void emitFor(const ast::ForStmt &statement);
  void emitUnrolled(const ast::ForStmt &statement, llvm::ArrayRef<Value> items);
  /// Of a function of compile-time values; false, with nothing done, if the condition is of run
  /// time.
  bool emitUnrolledWhile(const ast::WhileStmt &statement);
  /// Whether code that runs at compile time is evaluated: `@triton.constexpr_function`.
  bool isCompileTime() { return frame().function && frame().function->isConstexpr; }
  void emitRuntimeFor(const ast::ForStmt &statement, const RangeValue &range);
  void emitCountedLoop(LoopPlan &plan, mlir::Value lower, mlir::Value upper, mlir::Value step,
                       bool isUnsigned, llvm::ArrayRef<mlir::NamedAttribute> hints);
  void emitLeavableLoop(LoopPlan &plan, mlir::Value lower, mlir::Value upper, mlir::Value step,
                        bool isUnsigned, llvm::ArrayRef<mlir::NamedAttribute> hints);
  void emitWhile(const ast::WhileStmt &statement);
  FailureOr<mlir::Value> emitWhileCondition(const LoopPlan &plan, const ast::Expr &condition,
                                            mlir::ValueRange values, bool &neverRuns);
  std::map<llvm::StringRef, Binding> getBoundByCondition(const LoopPlan &plan);
  void emitBody(LoopPlan &plan, mlir::Value induction);
  void planLoop(LoopPlan &plan);
  bool dryRun(LoopPlan &plan);
  std::vector<mlir::Value> getInitial(LoopPlan &plan);
  void enterIteration(LoopPlan &plan, mlir::ValueRange values);
  mlir::Value getExitFlags(const LoopPlan &plan, mlir::ValueRange values);
  std::vector<mlir::Value> getCarried(LoopPlan &plan, mlir::ValueRange previous);
  bool getCarriedLeaves(LoopPlan &plan, const Value &initial, const Value &current,
                        std::vector<mlir::Value> &out, std::string &mismatch);
  void checkFixed(LoopPlan &plan);
  void leaveLoop(LoopPlan &plan, mlir::ValueRange results);

  /// Counts what is emitted; in strict mode it looks at the sizes of tensors.
  struct OpCounter : mlir::OpBuilder::Listener {
    uint64_t count = 0;
    Evaluator *strict = nullptr;
    void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override {
      ++count;
      if (strict)
        strict->checkSizes(op);
    }
  };
  /// Reports sizes that are not powers of two where they come from.
  void checkSizes(mlir::Operation *op);
  /// Notes a name, or a module, of earlier releases.
  void noteOlderModule(llvm::StringRef path, SourceRange range);
  void noteOlderName(llvm::StringRef path, llvm::StringRef name, SourceRange range);
  void reportBeyond(SourceRange range, const llvm::Twine &what, llvm::StringRef rule,
                    const llvm::Twine &remedy);

  mlir::MLIRContext &context;
  DiagnosticEngine &diagnostics;
  LoadedModule *prelude;
  const KernelSignature &options;
  OpCounter ops;
  uint64_t maxOps = Limits::kOps;
  UnrolledLoop largestUnrolled; ///< Without operations: none. `kernelOperations` is not known yet.
  mlir::OpBuilder builder;
  lang::Emitter emitter;
  std::vector<std::unique_ptr<Frame>> frames;
  std::map<const ast::FunctionDef *, std::unique_ptr<Liveness>> livenessCache;
  std::map<std::pair<LoadedModule *, std::string>, Value> globals;
  std::set<std::pair<LoadedModule *, std::string>> evaluating;
  /// A host function by its place, for functions of compile-time values that call it.
  struct HostFunction {
    LoadedModule *module;
    const Global *global;
    std::string name; ///< Qualified.
  };
  std::map<std::pair<uint32_t, uint32_t>, HostFunction> hostFunctions;
  std::map<const ast::FunctionDef *, std::unique_ptr<JitFunction>> methods;
  std::map<std::pair<const ClassInfo *, std::string>, Value> classConstants;
  std::map<std::string, ConstantArgument> given; ///< Values of globals, by name.
  std::set<std::string> missedGlobals;
  std::string hostRemedy;                         ///< See evaluateConstant.
  std::map<const ast::Expr *, Value> annotations; ///< The types that annotations of fields name.
  std::set<std::tuple<uint32_t, uint32_t, std::string>> reported;
  struct PendingNote {
    SourceRange range;
    std::string text;
    bool isOlderForm = false; ///< In strict mode, an error.
  };
  std::map<std::string, PendingNote> pendingNotes; ///< By what they are about.
  bool assumes = false;                            ///< The global that is evaluated does so.
  /// Globals whose values depend on the environment, or on an assumption: a signature may give
  /// others.
  std::set<std::pair<LoadedModule *, std::string>> assumedGlobals;
  std::string staticOutput;
  std::string quietMessage;               ///< First message while `quiet`.
  std::optional<OpaqueValue> quietOpaque; ///< Its subject, if it has one.
  unsigned quiet = 0;                     ///< Diagnostics and static output are dropped.
  unsigned hostScopes = 0;                ///< Of `quiet`: because code of the host is evaluated.
  unsigned regionDepth = 0;
  uint64_t steps = 0;
  unsigned numErrors = 0; ///< Reported or dropped.
  bool fatal = false;
  /// While a global is evaluated, whatever is fatal for a kernel makes it unknown.
  bool evaluatesHost = false, abandoned = false;
  std::optional<OpaqueValue> enteredHost; ///< The first host function that it has called.
  uint64_t lastHostStep = 0;              ///< Of `steps`, while `evaluatesHost`.
  const char *stackBase = nullptr;

  friend struct QuietScope;
  friend class HostScope;
};

/// An argument of the public interface as a value.
Value makeValue(const ConstantArgument &argument, const LoadedModule &module);

/// While it lives, diagnostics are counted but not reported.
struct QuietScope {
  Evaluator &evaluator;
  explicit QuietScope(Evaluator &evaluator) : evaluator(evaluator) { ++evaluator.quiet; }
  ~QuietScope() { --evaluator.quiet; }
};

/// While it lives, code of the host is evaluated: errors are held back and forgotten afterwards,
/// and what is fatal for a kernel ends this evaluation alone. Its steps have a limit of their own.
class HostScope {
public:
  explicit HostScope(Evaluator &evaluator);
  ~HostScope();

private:
  QuietScope quiet;
  Evaluator &evaluator;
  bool evaluatesHost, abandoned;
  std::optional<OpaqueValue> enteredHost;
  uint64_t lastHostStep, steps;
  unsigned numErrors;
};

} // namespace tilerun::sema
