// A scan keeps neighbours in one thread, then steps between lanes, then between warps.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s

// CHECK: simt.load %{{.*}} : vector<2xi32>
// CHECK-COUNT-5: arith.cmpi uge
// CHECK-NOT: arith.cmpi uge
// CHECK: simt.shuffle idx
// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_load %{{.*}} : vector<4xi32>
// CHECK: simt.store %{{.*}} : vector<2xi32>
func.func @k(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %p = tile.addptr %ps, %pi : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %pv = tile.load %p : tensor<256x!tile.ptr<i32>>
  %r = tile.scan %pv axis 0 : (tensor<256xi32>) -> tensor<256xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %r : tensor<256x!tile.ptr<i32>>
  return
}
