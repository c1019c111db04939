// MLIR's CSE on tile ops: equal pure ops merge; ops with effects, or with different attributes, do not.
// RUN: tile-opt %s --cse | FileCheck %s

// CHECK-LABEL: @pure
// CHECK-COUNT-1: tile.make_range
// CHECK-NOT: tile.make_range
// CHECK-COUNT-1: tile.reduce
// CHECK-NOT: tile.reduce
// CHECK: return
func.func @pure(%x: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi32>, f32, f32) {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  %1 = tile.make_range 0 to 8 : tensor<8xi32>
  %2 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %3 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0, %1, %2, %3 : tensor<8xi32>, tensor<8xi32>, f32, f32
}

// CHECK-LABEL: @keep_different_regions
// CHECK-COUNT-2: tile.reduce
func.func @keep_different_regions(%x: tensor<8xf32>) -> (f32, f32) {
  %2 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %3 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  return %2, %3 : f32, f32
}

// CHECK-LABEL: @loads
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
func.func @loads(%p: !tile.ptr<f32>) -> (f32, f32) {
  %0 = tile.load %p : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// CHECK-LABEL: @keep_loads
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.load %{{.*}} :
// CHECK: tile.load %{{.*}} volatile
// CHECK: tile.load %{{.*}} volatile
func.func @keep_loads(%p: !tile.ptr<f32>, %x: f32) -> (f32, f32, f32, f32) {
  %0 = tile.load %p : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  %2 = tile.load %p volatile : !tile.ptr<f32>
  %3 = tile.load %p volatile : !tile.ptr<f32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: @keep_atomics
// CHECK-COUNT-2: tile.atomic_rmw
// CHECK-COUNT-2: tile.atomic_cas
// CHECK-COUNT-2: tile.barrier
// CHECK-COUNT-2: tile.print
func.func @keep_atomics(%p: !tile.ptr<i32>, %x: i32) -> (i32, i32, i32, i32) {
  %0 = tile.atomic_rmw add %p, %x : !tile.ptr<i32>
  %1 = tile.atomic_rmw add %p, %x : !tile.ptr<i32>
  %2 = tile.atomic_cas %p, %x, %x : !tile.ptr<i32>
  %3 = tile.atomic_cas %p, %x, %x : !tile.ptr<i32>
  tile.barrier
  tile.barrier
  tile.print "twice"
  tile.print "twice"
  return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK-LABEL: @keep_different_attributes
// CHECK-COUNT-2: tile.program_id
// CHECK-COUNT-2: tile.hint
func.func @keep_different_attributes(%n: i32) -> (i32, i32, i32, i32) {
  %0 = tile.program_id 0
  %1 = tile.program_id 1
  %2 = tile.hint %n {divisibility = array<i64: 16>} : i32
  %3 = tile.hint %n {divisibility = array<i64: 8>} : i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
