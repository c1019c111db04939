// Bank conflicts and the construction of swizzled shared-memory layouts. The idea that vectors,
// banks and segments are subspaces, and that a swizzle is the choice of a complement, is from
// "Linear Layouts" (2025); the construction here works through linear functionals.
#include "ir/layout/SharedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tilerun::layout;
using llvm::ArrayRef;

static unsigned logOf(uint64_t powerOfTwo) {
  return static_cast<unsigned>(std::countr_zero(powerOfTwo));
}

/// log2 of the lanes that one phase serves.
static unsigned phaseLaneBits(unsigned laneBits, uint64_t vectorBytes,
                              const SharedMemoryModel &model) {
  uint64_t perLane = std::max<uint64_t>(vectorBytes, model.bankBytes);
  return std::min(laneBits, logOf(std::max<uint64_t>(1, model.lineBytes() / perLane)));
}

/// Of stores: 64 banks are 32 for them, as on gfx950, the one device that has so many.
static SharedMemoryModel forStores(SharedMemoryModel model) {
  model.banks = std::min(model.banks, 32u);
  return model;
}

uint64_t tilerun::layout::bankConflicts(const LinearLayout &offsets, unsigned elementBytes,
                                        unsigned vectorElements, const SharedMemoryModel &model) {
  uint64_t vectorBytes = uint64_t(vectorElements) * elementBytes;
  unsigned laneBits = offsets.inBits(kLane),
           phaseBits = phaseLaneBits(laneBits, vectorBytes, model);
  // The words of a phase form an affine space, so every bank that is hit is hit equally often:
  // 2^(dimension of the words - dimension of the banks).
  Subspace words, banks;
  auto add = [&](uint64_t bytes) {
    words.insert(bytes / model.bankBytes);
    banks.insert(bytes / model.bankBytes % model.banks);
  };
  for (uint64_t bytes = model.bankBytes; bytes < vectorBytes; bytes *= 2)
    add(bytes);
  for (uint64_t basis : offsets.getBases(kLane).take_front(phaseBits))
    add(basis * elementBytes);
  uint64_t perPhase = (uint64_t(1) << (words.dimension() - banks.dimension())) - 1;
  return perPhase << (laneBits - phaseBits);
}

std::optional<SharedAccess> tilerun::layout::accessShared(const LinearLayout &threads,
                                                          const LinearLayout &memory,
                                                          unsigned elementBytes,
                                                          const SharedMemoryModel &model) {
  std::optional<LinearLayout> offsets = threads.invertAndCompose(memory);
  if (!offsets)
    return std::nullopt;
  SharedAccess access;
  unsigned maxBits = logOf(std::max(1u, model.maxVectorBytes / elementBytes));
  access.vectors = longestRuns(*offsets, {kOffset}, maxBits);
  access.vectorElements = 1u << access.vectors.withinRun.size();
  access.instructions = uint64_t(1) << access.vectors.runs.size();
  unsigned laneBits = offsets->inBits(kLane);
  uint64_t vectorBytes = uint64_t(access.vectorElements) * elementBytes;
  access.phases = uint64_t(1) << (laneBits - phaseLaneBits(laneBits, vectorBytes, model));
  access.conflicts = bankConflicts(*offsets, elementBytes, access.vectorElements, model);
  access.offsets = std::move(*offsets);
  return access;
}

namespace {

/// One side's subspaces of the tensor.
struct Side {
  Subspace registers, threads; // elements reached by register bits, and by all other bits
  ArrayRef<uint64_t> lanes;

  explicit Side(const LinearLayout &layout) : lanes(layout.getBases(kLane)) {
    for (const Dim &in : layout.getIns())
      (in.name == kRegister ? registers : threads).insert(layout.getBases(in.name));
  }
};

class Swizzler {
public:
  Swizzler(const LinearLayout &writer, const LinearLayout &reader, unsigned elementBytes,
           const SharedMemoryModel &model)
      : write(writer), read(reader), all(writer.getMatrix().image()),
        outs(writer.getOuts().begin(), writer.getOuts().end()), elementBytes(elementBytes),
        model(model) {}

  /// Vectors that both sides can use.
  BitVectors commonVectors() const {
    Subspace span = sum(write.threads, read.threads);
    return collect(intersection(write.registers, read.registers), span, {});
  }

  /// Vectors that continue `common` on one side only.
  BitVectors extraVectors(const Side &side, ArrayRef<uint64_t> common) const {
    Subspace span = side.threads;
    span.insert(common);
    return collect(side.registers, span, common);
  }

  /// The layout whose low offset bits are `common` and then `extra`, the latter for `extraSide`
  /// only; nullopt if these vectors cannot all be aligned at once.
  std::optional<LinearLayout> build(ArrayRef<uint64_t> common, ArrayRef<uint64_t> extra = {},
                                    const Side *extraSide = nullptr) const;

  const Side write, read;

private:
  unsigned maxVectorBits() const {
    return logOf(std::max(1u, model.maxVectorBytes / elementBytes));
  }

  BitVectors collect(const Subspace &candidates, Subspace span, ArrayRef<uint64_t> before) const {
    BitVectors result;
    for (uint64_t v : candidates.basis())
      if (before.size() + result.size() < maxVectorBits() && span.insert(v))
        result.push_back(v);
    return result;
  }

  /// The accesses of one phase of a side: its vector, positions that share a word, and its lanes.
  Subspace reachOfPhase(const Side &side, const SharedMemoryModel &model, ArrayRef<uint64_t> vector,
                        ArrayRef<uint64_t> word) const {
    Subspace reach(vector);
    reach.insert(word);
    uint64_t vectorBytes = (uint64_t(1) << vector.size()) * elementBytes;
    unsigned bits = phaseLaneBits(side.lanes.size(), vectorBytes, model);
    reach.insert(side.lanes.take_front(bits));
    return reach;
  }

  Subspace all;
  DimList outs;
  unsigned elementBytes;
  const SharedMemoryModel &model;
};

std::optional<LinearLayout> Swizzler::build(ArrayRef<uint64_t> common, ArrayRef<uint64_t> extra,
                                            const Side *extraSide) const {
  BitVectors vectors(common);
  vectors.append(extra.begin(), extra.end());

  // Functional i reads bit i of the offset. It must be 0 for all that other threads add, else the
  // run that a thread accesses would be permuted. The rest of the offset is their common kernel.
  BitVectors functionals;
  for (size_t i = 0; i < vectors.size(); ++i) {
    Subspace zero;
    if (i < common.size())
      zero = sum(write.threads, read.threads);
    else
      zero = extraSide->threads;
    for (size_t j = 0; j < vectors.size(); ++j)
      if (j != i)
        zero.insert(vectors[j]);
    if (zero.contains(vectors[i]))
      return std::nullopt;
    BitVectors constrained = zero.basis();
    llvm::SmallVector<bool> values(constrained.size(), false);
    constrained.push_back(vectors[i]);
    values.push_back(true);
    std::optional<uint64_t> functional = findFunctional(constrained, values);
    assert(functional && "the vector is independent of the constraints");
    functionals.push_back(*functional);
  }
  Subspace rest;
  for (uint64_t v : all.basis()) {
    uint64_t projected = v;
    for (auto [functional, vector] : llvm::zip(functionals, vectors))
      if (dot(functional, v))
        projected ^= vector;
    rest.insert(projected);
  }

  BitVectors writeVector(extraSide == &write ? ArrayRef<uint64_t>(vectors) : common);
  BitVectors readVector(extraSide == &read ? ArrayRef<uint64_t>(vectors) : common);
  unsigned wordBits = elementBytes < model.bankBytes ? logOf(model.bankBytes / elementBytes) : 0;
  BitVectors bases = vectors;
  Subspace used(vectors);
  for (uint64_t v : rest.basis()) // what shares a bank's word, beyond the vector
    if (bases.size() < wordBits && used.insert(v))
      bases.push_back(v);
  ArrayRef<uint64_t> word = ArrayRef<uint64_t>(bases).take_front(wordBits);

  // Segments: a complement of both reaches as far as possible.
  Subspace writeReach = reachOfPhase(write, forStores(model), writeVector, word);
  Subspace readReach = reachOfPhase(read, model, readVector, word);
  // How many dimensions are above a line of so many bytes.
  auto segmentBits = [&](unsigned lineBytes) {
    unsigned line = logOf(std::max(1u, lineBytes / elementBytes));
    unsigned low = std::max<unsigned>(line, bases.size());
    return all.dimension() > low ? all.dimension() - low : 0;
  };
  BitVectors segments, halves;
  auto pick = [&](BitVectors &picked, unsigned count, const Subspace &reach) {
    while (picked.size() < count) {
      std::optional<uint64_t> v = pickOutside(rest, writeReach, reach);
      if (!v) // only with extra vectors: there will be conflicts, which the caller counts
        v = pickOutside(rest, used, used);
      assert(v && "vectors, words and segments are fewer than the dimensions");
      picked.push_back(*v);
      for (Subspace *space : {&used, &writeReach, &readReach})
        space->insert(*v);
    }
  };
  const unsigned above = segmentBits(model.lineBytes());
  pick(segments, above, readReach);
  // Lines of stores may be a half of those of loads.
  pick(halves, segmentBits(forStores(model).lineBytes()) - above, used);
  // The banks are what is left.
  for (uint64_t v : rest.basis())
    if (used.insert(v))
      bases.push_back(v);
  bases.append(halves.begin(), halves.end());
  bases.append(segments.begin(), segments.end());
  assert(bases.size() == all.dimension() && "a basis of all elements");
  return LinearLayout({Dim(kOffset, static_cast<unsigned>(bases.size()))}, outs, bases);
}

} // namespace

SharedChoice tilerun::layout::chooseSharedLayout(const LinearLayout &writer,
                                                 const LinearLayout &readerInAnyOrder,
                                                 unsigned elementBytes,
                                                 const SharedMemoryModel &model) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  for (const Dim &out : writer.getOuts())
    names.push_back(out.name);
  LinearLayout reader = readerInAnyOrder.transposeOuts(names);
  Swizzler swizzler(writer, reader, elementBytes, model);
  BitVectors common = swizzler.commonVectors();

  std::optional<SharedChoice> best;
  auto consider = [&](std::optional<LinearLayout> memory) {
    if (!memory)
      return;
    std::optional<SharedAccess> w = accessShared(writer, *memory, elementBytes, forStores(model));
    std::optional<SharedAccess> r = accessShared(reader, *memory, elementBytes, model);
    assert(w && r && "the reader's elements are among the writer's");
    auto cost = [](const SharedAccess &a, const SharedAccess &b) {
      return std::pair(a.wavefronts() + b.wavefronts(), a.instructions + b.instructions);
    };
    if (!best || cost(*w, *r) < cost(best->write, best->read))
      best = SharedChoice{std::move(*memory), std::move(*w), std::move(*r)};
  };
  consider(swizzler.build(common));
  for (const Side *side : {&swizzler.write, &swizzler.read}) {
    // Fewer extra vectors may cost the other side less.
    BitVectors extra = swizzler.extraVectors(*side, common);
    for (; !extra.empty(); extra.pop_back())
      consider(swizzler.build(common, extra, side));
  }
  assert(best && "common vectors can always be aligned");
  return std::move(*best);
}
