// Kernel files as modules: their jit functions with decorators, and the meaning of each global
// name.
//
// Rules of this folder: nothing here evaluates kernel code. Global values stay syntax
// (`Global::value`) until sema evaluates them. Imports are resolved to sibling files if those
// exist; a name from anywhere else is kept by its dotted path.
#pragma once

#include "frontend/ast/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace tilerun {

class LoadedModule;
class ModuleLoader;

/// What Python code finds in `triton.__version__` (python/tilerun/triton/__init__.py).
inline constexpr llvm::StringLiteral kTritonVersion{"3.7.1"};

/// The last part of a decorator's name; empty for other expressions.
llvm::StringRef getDecoratorName(const ast::Expr *decorator);

/// One `triton.Config(...)` of an autotune decorator.
struct AutotuneConfig {
  std::vector<std::pair<std::string, const ast::Expr *>> kwargs; ///< Meta-parameters, unevaluated.
  const ast::Expr *numWarps = nullptr;                           ///< Null: the default.
  const ast::Expr *numStages = nullptr;
  const ast::Expr *numCtas = nullptr;
  const ast::Expr *maxnreg = nullptr;
  SourceRange range;
  std::string text; ///< The configuration as written, white space folded.
};

/// What host code may do to something, from nothing to most.
enum class Doubt : uint8_t {
  None,
  Elements, ///< It may change lists and dicts inside of it.
  Value,    ///< It may change it, if that is a list, a dict or a class.
  Binding   ///< It may make it something else.
};

struct HostChange {
  Doubt doubt = Doubt::None;
  SourceRange place; ///< Where.
  /// Keeps the stronger one; true if that is `other`.
  bool add(const HostChange &other) {
    if (other.doubt <= doubt)
      return false;
    *this = other;
    return true;
  }
};

struct Autotune {
  std::vector<AutotuneConfig> configs;
  bool configsKnown =
      true; ///< False if the list is not a literal list of Config calls (built by host code).
  std::vector<std::string> globals; ///< Those that the configurations were read from.
  HostChange change;                ///< What host code may do to those: then they may be others.
  std::vector<std::string> key;
  std::vector<std::string> resetToZero;
  std::vector<std::string> restoreValue;
  SourceRange range;
};

/// One entry of `@triton.heuristics(values={"NAME": lambda args: …})`.
struct Heuristic {
  std::string name;
  const ast::LambdaExpr *function = nullptr; ///< Null if it is not a literal lambda.
  std::string text;
  SourceRange range;
};

/// A `@triton.jit` function.
struct JitFunction {
  const ast::FunctionDef *def = nullptr;
  LoadedModule *module = nullptr;
  std::string qualifiedName; ///< "outer.inner" for a nested definition.
  bool noinlineFunction = false;
  bool debug = false;
  bool isConstexpr = false; ///< `@triton.constexpr_function`: of compile-time values alone.
  std::vector<std::string>
      doNotSpecialize; ///< Parameter names (numbers in the source are mapped to names).
  std::vector<std::string> doNotSpecializeOnAlignment;
  std::optional<Autotune> autotune;
  std::vector<Heuristic> heuristics;
  /// `**meta`: its name, and the parameters that stand for what the body takes from it.
  std::string metaName;
  std::vector<std::string> metaKeys;
  bool usedAsHelper = false; ///< Called by another jit function of the same file.
};

/// One import of a `try:` block.
struct TriedImport {
  enum class Kind {
    File,     ///< `module` is the file of what is imported.
    FromFile, ///< A name out of the file `module`.
    Language, ///< Of Triton's modules.
    Standard, ///< Of Python's own library, or of one that kernels' files cannot do without.
    Absent,   ///< A relative import without a file: it fails.
    Foreign,  ///< Its file was not found; it fails unless something is installed elsewhere.
    Unknown   ///< Whether it succeeds depends on the release of a library.
  };
  Kind kind = Kind::Unknown;
  std::string path;               ///< "a.b" of `import a.b` and of `from a.b import name`.
  std::string name;               ///< Empty for `import a.b`.
  LoadedModule *module = nullptr; ///< Of a file.
  std::string searched;           ///< Where it was looked for.
};

/// The body of a `try:`, as far as it decides whether its handler for failed imports runs.
struct TryBody {
  std::vector<TriedImport> imports;
  bool mayRaise = false; ///< It also calls something.
};

/// What must hold for a statement at module level to run: a condition, or imports.
struct Guard {
  const ast::Expr *condition = nullptr;
  std::shared_ptr<const TryBody> tried = nullptr;
  size_t imports = 0; ///< Of `tried`, those before the statement.
  bool wanted = true; ///< The condition is true, or the imports succeed.
};

/// The meaning of a global name.
struct Global {
  enum class Kind {
    Jit,          ///< `jit`
    Value,        ///< `value` (an expression; with `annotation`, if any)
    Module,       ///< import of a module: `module` if its file was found, else `path`
    ImportedName, ///< `from path import importedName`: `module` if its file was found
    HostFunction, ///< A function without @triton.jit
    Class,        ///< A class
    Captured,     ///< A variable of a function around a kernel, whose value only Python knows
    Unknown       ///< Bound by something that the loader skips (a loop, `with`, tuple unpacking, …)
  };
  Kind kind = Kind::Unknown;
  const JitFunction *jit = nullptr;
  const ast::Expr *value = nullptr;
  const ast::Expr *annotation = nullptr;
  /// Of something unknown: the values between which host code chooses; `jit` may be another.
  llvm::SmallVector<const ast::Expr *, 0> alternatives;
  /// The jit functions between which host code chooses.
  llvm::SmallVector<const JitFunction *, 0> functions;
  const ast::ClassDef *classDef = nullptr;
  /// Of a host function: its syntax, if that is read, or else its bytes.
  const ast::FunctionDef *functionDef = nullptr;
  uint32_t begin = 0, end = 0;
  bool isBuiltin = false; ///< A host function with the mark `__triton_builtin__`: kernels call it.
  LoadedModule *module = nullptr;
  std::string path; ///< Dotted module path as absolute as known, e.g. "triton.language".
  std::string importedName;
  bool mayBeMissing = false; ///< An import besides which host code binds the name to a value.
  /// Of an import without a file: where it was searched for, as in "beside 'a/kernel.py'".
  std::string searched;
  bool isDecorated = false; ///< A host function that decorators may replace.
  HostChange change;
  SourceRange range; ///< Where it was bound.
  std::vector<Guard> guards;
  bool isOpen = false; ///< Whether it is bound also depends on something else.
  /// Of a name that is bound under conditions: its bindings, in source order.
  std::vector<Global> choices;

  /// Whether code at a place of its file runs after it was bound.
  bool isBoundBefore(uint32_t offset) const {
    return (value ? value->range.end : range.end) <= offset;
  }
};

class LoadedModule {
public:
  uint32_t file = 0;
  bool isProvided = false;                             ///< By a host that has resolved all names.
  std::string path;                                    ///< File path or text name.
  std::vector<std::unique_ptr<JitFunction>> functions; ///< In source order, nested ones too.

  /// The last binding of a global, also through `from module import *`; null if there is none.
  const Global *lookup(llvm::StringRef name) const;
  /// The binding of a name in this file, at module level (`scope` empty) or in a function.
  const Global *findBinding(llvm::StringRef scope, llvm::StringRef name) const;
  /// A jit function by (qualified) name; null if there is none.
  const JitFunction *findFunction(llvm::StringRef name) const;
  /// The syntax of a host function of this module, for a call while a kernel is compiled: as of
  /// `@triton.constexpr_function`. Null if decorators replace it, or it is too long.
  const JitFunction *readHostFunction(const Global &global, llvm::StringRef qualifiedName) const;
  /// A variable of the environment that the code that kernels use asks for by name: its value, if
  /// it is set. None if no such code names it.
  std::optional<std::optional<std::string>> getEnvironment(llvm::StringRef name) const;
  /// The description of a file in which a kernel was not found: "has no @triton.jit function".
  std::string describeNoKernels() const;
  /// All global names, sorted (for "did you mean").
  std::vector<llvm::StringRef> globalNames() const;

  llvm::StringMap<Global> globals;
  /// The bindings of names before they were bound again, in source order: values computed in
  /// between use these.
  llvm::StringMap<std::vector<Global>> earlier;
  /// Imports in functions from modules that are not files: visible to jit functions defined in
  /// them, if no global has the name.
  llvm::StringMap<Global> localImports;
  /// Bindings in functions that contain jit functions or records, by qualified name ("make.SIZE").
  llvm::StringMap<Global> nested;
  /// Files by the dotted names under which this one imports them (`import a.b.c`).
  std::map<std::string, LoadedModule *, std::less<>> importedModules;
  std::vector<LoadedModule *> starImports;  ///< Files that `*` is imported from.
  std::vector<uint32_t> starOffsets;        ///< Where.
  std::vector<std::string> starImportPaths; ///< Dotted paths of other modules, e.g. "triton".
  /// Of those modules that were looked for and have no file: where, by their paths.
  std::map<std::string, std::string> missingStarImports;
  /// What host code does to attributes of classes and other objects of this file, by the
  /// attributes' names, and to those with unknown names.
  llvm::StringMap<HostChange> memberChanges;
  HostChange anyMemberChange;
  /// What importing files do to the globals of this one.
  llvm::StringMap<HostChange> foreignChanges;
  HostChange anyForeignChange;
  /// Kernels of Gluon, Triton's lower-level dialect, which is another language.
  struct GluonKernel {
    std::string name;
    SourceLoc loc; ///< Of the name.
  };
  std::vector<GluonKernel> gluonKernels;

private:
  friend class ModuleLoader;
  static const Global *lookupIn(const LoadedModule &module, llvm::StringRef name,
                                llvm::SmallPtrSetImpl<const LoadedModule *> &seen);
  /// Reads the file if it has only been imported so far. Lookups call it; the fields above are
  /// filled only afterwards.
  void ensureRead() const;
  ModuleLoader *unreadBy = nullptr; ///< Null once the file is read.
  ModuleLoader *loader = nullptr;
  mutable std::map<uint32_t, std::unique_ptr<JitFunction>> hostFunctions; ///< By their places.
};

/// Loads files and what they import. Not thread-safe.
class ModuleLoader {
public:
  ModuleLoader(SourceManager &sources, ast::Context &context, DiagnosticEngine &diagnostics)
      : sources(sources), context(context), diagnostics(diagnostics) {}

  /// Null if the file cannot be read or a jit function in it does not parse; diagnostics say why.
  /// Import cycles are fine.
  LoadedModule *loadFile(llvm::StringRef path);
  /// `name` replaces the path in messages and for relative imports.
  LoadedModule *loadText(llvm::StringRef name, std::string text);
  /// The text of `import module` from now on, instead of the file on disk. `path` is shown in
  /// messages; several texts may have the same one.
  void provide(llvm::StringRef module, llvm::StringRef path, std::string text);
  /// Loads a module that was provided.
  LoadedModule *loadProvided(llvm::StringRef module);
  /// Whether imports are looked up on disk; on by default.
  void setFollowImports(bool follow) { followImports = follow; }
  /// A hash of all that decides what kernels of the loaded files mean: names and texts of the files
  /// that they use and what imports were looked for, found or not. Files for which `skip` is true
  /// do not count.
  std::string getDigest(llvm::function_ref<bool(llvm::StringRef name)> skip);

private:
  friend class ModuleReader;
  friend class LoadedModule;
  /// The module of a file; null after an error in it.
  LoadedModule *load(uint32_t file);
  /// The module of a file, which is read when something is looked up in it: packages import much
  /// that no kernel uses.
  LoadedModule *request(uint32_t file);
  void read(LoadedModule &module);
  /// Reads every file that a jit function of a loaded one may look something up in (Reach.cpp).
  void readUsed();
  /// A variable of the environment; remembers the answer for the digest.
  std::optional<std::string> getEnvironment(llvm::StringRef name);
  /// Code that kernels use may ask for it by this name.
  void noteEnvironment(llvm::StringRef name);
  /// Whether there is a regular file; remembers the answer for the digest.
  bool isFile(llvm::StringRef path);

  SourceManager &sources;
  ast::Context &context;
  DiagnosticEngine &diagnostics;
  std::map<uint32_t, std::unique_ptr<LoadedModule>> modules; ///< By file number.
  std::vector<LoadedModule *> loaded;                        ///< By name, not through imports.
  std::map<uint32_t, bool> readable;                         ///< Whether a read file was fine.
  std::map<std::string, bool> lookups;                       ///< The result of `isFile`.
  std::set<std::string, std::less<>> environmentNames;       ///< Of `noteEnvironment`.
  size_t readUsedFiles = 0; ///< The number of files when `readUsed` was last called.
  std::map<std::string, uint32_t, std::less<>> provided; ///< Files by the name of the import.
  bool followImports = true;
};

} // namespace tilerun
