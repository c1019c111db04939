// See LaunchGuess.h. The grid: what is computed from a program's number is followed through
// assignments. A product with a compile-time parameter, pid * BLOCK, is the start of a block; a
// comparison with a parameter, offsets < n, bounds it. So the axis has cdiv(n, BLOCK) programs, or
// n without a block. A number that several blocks are computed from has the product of these.
#include "frontend/corpus/LaunchGuess.h"

#include "frontend/ast/Walk.h"
#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Slice.h"
#include "frontend/corpus/Usage.h"
#include "frontend/sema/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace tilerun;
using namespace tilerun::ast;
using namespace tilerun::corpus;
using llvm::StringRef;

static constexpr unsigned kAxes = 3;

namespace {
/// What a value has to do with programs' numbers.
struct Origin {
  std::set<unsigned> axes;
  std::set<std::string> steps; ///< Compile-time parameters that it is multiplied with.

  bool add(const Origin &other) {
    size_t before = axes.size() + steps.size();
    axes.insert(other.axes.begin(), other.axes.end());
    steps.insert(other.steps.begin(), other.steps.end());
    return axes.size() + steps.size() != before;
  }
};

/// The axis of a call of program_id.
std::optional<unsigned> getProgramAxis(const Node &node) {
  const auto *call = llvm::dyn_cast<CallExpr>(&node);
  if (!call)
    return std::nullopt;
  const auto *attribute = llvm::dyn_cast<AttributeExpr>(call->callee);
  const auto *name = llvm::dyn_cast<NameExpr>(call->callee);
  if ((attribute ? attribute->name : name ? name->name : StringRef()) != "program_id")
    return std::nullopt;
  const Expr *axis = call->args.empty() ? nullptr : call->args.front();
  for (const Keyword &keyword : call->keywords)
    if (keyword.name == "axis")
      axis = keyword.value;
  const auto *constant = llvm::dyn_cast_or_null<ConstantExpr>(axis);
  unsigned number = 0;
  if (!constant || constant->text.getAsInteger(0, number) || number >= kAxes)
    return 0; // The axis is computed; the first is used in nearly all kernels.
  return number;
}

/// Axes that a function and those that it calls use.
class AxisFinder : public Walker {
public:
  explicit AxisFinder(const JitFunction &function, std::set<const JitFunction *> &seen)
      : function(function), seen(seen) {}
  std::set<unsigned> axes;
  bool visit(const Node &node) override {
    if (std::optional<unsigned> axis = getProgramAxis(node))
      axes.insert(*axis);
    const auto *call = llvm::dyn_cast<CallExpr>(&node);
    const JitFunction *callee = call ? findCallee(*function.module, *call) : nullptr;
    if (callee && seen.insert(callee).second) {
      AxisFinder inner(*callee, seen);
      inner.walk(callee->def->body);
      axes.insert(inner.axes.begin(), inner.axes.end());
    }
    return true;
  }

private:
  const JitFunction &function;
  std::set<const JitFunction *> &seen;
};

/// Follows programs' numbers through the assignments of one function.
class GridAnalysis : public Walker {
public:
  explicit GridAnalysis(const JitFunction &function) {
    for (const Parameter &parameter : function.def->parameters)
      (sema::isConstexprAnnotation(parameter.annotation) ? constants : parameters)
          .insert(parameter.name.str());
    // Loops carry values from below to above.
    do {
      changed = false;
      walk(function.def->body);
    } while (changed);
    collect = true;
    walk(function.def->body);
  }

  struct Factor {
    std::string bound, step; ///< `step` may be empty.
    bool operator==(const Factor &) const = default;
  };
  std::vector<Factor> factors[kAxes];

  bool visit(const Node &node) override {
    if (const auto *assign = llvm::dyn_cast<AssignStmt>(&node)) {
      Origin value = originOf(assign->value);
      for (const Expr *target : assign->targets)
        set(target, value);
    } else if (const auto *change = llvm::dyn_cast<AugAssignStmt>(&node)) {
      set(change->target, originOf(change->value));
    } else if (const auto *loop = llvm::dyn_cast<ForStmt>(&node)) {
      set(loop->target, originOf(loop->iterable));
    } else if (const auto *compare = llvm::dyn_cast<CompareExpr>(&node); compare && collect) {
      const Expr *left = compare->first;
      for (auto [op, right] : llvm::zip(compare->ops, compare->rest)) {
        if (op == CompareOp::Lt || op == CompareOp::Ge)
          bound(left, right);
        left = right;
      }
    } else if (const auto *binary = llvm::dyn_cast<BinaryExpr>(&node); binary && collect) {
      if (binary->op == BinaryOp::Mod) // Offsets that wrap around.
        bound(binary->lhs, binary->rhs);
    }
    return true;
  }

private:
  class Reader : public Walker {
  public:
    explicit Reader(const GridAnalysis &analysis) : analysis(analysis) {}
    Origin origin;
    bool visit(const Node &node) override {
      if (std::optional<unsigned> axis = getProgramAxis(node))
        origin.axes.insert(*axis);
      if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
        if (auto it = analysis.names.find(name->name.str()); it != analysis.names.end())
          origin.add(it->second);
      if (const auto *binary = llvm::dyn_cast<BinaryExpr>(&node);
          binary && binary->op == BinaryOp::Mul)
        for (auto [number, step] :
             {std::pair(binary->lhs, binary->rhs), std::pair(binary->rhs, binary->lhs)})
          if (const auto *name = llvm::dyn_cast<NameExpr>(step);
              name && analysis.constants.count(name->name.str()) &&
              !analysis.originOf(number).axes.empty()) {
            // The outermost product is the block's; others number groups of blocks.
            origin.add({analysis.originOf(number).axes, {name->name.str()}});
            return false;
          }
      return true;
    }

  private:
    const GridAnalysis &analysis;
  };

  Origin originOf(const Expr *expr) const {
    Reader reader(*this);
    reader.walk(expr);
    return std::move(reader.origin);
  }
  void set(const Expr *target, const Origin &value) {
    if (value.axes.empty())
      return;
    if (const auto *name = llvm::dyn_cast<NameExpr>(target))
      changed |= names[name->name.str()].add(value);
    else if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target))
      for (const Expr *element : tuple->elements)
        set(element, value);
  }
  void bound(const Expr *left, const Expr *right) {
    const auto *name = llvm::dyn_cast<NameExpr>(right);
    if (!name || !(parameters.count(name->name.str()) || constants.count(name->name.str())))
      return;
    Origin origin = originOf(left);
    if (origin.axes.size() != 1 || origin.steps.size() > 1)
      return;
    Factor factor{name->name.str(), origin.steps.empty() ? "" : *origin.steps.begin()};
    auto &list = factors[*origin.axes.begin()];
    if (!llvm::is_contained(list, factor))
      list.push_back(std::move(factor));
  }

  std::set<std::string> parameters, constants;
  std::map<std::string, Origin> names;
  bool changed = false, collect = false;
};
} // namespace

std::string GridGuess::format(StringRef unknown) const {
  if (numAxes == 0)
    return "1";
  return llvm::join(
      llvm::map_range(axes,
                      [&](const std::string &axis) { return axis.empty() ? unknown.str() : axis; }),
      ", ");
}

GridGuess corpus::guessGrid(const JitFunction &function) {
  std::set<const JitFunction *> seen = {&function};
  AxisFinder finder(function, seen);
  finder.walk(function.def->body);
  GridGuess guess;
  if (finder.axes.empty())
    return guess;
  guess.numAxes = *finder.axes.rbegin() + 1;
  GridAnalysis analysis(function);
  for (unsigned axis = 0; axis < guess.numAxes; ++axis) {
    // A block that is bounded twice is one factor; without blocks a number has one bound.
    std::set<std::string> steps;
    std::vector<std::string> factors;
    const bool hasBlocks = llvm::any_of(analysis.factors[axis],
                                        [](const auto &factor) { return !factor.step.empty(); });
    for (const auto &[bound, step] : analysis.factors[axis]) {
      if ((hasBlocks && step.empty()) || !steps.insert(step).second)
        continue;
      factors.push_back(step.empty() ? bound : "cdiv(" + bound + ", " + step + ")");
      if (!llvm::is_contained(guess.bounds, bound))
        guess.bounds.push_back(bound);
    }
    guess.axes.push_back(finder.axes.count(axis) ? llvm::join(factors, " * ") : "1");
  }
  return guess;
}

std::vector<std::string> corpus::guessArguments(Frontend &frontend, const JitFunction &function,
                                                const GridGuess &grid) {
  llvm::StringMap<ParameterUse> uses = analyzeUses(function);
  KernelSignature signature = guessSignatures(frontend, function).front();
  std::set<std::string> ofConfig;
  if (function.autotune && !function.autotune->configs.empty())
    for (const auto &[name, expr] : function.autotune->configs.front().kwargs)
      ofConfig.insert(name);
  for (const Heuristic &heuristic : function.heuristics)
    ofConfig.insert(heuristic.name);
  const std::string shape = grid.bounds.size() == 1 ? grid.bounds.front() : "…";
  std::vector<std::string> first, rest;
  unsigned seed = 0;
  for (const Parameter &parameter : function.def->parameters) {
    const std::string name = parameter.name.str();
    auto it = signature.arguments.find(name);
    if (it == signature.arguments.end() || ofConfig.count(name))
      continue;
    if (auto *constant = std::get_if<ConstantArgument>(&it->second)) {
      if (auto *type = std::get_if<DType>(&constant->value)) {
        rest.push_back(name + "=tl." + type->str());
        continue;
      }
      KernelSignature alone;
      alone.arguments.emplace(name, *constant);
      rest.push_back(formatSignature(alone));
      continue;
    }
    const auto &typed = std::get<TypedArgument>(it->second);
    if (!typed.type.isPointer()) {
      const bool isBound = llvm::is_contained(grid.bounds, name);
      // Shapes of tensors refer to them, so they come first.
      (isBound ? first : rest)
          .push_back(name + "=" +
                     (isBound                ? "1000"
                      : typed.type.isFloat() ? "1.0"
                                             : "…"));
      continue;
    }
    const DType element = typed.type.getPointee();
    const ParameterUse &use = uses[name];
    std::string contents = use.isWritten && !use.isRead ? "empty"
                           : element.isFloat()          ? "randn(" + std::to_string(++seed) + ")"
                                                        : "zeros";
    std::string size = shape;
    if (use.isDescriptor) // Blocks of several dimensions.
      size = "…";
    std::string type = element.signature();
    if (StringRef(type).starts_with("fp") && element.getBits() > 8)
      type = "f" + type.substr(2);
    rest.push_back(name + "=" + type + "[" + size + "]:" + contents);
  }
  llvm::append_range(first, rest);
  return first;
}
