// The names of the kernel language, from the frontend's own table, for a host language that offers
// them as markers.
#include "runtime/compiler/Programs.h"

#include "frontend/Frontend.h"
#include "frontend/lang/Builtin.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::compiler;

static std::string getParameters(const JitFunction &function) {
  std::string out;
  for (const ast::Parameter &parameter : function.def->parameters)
    out +=
        (out.empty() ? "" : ", ") + parameter.name.str() + (parameter.defaultValue ? "=..." : "");
  return out;
}

static LanguageName describe(llvm::StringRef name, const Value &value) {
  if (auto *builtin = value.getIf<BuiltinValue>())
    return {name.str(), "function", builtin->builtin->signature.str(),
            builtin->builtin->documentation.str()};
  if (auto *function = value.getIf<FunctionValue>())
    return {name.str(), "function", getParameters(*function->function),
            function->function->def->docstring.trim().str()};
  if (auto *type = value.getIf<DType>())
    return {name.str(), "dtype", dtype(type->scalar).signature(), ""};
  if (auto *space = value.getIf<NamespaceValue>())
    return {name.str(), "namespace", space->path, ""};
  if (auto *number = value.getIf<PyInt>())
    return {name.str(), "constant", std::to_string(static_cast<int64_t>(*number)), ""};
  return {name.str(), "constant", "", ""};
}

void compiler::listLanguage(const std::string &path,
                            const std::function<void(const LanguageName &)> &each) {
  Frontend frontend;
  LoadedModule *prelude = frontend.loadText("<language>", lang::getPreludeText().str());
  for (llvm::StringRef name : lang::listNames(path, prelude))
    if (std::optional<Value> value = lang::lookup(path, name, prelude))
      each(describe(name, *value));
}
