// A loop that a schedule by hand splits into a producer and a consumer: through the whole pipeline,
// on the emulator, in every order of their warps; and the mistakes that such a kernel may have,
// found by the protocol's simulation and by the emulator.
#include "tests/kernels/Emulator.h"

#include "ir/distribute/Facts.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/Expand.h"
#include "ir/schedule/Protocol.h"
#include "ir/schedule/Stages.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::test;

namespace {

constexpr unsigned kSize = 16, kWarps = 2, kMost = 12, kChanges = 100;

/// A sum of products of two tiles; the pointers are carried by the loop.
const char *const kProducts = R"(
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant dense<256> : tensor<16x16xi32>
  %init = arith.constant dense<0.0> : tensor<16x16xf32>
  %lines = arith.constant dense<16> : tensor<16x1xi32>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %column = tile.expand_dims %range axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %column, %lines : tensor<16x1xi32>
  %starts2 = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %row2 = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<16x16xi32>
  %ps = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %p0 = tile.addptr %ps, %offsets : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %q0 = tile.addptr %qs, %offsets : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %init, %p = %p0, %q = %q0)
      -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f16>>, tensor<16x16x!tile.ptr<f16>>) : i32 {
    %a = tile.load %p : tensor<16x16x!tile.ptr<f16>>
    %b = tile.load %q : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %p1 = tile.addptr %p, %size : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %q1 = tile.addptr %q, %size : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    scf.yield %d, %p1, %q1 : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f16>>, tensor<16x16x!tile.ptr<f16>>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %to = tile.addptr %outs, %offsets : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %to, %r#0 : tensor<16x16x!tile.ptr<f32>>
  return
}
)";

/// A small integer as an f16.
uint16_t toHalf(int value) {
  static const uint16_t kHalves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return value < 0 ? 0x8000 | kHalves[-value] : kHalves[value];
}

class RoleSchedule : public ::testing::Test {
protected:
  RoleSchedule() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                    vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "generic";
    target.warpSize = 8;
    target.hasAsyncCopy = target.hasRoles = true;
    for (size_t i = 0; i < std::size(x); ++i) {
      values[0][i] = int(i * 7 % 9) - 4;
      values[1][i] = int(i * 5 % 7) - 3;
      x[i] = toHalf(values[0][i]);
      y[i] = toHalf(values[1][i]);
    }
  }
  static func::FuncOp kernelOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

  /// The kernel under such a schedule, in `sched` ops.
  OwningOpRef<ModuleOp> expand(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(bool(module));
    func::FuncOp kernel = kernelOf(*module);
    distribute::AccessAnalysis accesses(*module);
    EXPECT_TRUE(succeeded(distribute::assignLayouts(kernel, {kWarps, &target, accesses.getRuns()},
                                                    accesses.getFacts())));
    distribute::LayoutAssignment layouts(kernel, target, kWarps);
    auto byHand = schedule::HandSchedule::parse(text, "schedule", &context);
    EXPECT_TRUE(succeeded(byHand));
    EXPECT_TRUE(succeeded(schedule::scheduleKernel(kernel, layouts, {/*numStages=*/3, &*byHand})));
    EXPECT_TRUE(succeeded(schedule::expandSchedule(kernel, layouts)));
    EXPECT_TRUE(succeeded(schedule::checkExpanded(kernel, layouts)));
    EXPECT_TRUE(succeeded(verify(*module)));
    return module;
  }
  OwningOpRef<ModuleOp> lower(const std::string &text) {
    OwningOpRef<ModuleOp> module = expand(text);
    EXPECT_TRUE(succeeded(simt::lowerTileToSimt(*module, {kWarps, 1, &target})));
    distribute::dropAttributes(*module);
    EXPECT_TRUE(succeeded(verify(*module)));
    return module;
  }
  /// The error in one order; empty if there is none and the sums are right.
  std::string run(func::FuncOp kernel, uint32_t n, uint64_t seed, unsigned warps = 2 * kWarps) {
    std::fill(std::begin(out), std::end(out), -1.0f);
    auto address = [](auto *memory) { return reinterpret_cast<uint64_t>(memory); };
    MemoryRange memory[] = {{reinterpret_cast<uint8_t *>(x), sizeof(x)},
                            {reinterpret_cast<uint8_t *>(y), sizeof(y)},
                            {reinterpret_cast<uint8_t *>(out), sizeof(out)}};
    uint64_t arguments[] = {address(x), address(y), address(out), n};
    std::string message =
        llvm::toString(emulate(kernel, arguments, memory, {&target, warps, 1, seed}));
    for (unsigned i = 0; message.empty() && i < kSize * kSize; ++i) {
      int sum = 0; // of each loop
      for (unsigned k = 0; k < n * kSize; ++k)
        sum += values[0][k / kSize * kSize * kSize + i / kSize * kSize + k % kSize] *
               values[1][k * kSize + i % kSize];
      if (out[i] != float(loops * sum))
        message = "wrong result";
    }
    return message;
  }
  /// The first error that checkProtocol has about the changed kernel.
  std::string errorAfter(llvm::function_ref<void(func::FuncOp)> change) {
    OwningOpRef<ModuleOp> module = expand(kFourSlots);
    func::FuncOp kernel = kernelOf(*module);
    change(kernel);
    EXPECT_TRUE(succeeded(verify(*module)));
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      if (error.empty())
        error = d.str();
      return success();
    });
    distribute::LayoutAssignment layouts(kernel, target, kWarps);
    EXPECT_EQ(failed(schedule::checkProtocol(kernel, layouts)), !error.empty());
    return error;
  }
  /// The emulator's messages about the changed per-thread kernel, in some orders.
  std::set<std::string> messagesAfter(llvm::function_ref<void(func::FuncOp)> change) {
    OwningOpRef<ModuleOp> module = lower(kFourSlots);
    change(kernelOf(*module));
    std::set<std::string> messages;
    for (uint64_t seed = 0; seed < 24; ++seed) {
      std::string message = run(kernelOf(*module), kMost, seed);
      messages.insert(message.substr(
          0, std::min({message.find(": "), message.find(":\n"), message.find(", byte")})));
    }
    return messages;
  }
  /// The ops of a kind, in order.
  template <typename Op> static SmallVector<Op> all(func::FuncOp kernel) {
    SmallVector<Op> ops;
    kernel.walk([&](Op op) { ops.push_back(op); });
    return ops;
  }

  static constexpr const char *kFourSlots = "loop #0: slots=4 roles=producer:2,consumer";
  MLIRContext context;
  target::TargetInfo target;
  std::string source = kProducts;
  int loops = 1; ///< Each adds all products.
  int values[2][kMost * kSize * kSize];
  alignas(64) uint16_t x[kMost * kSize * kSize], y[kMost * kSize * kSize];
  alignas(64) float out[kSize * kSize];
};

TEST_F(RoleSchedule, RunsRightInAThousandOrders) {
  OwningOpRef<ModuleOp> module = lower(kFourSlots);
  const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 6, kMost};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    uint32_t n = counts[seed % std::size(counts)];
    ASSERT_EQ(run(kernelOf(*module), n, seed), "") << n << " iterations, seed " << seed;
  }
}

TEST_F(RoleSchedule, BoxesAreRightInAThousandOrders) {
  target.hasBoxCopies = true;
  OwningOpRef<ModuleOp> module = lower("loop #0: slots=4 copies=boxes");
  func::FuncOp kernel = kernelOf(*module);
  EXPECT_EQ(all<simt::BoxCopyOp>(kernel).size(), 2u);
  EXPECT_TRUE(all<simt::AsyncCopyOp>(kernel).empty());
  const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 6, kMost};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    uint32_t n = counts[seed % std::size(counts)];
    ASSERT_EQ(run(kernel, n, seed, kWarps + 1), "") << n << " iterations, seed " << seed;
  }
}

TEST_F(RoleSchedule, AnyNumberOfSlotsAndAnyDistance) {
  for (const char *numbers : {"slots=2", "slots=3 distance=1", "slots=3", "slots=6 distance=3"}) {
    SCOPED_TRACE(numbers);
    OwningOpRef<ModuleOp> module =
        lower(std::string("loop #0: roles=producer:2,consumer ") + numbers);
    for (uint32_t n : {0, 1, 2, 5, 12})
      for (uint64_t seed = 0; seed < 8; ++seed)
        ASSERT_EQ(run(kernelOf(*module), n, seed), "") << n << " iterations, seed " << seed;
  }
}

TEST_F(RoleSchedule, AnotherLoopOfTheKernelIsTheConsumers) {
  // Its loads run ahead within that role.
  size_t begin = source.find("  %r:3 ="), end = source.find("  %outs");
  std::string loop = source.substr(begin, end - begin);
  source.replace(source.find("%to, %r#0"), 9, "%to, %s#0");
  loop.replace(loop.find("%r:3"), 4, "%s:3");
  loop.replace(loop.find("%acc = %init"), 12, "%acc = %r#0");
  source.insert(end, loop);
  loops = 2;
  for (const char *which : {"0", "1"}) {
    SCOPED_TRACE(which);
    OwningOpRef<ModuleOp> module =
        lower(std::string("loop #") + which + ": slots=3 roles=producer:2,consumer");
    unsigned waits = 0;
    kernelOf(*module).walk([&](simt::AsyncWaitOp) { ++waits; });
    EXPECT_GT(waits, 3u); // of the producer, and of the other loop
    for (uint32_t n : {0, 1, 2, 3, 8})
      for (uint64_t seed = 0; seed < 8; ++seed)
        ASSERT_EQ(run(kernelOf(*module), n, seed), "") << n << " iterations, seed " << seed;
  }
}

TEST_F(RoleSchedule, TheKernelSaysHowManyThreadsItHas) {
  OwningOpRef<ModuleOp> module = lower(kFourSlots);
  auto threads = kernelOf(*module)->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr);
  EXPECT_EQ(threads.getInt(), 32);
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

TEST_F(RoleSchedule, AnOrderThatIsKeptIsAccepted) {
  EXPECT_EQ(errorAfter([](func::FuncOp) {}), "");
}

TEST_F(RoleSchedule, TheProtocolFindsWhatIsMissing) {
  EXPECT_EQ(errorAfter([](func::FuncOp k) { all<schedule::ReleaseOp>(k)[0].erase(); }),
            "'sched.acquire' op waits for slot 0 forever");
  // The first of the publishes in the loop and after it.
  EXPECT_EQ(errorAfter([](func::FuncOp k) { all<schedule::PublishOp>(k)[0].erase(); }),
            "'sched.publish' op publishes slot 0, whose copies may still be under way");
  EXPECT_EQ(errorAfter([](func::FuncOp k) { all<schedule::AcquireOp>(k)[0].erase(); }),
            "'sched.copy' op fills slot 0, which is not between an acquire and its publish");
  EXPECT_EQ(errorAfter([](func::FuncOp k) { all<schedule::AwaitOp>(k)[0].erase(); }),
            "'sched.read' op reads slot 0, which is not between an await and its release");
}

TEST_F(RoleSchedule, TheProtocolFindsWhatIsTooEarly) {
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              Operation *read = all<schedule::ReadOp>(k)[0];
              all<schedule::ReleaseOp>(k)[0]->moveBefore(read);
            }),
            "'sched.read' op reads slot 0, which is not between an await and its release");
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              Operation *product = all<tile::DotOp>(k)[0];
              all<schedule::ReleaseOp>(k)[0]->moveBefore(product);
            }),
            "'tile.dot' op reads slot 0, which has been released before");
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              for (schedule::PublishOp publish : all<schedule::PublishOp>(k))
                publish.setPending(3);
            }),
            "'sched.publish' op publishes slot 0, whose copies may still be under way");
}

TEST_F(RoleSchedule, TheProtocolFindsWrongPhases) {
  auto zero = [](Operation *op) {
    OpBuilder b(op);
    return arith::ConstantIntOp::create(b, op->getLoc(), 0, 32).getResult();
  };
  EXPECT_EQ(
      errorAfter([&](func::FuncOp k) {
        auto acquire = all<schedule::AcquireOp>(k)[0];
        acquire.getPhaseMutable().assign(zero(acquire));
      }),
      "'sched.acquire' op waits with phase 0 for slot 0, which has been filled 1 time before");
  EXPECT_EQ(errorAfter([&](func::FuncOp k) {
              auto await = all<schedule::AwaitOp>(k)[0];
              await.getPhaseMutable().assign(zero(await));
            }),
            "'sched.await' op waits with phase 0 for slot 0, which has been read 1 time before");
}

TEST_F(RoleSchedule, TheProtocolFindsUnevenLoops) {
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              // The consumer runs once more than the producer.
              auto loop = all<schedule::AwaitOp>(k)[0]->getParentOfType<scf::ForOp>();
              OpBuilder b(loop);
              Value more =
                  arith::AddIOp::create(b, loop.getLoc(), loop.getUpperBound(), loop.getStep());
              loop.setUpperBound(more);
            }),
            "'sched.await' op waits for slot 0 forever");
}

TEST_F(RoleSchedule, TheProtocolFindsDeadlocks) {
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              // The producer publishes everything at the end.
              auto publishes = all<schedule::PublishOp>(k);
              publishes[0].setPending(0);
              OpBuilder b(publishes[0]);
              Value never = arith::ConstantIntOp::create(b, k.getLoc(), 0, 1);
              publishes[0].getWhenMutable().assign(never);
            }),
            "'sched.await' op waits for slot 0 forever");
}

/// Of two channels with as many slots, which are acquired together, each orders the rings that name
/// it.
TEST_F(RoleSchedule, TheChannelOfARingIsTheOneThatItNames) {
  auto addChannel = [](func::FuncOp k) {
    auto channel = all<schedule::ChannelOp>(k)[0];
    OpBuilder b(channel);
    b.setInsertionPointAfter(channel);
    Operation *other = b.clone(*channel);
    k.walk([&](Operation *op) {
      if (!isa<schedule::AcquireOp, schedule::PublishOp, schedule::AwaitOp, schedule::ReleaseOp>(
              op))
        return;
      b.setInsertionPointAfter(op);
      IRMapping map;
      map.map(channel.getChannel(), other->getResult(0));
      if (op->getOperand(0) == channel.getChannel())
        b.clone(*op, map);
    });
  };
  EXPECT_EQ(errorAfter(addChannel), "");
  for (unsigned named : {0, 1})
    EXPECT_EQ(errorAfter([&](func::FuncOp k) {
                addChannel(k);
                for (auto ring : all<schedule::RingOp>(k))
                  ring.getChannelMutable().assign(all<schedule::ChannelOp>(k)[named]);
                all<schedule::AwaitOp>(k)[named].erase();
              }),
              "'sched.read' op reads slot 0, which is not between an await and its release");
}

TEST_F(RoleSchedule, TheProtocolRefusesSlotsThatDependOnData) {
  EXPECT_EQ(errorAfter([](func::FuncOp k) {
              auto await = all<schedule::AwaitOp>(k)[0];
              OpBuilder b(await);
              Value slot = tile::ProgramIdOp::create(b, await.getLoc(), 0);
              await.getSlotMutable().assign(slot);
            }),
            "'sched.await' op has a slot that depends on data; it must follow from how often loops "
            "have run");
}

TEST_F(RoleSchedule, TheProtocolAsksTheTarget) {
  target.hasRoles = true;
  OwningOpRef<ModuleOp> module = expand(kFourSlots);
  auto errorOn = [&](const target::TargetInfo &other) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      error = d.str();
      return success();
    });
    distribute::LayoutAssignment layouts(kernelOf(*module), other, kWarps);
    EXPECT_TRUE(failed(schedule::checkExpanded(kernelOf(*module), layouts)));
    return error;
  };
  target::TargetInfo other = target;
  other.hasRoles = false;
  EXPECT_EQ(errorOn(other), "'sched.role' op cannot be on generic, which has no roles");
  other = target;
  other.sharedMemoryBytes = 4096;
  EXPECT_EQ(errorOn(other),
            "rings between roles take 4160 bytes, but generic has 4096 of shared memory");
  other = target;
  other.maxThreads = 24;
  EXPECT_EQ(errorOn(other), "roles take 32 threads, but generic allows 24 in a program");
}

const std::set<std::string> kFound = {"no warp can go on",
                                      "no barrier after another thread's write of shared memory",
                                      "no barrier after another thread's read of shared memory",
                                      "read of shared memory that was never written",
                                      "read of shared memory whose copy has not been waited for",
                                      "wrong result"};

TEST_F(RoleSchedule, TheEmulatorFindsTheSameMistakes) {
  auto expectFound = [&](const std::set<std::string> &messages) {
    EXPECT_FALSE(messages.contains("")) << "not found in every order";
    for (const std::string &message : messages)
      EXPECT_TRUE(message.empty() || kFound.contains(message)) << message;
  };
  // The producer's arrivals come first, then the consumer's.
  expectFound(messagesAfter([](func::FuncOp k) { all<simt::PhaseArriveOp>(k).back().erase(); }));
  expectFound(messagesAfter([](func::FuncOp k) { all<simt::PhaseArriveOp>(k).front().erase(); }));
  expectFound(messagesAfter([](func::FuncOp k) {
    auto wait = all<simt::PhaseWaitOp>(k).back();
    OpBuilder b(wait);
    wait.getParityMutable().assign(arith::ConstantIntOp::create(b, wait.getLoc(), 0, 32));
  }));
  expectFound(messagesAfter([](func::FuncOp k) { all<simt::AsyncWaitOp>(k).front().erase(); }));
}

//===----------------------------------------------------------------------===//
// Changes at random
//===----------------------------------------------------------------------===//

/// Changes one op of a channel or a ring: erases, repeats or moves it, or gives it another slot or
/// another number of copies that may be under way.
void changeOne(func::FuncOp kernel, std::mt19937_64 &random) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<schedule::AcquireOp, schedule::PublishOp, schedule::AwaitOp, schedule::ReleaseOp,
            schedule::CopyOp, schedule::CopyBoxOp, schedule::PutOp, schedule::ReadOp,
            schedule::DrainOp, schedule::DotWaitOp>(op))
      ops.push_back(op);
  });
  Operation *op = ops[random() % ops.size()];
  OpBuilder b(op);
  auto pending = [&](auto publishOrAwait) { publishOrAwait.setPending(random() % 4); };
  switch (random() % 6) {
  case 0:
    if (op->use_empty())
      op->erase();
    return;
  case 1:
    if (op->use_empty())
      b.clone(*op);
    return;
  case 2: {
    auto slot = arith::ConstantIntOp::create(b, op->getLoc(), random() % 4, 32);
    // Where a box begins is before its slot.
    if (auto box = dyn_cast<schedule::CopyBoxOp>(op))
      return box.getSlotMutable().assign(slot);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType().isInteger(32))
        return operand.set(slot);
    return;
  }
  case 3:
    if (auto publish = dyn_cast<schedule::PublishOp>(op))
      return pending(publish);
    if (auto await = dyn_cast<schedule::AwaitOp>(op))
      return pending(await);
    return;
  default: {
    SmallVector<Operation *> others;
    for (Operation &other : *op->getBlock())
      others.push_back(&other);
    op->moveBefore(others[random() % others.size()]);
    return;
  }
  }
}

/// A schedule in ops that is changed at random is refused, or it runs right: in every order that is
/// tried, and without anything that the emulator finds.
TEST_F(RoleSchedule, WhatIsAcceptedRunsRight) {
  struct Kind {
    const char *schedule;
    unsigned warps;
  };
  target.hasBoxCopies = true;
  std::mt19937_64 random(20);
  unsigned refused = 0, accepted = 0;
  for (Kind kind : {Kind{kFourSlots, 2 * kWarps}, Kind{"loop #0: slots=3 copies=boxes", kWarps + 1},
                    Kind{"loop #0: slots=3 copies=chunks", kWarps},
                    Kind{"loop #0: slots=2 copies=registers", kWarps}})
    for (unsigned i = 0; i < kChanges; ++i) {
      OwningOpRef<ModuleOp> module = expand(kind.schedule);
      ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
      for (uint64_t left = 1 + random() % 2; left; --left)
        changeOne(kernelOf(*module), random);
      distribute::LayoutAssignment layouts(kernelOf(*module), target, kWarps);
      if (failed(verify(*module)) || failed(schedule::checkExpanded(kernelOf(*module), layouts))) {
        ++refused;
        continue;
      }
      ++accepted;
      std::string text;
      llvm::raw_string_ostream(text) << *module;
      ASSERT_TRUE(succeeded(simt::lowerTileToSimt(*module, {kWarps, 1, &target}))) << text;
      distribute::dropAttributes(*module);
      for (uint32_t n : {0, 1, 2, 3, 5, 12})
        for (uint64_t seed = 0; seed < 4; ++seed)
          ASSERT_EQ(run(kernelOf(*module), n, seed, kind.warps), "")
              << n << " iterations, seed " << seed << ", change " << i << " of " << kind.schedule
              << "\n"
              << text;
    }
  EXPECT_GT(refused, accepted);
  EXPECT_GT(accepted, 50u);
}

} // namespace
