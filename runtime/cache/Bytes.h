// Little-endian reading and writing of stored values. The reader never reads past its end: after
// the first thing that does not fit it gives zeros, and says so at the end.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

#include <string>
#include <vector>

namespace tilerun::cache {

class ByteWriter {
public:
  template <typename T> void add(T value) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    llvm::support::endian::write<T>(bytes.data() + at, value, llvm::endianness::little);
  }
  void addBytes(llvm::ArrayRef<uint8_t> value) {
    add<uint64_t>(value.size());
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  void addText(llvm::StringRef value) { addBytes({value.bytes_begin(), value.size()}); }
  std::vector<uint8_t> take() { return std::move(bytes); }

private:
  std::vector<uint8_t> bytes;
};

class ByteReader {
public:
  explicit ByteReader(llvm::ArrayRef<uint8_t> bytes) : rest(bytes) {}
  template <typename T> T get() {
    if (rest.size() < sizeof(T)) {
      fail();
      return T();
    }
    T value = llvm::support::endian::read<T>(rest.data(), llvm::endianness::little);
    rest = rest.drop_front(sizeof(T));
    return value;
  }
  llvm::ArrayRef<uint8_t> getBytes() {
    uint64_t size = get<uint64_t>();
    if (size > rest.size()) {
      fail();
      return {};
    }
    llvm::ArrayRef<uint8_t> value = rest.take_front(size);
    rest = rest.drop_front(size);
    return value;
  }
  std::string getText() {
    llvm::ArrayRef<uint8_t> value = getBytes();
    return std::string(value.begin(), value.end());
  }
  /// A number of items of at least `leastBytes` each; 0 where so many cannot follow.
  uint32_t getCount(size_t leastBytes) {
    uint32_t count = get<uint32_t>();
    if (count <= rest.size() / leastBytes)
      return count;
    fail();
    return 0;
  }
  bool failed() const { return bad; }
  /// Whether everything fitted and nothing is left.
  bool finished() const { return !bad && rest.empty(); }
  /// As if something did not fit.
  void fail() {
    bad = true;
    rest = {};
  }

private:
  llvm::ArrayRef<uint8_t> rest;
  bool bad = false;
};

} // namespace tilerun::cache
