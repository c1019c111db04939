// Pointers that an annotation `tl.const` or a type `*k…` declares as read-only: nothing writes
// through them, in any way.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

namespace {
const char *const kAnnotations[] = {"c: tl.const",
                                    "c: 'tl.const'",
                                    "c: \"const\"",
                                    "c: '*kfp32'",
                                    "c: tl.pointer_type(tl.float32, const=True)",
                                    "c: tl.pointer_type(tl.float32, 1, True)",
                                    "c"};

Compiled compileWith(const std::string &parameter, const std::string &body) {
  // Without an annotation the signature says it.
  std::string type = parameter == "c" ? "*kfp32" : "*fp32";
  return compileBody(parameter + ", p, n", body, "c=" + type + ", p=*fp32, n=i32");
}

const std::string kBlock = "b = tl.make_block_ptr(c, (n, 16), (16, 1), (0, 0), (16, 16), (1, 0))\n";
const std::string kDescriptor = "d = tl.make_tensor_descriptor(c, [n, 16], [16, 1], [16, 16])\n";
} // namespace

TEST(ConstPointer, NothingIsWrittenThroughIt) {
  const std::string tile = "tl.zeros((16, 16), tl.float32)";
  for (const char *parameter : kAnnotations)
    for (const std::string &body :
         {std::string("tl.store(c, 1)"), std::string("tl.store(c + tl.arange(0, 16), 1)"),
          std::string("c.store(1)"), std::string("q = c + n\nq += 1\ntl.store(q, 1)"),
          std::string("tl.store(tl.broadcast_to(c + tl.arange(0, 1), (4,)), 1)"),
          std::string("tl.store(tl.where(n > 0, c, p), 1)"),
          std::string("tl.store(tl.where(n > 0, p, c), 1)"),
          std::string("for i in range(n):\n    tl.store(c, i)\n    c += 1"),
          std::string("tl.atomic_add(c, 1.0)"), std::string("tl.atomic_max(c, 1.0)"),
          std::string("tl.atomic_xchg(c, 1.0)"), std::string("tl.atomic_cas(c, 0.0, 1.0)"),
          kBlock + "tl.store(b, " + tile + ")",
          kBlock + "tl.store(tl.advance(b, (1, 0)), " + tile + ")",
          kDescriptor + "d.store([0, 0], " + tile + ")",
          kDescriptor + "tl.store_tensor_descriptor(d, [0, 0], " + tile + ")",
          kDescriptor + "d.atomic_add([0, 0], " + tile + ")",
          std::string("d = tl.make_tensor_descriptor(c, [n, 16], [16, 1], [1, 16])\n"
                      "d.scatter(tl.zeros((16, 16), tl.float32), tl.arange(0, 16), 0)")}) {
      Compiled c = compileWith(parameter, body);
      EXPECT_SAYS(c, "through which nothing may be written");
      EXPECT_EQ(c.numErrors, 1u) << parameter << "\n" << body << "\n" << c.diagnostics;
      EXPECT_TRUE(c.says("^")) << c.diagnostics;
    }
}

TEST(ConstPointer, IsReadAsOthersAre) {
  for (const char *parameter : kAnnotations)
    for (const std::string &body :
         {std::string("tl.store(p, tl.load(c + n))"),
          std::string("for i in range(n):\n    tl.store(p, tl.load(c))\n    c += 1"),
          kBlock + "tl.store(p, tl.sum(tl.load(b)))",
          kDescriptor + "tl.store(p, tl.sum(d.load([0, 0])))",
          std::string("tl.static_assert(c.dtype.is_const())\ntl.store(p, 1)")})
      EXPECT_COMPILES(compileWith(parameter, body)) << parameter << "\n" << body;
  // Other annotations do not make it one.
  for (const char *annotation : {"'*fp32'", "tl.pointer_type(tl.float32)",
                                 "tl.pointer_type(tl.float32, const=False)", "constant"})
    EXPECT_COMPILES(compileBody(std::string("c: ") + annotation, "tl.store(c, 1)", "c=*fp32"))
        << annotation;
  // A number is not a pointer, whatever the annotation says.
  EXPECT_COMPILES(compileBody("c: tl.const, p", "tl.store(p, c)", "c=fp32, p=*fp32"));
  // A host's descriptor follows its parameter's annotation.
  EXPECT_SAYS(compileBody("d: tl.const", "d.store([0, 0], tl.zeros((16, 16), tl.float32))",
                          "d=tensordesc<fp32[16,16]>"),
              "through which nothing may be written");
}
