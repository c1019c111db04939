// Feeds arbitrary bytes to the debugger's server for editors, with a kernel that can be launched:
// it must answer, or end with an error.
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "tools/tilerun/debug/AdapterServer.h"

#include "mlir/Parser/Parser.h"

using namespace tilerun;

/// y[pid] = x[pid] / x[pid] through a helper, in a loop that runs twice.
static const char *const kKernel = R"(
func.func @k(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}) attributes {tile.kernel} {
  tile.debug_event enter "k" "" loc("k.py":1:1)
  tile.debug_event assign "N" "2" loc("k.py":1:9)
  tile.debug_event statement "" "" loc("k.py":2:5)
  %pid = tile.program_id 0
  tile.debug_event assign "pid" "int32" : %pid : i32 loc("k.py":2:5)
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %two step %one : i32 {
    tile.debug_event assign "i" "int32" : %i : i32 loc("k.py":3:9)
    tile.debug_event statement "" "" loc("k.py":4:9)
    %p = tile.addptr %x, %pid : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> loc("k.py":4:13)
    tile.debug_event assign "v" "float32" : %v : f32 loc("k.py":4:9)
    tile.debug_event statement "" "" loc("k.py":5:9)
    tile.debug_event enter "helper" "" loc(callsite("k.py":10:1 at "k.py":5:13))
    tile.debug_event statement "" "" loc(callsite("k.py":11:5 at "k.py":5:13))
    %w = arith.divf %v, %v : f32 loc(callsite("k.py":11:9 at "k.py":5:13))
    tile.debug_event leave "helper" "" loc(callsite("k.py":10:1 at "k.py":5:13))
    %q = tile.addptr %y, %pid : !tile.ptr<f32>, i32
    tile.store %q, %w : !tile.ptr<f32> loc("k.py":5:9)
  }
  tile.debug_event leave "k" "" loc("k.py":1:1)
  return
})";

static std::vector<uint8_t> assemble() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kKernel, mlir::ParserConfig(&context));
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
