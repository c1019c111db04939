// The harness of the evaluator's tests.
#include "tests/frontend/sema/SemaTest.h"

namespace tilerun::test {

Compiled compile(const std::string &text, llvm::StringRef signatureText, llvm::StringRef kernel,
                 bool debug, bool events) {
  Compiled out;
  auto signature = parseSignature(signatureText);
  if (!signature) {
    out.diagnostics = "signature: " + llvm::toString(signature.takeError());
    return out;
  }
  signature->debug = debug;
  signature->debugEvents = events;
  Frontend frontend;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  LoadedModule *module =
      frontend.loadText("test.py", "import triton\nimport triton.language as tl\n" + text);
  if (module) {
    auto compiled = frontend.compile(*module, kernel, *signature, context);
    if (mlir::succeeded(compiled)) {
      out.ok = true;
      llvm::raw_string_ostream(out.ir) << *compiled->module;
      out.printed = compiled->staticOutput;
      out.parameters = compiled->parameters;
    }
  }
  llvm::raw_string_ostream stream(out.diagnostics);
  frontend.getDiagnostics().print(stream, /*color=*/false);
  out.numErrors = frontend.getDiagnostics().getNumErrors();
  return out;
}

Compiled compileBody(const std::string &parameters, const std::string &body,
                     llvm::StringRef signature) {
  std::string text = "@triton.jit\ndef kernel(" + parameters + "):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  return compile(text, signature);
}

} // namespace tilerun::test
