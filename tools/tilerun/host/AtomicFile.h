// Files that appear completely or not at all: written next to their destination, synced, then
// renamed.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <string>
#include <utility>

namespace tilerun::host {

/// Opening early finds an unwritable destination before work is done for nothing. Destroying it
/// uncommitted leaves the destination as it was. A destination that exists and is not a regular
/// file (`/dev/null`, a pipe) is written directly; a symbolic link is followed.
class AtomicFile {
public:
  static llvm::Expected<AtomicFile> open(llvm::StringRef path);
  AtomicFile(AtomicFile &&other);
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  /// Writes the content and puts the file in place.
  llvm::Error commit(llvm::ArrayRef<uint8_t> content);
  llvm::Error commit(llvm::StringRef content);

private:
  AtomicFile(std::string path, std::string target)
      : path(std::move(path)), target(std::move(target)) {}
  std::string path;   ///< As given, for messages.
  std::string target; ///< Behind symbolic links.
  std::optional<llvm::sys::fs::TempFile> temporary;
  int directDescriptor = -1;
};

} // namespace tilerun::host
