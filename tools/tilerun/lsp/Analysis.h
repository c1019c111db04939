// One version of an open text: its functions, what is wrong with it, and the types in it.
//
// Kernels are checked one after the other, by calls of `checkNext`, so that a server can answer in
// between. Nothing of it changes otherwise, and a changed text gets a new one.
#pragma once

#include "tools/tilerun/lsp/Diagnostics.h"
#include "tools/tilerun/lsp/Facts.h"
#include "tools/tilerun/lsp/Layouts.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilerun::lsp {

/// The text of an open file, which may not be what the disk has.
struct OpenText {
  std::string path; ///< Absolute.
  std::string text;
};

/// A function of the text.
struct CheckedFunction {
  const JitFunction *function = nullptr;
  bool isHelper = false; ///< Other functions call it; it is checked with them.
  bool isChecked = false;
  bool isGuessed = true; ///< The signature is not from a comment.
  bool compiles = false;
  KernelSignature signature; ///< That it was checked with.
  /// Those of a target, once they were asked for. Helpers have none.
  std::optional<std::vector<PlacedLayout>> layouts;
};

class Analysis {
public:
  /// `others` stand for their files where `text` imports those.
  Analysis(const OpenText &text, llvm::ArrayRef<const OpenText *> others);

  /// Checks one more kernel; false: none is left.
  bool checkNext();
  /// Checks the kernel around a byte now; all of them if the byte is in none.
  void checkAt(uint32_t offset);

  /// Makes the layouts of a function known, if it compiles for the source's target.
  void findLayouts(CheckedFunction &checked, LayoutSource &source);

  /// Whether the text could be read; otherwise it has no functions.
  bool isRead() const { return module; }
  /// Whether it imports a file, or what it imports does.
  bool reads(llvm::StringRef path) const;

  SourceManager &getSources() { return frontend.getSources(); }
  Frontend &getFrontend() { return frontend; }
  LoadedModule *getModule() const { return module; }
  /// The language's own library, for its documentation.
  LoadedModule *getPrelude();
  uint32_t getFile() const { return file; }
  std::vector<CheckedFunction> &getFunctions() { return functions; }
  const std::vector<Fact> &getFacts() const { return facts; }
  /// So far.
  const std::vector<llvm::lsp::Diagnostic> &getDiagnostics() const { return diagnostics; }
  /// The function around a byte; null if it is in none.
  CheckedFunction *findFunction(uint32_t offset);

private:
  void check(CheckedFunction &checked);
  void checkGiven(CheckedFunction &checked, const SourceRange &comment);
  void checkGuessed(CheckedFunction &checked);
  /// True if it compiles; its facts are kept.
  bool compile(CheckedFunction &checked, const KernelSignature &signature);
  void warnOfImports();
  void report(const Diagnostic &diagnostic, const Guess &guess = {});
  /// What the frontend reported since it was cleared.
  void reportAll();

  Frontend frontend;
  mlir::MLIRContext context;
  LoadedModule *module = nullptr, *prelude = nullptr;
  uint32_t file = 0;
  std::vector<CheckedFunction> functions;
  std::vector<Fact> facts;
  std::vector<llvm::lsp::Diagnostic> diagnostics;
  size_t next = 0;
};

} // namespace tilerun::lsp
