// Whole messages about things that kernels borrow from host code: what was seen, and what to do
// instead.
#include "tests/frontend/sema/SemaTest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {
/// The text of the first error.
std::string getError(const Compiled &compiled) {
  llvm::StringRef text = compiled.diagnostics;
  size_t at = text.find("error: ");
  return at == llvm::StringRef::npos ? text.str() : text.drop_front(at + 7).split('\n').first.str();
}

/// Of a body of `def kernel(p, q, n):`, pointers to float32 and int64, and an integer.
std::string getBodyError(const std::string &body, const std::string &imports = "") {
  std::string text = imports + "@triton.jit\ndef kernel(p, q, n):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  Compiled compiled = compile(text, "p=*fp32, q=*i64, n=i32");
  EXPECT_FALSE(compiled.ok) << body;
  EXPECT_EQ(compiled.numErrors, 1u) << compiled.diagnostics;
  return getError(compiled);
}

TEST(Message, RuntimeValuesDoNotCompareWithThings) {
  const std::string things =
      "import numpy as np\ndef host():\n    pass\nclass C:\n    pass\n"
      "@triton.jit\ndef f():\n    pass\n@triton.jit\ndef kernel(p, n):\n    ";
  for (auto [thing, text] : {std::pair{"np", "the module 'numpy'"},
                             {"tl", "the module 'triton.language'"},
                             {"C", "the class 'C'"},
                             {"f", "the jit function 'f'"},
                             {"tl.load", "the function 'load'"},
                             {"host", "the host function 'host'"}})
    for (const char *op : {"==", "!="})
      for (bool isLeft : {false, true}) {
        std::string left = isLeft ? thing : "n", right = isLeft ? "n" : thing;
        Compiled c =
            compile(things + "x = " + left + " " + op + " " + right + "\n", "p=*fp32, n=i32");
        EXPECT_FALSE(c.ok) << left << op << right;
        EXPECT_TRUE(c.says(text)) << left << op << right << c.diagnostics;
      }
  // Compile-time values differ from these; a number differs from None, a dtype and a string.
  EXPECT_COMPILES(compile(things +
                              "tl.static_assert(np != 1 and C != 'a' and f != None)\n"
                              "    tl.static_assert(n != None and n != 'a' and n != tl.int32)\n",
                          "p=*fp32, n=i32"));
}

TEST(Message, LongChainsOfCallsAreShortened) {
  std::string text = "@triton.jit\ndef f0(x):\n    return no_such_name\n";
  for (int i = 1; i <= 20; ++i)
    text += "@triton.jit\ndef f" + std::to_string(i) + "(x):\n    return f" +
            std::to_string(i - 1) + "(x)\n";
  Compiled c =
      compile(text + "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f20(n))\n", "p=*i32, n=i32");
  EXPECT_SAYS(c, "note: in call to 'f0' here\n");
  EXPECT_SAYS(c, "note: in call to 'f3' here\n");
  EXPECT_SAYS(c, "note: in call to 'f19' here, behind 15 calls that are not shown\n");
  EXPECT_SAYS(c, "note: in call to 'f20' here\n");
  EXPECT_EQ(llvm::StringRef(c.diagnostics).count("in call to"), 6u);
}

TEST(Message, VariablesOfInnerLoopsThatAreReadLater) {
  EXPECT_EQ(getBodyError("i = 0\nfor j in range(n):\n    for i in range(n):\n        pass\n"
                         "tl.store(q, i)"),
            "'i' has no single value at the end of an iteration: the variable of a run-time loop "
            "has no value after the loop, and the next iteration, or what follows, reads it; give "
            "the variable of the inner loop another name, or assign 'i' after that loop");
}

TEST(Message, PointersAreNotIndexed) {
  EXPECT_EQ(getBodyError("offs = tl.arange(0, 8)\ntl.store(q, p[offs])"),
            "a pointer is not indexed: tl.load(p + offs)");
  EXPECT_EQ(getBodyError("tl.store(q, p[n * 4 + 1])"),
            "a pointer is not indexed: tl.load(p + n * 4 + 1)");
  EXPECT_EQ(getBodyError("tl.store(q, p[0])"), "a pointer is not indexed: tl.load(p + 0)");
  EXPECT_EQ(getBodyError("q[n] = 1"), "a pointer is not indexed: write memory with "
                                      "tl.store(pointer + offsets, value)");
  EXPECT_EQ(getBodyError("q[n] += 1"),
            "a pointer is not indexed: read memory with tl.load(pointer + offsets), and write it "
            "with tl.store, or update it with tl.atomic_add");
  for (const char *index : {"1:3", "n:", ":", "1:3, None", "n, None", "n, n", "None, 0"})
    EXPECT_EQ(getBodyError(std::string("tl.store(q, p[") + index + "])"),
              "a pointer is not indexed: tl.load(p + offsets)")
        << index;
  EXPECT_EQ(getBodyError("tl.store(q, p[...])"), "a pointer is not indexed: tl.load(p + ...)");
  for (const char *value : {"p", "p[None]", "p + tl.arange(0, 1)"})
    EXPECT_SAYS(compileBody("p, q", std::string("tl.store(q + tl.arange(0, 1), ") + value + ")",
                            "p=*fp32, q=*fp32"),
                "error: tl.store: 'value' is a pointer; load the value that it points to first, "
                "with tl.load");
  for (const char *index : {"tl.arange(0, 4)", "tl.arange(0, 4), None"})
    EXPECT_EQ(getBodyError(std::string("ps = p + tl.arange(0, 4)\ntl.store(q, ps[") + index + "])"),
              "pointers are not indexed with a tensor: add it to them, and load: "
              "tl.load(pointers + offsets)");
  // New dimensions are not places in memory.
  EXPECT_COMPILES(compileBody("p", "tl.store(p[None], 1.0)\ntl.store(p[:, None], 1.0)", "p=*fp32"));
}

TEST(Message, FunctionsOfHostModules) {
  auto with = [](const std::string &call, const std::string &imports) {
    return getBodyError("x = tl.load(p)\ntl.store(p, " + call + ")", imports);
  };
  EXPECT_EQ(with("torch.exp(x)", "import torch\n"),
            "torch.exp belongs to host code and cannot be used in a kernel; use tl.exp");
  EXPECT_EQ(with("np.tanh(x)", "import numpy as np\n"),
            "numpy.tanh belongs to host code and cannot be used in a kernel; use libdevice.tanh "
            "(from triton.language.extra import libdevice)");
  EXPECT_EQ(with("torch.matmul(x, x)", "import torch\n"),
            "torch.matmul belongs to host code and cannot be used in a kernel; use tl.dot");
  EXPECT_EQ(with("F.relu(x)", "import torch.nn.functional as F\n"),
            "torch.nn.functional.relu belongs to host code and cannot be used in a kernel; use "
            "tl.maximum(x, 0.0)");
  EXPECT_EQ(with("os.getpid()", "import os\n"),
            "os.getpid belongs to host code and cannot be used in a kernel; use the functions of "
            "tl, or compute it before the launch");
  EXPECT_EQ(with("math.exp(x)", "import math\n"),
            "Python's math.exp needs compile-time numbers, not float32; use tl.exp for tensors");
  EXPECT_EQ(with("math.tanh(x)", "import math\n"),
            "Python's math.tanh needs compile-time numbers, not float32; use libdevice.tanh (from "
            "triton.language.extra import libdevice) for tensors");
}

TEST(Message, ListsAreNotTensors) {
  const std::string remedy = "; a list is not a tensor: load its values from memory, or compute "
                             "them from tl.arange";
  EXPECT_EQ(getBodyError("tl.store(p + tl.arange(0, 2), [1.0, 2.0])"),
            "tl.store: 'value' must be a tensor or a number, but it is a list of 2" + remedy);
  EXPECT_EQ(getBodyError("tl.store(p, tl.sum([1.0, 2.0], 0))"),
            "tl.sum: 'input' must be a tensor or a number, but it is a list of 2" + remedy);
  EXPECT_EQ(getBodyError("tl.store(p + tl.arange(0, 2), tl.exp([1.0, 2.0]))"),
            "tl.exp: 'x' must be a tensor or a number, but it is a list of 2" + remedy);
}

TEST(Message, DescriptorsSpeakForThemselves) {
  const std::string make = "d = tl.make_tensor_descriptor(p, [8, 8], [8, 1], [4, 4])\n";
  EXPECT_EQ(getBodyError(make + "d.store([0, 0], [1.0])"),
            "desc.store: 'value' must be a tensor or a number, but it is a list of 1; a list is "
            "not a tensor: load its values from memory, or compute them from tl.arange");
  EXPECT_EQ(getBodyError(make + "d.store([0, 0], tl.zeros((4, 8), tl.float32))").substr(0, 12),
            "desc.store: ");
  EXPECT_EQ(getBodyError(make + "tl.store(p, d.load([0, 0], cache_modifier='.x'))").substr(0, 11),
            "desc.load: ");
}

TEST(Message, DescriptorsThatDoNotFit) {
  const std::string make = "d = tl.make_tensor_descriptor(p, [8, 8], [8, 1], [4, 4])\n";
  EXPECT_EQ(getBodyError(make + "d.store([0, 0], tl.zeros((4, 8), tl.float32))"),
            "desc.store: 'value' has shape [4, 8], which does not broadcast to the block's shape "
            "[4, 4]");
  EXPECT_EQ(
      getBodyError(make + "tl.store(p, d + 1)"),
      "operator '+' does not apply to a tensor descriptor of float32[4, 4] and the integer 1");
  EXPECT_EQ(getBodyError(make + "d.lode([0, 0])"),
            "a tensor descriptor of float32[4, 4] has no attribute 'lode'; did you mean 'load'?");
  EXPECT_EQ(getBodyError(make + "for i in range(n):\n"
                                "    d = tl.make_tensor_descriptor(p, [8, 8], [8, 1], [2, 4])\n"
                                "tl.store(p, tl.sum(d.load([0, 0])))"),
            "'d' changes its type in this loop: it is a tensor descriptor of float32[4, 4] before "
            "and a tensor descriptor of float32[2, 4] after an iteration; start it with the type "
            "that it keeps, or convert the new value with .to(…)");
  EXPECT_EQ(getBodyError(make +
                         "if n > 3:\n"
                         "    d = tl.make_tensor_descriptor(p, [8, 8], [8, 1], [4, 4], 'nan')\n"
                         "tl.store(p, tl.sum(d.load([0, 0])))"),
            "'d' differs in type after this run-time 'if': a tensor descriptor of float32[4, 4], "
            "padded with NaN in one arm and a tensor descriptor of float32[4, 4] in the other; "
            "convert one of them with .to(…)");
  const std::string bytes = "q = p.to(tl.pointer_type(tl.int8))\n"
                            "d = tl.make_tensor_descriptor(q, [8, 16], [16, 1], [1, 16])\n";
  EXPECT_EQ(getBodyError(bytes + "d.atomic_add([0, 0], 1)"),
            "desc.atomic_add: 'self' has elements of int8, but this atomic works on integers of "
            "32 or 64 bits and floats of 16, 32 or 64 bits");
  EXPECT_EQ(getBodyError(bytes + "tl.store(q, tl.sum(d.gather(tl.arange(0, 131072), 0)))"),
            "desc.gather: 'x_offsets' gives a tensor of shape [131072, 16], which is more than "
            "1048576 elements");
  EXPECT_EQ(getBodyError("q = p.to(tl.pointer_type(tl.float32, const=True))\n"
                         "d = tl.make_tensor_descriptor(q, [8, 8], [8, 1], [4, 4])\n"
                         "d.store([0, 0], 1.0)"),
            "desc.store: 'self' is made of a pointer<const float32>, through which nothing may be "
            "written");
}

TEST(Message, StarImports) {
  // From the language and from Python they bring all names.
  for (const char *imports :
       {"from triton.language import *\n", "from triton.language.core import *\n"})
    EXPECT_COMPILES(compile(std::string(imports) +
                                "from math import *\n"
                                "@triton.jit\ndef kernel(p):\n"
                                "    store(p + arange(0, 8), load(p) + pi + float32(1))\n",
                            "p=*fp32"));
  EXPECT_EQ(getBodyError("tl.store(p, helper(n))", "from mylib import *\n"),
            "unknown name 'helper'; if 'from mylib import *' should bring it: that module was not "
            "found, it was looked for beside 'test.py'");
}

TEST(Message, ModulesThatWereNotFound) {
  EXPECT_EQ(
      getBodyError("tl.store(p, mylib.helper(n))", "import mylib\n"),
      "the module 'mylib' was not found: it was looked for beside 'test.py'; put it there, or "
      "let the Python package compile the kernel, which asks Python for it");
  EXPECT_EQ(getBodyError("tl.store(p, helper(n))", "from mylib.part import helper\n"),
            "'helper' from the host module 'mylib.part' cannot be called in a kernel: that module "
            "was not found, it was looked for beside 'test.py'");
  EXPECT_EQ(getBodyError("tl.store(p, exp(n))", "from torch import exp\n"),
            "'exp' from the host module 'torch' cannot be called in a kernel: it belongs to host "
            "code; use tl.exp");
}
} // namespace
