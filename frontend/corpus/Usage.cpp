// See Usage.h.
#include "frontend/corpus/Usage.h"

#include "frontend/ast/Walk.h"
#include "frontend/corpus/Slice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilerun;
using namespace tilerun::ast;
using namespace tilerun::corpus;
using llvm::StringRef;

namespace {
/// The most functions that one call chain is followed through.
constexpr unsigned kMostCalls = 8;

/// A call's last name: `load` of `tl.load(…)`.
StringRef getCalleeName(const CallExpr &call) {
  if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(call.callee))
    return attribute->name;
  if (const auto *name = llvm::dyn_cast<NameExpr>(call.callee))
    return name->name;
  return "";
}

/// Argument `index`, or the one named `keyword`; null if neither is there.
const Expr *getArgument(const CallExpr &call, size_t index, StringRef keyword) {
  for (const Keyword &given : call.keywords)
    if (given.name == keyword)
      return given.value;
  return index < call.args.size() ? call.args[index] : nullptr;
}

/// Names below a node.
class NameCollector : public Walker {
public:
  llvm::StringSet<> names;
  bool visit(const Node &node) override {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      names.insert(name->name);
    return true;
  }
};
llvm::StringSet<> namesOf(const Node *node) {
  NameCollector collector;
  collector.walk(node);
  return std::move(collector.names);
}

class UseAnalysis : public Walker {
public:
  UseAnalysis(const JitFunction &function, unsigned depth) : function(function), depth(depth) {
    for (const Parameter &parameter : function.def->parameters)
      uses[parameter.name];
  }
  llvm::StringMap<ParameterUse> run();
  bool visit(const Node &node) override;

private:
  struct Address {
    const Expr *expr;
    bool isRead = false, isWritten = false;
  };
  void visitCall(const CallExpr &call);
  void followCall(const CallExpr &call, const JitFunction &callee);
  /// The pointer that an address is computed from, given the places in it that are not pointers.
  void markAddress(const Address &address);
  bool findRoots(const Expr *expr, llvm::StringSet<> &visited, llvm::StringSet<> &out);
  void markCondition(const Expr *expr);
  ParameterUse *find(const Expr *expr) {
    const auto *name = llvm::dyn_cast_or_null<NameExpr>(expr);
    auto found = name ? uses.find(name->name) : uses.end();
    return found == uses.end() ? nullptr : &found->second;
  }

  const JitFunction &function;
  const unsigned depth;
  llvm::StringMap<ParameterUse> uses;
  llvm::StringMap<std::vector<const Expr *>> assigned; ///< The values assigned to each local name.
  llvm::StringSet<> numbers;                           ///< Names that are multiplied or divided.
  std::vector<Address> addresses;
  llvm::StringSet<> indices;                             ///< Names in addresses and loop bounds.
  std::vector<std::pair<StringRef, const Expr *>> loads; ///< Name = load of this address.
};

void UseAnalysis::followCall(const CallExpr &call, const JitFunction &callee) {
  if (depth >= kMostCalls || &callee == &function)
    return;
  llvm::StringMap<ParameterUse> inner = UseAnalysis(callee, depth + 1).run();
  for (auto [i, parameter] : llvm::enumerate(callee.def->parameters)) {
    const Expr *argument = getArgument(call, i, parameter.name);
    if (!argument)
      continue;
    const ParameterUse &use = inner[parameter.name];
    if (use.isPointer)
      addresses.push_back({argument, use.isRead, use.isWritten});
    if (use.holdsIndices || use.isCount)
      for (const auto &name : namesOf(argument))
        if (!use.isPointer)
          indices.insert(name.getKey());
    if (ParameterUse *outer = find(argument)) {
      outer->holdsIndices |= use.holdsIndices;
      outer->isDescriptor |= use.isDescriptor;
      outer->rank = std::max(outer->rank, use.rank);
      outer->isCount |= use.isCount;
      outer->isShape |= use.isShape;
      outer->isUnrolled |= use.isUnrolled;
      outer->isCondition |= use.isCondition;
      outer->isDType |= use.isDType;
      outer->isCalled |= use.isCalled;
      outer->isComparedToNone |= use.isComparedToNone;
      outer->isIndexed |= use.isIndexed;
      llvm::append_range(outer->strings, use.strings);
    }
  }
}

void UseAnalysis::visitCall(const CallExpr &call) {
  StringRef name = getCalleeName(call);
  const auto *method = llvm::dyn_cast<AttributeExpr>(call.callee);
  if (ParameterUse *callee = find(call.callee))
    callee->isCalled = true;
  if (ParameterUse *self = method ? find(method->value) : nullptr) {
    self->isDescriptor |= name == "load" || name == "store" || name == "gather" ||
                          name == "scatter" || name.starts_with("atomic_");
    if (const Expr *offsets = getArgument(call, 0, "offsets")) {
      if (const auto *list = llvm::dyn_cast<ListExpr>(offsets))
        self->rank = list->elements.size();
      if (const auto *tuple = llvm::dyn_cast<TupleExpr>(offsets))
        self->rank = tuple->elements.size();
    }
  }
  if (const JitFunction *callee = findCallee(*function.module, call))
    return followCall(call, *callee);
  if (name == "load" || name == "store" || name.starts_with("atomic_"))
    return addresses.push_back({getArgument(call, 0, "pointer"), name != "store", name != "load"});
  // What is done with a block is not followed.
  if (name == "make_block_ptr" || name == "make_tensor_descriptor")
    return addresses.push_back({getArgument(call, 0, "base"), true, true});
  if (name == "range" || name == "static_range" || name == "arange") {
    for (const Expr *argument : call.args) {
      for (const auto &used : namesOf(argument))
        indices.insert(used.getKey());
      if (ParameterUse *use = find(argument)) {
        use->isCount = true;
        use->isShape |= name == "arange";
        use->isUnrolled |= name == "static_range";
      }
    }
    return;
  }
  if (name == "zeros" || name == "full" || name == "reshape" || name == "view" ||
      name == "broadcast_to")
    for (const auto &used :
         namesOf(getArgument(call, name == "reshape" || name == "view", "shape")))
      if (auto found = uses.find(used.getKey()); found != uses.end())
        found->second.isCount = found->second.isShape = true;
  if (name == "zeros" || name == "full")
    if (ParameterUse *use = find(getArgument(call, name == "full" ? 2 : 1, "dtype")))
      use->isDType = true;
  if (name == "to" || name == "cast")
    if (ParameterUse *use = find(getArgument(call, name == "to" ? 0 : 1, "dtype")))
      use->isDType = true;
}

void UseAnalysis::markCondition(const Expr *expr) {
  if (!expr)
    return;
  if (ParameterUse *use = find(expr))
    use->isCondition = true;
  if (const auto *unary = llvm::dyn_cast<UnaryExpr>(expr); unary && unary->op == UnaryOp::Not)
    return markCondition(unary->operand);
  if (const auto *both = llvm::dyn_cast<BoolOpExpr>(expr))
    for (const Expr *operand : both->operands)
      markCondition(operand);
}

bool UseAnalysis::visit(const Node &node) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(&node)) {
    visitCall(*call);
  } else if (const auto *assign = llvm::dyn_cast<AssignStmt>(&node)) {
    for (const Expr *target : assign->targets)
      if (const auto *name = llvm::dyn_cast<NameExpr>(target)) {
        assigned[name->name].push_back(assign->value);
        const Expr *value = assign->value;
        // Through conversions of what was loaded.
        while (const auto *outer = llvm::dyn_cast<CallExpr>(value)) {
          StringRef callee = getCalleeName(*outer);
          if (callee == "load") {
            loads.emplace_back(name->name, getArgument(*outer, 0, "pointer"));
            break;
          }
          const auto *method = llvm::dyn_cast<AttributeExpr>(outer->callee);
          if (callee != "to" || !method)
            break;
          value = method->value;
        }
      }
  } else if (const auto *binary = llvm::dyn_cast<BinaryExpr>(&node)) {
    if (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub)
      for (const Expr *side : {binary->lhs, binary->rhs})
        if (const auto *name = llvm::dyn_cast<NameExpr>(side)) {
          numbers.insert(name->name);
          if (ParameterUse *use = find(name))
            use->isOperand = true;
        }
  } else if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(&node)) {
    // `t[i]`, and not `x[:, None]`.
    const auto *index = llvm::dyn_cast<ConstantExpr>(subscript->index);
    if (ParameterUse *use = find(subscript->value);
        use &&
        (llvm::isa<NameExpr>(subscript->index) || (index && index->constant == ConstantKind::Int)))
      use->isIndexed = true;
  } else if (const auto *compare = llvm::dyn_cast<CompareExpr>(&node)) {
    if (ParameterUse *use = find(compare->first))
      for (const Expr *other : compare->rest)
        if (const auto *constant = llvm::dyn_cast<ConstantExpr>(other)) {
          if (constant->constant == ConstantKind::String)
            use->strings.push_back(constant->text.str());
          use->isComparedToNone |= constant->constant == ConstantKind::None;
        }
    for (CompareOp op : compare->ops)
      if (op == CompareOp::Lt || op == CompareOp::Le || op == CompareOp::Gt || op == CompareOp::Ge)
        for (const Expr *side : compare->rest)
          if (const auto *name = llvm::dyn_cast<NameExpr>(side))
            numbers.insert(name->name);
  } else if (const auto *branch = llvm::dyn_cast<IfStmt>(&node)) {
    markCondition(branch->condition);
  } else if (const auto *ternary = llvm::dyn_cast<TernaryExpr>(&node)) {
    markCondition(ternary->condition);
  }
  return true;
}

bool UseAnalysis::findRoots(const Expr *expr, llvm::StringSet<> &visited, llvm::StringSet<> &out) {
  if (!expr)
    return false;
  if (const auto *binary = llvm::dyn_cast<BinaryExpr>(expr)) {
    if (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub)
      return false;
    // The pointer is nearly always on the left; the other side holds offsets.
    if (findRoots(binary->lhs, visited, out)) {
      for (const auto &name : namesOf(binary->rhs))
        indices.insert(name.getKey());
      return true;
    }
    for (const auto &name : namesOf(binary->lhs))
      indices.insert(name.getKey());
    return findRoots(binary->rhs, visited, out);
  }
  if (const auto *ternary = llvm::dyn_cast<TernaryExpr>(expr)) {
    bool left = findRoots(ternary->thenValue, visited, out);
    return findRoots(ternary->elseValue, visited, out) || left;
  }
  if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(expr))
    return findRoots(subscript->value, visited, out);
  if (const auto *call = llvm::dyn_cast<CallExpr>(expr)) {
    StringRef name = getCalleeName(*call);
    if (name == "to" || name == "advance" || name == "multiple_of" || name == "broadcast_to" ||
        name == "max_contiguous" || name == "cast") {
      const auto *method = llvm::dyn_cast<AttributeExpr>(call->callee);
      bool isMethod = method && !llvm::isa<AttributeExpr>(method->value) && name == "to";
      return findRoots(isMethod ? method->value : getArgument(*call, 0, "input"), visited, out);
    }
    return false;
  }
  const auto *name = llvm::dyn_cast<NameExpr>(expr);
  if (!name || numbers.contains(name->name) || !visited.insert(name->name).second)
    return false;
  if (uses.contains(name->name)) {
    out.insert(name->name);
    return true;
  }
  bool found = false;
  if (auto values = assigned.find(name->name); values != assigned.end())
    for (const Expr *value : values->second)
      found |= findRoots(value, visited, out);
  return found;
}

void UseAnalysis::markAddress(const Address &address) {
  llvm::StringSet<> visited, roots;
  findRoots(address.expr, visited, roots);
  for (const auto &root : roots) {
    ParameterUse &use = uses[root.getKey()];
    use.isPointer = true;
    use.isRead |= address.isRead;
    use.isWritten |= address.isWritten;
  }
}

llvm::StringMap<ParameterUse> UseAnalysis::run() {
  walk(function.def->body);
  // A parameter that is also given a value in the body is a local from then on, but starts as one.
  for (const Address &address : addresses)
    markAddress(address);
  // Names that index names are made of are indices as well.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &entry : assigned)
      if (indices.contains(entry.getKey()))
        for (const Expr *value : entry.getValue())
          for (const auto &name : namesOf(value))
            changed |= indices.insert(name.getKey()).second;
  }
  for (auto &entry : uses)
    entry.getValue().isIndex |= indices.contains(entry.getKey());
  for (auto [name, address] : loads)
    if (indices.contains(name)) {
      llvm::StringSet<> visited, roots;
      findRoots(address, visited, roots);
      for (const auto &root : roots)
        uses[root.getKey()].holdsIndices = true;
    }
  return std::move(uses);
}

class ReturnFinder : public Walker {
public:
  bool found = false;
  bool visit(const Node &node) override {
    if (const auto *statement = llvm::dyn_cast<ReturnStmt>(&node))
      found |= statement->value != nullptr;
    return !found;
  }
};
} // namespace

llvm::StringMap<ParameterUse> corpus::analyzeUses(const JitFunction &function) {
  return UseAnalysis(function, 0).run();
}

bool corpus::returnsValue(const JitFunction &function) {
  ReturnFinder finder;
  finder.walk(function.def->body);
  return finder.found;
}
