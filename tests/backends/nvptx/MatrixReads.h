// The other side of backends/nvptx/MatrixDescriptor.h, for tests: from which address wgmma takes an
// element. Written from the PTX ISA's description of its canonical layouts: core matrices, strides,
// and the swizzle as XOR of address bits.
#pragma once

#include <cstdint>

namespace tilerun::test {

/// Where the hardware reads element (row, k) of an operand: `row` counts along the dimension that
/// is not summed over.
inline uint64_t matrixReadAddress(uint64_t descriptor, bool isKMajor, uint64_t row, uint64_t k,
                                  unsigned elementBytes) {
  uint64_t start = (descriptor & 0x3fff) * 16;
  uint64_t leading = ((descriptor >> 16) & 0x3fff) * 16,
           stride = ((descriptor >> 32) & 0x3fff) * 16;
  unsigned mode = descriptor >> 62;
  uint64_t width = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16;
  uint64_t address = start;
  if (isKMajor) {
    uint64_t byte = k * elementBytes;
    address += row / 8 * stride + row % 8 * width;
    // Without a swizzle the two halves of a step lie `leading` apart.
    address += mode ? byte : byte / 16 * leading + byte % 16;
  } else {
    uint64_t byte = row * elementBytes;
    if (mode)
      address += byte / width * leading + byte % width + k / 8 * stride + k % 8 * width;
    else
      address += byte / 16 * stride + byte % 16 + k / 8 * leading + k % 8 * 16;
  }
  // Bits 7 to 9 of the address are XORed into bits 4 to 6, as many as the width has.
  uint64_t mask = mode == 1 ? 7 : mode == 2 ? 3 : mode == 3 ? 1 : 0;
  return address ^ (((address >> 7) & mask) << 4);
}

} // namespace tilerun::test
