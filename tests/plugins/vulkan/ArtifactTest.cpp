// The container of artifacts: they round-trip, and damaged bytes are refused.
#include "plugins/vulkan/Artifact.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <gtest/gtest.h>
#include <random>

using namespace vulkan;
using tilerun::backend::DebugSite;

namespace {

constexpr size_t kHeaderBytes = 32;

/// A module with the entry points "first" and "second", and no more.
std::vector<uint32_t> makeCode() {
  std::vector<uint32_t> code = {0x07230203, 0x00010600, 0, 8, 0};
  auto addEntry = [&](std::string name) {
    name.resize(name.size() / 4 * 4 + 4);
    code.push_back(uint32_t(3 + name.size() / 4) << 16 | 15);
    code.push_back(5);
    code.push_back(1);
    for (size_t i = 0; i < name.size(); i += 4)
      code.push_back(llvm::support::endian::read32le(name.data() + i));
  };
  code.push_back(2 << 16 | 17); // OpCapability Shader
  code.push_back(1);
  addEntry("first");
  addEntry("second");
  return code;
}

ArtifactContent makeContent() {
  ArtifactContent content;
  KernelCode first, second;
  first.name = first.entry = "first";
  first.threads = 128;
  first.subgroupSize = 32;
  first.sharedBytes = 1024;
  first.flags = KernelCode::kDebugBuffer;
  first.parameters = {{"x", TILERUN_ARGUMENT_POINTER, 64},
                      {"flag", TILERUN_ARGUMENT_INTEGER, 1},
                      {"", TILERUN_ARGUMENT_FLOAT, 16},
                      {"n", TILERUN_ARGUMENT_INTEGER, 64}};
  second.name = "other";
  second.entry = "second";
  content.kernels = {first, second};
  content.debugSites = {{DebugSite::Kind::Print, "x %d\n", "i", "file.py", 7, 3},
                        {DebugSite::Kind::Assert, "too large", "", "", 0, 0}};
  content.code = makeCode();
  content.pipeline = {1, 2, 3, 4, 5};
  return content;
}

std::string getError(llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<ArtifactContent> content = decodeArtifact(bytes);
  return content ? "" : llvm::toString(content.takeError());
}

/// Makes the header valid again, as an attacker would.
void repair(std::vector<uint8_t> &bytes) {
  using namespace llvm::support::endian;
  if (bytes.size() < kHeaderBytes)
    return;
  write64le(&bytes[16], bytes.size());
  write64le(&bytes[24], llvm::xxh3_64bits(llvm::ArrayRef(bytes).drop_front(kHeaderBytes)));
}

TEST(VulkanArtifact, RoundTrip) {
  ArtifactContent content = makeContent();
  llvm::Expected<ArtifactContent> read = decodeArtifact(encodeArtifact(content));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->kernels, content.kernels);
  EXPECT_EQ(read->code, content.code);
  EXPECT_EQ(read->pipeline, content.pipeline);
  ASSERT_EQ(read->debugSites.size(), 2u);
  EXPECT_EQ(read->debugSites[0].text, "x %d\n");
  EXPECT_EQ(read->debugSites[0].arguments, "i");
  EXPECT_EQ(read->debugSites[0].file, "file.py");
  EXPECT_EQ(read->debugSites[0].line, 7u);
  EXPECT_EQ(read->debugSites[0].column, 3u);
  EXPECT_EQ(read->debugSites[1].kind, DebugSite::Kind::Assert);
  // The same content gives the same bytes.
  EXPECT_EQ(encodeArtifact(*read), encodeArtifact(content));
}

TEST(VulkanArtifact, PackedBytesFollowTheAbi) {
  // Pointer at 0, boolean at 8, half at 10, i64 at 16.
  EXPECT_EQ(makeContent().kernels[0].getPackedBytes(), 24u);
  EXPECT_EQ(makeContent().kernels[1].getPackedBytes(), 0u);
}

TEST(VulkanArtifact, EveryDamagedByteIsFound) {
  const std::vector<uint8_t> whole = encodeArtifact(makeContent());
  for (size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> bytes = whole;
      bytes[i] ^= uint8_t(1 << bit);
      EXPECT_NE(getError(bytes), "") << "byte " << i << ", bit " << bit;
    }
}

TEST(VulkanArtifact, EveryTruncationIsFound) {
  const std::vector<uint8_t> whole = encodeArtifact(makeContent());
  for (size_t size = 0; size < whole.size(); ++size) {
    // In memory of just that size, so that a sanitizer sees reads beyond it.
    std::vector<uint8_t> bytes(whole.begin(), whole.begin() + long(size));
    bytes.shrink_to_fit();
    EXPECT_NE(getError(bytes), "") << size << " bytes";
  }
  std::vector<uint8_t> longer = whole;
  longer.push_back(0);
  EXPECT_NE(getError(longer), "");
}

TEST(VulkanArtifact, LengthsAreNotBelievedWhereTheChecksumIsRight) {
  const std::vector<uint8_t> whole = encodeArtifact(makeContent());
  std::mt19937 random(20);
  size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = whole;
    for (int change = int(random() % 4); change >= 0; --change) {
      size_t at = kHeaderBytes + random() % (bytes.size() - kHeaderBytes);
      // Counts are small numbers: large ones and those near them are where readers go wrong.
      bytes[at] = random() % 3 ? uint8_t(random()) : 0xFF;
    }
    if (random() % 4 == 0)
      bytes.resize(kHeaderBytes + random() % (bytes.size() - kHeaderBytes));
    bytes.shrink_to_fit();
    repair(bytes);
    refused += !getError(bytes).empty();
  }
  // Most changes hit a length, a kind or the code; some a name or a number, which may be anything.
  EXPECT_GT(refused, 10000u);
}

TEST(VulkanArtifact, SaysWhatIsWrong) {
  std::vector<uint8_t> bytes = encodeArtifact(makeContent());
  EXPECT_EQ(getError({}), "the artifact is empty");
  const uint8_t text[] = "this is not code at all, but text that goes on";
  EXPECT_EQ(getError(text), "the artifact is not from this plugin");
  std::vector<uint8_t> changed = bytes;
  changed[8] = 9;
  EXPECT_EQ(getError(changed), "the artifact has version 9, this plugin reads 1");
  changed = bytes;
  changed.pop_back();
  EXPECT_EQ(getError(changed), "the artifact should have " + std::to_string(bytes.size()) +
                                   " bytes and has " + std::to_string(bytes.size() - 1));
  changed = bytes;
  changed.back() ^= 1;
  EXPECT_EQ(getError(changed), "the artifact is damaged: its checksum is wrong");
}

TEST(VulkanArtifact, CodeIsLookedAt) {
  ArtifactContent content = makeContent();
  content.kernels[1].entry = "third";
  EXPECT_EQ(getError(encodeArtifact(content)),
            "the artifact cannot be used: its code has no entry point 'third'");
  content = makeContent();
  content.code[0] = 7;
  EXPECT_EQ(getError(encodeArtifact(content)),
            "the artifact cannot be used: its code is not SPIR-V");
  content = makeContent();
  content.code.back() = 0;
  content.code.pop_back();
  EXPECT_EQ(getError(encodeArtifact(content)),
            "the artifact cannot be used: its code ends within an instruction");
  content = makeContent();
  content.code.push_back(0); // An instruction without words would be read forever.
  EXPECT_NE(getError(encodeArtifact(content)), "");
}

TEST(VulkanArtifact, GivenArtifactsOwnTheirContent) {
  const TilerunPluginArtifact *given = giveArtifact(makeContent(), "vulkan:1.3,threads=1");
  EXPECT_STREQ(given->compatibility, "vulkan:1.3,threads=1");
  ASSERT_EQ(given->num_kernels, 2u);
  EXPECT_STREQ(given->kernels[1].name, "other");
  EXPECT_EQ(given->kernels[0].threads, 128u);
  EXPECT_EQ(given->kernels[0].shared_bytes, 1024u);
  ASSERT_EQ(given->kernels[0].num_parameters, 4u);
  EXPECT_STREQ(given->kernels[0].parameters[0].name, "x");
  EXPECT_EQ(given->kernels[0].parameters[2].kind, TILERUN_ARGUMENT_FLOAT);
  EXPECT_EQ(getError(llvm::ArrayRef(given->bytes, given->num_bytes)), "");
  OwnedArtifact::release(given);
  OwnedArtifact::release(nullptr);
}

} // namespace
