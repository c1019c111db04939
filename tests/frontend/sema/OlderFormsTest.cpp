// Forms of earlier releases of Triton: each has the meaning that it had, and is noted once, with
// what is written today; strict mode refuses it.
#include "tests/frontend/sema/SemaTest.h"

#include <cstdlib>

using namespace tilerun::test;

namespace {
const char *kParameters = "p, q, N: tl.constexpr";
const char *kSignature = "p=*f32, q=*i8, N=32";

struct Form {
  const char *body;
  const char *note; ///< With the place.
  const char *ir;   ///< A part of what it compiles to.
};
const Form kForms[] = {
    {"x = tl.libdevice.tanh(tl.load(p))",
     "test.py:5:12: note: 'tl.libdevice' is of an earlier Triton; today it is libdevice, of 'from "
     "triton.language.extra import libdevice'\n        x = tl.libdevice",
     "math.tanh"},
    {"x = tl.math.tanh(tl.load(p))",
     "note: 'tl.math.tanh' is of an earlier Triton; today it is libdevice.tanh, of 'from "
     "triton.language.extra import libdevice'",
     "math.tanh"},
    {"x = tl.math.max(tl.load(p), 1.0)",
     "note: 'tl.math.max' is of an earlier Triton; today it is tl.maximum", "maxnumf"},
    {"x = tl.load(p).to(tl.float8e4)",
     "note: 'tl.float8e4' is of an earlier Triton; today it is tl.float8e4nv", "f8E4M3FN"},
    {"x = tl.zeros((N, 16), tl.float32)\ny = tl.dot(x, x, trans_a=True)",
     "test.py:6:22: note: 'trans_a' of 'tl.dot' is of an earlier Triton; today it is tl.trans(a)",
     "tile.trans"},
    {"x = tl.zeros((2, N, 16), tl.float32)\ny = tl.dot(x, x, trans_b=True)",
     "note: 'trans_b' of 'tl.dot' is of an earlier Triton; today it is tl.trans(b)",
     "-> tensor<2x16x32xf32>"},
    {"x = tl.zeros((N, N), tl.float32)\ny = tl.dot(x, x, trans_b=False)",
     "note: 'trans_b' of 'tl.dot' is of an earlier Triton", "tile.dot"},
    {"d = tl._experimental_make_tensor_descriptor(p, [N, N], [N, 1], [16, 16])",
     "note: 'tl._experimental_make_tensor_descriptor' is of an earlier Triton; today it is "
     "tl.make_tensor_descriptor",
     "tile.make_descriptor"},
    {"x = tl._experimental_descriptor_load(q, [0, 0], [16, N], tl.float16)",
     "note: 'tl._experimental_descriptor_load' is of an earlier Triton; today it is "
     "desc.load(offsets) of a tensor descriptor",
     "!tile.descriptor<16x32xf16>"},
    {"tl._experimental_descriptor_store(q, tl.zeros((N,), tl.int32), [0])",
     "note: 'tl._experimental_descriptor_store' is of an earlier Triton; today it is "
     "desc.store(offsets, value) of a tensor descriptor",
     "tile.descriptor_store"},
    {"tl.extra.cuda.experimental_device_tensormap_create2d(q, p, [16, 16], [N, N], tl.float32)\n"
     "tl.extra.cuda.experimental_tensormap_fenceproxy_acquire(q)",
     "note: 'tl.extra.cuda.experimental_device_tensormap_create2d' is of an earlier Triton; today "
     "it is tl.make_tensor_descriptor",
     "tile.barrier"},
};

TEST(OlderForms, MeanWhatTheyDid) {
  for (const Form &form : kForms) {
    Compiled c = compileBody(kParameters, form.body, kSignature);
    EXPECT_COMPILES(c) << form.body;
    EXPECT_HAS(c, form.ir);
    EXPECT_TRUE(c.says(form.note)) << "wanted: " << form.note << "\n" << c.diagnostics;
    EXPECT_FALSE(c.says("warning:")) << c.diagnostics;
  }
}

TEST(OlderForms, AreRefusedInStrictMode) {
  setenv("TILERUN_STRICT", "1", 1);
  for (const Form &form : kForms) {
    Compiled c = compileBody(kParameters, form.body, kSignature);
    EXPECT_SAYS(c, "is of an earlier Triton, which today's refuses; use ");
    EXPECT_FALSE(c.says("note: '")) << c.diagnostics;
  }
  // All of them are named at once.
  Compiled c = compileBody(kParameters, "x = tl.libdevice.tanh(tl.load(p))\ny = tl.math.tanh(x)",
                           kSignature);
  EXPECT_EQ(c.numErrors, 2u) << c.diagnostics;
  unsetenv("TILERUN_STRICT");
}

TEST(OlderForms, AreNotedOnceEach) {
  Compiled c = compileBody(kParameters,
                           "for i in range(N):\n    for j in tl.static_range(3):\n"
                           "        tl.store(p, tl.math.tanh(tl.load(p)))\n"
                           "tl.store(p, tl.math.tanh(tl.load(p)) + tl.math.asin(tl.load(p)))",
                           kSignature);
  EXPECT_COMPILES(c);
  EXPECT_EQ(llvm::StringRef(c.diagnostics).count("tl.math.tanh' is of"), 1u) << c.diagnostics;
  EXPECT_EQ(llvm::StringRef(c.diagnostics).count("tl.math.asin' is of"), 1u) << c.diagnostics;
}

TEST(OlderForms, OfImportsAndGlobals) {
  const char *use = "@triton.jit\ndef kernel(p):\n    for i in range(4):\n"
                    "        tl.store(p, f(tl.load(p)))\n";
  for (auto [globals, form] :
       {std::pair{"f = tl.math.tanh\n", "tl.math.tanh"},
        {"from triton.language.math import tanh as f\n", "tl.math.tanh"},
        {"from triton.language import libdevice\nf = libdevice.tanh\n", "tl.libdevice"},
        {"from triton.language.libdevice import tanh as f\n", "tl.libdevice"},
        {"import triton.language.libdevice as lib\nf = lib.tanh\n", "tl.libdevice"}}) {
    Compiled c = compile(std::string(globals) + use, "p=*f32");
    EXPECT_COMPILES(c) << globals;
    EXPECT_HAS(c, "math.tanh");
    EXPECT_EQ(llvm::StringRef(c.diagnostics).count("note: '" + std::string(form) + "' is of"), 1u)
        << globals << c.diagnostics;
  }
  // Names of today are not noted.
  Compiled c = compile("from triton.language.extra import libdevice\nf = libdevice.tanh\n" +
                           std::string(use),
                       "p=*f32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.diagnostics, "");
}

TEST(OlderForms, MetaOfAKernel) {
  const char *text = "@triton.jit\ndef scale(x, **meta):\n    return x * meta['FACTOR']\n"
                     "@triton.jit\ndef kernel(p, **meta):\n    BLOCK = meta['BLOCK']\n"
                     "    at = tl.arange(0, BLOCK)\n    x = tl.load(p + at)\n"
                     "    if 'FACTOR' in meta:\n        x = scale(x, **meta)\n"
                     "    tl.static_assert(len(meta) == 1 or meta['FACTOR'] == 3)\n"
                     "    tl.store(p + at, x + meta.get('MORE', 5))\n";
  Compiled c = compile(text, "p=*i32, BLOCK=64");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "to 64 : tensor<64xi32>");
  EXPECT_HAS(c, "constant 5 : i32");
  EXPECT_LACKS(c, "arith.muli");
  EXPECT_TRUE(c.says("test.py:7:17: note: '**meta' of the kernel 'kernel' is of an earlier Triton; "
                     "today it is a tl.constexpr parameter for each value"))
      << c.diagnostics;
  c = compile(text, "p=*i32, BLOCK=64, FACTOR=3, MORE=7");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "constant 7 : i32");
  EXPECT_HAS(c, "arith.muli");
  EXPECT_SAYS(compile(text, "p=*i32"),
              "error: no argument is given for parameter 'BLOCK' of kernel "
              "'kernel', which is a tl.constexpr");
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(p, *rest):\n    pass\n", "p=*i32"),
              "error: a kernel cannot have '*' parameters; name each one");
}

TEST(OlderForms, WrongUses) {
  EXPECT_SAYS(compileBody(kParameters,
                          "x = tl.zeros((N, 16), tl.float32)\ny = tl.dot(x, x, "
                          "trans_a=p)",
                          kSignature),
              "tl.dot: 'trans_a' must be");
  EXPECT_SAYS(compileBody("d", "x = tl._experimental_descriptor_load(d, [0, 0], [16, 16], tl.int8)",
                          "d=tensordesc<fp16[16,16]>"),
              "the descriptor has blocks of (16, 16) of fp16, and not of [16, 16] of int8");
  EXPECT_COMPILES(
      compileBody("d", "x = tl._experimental_descriptor_load(d, [0, 0], [16, 16], tl.float16)",
                  "d=tensordesc<fp16[16,16]>"));
}
} // namespace
