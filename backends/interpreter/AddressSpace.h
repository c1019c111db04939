// Addresses for allocations, scattered over a reserved range of the address space: an address that
// left its allocation is practically certain to hit no other. The reservation costs nothing until
// it is used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>

namespace tilerun::interp {

/// Not thread-safe.
class AddressSpace {
public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace &) = delete;
  AddressSpace &operator=(const AddressSpace &) = delete;

  /// Zeroed memory at a random address, a multiple of 4,096. Nothing where the system refuses, or
  /// where no room is found.
  std::optional<uint64_t> take(uint64_t bytes);
  /// False for an address that `take` did not give.
  bool giveBack(uint64_t address);

private:
  bool isFree(uint64_t begin, uint64_t bytes) const;

  uint64_t base = 0, size = 0;        ///< 0: nothing could be reserved.
  std::map<uint64_t, uint64_t> taken; ///< Size by address.
  std::mt19937_64 random{std::random_device{}()};
};

} // namespace tilerun::interp
