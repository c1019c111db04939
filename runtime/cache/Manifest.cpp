// Storing manifests and comparing them with the files.
#include "runtime/cache/Manifest.h"

#include "runtime/cache/Bytes.h"
#include "runtime/cache/Files.h"

using namespace tilerun::cache;

// As large as a source file may be.
static constexpr uint64_t kMaxSourceBytes = 64 << 20;

static bool isCurrent(const ManifestFile &file) {
  if (!file.content)
    return files::isRegularFile(file.path) == file.exists;
  std::vector<uint8_t> text;
  return files::read(file.path, kMaxSourceBytes, 0, /*touch=*/false, text) == 0 &&
         hashBytes(text) == *file.content;
}

bool tilerun::cache::isCurrent(const Manifest &manifest) {
  for (const ManifestFile &file : manifest.files)
    if (!::isCurrent(file))
      return false;
  return true;
}

static Key readKey(ByteReader &reader) {
  Key key;
  llvm::ArrayRef<uint8_t> bytes = reader.getBytes();
  if (bytes.size() == key.bytes.size())
    std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  return key;
}

std::optional<Manifest> tilerun::cache::findManifest(DiskCache &disk, const Key &key) {
  std::optional<std::vector<uint8_t>> stored = disk.get(key, EntryKind::Manifest);
  if (!stored)
    return std::nullopt;
  ByteReader reader(*stored);
  Manifest manifest;
  uint32_t count = reader.getCount(10);
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    ManifestFile &file = manifest.files.emplace_back();
    file.path = reader.getText();
    file.exists = reader.get<uint8_t>() != 0;
    if (reader.get<uint8_t>())
      file.content = readKey(reader);
  }
  manifest.artifact = readKey(reader);
  manifest.note = reader.getText();
  if (!reader.finished()) {
    disk.reject(key, "it is no manifest in this version's form");
    return std::nullopt;
  }
  if (!isCurrent(manifest))
    return std::nullopt;
  return manifest;
}

bool tilerun::cache::storeManifest(DiskCache &disk, const Key &key, const Manifest &manifest) {
  ByteWriter writer;
  writer.add<uint32_t>(manifest.files.size());
  for (const ManifestFile &file : manifest.files) {
    writer.addText(file.path);
    writer.add<uint8_t>(file.exists);
    writer.add<uint8_t>(file.content.has_value());
    if (file.content)
      writer.addBytes(file.content->bytes);
  }
  writer.addBytes(manifest.artifact.bytes);
  writer.addText(manifest.note);
  return disk.put(key, EntryKind::Manifest, writer.take());
}
