// Globals of conditions that host code evaluates: by functions, dicts, the environment and what is
// installed.
#include "tests/frontend/sema/HostGlobals.h"

using namespace tilerun::test;

namespace {
/// Bindings of `F` that depend on the environment, or on what is installed: it is None, False or
/// '0', unless a signature gives another value.
const std::string kAssumed[] = {
    "import os\nF = tl.constexpr(os.environ.get('TILERUN_TEST_UNSET', '0'))\n",
    "from os import environ\nF = environ.get('TILERUN_TEST_UNSET', '0')\n",
    "import os\nF = os.getenv('TILERUN_TEST_UNSET')\n",
    "import os\nF = 'TILERUN_TEST_UNSET' in os.environ\n",
    ("import os\ndef read(name):\n    return os.getenv('TILERUN_TEST_UNSET', '0') == name\n"
     "F = read('1')\n"),
    "try:\n    import mylib\n    F = True\nexcept ImportError:\n    F = False\n",
    ("try:\n    import mylib.part\nexcept (ImportError, OSError) as error:\n    F = False\n"
     "else:\n    F = True\n"),
    ("try:\n    import math\n    import mylib\n    F = mylib.flag()\nexcept Exception:\n"
     "    F = False\n"),
    "try:\n    import mylib\n    H = True\nexcept ImportError:\n    H = False\nF = H and 1\n",
    "try:\n    import mylib as F\nexcept ImportError:\n    F = None\n",
    "F = None\ntry:\n    import mylib as F\nexcept ImportError:\n    pass\n",
    "try:\n    from mylib import F\nexcept ImportError:\n    F = None\n",
};

} // namespace

TEST(HostConditions, IsAssumed) {
  for (const std::string &globals : kAssumed) {
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(not F or F == '0')")) << globals;
    for (const char *value : {"7", "\"a\""}) {
      Compiled c = compileWith(globals, "if F:\n    tl.store(p, 7)\nelse:\n    tl.store(p, 8)",
                               std::string("p=*i32, n=i32, F=") + value);
      EXPECT_COMPILES(c) << globals;
      EXPECT_HAS(c, "constant 7");
      EXPECT_FALSE(c.says("was not found")) << c.diagnostics;
    }
  }
  // Imports are named, once, with what they decide.
  Compiled c = compileWith(kAssumed[5], "if F:\n    tl.store(p, 7)\nx = F");
  EXPECT_COMPILES(c);
  EXPECT_TRUE(
      c.says("note: 'mylib' was not found: it was looked for beside 'test.py'; so 'F' is as in "
             "line 7; F=… gives another value"))
      << c.diagnostics;
  EXPECT_EQ(llvm::StringRef(c.diagnostics).count("was not found"), 1u) << c.diagnostics;
}

TEST(HostConditions, ConditionsAreEvaluated) {
  for (const char *globals :
       {// By functions, dicts, and what the language has.
        "def f(n):\n    return n > 2\nif f(3):\n    F = 1\nelse:\n    F = 2\n",
        "D = {'a': 1, 16: 2, tl.float16: 3}\nif D.get(16) == 2 and D[tl.float16] == 3 and 5 not in "
        "D:\n    F = D['a']\n",
        "if hasattr(tl, 'make_tensor_descriptor'):\n    F = 1\nelse:\n    F = 2\n",
        "if hasattr(tl, '_experimental_make_tensor_descriptor'):\n    F = 2\n"
        "elif hasattr(tl.math, 'tanh'):\n    F = 3\nelif hasattr(tl, 'dot'):\n    F = 1\n"
        "else:\n    F = 4\n",
        "F = getattr(tl, '_experimental_descriptor_load', 1)\n",
        "def f(n):\n    return n > 2\nF = 1\nif f(1):\n    F = 2\n",
        "def f(n):\n    return n > 2\nif f(1):\n    class F:\n        pass\nelse:\n    F = 1\n",
        "def f(n):\n    return n > 2\nif f(3):\n    def g():\n        return 1\nelse:\n"
        "    def g():\n        return 2\nF = g()\n",
        // Imports that succeed, and those that fail with today's Triton.
        "try:\n    import math\n    F = 1\nexcept ImportError:\n    F = 2\n",
        "try:\n    from triton.language.extra import libdevice\n    F = 1\nexcept ImportError:\n"
        "    F = 2\n",
        "try:\n    from triton.language.extra.intel import libdevice\n    F = 2\n"
        "except ModuleNotFoundError:\n    F = 1\n",
        "try:\n    from triton.language import _experimental_descriptor_load\n    F = 2\n"
        "except ImportError:\n    F = 1\n",
        "F = 1\nif F == 1:\n    try:\n        from . import mylib\n        F = 2\n"
        "    except ImportError:\n        pass\n",
        // Dicts and sets.
        "F = {i: 2 * i for i in range(4)}[2] - 3\n",
        "D = {k: v for v, k in enumerate_like} if False else {**{'a': 1}, 2: 3}\nF = len(D) - 1\n",
        "F = 1 if 3 in {1, 2, 3} and 4 not in {1, 2, 3} else 2\n",
        "S = {x % 2 for x in (1, 2, 3)}\nF = len(S) - 1\n",
        // Python's own functions, versions, and the platform.
        "F = sum([1, 2], 3) - sum((3, 2))\n", "F = sorted([3, 1, 2])[0]\n",
        "F = sorted((1, 3, 2), reverse=True)[2]\n", "F = list(reversed((2, 3, 1)))[0]\n",
        "F = [a for a, b in zip((1, 2), (3, 4), (0, 0, 0)) if b == 3][0]\n"
        "F = [a for a, b in zip((1, 2), (3, 4)) if b == 3][0]\n",
        "F = [i for i, c in enumerate('abc' if False else ('a', 'b', 'c')) if c == 'b'][0]\n",
        "F = {k: i for i, k in enumerate(('a', 'b'), 1)}['a']\n",
        "F = int(any((0, 1)) and not any(()) and all((1, 2)) and not all((1, 0)))\n",
        "F = round(2.5) - round(0.6) + 0 * round(7)\n", "F = divmod(7, 2)[1] * pow(1, 5)\n",
        "F = dict(a=1, b=2)['a'] + len(dict()) + dict([('c', 0)])['c']\n",
        "F = len(set((1, 1))) + len(frozenset())\n", "F = ord('b') - ord(chr(97))\n",
        "F = int(hex(17) == '0x11' and bin(-2) == '-0b10')\n",
        "F = 1 if type(3) is int and type('') is not int else 2\n",
        "F = int(triton.__version__.split('.')[0]) - 2\n",
        "from packaging import version\nF = 1 if version.parse(triton.__version__) >= "
        "version.parse('3.2.0') else 2\n",
        "from packaging.version import Version as V\n"
        "def new(v):\n    return V(v) > V('2.1') and V('3.0') == V('3.0.0')\nF = int(new('3.1'))\n",
        "import sys, os\nF = 1 if sys.platform == 'linux' and os.name == 'posix' else 2\n",
        "def f():\n    import math\n    from triton import cdiv as c\n"
        "    return c(int(math.sqrt(9)), 3)\nF = f()\n",
        "D = {1: 'a', 2: 'b'}\nF = sum_of = [k for k, v in D.items() if v == 'a'][0]\n"})
    EXPECT_COMPILES(compileWith(globals, "tl.static_assert(F == 1)")) << globals;
  // What is not known stays so, whichever arm it is in.
  for (const char *globals :
       {"import os\nif os.getpid() > 3:\n    F = 1\nelse:\n    F = 2\n",
        "import os\ndef f():\n    return os.getpid() > 3\nif f():\n    F = 1\nelif True:\n"
        "    F = 2\n",
        "try:\n    import scipy\n    F = 1\nexcept ImportError:\n    F = 2\n",
        "try:\n    import math\n    import importlib\n    importlib.import_module('x')\n"
        "    F = 1\nexcept ImportError:\n    F = 2\n",
        "import contextlib\nF = 1\nwith contextlib.suppress(ImportError):\n    import math\n"
        "    F = 2\n",
        "F = sorted([1, 'a'])[0]\n", "F = round(2.5, 1)\n", "F = chr(955)\n", "F = sum(('a', ))\n",
        "from packaging import version\nF = 1 if version.parse('3.0rc1') else 1\n",
        "def f():\n    import mylib\n    return 1\nF = f()\n", "F = {[1]: 2}\n", "F = {1: 2}[3]\n",
        "F = {1, 2}[0]\n"})
    EXPECT_FALSE(compileWith(globals, "tl.static_assert(F == 1)").ok) << globals;
}
