// The files that -o names: opened before the work begins, so that a mistake in a name costs none,
// and put in place when all of it is done.
#pragma once

#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/host/AtomicFile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilerun::command {

class OutputFiles {
public:
  /// The end of each name says what is to be written; `kinds` are possible.
  static llvm::Expected<OutputFiles> open(llvm::ArrayRef<std::string> paths,
                                          llvm::ArrayRef<llvm::StringRef> kinds = {"csv", "json",
                                                                                   "svg", "html"});
  bool empty() const { return files.empty(); }
  bool hasPicture() const;
  /// `print` writes the contents of one kind.
  using Print = llvm::function_ref<void(llvm::StringRef kind, llvm::raw_ostream &os)>;
  llvm::Error write(Print print);

private:
  std::vector<std::pair<std::string, host::AtomicFile>> files; ///< With their kinds.
};

/// A field of CSV.
std::string quoteCsv(llvm::StringRef text);
/// A JSON object as a file's contents.
void writeJson(llvm::raw_ostream &os, llvm::json::Object object);

} // namespace tilerun::command
