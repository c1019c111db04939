// Atomics: every kind, the old value, and real atomicity between threads.
#include "tests/backends/interpreter/Elementwise.h"

using namespace tilerun;
using namespace tilerun::harness;
using llvm::APFloat;
using llvm::APInt;

namespace {

/// Applies one atomic to one address per program and keeps the old value.
std::string rmw(const std::string &kind, const std::string &type,
                const std::string &attributes = "") {
  return substitute(R"(
func.func @k(%target: !tile.ptr<$T>, %values: !tile.ptr<$T>, %old: !tile.ptr<$T>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %vp = tile.addptr %values, %pid : !tile.ptr<$T>, i32
  %v = tile.load %vp : !tile.ptr<$T>
  %o = tile.atomic_rmw $KIND %target, %v $ATTR : !tile.ptr<$T>
  %op = tile.addptr %old, %pid : !tile.ptr<$T>, i32
  tile.store %op, %o : !tile.ptr<$T>
  return
})",
                    {{"KIND", kind}, {"ATTR", attributes}, {"T", type}});
}

struct Kind {
  std::string name;
  std::vector<std::string> types;
  uint64_t (*reference)(const std::string &type, uint64_t old, uint64_t value);
};

APInt integer(const std::string &type, uint64_t bits) { return APInt(widthOf(type), bits); }

const Kind kKinds[] = {
    {"and", {"i32", "i64"}, [](const std::string &, uint64_t a, uint64_t b) { return a & b; }},
    {"or", {"i32", "i64"}, [](const std::string &, uint64_t a, uint64_t b) { return a | b; }},
    {"xor", {"i32", "i64"}, [](const std::string &, uint64_t a, uint64_t b) { return a ^ b; }},
    {"add",
     {"i32", "i64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       return (integer(t, a) + integer(t, b)).getZExtValue();
     }},
    {"max",
     {"i32", "i64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       return integer(t, a).sgt(integer(t, b)) ? a : b;
     }},
    {"min",
     {"i32", "i64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       return integer(t, a).slt(integer(t, b)) ? a : b;
     }},
    {"umax",
     {"i32", "i64"},
     [](const std::string &, uint64_t a, uint64_t b) { return std::max(a, b); }},
    {"umin",
     {"i32", "i64"},
     [](const std::string &, uint64_t a, uint64_t b) { return std::min(a, b); }},
    {"xchg",
     {"i16", "i32", "i64", "f16", "f32", "f64"},
     [](const std::string &, uint64_t, uint64_t b) { return b; }},
    {"fadd",
     {"f16", "bf16", "f32", "f64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       APFloat sum = toFloat(t, a);
       sum.add(toFloat(t, b), APFloat::rmNearestTiesToEven);
       return sum.bitcastToAPInt().getZExtValue();
     }},
    {"fmax",
     {"f32", "f64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       return toDouble(t, a) > toDouble(t, b) ? a : b;
     }},
    {"fmin",
     {"f32", "f64"},
     [](const std::string &t, uint64_t a, uint64_t b) {
       return toDouble(t, a) < toDouble(t, b) ? a : b;
     }},
};

class AtomicKind : public ::testing::TestWithParam<Kind> {};

TEST_P(AtomicKind, GivesOldValuesInOrder) {
  Machine machine;
  Random random;
  constexpr size_t kCount = 64;
  for (const std::string &type : GetParam().types) {
    const unsigned size = bytesOf(type);
    const Bits values = type[0] == 'i' ? randomIntegers(random, type, kCount + 1)
                                       : uniformFloats(random, type, kCount + 1, -100, 100);
    std::vector<uint8_t> bytes;
    for (uint64_t value : values)
      bytes.insert(bytes.end(), reinterpret_cast<uint8_t *>(&value),
                   reinterpret_cast<uint8_t *>(&value) + size);
    const uint64_t target = machine.put(std::vector<uint8_t>(bytes.begin(), bytes.begin() + size));
    const uint64_t operands = machine.put(std::vector<uint8_t>(bytes.begin() + size, bytes.end()));
    const uint64_t old = machine.allocate(kCount * size);
    LaunchOptions options = grid(kCount);
    options.numThreads = 1;
    machine.run(rmw(GetParam().name, type), {ptr(target), ptr(operands), ptr(old)}, options);
    const auto seen = machine.get<uint8_t>(old, kCount * size);
    uint64_t current = values[0];
    for (size_t i = 0; i < kCount; ++i) {
      uint64_t before = 0;
      std::memcpy(&before, seen.data() + i * size, size);
      ASSERT_EQ(before, current) << GetParam().name << " on " << type << ", step " << i;
      current = GetParam().reference(type, current, values[i + 1]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, AtomicKind, ::testing::ValuesIn(kKinds),
                         [](const auto &info) { return info.param.name; });

TEST(Atomic, FloatOrderOfZerosAndNan) {
  Machine machine;
  auto apply = [&](const char *kind, float old, float value) {
    const uint64_t target = machine.put(std::vector<float>{old}),
                   values = machine.put(std::vector<float>{value});
    machine.run(rmw(kind, "f32"), {ptr(target), ptr(values), ptr(machine.allocate(4))});
    return machine.get<float>(target, 1)[0];
  };
  EXPECT_FALSE(std::signbit(apply("fmax", -0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(apply("fmin", 0.0f, -0.0f)));
  EXPECT_EQ(apply("fmax", -5, -3), -3);
  EXPECT_EQ(apply("fmin", -5, -3), -5);
  EXPECT_EQ(apply("fmax", -HUGE_VALF, -1), -1);
  EXPECT_EQ(apply("fmin", HUGE_VALF, 2), 2);
  EXPECT_TRUE(std::isnan(apply("fmax", 1, NAN)));
  EXPECT_EQ(apply("fmin", 1, NAN), 1);
}

TEST(Atomic, EveryOrderingIsAccepted) {
  Machine machine;
  for (const char *sem : {"relaxed", "acquire", "release", "acq_rel"})
    for (const char *scope : {"cta", "gpu", "sys"}) {
      const uint64_t target = machine.put(std::vector<int32_t>{1}),
                     values = machine.put(std::vector<int32_t>{2});
      machine.run(rmw("add", "i32",
                      substitute("{sem = #tile<sem $S>, scope = #tile<scope $C>}",
                                 {{"S", sem}, {"C", scope}})),
                  {ptr(target), ptr(values), ptr(machine.allocate(4))});
      EXPECT_EQ(machine.get<int32_t>(target, 1)[0], 3);
    }
}

TEST(Atomic, AddsFromManyThreadsAreNotLost) {
  Machine machine;
  constexpr int kPrograms = 20000;
  for (const std::string &type : {"i32", "f32"}) {
    const uint64_t counters = machine.put(std::vector<int32_t>(8, 0));
    LaunchOptions options = grid(kPrograms);
    options.numThreads = 8;
    machine.run(substitute(R"(
func.func @k(%p: !tile.ptr<$T>) attributes {tile.kernel} {
  %z = arith.constant dense<0> : tensor<8xi32>
  %b = tile.splat %p : !tile.ptr<$T> -> tensor<8x!tile.ptr<$T>>
  %q = tile.addptr %b, %z : tensor<8x!tile.ptr<$T>>, tensor<8xi32>
  %one = arith.constant dense<$ONE> : tensor<8x$T>
  %o = tile.atomic_rmw $KIND %q, %one : tensor<8x!tile.ptr<$T>>
  return
})",
                           {{"KIND", type == "f32" ? "fadd" : "add"},
                            {"ONE", type == "f32" ? "1.0" : "1"},
                            {"T", type}}),
                {ptr(counters)}, options);
    const int32_t bits = machine.get<int32_t>(counters, 1)[0];
    EXPECT_EQ(type == "f32" ? std::bit_cast<float>(bits) : float(bits), float(8 * kPrograms));
  }
}

TEST(Atomic, MaskedLanesDoNothingAndGiveZero) {
  Machine machine;
  const uint64_t buffer = machine.put(std::vector<int32_t>{1, 2, 3, 4}), old = machine.allocate(16);
  machine.run(R"(
func.func @k(%p: !tile.ptr<i32>, %old: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %b = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %q = tile.addptr %b, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = arith.constant dense<10> : tensor<4xi32>
  %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %o = tile.atomic_rmw add %q, %v mask %m : tensor<4x!tile.ptr<i32>>
  %ob = tile.splat %old : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %oq = tile.addptr %ob, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %oq, %o : tensor<4x!tile.ptr<i32>>
  return
})",
              {ptr(buffer), ptr(old)});
  EXPECT_EQ(machine.get<int32_t>(buffer, 4), (std::vector<int32_t>{11, 2, 13, 4}));
  EXPECT_EQ(machine.get<int32_t>(old, 4), (std::vector<int32_t>{1, 0, 3, 0}));
}

TEST(Atomic, CompareAndSwap) {
  Machine machine;
  for (const std::string &type : {"i16", "i32", "i64", "f32", "f16"}) {
    const unsigned size = bytesOf(type);
    // Equal, then different.
    std::vector<uint8_t> memory(2 * size, 0), out(2 * size);
    memory[0] = 5;
    memory[size] = 6;
    const uint64_t buffer = machine.put(memory), old = machine.allocate(2 * size);
    const std::string five = type == "f32" ? "0x00000005" : type == "f16" ? "0x0005" : "5";
    const std::string nine = type == "f32" ? "0x00000009" : type == "f16" ? "0x0009" : "9";
    machine.run(substitute(R"(
func.func @k(%p: !tile.ptr<$T>, %old: !tile.ptr<$T>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 2 : tensor<2xi32>
  %b = tile.splat %p : !tile.ptr<$T> -> tensor<2x!tile.ptr<$T>>
  %q = tile.addptr %b, %i : tensor<2x!tile.ptr<$T>>, tensor<2xi32>
  %c = arith.constant dense<$FIVE> : tensor<2x$T>
  %v = arith.constant dense<$NINE> : tensor<2x$T>
  %o = tile.atomic_cas %q, %c, %v : tensor<2x!tile.ptr<$T>>
  %ob = tile.splat %old : !tile.ptr<$T> -> tensor<2x!tile.ptr<$T>>
  %oq = tile.addptr %ob, %i : tensor<2x!tile.ptr<$T>>, tensor<2xi32>
  tile.store %oq, %o : tensor<2x!tile.ptr<$T>>
  return
})",
                           {{"FIVE", five}, {"NINE", nine}, {"T", type}}),
                {ptr(buffer), ptr(old)});
    const auto after = machine.get<uint8_t>(buffer, 2 * size),
               before = machine.get<uint8_t>(old, 2 * size);
    EXPECT_EQ(after[0], 9) << type;
    EXPECT_EQ(after[size], 6) << type;
    EXPECT_EQ(before[0], 5) << type;
    EXPECT_EQ(before[size], 6) << type;
  }
}

TEST(Atomic, SpinLockBetweenThreads) {
  Machine machine;
  constexpr int kPrograms = 2000;
  const uint64_t lock = machine.put(std::vector<int32_t>{0}),
                 counter = machine.put(std::vector<int32_t>{0});
  LaunchOptions options = grid(kPrograms);
  options.numThreads = 4;
  machine.run(R"(
func.func @k(%lock: !tile.ptr<i32>, %counter: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas %lock, %zero, %one : !tile.ptr<i32>
    %taken = arith.cmpi ne, %old, %zero : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %counter : !tile.ptr<i32>
  %w = arith.addi %v, %one : i32
  tile.store %counter, %w : !tile.ptr<i32>
  tile.barrier
  %x = tile.atomic_rmw xchg %lock, %zero : !tile.ptr<i32>
  return
})",
              {ptr(lock), ptr(counter)}, options);
  EXPECT_EQ(machine.get<int32_t>(counter, 1)[0], kPrograms);
}

TEST(Atomic, MisalignedAddressesFault) {
  Machine machine;
  const uint64_t buffer = machine.allocate(64);
  auto [kind, text] = machine.launchError(R"(
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %o = tile.atomic_rmw add %p, %one : !tile.ptr<i32> loc("k.py":7:3)
  return
})",
                                          {ptr(buffer + 2)});
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_NE(text.find("k.py:7:3: an atomic needs an address that is a multiple of 4"),
            std::string::npos)
      << text;
}

} // namespace
