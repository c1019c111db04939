// The self-test kernels of the ABI: in tile IR, and as functions where tile IR has no suitable ops
// (for waiting, and for writing to any address without killing the process).
#include "plugins/cpu/Handles.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace tilerun;
using namespace tilerun::cpu;

static constexpr const char *kAdd = R"(
func.func @tilerun_test_add(%out: !tile.ptr<i32> {tile.name = "out"},
    %a: !tile.ptr<i32> {tile.name = "a"}, %b: !tile.ptr<i32> {tile.name = "b"},
    %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %size = arith.constant 128 : i32
  %start = arith.muli %pid, %size : i32
  %lanes = tile.make_range 0 to 128 : tensor<128xi32>
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %i = arith.addi %starts, %lanes : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %as = tile.splat %a : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %bs = tile.splat %b : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %outs = tile.splat %out : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %pa = tile.addptr %as, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %pb = tile.addptr %bs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %po = tile.addptr %outs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %va = tile.load %pa mask %mask : tensor<128x!tile.ptr<i32>>
  %vb = tile.load %pb mask %mask : tensor<128x!tile.ptr<i32>>
  %sum = arith.addi %va, %vb : tensor<128xi32>
  tile.store %po, %sum mask %mask : tensor<128x!tile.ptr<i32>>
  return
}
)";

static constexpr const char *kArguments = R"(
func.func @tilerun_test_arguments(%out: !tile.ptr<i64> {tile.name = "out"},
    %i8: i8 {tile.name = "i8"}, %i16: i16 {tile.name = "i16"}, %i32: i32 {tile.name = "i32"},
    %i64: i64 {tile.name = "i64"}, %f16: f16 {tile.name = "f16"}, %f32: f32 {tile.name = "f32"},
    %f64: f64 {tile.name = "f64"}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i64>, i32
  %p2 = tile.addptr %p1, %c1 : !tile.ptr<i64>, i32
  %p3 = tile.addptr %p2, %c1 : !tile.ptr<i64>, i32
  %p4 = tile.addptr %p3, %c1 : !tile.ptr<i64>, i32
  %p5 = tile.addptr %p4, %c1 : !tile.ptr<i64>, i32
  %p6 = tile.addptr %p5, %c1 : !tile.ptr<i64>, i32
  %e0 = arith.extui %i8 : i8 to i64
  tile.store %out, %e0 : !tile.ptr<i64>
  %e1 = arith.extui %i16 : i16 to i64
  tile.store %p1, %e1 : !tile.ptr<i64>
  %e2 = arith.extui %i32 : i32 to i64
  tile.store %p2, %e2 : !tile.ptr<i64>
  tile.store %p3, %i64 : !tile.ptr<i64>
  %b4 = arith.bitcast %f16 : f16 to i16
  %e4 = arith.extui %b4 : i16 to i64
  tile.store %p4, %e4 : !tile.ptr<i64>
  %b5 = arith.bitcast %f32 : f32 to i32
  %e5 = arith.extui %b5 : i32 to i64
  tile.store %p5, %e5 : !tile.ptr<i64>
  %b6 = arith.bitcast %f64 : f64 to i64
  tile.store %p6, %b6 : !tile.ptr<i64>
  return
}
)";

static constexpr const char *kGrid = R"(
func.func @tilerun_test_grid(%out: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %planes = arith.muli %z, %ny : i32
  %row = arith.addi %planes, %y : i32
  %rows = arith.muli %row, %nx : i32
  %i = arith.addi %rows, %x : i32
  %p = tile.addptr %out, %i : !tile.ptr<i32>, i32
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %sy = arith.shli %y, %c10 : i32
  %sz = arith.shli %z, %c20 : i32
  %xy = arith.addi %x, %sy : i32
  %v = arith.addi %xy, %sz : i32
  tile.store %p, %v : !tile.ptr<i32>
  return
}
)";

static std::string runDelay(interp::Heap &heap, const uint64_t *arguments) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(arguments[1])));
  int32_t count = 0;
  auto *bytes = reinterpret_cast<uint8_t *>(&count);
  llvm::Error error = heap.copyOut({bytes, sizeof(count)}, arguments[0]);
  ++count;
  if (!error)
    error = heap.copyIn(arguments[0], {bytes, sizeof(count)});
  return error ? "failed: " + llvm::toString(std::move(error)) : "";
}

static std::string runFault(interp::Heap &heap, const uint64_t *arguments) {
  const uint8_t one[4] = {1};
  llvm::Error error = heap.copyIn(arguments[0], one);
  return error ? "wrote to an address that is not the device's: " + llvm::toString(std::move(error))
               : "";
}

HostKernel cpu::findHostKernel(llvm::StringRef name, KernelParameters &parameters) {
  using interp::Dtype;
  if (name == "tilerun_test_delay") {
    parameters = {{"out", "ns"}, {Dtype::Ptr, Dtype::I64}};
    return runDelay;
  }
  if (name == "tilerun_test_fault") {
    parameters = {{"address"}, {Dtype::Ptr}};
    return runFault;
  }
  return nullptr;
}

static TilerunStatus getSelfTest(const char *name, const TilerunPluginArtifact **artifact,
                                 const TilerunErrorSink *sink) {
  KernelParameters parameters;
  if (findHostKernel(name, parameters)) {
    ArtifactContent content;
    content.kernels = {{name, 1}};
    content.hostKernel = name;
    *artifact = makeArtifact(content, {parameters});
    return TILERUN_STATUS_OK;
  }
  const struct {
    const char *name, *text;
    uint32_t threads; ///< Elements of a program's tile.
  } kernels[] = {{"tilerun_test_add", kAdd, 128},
                 {"tilerun_test_arguments", kArguments, 1},
                 {"tilerun_test_grid", kGrid, 1}};
  for (const auto &kernel : kernels) {
    if (std::strcmp(kernel.name, name) != 0)
      continue;
    CompileOptions options;
    options.threads = kernel.threads;
    auto made = compileText(kernel.text, options);
    if (!made)
      return fail(sink, "get_self_test", made.takeError());
    *artifact = *made;
    return TILERUN_STATUS_OK;
  }
  return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test",
              std::string("self-test kernel '") + name + "' does not exist");
}

void cpu::addSelfTestEntries(TilerunPlugin &table) { table.get_self_test = getSelfTest; }
