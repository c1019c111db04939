// Syntactic facts about names: assignments, annotations, and exits of loops.
#include "frontend/sema/Names.h"

#include "frontend/ast/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace tilerun::sema {

using namespace ast;

namespace {
void addTarget(const Expr *target, AssignedNames &names) {
  if (!target)
    return;
  if (const auto *name = llvm::dyn_cast<NameExpr>(target))
    names.try_emplace(name->name, name->range);
  else if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    for (const Expr *element : tuple->elements)
      addTarget(element, names);
  else if (const auto *list = llvm::dyn_cast<ListExpr>(target))
    for (const Expr *element : list->elements)
      addTarget(element, names);
  else if (const auto *starred = llvm::dyn_cast<StarredExpr>(target))
    addTarget(starred->value, names);
  else if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(target))
    // `self.x = …` in an `__init__` makes another `self`.
    if (const auto *base = llvm::dyn_cast<NameExpr>(attribute->value))
      names.try_emplace(base->name, base->range);
}

struct AssignmentWalker : Walker {
  AssignedNames &names;
  explicit AssignmentWalker(AssignedNames &names) : names(names) {}
  /// Names of definitions that kernels cannot have: known, so that their uses are not reported as
  /// well.
  bool addDefinitions(const Node &node) {
    if (const auto *def = llvm::dyn_cast<FunctionDef>(&node)) {
      names.try_emplace(def->name, def->nameRange);
      return false;
    }
    if (const auto *def = llvm::dyn_cast<ClassDef>(&node)) {
      names.try_emplace(def->name, def->nameRange);
      return false;
    }
    llvm::ArrayRef<ImportName> imports;
    if (const auto *import = llvm::dyn_cast<ImportStmt>(&node))
      imports = import->names;
    else if (const auto *from = llvm::dyn_cast<ImportFromStmt>(&node))
      imports = from->names;
    for (const ImportName &name : imports)
      names.try_emplace(name.alias.empty() ? name.name.split('.').first : name.alias, name.range);
    return true;
  }
  bool visit(const Node &node) override {
    if (const auto *assign = llvm::dyn_cast<AssignStmt>(&node))
      for (const Expr *target : assign->targets)
        addTarget(target, names);
    else if (const auto *augmented = llvm::dyn_cast<AugAssignStmt>(&node))
      addTarget(augmented->target, names);
    else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(&node))
      addTarget(annotated->value ? annotated->target : nullptr, names);
    else if (const auto *loop = llvm::dyn_cast<ForStmt>(&node))
      addTarget(loop->target, names);
    else if (const auto *named = llvm::dyn_cast<NamedExpr>(&node))
      addTarget(named->target, names);
    else if (const auto *with = llvm::dyn_cast<WithStmt>(&node))
      for (const WithItem &item : with->items)
        addTarget(item.target, names);
    else
      return addDefinitions(node);
    return true;
  }
};

struct ExitWalker : Walker {
  bool found = false;
  unsigned depth = 0;
  bool visit(const Node &node) override {
    if (llvm::isa<ReturnStmt>(&node) || (llvm::isa<BreakStmt>(&node) && depth == 0))
      found = true;
    if (!llvm::isa<ForStmt, WhileStmt>(&node))
      return !found;
    // A break below belongs to the inner loop, unless it is in the else part.
    ++depth;
    walk(llvm::isa<ForStmt>(&node) ? llvm::cast<ForStmt>(&node)->body
                                   : llvm::cast<WhileStmt>(&node)->body);
    --depth;
    walk(llvm::isa<ForStmt>(&node) ? llvm::cast<ForStmt>(&node)->elseBody
                                   : llvm::cast<WhileStmt>(&node)->elseBody);
    return false;
  }
};
} // namespace

AssignedNames collectAssigned(Block block) {
  AssignedNames names;
  AssignmentWalker(names).walk(block);
  return names;
}

void collectAssigned(const Expr *expression, AssignedNames &names) {
  AssignmentWalker(names).walk(expression);
}

bool mayLeaveLoop(Block body) {
  ExitWalker walker;
  walker.walk(body);
  return walker.found;
}

bool isConstexprAnnotation(const Expr *annotation) {
  if (!annotation)
    return false;
  if (const auto *name = llvm::dyn_cast<NameExpr>(annotation))
    return name->name == "constexpr";
  if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(annotation))
    return attribute->name == "constexpr";
  if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(annotation))
    return isConstexprAnnotation(subscript->value);
  if (const auto *text = llvm::dyn_cast<ConstantExpr>(annotation))
    return text->constant == ConstantKind::String && text->text.contains("constexpr");
  return false;
}

static bool isNamed(const Expr *expr, llvm::StringRef name) {
  const auto *plain = llvm::dyn_cast_or_null<NameExpr>(expr);
  const auto *attribute = llvm::dyn_cast_or_null<AttributeExpr>(expr);
  return (plain && plain->name == name) || (attribute && attribute->name == name);
}

static bool isTrue(const Expr *expr) {
  const auto *constant = llvm::dyn_cast_or_null<ConstantExpr>(expr);
  return constant && constant->constant == ConstantKind::True;
}

bool isConstAnnotation(const Expr *annotation) {
  if (isNamed(annotation, "const"))
    return true;
  // `tl.pointer_type(tl.float32, const=True)`
  if (const auto *call = llvm::dyn_cast_or_null<CallExpr>(annotation))
    return isNamed(call->callee, "pointer_type") &&
           ((call->args.size() > 2 && isTrue(call->args[2])) ||
            llvm::any_of(call->keywords, [](const Keyword &keyword) {
              return keyword.name == "const" && isTrue(keyword.value);
            }));
  // "tl.const", "*kfp32"
  const auto *text = llvm::dyn_cast_or_null<ConstantExpr>(annotation);
  if (!text || text->constant != ConstantKind::String)
    return false;
  llvm::StringRef word = text->text.trim();
  return word.starts_with("*k") || word.substr(word.rfind('.') + 1) == "const";
}

std::optional<DType> getAnnotatedType(const Expr *annotation) {
  const auto *attribute = llvm::dyn_cast_or_null<AttributeExpr>(annotation);
  const auto *name = llvm::dyn_cast_or_null<NameExpr>(annotation);
  const auto *text = llvm::dyn_cast_or_null<ConstantExpr>(annotation);
  llvm::StringRef spelling;
  if (attribute && llvm::isa<NameExpr>(attribute->value))
    spelling = attribute->name;
  else if (name)
    spelling = name->name;
  else if (text && text->constant == ConstantKind::String) // "tl.int64", "i64"
    spelling = text->text.trim().substr(text->text.trim().rfind('.') + 1);
  // Python's own types say nothing of the width.
  if (spelling.empty() || spelling == "int" || spelling == "float" || spelling == "bool")
    return std::nullopt;
  auto type = parseDType(spelling);
  return type && !type->isPointer() && type->scalar != Scalar::Void ? type : std::nullopt;
}

} // namespace tilerun::sema
