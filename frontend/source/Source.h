// Source text, positions in it, and diagnostics about it.
//
// Rules of this folder: a position is an offset into one buffer of a SourceManager; line numbers
// are never stored. Messages are lower case, say what was seen, then what to do. Every diagnostic
// has a location.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerun {

/// A byte in a source buffer. File 0 is "nowhere".
struct SourceLoc {
  uint32_t file = 0;
  uint32_t offset = 0;
  bool isValid() const { return file != 0; }
  bool operator==(const SourceLoc &) const = default;
};

/// A half-open range of bytes in one buffer.
struct SourceRange {
  SourceLoc begin;
  uint32_t end = 0; ///< Offset after the last byte, in the same file.
  bool isValid() const { return begin.isValid(); }
};

/// Owns the text of all files of a compilation. Not thread-safe.
class SourceManager {
public:
  /// Largest file that is read, in bytes.
  static constexpr uint64_t kMaxFileBytes = 64ull << 20;

  SourceManager();
  ~SourceManager();
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  /// Reads a file; gives its number, or an error that names the path (missing, unreadable, a
  /// folder, too large). The same path read twice gives the same number.
  llvm::Expected<uint32_t> addFile(llvm::StringRef path);
  /// Takes text under a name. Under a file's absolute path it stands for the file, in `addFile`.
  uint32_t addText(llvm::StringRef name, std::string text);

  llvm::StringRef getText(uint32_t file) const;
  llvm::StringRef getName(uint32_t file) const;

  struct LineColumn {
    unsigned line = 0;   ///< 1-based.
    unsigned column = 0; ///< 1-based, in bytes.
  };
  LineColumn getLineColumn(SourceLoc loc) const;
  /// The text of a 1-based line, without its line end.
  llvm::StringRef getLine(uint32_t file, unsigned line) const;

private:
  struct Buffer;
  std::vector<std::unique_ptr<Buffer>> buffers;
};

enum class Severity { Error, Warning, Note };

struct Note {
  SourceRange range;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message; ///< Without "error:" and without the place.
  llvm::SmallVector<Note>
      notes; ///< Call stack through inlined helpers, where a name was defined, …
};

/// Collects diagnostics. Not thread-safe.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  /// Adds an error; the reference stays valid until the next report.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  Diagnostic &warning(SourceRange range, const llvm::Twine &message);
  Diagnostic &note(SourceRange range, const llvm::Twine &message);

  bool hasErrors() const { return numErrors != 0; }
  unsigned getNumErrors() const { return numErrors; }
  const std::vector<Diagnostic> &getDiagnostics() const { return diagnostics; }
  const SourceManager &getSources() const { return sources; }
  void clear();

  /// Text with source line, caret and range: `file:line:column: error: message`. Colour only if
  /// asked.
  void print(llvm::raw_ostream &os, bool color) const;
  /// A JSON array: severity, file, line, column, endLine, endColumn, message, notes.
  void printJson(llvm::raw_ostream &os) const;

private:
  const SourceManager &sources;
  std::vector<Diagnostic> diagnostics;
  unsigned numErrors = 0;
};

/// Prints the first line of a range with a caret under it, as under diagnostics.
void printSourceLine(llvm::raw_ostream &os, const SourceManager &sources, SourceRange range,
                     bool color);

/// The candidate nearest to `name` by edit distance, if one is near enough to be worth naming.
std::optional<llvm::StringRef> findNearName(llvm::StringRef name,
                                            llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilerun
