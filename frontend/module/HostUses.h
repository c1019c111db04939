// What the host code of a file may do to the values of its globals. That code is not run, so this
// is derived from its syntax: a global counts as known only if every mention of it merely reads
// it. Internal to this folder.
//
// Rules: names are resolved as Python does (functions, classes, comprehensions, `global`); for
// attributes only the name counts, whatever they belong to; code that is not understood may do
// anything. Which values can change at all (lists, dicts) is decided where they are evaluated.
#pragma once

#include "frontend/module/Module.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace tilerun {

class HostUses {
public:
  /// `getPath` gives the dotted path of a name or a chain of attributes, through imports; empty for
  /// other expressions. `kernels` has the places of the names of all jit functions.
  HostUses(LoadedModule &module, llvm::function_ref<std::string(const ast::Expr *)> getPath,
           llvm::function_ref<llvm::StringRef(SourceRange)> getText,
           const llvm::DenseSet<uint32_t> &kernels);

  /// Statements at module level.
  void read(ast::Block block);
  /// Code without a syntax tree.
  void readUnparsed(SourceRange range);
  /// A jit function: the code around its body.
  void readKernel(const ast::FunctionDef &def);
  /// Marks the globals, after everything was read.
  void finish();

private:
  struct Scope {
    enum class Kind { Module, Function, Class, Comprehension } kind;
    std::string name;     ///< Qualified.
    llvm::StringRef self; ///< Of a method: the name of its first parameter.
    llvm::StringSet<> locals = {};
    llvm::StringSet<> globals = {}; ///< Declared `global`.
    llvm::StringSet<> outer = {};   ///< Declared `nonlocal`.
  };
  /// The meaning of a name: a global, or a function's variable ("make.SIZE"), by `key`.
  struct Resolved {
    enum class Kind { Variable, Member, Other } kind;
    std::string key;
  };

  Resolved resolve(llvm::StringRef name) const;
  /// The global that a name refers to here; null if it is something else.
  const Global *findGlobal(const ast::Expr *expr) const;
  bool isBuiltin(llvm::StringRef name) const;
  bool atModuleLevel() const { return scopes.size() == 1; }
  void push(Scope::Kind kind, llvm::StringRef name);
  void collectLocals(ast::Block block, Scope &scope);

  // The recorded uses.
  void doubt(llvm::StringRef key, Doubt level, SourceRange place);
  void doubtEverything(Doubt level, SourceRange place);
  void doubtMember(llvm::StringRef name, Doubt level, SourceRange place);
  /// Something of an imported file: `name` of a module, or of what it defines.
  void doubtForeign(const ast::Expr *base, llvm::StringRef name, Doubt level, SourceRange place);

  // Statements (HostUses.cpp)
  void readStatement(const ast::Stmt &statement);
  void readFunction(const ast::FunctionDef &def);
  void readClass(const ast::ClassDef &def);
  void readAssignment(llvm::ArrayRef<const ast::Expr *> targets, const ast::Expr *value);
  void readParameters(llvm::ArrayRef<ast::Parameter> parameters);
  void readDecorators(llvm::ArrayRef<const ast::Expr *> decorators);
  /// A target that is assigned or deleted.
  void store(const ast::Expr *target);
  void storeName(llvm::StringRef name, SourceRange place);
  /// `name` empty: it is not known.
  void storeAttribute(const ast::Expr *base, llvm::StringRef name, SourceRange place);

  // Expressions (HostExpressions.cpp)
  /// An expression whose value is used in such a way that others may then change it by `flow`.
  void use(const ast::Expr *expr, Doubt flow);
  void useAll(llvm::ArrayRef<const ast::Expr *> exprs, Doubt flow);
  void useAttribute(const ast::AttributeExpr &e, Doubt flow);
  void useComprehension(const ast::ComprehensionExpr &e, Doubt flow);
  void useCall(const ast::CallExpr &e, Doubt flow);
  bool useBuiltinCall(const ast::CallExpr &e, llvm::StringRef name, Doubt flow);
  void useMethodCall(const ast::CallExpr &e, const ast::AttributeExpr &method, Doubt flow);
  void useArguments(const ast::CallExpr &e, Doubt flow);
  bool isLaunch(const ast::Expr *callee) const;
  /// `globals()`, `vars(x)`, `x.__dict__`: names as the keys of a dict.
  bool isNamespace(const ast::Expr *expr) const;
  /// An item of such a dict: reads it, or with `Doubt::Binding` sets it. `key` null: any.
  void useNamespaceItem(const ast::Expr *space, const ast::Expr *key, Doubt flow,
                        SourceRange place);

  LoadedModule &module;
  llvm::function_ref<std::string(const ast::Expr *)> getPath;
  llvm::function_ref<llvm::StringRef(SourceRange)> getText;
  const llvm::DenseSet<uint32_t> &kernels;
  std::vector<Scope> scopes;
  llvm::StringMap<HostChange> changes;
  HostChange everything;
  /// Attributes of anything: they are globals where host code can get hold of this module itself.
  llvm::StringMap<HostChange> attributes;
  bool holdsItself = false;
  /// Names of one object: `A = B`, or a class and its base.
  std::vector<std::pair<std::string, std::string>> aliases;
};

} // namespace tilerun
