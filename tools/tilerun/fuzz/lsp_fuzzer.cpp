// Feeds arbitrary bytes to the language server for editors: it must answer, or end with an error.
#include "tools/tilerun/lsp/Server.h"

using namespace tilerun;

namespace {
/// No target: compilers have fuzzers of their own.
class NoLayouts final : public lsp::LayoutSource {
public:
  llvm::Error chooseTarget(llvm::StringRef target) override {
    return llvm::createStringError("nothing compiles for '" + target + "'");
  }
  const std::string &getTarget() const override { return target; }
  llvm::Expected<std::string> emit(CompiledKernel &, const KernelSignature &) override {
    __builtin_trap();
  }

private:
  std::string target;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  // A stream on memory only reads it.
  std::FILE *in = fmemopen(const_cast<uint8_t *>(data), size, "r");
  if (!in)
    __builtin_trap();
  llvm::raw_null_ostream out;
  NoLayouts layouts;
  lsp::Server server(in, out, layouts);
  llvm::consumeError(server.serve().takeError());
  std::fclose(in);
  return 0;
}
