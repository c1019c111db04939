// Python 3.12 text to tokens.
//
// Rules of this folder: the lexer works on demand, keeps no token, never recurses and always makes
// progress; after an error it continues with the best guess, so the same lexer serves kernels
// (errors reported) and host code (errors ignored). f-strings come as a flat stream: FStringStart,
// FStringMiddle, `{` … `}`, FStringEnd.
#pragma once

#include "frontend/lex/Token.h"
#include "frontend/source/Source.h"

#include "llvm/ADT/SmallVector.h"

namespace tilerun {

/// A lexical error: the token that was handed out next is `Error`, or a guess.
struct LexError {
  SourceRange range;
  std::string message;
  std::optional<Note> note;
};

class Lexer {
public:
  /// Brackets nested deeper than this are an error.
  static constexpr unsigned kMaxNesting = 1000;

  /// Lexes bytes [begin, end) of a file. `begin` may be after a line's indentation, which is then
  /// the outermost level of blocks. Errors are added to `errors` unless it is null.
  Lexer(const SourceManager &sources, uint32_t file, std::vector<LexError> *errors,
        uint32_t begin = 0, uint32_t end = ~0u);

  /// The next token. Every file ends with Newline (unless it is empty), Dedents, Eof; Eof repeats.
  Token next();

  llvm::StringRef getText(Token token) const { return text.slice(token.begin, token.end); }
  /// Number of open brackets and f-strings.
  size_t getNesting() const { return frames.size() + overflow; }
  /// Column of the innermost block, tabs counting to the next multiple of 8.
  unsigned getIndentation() const { return indents.back().column; }

private:
  enum class FrameKind : uint8_t { Paren, Bracket, Brace, FString, Field, FormatSpec };
  struct Frame {
    FrameKind kind;
    bool triple = false;
    bool raw = false;
    char quote = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  struct Indent {
    unsigned column;
    unsigned altColumn; ///< With tabs counted as one column: both must agree.
  };

  Token make(TokenKind kind, uint32_t begin);
  void report(uint32_t begin, uint32_t end, const llvm::Twine &message);
  void report(uint32_t begin, uint32_t end, const llvm::Twine &message, uint32_t noteBegin,
              uint32_t noteEnd, const llvm::Twine &note);
  bool isTop(FrameKind kind) const { return !frames.empty() && frames.back().kind == kind; }
  char peek(size_t ahead = 0) const { return pos + ahead < text.size() ? text[pos + ahead] : 0; }
  bool atEnd() const { return pos >= text.size(); }
  bool atNewline() const { return !atEnd() && (text[pos] == '\n' || text[pos] == '\r'); }
  void skipNewline();

  void beginLine();
  bool skipBlanks(Token &out);
  bool isStatementInBrackets();
  Token finish();
  Token lexName();
  Token lexNumber();
  Token lexPunctuation();
  Token lexInvalid();
  void openBracket(FrameKind kind, uint32_t begin);
  bool closeBracket(FrameKind kind, uint32_t begin);

  // LexStrings.cpp
  bool isStringPrefix(llvm::StringRef prefix) const;
  Token lexString(uint32_t begin, llvm::StringRef prefix);
  Token lexFStringText();
  Token unterminated(uint32_t begin, bool triple, llvm::StringRef what);
  void dropBrokenFStrings();
  bool atQuote(char quote, bool triple) const;
  void skipEscape(bool raw);

  const SourceManager &sources;
  llvm::StringRef text; ///< Cut at `end`, so nothing after it is read.
  uint32_t file;
  std::vector<LexError> *errors;
  size_t pos = 0;
  llvm::SmallVector<Frame, 8> frames;
  llvm::SmallVector<Indent, 8> indents;
  unsigned overflow = 0;    ///< Brackets beyond kMaxNesting.
  unsigned numFStrings = 0; ///< FString frames.
  unsigned pendingDedents = 0;
  unsigned peekedLines = 0;
  bool pendingIndent = false;
  bool atLineStart = true;
  bool lineHasTokens = false;
  bool reportedTabs = false;
};

/// Whether a character can be part of a name (letters and digits of any script, `_`).
bool isNameChar(uint32_t codePoint);

} // namespace tilerun
