// Helpers for tests of the syntactic frontend: lex, parse and load text, and write results in one
// line so that a test reads as "this text gives that".
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/lex/Lexer.h"
#include "frontend/module/Module.h"
#include "frontend/parse/Parser.h"

#include "gtest/gtest.h"

namespace tilerun::test {

/// An expression with every operation in parentheses.
std::string show(const ast::Expr *expr);

/// A text that was parsed, with what it needs to live.
struct Parsed {
  SourceManager sources;
  ast::Context context;
  DiagnosticEngine diagnostics{sources};
  uint32_t file = 0;
  std::optional<ast::Module> module;
  const ast::Expr *expr = nullptr;

  /// "line:column: message" for every error, a line each.
  std::string errors() const;
  std::string dump() const;
};

std::unique_ptr<Parsed> parse(std::string text);
/// `show` of the one expression in `text`, or its errors.
std::string expr(std::string text);
/// The errors of a file, empty if it parses.
std::string errors(std::string text);

struct Loaded {
  SourceManager sources;
  ast::Context context;
  DiagnosticEngine diagnostics{sources};
  ModuleLoader loader{sources, context, diagnostics};
  LoadedModule *module = nullptr;
  std::string errors() const;
  const JitFunction *function(llvm::StringRef name) const {
    return module ? module->findFunction(name) : nullptr;
  }
};
/// Loads text as a file that imports nothing from disk.
std::unique_ptr<Loaded> load(std::string text);

} // namespace tilerun::test
