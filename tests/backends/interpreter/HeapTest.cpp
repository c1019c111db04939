// The memory of the interpreter: allocations, copies, unwritten bytes, threads.
#include "tests/backends/interpreter/Harness.h"

#include <cmath>
#include <set>
#include <thread>

using namespace tilerun;
using namespace tilerun::harness;

namespace {

TEST(Heap, AllocationsAreAlignedDistinctAndApart) {
  Machine machine;
  std::set<uint64_t> seen;
  for (uint64_t bytes : {0, 0, 1, 100, 1 << 20}) {
    const uint64_t address = machine.allocate(bytes);
    EXPECT_NE(address, 0u);
    EXPECT_EQ(address % 256, 0u);
    EXPECT_TRUE(seen.insert(address).second);
  }
}

TEST(Heap, CopiesThereAndBack) {
  Machine machine;
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 7);
  const uint64_t address = machine.put(bytes);
  EXPECT_EQ(machine.get<uint8_t>(address, 1000), bytes);
  ASSERT_FALSE(machine.heap.copyIn(address + 10, std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(machine.get<uint8_t>(address + 9, 5),
            (std::vector<uint8_t>{63, 1, 2, 3, uint8_t(13 * 7)}));
}

TEST(Heap, CopiesOutsideAnAllocationAreErrors) {
  Machine machine;
  const uint64_t address = machine.allocate(16, "small");
  std::vector<uint8_t> bytes(17);
  auto refused = [](llvm::Error error) {
    ASSERT_TRUE(bool(error));
    EXPECT_EQ(takeError(std::move(error)).first, ErrorKind::InvalidArgument);
  };
  refused(machine.heap.copyIn(address, bytes));
  refused(machine.heap.copyOut(bytes, address));
  refused(machine.heap.copyIn(address + 1, llvm::ArrayRef(bytes).take_front(16)));
  refused(machine.heap.copyIn(0, bytes));
  refused(machine.heap.copyIn(UINT64_MAX - 4, bytes));
  EXPECT_FALSE(machine.heap.copyIn(address + 16, {}));
}

TEST(Heap, FreeingTwiceOrElsewhereIsAnError) {
  Machine machine;
  const uint64_t address = machine.allocate(16, "buffer");
  EXPECT_EQ(takeError(machine.heap.free(address + 8)).first, ErrorKind::InvalidArgument);
  ASSERT_FALSE(machine.heap.free(address));
  auto [kind, text] = takeError(machine.heap.free(address));
  EXPECT_EQ(kind, ErrorKind::InvalidArgument);
  EXPECT_NE(text.find("'buffer' was freed"), std::string::npos) << text;
  std::vector<uint8_t> bytes(4);
  EXPECT_EQ(takeError(machine.heap.copyOut(bytes, address)).first, ErrorKind::InvalidArgument);
  EXPECT_EQ(takeError(machine.heap.poison(address)).first, ErrorKind::InvalidArgument);
}

TEST(Heap, TooMuchMemoryIsAnErrorThatChangesNothing) {
  Machine machine;
  for (uint64_t bytes : {UINT64_MAX, uint64_t(1) << 62, (uint64_t(4) << 30) + 1}) {
    auto address = machine.heap.allocate(bytes, "huge");
    ASSERT_FALSE(bool(address));
    EXPECT_EQ(takeError(address.takeError()).first, ErrorKind::OutOfMemory);
  }
  EXPECT_NE(machine.allocate(16), 0u);
}

TEST(Heap, PoisonIsNanInEveryFloat) {
  Machine machine;
  const uint64_t address = machine.put(std::vector<double>{1, 2});
  ASSERT_FALSE(machine.heap.poison(address));
  EXPECT_TRUE(std::isnan(machine.get<double>(address, 2)[1]));
  EXPECT_TRUE(std::isnan(machine.get<float>(address, 4)[3]));
  EXPECT_EQ(machine.get<uint16_t>(address, 1)[0], 0xffff); // NaN in float16 and bfloat16.
}

// Also in memory that another allocation has used before.
TEST(Heap, WhatNothingHasWrittenIsNan) {
  Machine machine;
  const std::vector<uint8_t> ones(64, 1), nans(64, 0xff);
  for (int round = 0; round < 3; ++round) {
    const uint64_t read = machine.allocate(64), launched = machine.allocate(64),
                   other = machine.allocate(64);
    EXPECT_EQ(machine.get<uint8_t>(read, 64), nans);
    const uint64_t whole = machine.put(ones), part = machine.allocate(64);
    EXPECT_EQ(machine.get<uint8_t>(whole, 64), ones);
    llvm::cantFail(machine.heap.copyIn(part + 8, llvm::ArrayRef(ones).take_front(8)));
    EXPECT_EQ(machine.get<uint8_t>(part, 8), std::vector<uint8_t>(8, 0xff));
    EXPECT_EQ(machine.get<uint8_t>(part + 8, 8), std::vector<uint8_t>(8, 1));
    // A run finds them, too, and its own writes stay.
    machine.heap.beginRun({launched + 7, 12345});
    EXPECT_EQ(*reinterpret_cast<const uint8_t *>(launched + 63), 0xff);
    *reinterpret_cast<uint8_t *>(launched) = 7;
    *reinterpret_cast<uint8_t *>(other) = 7;
    machine.heap.beginRun({launched, other});
    EXPECT_EQ(machine.get<uint8_t>(launched, 1)[0], 7);
    EXPECT_EQ(machine.get<uint8_t>(other, 1)[0], 7);
    for (uint64_t address : {read, launched, other, whole, part})
      llvm::cantFail(machine.heap.free(address));
  }
}

TEST(Heap, SeveralThreadsMayUseIt) {
  Machine machine;
  auto kernel = machine.load(R"(
func.func @k(%x: !tile.ptr<i32>, %v: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %p = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  tile.store %p, %v : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const uint64_t x = llvm::cantFail(machine.heap.allocate(64, "x"));
        llvm::cantFail(interp::launchProgram(*kernel, machine.heap, {ptr(x), num(t)}, grid(16)));
        std::vector<uint8_t> bytes(64);
        llvm::cantFail(machine.heap.copyOut(bytes, x));
        EXPECT_EQ(bytes[60], t);
        llvm::cantFail(machine.heap.free(x));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
