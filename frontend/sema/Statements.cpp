// Statements, except run-time branches and loops.
#include "frontend/sema/Evaluator.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"

namespace tilerun::sema {

using namespace ast;

/// It may hold anything.
static bool isDocstring(const Stmt &statement) {
  const auto *expression = llvm::dyn_cast<ExprStmt>(&statement);
  const auto *constant = expression ? llvm::dyn_cast<ConstantExpr>(expression->value) : nullptr;
  return constant &&
         (constant->constant == ConstantKind::String || constant->constant == ConstantKind::Bytes);
}

void Evaluator::emitBlock(Block block) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (step(block[i]->range) || env().unreachable)
      return;
    if (env().mayHaveExited())
      return emitGuarded(block.drop_front(i));
    if (!isDocstring(*block[i]))
      emitEvent(tile::DebugEvent::Statement, "", block[i]->range);
    if (const auto *branch = llvm::dyn_cast<IfStmt>(block[i])) {
      if (emitIf(*branch, block.drop_front(i + 1)))
        return;
      continue;
    }
    emitStatement(*block[i]);
  }
}

/// Why a kernel cannot have a statement, and what to do instead.
static std::string getUnsupportedReason(const Stmt &statement) {
  switch (statement.kind) {
  case Kind::WithStmt:
    return "'with' cannot be used in a kernel; write its body without it";
  case Kind::FunctionDef:
    return "a function cannot be defined inside a kernel; define a @triton.jit function at module "
           "level and call it";
  case Kind::ClassDef:
    return "a class cannot be defined inside a kernel; define it at module level";
  case Kind::ImportStmt:
  case Kind::ImportFromStmt:
    return "'import' cannot be used in a kernel; import at module level";
  case Kind::GlobalStmt:
    return llvm::cast<GlobalStmt>(&statement)->isNonlocal
               ? "'nonlocal' cannot be used in a kernel; pass the value as an argument"
               : "'global' cannot be used in a kernel; pass the value as an argument";
  case Kind::DeleteStmt:
    return "'del' cannot be used in a kernel; leave the name as it is";
  case Kind::TryStmt:
    return "'try' cannot be used in a kernel, which has no exceptions; test the condition with "
           "'if'";
  case Kind::MatchStmt:
    return "'match' cannot be used in a kernel; use 'if' and 'elif'";
  case Kind::TypeAliasStmt:
    return "'type' cannot be used in a kernel";
  default:
    return std::string("'") + getKindName(statement.kind).str() + "' cannot be used in a kernel";
  }
}

void Evaluator::emitStatement(const Stmt &statement) {
  switch (statement.kind) {
  case Kind::ExprStmt:
    if (!isDocstring(statement))
      (void)evaluate(*llvm::cast<ExprStmt>(&statement)->value);
    return;
  case Kind::AssignStmt: {
    const auto &assign = *llvm::cast<AssignStmt>(&statement);
    if (growTuple(assign))
      return;
    Result value = evaluate(*assign.value);
    const bool isMeta = succeeded(value) && value->isConstexpr() && isOfMeta(*assign.value);
    for (const Expr *target : assign.targets) {
      if (failed(value))
        poisonTargets(*target);
      else if (const auto *name = llvm::dyn_cast<NameExpr>(target); name && isMeta)
        bind(name->name, *value, name->range, /*isConstexpr=*/true);
      else
        emitAssign(*target, *value, statement.range);
    }
    return;
  }
  case Kind::AugAssignStmt:
    return emitAugmentedAssign(*llvm::cast<AugAssignStmt>(&statement));
  case Kind::AnnAssignStmt:
    return emitAnnotatedAssign(*llvm::cast<AnnAssignStmt>(&statement));
  case Kind::ForStmt:
    return emitFor(*llvm::cast<ForStmt>(&statement));
  case Kind::WhileStmt:
    return emitWhile(*llvm::cast<WhileStmt>(&statement));
  case Kind::ReturnStmt:
    return emitReturn(*llvm::cast<ReturnStmt>(&statement));
  case Kind::BreakStmt:
  case Kind::ContinueStmt: {
    bool isBreak = statement.kind == Kind::BreakStmt;
    if (frame().loops.empty()) {
      (void)error(statement.range,
                  std::string(isBreak ? "'break'" : "'continue'") + " outside of a loop");
      return;
    }
    beyondTriton(statement.range, isBreak ? "'break'" : "'continue'", "C12",
                 isBreak ? "use 'while' with a condition" : "put the rest of the body under 'if'");
    (isBreak ? env().broke : env().continued) = Value(true);
    env().unreachable = true;
    return;
  }
  case Kind::PassStmt:
    return;
  case Kind::AssertStmt:
    return emitAssert(*llvm::cast<AssertStmt>(&statement));
  case Kind::RaiseStmt:
    return emitRaise(*llvm::cast<RaiseStmt>(&statement));
  case Kind::ImportStmt:
  case Kind::ImportFromStmt:
    if (!isOfKernel() && importLocally(statement))
      return;
    [[fallthrough]];
  default:
    (void)error(statement.range, getUnsupportedReason(statement));
    poisonAssigned(&statement);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

/// `meta["BLOCK"]`, `meta.get("BLOCK")`: what it gives stays a compile-time value.
bool Evaluator::isOfMeta(const Expr &value) {
  const Expr *base = nullptr;
  if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(&value))
    base = subscript->value;
  else if (const auto *call = llvm::dyn_cast<CallExpr>(&value))
    if (const auto *method = llvm::dyn_cast<AttributeExpr>(call->callee))
      base = method->value;
  const auto *name = llvm::dyn_cast_or_null<NameExpr>(base);
  return name && frame().function && name->name == frame().function->metaName;
}

void Evaluator::bind(llvm::StringRef name, Value value, SourceRange place, bool isConstexpr) {
  emitAssigned(name, value, place);
  Binding binding = Binding::bound(std::move(value), place);
  binding.isConstexpr = isConstexpr;
  env().names[name] = std::move(binding);
}

void Evaluator::poisonTargets(const Expr &target) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    env().names[name->name] = Binding::poisoned(name->range);
    return;
  }
  llvm::ArrayRef<const Expr *> elements;
  if (const auto *tuple = llvm::dyn_cast<TupleExpr>(&target))
    elements = tuple->elements;
  else if (const auto *list = llvm::dyn_cast<ListExpr>(&target))
    elements = list->elements;
  else if (const auto *starred = llvm::dyn_cast<StarredExpr>(&target))
    return poisonTargets(*starred->value);
  else if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(&target))
    if (const auto *base = llvm::dyn_cast<NameExpr>(attribute->value);
        base && frame().constructs && base->name == frame().self)
      return poisonTargets(*base);
  for (const Expr *element : elements)
    poisonTargets(*element);
}

void Evaluator::poisonAssigned(Block block) {
  for (const auto &[name, range] : collectAssigned(block))
    env().names[name] = Binding::poisoned(range);
}

/// Whether a name stands for a pointer.
bool Evaluator::isPointer(const Expr &expression) {
  const auto *name = llvm::dyn_cast<NameExpr>(&expression);
  auto it = name ? env().names.find(name->name) : env().names.end();
  if (it == env().names.end() || !it->second.isBound())
    return false;
  auto *tensor = it->second.value.getIf<TensorValue>();
  return tensor && tensor->type.dtype.isPointer();
}

void Evaluator::emitAssign(const Expr &target, const Value &value, SourceRange place) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    // An assigned number is a run-time scalar from here on, as in Triton; only `x: tl.constexpr`
    // keeps it.
    Value kept = frame().function && !keepsNumbers() ? decay(value, place) : value;
    if (kept.isValid())
      bind(name->name, std::move(kept), name->range);
    else
      poisonTargets(target);
    return;
  }
  if (const auto *tuple = llvm::dyn_cast<TupleExpr>(&target))
    return unpack(tuple->elements, value, target.range);
  if (const auto *list = llvm::dyn_cast<ListExpr>(&target))
    return unpack(list->elements, value, target.range);
  const auto *subscript = llvm::dyn_cast<SubscriptExpr>(&target);
  if (subscript && isPointer(*subscript->value))
    (void)error(target.range, "a pointer is not indexed: write memory with tl.store(pointer + "
                              "offsets, value)");
  else if (subscript)
    (void)error(target.range, "elements cannot be assigned, because tensors and tuples are values; "
                              "use tl.where to select, or tl.store to write memory");
  else if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(&target))
    assignField(*attribute, value, place);
  else
    (void)error(target.range, "this cannot be assigned to");
}

void Evaluator::unpack(llvm::ArrayRef<const Expr *> targets, const Value &value,
                       SourceRange range) {
  auto poisonAll = [&] {
    for (const Expr *target : targets)
      poisonTargets(*target);
  };
  if (value.isTensor()) {
    (void)error(range, "cannot unpack " + value.describe() + "; only tuples and lists unpack");
    return poisonAll();
  }
  auto items = iterate(value, range);
  if (failed(items))
    return poisonAll();
  const auto *starred =
      llvm::find_if(targets, [](const Expr *t) { return llvm::isa<StarredExpr>(t); });
  bool hasStar = starred != targets.end();
  if (hasStar)
    beyondTriton((*starred)->range, "a starred target", "Y17", "use slices of the tuple");
  size_t fixed = targets.size() - hasStar;
  if (hasStar ? items->size() < fixed : items->size() != fixed) {
    (void)error(range, "cannot unpack " + llvm::Twine(items->size()) + " values into " +
                           (hasStar ? "at least " : "") + llvm::Twine(fixed) + " names");
    return poisonAll();
  }
  size_t before = starred - targets.begin();
  for (auto [i, target] : llvm::enumerate(targets)) {
    if (!hasStar || i < before) {
      emitAssign(*target, (*items)[i], range);
    } else if (i == before) {
      std::vector<Value> middle(items->begin() + before,
                                items->begin() + before + (items->size() - fixed));
      emitAssign(*llvm::cast<StarredExpr>(target)->value, Value::tuple(std::move(middle)), range);
    } else {
      emitAssign(*target, (*items)[items->size() - targets.size() + i], range);
    }
  }
}

void Evaluator::emitAnnotatedAssign(const AnnAssignStmt &statement) {
  if (!statement.value)
    return; // A declaration alone binds nothing.
  Result value = evaluate(*statement.value);
  if (failed(value))
    return poisonTargets(*statement.target);
  const auto *name = llvm::dyn_cast<NameExpr>(statement.target);
  if (!name || !isConstexprAnnotation(statement.annotation))
    return emitAssign(*statement.target, *value, statement.range);
  if (!value->isConstexpr()) {
    // Triton accepts it, and objects only where a compile-time value is needed.
    warning(statement.value->range,
            "'" + name->name + "' is declared tl.constexpr, but its value (" + value->describe() +
                ") is known only at run time; it is an ordinary variable");
    return emitAssign(*statement.target, *value, statement.range);
  }
  bind(name->name, std::move(*value), name->range, /*isConstexpr=*/true);
}

/// Appends to a tuple that only a name of this function holds: one that grows in an unrolled loop
/// would cost the square of its length if each addition copied it.
bool Evaluator::extendTuple(llvm::StringRef name, const Value &more, SourceRange place) {
  auto it = env().names.find(name);
  const TupleValue *added = more.getTuple();
  if (it == env().names.end() || !it->second.isBound() || !added)
    return false;
  auto *held = std::get_if<std::shared_ptr<TupleValue>>(&it->second.value.storage);
  auto isPlain = [](const TupleValue &tuple) {
    return tuple.isSequence() && tuple.names.empty() && !tuple.info;
  };
  if (!held || held->use_count() != 1 || it->second.isConstexpr || !isPlain(**held) ||
      !isPlain(*added) || (*held)->elements.size() + added->elements.size() > kMaxSequence)
    return false;
  Value kept = frame().function && !keepsNumbers() ? decay(more, place) : more;
  const TupleValue *elements = kept.getTuple();
  if (!elements)
    return false;
  llvm::append_range((*held)->elements, elements->elements);
  it->second.place = place;
  emitAssigned(name, it->second.value, place);
  return true;
}

/// `t = t + (x,)`
bool Evaluator::growTuple(const AssignStmt &assign) {
  const auto *sum = llvm::dyn_cast<BinaryExpr>(assign.value);
  const auto *name = llvm::dyn_cast<NameExpr>(assign.targets.front());
  const auto *base = sum && sum->op == BinaryOp::Add ? llvm::dyn_cast<NameExpr>(sum->lhs) : nullptr;
  if (assign.targets.size() != 1 || !name || !base || base->name != name->name ||
      !llvm::isa<TupleExpr, ListExpr>(sum->rhs))
    return false;
  auto it = env().names.find(name->name);
  if (it == env().names.end() || !it->second.isBound() || !it->second.value.getTuple())
    return false;
  Result more = evaluate(*sum->rhs);
  if (failed(more)) {
    poisonTargets(*name);
    return true;
  }
  if (extendTuple(name->name, *more, name->range))
    return true;
  Result left = lookupName(name->name, base->range);
  Result value =
      failed(left) ? Result(failure()) : evaluateBinary(BinaryOp::Add, *left, *more, sum->range);
  if (failed(value))
    poisonTargets(*name);
  else
    emitAssign(*name, *value, assign.range);
  return true;
}

void Evaluator::emitAugmentedAssign(const AugAssignStmt &statement) {
  const auto *name = llvm::dyn_cast<NameExpr>(statement.target);
  const auto *field = llvm::dyn_cast<AttributeExpr>(statement.target);
  const auto *subscript = llvm::dyn_cast<SubscriptExpr>(statement.target);
  if (subscript && isPointer(*subscript->value)) {
    (void)error(
        statement.target->range,
        "a pointer is not indexed: read memory with tl.load(pointer + offsets), and write it "
        "with tl.store, or update it with tl.atomic_add");
    return;
  }
  if (!name && !(field && frame().constructs)) {
    (void)error(statement.target->range,
                "only a name can be updated in a kernel, because tensors and tuples are values; "
                "use tl.where to select, or tl.store to write memory");
    return;
  }
  Result lhs = name ? lookupName(name->name, name->range) : evaluate(*field);
  Result rhs = evaluate(*statement.value);
  if (name && statement.op == BinaryOp::Add && succeeded(lhs) && succeeded(rhs)) {
    lhs = Value(); // So that the name alone holds the tuple.
    if (extendTuple(name->name, *rhs, statement.range))
      return;
    lhs = lookupName(name->name, name->range);
  }
  Result value = failed(lhs) || failed(rhs)
                     ? Result(failure())
                     : evaluateBinary(statement.op, *lhs, *rhs, statement.range);
  if (failed(value))
    return poisonTargets(*statement.target);
  emitAssign(*statement.target, *value, statement.range);
}

//===----------------------------------------------------------------------===//
// Leaving, asserting
//===----------------------------------------------------------------------===//

void Evaluator::emitReturn(const ReturnStmt &statement) {
  if (llvm::any_of(frame().loops, [](const LoopScope &loop) { return !loop.unrolled; }))
    beyondTriton(statement.range, "'return' in a run-time loop", "C12",
                 "use 'while' with a condition, and return after it");
  Value value = Value::none();
  if (statement.value) {
    Result result = evaluate(*statement.value);
    if (failed(result)) {
      env().result = Binding::poisoned(statement.range);
      env().returned = Value(true);
      env().unreachable = true;
      return;
    }
    value = std::move(*result);
  }
  if (frame().constructs && regionDepth > frame().entryDepth) {
    (void)error(statement.range, "'__init__' cannot return under a run-time condition; set every "
                                 "field on every path, or choose values with tl.where");
    env().returned = Value(true);
    env().unreachable = true;
    return;
  }
  bool isKernel = frames.size() == 1;
  if (isKernel && !value.isNone())
    (void)error(statement.range, "a kernel returns nothing, but this returns " + value.describe() +
                                     "; store results through a pointer");
  if (!keepsNumbers())
    value = decay(value, statement.range);
  env().result = value.isValid() ? Binding::bound(std::move(value), statement.range)
                                 : Binding::poisoned(statement.range);
  env().returned = Value(true);
  env().unreachable = true;
}

void Evaluator::emitAssert(const AssertStmt &statement) {
  Result condition = evaluate(*statement.condition);
  if (failed(condition))
    return;
  if (const OpaqueValue *unknown = condition->asUnknown()) {
    (void)opaqueError(*unknown, statement.condition->range);
    return;
  }
  if (auto truth = getTruth(*condition)) {
    if (*truth)
      return;
    std::string text = "assertion failed";
    if (statement.message) {
      Result message = evaluate(*statement.message);
      if (failed(message))
        return;
      text += ": " + (message->is<std::string>() ? message->get<std::string>() : message->repr());
    }
    (void)error(statement.range, text);
    return;
  }
  if (!options.debug)
    return;
  // Without a text it is the condition as the source has it.
  const SourceRange &range = statement.condition->range;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef text = diagnostics.getSources().getText(range.begin.file);
  llvm::SplitString(text.slice(range.begin.offset, range.end), words, " \t\r\n\f\\");
  Value message = Value::string(llvm::join(words, " "));
  if (statement.message) {
    Result evaluated = evaluate(*statement.message);
    if (failed(evaluated))
      return;
    message = std::move(*evaluated);
  }
  if (auto function = lang::lookup("triton.language", "device_assert", prelude))
    (void)call(*function, {*condition, message}, statement.range);
}

void Evaluator::emitRaise(const RaiseStmt &statement) {
  if (regionDepth > 0) {
    (void)error(statement.range, "'raise' under a run-time condition cannot be used in a kernel, "
                                 "which has no exceptions; use tl.device_assert");
    return;
  }
  // Reached at compile time: the program asked for this error.
  std::string text = "the kernel raises an error here";
  const auto *exception = llvm::dyn_cast_or_null<CallExpr>(statement.value);
  if (exception && !exception->args.empty()) {
    Result message = evaluate(*exception->args.front());
    if (failed(message))
      return;
    text += ": " + (message->is<std::string>() ? message->get<std::string>() : message->repr());
  }
  (void)error(statement.range, text);
}

} // namespace tilerun::sema
