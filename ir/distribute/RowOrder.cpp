// See RowOrder.h.
//
// Bits of a row's number that registers have become the lowest ones, which are neighbours in a
// line: so an access is as wide as the thread has such rows, or as the target allows. For those of
// lanes every choice of places is tried, a few dozen, until one has no
// conflicts; those of warps make no difference and get the rest.
#include "ir/distribute/RowOrder.h"
#include "ir/layout/ByteMatrices.h"
#include "ir/layout/TensorLayout.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

LinearLayout distribute::reorderRows(const LinearLayout &layout, unsigned rows,
                                     llvm::ArrayRef<unsigned> places) {
  DimList dims(layout.getOuts().begin(), layout.getOuts().end());
  BitVectors bases;
  for (const Dim &dim : dims)
    for (unsigned bit = 0; bit < dim.bits; ++bit) {
      unsigned place = dim.name == dimName(rows) ? places[bit] : bit;
      bases.push_back(uint64_t(1) << (layout.outShift(dim.name) + place));
    }
  return layout.compose(LinearLayout(dims, dims, bases));
}

/// The bits of a row's number that the input `in` has, in the order of its bits.
static llvm::SmallVector<unsigned, 8> rowsOf(const LinearLayout &fragments, unsigned rows,
                                             llvm::StringRef in) {
  llvm::SmallVector<unsigned, 8> found;
  for (unsigned bit = 0; bit < fragments.inBits(in); ++bit)
    if (uint64_t row = fragments.getBasis(in, bit, dimName(rows)))
      found.push_back(llvm::countr_zero(row));
  return found;
}

RowOrder distribute::byteRowOrder(const LinearLayout &fragments, unsigned rows,
                                  const LinearLayout &memory, const SharedMemoryModel &model) {
  constexpr unsigned kBytes = 16, kRowBits = 4, kWordBytes = 4;
  unsigned rowBits = fragments.outBits(dimName(rows));
  llvm::SmallVector<unsigned, 8> first{rowsOf(fragments, rows, kRegister).front()};
  first.append(rowsOf(fragments, rows, kLane));
  assert(first.size() == kRowBits && "sixteen rows of a warp");
  RowOrder order;
  order.places.assign(rowBits, 0);
  for (unsigned bit = 0, next = kRowBits; bit < rowBits; ++bit) {
    const unsigned *found = llvm::find(first, bit);
    order.places[bit] = found != first.end() ? unsigned(found - first.begin()) : next++;
  }
  // A row of a matrix for each lane; beyond two matrices everything is alike.
  DimList outs(memory.getOuts().begin(), memory.getOuts().end());
  BitVectors bases;
  for (uint64_t line : kLinesOfByteMatrices)
    bases.push_back(line << memory.outShift(dimName(1 - rows)));
  LinearLayout lines({Dim(kLane, unsigned(bases.size()))}, outs, bases);
  order.read.vectorElements = kBytes;
  order.read.instructions =
      std::max<uint64_t>(1, (uint64_t(1) << fragments.inBits(kRegister)) / kBytes);
  order.read.phases = kWordBytes;
  order.read.conflicts = bankConflicts(lines.compose(*memory.invert()), 1, kBytes, model);
  return order;
}

namespace {
class RowOrderSearch {
public:
  RowOrderSearch(const LinearLayout &fragments, unsigned rows, const LinearLayout &memory,
                 unsigned elementBytes, const SharedMemoryModel &model)
      : fragments(fragments), rows(rows), memory(memory), bytes(elementBytes), model(model),
        rowBits(fragments.outBits(dimName(rows))) {}

  RowOrder run();

private:
  /// Tries all places below `end` for the lanes' bits from number `index` on; true: it is as good
  /// as it can be.
  bool placeLanes(unsigned index, unsigned end);
  bool finish();

  const LinearLayout &fragments;
  unsigned rows;
  const LinearLayout &memory;
  unsigned bytes;
  const SharedMemoryModel &model;
  unsigned rowBits;
  llvm::SmallVector<unsigned, 8> lanes, rest;
  llvm::SmallVector<int, 8> places; ///< Of bits that have none yet: -1.
  uint64_t taken = 0;               ///< Places.
  std::optional<RowOrder> best;
};
} // namespace

bool RowOrderSearch::finish() {
  RowOrder order;
  for (int place : places)
    order.places.push_back(place < 0 ? 0 : unsigned(place));
  unsigned next = 0;
  for (unsigned bit : rest) {
    while ((taken >> next) & 1)
      ++next;
    order.places[bit] = next++;
  }
  std::optional<SharedAccess> read =
      accessShared(reorderRows(fragments, rows, order.places), memory, bytes, model);
  assert(read && "the memory holds all of the tensor");
  order.read = std::move(*read);
  bool isFree = order.read.conflicts == 0;
  if (!best || order.read.wavefronts() < best->read.wavefronts())
    best = std::move(order);
  return isFree;
}

bool RowOrderSearch::placeLanes(unsigned index, unsigned end) {
  if (index == lanes.size())
    return finish();
  for (unsigned place = 0; place < end; ++place) {
    uint64_t bit = uint64_t(1) << place;
    if (taken & bit)
      continue;
    taken |= bit;
    places[lanes[index]] = int(place);
    bool isDone = placeLanes(index + 1, end);
    places[lanes[index]] = -1;
    taken &= ~bit;
    if (isDone)
      return true;
  }
  return false;
}

RowOrder RowOrderSearch::run() {
  places.assign(rowBits, -1);
  llvm::SmallVector<unsigned, 8> registers = rowsOf(fragments, rows, kRegister);
  lanes = rowsOf(fragments, rows, kLane);
  unsigned widest = llvm::Log2_32(std::max(1u, model.maxVectorBytes / bytes));
  for (auto [place, bit] : llvm::enumerate(registers))
    if (place < widest) {
      places[bit] = int(place);
      taken |= uint64_t(1) << place;
    }
  for (unsigned bit = 0; bit < rowBits; ++bit)
    if (places[bit] < 0 && !llvm::is_contained(lanes, bit))
      rest.push_back(bit);
  // Of places beyond a line all are alike: as many as there are lanes that find none in it.
  unsigned inLine = std::min<unsigned>(rowBits, llvm::Log2_32(model.lineBytes() / bytes));
  unsigned used = unsigned(llvm::popcount(taken));
  placeLanes(0, std::min<unsigned>(rowBits, std::max<unsigned>(inLine, used + lanes.size())));
  return std::move(*best);
}

RowOrder distribute::chooseRowOrder(const LinearLayout &fragments, unsigned rows,
                                    const LinearLayout &memory, unsigned elementBytes,
                                    const SharedMemoryModel &model) {
  return RowOrderSearch(fragments, rows, memory, elementBytes, model).run();
}
