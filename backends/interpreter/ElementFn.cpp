// Runs an elementwise function with conversions around it, a small chunk at a time so that the
// converted values stay in the innermost cache.
#include "backends/interpreter/ElementFn.h"

#include <algorithm>
#include <cassert>

using namespace tilerun::interp;

void Kernel::apply(const char *const *in, char *const *out, size_t n) const {
  bool converts = false;
  for (unsigned i = 0; i < numOperands; ++i)
    converts |= convertIn[i] != nullptr;
  for (unsigned i = 0; i < numResults; ++i)
    converts |= convertOut[i] != nullptr;
  if (!converts) {
    assert(fn && "a kernel does something");
    fn(in, out, n);
    return;
  }

  constexpr size_t kChunk = 256;
  alignas(64) char operandBuffers[kMaxElementOperands][kChunk * sizeof(double)];
  alignas(64) char resultBuffers[kMaxElementResults][kChunk * sizeof(double)];
  for (size_t start = 0; start < n; start += kChunk) {
    const size_t count = std::min(kChunk, n - start);
    const char *operands[kMaxElementOperands];
    char *results[kMaxElementResults];
    for (unsigned i = 0; i < numOperands; ++i) {
      operands[i] = in[i] + start * sizeIn[i];
      if (convertIn[i]) {
        convertIn[i](operands[i], operandBuffers[i], count);
        operands[i] = operandBuffers[i];
      }
    }
    for (unsigned i = 0; i < numResults; ++i)
      results[i] = convertOut[i] ? resultBuffers[i] : out[i] + start * sizeOut[i];
    if (fn)
      fn(operands, results, count);
    for (unsigned i = 0; i < numResults; ++i)
      if (convertOut[i])
        convertOut[i](fn ? results[i] : operands[i], out[i] + start * sizeOut[i], count);
      else if (!fn)
        std::copy_n(operands[i], count * sizeOut[i], results[i]);
  }
}
