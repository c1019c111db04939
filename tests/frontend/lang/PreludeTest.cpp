// The prelude's text loads, its functions are found, and docs/language.md lists all of them.
#include "frontend/lang/Builtin.h"
#include "frontend/lang/Reference.h"
#include "frontend/lang/Table.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilerun;
using namespace tilerun::lang;

namespace {
class Prelude : public testing::Test {
protected:
  Prelude() : diagnostics(sources), loader(sources, context, diagnostics) {
    module = loader.loadText("prelude.py", getPreludeText().str());
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os, false);
    EXPECT_TRUE(module) << text;
    EXPECT_FALSE(diagnostics.hasErrors()) << text;
  }
  SourceManager sources;
  ast::Context context;
  DiagnosticEngine diagnostics;
  ModuleLoader loader;
  LoadedModule *module = nullptr;
};

TEST_F(Prelude, FunctionsAreMembersOfTheLanguage) {
  for (const char *name :
       {"cdiv", "sigmoid", "softmax", "ravel", "zeros_like", "swizzle2d", "interleave", "philox",
        "philox_impl", "rand", "rand4x", "randn", "randn4x", "randint", "randint4x",
        "pair_uniform_to_normal", "uint_to_uniform_float", "dot_scaled"}) {
    std::optional<Value> v = lookup("triton.language", name, module);
    ASSERT_TRUE(v && v->is<FunctionValue>()) << name;
    EXPECT_EQ(v->get<FunctionValue>().function->qualifiedName, name);
    EXPECT_FALSE(lookup("triton.language", name, nullptr)) << name;
    EXPECT_FALSE(v->get<FunctionValue>().function->def->docstring.empty()) << name;
  }
  EXPECT_TRUE(lookup("triton", "cdiv", module));
  EXPECT_TRUE(lookup("triton", "next_power_of_2", module));
}
TEST_F(Prelude, NoFunctionIsAlsoARow) {
  for (const auto &function : module->functions)
    EXPECT_EQ(findBuiltin("triton.language", function->qualifiedName), nullptr)
        << function->qualifiedName;
}
TEST_F(Prelude, Methods) {
  EXPECT_TRUE(findMethod("softmax", module)->is<FunctionValue>());
  EXPECT_FALSE(findMethod("softmax", nullptr));
  EXPECT_FALSE(findMethod("rand", module));
  EXPECT_TRUE(findMethod("sum", module)->is<BuiltinValue>());
}
TEST_F(Prelude, ListedNames) {
  auto names = listNames("triton.language", module);
  EXPECT_TRUE(llvm::is_contained(names, "softmax"));
  EXPECT_TRUE(llvm::is_contained(names, "load"));
}

/// docs/language.md ends with the rendered table. TILERUN_UPDATE_DOCS=1 rewrites it.
TEST_F(Prelude, DocumentationIsUpToDate) {
  const std::string path = TILERUN_SOURCE_DIR "/docs/language.md";
  const llvm::StringRef marker =
      "<!-- Generated from the table of functions: do not edit below. -->\n";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(buffer)) << path;
  llvm::StringRef text = (*buffer)->getBuffer();
  size_t at = text.find(marker);
  ASSERT_NE(at, llvm::StringRef::npos) << "no marker in " << path;
  std::string rendered = "\n" + renderReference(*module, sources);
  llvm::StringRef head = text.take_front(at + marker.size());
  if (std::getenv("TILERUN_UPDATE_DOCS")) {
    std::string whole = head.str() + rendered;
    std::ofstream(path) << whole;
    return;
  }
  EXPECT_EQ(text.drop_front(head.size()).str(), rendered)
      << "run this test once with TILERUN_UPDATE_DOCS=1";
}
} // namespace
