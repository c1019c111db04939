// MLIR's loop-invariant code motion on tile ops.
// RUN: tile-opt %s --loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: @hoist
// CHECK: tile.program_id
// CHECK: tile.splat
// CHECK: tile.addptr
// CHECK: tile.dot
// CHECK: scf.for
func.func @hoist(%n: i32, %p: !tile.ptr<f32>, %o: tensor<8xi32>, %a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>, %q: tensor<4x4x!tile.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pid = tile.program_id 0
    %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %r = tile.addptr %s, %o : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %d = tile.dot %a, %b, %c : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf32>
    tile.store %q, %d : tensor<4x4x!tile.ptr<f32>>
    tile.print "pid" : %pid signed [true] : i32
    %v = tile.load %r : tensor<8x!tile.ptr<f32>>
    tile.print "v" : %v signed [true] : tensor<8xf32>
  }
  return
}

// Memory may change and addresses may be bad; checks and atomics belong to their iteration.
// CHECK-LABEL: @keep(
// CHECK-NOT: {{[ =]}}tile.{{[a-z]}}
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.atomic_rmw
// CHECK: tile.assert
// CHECK: tile.assume
func.func @keep(%n: i32, %p: !tile.ptr<i32>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tile.load %p : !tile.ptr<i32>
    %r = tile.atomic_rmw add %p, %n : !tile.ptr<i32>
    tile.assert %c, "holds" : i1
    tile.assume %c
  }
  return
}
