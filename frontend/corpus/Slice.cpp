// See Slice.h.
#include "frontend/corpus/Slice.h"

#include "frontend/ast/Walk.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace tilerun;
using namespace tilerun::ast;
using namespace tilerun::corpus;
using llvm::StringRef;

using Names = llvm::SetVector<StringRef, llvm::SmallVector<StringRef, 8>>;

/// The most modules that a name is followed through, and the most calls that an error is in.
static constexpr unsigned kMostSteps = 8;

const JitFunction *corpus::findCallee(const LoadedModule &caller, const CallExpr &call) {
  const LoadedModule *module = &caller;
  StringRef wanted;
  if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(call.callee)) {
    const auto *base = llvm::dyn_cast<NameExpr>(attribute->value);
    const Global *global = base ? module->lookup(base->name) : nullptr;
    return global && global->module ? global->module->findFunction(attribute->name) : nullptr;
  }
  const auto *name = llvm::dyn_cast<NameExpr>(call.callee);
  if (!name)
    return nullptr;
  wanted = name->name;
  // Through packages that pass a name on.
  for (unsigned i = 0; module && i < kMostSteps; ++i) {
    const Global *global = module->lookup(wanted);
    if (!global)
      return nullptr;
    if (global->kind == Global::Kind::Jit)
      return global->jit;
    if (global->kind != Global::Kind::ImportedName)
      return nullptr;
    module = global->module;
    wanted = global->importedName;
  }
  return nullptr;
}

ErrorPath corpus::getErrorPath(const Diagnostic &diagnostic) {
  ErrorPath path{diagnostic.range};
  for (const Note &note : diagnostic.notes)
    if (StringRef(note.message).starts_with("in call to "))
      path.push_back(note.range);
  std::reverse(path.begin(), path.end());
  return path;
}

static bool isWithin(SourceRange inner, SourceRange outer) {
  return inner.begin.file == outer.begin.file && inner.begin.offset >= outer.begin.offset &&
         inner.end <= outer.end;
}

namespace {
/// The bindings of a function's names, and those at one place of it.
class BodyReader : public Walker {
public:
  explicit BodyReader(SourceRange place) : place(place) {}
  bool visit(const Node &node) override;

  llvm::StringMap<llvm::SmallVector<const Expr *, 4>> assigned;
  const Node *statement = nullptr; ///< The innermost node that holds the place.
  const CallExpr *call = nullptr;  ///< The call that is exactly there.
  Names inside;                    ///< Names at the place.

private:
  void bind(const Expr *target, const Expr *value) {
    if (!target || !value)
      return;
    if (const auto *name = llvm::dyn_cast<NameExpr>(target))
      assigned[name->name].push_back(value);
    if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target))
      for (const Expr *element : tuple->elements)
        bind(element, value);
    if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(target))
      bind(subscript->value, value);
  }
  SourceRange place;
};

class NameReader : public Walker {
public:
  explicit NameReader(Names &names) : names(names) {}
  bool visit(const Node &node) override {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      names.insert(name->name);
    return true;
  }

private:
  Names &names;
};
} // namespace

bool BodyReader::visit(const Node &node) {
  if (isWithin(place, node.range))
    statement = &node;
  if (isWithin(node.range, place))
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      inside.insert(name->name);
  if (const auto *found = llvm::dyn_cast<CallExpr>(&node))
    if (isWithin(place, node.range) && isWithin(node.range, place))
      call = found;
  if (const auto *assign = llvm::dyn_cast<AssignStmt>(&node)) {
    for (const Expr *target : assign->targets)
      bind(target, assign->value);
  } else if (const auto *augmented = llvm::dyn_cast<AugAssignStmt>(&node)) {
    bind(augmented->target, augmented->value);
  } else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(&node)) {
    bind(annotated->target, annotated->value);
  } else if (const auto *loop = llvm::dyn_cast<ForStmt>(&node)) {
    bind(loop->target, loop->iterable);
  } else if (const auto *branch = llvm::dyn_cast<IfStmt>(&node)) {
    // A binding in one arm depends on the condition.
    for (Block arm : {branch->thenBody, branch->elseBody}) {
      BodyReader inner(place);
      inner.walk(arm);
      for (const auto &bound : inner.assigned)
        assigned[bound.getKey()].push_back(branch->condition);
    }
  } else if (const auto *walrus = llvm::dyn_cast<NamedExpr>(&node)) {
    bind(walrus->target, walrus->value);
  }
  return true;
}

/// Parameters that the names depend on, breadth first.
static void follow(const JitFunction &function, const BodyReader &body, Names names, Names &out) {
  for (size_t i = 0; i < names.size(); ++i) {
    StringRef name = names[i];
    if (llvm::any_of(function.def->parameters, [&](auto &p) { return p.name == name; }))
      out.insert(name);
    if (auto values = body.assigned.find(name); values != body.assigned.end())
      for (const Expr *value : values->second)
        NameReader(names).walk(value);
  }
}

static Names findIn(const JitFunction &function, llvm::ArrayRef<SourceRange> path, unsigned depth) {
  Names out;
  BodyReader body(path.front());
  body.walk(function.def->body);
  const JitFunction *callee =
      path.size() > 1 && body.call ? findCallee(*function.module, *body.call) : nullptr;
  if (callee && callee != &function && depth < kMostSteps) {
    // Only the arguments that matter inside.
    for (StringRef name : findIn(*callee, path.drop_front(), depth + 1)) {
      const Expr *argument = nullptr;
      for (auto [i, parameter] : llvm::enumerate(callee->def->parameters))
        if (parameter.name == name && i < body.call->args.size())
          argument = body.call->args[i];
      for (const Keyword &keyword : body.call->keywords)
        if (keyword.name == name)
          argument = keyword.value;
      Names names;
      NameReader(names).walk(argument);
      follow(function, body, names, out);
    }
  }
  follow(function, body, body.inside, out);
  Names around;
  NameReader(around).walk(body.statement);
  follow(function, body, around, out);
  return out;
}

std::vector<StringRef> corpus::findInfluences(const JitFunction &function,
                                              llvm::ArrayRef<SourceRange> path) {
  Names names;
  if (!path.empty())
    names = findIn(function, path, 0);
  return std::vector<StringRef>(names.begin(), names.end());
}

std::vector<const JitFunction *> corpus::findForeignCallees(const JitFunction &function) {
  class CallReader : public Walker {
  public:
    explicit CallReader(const LoadedModule &module) : module(module) {}
    bool visit(const Node &node) override {
      if (const auto *call = llvm::dyn_cast<CallExpr>(&node))
        if (const JitFunction *callee = findCallee(module, *call);
            callee && callee->module != &module)
          found.push_back(callee);
      return true;
    }
    const LoadedModule &module;
    std::vector<const JitFunction *> found;
  };
  CallReader reader(*function.module);
  reader.walk(function.def->body);
  return std::move(reader.found);
}
