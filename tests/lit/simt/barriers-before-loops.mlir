// A barrier that only what came before a loop needs stands before the loop; one that its iterations need among each
// other stays in it, and orders the first of them, too.
// RUN: tile-opt %s --target=generic:shared=4k --simt-place-shared --simt-insert-barriers | FileCheck %s

// CHECK-LABEL: func.func @read
// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK-NEXT: scf.for
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @read(%address: i64, %n: i32) attributes {tile.kernel, simt.threads = 128 : i32} {
  %b = simt.shared_alloc 2048
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<0> : vector<1xi32>
  simt.shared_store %b[%zero], %x : vector<1xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (vector<1xi32>) : i32 {
    %y = simt.shared_load %b[%zero] : vector<1xi32>
    %s = arith.addi %sum, %y : vector<1xi32>
    scf.yield %s : vector<1xi32>
  }
  simt.store %address, %r : vector<1xi32>
  return
}

// CHECK-LABEL: func.func @nested
// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK-NEXT: scf.for
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @nested(%address: i64, %n: i32) attributes {tile.kernel, simt.threads = 128 : i32} {
  %b = simt.shared_alloc 2048
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<0> : vector<1xi32>
  simt.shared_store %b[%zero], %x : vector<1xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %r = scf.for %j = %zero to %n step %one iter_args(%sum = %x) -> (vector<1xi32>) : i32 {
      %y = simt.shared_load %b[%zero] : vector<1xi32>
      %s = arith.addi %sum, %y : vector<1xi32>
      scf.yield %s : vector<1xi32>
    }
    simt.store %address, %r : vector<1xi32>
  }
  return
}

// CHECK-LABEL: func.func @exchange
// CHECK: simt.shared_store
// CHECK-NEXT: scf.for
// CHECK-NEXT: simt.barrier program
// CHECK-NEXT: simt.shared_load
// CHECK-NEXT: simt.barrier program
// CHECK-NEXT: simt.shared_store
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @exchange(%n: i32) attributes {tile.kernel, simt.threads = 128 : i32} {
  %b = simt.shared_alloc 2048
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<0> : vector<1xi32>
  simt.shared_store %b[%zero], %x : vector<1xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %y = simt.shared_load %b[%zero] : vector<1xi32>
    simt.shared_store %b[%zero], %y : vector<1xi32>
  }
  return
}
