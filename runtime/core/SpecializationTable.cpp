// Insertion into the table of specializations.
#include "runtime/core/SpecializationTable.h"

#include "runtime/core/Kernel.h"

using namespace tilerun::core;

static constexpr uint64_t kFirstSize = 16;

SpecializationTable::SpecializationTable() {
  generations.push_back(std::make_unique<Slots>(kFirstSize));
  current.store(generations.back().get(), std::memory_order_release);
}

SpecializationTable::~SpecializationTable() = default;

void SpecializationTable::place(Slots &slots, const Entry *entry) {
  uint64_t at = entry->hash & slots.mask;
  while (slots.entries[at].load(std::memory_order_relaxed))
    at = (at + 1) & slots.mask;
  slots.entries[at].store(entry, std::memory_order_release);
}

const Specialization *SpecializationTable::findByHash(const SpecializationKey &key) const {
  const Slots *slots = current.load(std::memory_order_acquire);
  uint64_t hash = key.getHash();
  for (uint64_t at = hash & slots->mask;; at = (at + 1) & slots->mask) {
    const Entry *entry = slots->entries[at].load(std::memory_order_acquire);
    if (!entry)
      return nullptr;
    if (entry->hash == hash && key == entry->words) {
      recent.store(entry, std::memory_order_release);
      return entry->value.get();
    }
  }
}

void SpecializationTable::insert(const SpecializationKey &key,
                                 std::shared_ptr<const Specialization> value) {
  const uint64_t *words = key.getWords();
  entries.push_back(std::make_unique<Entry>(
      Entry{key.getHash(), std::vector<uint64_t>(words, words + key.getSize()), std::move(value)}));
  Slots &slots = *generations.back();
  if (entries.size() * 2 <= slots.entries.size()) {
    place(slots, entries.back().get());
    return;
  }
  auto larger = std::make_unique<Slots>(slots.entries.size() * 2);
  for (const auto &entry : entries)
    place(*larger, entry.get());
  current.store(larger.get(), std::memory_order_release);
  generations.push_back(std::move(larger));
}
