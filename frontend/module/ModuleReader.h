// Reads one file: walks over its statements by tokens, parses the few that matter and skips the
// rest. Internal to this folder.
#pragma once

#include "frontend/lex/Lexer.h"
#include "frontend/module/Module.h"

#include "llvm/ADT/StringSet.h"

namespace tilerun {

class ModuleReader {
public:
  ModuleReader(ModuleLoader &loader, LoadedModule &module);
  /// False if a jit function does not parse.
  bool read();

  /// Text of jit functions that is parsed in one file.
  static constexpr uint32_t kMaxJitBytes = 16u << 20;
  /// Limit of the text of global statements parsed in one file; after it, names are unknown.
  static constexpr uint32_t kMaxHostBytes = 4u << 20;
  /// Limit of the host code that is searched for changes to globals; after it, nothing is known.
  static constexpr uint32_t kMaxUsesBytes = 8u << 20;
  /// Jit functions of one file.
  static constexpr size_t kMaxFunctions = 10'000;
  /// Global names of one file.
  static constexpr size_t kMaxGlobals = 200'000;
  /// Bindings of one name that are remembered.
  static constexpr size_t kMaxEarlier = 1'000;
  /// Longest statement whose tokens are looked at.
  static constexpr size_t kMaxLineTokens = 200'000;
  /// Most configurations of one autotune decorator.
  static constexpr size_t kMaxConfigs = 10'000;
  /// Items that expanding lists of configurations may look at in one file.
  static constexpr size_t kMaxExpandSteps = 1'000'000;

private:
  enum class ScopeKind {
    Function,
    Class,
    First,   ///< `if`, `try`, `with`: may run.
    Further, ///< `elif`, `else`, `except`, …: runs instead of an earlier block.
    Loop,
    Other ///< Nothing in it is seen (`match`).
  };
  struct Scope {
    ScopeKind kind;
    std::string name;
    uint32_t begin = ~0u;          ///< Where a function or a global class begins.
    bool isRecord = false;         ///< A class with `@triton.aggregate`.
    bool holdsKernel = false;      ///< A function with a jit function or a record in it.
    std::optional<bool> runs = {}; ///< Of an arm of an `if`, where it is known.
    std::vector<Guard> guards = {};
    bool isOpen = false;                      ///< It also depends on something else.
    std::shared_ptr<TryBody> tried = nullptr; ///< Of a `try`.
  };
  using Tokens = llvm::ArrayRef<Token>;

  llvm::StringRef text(Token t) const { return lexer.getText(t); }
  /// True outside functions and classes.
  bool atModuleLevel() const;
  /// The strongest doubt about whether the statements at hand run.
  std::optional<ScopeKind> getCondition() const;

  // Conditions (Conditions.cpp)
  /// Whether a condition holds, where the file and the environment decide.
  std::optional<bool> evaluateCondition(Tokens tokens);
  std::optional<bool> decideArm(Tokens tokens, size_t colon);

  // What must hold for statements to run (Guards.cpp)
  const ast::Expr *parseExpression(Tokens tokens);
  void addGuards(Scope &scope, Tokens tokens, size_t colon);
  void guard(Global &global) const;
  void noteTried(llvm::StringRef dotted, unsigned level, llvm::StringRef name);
  void noteCalls(Tokens tokens);
  static void addChoice(std::vector<Global> &choices, const Global &old, const Global &global);

  // Statements (ModuleReader.cpp)
  void readLine();
  void readHeader(Tokens line, ScopeKind kind);
  void readDefinition(Tokens line);
  void readClass(Tokens line);
  void finishScope(const Scope &scope);
  void finishClass(const Scope &scope);
  void readSimple(Tokens statement);
  void readAssignment(const ast::Stmt &stmt);
  /// The function with a parameter for each key of its `**meta` (Meta.cpp).
  const ast::FunctionDef *expandMeta(const ast::FunctionDef *def, JitFunction &function);
  void skipJitFunction(uint32_t begin, llvm::StringRef name);
  std::optional<ast::Block> parseSilently(uint32_t begin, uint32_t end);
  /// For imports inside functions.
  void bindLocally(llvm::StringRef name, Global global);
  void bind(llvm::StringRef name, Global global);
  void bindTarget(const ast::Expr *target, const ast::Expr *value, const ast::Expr *annotation);
  void markHelpers();
  void markKernelHolders();
  std::string getScopeName() const;

  static bool isAssignment(Token t);
  void readWalruses(Tokens line);

  // What host code does to globals (Changes.cpp)
  void notePiece();
  void readHostUses();

  // Names of functions that hold kernels (Nested.cpp)
  void readNested(const Scope &scope);
  void bindNested(llvm::StringRef scope, ast::Block block, bool isConditional);
  void bindNestedTarget(llvm::StringRef scope, const ast::Expr *target, const ast::Expr *value,
                        bool isConditional);
  void bindNestedName(llvm::StringRef scope, llvm::StringRef name, Global global,
                      bool isConditional);

  // Imports (Imports.cpp)
  using Bind = llvm::function_ref<void(llvm::StringRef name, Global global)>;
  void readImport(const ast::ImportStmt &stmt);
  void readFromImport(const ast::ImportFromStmt &stmt);
  /// Calls `bind` for each name; `find` says whether files are looked for.
  void resolveImport(const ast::ImportStmt &stmt, bool find, Bind bind);
  void resolveFromImport(const ast::ImportFromStmt &stmt, bool find, Bind bind);
  /// Finds the file of a module; 0 if there is none.
  uint32_t findModule(llvm::StringRef dotted, unsigned level) const;
  std::string absolutePath(llvm::StringRef dotted, unsigned level) const;
  TriedImport classify(llvm::StringRef dotted, unsigned level, llvm::StringRef name) const;
  /// Where a module without a file was searched for; empty if it is not searched for.
  std::string describeSearch(llvm::StringRef dotted, unsigned level) const;

  // Decorators (Decorators.cpp, Autotune.cpp)
  bool isJitDecorator(Tokens line) const;
  bool isGluonDecorator(Tokens line) const;
  bool isRecordDecorator(Tokens line) const;
  std::string readDottedName(Tokens line) const;
  std::string resolvePath(llvm::StringRef dotted) const;
  std::string getPath(const ast::Expr *expr) const;
  void readDecorators(JitFunction &function);
  void readJitArguments(JitFunction &function, const ast::CallExpr &call);
  void readHeuristics(JitFunction &function, const ast::CallExpr &call);
  void readAutotune(JitFunction &function, const ast::CallExpr &call);
  /// Follows names to the literal value of a global.
  const ast::Expr *followGlobal(const ast::Expr *expr) const;
  /// Notes what host code may do to the lists that configurations were read from.
  void noteAutotuneChanges();
  bool readStrings(const ast::Expr *expr, std::vector<std::string> &out) const;
  std::string foldedText(SourceRange range) const;

  using Bindings = std::vector<std::pair<llvm::StringRef, const ast::Expr *>>;
  bool expandConfigs(const ast::Expr *expr, Autotune &out, unsigned depth);
  bool expandClauses(const ast::ComprehensionExpr &comprehension, size_t clause, Bindings &bindings,
                     Autotune &out);
  bool listItems(const ast::Expr *expr, const Bindings &bindings,
                 std::vector<const ast::Expr *> &out);
  bool bindLoopTarget(const ast::Expr *target, const ast::Expr *item, Bindings &bindings);
  const ast::Expr *substitute(const ast::Expr *expr, const Bindings &bindings);
  bool addConfig(const ast::Expr *expr, const Bindings &bindings, Autotune &out);
  const ast::Expr *makeInt(int64_t value, SourceRange range);

  ModuleLoader &loader;
  LoadedModule &module;
  ast::Context &context;
  Lexer lexer;
  std::vector<Token> line;
  bool lineTruncated = false;
  uint32_t lastLineEnd = 0;
  llvm::SmallVector<Scope, 8> scopes;
  /// By depth: whether an arm of the `if` at hand is known to run; none if it is not known.
  std::map<size_t, std::optional<bool>> chains;
  /// By depth: the arms so far of the `if` or `try` at hand.
  struct GuardChain {
    std::vector<const ast::Expr *> conditions;
    bool isKnown = true;
    std::shared_ptr<TryBody> tried = nullptr;
  };
  std::map<size_t, GuardChain> guardChains;
  std::optional<Scope> pendingScope;
  std::optional<uint32_t> decoratorsBegin;
  bool decoratedByJit = false;
  bool decoratedAsRecord = false;
  bool decoratedByGluon = false;
  /// Statements at module level, by their bytes, without jit functions.
  std::vector<std::pair<uint32_t, uint32_t>> pieces;
  bool inPiece = false;
  llvm::StringSet<> missingImports;         ///< Names of relative imports without a file.
  llvm::StringMap<std::string> aliases;     ///< Imported names to dotted paths.
  std::vector<llvm::StringSet<>> usedNames; ///< By jit function: the names in its body.
  size_t expandSteps = 0;
  std::vector<std::string> *followed = nullptr; ///< Takes the names that `followGlobal` follows.
  uint32_t jitBytes = 0;
  uint32_t hostBytes = 0;
  std::optional<Token> pendingToken; ///< Taken too early.
  unsigned errorsBefore;             ///< The contents of other files.
  bool globalsFull = false;
  bool failed = false;
  bool done = false;
};

} // namespace tilerun
