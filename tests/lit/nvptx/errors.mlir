// What cannot be compiled says which op, where, and for which target.
// RUN: split-file %s %t
// RUN: not tile-nvptx %t/integer-power.mlir 2>&1 | FileCheck %t/integer-power.mlir
// RUN: not tile-nvptx %t/bf16.mlir --arch=sm_80 2>&1 | FileCheck %t/bf16.mlir
// RUN: not tile-nvptx %t/shape.mlir 2>&1 | FileCheck %t/shape.mlir
// RUN: not tile-nvptx %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// RUN: not tile-nvptx %t/two.mlir 2>&1 | FileCheck %t/two.mlir
// RUN: not tile-nvptx %t/shared.mlir --arch=sm_75 2>&1 | FileCheck %t/shared.mlir
// RUN: not tile-nvptx %t/integer-power.mlir --arch=sm_42 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=ARCH
// RUN: not tile-nvptx %t/integer-power.mlir --num-warps=3 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=WARPS
// RUN: not tile-nvptx %t/integer-power.mlir --ptx-version=60 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=VERSION

//--- integer-power.mlir
// CHECK: integer-power.mlir:[[@LINE+6]]:{{.*}} error: 'math.ipowi' on 'i32' is not supported on cuda:sm_80; use one of the functions that docs/math.md lists
// ARCH: error: unknown NVIDIA architecture 'sm_42'; known are sm_75,
// WARPS: error: num_warps must be 1, 2, 4, 8, 16 or 32, but is 3
// VERSION: error: PTX version 6.0 cannot be used for sm_80: it takes 7.4 to 9.0
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %w = math.ipowi %v, %v : i32
  tile.store %x, %w : !tile.ptr<i32>
  return
}

//--- bf16.mlir
// CHECK: error: 'tile.atomic_rmw' fadd on bf16 needs sm_90 or later; accumulate in f32 instead
func.func @k(%x: !tile.ptr<bf16>, %v: bf16) attributes {tile.kernel} {
  %w = tile.atomic_rmw fadd %x, %v : !tile.ptr<bf16>
  return
}

//--- shape.mlir
// CHECK: error: 'arith.constant' op cannot be distributed over threads on cuda:sm_80: dimension 0 has size 48, which is not a power of two
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c = arith.constant dense<1.0> : tensor<48xf32>
  %s = arith.addf %c, %c : tensor<48xf32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  tile.store %p, %s : tensor<48x!tile.ptr<f32>>
  return
}

//--- none.mlir
// CHECK: error: the module has no kernel
func.func @k() { return }

//--- two.mlir
// CHECK: error: the module has more than one kernel: a and b
func.func @a() attributes {tile.kernel} { return }
func.func @b() attributes {tile.kernel} { return }

//--- shared.mlir
// CHECK: error: needs 131072 bytes of shared memory, but cuda:sm_75 has 65536 for a program, which is 65536 too few; use smaller blocks
func.func @k(%x: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f64> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 128 : tensor<128xi32>
  %ac = tile.make_range 0 to 128 : tensor<128xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ak = arith.constant dense<128> : tensor<128x1xi32>
  %arm = arith.muli %are, %ak : tensor<128x1xi32>
  %arb = tile.broadcast %arm : tensor<128x1xi32> -> tensor<128x128xi32>
  %acb = tile.broadcast %ace : tensor<1x128xi32> -> tensor<128x128xi32>
  %ai = arith.addi %arb, %acb : tensor<128x128xi32>
  %as = tile.splat %x : !tile.ptr<f64> -> tensor<128x128x!tile.ptr<f64>>
  %a = tile.addptr %as, %ai : tensor<128x128x!tile.ptr<f64>>, tensor<128x128xi32>
  %av = tile.load %a : tensor<128x128x!tile.ptr<f64>>
  %br = tile.make_range 0 to 128 : tensor<128xi32>
  %bc = tile.make_range 0 to 128 : tensor<128xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %bk = arith.constant dense<128> : tensor<128x1xi32>
  %brm = arith.muli %bre, %bk : tensor<128x1xi32>
  %brb = tile.broadcast %brm : tensor<128x1xi32> -> tensor<128x128xi32>
  %bcb = tile.broadcast %bce : tensor<1x128xi32> -> tensor<128x128xi32>
  %bi = arith.addi %brb, %bcb : tensor<128x128xi32>
  %bs = tile.splat %y : !tile.ptr<f64> -> tensor<128x128x!tile.ptr<f64>>
  %b = tile.addptr %bs, %bi : tensor<128x128x!tile.ptr<f64>>, tensor<128x128xi32>
  %t = tile.trans %av [1, 0] : tensor<128x128xf64> -> tensor<128x128xf64>
  %u = arith.addf %av, %t : tensor<128x128xf64>
  tile.store %b, %u : tensor<128x128x!tile.ptr<f64>>
  return
}
