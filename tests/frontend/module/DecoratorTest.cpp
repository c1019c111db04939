// Contents of decorators: options of jit, autotune configurations, heuristics.
#include "FrontendTest.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

/// Loads a kernel `k(x, n, A, B)` under a decorator.
std::unique_ptr<Loaded> decorated(const std::string &before, const std::string &decorator) {
  return load("import triton\nimport itertools\nimport triton.language as tl\n" + before + "\n" +
              decorator + "\n@triton.jit\ndef k(x, n, A: tl.constexpr, B: tl.constexpr): pass\n");
}

/// The texts of the configurations, a line each; "unknown" if the loader cannot tell.
std::string configs(const std::string &list, const std::string &before = "") {
  auto loaded = decorated(before, "@triton.autotune(configs=" + list + ", key=['n'])");
  const JitFunction *k = loaded->function("k");
  if (!k || !k->autotune)
    return "no autotune: " + loaded->errors();
  if (!k->autotune->configsKnown) {
    EXPECT_TRUE(k->autotune->configs.empty());
    return "unknown";
  }
  std::string out;
  for (const AutotuneConfig &config : k->autotune->configs)
    out += config.text + "\n";
  return out;
}

TEST(JitOptions, All) {
  auto loaded = load("import triton\n@triton.jit(do_not_specialize=['n', 0], noinline=True, "
                     "debug=True, do_not_specialize_on_alignment=(1,), repr=lambda s: 'k', "
                     "launch_metadata=f)\ndef k(x, n): pass\n");
  const JitFunction *k = loaded->function("k");
  ASSERT_NE(k, nullptr) << loaded->errors();
  EXPECT_TRUE(k->noinlineFunction);
  EXPECT_TRUE(k->debug);
  EXPECT_EQ(k->doNotSpecialize, (std::vector<std::string>{"n", "x"}));
  EXPECT_EQ(k->doNotSpecializeOnAlignment, std::vector<std::string>{"n"});
}

TEST(JitOptions, Defaults) {
  auto loaded = load("import triton\n@triton.jit\ndef k(x): pass\n"
                     "@triton.jit(debug=False, do_not_specialize=[9, 'x'])\ndef l(x): pass\n");
  const JitFunction *k = loaded->function("k");
  ASSERT_NE(k, nullptr);
  EXPECT_FALSE(k->noinlineFunction || k->debug || k->autotune || !k->heuristics.empty());
  EXPECT_FALSE(loaded->function("l")->debug);
  EXPECT_EQ(loaded->function("l")->doNotSpecialize, std::vector<std::string>{"x"});
}

TEST(JitOptions, ThroughGlobals) {
  auto loaded = load("import triton\nNAMES = ['n']\nDEBUG = True\n"
                     "@triton.jit(do_not_specialize=NAMES, debug=DEBUG)\ndef k(x, n): pass\n");
  EXPECT_EQ(loaded->function("k")->doNotSpecialize, std::vector<std::string>{"n"});
  EXPECT_TRUE(loaded->function("k")->debug);
}

TEST(JitOptions, FunctionsOfCompileTimeValues) {
  auto loaded = load("import triton\nfrom triton import constexpr_function\n"
                     "@triton.constexpr_function\ndef f(n): return n\n"
                     "@constexpr_function\ndef g(n): return n\n@triton.jit\ndef k(n): pass\n");
  ASSERT_NE(loaded->function("f"), nullptr) << loaded->errors();
  EXPECT_TRUE(loaded->function("f")->isConstexpr && loaded->function("g")->isConstexpr);
  EXPECT_FALSE(loaded->function("k")->isConstexpr);
}

TEST(Autotune, LiteralList) {
  auto loaded = decorated("", "@triton.autotune(configs=[\n"
                              "  triton.Config({'A': 16,\n     'B': 2 * 16}, num_warps=4),\n"
                              "  triton.Config({}, 8, 3, num_ctas=2, maxnreg=128, pre_hook=f),\n"
                              "], key=['n', 'x'], reset_to_zero=['x'], restore_value=('n',), "
                              "prune_configs_by={'a': b}, warmup=1)");
  const JitFunction *k = loaded->function("k");
  ASSERT_TRUE(k && k->autotune) << loaded->errors();
  const Autotune &a = *k->autotune;
  EXPECT_TRUE(a.configsKnown);
  ASSERT_EQ(a.configs.size(), 2u);
  ASSERT_EQ(a.configs[0].kwargs.size(), 2u);
  EXPECT_EQ(a.configs[0].kwargs[1].first, "B");
  EXPECT_EQ(show(a.configs[0].kwargs[1].second), "(2 * 16)");
  EXPECT_EQ(show(a.configs[0].numWarps), "4");
  EXPECT_EQ(a.configs[0].numStages, nullptr);
  EXPECT_EQ(a.configs[0].text, "triton.Config({'A': 16, 'B': 2 * 16}, num_warps=4)");
  EXPECT_EQ(show(a.configs[1].numWarps), "8");
  EXPECT_EQ(show(a.configs[1].numStages), "3");
  EXPECT_EQ(show(a.configs[1].numCtas), "2");
  EXPECT_EQ(show(a.configs[1].maxnreg), "128");
  EXPECT_EQ(a.key, (std::vector<std::string>{"n", "x"}));
  EXPECT_EQ(a.resetToZero, std::vector<std::string>{"x"});
  EXPECT_EQ(a.restoreValue, std::vector<std::string>{"n"});
}

TEST(Autotune, ListsThroughGlobalsAndSums) {
  EXPECT_EQ(configs("CONFIGS", "CONFIGS = [triton.Config({'A': 1})]"), "triton.Config({'A': 1})\n");
  EXPECT_EQ(configs("CONFIGS + [triton.Config({'A': 2})]", "CONFIGS = [triton.Config({'A': 1})]"),
            "triton.Config({'A': 1})\ntriton.Config({'A': 2})\n");
  EXPECT_EQ(configs("[*CONFIGS, ONE]", "ONE = triton.Config({'A': 2})\nCONFIGS = [ONE]"),
            "triton.Config({'A': 2})\ntriton.Config({'A': 2})\n");
  EXPECT_EQ(configs("[triton.Config(dict(A=1, B=2))]"), "triton.Config(dict(A=1, B=2))\n");
  EXPECT_EQ(configs("[triton.Config(kwargs=K)]", "K = {'A': 1}"), "triton.Config(kwargs=K)\n");
  EXPECT_EQ(configs("[]"), "");
}

TEST(Autotune, Comprehensions) {
  EXPECT_EQ(configs("[triton.Config({'A': a, 'B': 2 * b}, num_warps=w)\n"
                    " for a in [16, 32] for b in range(1, 3) for w in (4,)]"),
            "triton.Config({'A': 16, 'B': 2}, num_warps=4)\n"
            "triton.Config({'A': 16, 'B': 4}, num_warps=4)\n"
            "triton.Config({'A': 32, 'B': 2}, num_warps=4)\n"
            "triton.Config({'A': 32, 'B': 4}, num_warps=4)\n");
  EXPECT_EQ(configs("[triton.Config({'A': a, 'B': b}, num_stages=s) for (a, b), s in "
                    "itertools.product([(1, 2), (3, 4)], [5])]"),
            "triton.Config({'A': 1, 'B': 2}, num_stages=5)\n"
            "triton.Config({'A': 3, 'B': 4}, num_stages=5)\n");
  EXPECT_EQ(configs("[triton.Config({'A': 2 ** i}) for i in range(6, 3, -1)]"),
            "triton.Config({'A': 64})\ntriton.Config({'A': 32})\ntriton.Config({'A': 16})\n");
  EXPECT_EQ(configs("[triton.Config({'A': s}) for s in SIZES]", "SIZES = [1, 2]"),
            "triton.Config({'A': 1})\ntriton.Config({'A': 2})\n");
}

TEST(Autotune, ValuesOfComprehensionsAreSubstituted) {
  auto loaded = decorated("", "@triton.autotune([triton.Config({'A': a * 2}, num_warps=4 if a > 1 "
                              "else 8) for a in [1, 2]], [])");
  const JitFunction *k = loaded->function("k");
  ASSERT_TRUE(k && k->autotune);
  ASSERT_EQ(k->autotune->configs.size(), 2u);
  EXPECT_EQ(show(k->autotune->configs[1].kwargs[0].second), "(2 * 2)");
  EXPECT_EQ(show(k->autotune->configs[1].numWarps), "(4 if (2 > 1) else 8)");
}

TEST(Autotune, WhatHostCodeComputesIsUnknown) {
  EXPECT_EQ(configs("get_configs()", "def get_configs(): return []"), "unknown");
  EXPECT_EQ(configs("NONE"), "unknown");
  EXPECT_EQ(configs("[f(1)]"), "unknown");
  EXPECT_EQ(configs("[triton.Config(**c)]"), "unknown");
  EXPECT_EQ(configs("[triton.Config({n: 1})]"), "unknown");
  EXPECT_EQ(configs("[triton.Config({'A': a}) for a in f()]"), "unknown");
  EXPECT_EQ(configs("[triton.Config({'A': a}) for a in [1, 2] if a > 1]"), "unknown");
  EXPECT_EQ(configs("X", "X = X"), "unknown");
  EXPECT_EQ(configs("X", "X = [*X]"), "unknown");
}

TEST(Autotune, ExpansionIsBounded) {
  EXPECT_EQ(configs("[triton.Config({'A': a}) for a in range(1000000000)]"), "unknown");
  EXPECT_EQ(configs("[triton.Config({'A': a}) for a in range(9999) for b in range(9999) for c in "
                    "[]]"),
            "unknown");
  std::string sums = "X0 = []\n";
  for (int i = 1; i < 40; ++i)
    sums += "X" + std::to_string(i) + " = X" + std::to_string(i - 1) + " + X" +
            std::to_string(i - 1) + "\n";
  EXPECT_EQ(configs("X39", sums), "unknown");
}

TEST(Heuristics, LambdasAndOthers) {
  auto loaded = decorated("", "@triton.heuristics({'A': lambda args: args['n'] * 2, 'B': pick})\n"
                              "@triton.heuristics(values={'C': lambda a: 1})");
  const JitFunction *k = loaded->function("k");
  ASSERT_NE(k, nullptr) << loaded->errors();
  ASSERT_EQ(k->heuristics.size(), 3u);
  EXPECT_EQ(k->heuristics[0].name, "A");
  EXPECT_EQ(show(k->heuristics[0].function), "(lambda args: (args['n'] * 2))");
  EXPECT_EQ(k->heuristics[0].text, "lambda args: args['n'] * 2");
  EXPECT_EQ(k->heuristics[1].function, nullptr);
  EXPECT_EQ(k->heuristics[2].name, "C");
}

TEST(Heuristics, ThroughGlobals) {
  auto loaded =
      decorated("pick = lambda args: 4\nVALUES = {'A': pick}", "@triton.heuristics(VALUES)");
  const JitFunction *k = loaded->function("k");
  ASSERT_EQ(k->heuristics.size(), 1u);
  EXPECT_EQ(show(k->heuristics[0].function), "(lambda args: 4)");
}

TEST(Decorators, OthersAreIgnored) {
  auto loaded = decorated("", "@a.b[0](lambda: 1)\n@triton.autotune\n@contextmanager");
  ASSERT_NE(loaded->function("k"), nullptr) << loaded->errors();
  EXPECT_FALSE(loaded->function("k")->autotune.has_value());
}

} // namespace
