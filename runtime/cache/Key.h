// Keys of the caches: 256-bit BLAKE3 hashes over named fields. Separate from the stores, which see
// a key as opaque.
//
// Rules of this folder: a broken cache only costs time. Every failure of the file system, every
// damaged or foreign file, every race with another process is a miss, and is reported once
// through the warning callback. No data is used before its checksum has been verified. No file
// locks, no appending, no file that two processes write: only temporary files and rename.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <cstdint>
#include <string>

namespace tilerun::cache {

struct Key {
  std::array<uint8_t, 32> bytes{};
  bool operator==(const Key &) const = default;
  auto operator<=>(const Key &) const = default;
  std::string toHex() const; ///< 64 digits.
};

struct KeyHash {
  size_t operator()(const Key &key) const;
};

/// The hash of bytes alone.
Key hashBytes(llvm::ArrayRef<uint8_t> bytes);
Key hashBytes(llvm::StringRef bytes);

/// Hashes fields in the order of the calls. Names and lengths are hashed too, so that no two
/// different lists of fields give the same bytes.
class KeyBuilder {
public:
  /// `purpose` keeps keys of different uses apart: "artifact".
  explicit KeyBuilder(llvm::StringRef purpose);
  KeyBuilder &add(llvm::StringRef name, llvm::StringRef value);
  KeyBuilder &add(llvm::StringRef name, llvm::ArrayRef<uint8_t> value);
  KeyBuilder &add(llvm::StringRef name, uint64_t value);
  KeyBuilder &add(llvm::StringRef name, const Key &value);
  Key finish() const;

private:
  llvm::BLAKE3 hasher;
};

/// Identifies this build of the code that contains `address` (of one of its functions): the build
/// id of its program or shared object (where it has none, a hash of that file's path, size and
/// time), and those of LLVM's and MLIR's shared libraries, if it is linked with them, because a
/// distribution may replace those alone. Part of every key whose value depends on that code.
std::string getBuildId(const void *address);

} // namespace tilerun::cache
