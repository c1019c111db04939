// Imports of files that are on disk: siblings, packages, cycles, and missing files.
#include "FrontendTest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fstream>
#include <set>

using namespace llvm;
using namespace tilerun;
using namespace tilerun::test;

namespace {

class Imports : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("tilerun-import", root)); }
  void TearDown() override { (void)sys::fs::remove_directories(root); }
  std::string path(StringRef name) {
    SmallString<128> out(root);
    sys::path::append(out, name);
    return out.str().str();
  }
  void write(StringRef name, StringRef content) {
    std::string file = path(name);
    (void)sys::fs::create_directories(sys::path::parent_path(file));
    std::ofstream(file, std::ios::binary) << content.str();
  }
  LoadedModule *loadFile(StringRef name) { return loaded.loader.loadFile(path(name)); }
  /// The jit function that an imported name of `module` stands for.
  const JitFunction *follow(const LoadedModule *module, StringRef name) {
    const Global *g = module ? module->lookup(name) : nullptr;
    if (!g || !g->module)
      return nullptr;
    return g->module->findFunction(g->importedName);
  }
  SmallString<128> root;
  Loaded loaded;
};

const char *const kHelper = "import triton\n@triton.jit\ndef f(x): return x\n";

TEST_F(Imports, Siblings) {
  write("helpers.py", kHelper);
  write("k.py", "from .helpers import f\nfrom helpers import f as g\nimport helpers as h\n"
                "from . import helpers\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "f"), nullptr);
  EXPECT_EQ(follow(module, "f"), follow(module, "g"));
  EXPECT_EQ(module->lookup("h")->kind, Global::Kind::Module);
  ASSERT_NE(module->lookup("h")->module, nullptr);
  EXPECT_NE(module->lookup("h")->module->findFunction("f"), nullptr);
  EXPECT_EQ(module->lookup("helpers")->module, module->lookup("h")->module);
}

TEST_F(Imports, FurtherFolders) {
  write("lib/helpers.py", kHelper);
  write("more/pack/part/helpers.py", kHelper);
  write("own/k.py",
        "from helpers import f\nfrom pack.part.helpers import f as g\nimport missing\n");
  auto digest = [&] { return loaded.loader.getDigest([](StringRef) { return false; }); };
  setenv("TILERUN_IMPORT_PATH", (path("lib") + "::" + path("more")).c_str(), 1);
  LoadedModule *module = loadFile("own/k.py");
  std::string with = digest();
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "f"), nullptr);
  EXPECT_NE(follow(module, "g"), nullptr);
  EXPECT_NE(follow(module, "f"), follow(module, "g"));
  EXPECT_NE(StringRef(module->lookup("missing")->searched)
                .find("in TILERUN_IMPORT_PATH ('" + path("lib")),
            StringRef::npos)
      << module->lookup("missing")->searched;
  unsetenv("TILERUN_IMPORT_PATH");
  Loaded other;
  LoadedModule *without = other.loader.loadFile(path("own/k.py"));
  EXPECT_EQ(follow(without, "f"), nullptr);
  EXPECT_EQ(StringRef(without->lookup("missing")->searched).find("TILERUN"), StringRef::npos);
  EXPECT_NE(with, other.loader.getDigest([](StringRef) { return false; }));
}

TEST_F(Imports, ProvidedTexts) {
  write("_helpers.py", "import triton\n");
  loaded.loader.provide("_main", "a.py", "from _helpers import f\nimport _main as me\n");
  std::string empty = loaded.loader.getDigest([](StringRef) { return false; });
  loaded.loader.provide("_helpers", "a.py", kHelper);
  EXPECT_NE(loaded.loader.getDigest([](StringRef) { return false; }), empty);
  LoadedModule *module = loaded.loader.loadProvided("_main");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "f"), nullptr);
  EXPECT_EQ(module->lookup("me")->module, module);
}

TEST_F(Imports, Packages) {
  write("pkg/__init__.py", "");
  write("pkg/ops/__init__.py", kHelper);
  write("pkg/ops/util.py", kHelper);
  write("pkg/kernels/__init__.py", "");
  write("pkg/kernels/k.py", "from ..ops.util import f\nfrom pkg.ops.util import f as g\n"
                            "from ..ops import f as h\nfrom pkg.ops import util\n");
  LoadedModule *module = loadFile("pkg/kernels/k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "f"), nullptr);
  EXPECT_EQ(follow(module, "f"), follow(module, "g"));
  EXPECT_NE(follow(module, "h"), nullptr);
  EXPECT_EQ(module->lookup("f")->path, "pkg.ops.util");
  EXPECT_EQ(module->lookup("util")->kind, Global::Kind::Module);
  EXPECT_EQ(module->lookup("util")->path, "pkg.ops.util");
}

TEST_F(Imports, Stars) {
  write("helpers.py", std::string(kHelper) + "X = 3\n_hidden = 4\n");
  write("more.py", "from helpers import *\nY = 5\n");
  write("k.py", "from more import *\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  ASSERT_NE(module->lookup("f"), nullptr);
  EXPECT_EQ(module->lookup("f")->kind, Global::Kind::Jit);
  EXPECT_NE(module->lookup("X"), nullptr);
  EXPECT_NE(module->lookup("Y"), nullptr);
  EXPECT_EQ(module->lookup("_hidden"), nullptr);
  EXPECT_EQ(module->lookup("nothing"), nullptr);
}

TEST_F(Imports, Cycles) {
  write("a.py", std::string("from b import g\nfrom b import *\n") + kHelper);
  write("b.py", "import triton\nfrom a import f\nfrom a import *\nimport b\n"
                "@triton.jit\ndef g(x): return f(x)\n");
  LoadedModule *module = loadFile("a.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "g"), nullptr);
  EXPECT_EQ(follow(module->lookup("g")->module, "f"), module->findFunction("f"));
  EXPECT_EQ(module->lookup("nothing"), nullptr);
  EXPECT_EQ(loadFile("a.py"), module) << "loaded once";
}

TEST_F(Imports, LongChains) {
  for (int i = 0; i < 1500; ++i)
    write("m" + std::to_string(i) + ".py", "from m" + std::to_string(i + 1) + " import *\n");
  LoadedModule *module = loadFile("m0.py");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->lookup("nothing"), nullptr);
}

TEST_F(Imports, WhatIsNotThereStaysAName) {
  write("k.py", "import torch\nfrom .none import f\nfrom ..... import g\nimport a.b.c\n"
                "from " +
                    std::string(100000, 'x') + " import h\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_EQ(module->lookup("f")->module, nullptr);
  EXPECT_EQ(module->lookup("f")->kind, Global::Kind::ImportedName);
  EXPECT_EQ(module->lookup("torch")->module, nullptr);
}

TEST_F(Imports, BuiltInModulesAreNotLookedUp) {
  write("triton/__init__.py", kHelper);
  write("torch.py", kHelper);
  write("k.py", "import triton, torch\nfrom triton import f\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->lookup("triton")->module, nullptr);
  EXPECT_EQ(module->lookup("torch")->module, nullptr);
  EXPECT_EQ(module->lookup("f")->module, nullptr);
}

TEST_F(Imports, ErrorsInImportedKernelsAreReported) {
  write("helpers.py", "import triton\n@triton.jit\ndef f(x): return = x\n");
  write("k.py", std::string("from helpers import f as g\n") + kHelper);
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr);
  EXPECT_FALSE(loaded.diagnostics.hasErrors());
  // Once a name of the file is used.
  EXPECT_EQ(follow(module, "g"), nullptr);
  EXPECT_TRUE(loaded.diagnostics.hasErrors());
}

TEST_F(Imports, ModulesWithoutKernelsMayBeAnything) {
  write("helpers.py", "this is ( not python\n\xFF");
  write("k.py", std::string("from helpers import g\n") + kHelper);
  EXPECT_NE(loadFile("k.py"), nullptr) << loaded.errors();
}

TEST_F(Imports, FilesThatCannotBeLoaded) {
  EXPECT_EQ(loadFile("none.py"), nullptr);
  EXPECT_TRUE(StringRef(loaded.errors()).contains("the file was not found"));
  EXPECT_EQ(loaded.loader.loadFile(root), nullptr);
  EXPECT_TRUE(StringRef(loaded.errors()).contains("it is a folder"));
}

TEST_F(Imports, TextImportsFromItsNamesFolder) {
  write("helpers.py", kHelper);
  LoadedModule *module = loaded.loader.loadText(path("unsaved.py"), "from .helpers import f\n");
  ASSERT_NE(module, nullptr);
  EXPECT_NE(follow(module, "f"), nullptr);
}

// Kernels that a function defines see what that function imports, after all globals.
TEST_F(Imports, InFunctions) {
  write("helpers.py", kHelper);
  write("k.py", "import other as np\n"
                "def make():\n"
                "    import triton.language as tl\n"
                "    import numpy as np\n"
                "    from triton.language.extra import libdevice\n"
                "    from helpers import f\n"
                "    def kernel():\n"
                "        pass\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr);
  ASSERT_NE(module->lookup("tl"), nullptr);
  EXPECT_EQ(module->lookup("tl")->path, "triton.language");
  EXPECT_EQ(module->lookup("np")->path, "other");
  EXPECT_EQ(module->lookup("libdevice")->importedName, "libdevice");
  EXPECT_EQ(module->lookup("f")->module, nullptr); // Host functions' files are not read.
  EXPECT_FALSE(module->globals.contains("tl"));
}

TEST_F(Imports, CanBeTurnedOff) {
  write("helpers.py", kHelper);
  write("k.py", "from .helpers import f\n");
  loaded.loader.setFollowImports(false);
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->lookup("f")->module, nullptr);
}

// Folders of a package may lack __init__.py.
TEST_F(Imports, PartsOfPackages) {
  write("pkg/__init__.py", "");
  write("pkg/helpers.py", kHelper);
  write("pkg/vendor/ops/k.py", "from pkg.helpers import f\nfrom other.helpers import f as g\n");
  write("other/helpers.py", kHelper);
  LoadedModule *module = loadFile("pkg/vendor/ops/k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_NE(follow(module, "f"), nullptr);
  EXPECT_EQ(follow(module, "g"), nullptr);
}

// Files in which kernels cannot look anything up are not read: packages import much else.
TEST_F(Imports, FilesAreReadWhenTheyAreUsed) {
  write("pkg/__init__.py", "from .used import f\nfrom .broken import g\nfrom .values import *\n");
  write("pkg/used.py", "import triton\nfrom .more import h\nSIZE = 3\n"
                       "@triton.jit\ndef f(x): return h(x)\n");
  write("pkg/more.py", "import triton\n@triton.jit\ndef h(x): return x\n");
  write("pkg/values.py", "COUNT = 5\n");
  write("pkg/broken.py", "import triton\n@triton.jit\ndef g(x: return x\n");
  write("k.py", "import triton\nimport pkg\nfrom pkg import f\n"
                "@triton.jit\ndef k(x): return pkg.f(x) + pkg.COUNT\n");
  LoadedModule *module = loadFile("k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  auto getDigest = [&] { return loaded.loader.getDigest([](StringRef) { return false; }); };
  std::string before = getDigest();
  EXPECT_EQ(loaded.errors(), "");
  // That required reading all files that can be used.
  const JitFunction *f = follow(module->lookup("f")->module, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_NE(follow(f->module, "h"), nullptr);
  EXPECT_NE(module->lookup("pkg")->module->lookup("COUNT"), nullptr);
  EXPECT_EQ(getDigest(), before);
  EXPECT_EQ(loaded.errors(), "");
  // A file that is needed after all is read then.
  EXPECT_EQ(follow(module->lookup("pkg")->module, "g"), nullptr);
  EXPECT_NE(loaded.errors(), "");
  EXPECT_NE(getDigest(), before);
}

// Functions of compile-time values call plain ones: names that those use count, too.
TEST_F(Imports, PlainFunctionsReachTheirModules) {
  auto getDigest = [&] {
    Loaded fresh;
    fresh.loader.loadFile(path("k.py"));
    return fresh.loader.getDigest([](StringRef) { return false; });
  };
  write("sizes.py", "SIZE = 4\n");
  write("plain.py", "import sizes\ndef base(n):\n    return n * sizes.SIZE\n"
                    "def other(n): return n\n");
  write("k.py", "import triton\nfrom plain import *\n"
                "@triton.constexpr_function\ndef twice(n):\n    return base(n)\n"
                "@triton.jit\ndef k(p):\n    tl.store(p, twice(2))\n");
  std::string first = getDigest();
  write("sizes.py", "SIZE = 8\n");
  EXPECT_NE(getDigest(), first);
}

TEST_F(Imports, PlainFunctionsAreReadWhenTheyAreCalled) {
  write("plain.py", "import functools\n@functools.cache\ndef cached(n):\n    return n\n"
                    "@wrap\ndef wrapped(n):\n    return n\ndef line(n): return n\n"
                    "async def later(n):\n    return n\n"
                    "def marked(n):\n    return n\nmarked.__triton_builtin__ = True\n");
  LoadedModule *module = loadFile("plain.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  auto read = [&](StringRef name) { return module->readHostFunction(*module->lookup(name), name); };
  for (StringRef name : {"cached", "line", "marked"}) {
    ASSERT_NE(read(name), nullptr) << name.str();
    EXPECT_EQ(read(name)->def->name, name);
    EXPECT_TRUE(read(name)->isConstexpr);
    EXPECT_EQ(read(name), read(name));
  }
  EXPECT_EQ(read("wrapped"), nullptr);
  EXPECT_EQ(read("later"), nullptr);
  EXPECT_TRUE(module->lookup("marked")->isBuiltin);
  EXPECT_FALSE(module->lookup("line")->isBuiltin);
}

TEST_F(Imports, WhereModulesWereLookedFor) {
  write("pack/__init__.py", "");
  write("pack/k.py", "import nowhere\nfrom nothing.there import f\nfrom .absent import g\n"
                     "from stars import *\nimport os\nimport torch\nfrom triton import language\n");
  LoadedModule *module = loadFile("pack/k.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  std::string file = path("pack/k.py"), beside = "beside '" + file + "'";
  for (StringRef name : {"nowhere", "f"})
    EXPECT_EQ(module->lookup(name)->searched, beside + " and in '" + root.str().str() + "'");
  EXPECT_EQ(module->lookup("g")->searched, beside);
  EXPECT_EQ(module->missingStarImports.size(), 1u);
  EXPECT_TRUE(module->missingStarImports.count("stars"));
  for (StringRef name : {"os", "torch", "language"})
    EXPECT_EQ(module->lookup(name)->searched, "") << name.str();
}

TEST_F(Imports, GluonKernels) {
  write("g.py", "from triton.experimental import gluon\n@gluon.jit\ndef copy(x):\n    pass\n");
  LoadedModule *module = loadFile("g.py");
  ASSERT_NE(module, nullptr) << loaded.errors();
  EXPECT_EQ(module->describeNoKernels(), "has the gluon kernel 'copy'; gluon kernels are not "
                                         "supported, write it with @triton.jit");
  write("none.py", "x = 1\n");
  EXPECT_EQ(loadFile("none.py")->describeNoKernels(), "has no @triton.jit function");
}

// Everything that decides what is loaded is in the digest, and nothing else.
TEST_F(Imports, Digest) {
  auto getDigest = [&] {
    Loaded fresh;
    EXPECT_NE(fresh.loader.loadFile(path("k.py")), nullptr);
    return fresh.loader.getDigest([&](StringRef name) { return name.ends_with("skipped.py"); });
  };
  const std::string kernel = "import triton\nfrom helpers import f\nimport unused, absent\n"
                             "import skipped\n@triton.jit\ndef k(x): f(x, skipped.a)\n";
  write("helpers.py", kHelper);
  write("k.py", kernel);
  write("skipped.py", "a = 1\n");
  write("unused.py", "a = 1\n");
  write("unrelated.py", "a = 1\n");
  std::string first = getDigest();
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(getDigest(), first);
  write("unrelated.py", "a = 2\n");
  write("skipped.py", "a = 2\n");
  write("unused.py", "a = 2\n");
  EXPECT_EQ(getDigest(), first);
  std::set<std::string> digests{first};
  write("helpers.py", std::string(kHelper) + "# more\n");
  EXPECT_TRUE(digests.insert(getDigest()).second);
  write("k.py", kernel + "\n");
  EXPECT_TRUE(digests.insert(getDigest()).second);
  // Files that were looked for and were not there.
  write("absent.py", "");
  EXPECT_TRUE(digests.insert(getDigest()).second);
  write("helpers/__init__.py", "");
  EXPECT_TRUE(digests.insert(getDigest()).second);
}

} // namespace
