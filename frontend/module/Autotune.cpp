// `@triton.autotune`: the list of configurations. Lists that are written out, sums of such lists,
// globals that stand for them, and comprehensions over lists of literals, `range` and `product`
// are expanded; whatever else host code may compute leaves the configurations unknown.
#include "frontend/module/ModuleReader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

void ModuleReader::readAutotune(JitFunction &function, const CallExpr &call) {
  Autotune autotune;
  autotune.range = call.range;
  const Expr *configs = call.args.empty() ? nullptr : call.args[0];
  const Expr *key = call.args.size() < 2 ? nullptr : call.args[1];
  for (const Keyword &keyword : call.keywords) {
    if (keyword.name == "configs")
      configs = keyword.value;
    else if (keyword.name == "key")
      key = keyword.value;
    else if (keyword.name == "reset_to_zero")
      readStrings(keyword.value, autotune.resetToZero);
    else if (keyword.name == "restore_value")
      readStrings(keyword.value, autotune.restoreValue);
  }
  if (key)
    readStrings(key, autotune.key);
  followed = &autotune.globals;
  autotune.configsKnown = configs && expandConfigs(configs, autotune, 0);
  followed = nullptr;
  if (!autotune.configsKnown)
    autotune.configs.clear();
  function.autotune = std::move(autotune);
}

void ModuleReader::noteAutotuneChanges() {
  for (const auto &function : module.functions) {
    if (!function->autotune)
      continue;
    Autotune &autotune = *function->autotune;
    for (const std::string &name : autotune.globals) {
      auto it = module.globals.find(name);
      // The elements (a Config's own dict) are assumed not to change inside.
      if (it != module.globals.end() && it->second.change.doubt >= Doubt::Value)
        autotune.change.add(it->second.change);
    }
  }
}

bool ModuleReader::expandConfigs(const Expr *expr, Autotune &out, unsigned depth) {
  expr = followGlobal(expr);
  if (!expr || depth > 12 || ++expandSteps > kMaxExpandSteps)
    return false;
  ArrayRef<const Expr *> elements;
  if (auto *list = dyn_cast<ListExpr>(expr)) {
    elements = list->elements;
  } else if (auto *tuple = dyn_cast<TupleExpr>(expr)) {
    elements = tuple->elements;
  } else if (auto *sum = dyn_cast<BinaryExpr>(expr); sum && sum->op == BinaryOp::Add) {
    return expandConfigs(sum->lhs, out, depth + 1) && expandConfigs(sum->rhs, out, depth + 1);
  } else if (auto *comprehension = dyn_cast<ComprehensionExpr>(expr);
             comprehension && (comprehension->comprehension == ComprehensionKind::List ||
                               comprehension->comprehension == ComprehensionKind::Generator)) {
    Bindings bindings;
    return expandClauses(*comprehension, 0, bindings, out);
  } else {
    return false;
  }
  for (const Expr *element : elements) {
    auto *star = dyn_cast<StarredExpr>(element);
    if (star ? !expandConfigs(star->value, out, depth + 1) : !addConfig(element, {}, out))
      return false;
  }
  return true;
}

bool ModuleReader::expandClauses(const ComprehensionExpr &comprehension, size_t clause,
                                 Bindings &bindings, Autotune &out) {
  if (clause == comprehension.clauses.size())
    return addConfig(comprehension.element, bindings, out);
  // The recursion is bounded; nobody writes this many levels.
  if (clause > 16)
    return false;
  const ComprehensionFor &loop = comprehension.clauses[clause];
  if (!loop.conditions.empty())
    return false;
  std::vector<const Expr *> items;
  if (!listItems(loop.iterable, bindings, items))
    return false;
  size_t outer = bindings.size();
  for (const Expr *item : items) {
    if (++expandSteps > kMaxExpandSteps || !bindLoopTarget(loop.target, item, bindings) ||
        !expandClauses(comprehension, clause + 1, bindings, out))
      return false;
    bindings.resize(outer);
  }
  return true;
}

bool ModuleReader::bindLoopTarget(const Expr *target, const Expr *item, Bindings &bindings) {
  if (auto *name = dyn_cast<NameExpr>(target)) {
    bindings.push_back({name->name, item});
    return true;
  }
  auto *targets = dyn_cast<TupleExpr>(target);
  if (!targets)
    return false;
  ArrayRef<const Expr *> items;
  if (auto *tuple = dyn_cast<TupleExpr>(item))
    items = tuple->elements;
  else if (auto *list = dyn_cast<ListExpr>(item))
    items = list->elements;
  if (items.size() != targets->elements.size())
    return false;
  for (auto [t, i] : llvm::zip(targets->elements, items))
    if (!bindLoopTarget(t, i, bindings))
      return false;
  return true;
}

const Expr *ModuleReader::makeInt(int64_t value, SourceRange range) {
  auto *number = context.make<ConstantExpr>(range);
  number->constant = ConstantKind::Int;
  number->text = context.copy(StringRef(itostr(value < 0 ? -value : value)));
  if (value >= 0)
    return number;
  auto *minus = context.make<UnaryExpr>(range);
  minus->op = UnaryOp::Minus;
  minus->operand = number;
  minus->height = 2;
  return minus;
}

/// The value of an integer literal, or of simple arithmetic on such; nothing near overflow.
static std::optional<int64_t> literalInt(const Expr *expr) {
  constexpr int64_t kLimit = 1ll << 30;
  if (auto *minus = dyn_cast_or_null<UnaryExpr>(expr); minus && minus->op == UnaryOp::Minus) {
    std::optional<int64_t> value = literalInt(minus->operand);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (auto *binary = dyn_cast_or_null<BinaryExpr>(expr)) {
    std::optional<int64_t> lhs = literalInt(binary->lhs), rhs = literalInt(binary->rhs);
    std::optional<int64_t> value;
    if (!lhs || !rhs)
      return std::nullopt;
    if (binary->op == BinaryOp::Add)
      value = *lhs + *rhs;
    else if (binary->op == BinaryOp::Sub)
      value = *lhs - *rhs;
    else if (binary->op == BinaryOp::Mul)
      value = *lhs * *rhs;
    else if (binary->op == BinaryOp::FloorDiv && *lhs >= 0 && *rhs > 0)
      value = *lhs / *rhs;
    else if ((binary->op == BinaryOp::Shl || binary->op == BinaryOp::Pow) && *lhs >= 0 &&
             *rhs >= 0 && *rhs < 30) {
      value = 1;
      for (int64_t i = 0; i < *rhs && *value <= kLimit; ++i)
        *value *= binary->op == BinaryOp::Shl ? 2 : *lhs;
      if (binary->op == BinaryOp::Shl)
        *value *= *lhs;
    }
    return value && *value <= kLimit && *value >= -kLimit ? value : std::nullopt;
  }
  auto *constant = dyn_cast_or_null<ConstantExpr>(expr);
  int64_t value;
  if (!constant || constant->constant != ConstantKind::Int ||
      constant->text.getAsInteger(0, value) || value > kLimit)
    return std::nullopt;
  return value;
}

/// The items of a literal list, of `range` of literals, or of `product` of such.
bool ModuleReader::listItems(const Expr *expr, const Bindings &bindings,
                             std::vector<const Expr *> &out) {
  if (auto *name = dyn_cast<NameExpr>(expr))
    for (auto [bound, value] : llvm::reverse(bindings))
      if (bound == name->name) {
        expr = value;
        break;
      }
  expr = followGlobal(expr);
  if (!expr)
    return false;
  if (auto *list = dyn_cast<ListExpr>(expr)) {
    out.assign(list->elements.begin(), list->elements.end());
  } else if (auto *tuple = dyn_cast<TupleExpr>(expr)) {
    out.assign(tuple->elements.begin(), tuple->elements.end());
  } else if (auto *call = dyn_cast<CallExpr>(expr); call && call->keywords.empty()) {
    std::string path = getPath(call->callee);
    if (path == "range") {
      SmallVector<int64_t, 3> bounds;
      for (const Expr *arg : call->args) {
        std::optional<int64_t> value = literalInt(followGlobal(arg));
        if (!value)
          return false;
        bounds.push_back(*value);
      }
      if (bounds.empty() || bounds.size() > 3)
        return false;
      int64_t begin = bounds.size() == 1 ? 0 : bounds[0];
      int64_t end = bounds.size() == 1 ? bounds[0] : bounds[1];
      int64_t step = bounds.size() == 3 ? bounds[2] : 1;
      if (step == 0)
        return false;
      for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
        if (out.size() >= kMaxConfigs)
          return false;
        out.push_back(makeInt(i, expr->range));
      }
    } else if (path == "product" || path == "itertools.product") {
      std::vector<std::vector<const Expr *>> rows = {{}};
      for (const Expr *arg : call->args) {
        std::vector<const Expr *> items;
        // Not into products again: they could double in size at every level.
        if (isa<CallExpr>(arg) && getPath(cast<CallExpr>(arg)->callee) != "range")
          return false;
        if (!listItems(arg, bindings, items) || rows.size() * items.size() > kMaxConfigs)
          return false;
        std::vector<std::vector<const Expr *>> next;
        for (const auto &row : rows)
          for (const Expr *item : items) {
            next.push_back(row);
            next.back().push_back(item);
          }
        rows = std::move(next);
      }
      for (const auto &row : rows) {
        auto *tuple = context.make<TupleExpr>(expr->range);
        tuple->elements = context.copy(ArrayRef(row));
        out.push_back(tuple);
      }
    } else {
      return false;
    }
  } else {
    return false;
  }
  return llvm::none_of(out, [](const Expr *e) { return isa<StarredExpr>(e); });
}

/// A copy of an expression with loop variables replaced; null for forms that are not copied.
const Expr *ModuleReader::substitute(const Expr *expr, const Bindings &bindings) {
  if (!expr || bindings.empty())
    return expr;
  // The copy can exceed the original's height by that of the highest substituted value.
  unsigned height = expr->height;
  for (auto [name, value] : bindings)
    height = std::max<unsigned>(height, expr->height + value->height);
  if (height > kMaxDepth)
    return nullptr;
  auto all = [&](ArrayRef<const Expr *> list, SmallVectorImpl<const Expr *> &out) {
    for (const Expr *e : list) {
      out.push_back(substitute(e, bindings));
      if (e && !out.back())
        return false;
    }
    return true;
  };
  SmallVector<const Expr *, 4> copies;
  switch (expr->kind) {
  case ast::Kind::NameExpr:
    for (auto [bound, value] : llvm::reverse(bindings))
      if (bound == cast<NameExpr>(expr)->name)
        return value;
    return expr;
  case ast::Kind::ConstantExpr:
    return expr;
  case ast::Kind::UnaryExpr: {
    auto *old = cast<UnaryExpr>(expr);
    auto *copy = context.make<UnaryExpr>(expr->range);
    *copy = *old;
    copy->height = height;
    copy->operand = substitute(old->operand, bindings);
    return copy->operand ? copy : nullptr;
  }
  case ast::Kind::BinaryExpr: {
    auto *old = cast<BinaryExpr>(expr);
    auto *copy = context.make<BinaryExpr>(expr->range);
    *copy = *old;
    copy->height = height;
    copy->lhs = substitute(old->lhs, bindings);
    copy->rhs = substitute(old->rhs, bindings);
    return copy->lhs && copy->rhs ? copy : nullptr;
  }
  case ast::Kind::TernaryExpr: {
    auto *old = cast<TernaryExpr>(expr);
    auto *copy = context.make<TernaryExpr>(expr->range);
    *copy = *old;
    copy->height = height;
    copy->condition = substitute(old->condition, bindings);
    copy->thenValue = substitute(old->thenValue, bindings);
    copy->elseValue = substitute(old->elseValue, bindings);
    return copy->condition && copy->thenValue && copy->elseValue ? copy : nullptr;
  }
  case ast::Kind::CompareExpr: {
    auto *old = cast<CompareExpr>(expr);
    auto *copy = context.make<CompareExpr>(expr->range);
    *copy = *old;
    copy->height = height;
    copy->first = substitute(old->first, bindings);
    if (!copy->first || !all(old->rest, copies))
      return nullptr;
    copy->rest = context.copy(ArrayRef(copies));
    return copy;
  }
  case ast::Kind::CallExpr: {
    // Functions of the values, such as min(BM, 64).
    auto *old = cast<CallExpr>(expr);
    if (!old->keywords.empty() || !all(old->args, copies))
      return nullptr;
    auto *copy = context.make<CallExpr>(expr->range);
    *copy = *old;
    copy->height = height;
    copy->args = context.copy(ArrayRef(copies));
    return copy;
  }
  default:
    return nullptr;
  }
}

bool ModuleReader::addConfig(const Expr *expr, const Bindings &bindings, Autotune &out) {
  auto *call = dyn_cast_or_null<CallExpr>(followGlobal(expr));
  if (!call || out.configs.size() >= kMaxConfigs)
    return false;
  std::string path = getPath(call->callee);
  if (path != "Config" && !StringRef(path).ends_with(".Config"))
    return false;

  AutotuneConfig config;
  config.range = call->range;
  const Expr *kwargs = nullptr;
  const Expr **positions[] = {&kwargs, &config.numWarps, &config.numStages, &config.numCtas,
                              &config.maxnreg};
  for (auto [index, arg] : llvm::enumerate(call->args)) {
    if (isa<StarredExpr>(arg))
      return false;
    if (index < std::size(positions))
      *positions[index] = arg;
  }
  for (const Keyword &keyword : call->keywords) {
    if (keyword.name == "kwargs")
      kwargs = keyword.value;
    else if (keyword.name == "num_warps")
      config.numWarps = keyword.value;
    else if (keyword.name == "num_stages")
      config.numStages = keyword.value;
    else if (keyword.name == "num_ctas")
      config.numCtas = keyword.value;
    else if (keyword.name == "maxnreg")
      config.maxnreg = keyword.value;
    else if (keyword.name.empty())
      return false;
  }

  kwargs = followGlobal(kwargs);
  auto add = [&](StringRef name, const Expr *value) {
    const Expr *bound = substitute(value, bindings);
    config.kwargs.push_back({name.str(), bound});
    return bound != nullptr;
  };
  if (auto *dict = dyn_cast_or_null<DictExpr>(kwargs)) {
    for (auto [key, value] : llvm::zip(dict->keys, dict->values)) {
      auto *name = dyn_cast_or_null<ConstantExpr>(key);
      if (!name || name->constant != ConstantKind::String || !add(name->text, value))
        return false;
    }
  } else if (auto *make = dyn_cast_or_null<CallExpr>(kwargs);
             make && getPath(make->callee) == "dict" && make->args.empty()) {
    for (const Keyword &keyword : make->keywords)
      if (keyword.name.empty() || !add(keyword.name, keyword.value))
        return false;
  } else {
    return false;
  }
  for (const Expr **option :
       {&config.numWarps, &config.numStages, &config.numCtas, &config.maxnreg}) {
    if (!*option)
      continue;
    *option = substitute(*option, bindings);
    if (!*option)
      return false;
  }

  if (bindings.empty()) {
    config.text = foldedText(call->range);
  } else {
    // As it would be written by hand.
    config.text = foldedText(call->callee->range) + "({";
    ListSeparator comma;
    raw_string_ostream os(config.text);
    auto print = [&](const Expr *value) {
      if (std::optional<int64_t> number = literalInt(value))
        os << *number;
      else
        os << foldedText(value->range);
    };
    for (const auto &[name, value] : config.kwargs) {
      os << comma << "'" << name << "': ";
      print(value);
    }
    os << "}";
    std::pair<StringRef, const Expr *> options[] = {{"num_warps", config.numWarps},
                                                    {"num_stages", config.numStages},
                                                    {"num_ctas", config.numCtas},
                                                    {"maxnreg", config.maxnreg}};
    for (auto [name, value] : options) {
      if (!value)
        continue;
      os << ", " << name << "=";
      print(value);
    }
    os << ")";
  }
  out.configs.push_back(std::move(config));
  return true;
}

} // namespace tilerun
