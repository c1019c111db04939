// The bytes of an entry of the store, and its name. docs/caching.md has the format.
#pragma once

#include "runtime/cache/DiskCache.h"

#include <array>

namespace tilerun::cache {

constexpr size_t kCheckedBytes = 8 + 4 + 4 + 8 + 32;
constexpr size_t kHeaderBytes = kCheckedBytes + 32;

std::array<uint8_t, kHeaderBytes> makeHeader(const Key &key, EntryKind kind,
                                             llvm::ArrayRef<uint8_t> payload);
/// Why bytes are not an entry of `key`; empty if they are. Any kind is accepted if `kind` is none.
std::string checkEntry(llvm::ArrayRef<uint8_t> file, const Key &key, std::optional<EntryKind> kind);
/// The key that a shard and a name stand for.
std::optional<Key> parseName(llvm::StringRef shard, llvm::StringRef name);

} // namespace tilerun::cache
