// Inlining in the optimizer: every helper ends up in its callers and is gone; locations keep the call.
// RUN: tile-opt %s --tile-optimize | FileCheck %s
// RUN: tile-opt %s --inline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// CHECK-NOT: @inner
// CHECK-NOT: @outer
func.func private @inner(%p: !tile.ptr<f32>, %x: f32) {
  tile.store %p, %x : !tile.ptr<f32> loc("helper.py":2:3)
  return
}
func.func private @outer(%p: !tile.ptr<f32>, %c: i1, %x: f32) {
  scf.if %c {
    func.call @inner(%p, %x) : (!tile.ptr<f32>, f32) -> () loc("helper.py":7:5)
  }
  return
}

// CHECK-LABEL: @kernel
// CHECK-NOT: call
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.store
// LOC-LABEL: @kernel
// LOC: tile.store {{.*}} loc(callsite("helper.py":2:3 at callsite("helper.py":7:5 at "kernel.py":4:9)))
func.func @kernel(%p: !tile.ptr<f32>, %n: i32, %c: i1, %x: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    func.call @outer(%p, %c, %x) : (!tile.ptr<f32>, i1, f32) -> () loc("kernel.py":4:9)
  }
  return
}

// A function without a body cannot be inlined.
// CHECK: func.func private @external
// CHECK-LABEL: @keep_calls
// CHECK: call @external
func.func private @external(i32)
func.func @keep_calls(%n: i32) attributes {tile.kernel} {
  func.call @external(%n) : (i32) -> ()
  return
}
