// Conversion plans, executed: every plan is run on all elements by a small machine of blocks,
// warps, lanes and registers, and its kind is compared with the result of an exhaustive search.
#include "ir/layout/Conversion.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/TensorLayout.h"
#include "tests/ir/layout/LayoutTesting.h"
#include <functional>
#include <map>

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

/// Sizes of the machine in bits, and which element each position holds.
struct Machine {
  const LinearLayout &source, &destination;
  unsigned lanes, warps, blocks;

  Machine(const LinearLayout &source, const LinearLayout &destination)
      : source(source), destination(destination),
        lanes(std::max(source.inBits(kLane), destination.inBits(kLane))),
        warps(std::max(source.inBits(kWarp), destination.inBits(kWarp))),
        blocks(std::max(source.inBits(kBlock), destination.inBits(kBlock))) {
    fill(source, sourceTags);
    fill(destination, destinationTags);
  }

  /// A number for the element at a position.
  uint64_t tag(const LinearLayout &layout, uint64_t r, uint64_t l, uint64_t w, uint64_t b) const {
    uint64_t thread = l | w << lanes | b << (lanes + warps);
    const std::vector<uint64_t> &tags = &layout == &source ? sourceTags : destinationTags;
    return tags[thread * registersOf(layout) + r];
  }
  uint64_t registersOf(const LinearLayout &layout) const {
    return uint64_t(1) << layout.inBits(kRegister);
  }

  template <typename F> void forThreads(F f) const {
    for (uint64_t b = 0; b < uint64_t(1) << blocks; ++b)
      for (uint64_t w = 0; w < uint64_t(1) << warps; ++w)
        for (uint64_t l = 0; l < uint64_t(1) << lanes; ++l)
          f(l, w, b);
  }

private:
  /// Coordinates are taken by name; a dimension that the layout does not have replicates.
  void fill(const LinearLayout &layout, std::vector<uint64_t> &tags) {
    forThreads([&](uint64_t l, uint64_t w, uint64_t b) {
      for (uint64_t r = 0; r < registersOf(layout); ++r) {
        std::map<std::string, uint64_t> position = {
            {"register", r}, {"lane", l}, {"warp", w}, {"block", b}};
        llvm::SmallVector<uint64_t> coordinates;
        for (const Dim &in : layout.getIns())
          coordinates.push_back(position[in.name] & lowMask(in.bits));
        auto point = layout.apply(coordinates);
        std::map<std::string, uint64_t> element;
        for (size_t i = 0; i < point.size(); ++i)
          element[layout.getOuts()[i].name] = point[i];
        uint64_t tag = 1;
        for (auto &[name, value] : element)
          tag = tag * 1000 + value;
        tags.push_back(tag);
      }
    });
  }

  std::vector<uint64_t> sourceTags, destinationTags;
};

/// Where every destination element can be found: the smallest scope that has all of them.
struct Possible {
  bool same = true, staticRegisters = true, warp = true, block = true, anywhere = true;
};

Possible findPossible(const Machine &m) {
  Possible result;
  using Key = std::tuple<uint64_t, uint64_t, uint64_t>; // element, warp, block
  std::set<Key> inWarp, inBlock, everywhere;
  m.forThreads([&](uint64_t l, uint64_t w, uint64_t b) {
    for (uint64_t r = 0; r < m.registersOf(m.source); ++r) {
      uint64_t tag = m.tag(m.source, r, l, w, b);
      inWarp.insert({tag, w, b});
      inBlock.insert({tag, 0, b});
      everywhere.insert({tag, 0, 0});
    }
  });
  result.same = m.registersOf(m.source) == m.registersOf(m.destination);
  std::vector<std::vector<bool>> candidate(m.registersOf(m.destination),
                                           std::vector<bool>(m.registersOf(m.source), true));
  m.forThreads([&](uint64_t l, uint64_t w, uint64_t b) {
    for (uint64_t r = 0; r < m.registersOf(m.destination); ++r) {
      uint64_t tag = m.tag(m.destination, r, l, w, b);
      result.warp &= inWarp.count({tag, w, b}) != 0;
      result.block &= inBlock.count({tag, 0, b}) != 0;
      result.anywhere &= everywhere.count({tag, 0, 0}) != 0;
      for (uint64_t s = 0; s < m.registersOf(m.source); ++s) {
        bool fits = m.tag(m.source, s, l, w, b) == tag;
        if (!fits)
          candidate[r][s] = false;
        if (r == s)
          result.same &= fits;
      }
    }
  });
  for (auto &row : candidate)
    result.staticRegisters &= std::find(row.begin(), row.end(), true) != row.end();
  return result;
}

void runRegisters(const Machine &m, const ConversionPlan &plan) {
  m.forThreads([&](uint64_t l, uint64_t w, uint64_t b) {
    for (uint64_t r = 0; r < m.registersOf(m.destination); ++r) {
      uint64_t from = plan.source.apply({r, 0, 0, 0})[0]; // the same for all threads
      ASSERT_EQ(m.tag(m.source, from, l, w, b), m.tag(m.destination, r, l, w, b));
    }
  });
}

void runShuffles(const Machine &m, const ShufflePlan &plan, unsigned elementBytes) {
  uint64_t rounds = plan.needsShuffle.size();
  ASSERT_EQ(rounds, uint64_t(1) << plan.publish.inBits(kRound));
  uint64_t positions = uint64_t(1) << plan.packedRegisters.size();
  ASSERT_LE(positions * elementBytes, std::max(4u, elementBytes));
  ASSERT_EQ(plan.round.restrictIns({kWarp, kBlock}).rank(), 0u);
  uint64_t moving = 0;
  for (bool moves : plan.needsShuffle)
    moving += moves;
  ASSERT_EQ(plan.shuffles, moving * std::max(1u, elementBytes / 4));
  for (uint64_t b = 0; b < uint64_t(1) << m.blocks; ++b)
    for (uint64_t w = 0; w < uint64_t(1) << m.warps; ++w) {
      // published[round][lane] is a word: one element per position.
      std::vector<std::vector<std::vector<uint64_t>>> published(rounds);
      for (uint64_t t = 0; t < rounds; ++t)
        for (uint64_t l = 0; l < uint64_t(1) << m.lanes; ++l) {
          uint64_t first = plan.publish.apply({t, l, w, b})[0];
          std::vector<uint64_t> word;
          for (uint64_t p = 0; p < positions; ++p) {
            uint64_t r = first ^ xorOf(plan.packedRegisters, p);
            ASSERT_LT(r, m.registersOf(m.source));
            word.push_back(m.tag(m.source, r, l, w, b));
          }
          published[t].push_back(word);
        }
      for (uint64_t l = 0; l < uint64_t(1) << m.lanes; ++l)
        for (uint64_t r = 0; r < m.registersOf(m.destination); ++r) {
          uint64_t t = plan.round.apply({r, l, w, b})[0];
          uint64_t from = plan.needsShuffle[t] ? plan.sourceLane.apply({t, l, w, b})[0] : l;
          uint64_t position = plan.position.apply({r, l, w, b})[0];
          ASSERT_EQ(published[t][from][position], m.tag(m.destination, r, l, w, b));
        }
    }
}

void runShared(const Machine &m, const SharedPlan &plan, unsigned elementBytes) {
  const LinearLayout &store = plan.choice.write.offsets, &load = plan.loadOffsets;
  for (uint64_t b = 0; b < uint64_t(1) << m.blocks; ++b) {
    // Which warps stored an element, and which element it is.
    struct Cell {
      uint64_t tag;
      std::set<uint64_t> warps;
    };
    std::map<uint64_t, Cell> memory;
    for (uint64_t w = 0; w < uint64_t(1) << m.warps; ++w)
      for (uint64_t l = 0; l < uint64_t(1) << m.lanes; ++l)
        for (uint64_t r = 0; r < m.registersOf(m.source); ++r) {
          uint64_t offset = store.apply({r, l, w})[0], tag = m.tag(m.source, r, l, w, b);
          ASSERT_LT(offset * elementBytes, plan.bytes);
          auto [cell, isNew] = memory.insert({offset, Cell{tag, {}}});
          ASSERT_EQ(cell->second.tag, tag); // no two elements in one place
          cell->second.warps.insert(w);
        }
    ASSERT_EQ(memory.size() * elementBytes, plan.bytes); // and nothing wasted
    for (uint64_t w = 0; w < uint64_t(1) << m.warps; ++w)
      for (uint64_t l = 0; l < uint64_t(1) << m.lanes; ++l)
        for (uint64_t r = 0; r < m.registersOf(m.destination); ++r) {
          auto cell = memory.find(load.apply({r, l, w, b})[0]);
          ASSERT_NE(cell, memory.end());
          ASSERT_EQ(cell->second.tag, m.tag(m.destination, r, l, w, b));
          if (plan.barrier == Barrier::Warp)
            ASSERT_TRUE(cell->second.warps.count(w));
        }
  }
}

/// Plans, checks the kind against brute force, executes. Returns the plan, or nothing after failure
/// or if no conversion exists.
std::optional<ConversionPlan> check(const LinearLayout &source, const LinearLayout &destination,
                                    const ConversionOptions &options = {}) {
  Machine m(source, destination);
  Possible possible = findPossible(m);
  llvm::Expected<ConversionPlan> plan = planConversion(source, destination, options);
  if (!plan) {
    EXPECT_EQ(llvm::toString(plan.takeError()),
              "the destination needs elements that the source does not hold");
    EXPECT_FALSE(possible.anywhere) << source.toString() << " to " << destination.toString();
    return std::nullopt;
  }
  ConversionKind expected = possible.same              ? ConversionKind::None
                            : possible.staticRegisters ? ConversionKind::Registers
                            : possible.warp            ? ConversionKind::Shuffles
                            : possible.block           ? ConversionKind::SharedMemory
                                                       : ConversionKind::CrossBlock;
  if (plan->kind == ConversionKind::SharedMemory && plan->shared->barrier == Barrier::Warp)
    EXPECT_TRUE(possible.warp);
  else
    EXPECT_EQ(plan->kind, expected) << source.toString() << " to " << destination.toString();
  EXPECT_TRUE(possible.anywhere);
  EXPECT_EQ(plan->shuffle.has_value(), plan->kind == ConversionKind::Shuffles);
  EXPECT_EQ(plan->shared.has_value(), plan->kind == ConversionKind::SharedMemory);
  // The source map names a position that holds the element, whatever the kind.
  m.forThreads([&](uint64_t l, uint64_t w, uint64_t b) {
    for (uint64_t r = 0; r < m.registersOf(destination); ++r) {
      auto from = plan->source.apply({r, l, w, b});
      EXPECT_EQ(m.tag(source, from[0], from[1], from[2], from[3]), m.tag(destination, r, l, w, b));
    }
  });
  if (plan->kind <= ConversionKind::Registers)
    runRegisters(m, *plan);
  if (plan->shuffle)
    runShuffles(m, *plan->shuffle, options.elementBytes);
  if (plan->shared)
    runShared(m, *plan->shared, options.elementBytes);
  if (::testing::Test::HasFailure()) {
    ADD_FAILURE() << source.toString() << " to " << destination.toString() << ", element bytes "
                  << options.elementBytes;
    return std::nullopt;
  }
  return std::move(*plan);
}

TEST(ConversionTest, AllBijectionsOfFourBits) {
  // From a fixed bijection to all 20160: two register bits, a lane bit and a warp bit.
  const DimList ins = {Dim("register", 2), Dim("lane", 1), Dim("warp", 1)};
  const DimList outs = {Dim("dim0", 2), Dim("dim1", 2)};
  LinearLayout source(ins, outs, {1, 2, 4, 8});
  std::map<ConversionKind, unsigned> kinds;
  forEachMatrix(4, 4, [&](const BitVectors &bases) {
    if (::testing::Test::HasFailure() || Subspace(bases).dimension() != 4)
      return;
    if (std::optional<ConversionPlan> plan = check(source, LinearLayout(ins, outs, bases)))
      ++kinds[plan->kind];
  });
  // Renumbering registers: GL(2,2), one of them the identity.
  EXPECT_EQ(kinds[ConversionKind::None], 1u);
  EXPECT_EQ(kinds[ConversionKind::Registers], 5u);
  // Warp bit in place up to the warp's own elements (8 choices), GL(3,2) inside: less the above.
  EXPECT_EQ(kinds[ConversionKind::Shuffles], 8u * 168 - 6);
  EXPECT_EQ(kinds[ConversionKind::SharedMemory], 20160u - 8 * 168);
}

TEST(ConversionTest, AllMapsOfThreeBits) {
  // Every pair, also with replication and with elements that only one side has; on the larger
  // tensor every seventh source.
  std::map<ConversionKind, unsigned> kinds;
  unsigned impossible = 0;
  for (const DimList &outs : {DimList{Dim("dim0", 2)}, DimList{Dim("dim0", 1), Dim("dim1", 2)}}) {
    unsigned bits = LinearLayout::totalBits(outs), count = 0;
    for (const DimList &ins : {DimList{Dim("register", 1), Dim("lane", 1), Dim("warp", 1)},
                               DimList{Dim("register", 2), Dim("lane", 1)},
                               DimList{Dim("register", 1), Dim("lane", 1), Dim("block", 1)}})
      forEachMatrix(bits, 3, [&](const BitVectors &from) {
        if (bits == 3 && ++count % 7)
          return;
        forEachMatrix(bits, 3, [&](const BitVectors &to) {
          if (::testing::Test::HasFailure())
            return;
          std::optional<ConversionPlan> plan =
              check(LinearLayout(ins, outs, from), LinearLayout(ins, outs, to));
          if (plan)
            ++kinds[plan->kind];
          else
            ++impossible;
        });
      });
  }
  EXPECT_EQ(kinds.size(), 5u);
  for (auto [kind, count] : kinds)
    EXPECT_GT(count, 50u) << toString(kind).str();
  EXPECT_GT(impossible, 100u);
}

TEST(ConversionTest, RandomMachines) {
  Random random(13);
  std::map<ConversionKind, unsigned> kinds;
  unsigned packed = 0;
  for (int i = 0; i < 1500 && !::testing::Test::HasFailure(); ++i) {
    unsigned bits = 4 + random.below(4);
    const DimList outs = {Dim("dim0", bits / 2), Dim("dim1", bits - bits / 2)};
    // A random role for every bit of the tensor, and a few replicated positions.
    auto draw = [&] {
      BitVectors pool = random.below(3) ? BitVectors(BitMatrix::identity(bits).getColumns())
                                        : random.invertible(bits);
      for (unsigned extra = random.below(3); extra; --extra)
        pool.push_back(random.below(2) ? 0 : random.bits(bits));
      random.shuffle(pool);
      return pool;
    };
    BitVectors from = draw(), to = draw();
    if (random.below(2)) { // a nearby layout: swap two roles, perhaps add one to another
      to = from;
      std::swap(to[random.below(to.size())], to[random.below(to.size())]);
      uint64_t a = random.below(to.size()), b = random.below(to.size());
      if (random.below(2) && a != b)
        to[a] ^= to[b];
    }
    unsigned blocks = random.below(4) ? 0 : 1, warps = random.below(3);
    auto dims = [&](size_t total) {
      unsigned rest = total - blocks - warps, registers = random.below(rest + 1);
      return DimList{Dim("register", registers), Dim("lane", rest - registers), Dim("warp", warps),
                     Dim("block", blocks)};
    };
    DimList fromDims = dims(from.size());
    DimList toDims = to.size() == from.size() && random.below(2) ? fromDims : dims(to.size());
    ConversionOptions options;
    options.elementBytes = 1u << random.below(5);
    if (random.below(4) == 0)
      options.maxShuffles = random.below(3);
    std::optional<ConversionPlan> plan =
        check(LinearLayout(fromDims, outs, from), LinearLayout(toDims, outs, to), options);
    if (!plan)
      continue;
    ++kinds[plan->kind];
    if (plan->shuffle) {
      EXPECT_LE(plan->shuffle->shuffles, options.maxShuffles);
      packed += !plan->shuffle->packedRegisters.empty();
    }
  }
  for (ConversionKind kind : {ConversionKind::Registers, ConversionKind::Shuffles,
                              ConversionKind::SharedMemory, ConversionKind::CrossBlock})
    EXPECT_GT(kinds[kind], 20u) << toString(kind).str();
  EXPECT_GT(packed, 20u);
}

TEST(ConversionTest, ShufflesAreTheFewestPossible) {
  // Every lane receives one word a shuffle. So the elements that a lane does not have already, at
  // its worst lane, bound the shuffles from below; bijections reach the bound.
  const DimList ins = {Dim("register", 2), Dim("lane", 2)}, outs = {Dim("dim0", 4)};
  LinearLayout source(ins, outs, {1, 2, 4, 8});
  std::map<uint64_t, unsigned> counts;
  forEachMatrix(4, 4, [&](const BitVectors &bases) {
    if (Subspace(bases).dimension() != 4)
      return;
    LinearLayout destination(ins, outs, bases);
    llvm::Expected<ConversionPlan> plan = planConversion(source, destination);
    ASSERT_TRUE(bool(plan));
    if (!plan->shuffle)
      return;
    uint64_t bound = 0;
    for (uint64_t l = 0; l < 4; ++l) {
      std::set<uint64_t> own;
      uint64_t missing = 0;
      for (uint64_t r = 0; r < 4; ++r)
        own.insert(source.apply({r, l})[0]);
      for (uint64_t r = 0; r < 4; ++r)
        missing += !own.count(destination.apply({r, l})[0]);
      bound = std::max(bound, missing);
    }
    ASSERT_EQ(plan->shuffle->shuffles, bound) << destination.toString();
    ++counts[bound];
  });
  EXPECT_GT(counts[0], 0u); // only selects
  EXPECT_GT(counts[2], 0u);
  EXPECT_GT(counts[4], 0u);
}

TEST(ConversionTest, ExchangeOfARegisterAndALaneBit) {
  // The classic transposition step: half of the registers move, the other half stays.
  LinearLayout source = parse("{register = [(1), (2)], lane = [(4), (8)]} -> (dim0: 16)");
  LinearLayout destination = parse("{register = [(4), (2)], lane = [(1), (8)]} -> (dim0: 16)");
  std::optional<ConversionPlan> plan = check(source, destination);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->needsShuffle.size(), 4u);
  EXPECT_EQ(plan->shuffle->shuffles, 2u);
}

TEST(ConversionTest, NarrowElementsTravelInWords) {
  // Registers that stay together share a word: a quarter of the shuffles for bytes.
  LinearLayout source =
      parse("{register = [(1), (2), (4)], lane = [(8), (16), (32)]} -> (dim0: 64)");
  LinearLayout destination =
      parse("{register = [(1), (2), (4)], lane = [(16), (32), (8)]} -> (dim0: 64)");
  for (auto [bytes, shuffles] : {std::pair(1u, 2u), {2u, 4u}, {4u, 8u}, {8u, 16u}, {16u, 32u}}) {
    ConversionOptions options;
    options.elementBytes = bytes;
    std::optional<ConversionPlan> plan = check(source, destination, options);
    ASSERT_TRUE(plan && plan->shuffle);
    EXPECT_EQ(plan->shuffle->shuffles, shuffles) << bytes;
  }
}

TEST(ConversionTest, WordsAreUnpackedStaticallyIfPossible) {
  // Lane 0 takes its pairs along register bit 0 in reverse, along register bit 1 in order.
  LinearLayout source = parse("{register = [(1), (2)], lane = [(4), (8)]} -> (dim0: 16)");
  LinearLayout destination = parse("{register = [(1), (2)], lane = [(9), (4)]} -> (dim0: 16)");
  ConversionOptions options;
  options.elementBytes = 2; // one bit is packed: the one that lanes do not touch
  std::optional<ConversionPlan> plan = check(source, destination, options);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->shuffles, 2u);
  EXPECT_EQ(plan->shuffle->position.restrictIns({kLane}).rank(), 0u);
  options.elementBytes = 1; // both are packed, and lanes choose the position in the word
  plan = check(source, destination, options);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->shuffles, 1u);
  EXPECT_EQ(plan->shuffle->position.restrictIns({kLane}).rank(), 1u);
}

TEST(ConversionTest, TooManyShufflesGoThroughSharedMemoryOfTheWarp) {
  LinearLayout source = parse("{register = [(1)], lane = [(2), (4)], warp = [(8)]} -> (dim0: 16)");
  LinearLayout destination =
      parse("{register = [(2)], lane = [(4), (1)], warp = [(8)]} -> (dim0: 16)");
  std::optional<ConversionPlan> plan = check(source, destination);
  ASSERT_TRUE(plan && plan->shuffle);
  ConversionOptions options;
  options.maxShuffles = plan->shuffle->shuffles - 1;
  plan = check(source, destination, options);
  ASSERT_TRUE(plan && plan->shared);
  EXPECT_EQ(plan->shared->barrier, Barrier::Warp);
  options.maxShuffles = 0;
  plan = check(source, destination, options);
  ASSERT_TRUE(plan && plan->shared);
}

TEST(ConversionTest, OutputOrderDoesNotMatter) {
  LinearLayout layout = parse("{register = [(0, 1)], lane = [(1, 0)]} -> (dim0: 2, dim1: 2)");
  std::optional<ConversionPlan> plan = check(layout, layout.transposeOuts({"dim1", "dim0"}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kind, ConversionKind::None);
}

TEST(ConversionTest, MissingDimensionsReplicate) {
  LinearLayout everywhere = LinearLayout::identity1D(2, kRegister, "dim0");
  LinearLayout lanes = LinearLayout::identity1D(2, kLane, "dim0");
  // Every thread has all elements: it only chooses among its own registers.
  std::optional<ConversionPlan> plan = check(everywhere, lanes);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->shuffles, 0u);
  // The other way all lanes need all elements.
  plan = check(lanes, everywhere);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->shuffles, 4u);
  // Blocks: a replicated source is local, a distributed one is not.
  LinearLayout blocks = LinearLayout::identity1D(2, kBlock, "dim0");
  plan = check(everywhere, blocks);
  ASSERT_TRUE(plan);
  EXPECT_NE(plan->kind, ConversionKind::CrossBlock);
  plan = check(blocks, everywhere);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kind, ConversionKind::CrossBlock);
}

TEST(ConversionTest, FewerOrMoreRegistersAreRenaming) {
  LinearLayout one = parse("{register = [(1)], lane = [(2)]} -> (dim0: 4)");
  LinearLayout two = parse("{register = [(1), (0)], lane = [(2)]} -> (dim0: 4)");
  for (auto [from, to] : {std::pair(&one, &two), {&two, &one}}) {
    std::optional<ConversionPlan> plan = check(*from, *to);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->kind, ConversionKind::Registers);
  }
}

TEST(ConversionTest, BlocksKeepTheirPart) {
  // Two blocks with half of the tensor each; inside, warps exchange through each block's memory.
  LinearLayout source =
      parse("{register = [(1)], lane = [(2), (4)], warp = [(8)], block = [(16)]} -> (dim0: 32)");
  LinearLayout destination =
      parse("{register = [(8)], lane = [(2), (4)], warp = [(1)], block = [(17)]} -> (dim0: 32)");
  std::optional<ConversionPlan> plan = check(source, destination);
  ASSERT_TRUE(plan && plan->shared);
  EXPECT_EQ(plan->shared->bytes, 16u * 4);
  EXPECT_EQ(plan->shared->barrier, Barrier::Block);
}

TEST(ConversionTest, RealLayoutsBothWays) {
  LinearLayout rows = llvm::cantFail(coalescedLayout({32, 64}, 8, 32, 4, {1, 0}));
  LinearLayout columns = llvm::cantFail(coalescedLayout({32, 64}, 4, 32, 4, {0, 1}));
  LinearLayout accumulator = tileFragment(fragmentLayout(FragmentKind::MmaD), 5, 6, 1, 1);
  LinearLayout operand = tileFragment(fragmentLayout(FragmentKind::MmaA16), 5, 6, 2, 0);
  const LinearLayout *layouts[] = {&rows, &columns, &accumulator, &operand};
  for (const LinearLayout *from : layouts)
    for (const LinearLayout *to : layouts) {
      ConversionOptions options;
      options.elementBytes = 2;
      std::optional<ConversionPlan> plan = check(*from, *to, options);
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->kind == ConversionKind::None, from == to);
      if (plan->shared &&
          plan->shared->choice.write.vectorElements == plan->shared->choice.read.vectorElements) {
        EXPECT_EQ(plan->shared->choice.write.conflicts, 0u);
        EXPECT_EQ(plan->shared->choice.read.conflicts, 0u);
      }
    }
}

TEST(ConversionTest, ReductionResultSpreadsAgain) {
  // Softmax's pattern: reduce along rows, expand, broadcast. The reduction's result already has the
  // layout of the broadcast's operand, so nothing moves.
  LinearLayout tile = tileFragment(fragmentLayout(FragmentKind::MmaD), 6, 6, 2, 0);
  LinearLayout expanded = expandDim(sliceDim(tile, 1), 1);
  std::optional<ConversionPlan> plan = check(expanded, fitToShape(tile, {6, 0}, {1, 0}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kind, ConversionKind::None);
  // With every copy in registers of its own, threads only choose among their registers.
  plan = check(broadcastDim(dropRedundantRegisters(expanded), 1, 6), tile);
  ASSERT_TRUE(plan && plan->shuffle);
  EXPECT_EQ(plan->shuffle->shuffles, 0u);
}

TEST(ConversionTest, Errors) {
  LinearLayout lanes = LinearLayout::identity1D(2, kLane, "dim0");
  auto message = [](const LinearLayout &a, const LinearLayout &b, ConversionOptions o = {}) {
    return messageOf(planConversion(a, b, o));
  };
  EXPECT_EQ(message(lanes, LinearLayout::identity1D(2, kOffset, "dim0")),
            "cannot convert a layout over 'offset'");
  EXPECT_EQ(message(lanes, LinearLayout::identity1D(3, kLane, "dim0")),
            "source and destination differ in output dimension 'dim0'");
  EXPECT_EQ(message(lanes, LinearLayout::identity1D(2, kLane, "dim1")),
            "source and destination differ in output dimension 'dim0'");
  EXPECT_EQ(message(lanes, expandDim(lanes, 0)), "source and destination have different ranks");
  EXPECT_EQ(message(LinearLayout::zeros1D(2, kLane, "dim0", 2), lanes),
            "the destination needs elements that the source does not hold");
  ConversionOptions options;
  options.elementBytes = 3;
  EXPECT_EQ(message(lanes, lanes, options), "elements of 3 bytes cannot be converted");
  options.elementBytes = 32;
  EXPECT_EQ(message(lanes, lanes, options), "elements of 32 bytes cannot be converted");
  LinearLayout huge = LinearLayout::identity1D(49, kRegister, "dim0");
  EXPECT_EQ(message(huge, huge),
            "a tensor of 2^49 elements cannot be converted, the limit is 2^48");
  LinearLayout manyLanes = LinearLayout::zeros1D(40, kLane, "dim0");
  EXPECT_EQ(message(manyLanes, LinearLayout::zeros1D(40, kWarp, "dim0")),
            "the layouts together have 80 input bits, the limit is 64");
}

TEST(ConversionTest, ManyRegistersDoNotExhaustMemory) {
  // 2^40 registers per thread: the plan stays small in any case.
  LinearLayout source =
      LinearLayout::identity1D(40, kRegister, "dim0") * LinearLayout::identity1D(5, kLane, "dim0");
  LinearLayout destination =
      LinearLayout::identity1D(5, kLane, "dim0") * LinearLayout::identity1D(40, kRegister, "dim0");
  llvm::Expected<ConversionPlan> plan = planConversion(source, destination);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->kind, ConversionKind::SharedMemory);
}

} // namespace
