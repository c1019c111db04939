// For compare_with_cpython.py: parses each file named on standard input strictly, loads it as a
// module too, and prints its tree between lines that name the file and the outcome.
#include "frontend/module/Module.h"
#include "frontend/parse/Parser.h"

#include <iostream>
#include <string>

using namespace tilerun;

int main() {
  std::string path;
  while (std::getline(std::cin, path)) {
    SourceManager sources;
    ast::Context context;
    DiagnosticEngine diagnostics(sources);
    llvm::outs() << "=== " << path << "\n";
    ModuleLoader loader(sources, context, diagnostics);
    loader.setFollowImports(false);
    LoadedModule *loaded = loader.loadFile(path);
    std::optional<ast::Module> module;
    if (loaded)
      module = parseModule(sources, loaded->file, context, diagnostics);
    if (module)
      ast::dump(*module, sources, llvm::outs());
    if (!loaded || !module || !diagnostics.getDiagnostics().empty()) {
      llvm::outs() << "=== failed\n";
      diagnostics.print(llvm::outs(), /*color=*/false);
    }
  }
  llvm::outs() << "=== end\n";
  return 0;
}
