// Syntactic facts about names: assignments, reads, and exits of loops.
#include "frontend/sema/Names.h"

#include "llvm/ADT/STLExtras.h"

namespace tilerun::sema {

using namespace ast;

namespace {
/// Visits every node below one, in source order. Nested functions are not entered: kernels cannot
/// have them.
class Walker {
public:
  virtual ~Walker() = default;
  /// False: do not go below.
  virtual bool visit(const Node &node) = 0;

  void walk(Block block) {
    for (const Stmt *statement : block)
      walk(statement);
  }
  void walk(const Node *node) {
    if (node && visit(*node))
      children(*node);
  }

private:
  template <typename T> void walkAll(llvm::ArrayRef<const T *> nodes) {
    for (const T *node : nodes)
      walk(node);
  }
  void joined(llvm::ArrayRef<JoinedPart> parts) {
    for (const JoinedPart &part : parts) {
      walk(part.value);
      joined(part.format);
    }
  }
  void children(const Node &node);
};

void Walker::children(const Node &node) {
  switch (node.kind) {
  case Kind::JoinedStrExpr:
    return joined(llvm::cast<JoinedStrExpr>(&node)->parts);
  case Kind::TupleExpr:
    return walkAll(llvm::cast<TupleExpr>(&node)->elements);
  case Kind::ListExpr:
    return walkAll(llvm::cast<ListExpr>(&node)->elements);
  case Kind::SetExpr:
    return walkAll(llvm::cast<SetExpr>(&node)->elements);
  case Kind::DictExpr:
    walkAll(llvm::cast<DictExpr>(&node)->keys);
    return walkAll(llvm::cast<DictExpr>(&node)->values);
  case Kind::UnaryExpr:
    return walk(llvm::cast<UnaryExpr>(&node)->operand);
  case Kind::BinaryExpr:
    walk(llvm::cast<BinaryExpr>(&node)->lhs);
    return walk(llvm::cast<BinaryExpr>(&node)->rhs);
  case Kind::BoolOpExpr:
    return walkAll(llvm::cast<BoolOpExpr>(&node)->operands);
  case Kind::CompareExpr:
    walk(llvm::cast<CompareExpr>(&node)->first);
    return walkAll(llvm::cast<CompareExpr>(&node)->rest);
  case Kind::TernaryExpr:
    walk(llvm::cast<TernaryExpr>(&node)->condition);
    walk(llvm::cast<TernaryExpr>(&node)->thenValue);
    return walk(llvm::cast<TernaryExpr>(&node)->elseValue);
  case Kind::CallExpr:
    walk(llvm::cast<CallExpr>(&node)->callee);
    walkAll(llvm::cast<CallExpr>(&node)->args);
    for (const Keyword &keyword : llvm::cast<CallExpr>(&node)->keywords)
      walk(keyword.value);
    return;
  case Kind::AttributeExpr:
    return walk(llvm::cast<AttributeExpr>(&node)->value);
  case Kind::SubscriptExpr:
    walk(llvm::cast<SubscriptExpr>(&node)->value);
    return walk(llvm::cast<SubscriptExpr>(&node)->index);
  case Kind::SliceExpr:
    walk(llvm::cast<SliceExpr>(&node)->lower);
    walk(llvm::cast<SliceExpr>(&node)->upper);
    return walk(llvm::cast<SliceExpr>(&node)->step);
  case Kind::StarredExpr:
    return walk(llvm::cast<StarredExpr>(&node)->value);
  case Kind::LambdaExpr:
    return walk(llvm::cast<LambdaExpr>(&node)->body);
  case Kind::NamedExpr:
    walk(llvm::cast<NamedExpr>(&node)->target);
    return walk(llvm::cast<NamedExpr>(&node)->value);
  case Kind::ComprehensionExpr: {
    const auto *comprehension = llvm::cast<ComprehensionExpr>(&node);
    for (const ComprehensionFor &clause : comprehension->clauses) {
      walk(clause.iterable);
      walkAll(clause.conditions);
    }
    walk(comprehension->key);
    return walk(comprehension->element);
  }
  case Kind::ExprStmt:
    return walk(llvm::cast<ExprStmt>(&node)->value);
  case Kind::AssignStmt:
    walk(llvm::cast<AssignStmt>(&node)->value);
    return walkAll(llvm::cast<AssignStmt>(&node)->targets);
  case Kind::AugAssignStmt:
    walk(llvm::cast<AugAssignStmt>(&node)->target);
    return walk(llvm::cast<AugAssignStmt>(&node)->value);
  case Kind::AnnAssignStmt:
    walk(llvm::cast<AnnAssignStmt>(&node)->value);
    return walk(llvm::cast<AnnAssignStmt>(&node)->target);
  case Kind::IfStmt:
    walk(llvm::cast<IfStmt>(&node)->condition);
    walk(llvm::cast<IfStmt>(&node)->thenBody);
    return walk(llvm::cast<IfStmt>(&node)->elseBody);
  case Kind::ForStmt:
    walk(llvm::cast<ForStmt>(&node)->iterable);
    walk(llvm::cast<ForStmt>(&node)->target);
    walk(llvm::cast<ForStmt>(&node)->body);
    return walk(llvm::cast<ForStmt>(&node)->elseBody);
  case Kind::WhileStmt:
    walk(llvm::cast<WhileStmt>(&node)->condition);
    walk(llvm::cast<WhileStmt>(&node)->body);
    return walk(llvm::cast<WhileStmt>(&node)->elseBody);
  case Kind::ReturnStmt:
    return walk(llvm::cast<ReturnStmt>(&node)->value);
  case Kind::AssertStmt:
    walk(llvm::cast<AssertStmt>(&node)->condition);
    return walk(llvm::cast<AssertStmt>(&node)->message);
  case Kind::WithStmt:
    for (const WithItem &item : llvm::cast<WithStmt>(&node)->items) {
      walk(item.context);
      walk(item.target);
    }
    return walk(llvm::cast<WithStmt>(&node)->body);
  default:
    return; // Leaves, and statements that kernels cannot have.
  }
}

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
}

struct AssignmentWalker : Walker {
  AssignedNames &names;
  explicit AssignmentWalker(AssignedNames &names) : names(names) {}
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
    return true;
  }
};

struct ReadWalker : Walker {
  std::map<llvm::StringRef, std::vector<uint32_t>> &reads;
  explicit ReadWalker(std::map<llvm::StringRef, std::vector<uint32_t>> &reads) : reads(reads) {}
  void targets(const Expr *target) {
    // Assigning a plain name reads nothing; anything else (`x[i] = …`) reads its parts.
    if (!target || llvm::isa<NameExpr>(target))
      return;
    if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
      for (const Expr *element : tuple->elements)
        targets(element);
      return;
    }
    walk(target);
  }
  bool visit(const Node &node) override {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node)) {
      reads[name->name].push_back(name->range.begin.offset);
    } else if (const auto *assign = llvm::dyn_cast<AssignStmt>(&node)) {
      walk(assign->value);
      for (const Expr *target : assign->targets)
        targets(target);
      return false;
    } else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(&node)) {
      walk(annotated->value);
      targets(annotated->target);
      return false;
    }
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

NameReads::NameReads(const FunctionDef &function) {
  ReadWalker(reads).walk(function.body);
  for (auto &[name, offsets] : reads)
    llvm::sort(offsets);
}

bool NameReads::isReadIn(llvm::StringRef name, uint32_t begin, uint32_t end) const {
  auto it = reads.find(name);
  if (it == reads.end())
    return false;
  auto at = llvm::lower_bound(it->second, begin);
  return at != it->second.end() && *at < end;
}

bool NameReads::isReadAfter(llvm::StringRef name, uint32_t offset) const {
  return isReadIn(name, offset, UINT32_MAX);
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

std::optional<DType> getAnnotatedType(const Expr *annotation) {
  const auto *attribute = llvm::dyn_cast_or_null<AttributeExpr>(annotation);
  if (!attribute || !llvm::isa<NameExpr>(attribute->value))
    return std::nullopt;
  auto type = parseDType(attribute->name);
  return type && !type->isPointer() && type->scalar != Scalar::Void ? type : std::nullopt;
}

} // namespace tilerun::sema
