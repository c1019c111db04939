// The syntax tree of a kernel file.
//
// Rules of this folder: nodes are plain data in an arena (`Context`), immutable after parsing and
// trivially destructible; lists are `ArrayRef`s into the arena; a child that may be absent is a
// pointer that may be null. The parser bounds the depth of the tree (kMaxDepth), so that recursion
// over it is safe. Nodes have no semantics.
#pragma once

#include "frontend/source/Source.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

namespace tilerun::ast {

/// Deepest nesting of a tree that the parser builds.
constexpr unsigned kMaxDepth = 400;

enum class Kind : uint8_t {
#define EXPR(Class, Text) Class,
#define STMT(Class, Text) Class,
#include "frontend/ast/Nodes.def"
};
llvm::StringRef getKindName(Kind kind);

struct Node {
  Kind kind;
  uint16_t height = 1; ///< Nodes on the longest way down, itself included; at most kMaxDepth.
  SourceRange range;   ///< The whole construct.
};
struct Expr : Node {};
struct Stmt : Node {};

/// Base that ties a class to its kind, for `isa`/`dyn_cast`.
template <typename Base, Kind K> struct NodeOf : Base {
  static bool classof(const Node *n) { return n->kind == K; }
};
#define TILERUN_EXPR(Class) struct Class : NodeOf<Expr, Kind::Class>
#define TILERUN_STMT(Class) struct Class : NodeOf<Stmt, Kind::Class>

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TILERUN_EXPR(NameExpr) { llvm::StringRef name; };

enum class ConstantKind : uint8_t {
  None,
  True,
  False,
  Ellipsis,
  Int,
  Float,
  Imaginary,
  String,
  Bytes
};
TILERUN_EXPR(ConstantExpr) {
  ConstantKind constant;
  llvm::StringRef text; ///< Int: decimal or 0x/0o/0b digits without underscores; String, Bytes: the
                        ///< decoded bytes, pieces joined.
  double floating = 0;  ///< Float, Imaginary.
};

/// One piece of an f-string: text, or a value with conversion and format.
struct JoinedPart {
  llvm::StringRef text; ///< Decoded; only if `value` is null.
  const Expr *value = nullptr;
  llvm::StringRef sourceText;        ///< For `{x=}`: the text to print before the value.
  char conversion = 0;               ///< 'r', 's', 'a' or 0.
  llvm::ArrayRef<JoinedPart> format; ///< The format specification, itself with parts.
};
TILERUN_EXPR(JoinedStrExpr) { llvm::ArrayRef<JoinedPart> parts; };
TILERUN_EXPR(TupleExpr) { llvm::ArrayRef<const Expr *> elements; };
TILERUN_EXPR(ListExpr) { llvm::ArrayRef<const Expr *> elements; };
TILERUN_EXPR(SetExpr) { llvm::ArrayRef<const Expr *> elements; };
TILERUN_EXPR(DictExpr) {
  llvm::ArrayRef<const Expr *> keys; ///< Null key: `**value`.
  llvm::ArrayRef<const Expr *> values;
};

enum class UnaryOp : uint8_t { Plus, Minus, Invert, Not };
enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  Shl,
  Shr,
  And,
  Or,
  Xor
};
enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BinaryOp op);
llvm::StringRef getSpelling(CompareOp op);

TILERUN_EXPR(UnaryExpr) {
  UnaryOp op;
  const Expr *operand;
};
TILERUN_EXPR(BinaryExpr) {
  BinaryOp op;
  const Expr *lhs;
  const Expr *rhs;
  SourceRange opRange;
};
TILERUN_EXPR(BoolOpExpr) {
  bool isAnd;
  llvm::ArrayRef<const Expr *> operands;
};
/// `first op[0] rest[0] op[1] rest[1] …`; more than one operator is a chain.
TILERUN_EXPR(CompareExpr) {
  const Expr *first;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<const Expr *> rest;
};
TILERUN_EXPR(TernaryExpr) {
  const Expr *condition;
  const Expr *thenValue;
  const Expr *elseValue;
};

struct Keyword {
  llvm::StringRef name; ///< Empty for `**value`.
  const Expr *value;
  SourceRange range; ///< Of the name, or of the value.
};
TILERUN_EXPR(CallExpr) {
  const Expr *callee;
  llvm::ArrayRef<const Expr *> args; ///< May hold StarredExpr.
  llvm::ArrayRef<Keyword> keywords;
};
TILERUN_EXPR(AttributeExpr) {
  const Expr *value;
  llvm::StringRef name;
  SourceRange nameRange;
};
TILERUN_EXPR(SubscriptExpr) {
  const Expr *value;
  const Expr *index;
}; ///< Several indices: a TupleExpr.
TILERUN_EXPR(SliceExpr) {
  const Expr *lower;
  const Expr *upper;
  const Expr *step;
};
TILERUN_EXPR(StarredExpr) { const Expr *value; };

struct FunctionDef;
enum class ParameterKind : uint8_t { Positional, PositionalOnly, KeywordOnly, VarArgs, KwArgs };
struct Parameter {
  llvm::StringRef name;
  const Expr *annotation;
  const Expr *defaultValue;
  ParameterKind kind;
  SourceRange range; ///< Of the name.
};
TILERUN_EXPR(LambdaExpr) {
  llvm::ArrayRef<Parameter> parameters;
  const Expr *body;
};
TILERUN_EXPR(NamedExpr) {
  const NameExpr *target;
  const Expr *value;
};

struct ComprehensionFor {
  const Expr *target;
  const Expr *iterable;
  llvm::ArrayRef<const Expr *> conditions;
};
enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };
TILERUN_EXPR(ComprehensionExpr) {
  ComprehensionKind comprehension;
  const Expr *element; ///< The value for a dict.
  const Expr *key;     ///< Dict only.
  llvm::ArrayRef<ComprehensionFor> clauses;
};
TILERUN_EXPR(AwaitExpr) { const Expr *value; };
TILERUN_EXPR(YieldExpr) {
  const Expr *value;
  bool isFrom;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

using Block = llvm::ArrayRef<const Stmt *>;

TILERUN_STMT(ExprStmt) { const Expr *value; };
TILERUN_STMT(AssignStmt) {
  llvm::ArrayRef<const Expr *> targets;
  const Expr *value;
}; ///< `a = b = v` has two targets.
TILERUN_STMT(AugAssignStmt) {
  const Expr *target;
  BinaryOp op;
  const Expr *value;
  SourceRange opRange;
};
TILERUN_STMT(AnnAssignStmt) {
  const Expr *target;
  const Expr *annotation;
  const Expr *value;
};
TILERUN_STMT(IfStmt) {
  const Expr *condition;
  Block thenBody;
  Block elseBody;
}; ///< `elif` is an IfStmt alone in elseBody.
TILERUN_STMT(ForStmt) {
  const Expr *target;
  const Expr *iterable;
  Block body;
  Block elseBody;
};
TILERUN_STMT(WhileStmt) {
  const Expr *condition;
  Block body;
  Block elseBody;
};
TILERUN_STMT(ReturnStmt) { const Expr *value; };
TILERUN_STMT(BreakStmt){};
TILERUN_STMT(ContinueStmt){};
TILERUN_STMT(PassStmt){};
TILERUN_STMT(AssertStmt) {
  const Expr *condition;
  const Expr *message;
};
TILERUN_STMT(RaiseStmt) {
  const Expr *value;
  const Expr *cause;
};
struct WithItem {
  const Expr *context;
  const Expr *target;
};
TILERUN_STMT(WithStmt) {
  llvm::ArrayRef<WithItem> items;
  Block body;
};
TILERUN_STMT(FunctionDef) {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<const Expr *> decorators;
  llvm::ArrayRef<Parameter> parameters;
  const Expr *returns;
  Block body;
  llvm::StringRef
      docstring; ///< Empty if there is none; the docstring is still the first statement of body.
  bool isAsync;
};
TILERUN_STMT(ClassDef) {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<const Expr *> decorators;
  llvm::ArrayRef<const Expr *> bases;
  llvm::ArrayRef<Keyword> keywords;
  Block body;
};
struct ImportName {
  llvm::StringRef name;
  llvm::StringRef alias;
  SourceRange range;
}; ///< `name` may be dotted or "*"; empty alias: none.
TILERUN_STMT(ImportStmt) { llvm::ArrayRef<ImportName> names; };
TILERUN_STMT(ImportFromStmt) {
  llvm::StringRef module;
  unsigned level;
  llvm::ArrayRef<ImportName> names;
}; ///< `level` counts dots.
TILERUN_STMT(GlobalStmt) {
  llvm::ArrayRef<llvm::StringRef> names;
  bool isNonlocal;
};
TILERUN_STMT(DeleteStmt) { llvm::ArrayRef<const Expr *> targets; };
struct ExceptHandler {
  const Expr *type;
  llvm::StringRef name;
  Block body;
};
TILERUN_STMT(TryStmt) {
  Block body;
  llvm::ArrayRef<ExceptHandler> handlers;
  Block elseBody;
  Block finalBody;
};
/// A `match` statement: only its extent is kept; kernels cannot use it.
TILERUN_STMT(MatchStmt){};
TILERUN_STMT(TypeAliasStmt){};

#undef TILERUN_EXPR
#undef TILERUN_STMT

/// Owns the nodes of one or more files.
class Context {
public:
  template <typename T> T *make(SourceRange range) {
    T *node = new (arena.Allocate(sizeof(T), alignof(T))) T();
    node->kind = kindOf<T>();
    node->range = range;
    return node;
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    if (items.empty())
      return {};
    T *out = static_cast<T *>(arena.Allocate(sizeof(T) * items.size(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), out);
    return llvm::ArrayRef<T>(out, items.size());
  }
  llvm::StringRef copy(llvm::StringRef text) {
    auto bytes = copy(llvm::ArrayRef<char>(text.data(), text.size()));
    return {bytes.data(), bytes.size()};
  }

private:
  template <typename T> static constexpr Kind kindOf() {
#define EXPR(Class, Text)                                                                          \
  if constexpr (std::is_same_v<T, Class>)                                                          \
    return Kind::Class;
#define STMT(Class, Text) EXPR_AS_STMT(Class)
#define EXPR_AS_STMT(Class)                                                                        \
  if constexpr (std::is_same_v<T, Class>)                                                          \
    return Kind::Class;
#include "frontend/ast/Nodes.def"
#undef EXPR_AS_STMT
  }
  llvm::BumpPtrAllocator arena;
};

/// One parsed file. Host code, which the parser skipped, is not in it; see Parser.h.
struct Module {
  uint32_t file = 0;
  Block body;
};

/// Prints a tree as indented text, one node a line, stable for tests (`--emit ast`).
void dump(const Node &node, const SourceManager &sources, llvm::raw_ostream &os);
void dump(const Module &module, const SourceManager &sources, llvm::raw_ostream &os);

} // namespace tilerun::ast
