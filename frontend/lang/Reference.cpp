// Rendering of the table as markdown; see Reference.h.
#include "frontend/lang/Reference.h"
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
struct Family {
  const char *title;
  void (*add)(Rows &rows);
};
constexpr Family kFamilies[] = {
#define TILERUN_FAMILY(add, title) {title, add},
#include "frontend/lang/Families.def"
};

std::string qualified(const Builtin &row) {
  if (row.namespacePath == "triton.language.tensor")
    return ("x." + row.name).str();
  if (row.namespacePath == kDTypeMembers)
    return ("dtype." + row.name).str();
  return displayName(row);
}

/// "input, axis=None": parameters as they are used; `self` of methods is left out.
std::string parameters(const Builtin &row) {
  StringRef text = row.signature;
  if (row.namespacePath == "triton.language.tensor" || row.namespacePath == kDTypeMembers ||
      row.namespacePath == kDescriptorMembers) {
    text.consume_front("self");
    text.consume_front(", ");
  }
  return text.str();
}

std::string textOf(const SourceManager &sources, SourceRange range) {
  StringRef text = sources.getText(range.begin.file);
  return text.slice(range.begin.offset, range.end).str();
}

std::string parameters(const ast::FunctionDef &def, const SourceManager &sources) {
  std::string out;
  for (const ast::Parameter &parameter : def.parameters) {
    out += (out.empty() ? "" : ", ") + parameter.name.str();
    if (parameter.defaultValue)
      out += "=" + textOf(sources, parameter.defaultValue->range);
  }
  return out;
}
} // namespace

std::string describeHeader(const Builtin &row) {
  return qualified(row) + "(" + parameters(row) + ")";
}

std::string renderReference(const LoadedModule &prelude, const SourceManager &sources) {
  std::string out;
  llvm::raw_string_ostream os(out);
  auto item = [&](const std::string &name, const std::string &arguments, StringRef documentation,
                  bool isMethod) {
    os << "- `" << name << "(" << arguments << ")`" << (isMethod ? " (also a method)" : "") << ": "
       << documentation << "\n";
  };
  for (const Family &family : kFamilies) {
    Rows rows;
    family.add(rows);
    os << "### " << family.title << "\n\n";
    for (const Builtin &row : rows)
      item(qualified(row), parameters(row), row.documentation, row.isMethod);
    os << "\n";
  }
  os << "### Written in the language itself\n\n"
     << "Their source is `frontend/lang/prelude.py`.\n\n";
  for (const auto &function : prelude.functions) {
    const ast::FunctionDef &def = *function->def;
    if (def.name.starts_with("_"))
      continue;
    item(("tl." + def.name).str(), parameters(def, sources), def.docstring.split('\n').first.trim(),
         llvm::is_contained(listMethods(const_cast<LoadedModule *>(&prelude)), def.name));
  }
  return out;
}

} // namespace tilerun::lang
