// libFuzzer target for everything between text and syntax tree: lexer, parser, module loader,
// diagnostics and the tree's dump. Nothing on disk is touched. Run by scripts/fuzz.
#include "frontend/module/Module.h"
#include "frontend/parse/Parser.h"

#include "llvm/Support/xxhash.h"

#include <cstddef>
#include <cstdlib>

using namespace tilerun;

/// A wrong result is a finding like a crash.
static void require(bool condition) {
  if (!condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  SourceManager sources;
  ast::Context context;
  DiagnosticEngine diagnostics(sources);
  llvm::raw_null_ostream null;

  ModuleLoader loader(sources, context, diagnostics);
  loader.setFollowImports(false);
  LoadedModule *module = loader.loadText("fuzz.py", text);
  require((module == nullptr) == diagnostics.hasErrors());
  if (module) {
    for (const auto &function : module->functions) {
      require(function->def->height <= ast::kMaxDepth);
      ast::dump(*function->def, sources, null);
    }
    for (llvm::StringRef name : module->globalNames())
      require(module->lookup(name) != nullptr);
  }

  // The same text, strictly and as a whole.
  uint32_t file = sources.addText("strict.py", text);
  unsigned before = diagnostics.getNumErrors();
  std::optional<ast::Module> whole = parseModule(sources, file, context, diagnostics);
  require(whole.has_value() == (diagnostics.getNumErrors() == before));
  require(diagnostics.getNumErrors() - before <= kMaxParseErrors);
  if (whole)
    ast::dump(*whole, sources, null);

  // Printing costs more than all the rest; a part of the inputs is enough for it.
  if (llvm::xxh3_64bits(text) % 8 == 0) {
    diagnostics.print(null, /*color=*/false);
    diagnostics.printJson(null);
  }
  return 0;
}
