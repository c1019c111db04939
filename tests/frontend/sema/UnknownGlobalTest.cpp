// Globals whose values only host code knows: using one is an error that says which, why, and what
// to do; code that does not depend on it compiles; and a signature may give the value.
#include "tests/frontend/sema/HostGlobals.h"

using namespace tilerun::test;

namespace {
/// Bindings of `F` whose value is unknown without running host code.
const std::string kUnknown[] = {
    "import os\ndef is_hip():\n    return os.getpid() < 0\nF = is_hip()\n",
    "import os\ndef is_hip():\n    return os.getpid() < 0\nF = tl.constexpr(is_hip())\n",
    "import os\ndef is_hip():\n    return os.getpid() < 0\nF: tl.constexpr = not is_hip()\n",
    "import os\ndef is_hip():\n    return os.getpid() < 0\nG = is_hip()\nF = G\n",
    "import os\ndef is_hip():\n    return os.getpid() < 0\nG = is_hip()\nF = 1 if G else 2\n",
    ("import os\ndef is_hip():\n    return os.getpid() < 0\nif is_hip():\n    F = 1\nelse:\n    F "
     "= "
     "2\n"),
    "import os\ndef is_hip():\n    return os.getpid() < 0\nF = 1\nif is_hip():\n    F = 2\n",
    "import os\nF = os.cpu_count() > 4\n",
    "from os import F\n",
    "from os import cpu_count as F\n",
    "import mylib\nF = mylib.flag()\n",
    "for F in (1, 2):\n    pass\n",
    "F, G = 1, *(2, 3)\n",
    "import torch\nF = torch.cuda.is_available()\n",
    "import torch\nF = hasattr(torch, 'x')\n",
    "import torch\nF = getattr(torch, 'x', None)\n",
    "F = 1\ndef choose():\n    global F\n    F = 2\n",
    "F = 1\ndef choose(n):\n    global G, F\n    if n:\n        G, F = 1, n\n",
    "F = 1\ndef count():\n    global F\n    F += 1\n",
    "F = 1\nif (F := len(__file__)) > 1:\n    pass\n",
    "G = (F := 1)\n",
    "F = [1]\nF.append(2)\n",
    "F = {'a': 1}\nF.update(a=2)\n",
    "F = [1, 2]\nfor i in range(2):\n    F.pop()\n",
    "F = [1]\nF[0] = 2\n",
    "F = [1]\nF[0] += 2\n",
    "F = [1, 2]\ndel F[0]\n",
    "F = F\n",
    // Bound in other ways.
    "F = 1\nmatch F:\n    case 1:\n        F = 2\n",
    "F = 1\nmatch 3:\n    case F:\n        pass\n",
    "F = 1\ntry:\n    pass\nexcept ValueError as F:\n    pass\n",
    "F = 1\ndef host():\n    global F\n    import os as F\n",
    "F = 1\ndef host():\n    global F\n    with open('x') as F:\n        pass\n",
    "F = 1\nclass C:\n    global F\n    F = 2\n",
    "F = 1\nfrom mylib import *\n",
    "F = 1\nglobals()['F'] = 2\n",
    "F = 1\nglobals().update(F=2)\n",
    "F = 1\nglobals().update({'F': 2})\n",
    "F = 1\nglobals().setdefault('F', 2)\n",
    "F = 1\ng = globals()\ng['F'] = 2\n",
    "F = 1\nvars()['F'] = 2\n",
    "F = 1\nexec('F = 2')\n",
    "F = 1\nexec('F = 2', globals())\n",
    "F = 1\nimport sys\nsys.modules[__name__].F = 2\n",
    "F = 1\nimport sys\ndef host(v):\n    setattr(sys.modules[__name__], 'F', v)\n",
    "F = 1\nimport sys\ndef host(k, v):\n    setattr(sys.modules[__name__], k, v)\n",
    "F = 1\ndef host():\n    import __main__\n    __main__.F = 2\n",
    "F = 1\nimport importlib\nimportlib.import_module(__name__).__dict__['F'] = 2\n",
    "F = tl.constexpr(1)\nF.value = 2\n",
    "def call(f):\n    return f()\n@call\ndef F():\n    return 0\n",
    // Changed under other names.
    "A = F = [1]\nA.append(2)\n",
    "F = [1]\nA = F\nA += [2]\n",
    "A = [1]\nF = A\nB = A\ndel B[0]\n",
    "F = [1]\ndef host():\n    a = F\n    a.append(2)\n",
    "F = [1]\ndef get():\n    return F\nget().append(2)\n",
    "F = [1]\nget = lambda: F\nget().append(2)\n",
    "F = [1]\ndef host():\n    yield F\n",
    "F = [1]\ndef add(x, to=F):\n    to.append(x)\n",
    "F = [1]\ndef add(x):\n    x.append(2)\nadd(F)\n",
    "F = [1]\ndef add(*x):\n    x[0].append(2)\nadd(*[F])\n",
    "F = [1]\nclass C:\n    L = F\n    L.append(2)\n",
    "F = [1]\nfor x in [F]:\n    x.append(2)\n",
    "F = [1]\n[x.append(2) for x in (F,)]\n",
    "F = [1]\n(F if F else F).append(2)\n",
    "F = [1]\n(F or []).append(2)\n",
    "F = [1]\nif (x := F):\n    x.append(2)\n",
    // In other ways.
    "F = [1]\ndef host(x):\n    F.append(x)\n",
    "F = [1]\nf = F.append\nf(2)\n",
    "F = [1]\nlist(map(F.append, (2, 3)))\n",
    "F = [2, 1]\nlist.sort(F)\n",
    "F = [1]\ngetattr(F, 'append')(2)\n",
    "F = [1]\nF.__iadd__([2])\n",
    "F = [1]\nimport random\nrandom.shuffle(F)\n",
    "F = [1]\nimport mylib\nmylib.fill(F)\n",
    "F = [1]\neval('F.append(2)')\n",
    "F = [1]\ndef host():\n    match F:\n        case x:\n            x.append(2)\n",
    // Inside it.
    "F = ([1], 2)\nF[0].append(2)\n",
    "F = ([1], 2)\na, b = F\na.append(2)\n",
    "F = {'a': [1]}\nfor x in F.values():\n    x.append(2)\n",
    "F = [[1]]\nlist(F)[0].append(2)\n",
    "F = [[1]]\n(F + [])[0].append(2)\n",
    "F = [[1]]\nF[:][0].append(2)\n",
};

/// Ways in which the constant `F` of a class `C` may differ from its body.
const std::string kUnknownConstants[] = {
    "class C:\n    F = 1\nC.F = 2\n",
    "class C:\n    F = 1\ndel C.F\n",
    "class C:\n    F = 1\nC.F += 2\n",
    "class C:\n    F = 1\nsetattr(C, 'F', 2)\n",
    "class C:\n    F = 1\nfor k in ('F',):\n    setattr(C, k, 2)\n",
    "class C:\n    F = 1\ntype.__setattr__(C, 'F', 2)\n",
    "class C:\n    F = 1\ndef host(c):\n    c.F = 2\n",
    "class C:\n    F = 1\nA = C\nA.F = 2\n",
    "class C:\n    F = 1\n    @classmethod\n    def set(cls):\n        cls.F = 2\n",
    "class C:\n    F = 1\n    def set(self):\n        type(self).F = 2\n",
    "class B:\n    F = 1\nclass C(B):\n    pass\nB.F = 2\n",
    "class C:\n    F = [1]\nC.F.append(2)\n",
    "class C:\n    F = [1]\nf = C.F.append\nf(2)\n",
    "class C:\n    F = [1]\n    def add(self):\n        self.F.append(2)\n",
    "class C:\n    F = [1]\n    F.append(2)\n",
    "class C:\n    F = [1]\n    G = F\nC.G.append(2)\n",
    "class B:\n    F = [1]\nclass C(B):\n    pass\nclass D(C):\n    pass\nD.F.append(2)\n",
    "class C:\n    F = [1]\nimport mylib\nmylib.fill(C())\n",
    "class C:\n    F = 1\nimport mylib\nmylib.fill(C)\n",
    "import mylib\n@mylib.register\nclass C:\n    F = 1\n",
    "import mylib\nclass C(mylib.Base):\n    F = 1\n",
    "import mylib\nclass B(mylib.Base):\n    F = 1\nclass C(B):\n    pass\n",
    "import mylib\nclass C(metaclass=mylib.Meta):\n    F = 1\n",
    "import enum\nclass C(enum.Flag):\n    F = 0\n",
    "class C:\n    F = 1\n    F = 2\n",
    "class C:\n    F = 1\n    F += 1\n",
    "import os\nclass C:\n    F = 1\n    if os.getpid():\n        F = 2\n",
    "class C:\n    for F in (1, 2):\n        pass\n",
    "class C:\n    F, G = 1, 2\n",
    "import os\nclass C:\n    F = os.getpid()\n",
};

/// Every place where a value decides something.
const std::string kUses[] = {
    "if F:\n    tl.store(p, 1)",
    "if not F:\n    tl.store(p, 1)",
    "if n > 0:\n    tl.store(p, 1)\nelif F:\n    tl.store(p, 2)",
    "x = 1 if F else 0",
    "x = F if n > 0 else 0",
    "x = not F",
    "x = F and 1",
    "x = F or 1",
    "if True and F:\n    tl.store(p, 1)",
    "if False or F:\n    tl.store(p, 1)",
    "if n > 0 and F:\n    tl.store(p, 1)",
    "if n > 0 or F:\n    tl.store(p, 1)",
    "x = (tl.load(p + tl.arange(0, 4)) > 0) and F",
    "while F:\n    tl.store(p, 1)",
    "while n > 0 and F:\n    tl.store(p, 1)",
    "assert F",
    "tl.static_assert(F)",
    "tl.static_assert(F == 1)",
    "tl.device_assert(F)",
    "x = F == 'fast'",
    "x = 'fast' == F",
    "x = F != 1",
    "x = F == tl.float32",
    "x = F == None",
    "x = F is None",
    "x = F is not None",
    "x = None is F",
    "x = F is True",
    "x = F in (1, 2)",
    "x = 1 in (2, F)",
    "x = F not in ('a', 'b')",
    "x = F in 'abc'",
    "x = 1 in F",
    "x = F < 1",
    "x = 0 < F < 2",
    "x = (F, 1) == (0, 1)",
    "x = (F, 1) < (0, 1)",
    "x = F + 1",
    "x = 1 - F",
    "x = F * (1, 2)",
    "x = 'a' + F",
    "x = F + F",
    "x = F ** 2",
    "x = -F",
    "x = ~F",
    "x = n + F",
    "x = F * n",
    "x = n == F",
    "x = F != n",
    "x = n is F",
    "x = n < F",
    "x = p + F",
    "x = F + p",
    "x = p - F",
    "n += F",
    "tl.static_print(f'{F}')",
    "tl.static_print(f'{F!r:>4}')",
    "tl.static_print(f'{1:{F}}')",
    "tl.static_print(f'{(F, 1)}')",
    "tl.static_print(F)",
    "tl.static_print('a', (1, F))",
    "tl.device_print('a', F)",
    "print(F)",
    "x = str(F)",
    "x = int(F)",
    "x = float(F)",
    "x = bool(F)",
    "x = len(F)",
    "x = abs(F)",
    "x = max(1, F)",
    "x = isinstance(F, int)",
    "x = getattr(F, 'a')",
    "x = hasattr(F, 'a')",
    "x = math.sqrt(F)",
    "x = 'a'.join(('b', F))",
    "x = 'a'.startswith(F)",
    "x = {'a': 1}.get(F)",
    "x = {'a': 1}[F]",
    "x = (1, 2)[F]",
    "x = (1, 2)[F:]",
    "x = tl.load(p + tl.arange(0, 4))[F]",
    "x = [i for i in (1, 2) if F]",
    "x = [i for i in F]",
    "for i in F:\n    tl.store(p, i)",
    "for i in range(F):\n    tl.store(p, i)",
    "for i in range(0, n, F):\n    tl.store(p, i)",
    "for i in tl.range(0, F):\n    tl.store(p, i)",
    "for i in tl.range(0, n, num_stages=F):\n    tl.store(p, i)",
    "for i in tl.static_range(F):\n    tl.store(p, i)",
    "a, b = F",
    "x = tl.arange(0, F)",
    "x = tl.zeros((F, 2), tl.int32)",
    "x = tl.full([4], F, tl.int32)",
    "x = tl.load(p, mask=F, other=0)",
    "x = tl.load(p, cache_modifier=F)",
    "tl.store(p, F)",
    "tl.store(p, 1, mask=F)",
    "x = tl.where(n > 0, F, 1)",
    "x = n.to(F)",
    "x = tl.cast(n, F)",
    "x = tl.float32(F)",
    "x = tl.constexpr(F)",
    "x = tl.multiple_of(n, F)",
    "helper(p, F)",
    "chosen(p, F)",
    "x: tl.constexpr = F\nif x:\n    tl.store(p, 1)",
    "x = F\ny = (x, 2)\nif y[0]:\n    tl.store(p, 1)",
};
} // namespace

TEST(UnknownGlobal, EveryUseIsAnError) {
  for (const std::string &use : kUses) {
    Compiled c = compileWith(kUnknown[1], use);
    EXPECT_FALSE(c.ok) << use << "\n" << c.ir;
    EXPECT_TRUE(c.says("error: the value of the global 'F' is not known: host code, which is not "
                       "run, computes it from the host function 'is_hip'; pass its value, F=…, "
                       "with the kernel's arguments"))
        << use << "\n"
        << c.diagnostics;
    // At the use and at the definition, and nothing else.
    EXPECT_EQ(c.numErrors, 1u) << use << "\n" << c.diagnostics;
    EXPECT_TRUE(c.says("note: defined here")) << use << "\n" << c.diagnostics;
  }
}

TEST(UnknownGlobal, HoweverItIsBound) {
  for (const std::string &globals : kUnknown)
    for (const char *use :
         {"if F:\n    tl.store(p, 1)", "x = F == 1", "x = F is None", "tl.static_assert(F)",
          "tl.static_print(f'{F}')", "tl.store(p, n + F)", "x = 1 in (F, 2)"}) {
      Compiled c = compileWith(globals, use);
      EXPECT_FALSE(c.ok) << globals << use << "\n" << c.ir;
      EXPECT_TRUE(c.says("error: the value of ") && c.says("'F'") && c.says("is not known: "))
          << globals << use << "\n"
          << c.diagnostics;
      EXPECT_EQ(c.numErrors, 1u) << globals << use << "\n" << c.diagnostics;
    }
}

TEST(UnknownGlobal, CompilesWhereTheValueIsNotNeeded) {
  for (const std::string &globals : kUnknown)
    for (const char *body :
         {"tl.store(p, 1)", "x = F\ntl.store(p, 1)", "if False and F:\n    tl.store(p, 1)",
          "if True or F:\n    tl.store(p, 1)", "x = (F, 2)\ntl.store(p, x[1])",
          "if False:\n    tl.store(p, F + 1)", "ignored(p, F)",
          "x = (F,) + (1,)\ntl.store(p, x[1])", "x = 2 if True else F",
          "tl.static_print('a', file=F)", "tl.store(p, len((1, 2)))", "x = isinstance(n, F)",
          "if (F,):\n    tl.store(p, 1)", "x = (F, 1) is None"})
      EXPECT_COMPILES(compileWith(globals, body)) << globals << body;
}

TEST(UnknownGlobal, SignaturesGiveIt) {
  for (const std::string &globals : kUnknown) {
    if (globals == "F = F\n")
      continue; // Nothing computes it.
    for (auto [value, text] :
         {std::pair{"7", "7"}, {"false", "8"}, {"none", "8"}, {"\"a\"", "7"}}) {
      Compiled c = compileWith(globals, "if F:\n    tl.store(p, 7)\nelse:\n    tl.store(p, 8)",
                               std::string("p=*i32, n=i32, F=") + value);
      EXPECT_COMPILES(c) << globals;
      EXPECT_HAS(c, std::string("constant ") + text);
    }
  }
  // So is everything that is computed from it.
  Compiled c = compileWith(kUnknown[3], "tl.store(p, F + 1)", "p=*i32, n=i32, G=41");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "constant 42");
  // Inside functions, and of classes of constants.
  EXPECT_COMPILES(compile("def make(size):\n    @triton.jit\n    def kernel(p):\n"
                          "        tl.store(p + tl.arange(0, size), 1)\n    return kernel\n",
                          "p=*i32, size=16", "make.kernel"));
  EXPECT_COMPILES(
      compile("import os\nFAST = os.getenv('FAST')\nclass Config:\n    SIZE = 16 if FAST "
              "else 32\n@triton.jit\ndef kernel(p):\n"
              "    tl.store(p + tl.arange(0, Config.SIZE), 1)\n",
              "p=*i32, FAST=true"));
}

TEST(UnknownGlobal, ListsInsideOfTuples) {
  for (const char *change : {"A.append(2)", "F[0].append(2)", "for x in F:\n    x.append(2)"})
    EXPECT_SAYS(compileWith(std::string("A = [1]\nF = (A, 2)\n") + change + "\n",
                            "tl.static_assert(F[1] == 2)\nx = F[0] == [1]"),
                "'A' is not known: host code, which is not run, may change it in line 4");
}

TEST(UnknownGlobal, SaysWhereItMayChange) {
  EXPECT_SAYS(compileWith("F = [1]\ndef host(x):\n    F.append(x)\n", "x = F[0]"),
              "error: the value of the global 'F' is not known: host code, which is not run, may "
              "change it in line 5; pass its value, F=…, with the kernel's arguments, make it a "
              "tl.constexpr parameter, or let the Python package compile the kernel");
}

TEST(UnknownGlobal, ConstantsOfClasses) {
  for (const std::string &globals : kUnknownConstants) {
    for (const char *use :
         {"if C.F:\n    tl.store(p, 1)", "x = C.F == 1", "tl.store(p, n + C.F)"}) {
      Compiled c = compileWith(globals, use);
      EXPECT_FALSE(c.ok) << globals << use << "\n" << c.ir;
      EXPECT_TRUE(c.says(".F' is not known: ") && c.says(".F=…, with the kernel's arguments"))
          << globals << use << "\n"
          << c.diagnostics;
      EXPECT_EQ(c.numErrors, 1u) << globals << use << "\n" << c.diagnostics;
    }
    EXPECT_COMPILES(compileWith(globals, "tl.store(p, 1)")) << globals;
    const bool isOfBase = llvm::StringRef(globals).contains("C(B)");
    Compiled c = compileWith(globals, "tl.store(p, C.F)",
                             std::string("p=*i32, n=i32, ") + (isOfBase ? "B" : "C") + ".F=7");
    EXPECT_COMPILES(c) << globals;
    EXPECT_HAS(c, "constant 7");
  }
  EXPECT_SAYS(compileWith("class C:\n    F = 1\n", "tl.store(p, C.F)", "p=*i32, n=i32, C.F=7"),
              "'C.F' is not a parameter of kernel 'kernel', and the global of this name has a "
              "value in its file");
  EXPECT_SAYS(compileWith("class C:\n    F = 1\n", "tl.store(p, C.F)", "p=*i32, n=i32, C.G=7"),
              "kernel 'kernel' has no parameter 'C.G'");
}

TEST(UnknownGlobal, WhatStaysAClassesConstant) {
  for (const char *globals :
       {"class C:\n    F = 1\nprint(C.F, C)\nx = C()\nassert isinstance(x, C)\n",
        "class C:\n    F = 1\nclass D(C):\n    F = 2\n    G = C.F\n",
        "class C(object):\n    F: int = 1\n    G = F\nx = [C.F]\nx.append(C.G)\n",
        "class C:\n    F = [1]\nfor x in C.F:\n    print(x, len(C.F), C.F[0])\n",
        "class C:\n    F = 1\nclass D:\n    def __init__(self):\n        self.F = 2\n",
        "import enum\nclass C(enum.IntEnum):\n    F = 1\n",
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass C:\n    F: int = 1\n"})
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(C.F == 1 or C.F[0] == 1)")) << globals;
}

TEST(UnknownGlobal, MembersOfEnumerations) {
  const std::string plain = "import enum\nclass C(enum.Enum):\n    F = 3\n    G = 'text'\n"
                            "    H = enum.auto()\n";
  // A member is equal to itself alone, and to other names of it.
  for (const char *holds : {"C.F == C.F",
                            "C.F is C.F",
                            "C.F != C.G",
                            "C.F is not C.G",
                            "not (C.F == 3)",
                            "C.F",
                            "C.F in (C.G, C.F)",
                            "C.F not in (3, C.G)",
                            "(C.F, 1) == (C.F, 1)",
                            "M == C.F",
                            "M in L",
                            "K == C.F",
                            "K.value is C.F",
                            "K.value.value == 3",
                            "K.name == 'F'",
                            "C.I is C.F",
                            "C.I.value == 3",
                            "C.J.value == 4",
                            "C.J is not C.F",
                            "C.N == C.N",
                            "A.X == A.X",
                            "A.X.value == 1",
                            "A.Y.value == 2",
                            "A.X != C.F",
                            "isinstance(M, C)",
                            "not isinstance(M, A)",
                            "pick(C.F) == 1",
                            "pick(C.G) == 2",
                            "D.F is D.F"})
    EXPECT_COMPILES(compileWith(plain + "    I = F\n    J: int = 4 if F == 3 else 3\n"
                                        "    N = (F, 'x')\n"
                                        "class A(enum.Enum):\n    'text'\n    X = enum.auto()\n"
                                        "    Y = enum.auto()\n"
                                        "class B:\n    def hello(self):\n        return 1\n"
                                        "@enum.unique\nclass D(B, enum.Enum):\n    F = 1\n"
                                        "M = C.F\nL = [A.X, C.F]\nK = tl.constexpr(C.F)\n"
                                        "@triton.constexpr_function\ndef pick(m):\n"
                                        "    return 1 if m == C.F else 2\n",
                                "tl.static_assert(" + std::string(holds) + ")"))
        << holds;
  for (auto [use, says] :
       {std::pair{"x = C.F + 1", "operator '+' does not apply to the enum member 'C.F' and the "
                                 "integer 1; use C.F.value, or derive the class from enum.IntEnum"},
        {"x = -C.F", "operator '-' does not apply to the enum member 'C.F'; use C.F.value, or"},
        {"if C.F < C.G:\n    tl.store(p, 1)",
         "operator '<' does not apply to the enum member 'C.F' and the enum member 'C.G'; use"},
        {"x = n + C.F", "cannot apply '+' to int32 and the enum member 'C.F'"},
        {"tl.store(p, C.F)", "but it is the enum member 'C.F'"},
        {"x = C.F.size", "'C.F' cannot be used in a kernel; use C.F.value, or derive the class"},
        {"x = C.H == C.F", "the value of the global 'C.H' is not known"}}) {
    Compiled c = compileWith(plain, use);
    EXPECT_SAYS(c, says);
    EXPECT_EQ(c.numErrors, 1u) << use << "\n" << c.diagnostics;
  }
  const std::string flags = "import enum\nclass C(enum.Flag):\n    F = 3\n";
  EXPECT_SAYS(compileWith(flags, "x = C.F is C.F"),
              "error: the value of 'C.F' is not known: a member of an enum.Flag is an object, "
              "which kernels cannot use; use C.F.value, or derive the class from enum.IntFlag, or "
              "pass its value, C.F=…");
  EXPECT_COMPILES(compileWith(flags, "tl.static_assert(C.F == 7)", "p=*i32, n=i32, C.F=7"));
  EXPECT_COMPILES(compileWith(plain, "tl.static_assert(C.F.value == 3)\n"
                                     "tl.static_assert(C.F.name == 'F')\n"
                                     "tl.static_assert(C.G.value == 'text')"));
  EXPECT_SAYS(compileWith(plain, "x = C.H.value"), "'C.H' cannot be used in a kernel");
  // Those that are numbers or strings are known; those that methods make are not.
  for (const char *known :
       {"class C(enum.IntEnum):\n    F = 3\n", "class C(int, enum.Enum):\n    F = 3\n",
        "class C(enum.IntFlag):\n    F = 3\n",
        "class B(int, enum.Enum):\n    pass\nclass C(B):\n    F = 3\n"})
    EXPECT_COMPILES(compileWith(std::string("import enum\n") + known, "tl.static_assert(C.F == 3)"))
        << known;
  EXPECT_COMPILES(compileWith("from enum import Enum\nclass C(str, Enum):\n    F = 'a'\n",
                              "tl.static_assert(C.F == 'a')"));
  for (const char *method : {"__new__", "__init__", "__eq__", "__bool__", "_generate_next_value_"})
    EXPECT_SAYS(compileWith("import enum\nclass C(enum.Enum):\n    F = 3\n    def " +
                                std::string(method) + "(self, *args):\n        return 1\n",
                            "x = C.F.value"),
                "'C.F' cannot be used in a kernel: its class has methods that decide what a member "
                "is, and they are not run");
  EXPECT_SAYS(compileWith("import enum\nclass B:\n    def __eq__(self, other):\n        return 1\n"
                          "class C(B, enum.Enum):\n    F = 3\n",
                          "x = C.F is C.F"),
              "its class has methods that decide what a member is");
  EXPECT_SAYS(compileWith("import mylib\nclass C(mylib.Base):\n    F = 3\n", "x = C.F + 1"),
              "error: the value of 'C.F' is not known: the effect of the base 'Base' on it is "
              "unknown; pass its value, C.F=…, with the kernel's arguments");
}

TEST(UnknownGlobal, WhatHostCodeReadsOfListsStaysKnown) {
  for (const char *globals :
       {"F = [1, 2]\nx = F[0]\nfor i in F:\n    print(i, len(F), sorted(F), sep=f'{F}')\n",
        "F = [1, 2]\nassert F == [1, 2] and 1 in F and not F is None\nM = max(F) + sum(F)\n",
        "F = [1, 2]\nb = [j for j in F if j in F]\nt = tuple(F) + (1,)\nG = F + [3]\nG.append(4)\n",
        "A = F = [1, 2]\nprint(A)\nB = A\nwhile B:\n    break\n",
        "F = [1, 2]\ndef host(F):\n    F.append(1)\n    return F\n",
        "F = [1, 2]\ndef host():\n    F = [3]\n    F.append(1)\n    return F\n",
        "F = [1, 2]\ng = lambda F: F.append(1)\nh = [F.append(1) for F in ([],)]\n",
        "F = [1, 2]\nimport itertools\nfor a, b in itertools.product(F, F):\n    print(a, b)\n",
        "F = [1, 2]\nimport torch\nx = torch.tensor(F)\ny = torch.zeros(*F)\n",
        "F = [1, 2]\nimport pytest\n@pytest.mark.parametrize('x', F)\ndef test(x):\n    pass\n",
        ("F = [1, 2]\ndef host(p):\n    ignored[(1,)](p, F)\n    ignored[lambda m: (F[0],)](p, "
         "N=F)\n"),
        "F = (1, 2)\ndef get():\n    return F\nget().append(2)\n",
        "F = {'a': 1}\nfor k, v in F.items():\n    print(k, F[k], F.get(k))\nF = (1,)\n",
        ("F = [1, 2]\nG = {}\nexec('F = 2', {'a': 1})\nx = globals()['G']\ny = "
         "globals().get('F')[0]\n"),
        "import sys\nF = [1]\nsys.argv = sys.argv[1:]\nx = sys.modules\n"})
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(F[0] == 1)")) << globals;
}

TEST(UnknownGlobal, ValuesInBetween) {
  // Values computed before a name is bound again use its earlier value.
  for (const char *globals :
       {"N = 4\nF = N - 3\nN = 8\n", "N = 4\nF = N - 3\nfor N in (1, 2):\n    pass\n",
        "N = 4\nN = N - 2\nF = N - 1\nN = N + 1\n",
        "N = 4\nclass C:\n    M = N - 3\nN = 8\nF = C.M\n",
        "N = 4\ndef f():\n    return N - 3\nf = tl.constexpr_function(f)\nF = 1\nN = 8\n"})
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(F == 1)")) << globals;
  EXPECT_COMPILES(compile("N = 4\n@triton.jit\ndef kernel(p, M: tl.constexpr = N):\n"
                          "    tl.static_assert(M == 4)\n    tl.static_assert(N == 8)\nN = 8\n",
                          "p=*i32"));
}

TEST(UnknownGlobal, WhichOfSeveralFunctions) {
  const std::string functions =
      "import os\ndef is_hip():\n    return os.getpid() < 0\nif is_hip():\n    @triton.jit\n    "
      "def G(x):\n"
      "        return x + 41\nelse:\n    @triton.jit\n    def G(x):\n        return x + 42\n";
  Compiled c = compileWith(functions, "tl.store(p, G(0))");
  EXPECT_FALSE(c.ok);
  EXPECT_SAYS(c, "error: the function 'G' cannot be called in a kernel: host code, which is not "
                 "run, chooses among the functions in lines 8 and 12; pass the line of "
                 "one, G=…, with the kernel's arguments");
  for (auto [line, result] : {std::pair{"8", "41"}, {"12", "42"}}) {
    Compiled given =
        compileWith(functions, "tl.store(p, G(0))", std::string("p=*i32, n=i32, G=") + line);
    EXPECT_COMPILES(given);
    EXPECT_HAS(given, std::string("constant ") + result);
  }
  EXPECT_FALSE(compileWith(functions, "tl.store(p, G(0))", "p=*i32, n=i32, G=9").ok);
  // A condition that is known chooses.
  Compiled chosen = compileWith(
      "def is_hip():\n    return False\nif is_hip():\n    @triton.jit\n    def G(x):\n"
      "        return x + 41\nelse:\n    @triton.jit\n    def G(x):\n        return x + 42\n",
      "tl.store(p, G(0))");
  EXPECT_COMPILES(chosen);
  EXPECT_HAS(chosen, "constant 42");
}

TEST(UnknownGlobal, OnlyWhatIsUnknownCanBeGiven) {
  const std::string kernel = "@triton.jit\ndef kernel(p):\n    tl.store(p, SIZE)\n";
  EXPECT_SAYS(compile("SIZE = 4\n" + kernel, "p=*i32, SIZE=8"),
              "'SIZE' is not a parameter of kernel 'kernel', and the global of this name has a "
              "value in its file");
  EXPECT_SAYS(compile("SIZE = 4\n" + kernel, "p=*i32, SIE=8"),
              "kernel 'kernel' has no parameter 'SIE'");
  EXPECT_SAYS(compile("import os\nSIZE = os.getpid()\n" + kernel, "p=*i32, SIZE=i32"),
              "the global 'SIZE' needs a value, and gets a run-time type");
}

TEST(UnknownGlobal, WhatHostCodeOnlyReadsStaysKnown) {
  for (const char *globals :
       {"F = 1\ndef host():\n    global F\n    x = F\n    print(x, end='', sep=F)\n",
        "F = 1\ndef host():\n    F = 2\n",
        "F = 1\ndef host(x):\n    global G\n    G = F\n    x.F = 2\n",
        "F = 2\nL = [F]\nL.append(F)\nL[0] = F\nF = 1\n", "F = [2]\nF.append(3)\nF = 1\n",
        ("C = [triton.Config({'B': 16})]\nC.append(triton.Config({'B': 32}))\n"
         "@triton.autotune(configs=C, key=[])\n@triton.jit\ndef tuned(p, B: tl.constexpr):\n"
         "    tl.store(p, B)\nF = 1\n"),
        "F = hasattr(tl, 'dot') + hasattr(tl, 'no_such_function')\n"})
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(F == 1)")) << globals;
}

TEST(UnknownGlobal, ThingsOfHostCodeThatAreKnown) {
  // A function or a class is true and equals nothing else, whatever it does.
  const std::string things =
      "import torch\nimport enum\ndef host():\n    pass\nclass Mode(enum.Enum):"
      "\n    A = 1\nF = host\n";
  EXPECT_COMPILES(compileWith(things,
                              "tl.static_assert(host)\ntl.static_assert(F is host)\n"
                              "tl.static_assert(F == host)\ntl.static_assert(host is not "
                              "None)\ntl.static_assert(host != 1)\ntl.static_assert(torch)"));
}
