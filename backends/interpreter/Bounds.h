// The memory that the accesses of a launch may touch, and the message about an access outside it.
//
// An access belongs to the allocation that its pointer came from: the decoder finds the parameters
// that an address can be derived from (Origins.h), and a launch knows the memory behind each. So a
// row of a tile costs one comparison with one range. Only addresses that were made of integers or
// read from memory are looked up among all allocations.
#pragma once

#include "backends/interpreter/Heap.h"
#include "backends/interpreter/Program.h"

#include <optional>

namespace tilerun::interp {

class Bounds {
public:
  /// `enforced`: otherwise everything except null pointers passes. `hostMemory`: pointers may point
  /// to the host's own memory, which the heap does not know.
  Bounds(const Heap &heap, const Program &program, llvm::ArrayRef<LaunchArgument> arguments,
         bool enforced, bool hostMemory);

  /// The memory that accesses of an origin may touch, except that only `find` can tell for an
  /// unknown one.
  llvm::ArrayRef<Range> getRanges(uint32_t origin) const { return ranges[origin]; }
  /// A range for each origin of the program, where a thread looks first.
  std::vector<Range> getFirstRanges() const;
  /// The range that holds all of an access; none if it is not allowed. `knownOnly`: nor in host
  /// memory of unknown extent.
  std::optional<Range> find(uint32_t origin, uint64_t address, uint64_t bytes,
                            bool knownOnly = false) const;

  /// "'x'[3, 0]", or in bytes where the address is not an element's.
  std::string describe(uint32_t origin, uint64_t address) const;
  /// "read of 4 bytes at 'x'[1000], outside of its shape [1000]; is a mask missing?"
  std::string describeFault(const Step &step, llvm::StringRef access, uint64_t address,
                            unsigned bytes) const;
  /// The memory that an address is in was freed.
  bool isFreed(uint64_t address, unsigned bytes) const;

private:
  /// Whether a byte is in an allocation, including freed ones, or in memory that the host declared.
  bool isKnown(uint64_t address) const;
  struct Pointer {
    Range range;                                  ///< The memory that it may reach.
    std::shared_ptr<const Allocation> allocation; ///< Null: the heap does not know it.
    bool isKnown = false;                         ///< False: it may reach everything.
  };
  /// The parameter relative to which an address is reported; none if none is near.
  std::optional<size_t> findNearest(uint32_t origin, uint64_t address) const;
  std::string describeOutside(size_t argument, uint64_t address, unsigned bytes) const;
  /// The parameter whose memory holds an address, other than `besides`; "" if there is none.
  std::string findOwner(uint64_t address, std::optional<size_t> besides) const;

  const Heap &heap;
  const Program &program;
  llvm::ArrayRef<LaunchArgument> arguments;
  const bool enforced, hostMemory;
  std::vector<Pointer> pointers;                   ///< By argument.
  std::vector<llvm::SmallVector<Range, 2>> ranges; ///< By origin.
};

} // namespace tilerun::interp
