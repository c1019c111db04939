// The plugin's artifacts from arbitrary bytes: reading ends, stays inside the bytes, and what is
// read is written as the same bytes again. The header is made valid first, as an attacker would do:
// otherwise the checksum would reject everything.
#include "plugins/vulkan/Artifact.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>

using namespace vulkan;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace llvm::support::endian;
  std::vector<uint8_t> bytes = encodeArtifact({});
  constexpr size_t kHeaderBytes = 32;
  bytes.resize(kHeaderBytes);
  bytes.insert(bytes.end(), data, data + size);
  bytes.shrink_to_fit();
  write64le(&bytes[16], bytes.size());
  write64le(&bytes[24], llvm::xxh3_64bits(llvm::ArrayRef(bytes).drop_front(kHeaderBytes)));
  llvm::Expected<ArtifactContent> content = decodeArtifact(bytes);
  if (!content) {
    llvm::consumeError(content.takeError());
    return 0;
  }
  if (encodeArtifact(*content) != bytes)
    std::abort();
  return 0;
}
