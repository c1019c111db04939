// Loops whose iterations are left early, in every arm of a branch: the arms' assignments stay.
#include "tests/frontend/sema/EndToEnd.h"

using namespace tilerun::test;

namespace {
/// The body of a loop over `i` whose arms leave the iteration, and the same in C++.
struct LeavingBody {
  const char *text;
  bool (*step)(int i, int &a); ///< Whether the loop goes on.
};

const LeavingBody kLeavingBodies[] = {
    {"if i > 5:\n  continue\nelif i > 3:\n  a = 8\n  continue\nelif i > 1:\n  a = 9\n  "
     "continue\nelse:\n  a = 10\n  continue",
     [](int i, int &a) {
       return a = i > 5 ? a : i > 3 ? 8 : i > 1 ? 9 : 10, true;
     }},
    {"if i > 5:\n  continue\na = i\nif i > 3:\n  continue\ncontinue",
     [](int i, int &a) { return a = i > 5 ? a : i, true; }},
    {"if i > 5:\n  continue\na += i\nif i > 3:\n  continue\nelse:\n  continue",
     [](int i, int &a) { return a += i > 5 ? 0 : i, true; }},
    {"if i > 5:\n  continue\nelse:\n  a += 7\n  if i > 3:\n    a += i\n    continue\n  else:\n    "
     "continue",
     [](int i, int &a) {
       return a += i > 5 ? 0 : i > 3 ? 7 + i : 7, true;
     }},
    {"if i > 5:\n  a += 1\nelse:\n  a += 7\n  if i > 3:\n    if i > 4:\n      a += 3\n    "
     "continue\n  continue",
     [](int i, int &a) {
       return a += i > 5 ? 1 : i > 4 ? 10 : 7, true;
     }},
    {"if i > 5:\n  break\na += 7\nif i > 3:\n  continue\ncontinue",
     [](int i, int &a) { return a += i > 5 ? 0 : 7, i <= 5; }},
    {"if i > 5:\n  continue\na += 7\nif i > 3:\n  break\nelse:\n  continue",
     [](int i, int &a) { return a += i > 5 ? 0 : 7, i > 5 || i <= 3; }},
    {"if i > 5:\n  a += 1\n  break\nelif i > 3:\n  a += 2\n  break\nelse:\n  a += 3\n  continue",
     [](int i, int &a) {
       return a += i > 5 ? 1 : i > 3 ? 2 : 3, i <= 3;
     }},
    {"if i > 5:\n  break\nelif i > 3:\n  a += 2\n  break\nelse:\n  a += 3\n  break",
     [](int i, int &a) {
       return a += i > 5 ? 0 : i > 3 ? 2 : 3, false;
     }},
    {"if i % 2 == 0:\n  if i > 3:\n    a += 1\n    continue\n  a += 2\n  if i > 1:\n    continue\n "
     " "
     "continue\na += 4\nif i > 3:\n  continue\nelse:\n  continue",
     [](int i, int &a) {
       return a += i % 2 ? 4 : i > 3 ? 1 : 2, true;
     }},
};

std::string indent(llvm::StringRef text, const std::string &by) {
  std::string out;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    out += by + line.str() + "\n";
  return out;
}
} // namespace

TEST(LeavingLoop, AssignmentsBeforeLeavingAnIterationInEveryArm) {
  for (const LeavingBody &body : kLeavingBodies) {
    auto model = [&](auto &, auto &q, int n) {
      q[0] = 1;
      for (int i = 0; i < n && body.step(i, q[0]); ++i)
        ;
    };
    std::string store = "tl.store(q, a)\n";
    std::string text = indent(body.text, "    ");
    expectInts("a = 1\nfor i in range(n):\n" + text + store, {0, 1, 3, 5, 9}, model);
    expectInts("a = 1\nk = 0\nwhile k < n:\n    i = k\n    k += 1\n" + text + store,
               {0, 1, 3, 5, 9}, model);
    // Unrolled; the conditions are known at run time only.
    expectInts("a = 1\nfor k in tl.static_range(9):\n    i = n - 9 + k\n" + text + store, {9},
               model);
    // In a loop of a function that may return as well.
    std::string helper =
        "@triton.jit\ndef last(n):\n    a = 1\n    for i in range(n):\n        if i == "
        "8:\n            return -a\n" +
        indent(body.text, "        ") + "    return a\n" +
        "@triton.jit\ndef kernel(q, n):\n    tl.store(q, last(n))\n";
    for (int n : {3, 9}) {
      std::vector<int> q(1, 0);
      ASSERT_EQ(run(helper, "q=*i32, n=i32", {buffer(q), int64_t(n)}), "") << helper;
      int a = 1, i = 0;
      while (i < n && i < 8 && body.step(i, a))
        ++i;
      EXPECT_EQ(q[0], i == 8 ? -a : a) << helper << "n = " << n;
    }
  }
}

TEST(LeavingLoop, ArmsThatReturnOrContinue) {
  std::string text = "@triton.jit\ndef find(n):\n    a = 1\n    for i in range(n):\n"
                     "        if i > 5:\n            a += 1\n        else:\n            a += 7\n"
                     "            if i == 4:\n                return -a\n            else:\n"
                     "                continue\n    return a\n"
                     "@triton.jit\ndef kernel(q, n):\n    tl.store(q, find(n))\n";
  for (auto [n, expected] : {std::pair{0, 1}, {3, 22}, {4, 29}, {5, -36}, {8, -36}}) {
    std::vector<int> q(1, 0);
    ASSERT_EQ(run(text, "q=*i32, n=i32", {buffer(q), int64_t(n)}), "");
    EXPECT_EQ(q[0], expected) << "n = " << n;
  }
}

TEST(LeavingLoop, CompileTimeValuesThatOnlyALeavingArmChanges) {
  // A number becomes a run-time scalar, also where `a` is an argument.
  for (const char *leave : {"continue", "break"})
    for (const char *call : {"last(n, 0)", "last(n, (0, 1)[0])"}) {
      std::string text = std::string("@triton.jit\ndef last(n, a):\n    for i in range(n):\n"
                                     "        if i > 1:\n            a = 3\n            ") +
                         leave + "\n        tl.device_assert(i < 9)\n    return a\n" +
                         "@triton.jit\ndef kernel(q, n):\n    tl.store(q, " + call + ")\n";
      for (int n : {2, 3, 5}) {
        std::vector<int> q(1, -1);
        ASSERT_EQ(run(text, "q=*i32, n=i32", {buffer(q), int64_t(n)}), "") << text;
        EXPECT_EQ(q[0], n > 2 ? 3 : 0) << text << "n = " << n;
      }
    }
  // Values that cannot become one must not change.
  for (const char *values : {"tl.int32|tl.int8", "'a'|'b'"})
    for (const char *leave : {"continue", "break"}) {
      auto [before, after] = llvm::StringRef(values).split('|');
      std::vector<int> p(1), q(1);
      std::string error = runBody(
          "p, q, n",
          ("d = " + before + "\nfor i in range(n):\n    if i > 1:\n        d = " + after +
           "\n        " + leave + "\n    tl.store(q, i)\ntl.static_assert(d == " + before + ")")
              .str(),
          "p=*i32, q=*i32, n=i32", {buffer(p), buffer(q), int64_t(3)});
      EXPECT_NE(error.find("before this run-time loop and cannot be reassigned in it"),
                std::string::npos)
          << values << leave << error;
    }
}
