// Every comparison of the vector unit: each condition on each type, to a mask and to EXEC.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <cmath>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

// How two values compare; conditions are sets of these.
enum Order : unsigned { less = 1, equal = 2, greater = 4, unordered = 8 };
template <class T> unsigned order(T a, T b) {
  return a < b ? less : a == b ? equal : a > b ? greater : unordered;
}

struct Type {
  const char *name;
  bool isFloat, isWide;
  unsigned (*compare)(const In &i);
};
const Type types[] = {
    {"i16", false, false, [](const In &i) { return order(int16_t(i.a), int16_t(i.b)); }},
    {"u16", false, false, [](const In &i) { return order(uint16_t(i.a), uint16_t(i.b)); }},
    {"i32", false, false, [](const In &i) { return order(int32_t(i.a), int32_t(i.b)); }},
    {"u32", false, false, [](const In &i) { return order(i.a, i.b); }},
    {"i64", false, true, [](const In &i) { return order(int64_t(i.ab()), int64_t(i.cd())); }},
    {"u64", false, true, [](const In &i) { return order(i.ab(), i.cd()); }},
    {"f16", true, false, [](const In &i) { return order(half(i.a), half(i.b)); }},
    {"f32", true, false, [](const In &i) { return order(i.fa(), i.fb()); }},
    {"f64", true, true, [](const In &i) { return order(i.dab(), i.dcd()); }},
};

struct Condition {
  const char *name;
  unsigned holds;
  bool isOfFloats, isOfIntegers, isOld; // old: only gfx9 has it on every type
};
const Condition conditions[] = {
    {"lt", less, true, true, false},
    {"eq", equal, true, true, false},
    {"le", less | equal, true, true, false},
    {"gt", greater, true, true, false},
    {"ne", less | greater, false, true, false},
    {"lg", less | greater, true, false, false},
    {"ge", greater | equal, true, true, false},
    {"o", less | equal | greater, true, false, false},
    {"u", unordered, true, false, false},
    {"nge", less | unordered, true, false, false},
    {"nlg", equal | unordered, true, false, false},
    {"ngt", less | equal | unordered, true, false, false},
    {"nle", greater | unordered, true, false, false},
    {"neq", less | greater | unordered, true, false, false},
    {"nlt", greater | equal | unordered, true, false, false},
    {"f", 0, true, true, true},
    {"t", 15, false, true, true},
    {"tru", 15, true, false, true},
};

// A comparison and what its mask means; `toExec` is v_cmpx.
struct Comparison {
  std::string name, operands;
  std::function<bool(const In &)> holds;
  bool isOld, toExec;
};

template <class T, class Bits> unsigned classOf(T v, Bits quietBit) {
  bool isNegative = std::signbit(v);
  switch (std::fpclassify(v)) {
  case FP_NAN:
    return std::bit_cast<Bits>(v) & quietBit ? 2 : 1;
  case FP_INFINITE:
    return isNegative ? 4 : 512;
  case FP_NORMAL:
    return isNegative ? 8 : 256;
  case FP_SUBNORMAL:
    return isNegative ? 16 : 128;
  default:
    return isNegative ? 32 : 64;
  }
}
unsigned classOfHalf(uint16_t bits) {
  unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  bool isNegative = bits >> 15;
  if (exponent == 31)
    return fraction ? (fraction & 512 ? 2 : 1) : (isNegative ? 4 : 512);
  if (exponent)
    return isNegative ? 8 : 256;
  return fraction ? (isNegative ? 16 : 128) : (isNegative ? 32 : 64);
}

std::vector<Comparison> comparisons() {
  std::vector<Comparison> list;
  for (bool toExec : {false, true}) {
    std::string prefix = toExec ? "v_cmpx_" : "v_cmp_";
    for (const Type &type : types)
      for (const Condition &condition : conditions) {
        if (!(type.isFloat ? condition.isOfFloats : condition.isOfIntegers))
          continue;
        list.push_back(
            {prefix + condition.name + "_" + type.name, type.isWide ? "v[0:1], v[2:3]" : "v0, v1",
             [&type, &condition](const In &i) { return (condition.holds & type.compare(i)) != 0; },
             condition.isOld, toExec});
      }
    list.push_back({prefix + "class_f16", "v0, v1",
                    [](const In &i) { return (classOfHalf(uint16_t(i.a)) & i.b) != 0; }, false,
                    toExec});
    list.push_back({prefix + "class_f32", "v0, v1",
                    [](const In &i) { return (classOf(i.fa(), 0x400000u) & i.b) != 0; }, false,
                    toExec});
    list.push_back({prefix + "class_f64", "v[0:1], v2",
                    [](const In &i) { return (classOf(i.dab(), uint64_t(1) << 51) & i.c) != 0; },
                    false, toExec});
  }
  return list;
}

// v4 becomes 1 where the comparison holds.
std::string textOf(const Comparison &c, bool isGfx9) {
  if (!c.toExec)
    return c.name + (isGfx9 ? " s[8:9], " : " s8, ") + c.operands + "\nv_cndmask_b32 v4, 0, 1, " +
           (isGfx9 ? "s[8:9]" : "s8");
  return isGfx9 ? c.name + " vcc, " + c.operands + "\nv_mov_b32 v4, 1\ns_mov_b64 exec, -1\n" +
                      "v_cndmask_b32 v5, 0, 1, vcc"
                : c.name + " " + c.operands + "\nv_mov_b32 v4, 1\ns_mov_b32 exec_lo, -1";
}

std::vector<In> inputs() {
  const uint32_t edges[] = {0,          1,          0x8000,     0xffff,     0x7fff,     0x80000000,
                            0xffffffff, 0x7fffffff, 0x3c003c00, 0x3f800000, 0xbf800000, 0x7f800000,
                            0xff800000, 0x7fc00000, 0x7f800001, 0x00000400, 0x00008001, 0x7e007c00,
                            0xfc00fe00, 0x7c017c01, 0x3ff00000, 0x7ff00000, 0xfff00000, 0x7ff80000,
                            0x7ff00001, 0x00100000, 0x80100000, 0x000fffff};
  std::mt19937 random(3);
  std::vector<In> list(1024);
  for (In &i : list) {
    auto value = [&] {
      return random() % 4 ? edges[random() % std::size(edges)] : uint32_t(random());
    };
    i = {value(), value(), value(), value()};
    if (random() % 8 == 0)
      i.b = i.a;
    if (random() % 8 == 0)
      i.c = i.a, i.d = i.b;
  }
  return list;
}

class AmdsimComparisons : public testing::TestWithParam<const char *> {};

TEST_P(AmdsimComparisons, AgreeWithModel) {
  std::string cpu = GetParam();
  bool isGfx9 = cpu.starts_with("gfx9");
  std::vector<Source> kernels;
  std::vector<Comparison> used;
  for (const Comparison &c : comparisons())
    if (isGfx9 || !c.isOld) {
      kernels.push_back({.name = "k" + std::to_string(used.size()),
                         .body = aroundInstruction(cpu, textOf(c, isGfx9))});
      used.push_back(c);
    }
  Loaded loaded = load(cpu, assemble(cpu, kernels));
  ASSERT_TRUE(loaded.module);
  std::vector<In> in = inputs();
  std::vector<uint32_t> words;
  for (const In &i : in)
    words.insert(words.end(), {i.a, i.b, i.c, i.d});
  uint64_t x = upload(*loaded.device, words),
           y = upload(*loaded.device, std::vector<uint64_t>(in.size()));
  for (size_t k = 0; k < used.size(); ++k) {
    LaunchResult result = loaded.run(kernels[k].name, x, y, {.threads = {1024, 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << used[k].name;
    std::vector<uint64_t> out = download<uint64_t>(y, in.size());
    unsigned wrong = 0;
    for (size_t at = 0; at < in.size() && wrong < 3; ++at) {
      uint64_t holds = used[k].holds(in[at]);
      // On gfx9 v_cmpx leaves the mask in VCC, too.
      uint64_t want = holds | (used[k].toExec && isGfx9 ? holds << 32 : 0);
      if (out[at] == want)
        continue;
      ++wrong;
      ADD_FAILURE() << std::hex << cpu << ": " << used[k].name << " " << used[k].operands << " of "
                    << in[at].a << " " << in[at].b << " " << in[at].c << " " << in[at].d
                    << " gives " << out[at] << ", should be " << want;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimComparisons, testing::Values("gfx942", "gfx1100", "gfx1201"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace

std::vector<std::string> comparisonTexts() {
  std::vector<std::string> texts;
  for (const Comparison &c : comparisons())
    texts.push_back(textOf(c, true));
  return texts;
}

} // namespace tilerun::amdsim::tests
