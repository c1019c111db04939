// Loads under one mask share a branch; loads and stores under several masks have one branch where all of them hold,
// and one each elsewhere. Nothing is brought together across a store.
// RUN: split-file %s %t
// RUN: tile-spirv %t/same.mlir | FileCheck %s --check-prefix=SAME
// RUN: tile-spirv %t/several.mlir | FileCheck %s --check-prefix=SEVERAL
// RUN: tile-spirv %t/store.mlir | FileCheck %s --check-prefix=APART

//--- same.mlir
// SAME: OpSelectionMerge
// SAME: OpLoad %v4float {{.*}} Aligned 16
// SAME-NOT: OpSelectionMerge
// SAME: OpLoad %v4float {{.*}} Aligned 16
// SAME: OpFAdd
// SAME: OpSelectionMerge
// SAME: OpStore {{.*}} Aligned 16
func.func @same(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p mask %m : tensor<512x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %w = tile.load %q mask %m : tensor<512x!tile.ptr<f32>>
  %s = arith.addf %v, %w : tensor<512xf32>
  tile.store %q, %s mask %m : tensor<512x!tile.ptr<f32>>
  return
}

//--- several.mlir
// Two accesses a thread: both at once, or each by itself.
// SEVERAL: OpLogicalAnd
// SEVERAL: OpBranchConditional %{{[0-9]+}} %[[BOTH:[0-9]+]] %[[EACH:[0-9]+]]
// SEVERAL-NEXT: %[[BOTH]] = OpLabel
// SEVERAL-COUNT-2: OpLoad %float {{.*}} Aligned 4
// SEVERAL: %[[EACH]] = OpLabel
// SEVERAL: OpSelectionMerge
// SEVERAL: OpLoad %float {{.*}} Aligned 4
// SEVERAL: OpSelectionMerge
// SEVERAL: OpLoad %float {{.*}} Aligned 4
func.func @several(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p mask %m : tensor<256x!tile.ptr<f32>>
  %s = arith.addf %v, %v : tensor<256xf32>
  tile.store %p, %s mask %m : tensor<256x!tile.ptr<f32>>
  return
}

//--- store.mlir
// APART: OpLoad %float {{.*}} Aligned 4
// APART: OpStore {{.*}} Aligned 4
// APART: OpSelectionMerge
// APART: OpLoad %float {{.*}} Aligned 4
func.func @apart(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i1) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %v = tile.load %x mask %m other %zero : !tile.ptr<f32>
  tile.store %y, %v : !tile.ptr<f32>
  %w = tile.load %x mask %m other %zero : !tile.ptr<f32>
  tile.store %x, %w : !tile.ptr<f32>
  return
}
