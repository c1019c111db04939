// Results of the axis analysis under the assumption on indices; the second run is without it.
// RUN: tile-opt %s --tile-print-axis-info=plain-indices -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --tile-print-axis-info -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOUND

func.func @product(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}, %k: i32) {
  %pid = tile.program_id 0
  %block = arith.constant 64 : i32
  %start = arith.muli %pid, %block : i32
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %r : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: [[#@LINE+2]]:{{[0-9]+}}: remark: result 0: contiguity = [16], divisibility = [16]
  // SOUND: [[#@LINE+1]]:{{[0-9]+}}: remark: result 0: contiguity = [1], divisibility = [1]
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %ks = tile.splat %k : i32 -> tensor<64xi32>
  %anywhere = arith.addi %r, %ks : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  // CHECK: [[#@LINE+2]]:{{[0-9]+}}: remark: result 0: contiguity = [64], divisibility = [2]
  // SOUND: [[#@LINE+1]]:{{[0-9]+}}: remark: result 0: contiguity = [1], divisibility = [2]
  %q = tile.addptr %ps, %anywhere : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  return
}
