// The integer storage types as templates see them: how to read a value as signed, and how to cut a
// result to the width.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tilerun::interp {

template <class StorageT, unsigned BitsV> struct Int {
  using U = StorageT;
  using S = std::make_signed_t<U>;
  /// Wide enough that nothing is promoted to a signed type.
  using W = std::conditional_t<sizeof(U) < 4, uint32_t, U>;
  static constexpr unsigned kBits = BitsV;
  static constexpr U kMask = BitsV == 1 ? 1 : U(~U(0));
  static constexpr U kSignBit = U(U(1) << (BitsV - 1));
  static S toSigned(U v) { return BitsV == 1 ? S(-S(v)) : S(v); }
  static U wrap(W v) { return U(v & kMask); }
};

using Int1 = Int<uint8_t, 1>;
using Int8 = Int<uint8_t, 8>;
using Int16 = Int<uint16_t, 16>;
using Int32 = Int<uint32_t, 32>;
using Int64 = Int<uint64_t, 64>;

} // namespace tilerun::interp
