// Each element is updated once, by its first holder; the others get the old value through shared memory.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s

// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[OLD:.*]] = simt.atomic_rmw add %{{.*}}, %{{.*}} mask %[[FIRST]] {{.*}} : i32
// CHECK: %[[VECTOR:.*]] = vector.from_elements %[[OLD]]
// CHECK: simt.shared_store %{{.*}} mask %{{.*}} : vector<1xi32>
// CHECK: simt.barrier program
// CHECK: simt.shared_load
func.func @k(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %old = tile.atomic_rmw add %p, %i : tensor<16x!tile.ptr<i32>>
  %q = tile.addptr %p, %old : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %q, %old : tensor<16x!tile.ptr<i32>>
  return
}
