// Semantics of compiled kernels, run on the reference interpreter and compared with C++.
#include "tests/frontend/sema/EndToEnd.h"

using namespace tilerun::test;

TEST(EndToEnd, IfElifElse) {
  expectInts("if n > 10:\n    x = 1\nelif n > 5:\n    x = 2\nelse:\n    x = 3\ntl.store(q, x)",
             {11, 7, 2}, [](auto &, auto &q, int n) { q[0] = n > 10  ? 1
                                                             : n > 5 ? 2
                                                                     : 3; });
}

TEST(EndToEnd, NestedIfs) {
  expectInts("x = 0\nif n > 0:\n    x = 1\n    if n > 5:\n        x = x + 10\n    else:\n        x "
             "= x + 20\n"
             "    x = x * 2\ntl.store(q, x)",
             {-1, 3, 9}, [](auto &, auto &q, int n) { q[0] = n <= 0 ? 0 : (n > 5 ? 11 : 21) * 2; });
}

TEST(EndToEnd, EarlyReturns) {
  expectInts("tl.store(q, 1)\nif n == 1:\n    return\ntl.store(q + 1, 2)\nif n == 2:\n    "
             "tl.store(q + 2, 3)\n"
             "    if p is not None:\n        return\nelse:\n    if n == 3:\n        "
             "return\ntl.store(q + 3, 4)",
             {1, 2, 3, 4}, [](auto &, auto &q, int n) {
               q[0] = 1;
               if (n == 1)
                 return;
               q[1] = 2;
               if (n == 2) {
                 q[2] = 3;
                 return;
               }
               if (n == 3)
                 return;
               q[3] = 4;
             });
}

TEST(EndToEnd, ReturnInsideLoops) {
  expectInts("for i in range(16):\n    for j in range(4):\n        if i * 4 + j == n:\n            "
             "return\n"
             "        tl.store(q + i * 4 + j, j)\n    if i == 7:\n        return\ntl.store(q, 77)",
             {0, 5, 31, 100}, [](auto &, auto &q, int n) {
               for (int i = 0; i < 16; ++i) {
                 for (int j = 0; j < 4; ++j) {
                   if (i * 4 + j == n)
                     return;
                   q[i * 4 + j] = j;
                 }
                 if (i == 7)
                   return;
               }
             });
}

TEST(EndToEnd, StepsByName) {
  auto sum = [](auto &, auto &q, int n) {
    q[0] = 0;
    for (int i = 0; i < n; i += 2)
      q[0] += i + 1;
    q[1] = 18;
  };
  for (const char *loop : {"range(0, n, step=2)", "range(n, step=2)", "tl.range(n, step=2)",
                           "tl.range(0, n, step=2, num_stages=2)"})
    expectInts("x = 0\nfor i in " + std::string(loop) +
                   ":\n    x += i + 1\ntl.store(q, x)\ny = 0\n"
                   "for i in range(9, -1, step=-3):\n    y += i\ntl.store(q + 1, y)",
               {0, 1, 7, 8}, sum);
  expectInts("x = 0\nfor i in tl.static_range(5, step=2):\n    x += i\ntl.store(q, x)\n"
             "tl.static_assert(tuple([i for i in range(5, step=2)]) == (0, 2, 4))",
             {0}, [](auto &, auto &q, int) { q[0] = 6; });
}

// A name that every path assigns before it reads it is not a value that a loop carries.
TEST(EndToEnd, VariablesOfInnerLoopsAreUsedAgain) {
  auto sums = [](auto &, auto &q, int n) {
    q[0] = n > 0 ? n * (n * (n - 1) / 2) : 0;
    q[1] = n > 0 ? n * (n - 1) / 2 : 0;
  };
  for (const char *body :
       {"i = 0\nx = 0\nfor j in range(n):\n    for i in range(n):\n        x += i\n"
        "y = 0\nfor i in range(n):\n    y += i\ntl.store(q, x)\ntl.store(q + 1, y)",
        // As a counter, after the first loop; in an enclosing loop; of another type.
        "x = 0\ny = 0\nfor j in range(n):\n    i = 0.5\n    for k in range(1):\n"
        "        for i in range(n):\n            x += i\n"
        "i = 0\nwhile i < n:\n    y += i\n    i += 1\ntl.store(q, x)\ntl.store(q + 1, y)",
        "i = tl.arange(0, 4)\nx = 0\ny = 0\nfor j in range(n):\n    if j % 2 == 0:\n"
        "        i = 1.0\n    else:\n        i = tl.arange(0, 2)\n    for i in range(n):\n"
        "        x += i\n        if j == 0:\n            y += i\n"
        "tl.store(q, x)\ntl.store(q + 1, y)"})
    expectInts(body, {0, 1, 5}, sums);
}

// Paths by which a value reaches a read past an assignment.
TEST(EndToEnd, ValuesThatExitsAndIterationsPassOn) {
  expectInts("x = 1\nfor k in range(8):\n    v = tl.load(p + k)\n    if v < n:\n        x = v\n"
             "        break\n    x = 100 + k\ntl.store(q, x)",
             {-100, -3, 0, 4}, [](auto &p, auto &q, int n) {
               int x = 1;
               for (int k = 0; k < 8; ++k) {
                 if (p[k] < n) {
                   x = p[k];
                   break;
                 }
                 x = 100 + k;
               }
               q[0] = x;
             });
  expectInts("last = 50\nacc = 0\nfor k in range(8):\n    v = tl.load(p + k)\n    if v > n:\n"
             "        last = v\n        continue\n    acc = acc * 3 + last\n    last = -v\n"
             "tl.store(q, acc)",
             {-100, 0, 3, 100}, [](auto &p, auto &q, int n) {
               int last = 50, acc = 0;
               for (int k = 0; k < 8; ++k) {
                 if (p[k] > n) {
                   last = p[k];
                   continue;
                 }
                 acc = acc * 3 + last;
                 last = -p[k];
               }
               q[0] = acc;
             });
  // Assigned on one path of an iteration only; read by the condition; read after a loop that may
  // not run.
  expectInts(
      "x = 7\nacc = 0\nfor j in range(3):\n    for i in range(4):\n"
      "        if tl.load(p + j * 4 + i) > n:\n            x = i\n        acc = acc * 2 + x\n"
      "tl.store(q, acc)",
      {-9, 3, 100}, [](auto &p, auto &q, int n) {
        int x = 7, acc = 0;
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 4; ++i) {
            if (p[j * 4 + i] > n)
              x = i;
            acc = acc * 2 + x;
          }
        q[0] = acc;
      });
  expectInts("x = n\nk = 0\nwhile x > 0:\n    k += 1\n    y = x - 2\n    x = y\n"
             "tl.store(q, k)\nz = 5\nfor i in range(n - 2):\n    z = i\ntl.store(q + 1, z)",
             {0, 1, 2, 7}, [](auto &, auto &q, int n) {
               q[0] = n > 0 ? (n + 1) / 2 : 0;
               q[1] = n > 2 ? n - 3 : 5;
             });
  expectInts("x = 3\nfor j in tl.static_range(3):\n    if j > 0:\n        tl.store(q + j, x)\n"
             "    for k in range(n):\n        if tl.load(p + k) > 2:\n            x = k\n"
             "            break\n        x = -k\ntl.store(q, x)",
             {0, 1, 4}, [](auto &p, auto &q, int n) {
               int x = 3;
               for (int j = 0; j < 3; ++j) {
                 if (j > 0)
                   q[j] = x;
                 for (int k = 0; k < n; ++k) {
                   if (p[k] > 2) {
                     x = k;
                     break;
                   }
                   x = -k;
                 }
               }
               q[0] = x;
             });
}

TEST(EndToEnd, BreakKeepsValues) {
  expectInts("acc = 0\nlast = -1\nfor i in range(16):\n    v = tl.load(p + i)\n    last = i\n"
             "    if v < n:\n        acc += 1000\n        break\n    acc += v\n"
             "tl.store(q, acc)\ntl.store(q + 1, last)",
             {0, -4, -10, 100}, [](auto &p, auto &q, int n) {
               int acc = 0, last = -1;
               for (int i = 0; i < 16; ++i) {
                 last = i;
                 if (p[i] < n) {
                   acc += 1000;
                   break;
                 }
                 acc += p[i];
               }
               q[0] = acc;
               q[1] = last;
             });
}

TEST(EndToEnd, ContinueSkips) {
  expectInts("acc = 0\nfor i in range(16):\n    v = tl.load(p + i)\n    acc += 1\n    if v < 0:\n  "
             "      acc += 100\n"
             "        continue\n    if v > n:\n        continue\n    acc += v\ntl.store(q, acc)",
             {3, 100}, [](auto &p, auto &q, int n) {
               int acc = 0;
               for (int i = 0; i < 16; ++i) {
                 acc += 1;
                 if (p[i] < 0) {
                   acc += 100;
                   continue;
                 }
                 if (p[i] > n)
                   continue;
                 acc += p[i];
               }
               q[0] = acc;
             });
}

TEST(EndToEnd, BreakAndContinueInWhile) {
  expectInts(
      "i = 0\nacc = 0\nwhile i < 16:\n    v = tl.load(p + i)\n    i += 1\n    if v == n:\n        "
      "break\n"
      "    if v % 2 == 0:\n        continue\n    acc += v\ntl.store(q, acc)\ntl.store(q + 1, i)",
      {9, 8, 1000}, [](auto &p, auto &q, int n) {
        int i = 0, acc = 0;
        while (i < 16) {
          int v = p[i++];
          if (v == n)
            break;
          if (v % 2 == 0)
            continue;
          acc += v;
        }
        q[0] = acc;
        q[1] = i;
      });
}

TEST(EndToEnd, WhileTrueWithBreak) {
  expectInts("i = 0\nwhile True:\n    if i * i >= n:\n        break\n    i += 1\ntl.store(q, i)",
             {0, 1, 17, 100}, [](auto &, auto &q, int n) {
               int i = 0;
               while (i * i < n)
                 ++i;
               q[0] = i;
             });
}

TEST(EndToEnd, BreakOfTheInnerLoopOnly) {
  expectInts("acc = 0\nfor i in range(4):\n    for j in range(4):\n        if j > i:\n            "
             "break\n        acc += 10\n"
             "    acc += 1\n    if acc > n:\n        break\ntl.store(q, acc)",
             {1000, 30, 5}, [](auto &, auto &q, int n) {
               int acc = 0;
               for (int i = 0; i < 4; ++i) {
                 for (int j = 0; j < 4; ++j) {
                   if (j > i)
                     break;
                   acc += 10;
                 }
                 acc += 1;
                 if (acc > n)
                   break;
               }
               q[0] = acc;
             });
}

TEST(EndToEnd, RangesOfAllDirections) {
  expectInts("k = 0\nfor i in range(2, n, 3):\n    tl.store(q + k, i)\n    k += 1\n"
             "for i in range(n, 0, -2):\n    tl.store(q + k, i)\n    k += 1\n"
             "for i in range(5, 5):\n    tl.store(q + k, 99)\n    k += 1\n"
             "for i in range(-2, -n, -1):\n    tl.store(q + k, i)\n    k += 1",
             {9, 4, 0, -3}, [](auto &, auto &q, int n) {
               int k = 0;
               for (int i = 2; i < n; i += 3)
                 q[k++] = i;
               for (int i = n; i > 0; i -= 2)
                 q[k++] = i;
               for (int i = -2; i > -n; --i)
                 q[k++] = i;
             });
}

TEST(EndToEnd, RunTimeStep) {
  expectInts("k = 0\nfor i in range(0, 20, n):\n    tl.store(q + k, i)\n    k += 1", {1, 3, 50},
             [](auto &, auto &q, int n) {
               int k = 0;
               for (int i = 0; i < 20; i += n)
                 q[k++] = i;
             });
}

TEST(EndToEnd, UnrolledLoopsWithRunTimeExits) {
  expectInts("acc = 0\nx = 0\nfor i in tl.static_range(6):\n    v = tl.load(p + i)\n    x = v\n    "
             "if v == n:\n        break\n"
             "    if v < 0:\n        continue\n    acc += v\ntl.store(q, acc)\ntl.store(q + 1, x)",
             {4, -5, 77}, [](auto &p, auto &q, int n) {
               int acc = 0, x = 0;
               for (int i = 0; i < 6; ++i) {
                 x = p[i];
                 if (p[i] == n)
                   break;
                 if (p[i] < 0)
                   continue;
                 acc += p[i];
               }
               q[0] = acc;
               q[1] = x;
             });
}

TEST(EndToEnd, ReturnOutOfAnUnrolledLoop) {
  expectInts("for i in tl.static_range(4):\n    if n == i:\n        tl.store(q, i)\n        "
             "return\ntl.store(q, 50)",
             {0, 2, 9}, [](auto &, auto &q, int n) { q[0] = n >= 0 && n < 4 ? n : 50; });
}

TEST(EndToEnd, IntegerDivisionTruncatesAtRunTime) {
  expectInts("for i in range(16):\n    v = tl.load(p + i)\n    tl.store(q + i, v // n)\n    "
             "tl.store(q + 16 + i, v % n)",
             {3, -3, 2, -7}, [](auto &p, auto &q, int n) {
               for (int i = 0; i < 16; ++i) {
                 q[i] = p[i] / n;
                 q[16 + i] = p[i] % n;
               }
             });
}

TEST(EndToEnd, ConstexprDivisionFloors) {
  expectInts("tl.store(q, -7 // 2)\ntl.store(q + 1, -7 % 3)\ntl.store(q + 2, n)", {5},
             [](auto &, auto &q, int n) {
               q[0] = -4;
               q[1] = 2;
               q[2] = n;
             });
}

TEST(EndToEnd, TernariesAndShortCircuits) {
  expectInts("x = 10 if n > 3 else 20\n"
             "y = tl.load(p + n) if n < 16 and n >= 0 else -1\n"
             "z = 1 if n < 0 or tl.load(p + n % 16) > 0 else 0\n"
             "w = 1 if not n else 0\n"
             "tl.store(q, x)\ntl.store(q + 1, y)\ntl.store(q + 2, z)\ntl.store(q + 3, w)",
             {0, 1, 5, 99, -20}, [](auto &p, auto &q, int n) {
               q[0] = n > 3 ? 10 : 20;
               q[1] = n < 16 && n >= 0 ? p[n] : -1;
               q[2] = n < 0 || p[n % 16] > 0 ? 1 : 0;
               q[3] = n == 0;
             });
}

TEST(EndToEnd, MasksAndWhere) {
  expectInts("o = tl.arange(0, 16)\nv = tl.load(p + o, mask=o < n, other=-7)\n"
             "tl.store(q + o, tl.where(v > 0, v, -v), mask=o % 2 == 0)",
             {0, 5, 16}, [](auto &p, auto &q, int n) {
               for (int i = 0; i < 16; i += 2)
                 q[i] = std::abs(i < n ? p[i] : -7);
             });
}

TEST(EndToEnd, TuplesThroughLoops) {
  expectInts("s = (0, 1)\nfor i in range(n):\n    a, b = s\n    s = (b, a + b)\ntl.store(q, s[0])",
             {0, 1, 10, 20}, [](auto &, auto &q, int n) {
               int a = 0, b = 1;
               for (int i = 0; i < n; ++i)
                 std::tie(a, b) = std::make_pair(b, a + b);
               q[0] = a;
             });
}

TEST(EndToEnd, WalrusInWhile) {
  expectInts("i = 0\nv = 0\nwhile (v := tl.load(p + i)) != n:\n    i += 1\ntl.store(q, "
             "i)\ntl.store(q + 1, v)",
             {9, 5, 3}, [](auto &p, auto &q, int n) {
               int i = 0;
               while (p[i] != n)
                 ++i;
               q[0] = i;
               q[1] = n;
             });
}

TEST(EndToEnd, NamesThatOnlyTheConditionBinds) {
  std::vector<int32_t> out(3);
  EXPECT_EQ(runBody("p, n",
                    "k = n\n"
                    "total = 0\n"
                    "while (m := k - 2) > 0:\n"
                    "    total += m\n"
                    "    k = m\n"
                    "tl.store(p, total)\n"
                    "tl.store(p + 1, m)\n"
                    "while (q := tl.load(p + 2) + k) < 9:\n"
                    "    if q == 4:\n        break\n"
                    "    k = q + 1\n"
                    "tl.store(p + 2, k)",
                    "p=*i32, n=i32", {buffer(out), int64_t(7)}),
            "");
  // 5 + 3 + 1; m is -1 when the condition fails; k goes 1, 2, 3, and q == 3, …, 4 leaves.
  EXPECT_EQ(out, (std::vector<int32_t>{9, -1, 4}));
}

TEST(EndToEnd, RecordsThroughLoopsAndBranches) {
  std::vector<float> out(4);
  EXPECT_EQ(
      run("@triton.aggregate\nclass R:\n    lo: tl.tensor\n    hi: tl.tensor\n"
          "    N: tl.constexpr\n"
          "    @triton.jit\n    def widened(self, v):\n"
          "        if v < self.lo:\n            return R(v, self.hi, self.N)\n"
          "        elif v > self.hi:\n            return R(self.lo, v, self.N)\n"
          "        return self\n"
          "@triton.jit\ndef scan(r, p, n):\n"
          "    for i in range(n):\n"
          "        v = tl.load(p + i)\n"
          "        if v > 100:\n            return r\n"
          "        if v == 0:\n            continue\n"
          "        r = r.widened(v)\n"
          "    return r\n"
          "@triton.jit\ndef kernel(p, x, n):\n"
          "    r = scan(R(x, x, 2), p, n)\n"
          "    tl.store(p + tl.arange(0, r.N), tl.where(tl.arange(0, r.N) == 0, r.lo, r.hi))\n",
          "p=*fp32, x=fp32, n=i32", {buffer(out = {0.0f, -3.0f, 8.0f, 200.0f}), 5.0, int64_t(4)}),
      "");
  EXPECT_EQ(out, (std::vector<float>{-3.0f, 8.0f, 8.0f, 200.0f}));
}

TEST(EndToEnd, VariablesSurviveLoopsThatDoNotRun) {
  expectInts("x = 5\nfor i in range(n):\n    x = i\nwhile x > 100:\n    x = 0\ntl.store(q, x)",
             {0, -4, 3}, [](auto &, auto &q, int n) { q[0] = n > 0 ? n - 1 : 5; });
}

TEST(EndToEnd, HelperFindsInALoop) {
  std::string text = "@triton.jit\ndef find(p, size, wanted):\n    for i in range(size):\n        "
                     "if tl.load(p + i) == wanted:\n"
                     "            return i\n    return -1\n"
                     "@triton.jit\ndef kernel(p, q, n):\n    tl.store(q, find(p, 8, n))\n"
                     "    tl.store(q + 1, find(p, 3, n))\n";
  for (int64_t n : {30, 10, 70, 5}) {
    std::vector<int> p = {10, 20, 30, 40, 50, 60, 70, 80}, q(2, 0);
    ASSERT_EQ(run(text, "p=*i32, q=*i32, n=i32", {buffer(p), buffer(q), n}), "");
    auto find = [&](int size) {
      auto it = std::find(p.begin(), p.begin() + size, n);
      return it == p.begin() + size ? -1 : int(it - p.begin());
    };
    EXPECT_EQ(q, (std::vector<int>{find(8), find(3)}));
  }
}

TEST(EndToEnd, HelperReturnsTuplesFromNestedBranches) {
  std::string text = "@triton.jit\ndef classify(x, y):\n    if x > 0:\n        if y > 0:\n         "
                     "   return 1, x + y\n"
                     "        elif y == 0:\n            return 2, x\n    else:\n        if y > "
                     "5:\n            return 3, y\n"
                     "    x = x - y\n    return 4, x\n"
                     "@triton.jit\ndef kernel(q, x, y):\n    k, v = classify(x, y)\n    "
                     "tl.store(q, k)\n    tl.store(q + 1, v)\n";
  for (int64_t x : {-1, 0, 3})
    for (int64_t y : {-2, 0, 4, 9}) {
      std::vector<int> q(2, 0);
      ASSERT_EQ(run(text, "q=*i32, x=i32, y=i32", {buffer(q), x, y}), "");
      std::vector<int> expected = x > 0 && y > 0    ? std::vector<int>{1, int(x + y)}
                                  : x > 0 && y == 0 ? std::vector<int>{2, int(x)}
                                  : x <= 0 && y > 5 ? std::vector<int>{3, int(y)}
                                                    : std::vector<int>{4, int(x - y)};
      EXPECT_EQ(q, expected) << x << " " << y;
    }
}

TEST(EndToEnd, WhileReturnsFromHelper) {
  std::string text = "@triton.jit\ndef collatz(x, limit):\n    steps = 0\n    while x != 1:\n      "
                     "  if steps >= limit:\n"
                     "            return -1\n        x = x // 2 if x % 2 == 0 else 3 * x + 1\n     "
                     "   steps += 1\n    return steps\n"
                     "@triton.jit\ndef kernel(q, n):\n    tl.store(q, collatz(n, 30))\n";
  for (int64_t n : {2, 6, 27, 97}) {
    std::vector<int> q(1, 0);
    ASSERT_EQ(run(text, "q=*i32, n=i32", {buffer(q), n}), "");
    int x = n, steps = 0;
    while (x != 1 && steps < 30) {
      x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      ++steps;
    }
    EXPECT_EQ(q[0], x == 1 ? steps : -1);
  }
}

TEST(EndToEnd, UnsignedAndWideLoops) {
  std::vector<uint32_t> q(4, 0);
  ASSERT_EQ(runBody("q, n",
                    "k = 0\nfor i in range(4294967293, n):\n    tl.store(q + k, i)\n    k += 1",
                    "q=*u32, n=u32", {buffer(q), int64_t(4294967295)}),
            "");
  EXPECT_EQ(q, (std::vector<uint32_t>{4294967293u, 4294967294u, 0, 0}));
  std::vector<int64_t> w(2, 0);
  ASSERT_EQ(runBody("q, n", "k = 0\nfor i in range(n, n + 2):\n    tl.store(q + k, i)\n    k += 1",
                    "q=*i64, n=i64", {buffer(w), int64_t(1) << 40}),
            "");
  EXPECT_EQ(w, (std::vector<int64_t>{int64_t(1) << 40, (int64_t(1) << 40) + 1}));
}

TEST(EndToEnd, BlockAccumulators) {
  std::vector<float> x(1000), q(16, 0);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50);
  ASSERT_EQ(runBody("x, q, n, B: tl.constexpr",
                    "o = tl.arange(0, B)\nacc = tl.zeros((B,), dtype=tl.float32)\nfor start in "
                    "range(0, n, B):\n"
                    "    mask = start + o < n\n    acc += tl.load(x + start + o, mask=mask, "
                    "other=0.0)\ntl.store(q + o, acc)",
                    "x=*fp32, q=*fp32, n=i32, B=16", {buffer(x), buffer(q), int64_t(1000)}),
            "");
  for (int lane = 0; lane < 16; ++lane) {
    float sum = 0;
    for (size_t i = lane; i < x.size(); i += 16)
      sum += x[i];
    EXPECT_EQ(q[lane], sum);
  }
}

TEST(EndToEnd, GridOfPrograms) {
  std::vector<int> q(100, -1);
  ASSERT_EQ(
      runBody(
          "q, n, B: tl.constexpr",
          "pid = tl.program_id(0)\nif pid * B >= n:\n    return\noff = pid * B + tl.arange(0, B)\n"
          "tl.store(q + off, off * tl.num_programs(0), mask=off < n)",
          "q=*i32, n=i32, B=16", {buffer(q), int64_t(90)}, 10),
      "");
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(q[i], i < 90 ? i * 10 : -1);
}

TEST(EndToEnd, DeviceAssertsStopDebugRuns) {
  std::string text =
      "@triton.jit\ndef kernel(q, n):\n    assert n > 3, 'n is too small'\n    tl.store(q, n)\n";
  std::vector<int> q(1, 0);
  EXPECT_EQ(run(text, "q=*i32, n=i32", {buffer(q), int64_t(5)}, 1, /*debug=*/true), "");
  EXPECT_EQ(q[0], 5);
  EXPECT_NE(
      run(text, "q=*i32, n=i32", {buffer(q), int64_t(2)}, 1, /*debug=*/true).find("n is too small"),
      std::string::npos);
  EXPECT_EQ(run(text, "q=*i32, n=i32", {buffer(q), int64_t(2)}, 1, /*debug=*/false), "");
}

TEST(EndToEnd, LogicalOperatorsOfTiles) {
  // As in Triton, `not`, `and` and `or` work element by element; a scalar beside a tile broadcasts.
  expectInts("i = tl.arange(0, 16)\nx = tl.load(p + i)\n"
             "tl.store(q + i, x, mask=not (x > n))\n"
             "tl.store(q + 16 + i, 1, mask=(n > 0) and (i < 9))\n"
             "tl.store(q + 16 + i, 2, mask=not (i < 12 or n > 3))\n"
             "tl.store(q + 16, not x[None, :].sum(1).sum())\n",
             {-2, 2, 6}, [](auto &p, auto &q, int n) {
               for (int i = 0; i < 16; ++i) {
                 if (!(p[i] > n))
                   q[i] = p[i];
                 if (n > 0 && i < 9)
                   q[16 + i] = 1;
                 if (!(i < 12 || n > 3))
                   q[16 + i] = 2;
               }
               q[16] = 0;
             });
}
