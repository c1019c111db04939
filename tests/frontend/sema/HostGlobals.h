// A kernel in a file with other globals, for tests of what host code makes of them.
#pragma once

#include "tests/frontend/sema/SemaTest.h"

namespace tilerun::test {

inline const std::string kHelper =
    "@triton.jit\ndef helper(p, N: tl.constexpr):\n"
    "    tl.store(p + tl.arange(0, N), 1)\n"
    "@triton.jit\ndef chosen(p, N: tl.constexpr):\n"
    "    if N:\n        tl.store(p, 1)\n"
    "@triton.jit\ndef ignored(p, N: tl.constexpr):\n    tl.store(p, 1)\n";

inline Compiled compileWith(const std::string &globals, const std::string &body,
                            const std::string &signature = "p=*i32, n=i32") {
  std::string text =
      globals + "import math\n" + kHelper + "@triton.jit\ndef kernel(p, n):\n    " + body;
  for (size_t at = text.find('\n', text.size() - body.size()); at != std::string::npos;
       at = text.find('\n', at + 1))
    text.insert(at + 1, "    ");
  return compile(text + "\n", signature);
}

} // namespace tilerun::test
