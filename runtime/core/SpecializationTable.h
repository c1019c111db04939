// The specializations of a kernel by key; readers take no lock. Entries are never removed while the
// table lives; those of a closed device stay, and are never found again. Most launches are like
// the previous one, so the entry found last is tried first, before any hashing.
#pragma once

#include "runtime/core/Arguments.h"

#include <atomic>

namespace tilerun::core {

struct Specialization;

class SpecializationTable {
public:
  SpecializationTable();
  ~SpecializationTable();
  SpecializationTable(const SpecializationTable &) = delete;
  SpecializationTable &operator=(const SpecializationTable &) = delete;

  /// Null if there is none.
  [[gnu::always_inline]] const Specialization *find(const SpecializationKey &key) const {
    const Entry *last = recent.load(std::memory_order_acquire);
    if (last && key == last->words) [[likely]]
      return last->value.get();
    return findByHash(key);
  }
  /// Of a key that is not there. For one thread at a time.
  void insert(const SpecializationKey &key, std::shared_ptr<const Specialization> value);

private:
  struct Entry {
    uint64_t hash;
    std::vector<uint64_t> words;
    std::shared_ptr<const Specialization> value;
  };
  struct Slots {
    explicit Slots(uint64_t size) : mask(size - 1), entries(size) {}
    uint64_t mask;
    std::vector<std::atomic<const Entry *>> entries; ///< Half of them are null at least.
  };
  static void place(Slots &slots, const Entry *entry);
  const Specialization *findByHash(const SpecializationKey &key) const;

  std::atomic<const Slots *> current;
  mutable std::atomic<const Entry *> recent{nullptr};
  std::vector<std::unique_ptr<Slots>> generations; ///< Readers may still be in an old one.
  std::vector<std::unique_ptr<Entry>> entries;
};

} // namespace tilerun::core
