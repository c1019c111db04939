// The memory that programs address: host memory in labelled allocations far from each other, freed
// ones remembered for a while to distinguish a use after free from any other bad address. Records
// which bytes were ever written.
#pragma once

#include "backends/interpreter/AddressSpace.h"
#include "backends/interpreter/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilerun::interp {

/// Which bytes of an allocation have been written: all, none, or a bitmap once it matters.
class WrittenBytes {
public:
  explicit WrittenBytes(uint64_t size) : size(size) {}
  void markAll();
  void clear();
  void mark(uint64_t offset, uint64_t count);
  bool contains(uint64_t offset, uint64_t count) const;
  bool isClear() const { return !all && bits.empty(); } ///< Nothing was written.
  uint64_t count() const;

private:
  uint64_t size;
  bool all = false;
  std::vector<uint64_t> bits; ///< Empty: see `all`.
};

struct Allocation {
  Allocation(uint64_t base, uint64_t size, llvm::StringRef label)
      : base(base), size(size), label(label), written(size) {}
  uint64_t base, size;
  std::string label;
  bool live = true;
  bool fresh = true; ///< Its bytes are as the system gave them.
  WrittenBytes written;
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base && bytes <= size && address - base <= size - bytes;
  }
};

/// Thread-safe, except that launches and copies that use one allocation need ordering by the
/// caller.
class Heap {
public:
  /// `limit`: bytes that may be live at once.
  explicit Heap(uint64_t limit) : limit(limit) {}
  ~Heap();
  Heap(const Heap &) = delete;
  Heap &operator=(const Heap &) = delete;

  llvm::Expected<uint64_t> allocate(uint64_t bytes, llvm::StringRef label);
  llvm::Error free(uint64_t address);
  llvm::Error copyIn(uint64_t to, llvm::ArrayRef<uint8_t> from);
  llvm::Error copyOut(llvm::MutableArrayRef<uint8_t> to, uint64_t from);
  llvm::Error poison(uint64_t address);
  /// Before a run: fills the unwritten memory behind these pointers with NaNs, each time. Other
  /// memory that it may write no longer counts as fresh from the system.
  void beginRun(llvm::ArrayRef<uint64_t> pointers);
  /// Copies between two ranges that do not overlap, each inside one live allocation.
  llvm::Error copyWithin(uint64_t to, uint64_t from, uint64_t bytes);
  /// Repeats `pattern` over `bytes`, a multiple of its size.
  llvm::Error fill(uint64_t to, llvm::ArrayRef<uint8_t> pattern, uint64_t bytes);

  /// The live allocation that holds an address; null if there is none.
  std::shared_ptr<const Allocation> find(uint64_t address) const;
  /// The allocation, live or freed, that a pointer at an address was made from: it may point past
  /// the last byte. Null if there is none.
  std::shared_ptr<const Allocation> findOrigin(uint64_t address) const;
  uint64_t getLiveBytes() const;
  /// All allocations by address, freed ones among them.
  std::vector<std::shared_ptr<Allocation>> snapshot() const;
  /// After an unchecked run, any byte may have been written.
  void assumeAllWritten();

private:
  /// The allocation that begins at an address, or an error that says what is wrong with it.
  llvm::Expected<std::shared_ptr<Allocation>> findExact(uint64_t address,
                                                        llvm::StringRef call) const;
  llvm::Expected<std::shared_ptr<Allocation>> findRange(uint64_t address, uint64_t bytes,
                                                        llvm::StringRef call) const;

  /// Before `bytes` of an allocation are written: the others are NaNs until they are, too.
  static void prepare(Allocation &allocation, uint64_t bytes);
  uint64_t takeMemory(uint64_t bytes);
  void giveMemoryBack(uint64_t address);

  mutable std::mutex mutex;
  AddressSpace space;
  const uint64_t limit;
  uint64_t liveBytes = 0, quarantinedBytes = 0;
  std::map<uint64_t, std::shared_ptr<Allocation>> byAddress;
  std::deque<std::shared_ptr<Allocation>> quarantine; ///< Freed, memory still held, oldest first.
};

} // namespace tilerun::interp
