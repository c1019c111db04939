// Errors name the op, its location and the target.
// RUN: split-file %s %t
// RUN: not tile-nvptx %t/integer-power.mlir 2>&1 | FileCheck %t/integer-power.mlir
// RUN: not tile-nvptx %t/name.mlir 2>&1 | FileCheck %t/name.mlir
// RUN: not tile-nvptx %t/bf16.mlir --arch=sm_75 2>&1 | FileCheck %t/bf16.mlir
// RUN: not tile-nvptx %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// RUN: not tile-nvptx %t/two.mlir 2>&1 | FileCheck %t/two.mlir
// RUN: not tile-nvptx %t/shared.mlir --arch=sm_75 2>&1 | FileCheck %t/shared.mlir
// RUN: not tile-nvptx %t/integer-power.mlir --arch=sm_42 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=ARCH
// RUN: not tile-nvptx %t/integer-power.mlir --num-warps=3 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=WARPS
// RUN: not tile-nvptx %t/integer-power.mlir --ptx-version=60 2>&1 | FileCheck %t/integer-power.mlir --check-prefix=VERSION

//--- integer-power.mlir
// CHECK: integer-power.mlir:[[@LINE+7]]:{{.*}} error: 'math.ipowi' on 'i32' is not supported on cuda:sm_80; use one of the functions that docs/math.md lists
// CHECK-NOT: error:
// ARCH: error: unknown NVIDIA architecture 'sm_42'; known are sm_75,
// WARPS: error: num_warps must be 1, 2, 4, 8, 16 or 32, but is 3
// VERSION: error: PTX version 6.0 cannot be used for sm_80: it takes 7.4 to 9.0
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %w = math.ipowi %v, %v : i32
  tile.store %x, %w : !tile.ptr<i32>
  return
}

//--- name.mlir
// CHECK: name.mlir:[[@LINE+3]]:{{.*}} error: the kernel has the name of a driver function that its code calls, 'vprintf'; rename the kernel
func.func @vprintf(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  tile.print "v: " : %v signed [true] : i32
  return
}

//--- bf16.mlir
// CHECK: error: 'tile.atomic_rmw' fadd on bf16 needs sm_80 or later; accumulate in f32 instead
func.func @k(%x: !tile.ptr<bf16>, %v: bf16) attributes {tile.kernel} {
  %w = tile.atomic_rmw fadd %x, %v : !tile.ptr<bf16>
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
// CHECK: shared.mlir:7:8: error: needs 131072 bytes of shared memory, but cuda:sm_75 has 65536 for a program, which is 65536 too few; use smaller blocks
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %a = tile.addptr %s, %r : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %a : tensor<128x!tile.ptr<i32>>
  %h = tile.histogram %v : tensor<128xi32> -> tensor<32768xi32>
  %i = tile.make_range 0 to 32768 : tensor<32768xi32>
  %t = tile.splat %y : !tile.ptr<i32> -> tensor<32768x!tile.ptr<i32>>
  %b = tile.addptr %t, %i : tensor<32768x!tile.ptr<i32>>, tensor<32768xi32>
  tile.store %b, %h : tensor<32768x!tile.ptr<i32>>
  return
}
