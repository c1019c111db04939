// Stored artifacts from arbitrary bytes: reading ends, stays inside the bytes, and what is read is
// stored as the same bytes again.
#include "runtime/cache/Artifact.h"

#include <cstdlib>

using namespace tilerun::cache;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<uint8_t> bytes(data, size);
  if (std::shared_ptr<const Artifact> artifact = Artifact::parse(bytes))
    if (llvm::ArrayRef(artifact->serialize()) != bytes)
      std::abort();
  return 0;
}
