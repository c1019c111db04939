// Little-endian writing and reading of stored values. `Size` is the type in which the lengths of
// texts and blocks are stored.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilerun::plugin_support {

static_assert(std::endian::native == std::endian::little, "values are stored as they are");

template <typename Size> class ByteWriter {
public:
  template <typename T> void add(T value) { append(&value, sizeof(T)); }
  void addBytes(std::span<const uint8_t> value) {
    add(static_cast<Size>(value.size()));
    append(value.data(), value.size());
  }
  void addText(std::string_view value) {
    addBytes({reinterpret_cast<const uint8_t *>(value.data()), value.size()});
  }
  std::vector<uint8_t> take() { return std::move(bytes); }

private:
  void append(const void *from, size_t count) {
    const auto *begin = static_cast<const uint8_t *>(from);
    bytes.insert(bytes.end(), begin, begin + count);
  }
  std::vector<uint8_t> bytes;
};

/// Never reads past its end: after the first value that does not fit it gives zeros, and says so at
/// the end.
template <typename Size> class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : rest(bytes) {}
  template <typename T> T get() {
    T value = {};
    if (auto found = takeFront(sizeof(T)); !found.empty())
      std::memcpy(&value, found.data(), sizeof(T));
    return value;
  }
  std::span<const uint8_t> getBytes() { return takeFront(get<Size>()); }
  /// A text of the ABI, which ends at its first NUL: one inside does not fit.
  std::string getText() {
    std::span<const uint8_t> found = getBytes();
    std::string text(found.begin(), found.end());
    if (text.find('\0') != std::string::npos)
      fail();
    return text;
  }
  /// A number of items of at least `leastBytes` each; 0 where so many cannot follow.
  uint32_t getCount(size_t leastBytes) {
    const auto count = get<uint32_t>();
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
  std::span<const uint8_t> takeFront(uint64_t count) {
    if (count > rest.size()) {
      fail();
      return {};
    }
    std::span<const uint8_t> front = rest.first(count);
    rest = rest.subspan(count);
    return front;
  }
  std::span<const uint8_t> rest;
  bool bad = false;
};

} // namespace tilerun::plugin_support
