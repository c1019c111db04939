// Feeds arbitrary bytes to the debugger's server for editors, with a kernel that can be launched:
// it must answer, or end with an error.
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "tests/backends/interpreter/RecordedKernel.h"
#include "tools/tilerun/debug/AdapterServer.h"

#include "mlir/Parser/Parser.h"

using namespace tilerun;

static std::vector<uint8_t> assemble() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(kRecordedKernel, mlir::ParserConfig(&context));
  if (!module)
    __builtin_trap();
  return tile::writeModule(*module);
}

/// What a launch refers to.
struct Fixture {
  SourceManager sources;
  std::unique_ptr<debug::Debuggee> debuggee;
};

static llvm::Expected<debug::Launched> launch(const llvm::json::Object &) {
  static const std::vector<uint8_t> kBytecode = assemble();
  auto fixture = std::make_shared<Fixture>();
  debug::ArgumentValues values;
  for (const char *name : {"x", "y"}) {
    TILERUN_TRY_VALUE(tensor, host::Tensor::create(dtype(Scalar::F32), {3}));
    values[name] = host::Value(tensor);
  }
  debug::DebuggeeOptions options;
  options.grid = {3, 1, 1};
  TILERUN_TRY_VALUE(made, debug::Debuggee::create(kBytecode, "k", values, options));
  fixture->debuggee = std::move(made);
  return debug::Launched{fixture, fixture->debuggee.get(), &fixture->sources, {}, 0};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  // A stream on memory only reads it.
  std::FILE *in = fmemopen(const_cast<uint8_t *>(data), size, "r");
  if (!in)
    __builtin_trap();
  llvm::raw_null_ostream out;
  debug::AdapterServer server(in, out, launch);
  llvm::consumeError(server.serve());
  std::fclose(in);
  return 0;
}
