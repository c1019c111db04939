// Reads the tests of rules: the numbered rules of docs/language.md, and the kernels of
// tests/language/*.py with the rules that they quote, their arguments and their expected results.
// LanguageTest.cpp runs them.
//
// A kernel's docstring quotes rules, one a paragraph: "T2: <words of that rule>". Each line
// "#: WORDS" above it is one case:
//   X=i8[1,2]          a tensor that is only read
//   Z->i8[3,4]         a tensor that is written: what it holds afterwards
//   Z=i8[0,0]->[3,4]   both; Z=i8[0,0]->~1e-6[3,4] with a relative tolerance (as above: Z->~1e-6 …)
//   n=5 x=1.5 N=64     a number (or, of a tl.constexpr parameter, any constant)
//   grid=2,3 warps=8 debug tf32
//   refused            the compiler says what "# error:" comments in the kernel say, nothing else
//   fails              a check at run time says what a "# fails:" comment says
//   beyond             Triton does not promise this (compare_with_triton.py leaves it out), and
//                      strict mode may refuse it
//   without=vulkan     the backend of that device refuses the kernel
//   without=hip:gfx942 the same, of devices with that target alone
// Elements: 1*4 is four times 1; of floats nan, inf, and 0x3c00 for bits.
// "# error: TEXT" stands at the end of the line at fault, or in lines of its own above it; "#
// prints: TEXT" is a line that the compiler prints.
#pragma once

#include "frontend/types/DType.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::test {

/// One rule of the page.
struct Rule {
  std::string id;   ///< "T2"
  std::string text; ///< White space folded.
};

/// The rules of docs/language.md in their order.
std::vector<Rule> loadRules();

/// Words of a rule in a kernel's docstring, or in a "Rule" comment of another test.
struct Quote {
  std::string id, text, where;
};

/// The expected message about a line.
struct Expectation {
  unsigned line = 0;
  std::string text;
};

struct RuleTensor {
  std::string name;
  DType type;
  std::vector<uint8_t> before; ///< Of an output alone: a pattern.
  std::optional<std::vector<uint8_t>> after;
  double tolerance = 0; ///< Relative; 0: the same bits, but any NaN for a NaN.
};

struct RuleCase {
  std::string file, kernel, text;
  unsigned line = 0, number = 0;
  std::vector<RuleTensor> tensors;
  std::vector<std::pair<std::string, std::string>> values;
  std::array<uint32_t, 3> grid{1, 1, 1};
  unsigned warps = 4;
  bool debug = false, tf32 = false, isRefused = false, fails = false;
  bool isBeyond = false;          ///< Triton does not promise this, or does not take it.
  std::vector<std::string> rules; ///< That the kernel quotes.
  std::vector<std::string> without;
  std::vector<Expectation> errors, prints, failures, parts;

  std::string getName() const; ///< "types_weak_literal_0"
};

/// For GoogleTest's messages.
void PrintTo(const RuleCase &ruleCase, std::ostream *os);

struct RuleFile {
  std::vector<RuleCase> cases;
  std::vector<Quote> quotes;
};

/// All kernels of one file; an error names the line that is not as above.
llvm::Expected<RuleFile> readRuleFile(const std::string &path);

/// Quotes of python/tests/test_rules.py: docstrings as above.
llvm::Expected<std::vector<Quote>> readQuotes(const std::string &path);

/// The kernel files of this folder, sorted.
std::vector<std::string> getRuleFiles();

/// Where the two differ by more than the tolerance allows; empty if nowhere.
std::string compare(const RuleTensor &tensor, llvm::ArrayRef<uint8_t> got);

} // namespace tilerun::test
