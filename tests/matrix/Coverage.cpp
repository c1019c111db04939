// Whether the matrix is complete: every function of the language's table, and of the part that is
// written in the language itself, is called by a cell or excused.
#include "tests/matrix/Results.h"

#include "frontend/Frontend.h"
#include "frontend/lang/Builtin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

/// Functions that need no cell, and why.
constexpr struct {
  const char *name, *reason;
} kExcuses[] = {
    {"builtins.breakpoint", "a stop of the debugger; elsewhere it does nothing"},
    {"triton.language.const", "an annotation; it makes no code"},
    {"triton.language.tensor", "a type for isinstance, not called"},
    {"triton.language.tensor_descriptor", "a type for isinstance, not called"},
    {"triton.language.constexpr_type", "a type for isinstance, not called"},
    {"triton.language.slice", "a part of a subscript, not called"},
    {"triton.language.tuple", "compile time only: the tuple of values has cells"},
    {"triton.language.view", "the order of elements is open; reshape has cells"},
};

/// Identifiers that a text calls or names after a dot: "load" of tl.load, "sum" of x.sum.
void collectNames(llvm::StringRef text, llvm::StringSet<> &names) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    if (!isWord(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    llvm::StringRef word = text.slice(at, end);
    bool member = at > 0 && text[at - 1] == '.';
    if (member) {
      // The name before the dot, to tell libdevice.exp from tl.exp.
      size_t begin = at - 1;
      while (begin > 0 && isWord(text[begin - 1]))
        --begin;
      llvm::StringRef base = text.slice(begin, at - 1);
      names.insert((base + "." + word).str());
      // tl.sum is not a call of the method.
      if (!llvm::is_contained({"tl", "triton", "libdevice", "cuda", "hip"}, base))
        names.insert(("." + word).str());
    } else if (end < text.size() && text[end] == '(') {
      names.insert(word);
    }
    at = end;
  }
}

/// Whether a cell calls the function.
bool isCalled(llvm::StringRef path, llvm::StringRef name, const llvm::StringSet<> &names) {
  auto has = [&](const llvm::Twine &word) { return names.contains(word.str()); };
  if (path == "builtins")
    return has(name);
  if (path == "triton.language.extra.libdevice")
    return has("libdevice." + name);
  if (path == "triton.language.extra.cuda")
    return has("cuda." + name);
  if (path == "triton.language.extra.hip")
    return has("hip." + name);
  if (path == "triton.language" || path == "triton.language.math")
    return has("tl." + name);
  if (path == "triton")
    return has("triton." + name);
  return has("." + name); // Methods and attributes.
}

} // namespace

std::vector<Excuse> matrix::getExcuses() {
  std::vector<Excuse> out;
  for (const auto &excuse : kExcuses)
    out.push_back({excuse.name, excuse.reason});
  return out;
}

std::vector<std::string> matrix::checkCoverage(const Cells &cells) {
  llvm::StringSet<> names;
  for (const Cell &cell : cells)
    collectNames(cell.source, names);
  std::vector<std::pair<std::string, std::string>> functions; // Path, name.
  for (const lang::Builtin &builtin : lang::getBuiltins())
    if (!builtin.documentation.starts_with("Not supported yet")) // An error message has no cell.
      functions.emplace_back(builtin.namespacePath.str(), builtin.name.str());
  Frontend frontend;
  if (LoadedModule *prelude = frontend.loadText("prelude.py", lang::getPreludeText().str()))
    for (const auto &function : prelude->functions)
      if (!llvm::StringRef(function->qualifiedName).starts_with("_"))
        functions.emplace_back("triton.language", llvm::StringRef(function->qualifiedName).str());

  std::vector<std::string> problems;
  llvm::StringSet<> excused;
  for (const auto &[path, name] : functions) {
    std::string full = path + "." + name;
    bool called = isCalled(path, name, names);
    bool hasExcuse =
        llvm::any_of(kExcuses, [&](const auto &excuse) { return excuse.name == full; });
    if (hasExcuse)
      excused.insert(full);
    if (!called && !hasExcuse)
      problems.push_back("no cell calls " + full);
    // A type may be named by a cell without a call; an excuse is superfluous only for a function.
  }
  for (const auto &excuse : kExcuses)
    if (!excused.contains(excuse.name))
      problems.push_back("an excuse names a function that does not exist: " +
                         std::string(excuse.name));
  return problems;
}
