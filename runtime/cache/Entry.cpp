// See Entry.h.
#include "runtime/cache/Entry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>

using namespace tilerun;
using namespace tilerun::cache;
using namespace llvm::support;

static constexpr char kMagic[8] = {'t', 'i', 'l', 'e', 'r', 'u', 'n', '\n'};
static constexpr uint32_t kVersion = 1;
static constexpr size_t kNameDigits = 62;

static Key getChecksum(llvm::ArrayRef<uint8_t> checked, llvm::ArrayRef<uint8_t> payload) {
  llvm::BLAKE3 hasher;
  hasher.update(checked);
  hasher.update(payload);
  auto result = hasher.final<32>();
  Key sum;
  std::copy(result.begin(), result.end(), sum.bytes.begin());
  return sum;
}

std::array<uint8_t, kHeaderBytes> cache::makeHeader(const Key &key, EntryKind kind,
                                                    llvm::ArrayRef<uint8_t> payload) {
  std::array<uint8_t, kHeaderBytes> header{};
  std::memcpy(header.data(), kMagic, sizeof(kMagic));
  endian::write32le(header.data() + 8, kVersion);
  endian::write32le(header.data() + 12, static_cast<uint32_t>(kind));
  endian::write64le(header.data() + 16, payload.size());
  std::copy(key.bytes.begin(), key.bytes.end(), header.begin() + 24);
  Key sum = getChecksum(llvm::ArrayRef(header).take_front(kCheckedBytes), payload);
  std::copy(sum.bytes.begin(), sum.bytes.end(), header.begin() + kCheckedBytes);
  return header;
}

std::string cache::checkEntry(llvm::ArrayRef<uint8_t> file, const Key &key,
                              std::optional<EntryKind> kind) {
  if (file.size() < kHeaderBytes)
    return "it has " + std::to_string(file.size()) + " bytes, fewer than a header";
  if (std::memcmp(file.data(), kMagic, sizeof(kMagic)) != 0)
    return "it is not an entry of a cache";
  if (uint32_t version = endian::read32le(file.data() + 8); version != kVersion)
    return "its format has version " + std::to_string(version) + ", not " +
           std::to_string(kVersion);
  llvm::ArrayRef<uint8_t> payload = file.drop_front(kHeaderBytes);
  if (uint64_t length = endian::read64le(file.data() + 16); length != payload.size())
    return "its header says " + std::to_string(length) + " bytes, it has " +
           std::to_string(payload.size());
  Key sum = getChecksum(file.take_front(kCheckedBytes), payload);
  if (!std::equal(sum.bytes.begin(), sum.bytes.end(), file.begin() + kCheckedBytes))
    return "its checksum is wrong";
  if (!std::equal(key.bytes.begin(), key.bytes.end(), file.begin() + 24))
    return "it is the entry of another key";
  if (kind && endian::read32le(file.data() + 12) != static_cast<uint32_t>(*kind))
    return "it is an entry of another kind";
  return "";
}

std::optional<Key> cache::parseName(llvm::StringRef shard, llvm::StringRef name) {
  std::string bytes;
  Key key;
  if (shard.size() != 2 || name.size() != kNameDigits ||
      !llvm::tryGetFromHex((shard + name).str(), bytes) || bytes.size() != key.bytes.size() ||
      name.lower() != name || shard.lower() != shard)
    return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  return key;
}
