// Operands are read from shared memory step by step along k: two steps, each one wide access for the rows and one
// for the columns, of 16-bit elements in either order, of others where they are contiguous along k.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/f16.mlir --emit=simt --num-warps=1 | FileCheck %t/f16.mlir
// RUN: tile-nvptx %t/i8.mlir --emit=simt --num-warps=1 | FileCheck %t/i8.mlir
// RUN: tile-nvptx %t/large.mlir --arch=sm_75 --emit=simt --num-warps=4 | FileCheck %t/large.mlir
// RUN: not tile-nvptx %t/huge.mlir --arch=sm_75 2>&1 | FileCheck %t/huge.mlir

//--- f16.mlir
// CHECK-COUNT-2: simt.shared_alloc 1024
// CHECK: simt.load_matrix 4 %{{.*}} : vector<8xf16>
// CHECK-NEXT: vector.to_elements
// CHECK: simt.load_matrix 4 transposed %{{.*}} : vector<8xf16>
// CHECK-COUNT-2: simt.mma
// CHECK: simt.load_matrix 4 %{{.*}} : vector<8xf16>
// CHECK: simt.load_matrix 4 transposed %{{.*}} : vector<8xf16>
// CHECK-COUNT-2: simt.mma
// CHECK-NOT: simt.mma
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 512 : tensor<512xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  %av = tile.load %ap : tensor<512x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<512xf16> -> tensor<16x32xf16>
  %bi = tile.make_range 0 to 512 : tensor<512xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  %bv = tile.load %bp : tensor<512x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<512xf16> -> tensor<32x16xf16>
  %ci = tile.make_range 0 to 256 : tensor<256xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %cv = tile.load %cp : tensor<256x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<256xf32> -> tensor<16x16xf32>
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  %dv = tile.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  tile.store %cp, %dv : tensor<256x!tile.ptr<f32>>
  return
}

//--- i8.mlir
// CHECK: simt.load_matrix 4 %{{.*}} : vector<16xi8>
// CHECK: simt.mma "m16n8k32.row.col.s32.s8.s8.s32"
func.func @k(%x: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i8> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<i8>>
  %a = tile.reshape %av : tensor<1024xi8> -> tensor<16x64xi8>
  %bi = tile.make_range 0 to 512 : tensor<512xi32>
  %bs = tile.splat %y : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>>
  %bp = tile.addptr %bs, %bi : tensor<512x!tile.ptr<i8>>, tensor<512xi32>
  %bv = tile.load %bp : tensor<512x!tile.ptr<i8>>
  %b = tile.reshape %bv : tensor<512xi8> -> tensor<64x8xi8>
  %ci = tile.make_range 0 to 128 : tensor<128xi32>
  %cs = tile.splat %z : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %cp = tile.addptr %cs, %ci : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %cv = tile.load %cp : tensor<128x!tile.ptr<i32>>
  %c = tile.reshape %cv : tensor<128xi32> -> tensor<16x8xi32>
  %d = tile.dot %a, %b, %c : tensor<16x64xi8>, tensor<64x8xi8> -> tensor<16x8xi32>
  %dv = tile.reshape %d : tensor<16x8xi32> -> tensor<128xi32>
  tile.store %cp, %dv : tensor<128x!tile.ptr<i32>>
  return
}

//--- large.mlir
// An operand that takes more than its share of shared memory goes through it and stays in registers.
// CHECK-NOT: simt.load_matrix
// CHECK: simt.mma
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 16384 : tensor<16384xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %av = tile.load %ap : tensor<16384x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<16384xf16> -> tensor<64x256xf16>
  %bi = tile.make_range 0 to 16384 : tensor<16384xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %bv = tile.load %bp : tensor<16384x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<16384xf16> -> tensor<256x64xf16>
  %ci = tile.make_range 0 to 4096 : tensor<4096xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %cv = tile.load %cp : tensor<4096x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<4096xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %b, %c : tensor<64x256xf16>, tensor<256x64xf16> -> tensor<64x64xf32>
  %dv = tile.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  tile.store %cp, %dv : tensor<4096x!tile.ptr<f32>>
  return
}

//--- huge.mlir
// CHECK: error: 'tile.dot' cannot be compiled for cuda:sm_75: its operands take 131072 bytes of shared memory, but a program has 65536, which is 65536 too few; use smaller blocks
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 16384 : tensor<16384xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %av = tile.load %ap : tensor<16384x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<16384xf32> -> tensor<64x256xf32>
  %bi = tile.make_range 0 to 16384 : tensor<16384xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %bv = tile.load %bp : tensor<16384x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<16384xf32> -> tensor<256x64xf32>
  %ci = tile.make_range 0 to 4096 : tensor<4096xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %cv = tile.load %cp : tensor<4096x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<4096xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %b, %c : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
  %dv = tile.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  tile.store %cp, %dv : tensor<4096x!tile.ptr<f32>>
  return
}
