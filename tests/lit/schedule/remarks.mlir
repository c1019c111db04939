// Why loads do not run ahead, accesses are narrow and products have no matrix instruction. docs/remarks.md explains each.
// RUN: split-file %s %t
// RUN: tile-opt %t/loops.mlir --schedule-stages="target=generic:shared=160k,async=on" --schedule-allocate="target=generic:shared=160k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %t/loops.mlir
// RUN: tile-opt %t/loops.mlir --schedule-stages="target=generic:shared=160k,async=on num-stages=1" --schedule-allocate="target=generic:shared=160k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %t/loops.mlir --check-prefix=NONE
// RUN: tile-opt %t/detours.mlir --schedule-stages="target=generic:shared=160k,async=on" --schedule-allocate="target=generic:shared=160k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %t/detours.mlir
// RUN: tile-opt %t/detours.mlir --schedule-stages="target=generic:shared=160k num-stages=1" --schedule-allocate="target=generic:shared=160k" 2>&1 | FileCheck %s --check-prefix=QUIET
// QUIET-NOT: remark
// RUN: tile-opt %t/loads.mlir --schedule-stages="target=generic:shared=160k" --schedule-allocate="target=generic:shared=160k" --remarks-filter=".*" 2>&1 | FileCheck %t/loads.mlir

//--- loops.mlir
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: none of its loads feeds a product of its body
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: its trip count is not known before it ends
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: the loop has a 'tile.barrier' that must come before later loads (line [[#]])
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: none of its loads can run ahead; the loop has a 'tile.barrier' that must come before later loads (line [[#]])
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: the loop writes to the argument that it reads (line [[#]])
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: not only products of the loop's body read it, but also this 'arith.addf' (line [[#]])
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: asynchronous copies move 4 bytes or more, but here only 2 neighbouring bytes are known to be aligned and contiguous
// NONE: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: num_stages=1 asks for none of its loads to run ahead
func.func @k(%x: !tile.ptr<f16>, %n: i32, %go: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %all = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    tile.store %all, %a : tensor<32x32x!tile.ptr<f16>>
  }
  %w = scf.while (%go2 = %go) : (i1) -> i1 {
    scf.condition(%go2) %go2 : i1
  } do {
  ^bb0(%inner: i1):
    scf.yield %inner : i1
  }
  %r0 = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    tile.barrier
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %r1 = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %half = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
    tile.store %all, %half : tensor<32x32x!tile.ptr<f16>>
    scf.yield %d : tensor<32x32xf32>
  }
  %r2 = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    %b = arith.addf %a, %a : tensor<32x32xf16>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %r3 = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}

//--- detours.mlir
// A conversion between load and product; the product, or both, inside an 'if'.
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: its product reads it through this 'arith.truncf' (line [[#@LINE+15]]), and slots hold tiles as they are in memory
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: none of its loads can run ahead; its product reads it through this 'arith.truncf' (line [[#@LINE+14]])
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: the product that reads it is inside this 'scf.if' (line [[#@LINE+19]]), and slots are read in the loop's own body
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}none of its loads can run ahead; the product that reads it is inside this 'scf.if'
// CHECK: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: it is inside this 'scf.if' (line [[#@LINE+26]]), and only loads of the loop's own body run ahead
// CHECK: remark: {{.*}}loop-not-pipelined{{.*}}none of its loads can run ahead; it is inside this 'scf.if'
func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32, %go: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %all = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %wide = tile.splat %y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %once = tile.load %all : tensor<32x32x!tile.ptr<f16>>
  %r0 = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %wide : tensor<32x32x!tile.ptr<f32>>
    %b = arith.truncf %a : tensor<32x32xf32> to tensor<32x32xf16>
    %d = tile.dot %once, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %r1 = scf.for %i = %zero to %n step %one iter_args(%acc = %r0) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    %d = scf.if %go -> (tensor<32x32xf32>) {
      %e = tile.dot %once, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %e : tensor<32x32xf32>
    } else {
      scf.yield %acc : tensor<32x32xf32>
    }
    scf.yield %d : tensor<32x32xf32>
  }
  %r2 = scf.for %i = %zero to %n step %one iter_args(%acc = %r1) -> (tensor<32x32xf32>) : i32 {
    %d = scf.if %go -> (tensor<32x32xf32>) {
      %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
      %e = tile.dot %once, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %e : tensor<32x32xf32>
    } else {
      scf.yield %acc : tensor<32x32xf32>
    }
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %wide, %r2 : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- loads.mlir
// CHECK: remark: {{.*}}load-not-vectorized{{.*}}Reason="each access reads one element: neighbouring elements are not known to be neighbours in memory
// CHECK: remark: {{.*}}load-not-vectorized{{.*}}Reason="each access reads one element: its addresses are known to be multiples of 2 bytes only, and two elements take 4
// CHECK: remark: {{.*}}load-not-vectorized{{.*}}Reason="each access reads one element: its mask is not known to be the same for neighbouring elements
// CHECK: remark: {{.*}}load-not-vectorized{{.*}}Reason="each access reads one element: the tile has 128 elements for 128 threads
// CHECK-NOT: load-not-vectorized
// CHECK: remark: {{.*}}no-matrix-instruction{{.*}}Reason="the product is computed by multiply-adds: {{.*}} has no matrix instructions
func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %short = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %yshort = tile.splat %y : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %range : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %yp = tile.addptr %ys, %range : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %ysp = tile.addptr %yshort, %short : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<1024xi32>
  %a = tile.load %xs : tensor<1024x!tile.ptr<f16>>
  tile.store %yp, %a : tensor<1024x!tile.ptr<f16>>
  %b = tile.load %xp : tensor<1024x!tile.ptr<f16>>
  tile.store %yp, %b : tensor<1024x!tile.ptr<f16>>
  %c = tile.load %yp mask %mask : tensor<1024x!tile.ptr<f16>>
  tile.store %yp, %c : tensor<1024x!tile.ptr<f16>>
  %d = tile.load %ysp : tensor<128x!tile.ptr<f16>>
  tile.store %ysp, %d : tensor<128x!tile.ptr<f16>>
  // 16 bytes at a time: no remark.
  %e = tile.load %yp : tensor<1024x!tile.ptr<f16>>
  tile.store %yp, %e : tensor<1024x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %p = tile.dot %ones, %ones, %zeros : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %q = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %h = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %q, %h : tensor<16x16x!tile.ptr<f16>>
  return
}
