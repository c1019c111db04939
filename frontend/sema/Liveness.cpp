// Live names: effects of statements are computed once, bottom up; a query follows the statements
// after a place (Aho, Lam, Sethi, Ullman, Compilers, 9.2.5, on the syntax tree).
#include "frontend/sema/Liveness.h"

#include "frontend/ast/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace tilerun::sema {

using namespace ast;

namespace {
struct NameWalker : Walker {
  llvm::function_ref<void(const NameExpr &)> found;
  explicit NameWalker(llvm::function_ref<void(const NameExpr &)> found) : found(found) {}
  bool visit(const Node &node) override {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      found(*name);
    return true;
  }
};

/// The blocks of a compound statement.
llvm::SmallVector<Block, 2> getBlocks(const Stmt &statement) {
  if (const auto *branch = llvm::dyn_cast<IfStmt>(&statement))
    return {branch->thenBody, branch->elseBody};
  if (const auto *loop = llvm::dyn_cast<ForStmt>(&statement))
    return {loop->body, loop->elseBody};
  if (const auto *loop = llvm::dyn_cast<WhileStmt>(&statement))
    return {loop->body, loop->elseBody};
  if (const auto *with = llvm::dyn_cast<WithStmt>(&statement))
    return {with->body};
  return {};
}
} // namespace

Liveness::Liveness(const FunctionDef &function) : body(function.body) {
  (void)compute(body);
  for (auto &[name, offsets] : readOffsets)
    llvm::sort(offsets);
}

void Liveness::addReads(const Node *node, Names &out) {
  NameWalker([&](const NameExpr &name) {
    out.insert(name.name);
    readOffsets[name.name].push_back(name.range.begin.offset);
  }).walk(node);
}

/// Assigning a plain name reads nothing; anything else (`x[i] = …`) reads its parts.
void Liveness::addTarget(const Expr *target, Effect &out) {
  llvm::ArrayRef<const Expr *> elements;
  if (const auto *name = llvm::dyn_cast_or_null<NameExpr>(target)) {
    out.kills.insert(name->name);
    return;
  }
  if (const auto *starred = llvm::dyn_cast_or_null<StarredExpr>(target))
    return addTarget(starred->value, out);
  if (const auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(target))
    elements = tuple->elements;
  else if (const auto *list = llvm::dyn_cast_or_null<ListExpr>(target))
    elements = list->elements;
  else
    addReads(target, out.reads);
  for (const Expr *element : elements)
    addTarget(element, out);
}

Liveness::Effect Liveness::compute(Block block) {
  Effect out;
  for (const Stmt *statement : block) {
    const Effect &effect = compute(*statement);
    if (!out.falls)
      continue;
    for (llvm::StringRef name : effect.reads)
      if (!out.kills.count(name))
        out.reads.insert(name);
    out.kills.insert(effect.kills.begin(), effect.kills.end());
    out.leaves |= effect.leaves;
    out.falls = effect.falls;
  }
  return out;
}

const Liveness::Effect &Liveness::compute(const Stmt &statement) {
  Effect effect = computeKind(statement);
  return effects[&statement] = std::move(effect);
}

Liveness::Effect Liveness::computeKind(const Stmt &statement) {
  Effect out;
  auto add = [&](const Names &names) { out.reads.insert(names.begin(), names.end()); };
  switch (statement.kind) {
  case Kind::AssignStmt:
    addReads(llvm::cast<AssignStmt>(&statement)->value, out.reads);
    for (const Expr *target : llvm::cast<AssignStmt>(&statement)->targets)
      addTarget(target, out);
    return out;
  case Kind::AnnAssignStmt: {
    const auto &assign = *llvm::cast<AnnAssignStmt>(&statement);
    addReads(assign.value, out.reads);
    if (assign.value) // A declaration alone binds nothing.
      addTarget(assign.target, out);
    return out;
  }
  case Kind::IfStmt: {
    const auto &branch = *llvm::cast<IfStmt>(&statement);
    addReads(branch.condition, out.reads);
    Effect thenArm = compute(branch.thenBody), elseArm = compute(branch.elseBody);
    add(thenArm.reads);
    add(elseArm.reads);
    out.leaves = thenArm.leaves || elseArm.leaves;
    out.falls = thenArm.falls || elseArm.falls;
    if (thenArm.falls && elseArm.falls) {
      for (llvm::StringRef name : thenArm.kills)
        if (elseArm.kills.count(name))
          out.kills.insert(name);
    } else {
      out.kills = std::move((thenArm.falls ? thenArm : elseArm).kills);
    }
    return out;
  }
  case Kind::ForStmt: {
    const auto &loop = *llvm::cast<ForStmt>(&statement);
    addReads(loop.iterable, out.reads);
    Effect target;
    addTarget(loop.target, target);
    add(target.reads);
    Names &iteration = iterations[loop.range.begin.offset];
    Effect body = compute(loop.body);
    for (llvm::StringRef name : body.reads)
      if (!target.kills.count(name))
        iteration.insert(name);
    add(iteration); // The loop may run zero times: it kills nothing.
    add(compute(loop.elseBody).reads);
    return out;
  }
  case Kind::WhileStmt: {
    const auto &loop = *llvm::cast<WhileStmt>(&statement);
    Names &iteration = iterations[loop.range.begin.offset];
    addReads(loop.condition, iteration);
    Effect body = compute(loop.body);
    iteration.insert(body.reads.begin(), body.reads.end());
    add(iteration);
    add(compute(loop.elseBody).reads);
    return out;
  }
  case Kind::WithStmt:
    for (const WithItem &item : llvm::cast<WithStmt>(&statement)->items)
      addReads(item.context, out.reads);
    add(compute(llvm::cast<WithStmt>(&statement)->body).reads);
    return out;
  case Kind::BreakStmt:
  case Kind::ContinueStmt:
    out.leaves = true;
    out.falls = false;
    return out;
  case Kind::RaiseStmt:
    addReads(llvm::cast<RaiseStmt>(&statement)->value, out.reads);
    out.falls = false;
    return out;
  case Kind::ReturnStmt:
    addReads(&statement, out.reads);
    out.falls = false;
    return out;
  default:
    addReads(&statement, out.reads);
    return out;
  }
}

Liveness::Path Liveness::follow(Block block, llvm::StringRef name, uint32_t offset) const {
  Path out;
  for (const Stmt *statement : block) {
    if (statement->range.end <= offset)
      continue;
    const Effect &effect = effects.find(statement)->second;
    if (statement->range.begin.offset >= offset) {
      out.isRead = effect.reads.count(name);
      out.leaves |= effect.leaves;
      out.falls = effect.falls && !effect.kills.count(name);
    } else {
      // The place is inside: in one of the blocks, or in an expression.
      llvm::SmallVector<Block, 2> blocks = getBlocks(*statement);
      const auto *inner = llvm::find_if(blocks, [&](Block b) {
        return !b.empty() && offset >= b.front()->range.begin.offset &&
               offset <= b.back()->range.end;
      });
      if (inner == blocks.end()) {
        out.isRead = isReadIn(name, offset, statement->range.end);
        out.leaves |= effect.leaves;
        out.falls = effect.falls && (!blocks.empty() || !effect.kills.count(name));
      } else {
        Path path = follow(*inner, name, offset);
        out.isRead = path.isRead;
        bool isLoop = llvm::isa<ForStmt, WhileStmt>(statement);
        out.leaves |= path.leaves && !isLoop;
        out.falls = path.falls || (path.leaves && isLoop);
      }
    }
    if (out.isRead || !out.falls)
      return out;
  }
  return out;
}

bool Liveness::isLiveAfter(llvm::StringRef name, uint32_t offset) const {
  return follow(body, name, offset).isRead;
}

bool Liveness::isReadByIteration(llvm::StringRef name, uint32_t offset) const {
  auto it = iterations.find(offset);
  return it == iterations.end() || it->second.count(name);
}

bool Liveness::isReadIn(llvm::StringRef name, uint32_t begin, uint32_t end) const {
  auto it = readOffsets.find(name);
  if (it == readOffsets.end())
    return false;
  auto at = llvm::lower_bound(it->second, begin);
  return at != it->second.end() && *at < end;
}

} // namespace tilerun::sema
