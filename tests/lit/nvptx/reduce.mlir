// Five shuffles, one store and one load of shared memory, one barrier.
// RUN: tile-nvptx %s | FileCheck %s
// RUN: tile-nvptx %s --num-warps=32 --metadata | FileCheck %s --check-prefix=META

// CHECK: .extern .shared .align 128 .b8 tilerun_shared[]
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: st.shared.b32
// CHECK: bar.sync 0
// CHECK: ld.shared.v4.b32
// CHECK-NOT: bar.
// META: shared 128
// META: threads 1024
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pv = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = tile.reduce %pv axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
}
