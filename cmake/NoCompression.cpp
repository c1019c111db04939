// LLVM's compression functions (and the checksum that it takes from zlib) for programs that carry
// LLVM and neither zlib nor zstd: none is available, and callers ask first. Linked before LLVM's
// archives, so that theirs stay out.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace llvm::compression;

static Error unavailable() {
  return createStringError("compressed data cannot be read: this build has no zlib and no zstd");
}

bool zlib::isAvailable() { return false; }
void zlib::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, int) {
  llvm_unreachable("zlib is not available");
}
Error zlib::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) { return unavailable(); }
Error zlib::decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) {
  return unavailable();
}
bool zstd::isAvailable() { return false; }
void zstd::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, int, bool) {
  llvm_unreachable("zstd is not available");
}
Error zstd::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) { return unavailable(); }
Error zstd::decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) {
  return unavailable();
}
const char *compression::getReasonIfUnsupported(Format) {
  return "this build has no zlib and no zstd";
}
void compression::compress(Params, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &) {
  llvm_unreachable("no compression is available");
}
Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>, uint8_t *, size_t) {
  return unavailable();
}
Error compression::decompress(Format, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) {
  return unavailable();
}
Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &,
                              size_t) {
  return unavailable();
}

// zlib's checksum (ISO 3309, reflected polynomial), a bit at a time: speed does not matter here.
uint32_t llvm::crc32(uint32_t crc, ArrayRef<uint8_t> data) {
  crc = ~crc;
  for (uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}
uint32_t llvm::crc32(ArrayRef<uint8_t> data) { return crc32(0, data); }
void JamCRC::update(ArrayRef<uint8_t> data) { CRC = ~crc32(~CRC, data); }
