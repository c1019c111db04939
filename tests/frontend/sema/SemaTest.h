// Compiles kernels from Python text and inspects the IR or the diagnostics.
#pragma once

#include "frontend/Frontend.h"

#include "gtest/gtest.h"

namespace tilerun::test {

/// The result of a compilation.
struct Compiled {
  bool ok = false;
  std::string ir;          ///< The module as text.
  std::string diagnostics; ///< As printed, without colour.
  std::string printed;     ///< By static_print.
  unsigned numErrors = 0;
  std::vector<CompiledParameter> parameters;

  bool has(llvm::StringRef text) const { return llvm::StringRef(ir).contains(text); }
  bool says(llvm::StringRef text) const { return llvm::StringRef(diagnostics).contains(text); }
  /// How often a text occurs in the IR.
  size_t count(llvm::StringRef text) const { return llvm::StringRef(ir).count(text); }
};

/// Compiles `kernel` of a file that starts with Triton's usual imports followed by `text`.
Compiled compile(const std::string &text, llvm::StringRef signature = "",
                 llvm::StringRef kernel = "kernel", bool debug = false, bool events = false);

/// The same where only the body of `def kernel(<parameters>):` is given.
Compiled compileBody(const std::string &parameters, const std::string &body,
                     llvm::StringRef signature);

#define EXPECT_COMPILES(compiled) EXPECT_TRUE((compiled).ok) << (compiled).diagnostics
#define EXPECT_HAS(compiled, text)                                                                 \
  EXPECT_TRUE((compiled).has(text)) << (compiled).diagnostics << (compiled).ir
#define EXPECT_LACKS(compiled, text) EXPECT_FALSE((compiled).has(text)) << (compiled).ir
#define EXPECT_SAYS(compiled, text)                                                                \
  do {                                                                                             \
    EXPECT_FALSE((compiled).ok) << (compiled).ir;                                                  \
    EXPECT_TRUE((compiled).says(text)) << "wanted: " << (text) << "\n" << (compiled).diagnostics;  \
  } while (false)

} // namespace tilerun::test
