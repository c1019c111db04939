// See MatrixTile.h.
#include "ir/layout/MatrixTile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilerun::layout;

static constexpr unsigned kLineBytes = MatrixTile::kMostLineBytes,
                          kChunkBytes = MatrixTile::kChunkBytes;

namespace {
/// How the 128-byte rows of a tile are divided.
struct RowBits {
  unsigned sharing; ///< So many bits of a line's number tell the lines of one row apart.
  unsigned line;    ///< Bits of a chunk's number in its line.
  unsigned row;     ///< Bits of a chunk's number in its row.
};
/// Of a bit of a line's number, the bits of a chunk's number that it changes; the one above those
/// of a row is that of the row's own number.
using ChunkBits = llvm::function_ref<unsigned(unsigned bit, RowBits bits)>;
} // namespace

/// Lines that follow each other along the outer dimension, in rows of 128 bytes, whose chunks are
/// permuted by bits of the line's number.
static LinearLayout permutedLines(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                  unsigned elementBytes, ChunkBits chunkBits) {
  unsigned innerBits = llvm::Log2_64(shape[inner]), outerBits = llvm::Log2_64(shape[1 - inner]);
  unsigned lineBits = std::min(innerBits, llvm::Log2_32(kLineBytes / elementBytes));
  unsigned chunk = std::min(lineBits, llvm::Log2_32(kChunkBytes / elementBytes));
  unsigned sharing = llvm::Log2_32(kLineBytes / elementBytes) - lineBits;
  DimList outs{Dim(dimName(0), llvm::Log2_64(shape[0])), Dim(dimName(1), llvm::Log2_64(shape[1]))};
  BitVectors bases;
  auto at = [&](uint64_t line, uint64_t column) {
    llvm::SmallVector<uint64_t, 2> coordinates(2);
    coordinates[inner] = column;
    coordinates[1 - inner] = line;
    return LinearLayout::pack(outs, coordinates);
  };
  for (unsigned bit = 0; bit < lineBits; ++bit)
    bases.push_back(at(0, uint64_t(1) << bit));
  for (unsigned bit = 0; bit < std::min(sharing, outerBits); ++bit)
    bases.push_back(at(uint64_t(1) << bit, 0));
  const RowBits bits{sharing, lineBits - chunk, unsigned(bases.size()) - chunk};
  for (unsigned bit = sharing; bit < outerBits; ++bit) {
    uint64_t line = at(uint64_t(1) << bit, 0);
    const unsigned moved = chunkBits(bit, bits);
    for (unsigned chunkBit = 0; chunkBit < bits.row + (bit > sharing); ++chunkBit)
      if (moved >> chunkBit & 1)
        line ^= bases[chunk + chunkBit];
    bases.push_back(line);
  }
  for (unsigned bit = lineBits; bit < innerBits; ++bit)
    bases.push_back(at(0, uint64_t(1) << bit));
  return LinearLayout({Dim(kOffset, innerBits + outerBits)}, outs, bases);
}

LinearLayout tilerun::layout::swizzledTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                           unsigned elementBytes) {
  // The chunks of a line are permuted by the row's number in its group of eight.
  return permutedLines(shape, inner, elementBytes, [](unsigned bit, RowBits bits) {
    unsigned chunkBit = bit - bits.sharing;
    return chunkBit < bits.line ? 1u << chunkBit : 0;
  });
}

LinearLayout tilerun::layout::crossedTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                          unsigned elementBytes) {
  // Where threads cross lines, the chunks of the whole row are permuted, by each bit of its number.
  return permutedLines(shape, inner, elementBytes, [](unsigned bit, RowBits bits) {
    return bits.row ? 1u << (bit - bits.sharing) % bits.row : 0;
  });
}

LinearLayout tilerun::layout::turnedTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                         unsigned elementBytes) {
  return permutedLines(shape, inner, elementBytes, [elementBytes](unsigned bit, RowBits bits) {
    // Lines in 256 bytes do not meet each other's banks. Of the bits above, those that a transposed
    // read has together change different bits: 1, 2 or 3, and of bytes 4 or 5. So do the pairs of 2
    // and 3, and 3 and 4, in which lines of a read of 16 bytes differ. Lines that differ in others
    // are at constant distances, which are part of an instruction.
    static constexpr unsigned images[] = {0, 4, 2, 3, 1, 1};
    const unsigned last = elementBytes == 1 ? 5 : 3;
    // Elements of 4 bytes are not read so, but stored across lines, by eight lanes to lines that
    // are 2 or 4 apart, over 32 banks, and read one by one: 32 of two lines, or 16 of four, that
    // are any power of two apart. Each bit changes the row's place in 256 bytes, and every other
    // one the half of the row. In lines of 64 bytes they are only stored across lines.
    static constexpr unsigned ofWords[] = {0, 8 | 4, 8 | 2, 8 | 7, 8 | 1};
    if (elementBytes == 4 && bit && bit <= 4 && bits.line == 3)
      return ofWords[bit];
    if (bit == 4 && elementBytes == 4)
      return bits.row == 3 ? 4u : 0u;
    if (bit <= bits.sharing || bit > last || !bits.line)
      return 0u;
    // In lines of fewer chunks the highest bit stands for those that they lack.
    const unsigned chunks = 1u << bits.line, image = images[bit];
    return image < chunks ? image : chunks / 2;
  });
}

bool tilerun::layout::isReadTransposed(const LinearLayout &reader, unsigned inner,
                                       unsigned elementBytes) {
  constexpr unsigned kRunBytes = 8, kLaneBits = 4;
  if (elementBytes > 2)
    return false;
  const unsigned run = kRunBytes / elementBytes, runBits = llvm::Log2_32(run);
  if (reader.inBits(kLane) < kLaneBits || reader.inBits(kRegister) < runBits)
    return false;
  for (const Dim &in : reader.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t along = reader.getBasis(in.name, bit, dimName(inner));
      // Lanes have the elements of a run; everything else moves by whole runs.
      bool isInRun = in.name == kLane && bit < runBits;
      if (isInRun ? along != uint64_t(1) << bit || reader.getBasis(in.name, bit, dimName(1 - inner))
                  : along % run)
        return false;
    }
  return true;
}

uint64_t MatrixTile::lineBytes() const {
  return std::min<uint64_t>(uint64_t(shape[inner]) * elementBytes, kMostLineBytes);
}

unsigned MatrixTile::swizzleBytes() const {
  return lineBytes() > kChunkBytes ? unsigned(lineBytes()) : 0;
}

uint64_t MatrixTile::plainByte(uint64_t row, uint64_t column) const {
  uint64_t line = inner == 1 ? row : column;
  uint64_t along = (inner == 1 ? column : row) * elementBytes;
  return (along / lineBytes() * lines() + line) * lineBytes() + along % lineBytes();
}

uint64_t MatrixTile::permute(uint64_t byte) const {
  uint64_t chunks = std::max(swizzleBytes(), kChunkBytes) / kChunkBytes;
  uint64_t row = byte / kMostLineBytes % chunks;
  return byte ^ (row * kChunkBytes);
}

bool MatrixTile::isOperand(unsigned summed, unsigned k) const {
  return lineBytes() >= kChunkBytes && lines() >= kGroupLines &&
         (inner != summed || uint64_t(k) * elementBytes <= lineBytes());
}

bool MatrixTile::canStartAt(uint64_t row, uint64_t column) const {
  uint64_t line = inner == 1 ? row : column;
  uint64_t along = (inner == 1 ? column : row) * elementBytes;
  return line % kGroupLines == 0 && along % kChunkBytes == 0;
}
