// Sums of neighbouring floats in memory without results and without an order are one instruction for 16 bytes from sm_90 on; others one for each element.
// RUN: tile-nvptx %s --arch=sm_90a --num-warps=1 | FileCheck %s --check-prefixes=CHECK,NINETY
// RUN: tile-nvptx %s --arch=sm_80 --num-warps=1 | FileCheck %s --check-prefixes=CHECK,EIGHTY
// NINETY-COUNT-2: @{{%p[0-9]+}} red.relaxed.gpu.global.add.v4.f32 [{{%rd[0-9]+}}], {{[{]}}%r{{[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}};
// EIGHTY-COUNT-8: @{{%p[0-9]+}} atom.global.relaxed.gpu.add.f32
// NINETY: red.relaxed.sys.global.add.noftz.v8.bf16 [{{%rd[0-9]+}}], {{[{]}}%rs{{[0-9]+}}, {{.*}}{{[}]}};
// An order, or a result, is one for each element.
// CHECK-NOT: red.
// NINETY-COUNT-8: atom.global.acq_rel.gpu.add.f32
// NINETY-COUNT-8: atom.global.relaxed.gpu.add.f32
func.func @sums(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %py = tile.addptr %ys, %i : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pz = tile.addptr %zs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = arith.sitofp %i : tensor<256xi32> to tensor<256xf32>
  %h = arith.truncf %v : tensor<256xf32> to tensor<256xbf16>
  %0 = tile.atomic_rmw fadd %px, %v mask %mask {sem = #tile<sem relaxed>} : tensor<256x!tile.ptr<f32>>
  %1 = tile.atomic_rmw fadd %py, %h {sem = #tile<sem relaxed>, scope = #tile<scope sys>} : tensor<256x!tile.ptr<bf16>>
  %2 = tile.atomic_rmw fadd %px, %v : tensor<256x!tile.ptr<f32>>
  %3 = tile.atomic_rmw fadd %px, %v {sem = #tile<sem relaxed>} : tensor<256x!tile.ptr<f32>>
  tile.store %pz, %3 : tensor<256x!tile.ptr<f32>>
  return
}
