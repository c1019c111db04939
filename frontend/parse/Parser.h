// Python 3.12 text to a syntax tree.
//
// Rules of this folder: recursive descent with a bound on recursion and on the height of the tree
// (ast::kMaxDepth); an error is reported once, where it is found, and parsing continues with the
// next statement; every function returns null after an error. What is a mistake only in a kernel
// (`break`, `yield`, `class` …) is not the parser's business.
#pragma once

#include "frontend/ast/Ast.h"

namespace tilerun {

/// Parsing of one text stops after this many errors.
constexpr unsigned kMaxParseErrors = 20;
/// Longest text that is parsed at once, in tokens.
constexpr unsigned kMaxParseTokens = 4'000'000;

/// Parses a whole file, strictly: everything in it must be valid. Nothing if there are errors.
std::optional<ast::Module> parseModule(const SourceManager &sources, uint32_t file,
                                       ast::Context &context, DiagnosticEngine &diagnostics);

/// Parses the statements in bytes [begin, end) of a file, where `begin` is the first character of a
/// statement (after its indentation). Nothing if there are errors. With `diagnostics` null, errors
/// are not reported.
std::optional<ast::Block> parseStatements(const SourceManager &sources, uint32_t file,
                                          uint32_t begin, uint32_t end, ast::Context &context,
                                          DiagnosticEngine *diagnostics);

/// Parses a text that is one expression (`--grid`, `--expect`, …). Null if there are errors.
const ast::Expr *parseExpression(const SourceManager &sources, uint32_t file, ast::Context &context,
                                 DiagnosticEngine &diagnostics);

} // namespace tilerun
