// Bank conflicts against a simulation of the banks, and swizzles against every other layout.
#include "ir/layout/SharedMemory.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/TensorLayout.h"
#include "tests/ir/layout/LayoutTesting.h"
#include <map>

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

/// Serves one access: the byte address of each lane's vector, phase by phase, bank by bank. Returns
/// the phases without conflicts and the extra ones.
std::pair<uint64_t, uint64_t> simulate(const std::vector<uint64_t> &addresses, unsigned vectorBytes,
                                       const SharedMemoryModel &model) {
  uint64_t line = model.banks * model.bankBytes;
  uint64_t lanesPerPhase = line / std::max(vectorBytes, model.bankBytes);
  uint64_t phases = 0, extra = 0;
  for (size_t first = 0; first < addresses.size(); first += lanesPerPhase) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    for (size_t lane = first; lane < std::min(addresses.size(), first + lanesPerPhase); ++lane)
      for (uint64_t byte = 0; byte < vectorBytes; ++byte) {
        uint64_t word = (addresses[lane] + byte) / model.bankBytes;
        wordsOfBank[word % model.banks].insert(word);
      }
    uint64_t most = 0;
    for (auto &[bank, words] : wordsOfBank)
      most = std::max<uint64_t>(most, words.size());
    ++phases;
    extra += most - 1;
  }
  return {phases, extra};
}

/// Simulates all accesses of one warp through a layout of memory and checks what accessShared says.
void checkAccess(const SharedAccess &access, const LinearLayout &threads,
                 const LinearLayout &memory, unsigned elementBytes,
                 const SharedMemoryModel &model) {
  std::map<uint64_t, uint64_t> offsetOf;
  for (uint64_t o = 0; o < uint64_t(1) << memory.totalInBits(); ++o)
    offsetOf[memory.applyFlat(o)] = o;
  unsigned registerBits = threads.inBits(kRegister), laneBits = threads.inBits(kLane);
  uint64_t others = uint64_t(1) << (threads.totalInBits() - registerBits - laneBits);
  ASSERT_EQ(threads.getIns()[0].name, kRegister);
  ASSERT_EQ(threads.getIns()[1].name, kLane);
  uint64_t runs = uint64_t(1) << access.vectors.runs.size(), width = access.vectorElements;
  ASSERT_EQ(runs, access.instructions);
  ASSERT_EQ(width, uint64_t(1) << access.vectors.withinRun.size());
  ASSERT_LE(width * elementBytes, std::max(model.maxVectorBytes, elementBytes));
  for (uint64_t other = 0; other < others; ++other) {
    for (uint64_t run = 0; run < runs; ++run) {
      std::vector<uint64_t> addresses;
      for (uint64_t lane = 0; lane < uint64_t(1) << laneBits; ++lane) {
        uint64_t thread = (lane | other << laneBits) << registerBits;
        uint64_t start = xorOf(access.vectors.runs, run);
        uint64_t offset = offsetOf.at(threads.applyFlat(start | thread));
        ASSERT_EQ(offset % width, 0u);
        ASSERT_EQ(access.offsets.applyFlat(start | thread), offset);
        for (uint64_t i = 0; i < width; ++i) {
          uint64_t r = start ^ xorOf(access.vectors.withinRun, i);
          ASSERT_EQ(offsetOf.at(threads.applyFlat(r | thread)), offset + i);
        }
        addresses.push_back(offset * elementBytes);
      }
      auto [phases, extra] = simulate(addresses, width * elementBytes, model);
      ASSERT_EQ(access.phases, phases);
      ASSERT_EQ(access.conflicts, extra);
    }
  }
}

TEST(BankConflictTest, AllSmallAccessPatterns) {
  // Three lane bits to sixteen elements, on a memory of two or four banks.
  for (unsigned banks : {2, 4})
    for (unsigned elementBytes : {1, 2, 4, 8})
      for (unsigned vector : {1, 2, 4}) {
        SharedMemoryModel model{banks, 4, 16};
        if (vector * elementBytes > std::min(16u, model.lineBytes()))
          continue;
        forEachMatrix(4, 3, [&](const BitVectors &bases) {
          LinearLayout offsets({Dim("lane", 3)}, {Dim("offset", 4)}, bases);
          LinearLayout aligned({Dim("lane", 3)}, {Dim("offset", 6)},
                               {bases[0] * vector, bases[1] * vector, bases[2] * vector});
          std::vector<uint64_t> addresses;
          for (uint64_t lane = 0; lane < 8; ++lane)
            addresses.push_back(xorOf(bases, lane) * vector * elementBytes);
          ASSERT_EQ(bankConflicts(aligned, elementBytes, vector, model),
                    simulate(addresses, vector * elementBytes, model).second)
              << aligned.toString() << " bytes " << elementBytes << " vector " << vector;
        });
      }
}

TEST(BankConflictTest, RandomWarpsOnRealBanks) {
  Random random(9);
  SharedMemoryModel model;
  std::set<uint64_t> seen;
  for (int i = 0; i < 5000; ++i) {
    unsigned lanes = 5 + random.below(2), elementBytes = 1u << random.below(4);
    unsigned vector = 1u << random.below(std::countr_zero(16 / elementBytes) + 1);
    BitVectors bases;
    for (unsigned lane = 0; lane < lanes; ++lane)
      // Dense patterns and wild ones.
      bases.push_back((random.below(2) ? random.bits(12) : uint64_t(1) << random.below(12)) *
                      vector);
    LinearLayout offsets({Dim("lane", lanes)}, {Dim("offset", 16)}, bases);
    std::vector<uint64_t> addresses;
    for (uint64_t lane = 0; lane < uint64_t(1) << lanes; ++lane)
      addresses.push_back(xorOf(bases, lane) * elementBytes);
    uint64_t expected = simulate(addresses, vector * elementBytes, model).second;
    ASSERT_EQ(bankConflicts(offsets, elementBytes, vector, model), expected);
    seen.insert(expected);
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST(BankConflictTest, TextbookCases) {
  auto lanes = [](std::initializer_list<uint64_t> bases) {
    return LinearLayout({Dim("lane", 5)}, {Dim("offset", 16)}, llvm::ArrayRef<uint64_t>(bases));
  };
  EXPECT_EQ(bankConflicts(lanes({1, 2, 4, 8, 16}), 4, 1), 0u);         // consecutive words
  EXPECT_EQ(bankConflicts(lanes({2, 4, 8, 16, 32}), 4, 1), 1u);        // stride of two
  EXPECT_EQ(bankConflicts(lanes({32, 64, 128, 256, 512}), 4, 1), 31u); // a column of 32 words
  EXPECT_EQ(bankConflicts(lanes({33, 66, 132, 264, 528}), 4, 1), 0u);  // the same, swizzled
  EXPECT_EQ(bankConflicts(lanes({0, 0, 0, 0, 0}), 4, 1), 0u);          // broadcast
  EXPECT_EQ(bankConflicts(lanes({0, 0, 32, 64, 128}), 4, 1), 7u);      // groups of four share
  EXPECT_EQ(bankConflicts(lanes({1, 2, 4, 8, 16}), 2, 1), 0u);         // pairs share a word
  EXPECT_EQ(bankConflicts(lanes({4, 8, 16, 32, 64}), 4, 4), 0u);       // 16 bytes a lane
  // Eight lanes a phase, two of them to a line of 64 bytes apart: 4 phases, twice each.
  EXPECT_EQ(bankConflicts(lanes({4, 8, 32, 16, 64}), 4, 4), 4u);
}

TEST(SharedAccessTest, SimulatedOnRandomLayouts) {
  Random random(10);
  std::set<unsigned> widths;
  for (int i = 0; i < 400; ++i) {
    unsigned registers = random.below(4), lanes = 3 + random.below(4), warps = random.below(2);
    unsigned bits = registers + lanes + warps;
    DimList outs = {Dim("dim0", bits / 2), Dim("dim1", bits - bits / 2)};
    LinearLayout memory({Dim("offset", bits)}, outs,
                        i % 2 ? random.invertible(bits)
                              : BitVectors(BitMatrix::identity(bits).getColumns()));
    BitVectors bases = random.invertible(bits);
    if (i % 3)
      for (unsigned b = 0; b < bits; ++b) // often in order, sometimes replicated
        bases[b] = random.below(8) ? memory.getBases()[b] : 0;
    LinearLayout threads({Dim("register", registers), Dim("lane", lanes), Dim("warp", warps)}, outs,
                         bases);
    unsigned elementBytes = 1u << random.below(4);
    SharedMemoryModel model;
    std::optional<SharedAccess> access = accessShared(threads, memory, elementBytes, model);
    ASSERT_TRUE(access);
    checkAccess(*access, threads, memory, elementBytes, model);
    widths.insert(access->vectorElements);
  }
  EXPECT_GE(widths.size(), 3u);
}

TEST(SharedAccessTest, MissingElements) {
  LinearLayout threads = LinearLayout::identity1D(3, kLane, "dim0");
  LinearLayout memory = LinearLayout::identity1D(2, kOffset, "dim0").resizeOut("dim0", 3);
  EXPECT_FALSE(accessShared(threads, memory, 4));
}

/// The least wavefronts over every layout of memory.
uint64_t bestOfAll(const LinearLayout &writer, const LinearLayout &reader, unsigned elementBytes,
                   const SharedMemoryModel &model) {
  uint64_t best = ~uint64_t(0);
  unsigned bits = writer.totalOutBits();
  forEachMatrix(bits, bits, [&](const BitVectors &bases) {
    if (Subspace(bases).dimension() != bits)
      return;
    LinearLayout memory({Dim("offset", bits)}, DimList(writer.getOuts()), bases);
    uint64_t cost = accessShared(writer, memory, elementBytes, model)->wavefronts() +
                    accessShared(reader, memory, elementBytes, model)->wavefronts();
    best = std::min(best, cost);
  });
  return best;
}

TEST(SwizzleTest, NoLayoutIsBetterOnAllSmallPairs) {
  // Every bijective reader of eight elements against a fixed writer, on small memories with banks
  // that are wider than, as wide as and narrower than an element; every layout of memory is tried.
  for (unsigned registers : {1, 2})
    for (unsigned elementBytes : {2, 4}) {
      SharedMemoryModel model{2, 4, 8};
      const DimList ins = {Dim("register", registers), Dim("lane", 3 - registers)};
      const DimList outs = {Dim("dim0", 3)};
      LinearLayout writer(ins, outs, {1, 2, 4});
      forEachMatrix(3, 3, [&](const BitVectors &bases) {
        if (Subspace(bases).dimension() != 3)
          return;
        LinearLayout reader(ins, outs, bases);
        SharedChoice choice = chooseSharedLayout(writer, reader, elementBytes, model);
        checkAccess(choice.write, writer, choice.memory, elementBytes, model);
        checkAccess(choice.read, reader, choice.memory, elementBytes, model);
        ASSERT_EQ(choice.write.wavefronts() + choice.read.wavefronts(),
                  bestOfAll(writer, reader, elementBytes, model))
            << reader.toString() << " bytes " << elementBytes;
      });
    }
}

TEST(SwizzleTest, NoLayoutIsBetterOnRandomPairs) {
  Random random(12);
  for (int i = 0; i < 16; ++i) {
    unsigned registers = 1 + random.below(3), elementBytes = 1u << random.below(4);
    SharedMemoryModel model{2u << random.below(2), 4, 8u << random.below(2)};
    if (elementBytes > model.maxVectorBytes)
      continue;
    const DimList ins = {Dim("register", registers), Dim("lane", 4 - registers)};
    const DimList outs = {Dim("dim0", 4)};
    LinearLayout writer(ins, outs, {1, 2, 4, 8}), reader(ins, outs, random.invertible(4));
    SharedChoice choice = chooseSharedLayout(writer, reader, elementBytes, model);
    ASSERT_EQ(choice.write.wavefronts() + choice.read.wavefronts(),
              bestOfAll(writer, reader, elementBytes, model))
        << reader.toString() << " bytes " << elementBytes << " banks " << model.banks << " vector "
        << model.maxVectorBytes;
  }
}

TEST(SwizzleTest, RandomPairsAreConflictFreeWithCommonVectors) {
  Random random(11);
  unsigned vectorized = 0;
  for (int i = 0; i < 600; ++i) {
    // Of 64 banks, stores have 32.
    const bool isWide = i >= 300;
    const SharedMemoryModel model{isWide ? 64u : 32u}, stores;
    unsigned registers = random.below(5), warps = random.below(3), lanes = isWide ? 6 : 5;
    unsigned bits = registers + lanes + warps, elementBytes = 1u << random.below(5);
    const DimList ins = {Dim("register", registers), Dim("lane", lanes), Dim("warp", warps)};
    const DimList outs = {Dim("dim0", bits)};
    LinearLayout writer(ins, outs, random.invertible(bits));
    BitVectors permuted(writer.getBases());
    random.shuffle(permuted); // bits change roles between registers, lanes and warps
    if (i % 4 == 0)
      permuted = random.invertible(bits);
    LinearLayout reader(ins, outs, permuted);
    SharedChoice choice = chooseSharedLayout(writer, reader, elementBytes, model);
    ASSERT_TRUE(choice.memory.isInvertible());
    checkAccess(choice.write, writer, choice.memory, elementBytes, stores);
    checkAccess(choice.read, reader, choice.memory, elementBytes, model);
    if (choice.write.vectorElements == choice.read.vectorElements) {
      ASSERT_EQ(choice.write.conflicts, 0u);
      ASSERT_EQ(choice.read.conflicts, 0u);
      vectorized += choice.write.vectorElements > 1;
    }
    // Never worse than a conflict-free exchange of single elements.
    uint64_t scalar = 0;
    for (const SharedMemoryModel &side : {model, stores})
      scalar += std::max(1u, (std::max(side.bankBytes, elementBytes) << lanes) / side.lineBytes())
                << registers;
    ASSERT_LE(choice.write.wavefronts() + choice.read.wavefronts(), scalar);
  }
  EXPECT_GT(vectorized, 20u);
}

TEST(SwizzleTest, WriterAndReaderAreTreatedAlike) {
  // Tiles that only one side can access in vectors: exchanging the sides must cost the same.
  LinearLayout rows = llvm::cantFail(coalescedLayout({64, 64}, 8, 32, 4, {1, 0}));
  LinearLayout columns = llvm::cantFail(coalescedLayout({64, 64}, 1, 32, 4, {0, 1}));
  LinearLayout narrow = llvm::cantFail(coalescedLayout({64, 64}, 2, 32, 4, {1, 0}));
  LinearLayout accumulator = tileFragment(fragmentLayout(FragmentKind::MmaD), 6, 6, 1, 1);
  const LinearLayout *layouts[] = {&rows, &columns, &narrow, &accumulator};
  for (unsigned elementBytes : {1, 2, 4})
    for (const LinearLayout *a : layouts)
      for (const LinearLayout *b : layouts) {
        SharedChoice there = chooseSharedLayout(*a, *b, elementBytes);
        SharedChoice back = chooseSharedLayout(*b, *a, elementBytes);
        EXPECT_EQ(there.write.wavefronts() + there.read.wavefronts(),
                  back.write.wavefronts() + back.read.wavefronts())
            << a->toString() << " and " << b->toString() << " bytes " << elementBytes;
        EXPECT_EQ(there.write.instructions + there.read.instructions,
                  back.write.instructions + back.read.instructions);
      }
}

TEST(SwizzleTest, TransposeOfATile) {
  // 32 x 32 floats, four a thread along rows when written and along columns when read.
  LinearLayout writer = llvm::cantFail(coalescedLayout({32, 32}, 4, 32, 4, {1, 0}));
  LinearLayout reader = llvm::cantFail(coalescedLayout({32, 32}, 4, 32, 4, {0, 1}));
  SharedMemoryModel model;
  SharedChoice choice = chooseSharedLayout(writer, reader, 4, model);
  checkAccess(choice.write, writer, choice.memory, 4, model);
  checkAccess(choice.read, reader, choice.memory, 4, model);
  EXPECT_EQ(choice.write.conflicts, 0u);
  EXPECT_EQ(choice.read.conflicts, 0u);
  EXPECT_EQ(choice.bytes(4), 4096u);
  // A wavefront moves one word a lane at most, so as many wavefronts as registers are the minimum.
  EXPECT_EQ(choice.write.wavefronts(), 1u << writer.inBits(kRegister));
  EXPECT_EQ(choice.read.wavefronts(), 1u << reader.inBits(kRegister));
}

TEST(SwizzleTest, SameLayoutKeepsFullVectors) {
  LinearLayout layout = llvm::cantFail(coalescedLayout({64, 64}, 8, 32, 4, {1, 0}));
  SharedChoice choice = chooseSharedLayout(layout, layout, 2);
  EXPECT_EQ(choice.write.vectorElements, 8u);
  EXPECT_EQ(choice.read.vectorElements, 8u);
  EXPECT_EQ(choice.write.conflicts + choice.read.conflicts, 0u);
}

TEST(SwizzleTest, AccumulatorToCoalescedRows) {
  // The epilogue of a product: 64 x 64 fp16 from mma fragments to 16-byte rows.
  LinearLayout writer = tileFragment(fragmentLayout(FragmentKind::MmaD), 6, 6, 1, 1);
  LinearLayout reader = llvm::cantFail(coalescedLayout({64, 64}, 8, 32, 4, {1, 0}));
  SharedMemoryModel model;
  SharedChoice choice = chooseSharedLayout(writer, reader, 2, model);
  checkAccess(choice.write, writer, choice.memory, 2, model);
  checkAccess(choice.read, reader, choice.memory, 2, model);
  EXPECT_EQ(choice.write.conflicts, 0u);
  EXPECT_EQ(choice.read.conflicts, 0u);
  EXPECT_GE(choice.write.vectorElements, 2u);
  EXPECT_GE(choice.read.vectorElements, 2u);
}

TEST(SwizzleTest, ReplicatedWriterAndSmallTensors) {
  LinearLayout writer = llvm::cantFail(coalescedLayout({4, 4}, 4, 32, 4, {1, 0}));
  LinearLayout reader = llvm::cantFail(coalescedLayout({4, 4}, 4, 32, 4, {0, 1}));
  SharedMemoryModel model;
  SharedChoice choice = chooseSharedLayout(writer, reader, 4, model);
  checkAccess(choice.write, writer, choice.memory, 4, model);
  checkAccess(choice.read, reader, choice.memory, 4, model);
  EXPECT_EQ(choice.memory.totalInBits(), 4u);
  EXPECT_EQ(choice.write.conflicts + choice.read.conflicts, 0u);
}

} // namespace
