// `def kernel(x, n, **meta)`, as kernels took their compile-time arguments in Triton 1.x: each
// `meta["NAME"]` in the body is a tl.constexpr parameter NAME, by keyword. The evaluator gives
// `meta` these parameters as a dict.
#include "frontend/ast/Walk.h"
#include "frontend/module/ModuleReader.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

namespace {
/// Finds the keys that a body asks a dict for.
class KeyFinder : public Walker {
public:
  struct Key {
    SourceRange range;
    const Expr *otherwise = nullptr; ///< The default of `meta.get`.
    bool isOptional = false;
  };
  explicit KeyFinder(StringRef dict) : dict(dict) {}

  bool visit(const Node &node) override {
    if (const auto *subscript = dyn_cast<SubscriptExpr>(&node)) {
      if (isDict(subscript->value))
        add(subscript->index, {});
    } else if (const auto *call = dyn_cast<CallExpr>(&node)) {
      const auto *method = dyn_cast<AttributeExpr>(call->callee);
      if (method && method->name == "get" && isDict(method->value) && !call->args.empty())
        add(call->args[0], {{}, call->args.size() > 1 ? call->args[1] : nullptr, true});
    } else if (const auto *compare = dyn_cast<CompareExpr>(&node)) {
      // `"KEY" in meta`
      if (isDict(compare->rest[0]))
        add(compare->first, {{}, nullptr, true});
    }
    return true;
  }

  MapVector<StringRef, Key> keys;

private:
  bool isDict(const Expr *expr) const {
    const auto *name = dyn_cast<NameExpr>(expr);
    return name && name->name == dict;
  }
  void add(const Expr *index, Key key) {
    const auto *text = dyn_cast<ConstantExpr>(index);
    if (!text || text->constant != ConstantKind::String)
      return;
    key.range = index->range;
    Key &known = keys.try_emplace(text->text, key).first->second;
    known.isOptional |= key.isOptional;
  }

  StringRef dict;
};
} // namespace

const FunctionDef *ModuleReader::expandMeta(const FunctionDef *def, JitFunction &function) {
  const Parameter *meta = llvm::find_if(
      def->parameters, [](const Parameter &p) { return p.kind == ParameterKind::KwArgs; });
  if (meta == def->parameters.end())
    return def;
  function.metaName = meta->name.str();
  if (module.isProvided)
    return def; // Python binds the arguments, and calls the function with them.
  KeyFinder finder(meta->name);
  finder.walk(def->body);
  std::vector<Parameter> parameters(def->parameters.begin(), meta);
  for (const auto &[name, key] : finder.keys) {
    if (llvm::any_of(def->parameters, [&](const Parameter &p) { return p.name == name; }))
      continue;
    auto *annotation = context.make<NameExpr>(meta->range);
    annotation->name = "constexpr";
    const Expr *otherwise = key.otherwise;
    if (key.isOptional && !otherwise) {
      auto *none = context.make<ConstantExpr>(key.range);
      none->constant = ConstantKind::None;
      otherwise = none;
    }
    parameters.push_back({name, annotation, otherwise, ParameterKind::KeywordOnly, meta->range});
    function.metaKeys.push_back(name.str());
  }
  parameters.push_back(*meta);
  auto *out = context.make<FunctionDef>(def->range);
  *out = *def;
  out->parameters = context.copy(ArrayRef(parameters));
  return out;
}

} // namespace tilerun
