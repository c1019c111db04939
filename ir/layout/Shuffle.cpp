// Shuffle rounds.
//
// Let W be the source positions (register and lane bits) that a warp reads. In one round a lane can
// publish one register and receive one word, so the positions of a round must differ in their
// source lane and in their destination lane. If C is a subspace of W that meets the source
// registers and the destination registers only in 0, each coset of C is such a set, and its cosets
// are the rounds. C is grown greedily, which is optimal for two subspaces, first inside the
// positions that are already in the right lane: then whole rounds stay in place and need no
// shuffle.
#include "ir/layout/Shuffle.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilerun::layout;
using llvm::ArrayRef;

namespace {

constexpr unsigned kMaxRoundBits = 16;
constexpr unsigned kWordBytes = 4;

class ShufflePlanner {
public:
  ShufflePlanner(const LinearLayout &sources, unsigned elementBytes)
      : sources(sources), elementBytes(elementBytes), sourceRegisters(sources.outBits(kRegister)),
        ownRegisters(sources.inBits(kRegister)), lanes(sources.inBits(kLane)),
        outer(sources.inBits(kWarp) + sources.inBits(kBlock)) {
    for (uint64_t basis : sources.getBases())
      wanted.push_back(basis & lowMask(sourceRegisters + lanes));
  }

  std::optional<ShufflePlan> plan(uint64_t maxShuffles);

private:
  // Positions below are flat source positions of a warp: registers low, lanes above.
  uint64_t laneOf(uint64_t position) const { return position >> sourceRegisters; }
  uint64_t registerOf(uint64_t position) const { return position & lowMask(sourceRegisters); }
  ArrayRef<uint64_t> perRegister() const { return ArrayRef(wanted).take_front(ownRegisters); }
  ArrayRef<uint64_t> perLane() const { return ArrayRef(wanted).slice(ownRegisters, lanes); }
  ArrayRef<uint64_t> perOuter() const { return ArrayRef(wanted).drop_front(ownRegisters + lanes); }
  ArrayRef<uint64_t> inWarp() const { return ArrayRef(wanted).drop_back(outer); }

  void packWords(ShufflePlan &result);
  void chooseRounds(Subspace &round, BitVectors &rounds) const;
  void fillMaps(ShufflePlan &result, unsigned roundBits) const;
  void findMovingRounds(ShufflePlan &result, unsigned roundBits) const;

  const LinearLayout &sources;
  unsigned elementBytes, sourceRegisters, ownRegisters, lanes, outer;
  /// The source position of each destination bit, later that of the word it is in.
  BitVectors wanted;
  /// Per destination bit: the round that brings it (0 for warp and block bits).
  BitVectors roundOf;
};

/// Puts registers that move together into words, and replaces positions by their words'.
void ShufflePlanner::packWords(ShufflePlan &result) {
  Subspace registers;
  for (unsigned bit = 0; bit < sourceRegisters; ++bit)
    registers.insert(uint64_t(1) << bit);
  Subspace candidates = intersection(registers, Subspace(perRegister()));
  // If threads do not choose among the words' positions, unpacking is static: such vectors first.
  Subspace chosenByThreads;
  for (uint64_t position : ArrayRef(wanted).drop_front(ownRegisters))
    chosenByThreads.insert(registerOf(position));
  Subspace span = chosenByThreads, packed;
  BitVectors &vectors = result.packedRegisters;
  auto hasRoom = [&] { return elementBytes << (vectors.size() + 1) <= kWordBytes; };
  for (uint64_t v : candidates.basis())
    if (hasRoom() && span.insert(v)) {
      packed.insert(v);
      vectors.push_back(v);
    }
  for (uint64_t v : candidates.basis())
    if (hasRoom() && packed.insert(v))
      vectors.push_back(v);

  BitVectors functionals;
  for (size_t i = 0; i < vectors.size(); ++i) {
    BitVectors constrained = vectors;
    llvm::SmallVector<bool> values(vectors.size(), false);
    values[i] = true;
    Subspace constraints(vectors);
    for (uint64_t v : chosenByThreads.basis())
      if (constraints.insert(v)) {
        constrained.push_back(v);
        values.push_back(false);
      }
    std::optional<uint64_t> functional = findFunctional(constrained, values);
    assert(functional && "the constraints are independent");
    functionals.push_back(*functional & lowMask(sourceRegisters));
  }
  BitVectors positions;
  for (uint64_t &position : wanted) {
    uint64_t inWord = 0, word = position;
    for (auto [i, functional] : llvm::enumerate(functionals))
      if (dot(functional, position)) {
        inWord |= uint64_t(1) << i;
        word ^= vectors[i];
      }
    positions.push_back(inWord);
    position = word;
  }
  result.position =
      LinearLayout(DimList(sources.getIns()),
                   {Dim(kPosition, static_cast<unsigned>(vectors.size()))}, positions);
}

/// C as `round`, and vectors that complete it to W as `rounds`.
void ShufflePlanner::chooseRounds(Subspace &round, BitVectors &rounds) const {
  Subspace all(inWarp()), destination(perRegister()), registers;
  for (unsigned bit = 0; bit < sourceRegisters; ++bit)
    registers.insert(uint64_t(1) << bit);
  BitVectors displacement;
  for (auto [bit, position] : llvm::enumerate(inWarp())) {
    uint64_t own = bit < ownRegisters ? 0 : uint64_t(1) << (bit - ownRegisters);
    displacement.push_back(laneOf(position) ^ own);
  }
  BitMatrix positions(kMaxBits, inWarp());
  Subspace inPlace;
  for (uint64_t own : BitMatrix(kMaxBits, displacement).kernel().basis())
    inPlace.insert(positions.apply(own));

  Subspace publishers = registers, receivers = destination;
  for (const Subspace &pool : {inPlace, all})
    while (std::optional<uint64_t> v = pickOutside(pool, publishers, receivers))
      for (Subspace *space : {&round, &publishers, &receivers})
        space->insert(*v);
  Subspace span = round;
  for (uint64_t v : all.basis())
    if (span.insert(v))
      rounds.push_back(v);
}

void ShufflePlanner::fillMaps(ShufflePlan &result, unsigned roundBits) const {
  const Dim roundDim(kRound, roundBits), laneDim(kLane, lanes);
  const DimList perRound = {roundDim, laneDim, Dim(kWarp, sources.inBits(kWarp)),
                            Dim(kBlock, sources.inBits(kBlock))};
  unsigned inputBits = roundBits + lanes + outer;
  BitVectors published, publishedRegisters, received, receivedLanes;
  for (auto [bit, position] : llvm::enumerate(wanted)) {
    uint64_t round = roundOf[bit], own = 0, thread = 0;
    if (bit >= ownRegisters + lanes)
      thread = uint64_t(1) << (bit - ownRegisters + roundBits);
    else if (bit >= ownRegisters)
      own = uint64_t(1) << (bit - ownRegisters + roundBits);
    published.push_back(round | laneOf(position) << roundBits | thread);
    publishedRegisters.push_back(registerOf(position));
    received.push_back(round | own | thread);
    receivedLanes.push_back(laneOf(position));
  }
  result.publish = LinearLayout(
      perRound, {Dim(kRegister, sourceRegisters)},
      interpolate(inputBits, sourceRegisters, published, publishedRegisters).getColumns());
  result.sourceLane = LinearLayout(
      perRound, {laneDim}, interpolate(inputBits, lanes, received, receivedLanes).getColumns());
  result.round = LinearLayout(DimList(sources.getIns()), {roundDim}, roundOf);
}

/// A round moves nothing if every lane that it brings something to takes it from itself.
void ShufflePlanner::findMovingRounds(ShufflePlan &result, unsigned roundBits) const {
  BitMatrix rounds(roundBits, roundOf);
  BitVectors displacement;
  for (auto [bit, position] : llvm::enumerate(wanted)) {
    bool isLane = bit >= ownRegisters && bit < ownRegisters + lanes;
    displacement.push_back(laneOf(position) ^ (isLane ? uint64_t(1) << (bit - ownRegisters) : 0));
  }
  BitMatrix distance(lanes, displacement);
  // Within a round, positions differ by the kernel of the round map; if some of these differences
  // move, every round does.
  bool allMove = false;
  for (uint64_t difference : rounds.kernel().basis())
    allMove |= distance.apply(difference) != 0;
  BitMatrix representative = rounds.pseudoInverse();
  uint64_t perWord = std::max(1u, elementBytes / kWordBytes);
  for (uint64_t t = 0; t < (uint64_t(1) << roundBits); ++t) {
    bool moves = allMove || distance.apply(representative.apply(t)) != 0;
    result.needsShuffle.push_back(moves);
    result.shuffles += moves ? perWord : 0;
  }
}

std::optional<ShufflePlan> ShufflePlanner::plan(uint64_t maxShuffles) {
  ShufflePlan result;
  packWords(result);
  Subspace round;
  BitVectors basis, numbers;
  chooseRounds(round, basis);
  unsigned roundBits = basis.size();
  if (roundBits > kMaxRoundBits)
    return std::nullopt;

  // A position's round is its coset of C: its coordinates in the basis that completes C to W.
  for (unsigned i = 0; i < roundBits; ++i)
    numbers.push_back(uint64_t(1) << i);
  for (uint64_t v : round.basis()) {
    basis.push_back(v);
    numbers.push_back(0);
  }
  BitMatrix coset = interpolate(kMaxBits, roundBits, basis, numbers);
  for (auto [bit, position] : llvm::enumerate(wanted))
    roundOf.push_back(bit < ownRegisters + lanes ? coset.apply(position) : 0);

  fillMaps(result, roundBits);
  findMovingRounds(result, roundBits);
  if (result.shuffles > maxShuffles)
    return std::nullopt;
  return result;
}

} // namespace

std::optional<ShufflePlan> tilerun::layout::planShuffles(const LinearLayout &sources,
                                                         unsigned elementBytes,
                                                         uint64_t maxShuffles) {
  return ShufflePlanner(sources, elementBytes).plan(maxShuffles);
}
