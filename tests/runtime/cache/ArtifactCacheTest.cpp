// The cache in memory: one compilation for many threads, failures, the bound; and the stored form.
#include "runtime/cache/PluginArtifacts.h"
#include "tests/runtime/cache/CacheTest.h"

#include <random>
#include <thread>

using namespace tilerun;
using namespace tilerun::cache;

namespace {

using ArtifactCacheTest = CacheTest;

// An artifact with two kernels, the first of which may have details.
std::shared_ptr<const Artifact> makeArtifact(std::string bytes, bool hasDetails = false) {
  const TilerunPluginParameter parameters[] = {
      {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_POINTER, 64, "x"},
      {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_INTEGER, 1, "flag"},
      {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_FLOAT, 16, ""}};
  const TilerunPluginKernelInfo kernels[] = {
      {sizeof(TilerunPluginKernelInfo), 3, "first", parameters, 128, 4096},
      {sizeof(TilerunPluginKernelInfo), 0, "second", nullptr, 32, 0}};
  static constexpr TilerunPluginStep steps[] = {{TILERUN_STEP_ARGUMENT, 0, 0},
                                                {TILERUN_STEP_CONSTANT, 0, -5},
                                                {TILERUN_STEP_ADD, 0, 0},
                                                {TILERUN_STEP_WORD, 0, 0}};
  const TilerunPluginDerived derived = {sizeof(derived), 1, "map", steps, 4, 0};
  const TilerunPluginDerived *parameter = &derived;
  const TilerunPluginKernelDetails first = {sizeof(first),           1, &parameter, 32, {2, 1, 1},
                                            TILERUN_GRID_PERSISTENT, 3};
  const TilerunPluginKernelDetails *details[] = {&first, nullptr};
  TilerunPluginArtifact artifact = {sizeof(artifact),
                                    2,
                                    reinterpret_cast<const uint8_t *>(bytes.data()),
                                    bytes.size(),
                                    "test:1",
                                    kernels,
                                    hasDetails ? details : nullptr};
  return Artifact::copy(artifact);
}

const TilerunPluginKernelInfo *findKernel(const Artifact &artifact, llvm::StringRef name) {
  for (const TilerunPluginKernelInfo &kernel : artifact.getKernels())
    if (name == kernel.name)
      return &kernel;
  return nullptr;
}

std::string getText(const std::shared_ptr<const Artifact> &artifact) {
  const TilerunPluginArtifact &a = artifact->get();
  return std::string(reinterpret_cast<const char *>(a.bytes), a.num_bytes);
}

// Whether memory or disk has an artifact of a key.
bool holds(ArtifactCache &cache, const Key &key) {
  bool isKept = true;
  cache.getOrCompile(key, [&] {
    isKept = false;
    return Outcome::fail({TILERUN_STATUS_COMPILE, "not kept", "compile", "", ""});
  });
  return isKept;
}

TEST(Artifacts, StoredAndRead) {
  std::vector<uint8_t> stored = makeArtifact(std::string("a\0b", 3))->serialize();
  EXPECT_EQ(stored, makeArtifact(std::string("a\0b", 3))->serialize());
  std::shared_ptr<const Artifact> read = Artifact::parse(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(getText(read), std::string("a\0b", 3));
  EXPECT_STREQ(read->get().compatibility, "test:1");
  ASSERT_EQ(read->get().num_kernels, 2u);
  const TilerunPluginKernelInfo *first = findKernel(*read, "first");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->threads, 128u);
  EXPECT_EQ(first->shared_bytes, 4096u);
  ASSERT_EQ(first->num_parameters, 3u);
  EXPECT_STREQ(first->parameters[1].name, "flag");
  EXPECT_EQ(first->parameters[1].bits, 1u);
  EXPECT_EQ(first->parameters[2].kind, TILERUN_ARGUMENT_FLOAT);
  EXPECT_FALSE(findKernel(*read, "third"));
  EXPECT_EQ(read->serialize(), stored);
  std::shared_ptr<const Artifact> noted = read->withNote("a note");
  EXPECT_EQ(Artifact::parse(noted->serialize())->getNote(), "a note");
  EXPECT_STREQ(findKernel(*noted, "first")->parameters[0].name, "x");
  EXPECT_NE(findKernel(*noted, "first"), first);
}

TEST(Artifacts, DetailsAreStoredAndRead) {
  std::shared_ptr<const Artifact> made = makeArtifact("bytes", true);
  std::vector<uint8_t> stored = made->serialize();
  // After the fields of an artifact without details.
  std::vector<uint8_t> plain = makeArtifact("bytes")->serialize();
  ASSERT_GT(stored.size(), plain.size());
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), stored.begin()));
  std::shared_ptr<const Artifact> read = Artifact::parse(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->serialize(), stored);
  for (const auto &artifact : {made, read, read->withNote("a note")}) {
    EXPECT_EQ(artifact->get().details[1], nullptr);
    const TilerunPluginKernelDetails &details = *artifact->get().details[0];
    EXPECT_EQ(details.struct_size, sizeof(details));
    EXPECT_EQ(details.lanes, 32u);
    EXPECT_EQ(details.cluster[0] * 100 + details.cluster[1] * 10 + details.cluster[2], 211u);
    EXPECT_EQ(details.grid_policy, TILERUN_GRID_PERSISTENT);
    EXPECT_EQ(details.programs_per_unit, 3u);
    ASSERT_EQ(details.num_derived, 1u);
    const TilerunPluginDerived &derived = *details.derived[0];
    EXPECT_STREQ(derived.form, "map");
    EXPECT_EQ(derived.num_words, 1u);
    ASSERT_EQ(derived.num_steps, 4u);
    EXPECT_EQ(derived.steps[1].operation, TILERUN_STEP_CONSTANT);
    EXPECT_EQ(derived.steps[1].value, -5);
  }
}

class Garbage : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Artifacts, Garbage, testing::Bool());

TEST_P(Garbage, IsRefused) {
  std::vector<uint8_t> stored = makeArtifact("bytes", GetParam())->serialize();
  const size_t plain = makeArtifact("bytes")->serialize().size();
  for (size_t size = 0; size < stored.size(); ++size)
    EXPECT_EQ(Artifact::parse(llvm::ArrayRef(stored).take_front(size)) != nullptr, size == plain)
        << size;
  stored.push_back(0);
  EXPECT_FALSE(Artifact::parse(stored));
  stored.pop_back();
  // For any bytes, reading ends, and does not use more memory than their size.
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> changed = stored;
    for (int i = 0; i < 4; ++i)
      changed[random() % changed.size()] = static_cast<uint8_t>(random());
    if (std::shared_ptr<const Artifact> read = Artifact::parse(changed))
      EXPECT_TRUE(read->get().num_bytes <= changed.size() && read->serialize() == changed);
  }
}

TEST_F(ArtifactCacheTest, ManyThreadsCompileOnce) {
  auto disk = std::make_shared<DiskCache>(makeOptions());
  ArtifactCache cache(disk);
  std::atomic<unsigned> compiled{0}, ready{0};
  std::vector<std::shared_ptr<const Artifact>> results(64);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 64; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < 64)
        std::this_thread::yield();
      results[i] = cache
                       .getOrCompile(makeKey(1),
                                     [&]() -> Outcome {
                                       ++compiled;
                                       std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                       return {makeArtifact("code"), nullptr};
                                     })
                       .artifact;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiled, 1u);
  for (const auto &result : results)
    EXPECT_EQ(result, results[0]);
  // A later process finds it on disk.
  ArtifactCache later(std::make_shared<DiskCache>(makeOptions()));
  Outcome outcome = later.getOrCompile(makeKey(1), []() -> Outcome {
    ADD_FAILURE() << "compiled again";
    return {makeArtifact("other"), nullptr};
  });
  EXPECT_EQ(getText(outcome.artifact), "code");
  EXPECT_TRUE(warnings.empty());
}

TEST_F(ArtifactCacheTest, FailureGoesToAllAndIsNotKept) {
  ArtifactCache cache(std::make_shared<DiskCache>(makeOptions()));
  std::atomic<unsigned> compiled{0}, inside{0}, failed{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      ++inside;
      Outcome outcome = cache.getOrCompile(makeKey(1), [&] {
        ++compiled;
        while (inside < 16)
          std::this_thread::yield();
        // The others are about to wait.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return Outcome::fail({TILERUN_STATUS_COMPILE, "no such op", "compile", "", ""});
      });
      if (!outcome.artifact && outcome.error->status == TILERUN_STATUS_COMPILE &&
          outcome.error->message == "no such op")
        ++failed;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 16u);
  EXPECT_LT(compiled, 16u);
  Outcome second =
      cache.getOrCompile(makeKey(1), []() -> Outcome { return {makeArtifact("good"), nullptr}; });
  ASSERT_TRUE(second.artifact);
  EXPECT_EQ(getText(second.artifact), "good");
}

TEST_F(ArtifactCacheTest, DifferentKeysDoNotWaitForEachOther) {
  ArtifactCache cache(nullptr);
  std::atomic<bool> second{false};
  std::thread other;
  cache.getOrCompile(makeKey(1), [&]() -> Outcome {
    other = std::thread([&] {
      cache.getOrCompile(makeKey(2), [&]() -> Outcome {
        second = true;
        return {makeArtifact("2"), nullptr};
      });
    });
    while (!second)
      std::this_thread::yield();
    return {makeArtifact("1"), nullptr};
  });
  other.join();
  EXPECT_TRUE(holds(cache, makeKey(1)));
  EXPECT_TRUE(holds(cache, makeKey(2)));
}

TEST_F(ArtifactCacheTest, MemoryIsBounded) {
  ArtifactCache cache(nullptr, 50'000);
  auto add = [&](uint64_t number, size_t bytes) {
    auto artifact = makeArtifact(std::string(bytes, 'x'));
    Outcome made = cache.getOrCompile(makeKey(number), [&] { return Outcome{artifact, nullptr}; });
    EXPECT_EQ(made.artifact, artifact);
  };
  for (uint64_t i = 0; i < 100; ++i) {
    add(i, 5000);
    EXPECT_TRUE(holds(cache, makeKey(0))) << "in use all the time";
  }
  unsigned kept = 0;
  for (uint64_t i = 0; i < 100; ++i)
    kept += holds(cache, makeKey(i));
  EXPECT_GE(kept, 5u);
  EXPECT_LE(kept, 10u);
  // One that is larger than the bound is still returned to the caller.
  add(200, 100'000);
  EXPECT_TRUE(holds(cache, makeKey(200)));
}

TEST_F(ArtifactCacheTest, PersistenceIsChosen) {
  auto disk = std::make_shared<DiskCache>(makeOptions());
  ArtifactCache cache(disk);
  auto compile = []() -> Outcome { return {makeArtifact("code"), nullptr}; };
  cache.getOrCompile(makeKey(1), compile, /*persistent=*/false);
  EXPECT_EQ(disk->getStat().numEntries, 0u);
  cache.getOrCompile(makeKey(2), compile);
  EXPECT_EQ(disk->getStat().numEntries, 1u);
  cache.forget(makeKey(2));
  EXPECT_EQ(disk->getStat().numEntries, 0u);
  EXPECT_FALSE(holds(cache, makeKey(2)));
}

TEST_F(ArtifactCacheTest, AnEntryThatIsNoArtifactIsReplaced) {
  auto disk = std::make_shared<DiskCache>(makeOptions());
  ASSERT_TRUE(disk->put(makeKey(1), EntryKind::Artifact, makePayload(1, 40)));
  ArtifactCache cache(disk);
  Outcome outcome =
      cache.getOrCompile(makeKey(1), []() -> Outcome { return {makeArtifact("code"), nullptr}; });
  EXPECT_TRUE(outcome.artifact);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("not an artifact in this version's format"), std::string::npos);
  ArtifactCache later(disk);
  EXPECT_TRUE(holds(later, makeKey(1)));
}

TEST(PluginArtifacts, KeysDependOnAllThatDecides) {
  TilerunPlugin table = {};
  table.struct_size = sizeof(table);
  table.name = "test";
  table.version = "1";
  EXPECT_FALSE(isPersistent(table));
  table.compiler_version = "c1";
  EXPECT_TRUE(isPersistent(table));
  TilerunPluginOption options[] = {{"num-warps", "4"}, {"debug", "false"}};
  uint8_t bytecode[] = {1, 2, 3};
  TilerunPluginCompileRequest request = {sizeof(request), 2, bytecode, 3, "test:a", options};
  std::set<Key> keys;
  auto add = [&] {
    EXPECT_TRUE(keys.insert(getArtifactKey(table, nullptr, request)).second);
    EXPECT_FALSE(keys.insert(getArtifactKey(table, nullptr, request)).second);
  };
  add();
  request.target = "test:b";
  add();
  options[0].value = "8";
  add();
  options[0].name = "num-stages";
  add();
  request.num_options = 1;
  add();
  bytecode[2] = 4;
  add();
  request.num_bytes = 2;
  add();
  table.version = "2";
  add();
  table.compiler_version = "c2";
  add();
  table.name = "other";
  add();
}

// A compiler whose answers the tests choose.
namespace odd {
const TilerunPluginArtifact *compiled = nullptr, *linked = nullptr;
TilerunStatus linkStatus = TILERUN_STATUS_OK;
int released = 0;
TilerunPluginDevice *const device = reinterpret_cast<TilerunPluginDevice *>(&released);

TilerunPlugin getTable() {
  TilerunPlugin table = {};
  table.struct_size = sizeof(table);
  table.name = "odd";
  table.compiler_version = "1";
  table.compile = [](const TilerunPluginCompileRequest *, const TilerunPluginArtifact **artifact,
                     const TilerunErrorSink *) -> TilerunStatus {
    if (compiled)
      *artifact = compiled;
    return TILERUN_STATUS_OK;
  };
  table.finalize_artifact = [](TilerunPluginDevice *, const TilerunPluginArtifact *,
                               const TilerunPluginArtifact **out,
                               const TilerunErrorSink *) -> TilerunStatus {
    if (!linkStatus && linked)
      *out = linked;
    return linkStatus;
  };
  table.release_artifact = [](const TilerunPluginArtifact *artifact) { released += !!artifact; };
  return table;
}
} // namespace odd

TEST(PluginArtifacts, WhatCannotBeReadIsAnError) {
  const TilerunPlugin table = odd::getTable();
  const uint8_t code[] = {1, 2};
  TilerunPluginParameter parameter = {sizeof(parameter), TILERUN_ARGUMENT_INTEGER, 32, nullptr};
  TilerunPluginKernelInfo kernel = {sizeof(kernel), 1, "k", &parameter, 1, 0};
  TilerunPluginArtifact artifact = {sizeof(artifact), 1, code, 2, nullptr, &kernel, nullptr};
  TilerunPluginCompileRequest request = {};
  request.struct_size = sizeof(request);
  request.target = "odd:1";
  odd::linkStatus = TILERUN_STATUS_UNSUPPORTED;
  auto expect = [&](const TilerunPluginArtifact *given, const std::string &text) {
    odd::compiled = given;
    odd::released = 0;
    Outcome outcome = compileArtifact(table, nullptr, request);
    EXPECT_EQ(odd::released, given ? 1 : 0);
    ASSERT_EQ(outcome.error == nullptr, text.empty());
    if (outcome.error) {
      EXPECT_EQ(outcome.error->status, TILERUN_STATUS_INTERNAL);
      EXPECT_EQ(outcome.error->message,
                "plugin 'odd' gives no usable artifact for target 'odd:1': " + text);
    }
  };
  expect(&artifact, "");
  expect(nullptr, "it is missing");
  TilerunPluginArtifact wrong = artifact;
  wrong.struct_size = 16;
  expect(&wrong, "its struct_size is 16, not at least 40");
  wrong = artifact;
  wrong.bytes = nullptr;
  expect(&wrong, "it has 2 bytes at address 0");
  wrong = artifact;
  wrong.kernels = nullptr;
  expect(&wrong, "it has 1 kernels and no list of them");
  kernel.name = nullptr;
  expect(&artifact, "kernel 0 has no name");
  kernel.name = "k";
  kernel.struct_size = 48;
  expect(&artifact, "kernel 0 has the struct_size 48, not 32, which is fixed");
  kernel.struct_size = sizeof(kernel);
  parameter.struct_size = 24;
  expect(&artifact, "kernel 0's parameter 0 has the struct_size 24, not 16, which is fixed");
  kernel.parameters = nullptr;
  expect(&artifact, "kernel 0 has 1 parameters and no list of them");
  kernel.num_parameters = 0xFFFFFFFF;
  expect(&artifact, "kernel 0 has 4294967295 parameters; 65536 are possible");
}

// A link that fails for lack of memory is tried again by the next process; one that never works is
// not.
TEST_F(ArtifactCacheTest, PassingLinkFailuresAreNotKept) {
  const TilerunPlugin table = odd::getTable();
  const uint8_t portable[] = {1}, binary[] = {2, 2};
  TilerunPluginKernelInfo kernel = {sizeof(kernel), 0, "k", nullptr, 1, 0};
  TilerunPluginArtifact made = {sizeof(made), 1, portable, 1, "portable", &kernel, nullptr};
  TilerunPluginArtifact final = {sizeof(final), 1, binary, 2, "binary", &kernel, nullptr};
  odd::compiled = &made;
  uint8_t bytecode = 0;
  TilerunPluginCompileRequest request = {};
  request.struct_size = sizeof(request);
  request.bytecode = &bytecode;
  request.num_bytes = 1;
  request.target = "odd:1";
  for (TilerunStatus status : {TILERUN_STATUS_OUT_OF_MEMORY, TILERUN_STATUS_DEVICE_LOST,
                               TILERUN_STATUS_DRIVER, TILERUN_STATUS_INTERNAL, TILERUN_STATUS_OK,
                               TILERUN_STATUS_UNSUPPORTED, TILERUN_STATUS_COMPILE}) {
    ++bytecode; // Another key.
    odd::linkStatus = status;
    odd::linked = nullptr; // OK without a binary is a failure as well.
    bool kept = status == TILERUN_STATUS_UNSUPPORTED || status == TILERUN_STATUS_COMPILE;
    auto disk = std::make_shared<DiskCache>(makeOptions());
    const uint64_t before = disk->getStat().numEntries;
    ArtifactCache cache(disk);
    auto get = [&](ArtifactCache &from) {
      return from.getOrCompile(getArtifactKey(table, odd::device, request),
                               [&] { return compileArtifact(table, odd::device, request); });
    };
    for (int round = 0; round < 2; ++round) {
      Outcome outcome = get(cache);
      ASSERT_TRUE(outcome.artifact) << status;
      EXPECT_STREQ(outcome.artifact->get().compatibility, "portable") << status;
    }
    EXPECT_EQ(disk->getStat().numEntries, before + kept) << status;
    // The next process, with a working driver.
    odd::linkStatus = TILERUN_STATUS_OK;
    odd::linked = &final;
    ArtifactCache later(disk);
    Outcome outcome = get(later);
    ASSERT_TRUE(outcome.artifact) << status;
    EXPECT_STREQ(outcome.artifact->get().compatibility, kept ? "portable" : "binary") << status;
    EXPECT_EQ(disk->getStat().numEntries, before + 1) << status;
  }
}

} // namespace
