// Global names under conditions: which arm runs, where the environment and the file decide it, and
// what is kept of both arms where they do not.
#include "FrontendTest.h"

#include <cstdlib>

using namespace llvm;
using namespace tilerun;
using namespace tilerun::test;

namespace {
/// The text of what a global stands for: of its value, "jit LINE", or "unknown" and the values of
/// which it is one.
std::string describe(const std::string &text, StringRef name = "x") {
  auto loaded = load("import os\nimport triton\nfrom typing import TYPE_CHECKING\n" + text);
  if (!loaded->module)
    return "cannot be read: " + loaded->errors();
  const Global *global = loaded->module->lookup(name);
  if (!global)
    return "missing";
  if (global->kind == Global::Kind::Jit)
    return "jit " + std::to_string(loaded->sources.getLineColumn(global->range.begin).line);
  if (global->value)
    return show(global->value);
  std::string out = "unknown";
  for (const ast::Expr *value : global->alternatives)
    out += " " + show(value);
  if (global->jit)
    out += " or jit";
  return out;
}

std::string choose(const std::string &condition) {
  return describe("A = 3\nif " + condition + ":\n    x = 1\nelse:\n    x = 2\n");
}

TEST(Conditions, Environment) {
  unsetenv("TILERUN_TEST_CONDITION");
  EXPECT_EQ(choose("os.environ.get('TILERUN_TEST_CONDITION', '0') == '1'"), "2");
  EXPECT_EQ(choose("os.environ.get('TILERUN_TEST_CONDITION')"), "2");
  EXPECT_EQ(choose("os.getenv('TILERUN_TEST_CONDITION') is None"), "1");
  EXPECT_EQ(choose("not os.getenv('TILERUN_TEST_CONDITION', '')"), "1");
  setenv("TILERUN_TEST_CONDITION", "True", 1);
  EXPECT_EQ(choose("os.environ.get('TILERUN_TEST_CONDITION', '0') == 'True'"), "1");
  EXPECT_EQ(choose("os.environ.get('TILERUN_TEST_CONDITION', '0').lower() in ('1', 'true')"), "1");
  EXPECT_EQ(choose("os.environ.get('TILERUN_TEST_CONDITION', '0').upper() not in ['ON']"), "1");
  setenv("TILERUN_TEST_CONDITION", " 7", 1);
  EXPECT_EQ(choose("int(os.getenv('TILERUN_TEST_CONDITION', '0')) > 6"), "1");
  EXPECT_EQ(choose("int(os.getenv('TILERUN_TEST_CONDITION', '0')) <= 6"), "2");
  EXPECT_EQ(choose("bool(int(os.getenv('TILERUN_TEST_CONDITION', '0')))"), "1");
  unsetenv("TILERUN_TEST_CONDITION");
}

TEST(Conditions, EnvironmentIsInTheDigest) {
  auto digest = [] {
    auto loaded = load("import os\nif os.getenv('TILERUN_TEST_CONDITION') == 'a':\n    x = 1\n");
    return loaded->loader.getDigest([](StringRef) { return false; });
  };
  unsetenv("TILERUN_TEST_CONDITION");
  std::string unset = digest();
  setenv("TILERUN_TEST_CONDITION", "", 1);
  std::string empty = digest();
  setenv("TILERUN_TEST_CONDITION", "b", 1);
  std::string other = digest();
  unsetenv("TILERUN_TEST_CONDITION");
  EXPECT_NE(unset, empty);
  EXPECT_NE(unset, other);
  EXPECT_NE(empty, other);
  EXPECT_EQ(digest(), unset);
}

TEST(Conditions, ConstantsOfTheFile) {
  EXPECT_EQ(choose("True"), "1");
  EXPECT_EQ(choose("TYPE_CHECKING"), "2");
  EXPECT_EQ(choose("A == 3 and A < 4"), "1");
  EXPECT_EQ(choose("A in {1, 2} or A >= 4"), "2");
  EXPECT_EQ(choose("A is not None"), "1");
  EXPECT_EQ(choose("A != '3'"), "1");
}

TEST(Conditions, UnknownOnesKeepBothValues) {
  for (const char *condition :
       {"probe()", "A == probe()", "probe() in (1, 2)", "B", "A == 3 and probe()", "A == True",
        "0 < A < 5", "'a' < 'b'", "os.getenv(probe())", "os.environ['A']", "[][0]"})
    EXPECT_EQ(choose(condition), "unknown 1 2") << condition;
  // One operand may be enough.
  EXPECT_EQ(choose("A == 4 and probe()"), "2");
  EXPECT_EQ(choose("probe() or A == 3"), "1");
}

TEST(Conditions, Chains) {
  auto chain = [](const std::string &a, const std::string &b) {
    return describe("if " + a + ":\n    x = 1\nelif " + b + ":\n    x = 2\nelse:\n    x = 3\n");
  };
  EXPECT_EQ(chain("True", "True"), "1");
  EXPECT_EQ(chain("False", "True"), "2");
  EXPECT_EQ(chain("False", "False"), "3");
  EXPECT_EQ(chain("True", "probe()"), "1");
  EXPECT_EQ(chain("False", "probe()"), "unknown 2 3");
  EXPECT_EQ(chain("probe()", "True"), "unknown 1 2 3");
  // Arms of inner conditions do not mix with those of outer ones.
  EXPECT_EQ(describe("if False:\n    if True:\n        x = 1\n    else:\n        x = 2\n"
                     "else:\n    if False:\n        x = 3\n    else:\n        x = 4\n"),
            "4");
  EXPECT_EQ(describe("try:\n    x = 1\nexcept ImportError:\n    x = 2\nelse:\n    y = 1\n"),
            "unknown 1 2");
  EXPECT_EQ(describe("x = 1\nif True: x = 2\n"), "2");
  EXPECT_EQ(describe("x = 1\nif False: x = 2\n"), "1");
}

TEST(Conditions, Functions) {
  const std::string fast = "    @triton.jit\n    def x(v):\n        return v\n";
  EXPECT_EQ(describe("if True:\n" + fast + "else:\n" + fast), "jit 6");
  EXPECT_EQ(describe("if False:\n" + fast + "else:\n" + fast), "jit 10");
  // If the condition is unknown, the first counts.
  EXPECT_EQ(describe("if probe():\n" + fast + "else:\n" + fast), "jit 6");
}

TEST(Conditions, FunctionsThatStandInForTritons) {
  const std::string own = "    @triton.jit\n    def x(v):\n        return None\n";
  EXPECT_EQ(describe("if probe():\n    x = triton.language.a\nelif probe():\n"
                     "    x = triton.language.b\nelse:\n" +
                     own),
            "unknown triton.language.a triton.language.b or jit");
  EXPECT_EQ(describe("if probe():\n" + own + "else:\n    x = triton.language.a\n"),
            "unknown triton.language.a or jit");
  EXPECT_EQ(describe("from mine import triton as t\nif probe():\n" + own +
                     "else:\n    x = t.language.a\n"),
            "unknown t.language.a or jit");
  EXPECT_EQ(describe("if probe():\n" + own + "else:\n    x = other.a\n"), "jit 6");
}

TEST(Conditions, DeepAndCircularOnesEnd) {
  std::string deep = "1";
  for (int i = 0; i < 100; ++i)
    deep = "(not " + deep + ")";
  EXPECT_EQ(choose(deep), "unknown 1 2");
  EXPECT_EQ(describe("B = B\nif B:\n    x = 1\n"), "1");
  EXPECT_EQ(describe("B = C\nC = B\nif B:\n    x = 1\nelse:\n    x = 2\n"), "unknown 1 2");
}
} // namespace
