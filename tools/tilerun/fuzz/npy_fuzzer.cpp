// Feeds arbitrary bytes to the `.npy` reader; what it accepts must survive writing and reading.
#include "tools/tilerun/host/Npy.h"

#include <cstring>

using namespace tilerun;
using namespace tilerun::host;

static void check(bool condition) {
  if (!condition)
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<uint8_t> bytes(data, size);
  for (std::optional<DType> as : {std::optional<DType>(), std::optional(dtype(Scalar::BF16)),
                                  std::optional(dtype(Scalar::F8E4NV))}) {
    llvm::Expected<Tensor> tensor = parseNpy(bytes, as);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    std::vector<uint8_t> written = formatNpy(*tensor);
    llvm::Expected<Tensor> again = parseNpy(written, tensor->dtype);
    check(static_cast<bool>(again));
    check(again->shape == tensor->shape && again->dtype == tensor->dtype);
    llvm::ArrayRef<uint8_t> a = tensor->storage->bytes(), b = again->storage->bytes();
    check(a.size() == b.size() && (a.empty() || !std::memcmp(a.data(), b.data(), a.size())));
  }
  return 0;
}
