// Runs, sectors, lines and vectors of addresses that are worked out by hand, and who is in
// conflict.
#include "tools/tilerun/host/Accesses.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::host;

namespace {

std::vector<uint64_t> addresses(size_t count, const std::function<uint64_t(size_t)> &of) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(of(i));
  return out;
}

Coalescing look(const std::vector<uint64_t> &addresses, std::vector<int64_t> shape, unsigned bytes,
                const std::vector<uint8_t> &mask = {}) {
  Coalescing out;
  out.add({addresses, mask.empty() ? nullptr : mask.data(), shape, bytes});
  return out;
}

TEST(Coalescing, DenseLanesTouchWhatTheyUse) {
  const Coalescing c = look(addresses(64, [](size_t i) { return 1024 + 4 * i; }), {64}, 4);
  EXPECT_EQ(c.getNumWarps(), 2u);
  EXPECT_EQ(c.getSectors().units, 8u);
  EXPECT_EQ(c.getSectors().least, 8u);
  EXPECT_EQ(c.getLines().units, 2u);
  EXPECT_EQ(c.getRuns().count, 1u);
  EXPECT_EQ(c.getRuns().longest, 64u);
  EXPECT_EQ(c.getNumVectors(), 16u);
  EXPECT_EQ(c.getNumPossibleVectors(), 16u);
  EXPECT_EQ(c.getAlignment(), 128u);
}

TEST(Coalescing, AMisalignedBaseCostsASectorAndAllVectors) {
  const Coalescing c = look(addresses(32, [](size_t i) { return 1028 + 4 * i; }), {32}, 4);
  EXPECT_EQ(c.getSectors().units, 5u);
  EXPECT_EQ(c.getSectors().least, 4u);
  EXPECT_EQ(c.getLines().units, 2u);
  EXPECT_EQ(c.getNumPossibleVectors(), 0u);
  EXPECT_EQ(c.getAlignment(), 4u);
}

TEST(Coalescing, EachLaneOfAWideStrideTouchesItsOwnSector) {
  const Coalescing c = look(addresses(32, [](size_t i) { return 32 * i; }), {32}, 2);
  EXPECT_EQ(c.getSectors().units, 32u);
  EXPECT_EQ(c.getSectors().least, 2u);
  EXPECT_EQ(c.getLines().units, 8u);
  EXPECT_EQ(c.getRuns().count, 32u);
  ASSERT_TRUE(c.getWorst());
  EXPECT_EQ(c.getWorst()->sectors.size(), 32u);
  EXPECT_EQ(c.getWorst()->sectors[5].bytes, 2u);
}

TEST(Coalescing, ABroadcastIsOneAccess) {
  const Coalescing c = look(addresses(32, [](size_t) { return 64; }), {32}, 4);
  EXPECT_EQ(c.getSectors().units, 1u);
  EXPECT_EQ(c.getSectors().least, 1u);
}

TEST(Coalescing, AnElementThatCrossesASectorTouchesBoth) {
  const Coalescing c = look({28}, {1}, 8);
  EXPECT_EQ(c.getSectors().units, 2u);
  EXPECT_EQ(c.getSectors().least, 1u);
  ASSERT_EQ(c.getWorst()->sectors.size(), 2u);
  EXPECT_EQ(c.getWorst()->sectors[0].bytes, 4u);
  EXPECT_EQ(c.getWorst()->sectors[1].address, 32u);
}

TEST(Coalescing, WarpsGoAlongTheDimensionThatIsContiguous) {
  // [i, j] is at j * 64 + i: the first dimension is contiguous.
  const auto columns = addresses(16 * 8, [](size_t k) { return k % 8 * 64 * 4 + k / 8 * 4; });
  const Coalescing c = look(columns, {16, 8}, 4);
  EXPECT_EQ(c.getOrder().front(), 0u);
  EXPECT_EQ(c.getRuns().count, 8u);
  EXPECT_EQ(c.getRuns().shortest, 16u);
  // A warp has two columns of 64 bytes each.
  EXPECT_EQ(c.getNumWarps(), 4u);
  EXPECT_EQ(c.getSectors().units, 4u * 4);
  EXPECT_EQ(c.getLines().units, 4u * 2);
  EXPECT_EQ(c.getLines().least, 4u);
}

TEST(Coalescing, LanesThatAreOffCountNowhere) {
  std::vector<uint8_t> mask(64, 0);
  for (size_t i = 0; i < 6; ++i)
    mask[i] = 1;
  const Coalescing c = look(addresses(64, [](size_t i) { return 4 * i; }), {64}, 4, mask);
  EXPECT_EQ(c.getNumOff(), 58u);
  EXPECT_EQ(c.getNumWarps(), 1u);
  EXPECT_EQ(c.getSectors().units, 1u);
  EXPECT_EQ(c.getRuns().longest, 6u);
  // The second group is cut by the mask.
  EXPECT_EQ(c.getNumVectors(), 2u);
  EXPECT_EQ(c.getNumPossibleVectors(), 1u);
}

TEST(Coalescing, ExecutionsAddUpAndTheWorstIsKept) {
  Coalescing c;
  const std::vector<int64_t> shape{32};
  const auto dense = addresses(32, [](size_t i) { return 4 * i; });
  const auto wide = addresses(32, [](size_t i) { return 64 * i; });
  c.add({dense, nullptr, shape, 4});
  c.add({wide, nullptr, shape, 4});
  c.add({dense, nullptr, shape, 4});
  EXPECT_EQ(c.getNumExecutions(), 3u);
  EXPECT_EQ(c.getSectors().units, 4u + 32 + 4);
  EXPECT_EQ(c.getWorst()->execution, 1u);
}

TEST(Coalescing, AScalarHasNoOrder) {
  const Coalescing c = look({100}, {}, 4);
  EXPECT_TRUE(c.getOrder().empty());
  EXPECT_EQ(c.getNumLanes(), 1u);
  EXPECT_EQ(c.getSectors().units, 1u);
}

ElementAccess element(std::vector<uint32_t> readers, std::vector<uint32_t> writers,
                      std::vector<uint32_t> atomics = {}) {
  ElementAccess out;
  for (uint32_t p : readers)
    out.readers.add(p);
  for (uint32_t p : writers) {
    out.writers.add(p);
    out.updaters.add(p);
  }
  for (uint32_t p : atomics)
    out.updaters.add(p);
  return out;
}

TEST(Conflicts, NeedTwoProgramsAndAWrite) {
  EXPECT_FALSE(element({0, 1, 2}, {}).conflicts());
  EXPECT_FALSE(element({1, 1}, {1, 1}).conflicts());
  EXPECT_TRUE(element({}, {0, 1}).conflicts());
  EXPECT_TRUE(element({0}, {1}).conflicts());
  EXPECT_TRUE(element({0, 1}, {1}).conflicts());
  EXPECT_FALSE(element({}, {}, {0, 1, 2}).conflicts());
  EXPECT_TRUE(element({0}, {}, {1}).conflicts());
  EXPECT_TRUE(element({}, {0}, {1}).conflicts());
}

TEST(AccessMaps, TellProgramsFromCounts) {
  TensorAccess access;
  auto tensor = Tensor::create(dtype(Scalar::F32), {8}, {2});
  ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
  access.tensor = *tensor;
  access.slots.resize(15);
  for (uint32_t i = 0; i < 8; ++i) // The slots between have no element.
    for (uint32_t p = 0; p < (i < 4 ? 1 : i); ++p)
      access.slots[size_t(i) * 2].readers.add(i < 4 ? i / 2 : p);
  access.slots[1].readers.add(9);
  const UseCount counted = count(access, Use::Read);
  EXPECT_EQ(counted.touched, 8);
  EXPECT_EQ(counted.bySeveral, 4);
  EXPECT_EQ(counted.most, 7u);
  EXPECT_EQ(countUntouched(access), 0);
  auto letters = [&](MapSize size) {
    std::string out;
    for (const AccessMap::Cell &cell : makeMap(access, Use::Read, size).cells)
      out += getLetter(cell, false);
    return out;
  };
  EXPECT_EQ(letters(kTextMap), "aabb4567");
  EXPECT_EQ(letters({1, 4}), "ab57");
  EXPECT_EQ(letters({1, 2}), "~7");
}

} // namespace
