// What a kernel was compiled to, by key: readers take no lock. Entries are never removed while the
// table lives; a device that was closed leaves its entries behind, which nothing finds again.
#pragma once

#include "runtime/core/Arguments.h"

namespace tilerun::core {

struct Specialization;

class SpecializationTable {
public:
  SpecializationTable();
  ~SpecializationTable();
  SpecializationTable(const SpecializationTable &) = delete;
  SpecializationTable &operator=(const SpecializationTable &) = delete;

  /// Null if there is none.
  const Specialization *find(const SpecializationKey &key) const {
    const Slots *slots = current.load(std::memory_order_acquire);
    uint64_t hash = key.getHash();
    for (uint64_t at = hash & slots->mask;; at = (at + 1) & slots->mask) {
      const Entry *entry = slots->entries[at].load(std::memory_order_acquire);
      if (!entry)
        return nullptr;
      if (entry->hash == hash && entry->words.size() == key.getSize() &&
          std::memcmp(entry->words.data(), key.getWords(), key.getSize() * sizeof(uint64_t)) == 0)
        return entry->value.get();
    }
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

  std::atomic<const Slots *> current;
  std::vector<std::unique_ptr<Slots>> generations; ///< Readers may still be in an old one.
  std::vector<std::unique_ptr<Entry>> entries;
};

} // namespace tilerun::core
