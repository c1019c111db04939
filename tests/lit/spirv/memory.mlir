// Global memory: 128 bits at once whatever the element type; a mask is one branch for an access; elements of less
// than a word go through words where the device cannot access less.
// RUN: split-file %s %t
// RUN: tile-spirv %t/wide.mlir | FileCheck %s --check-prefix=WIDE
// RUN: tile-spirv %t/narrow.mlir | FileCheck %s --check-prefix=WORDS
// RUN: tile-spirv %t/narrow.mlir -target vulkan:1.3,i8,storage8,memory-model | FileCheck %s --check-prefix=BYTES

//--- wide.mlir
// WIDE: OpLoad %v4uint {{.*}} Aligned 16
// WIDE: OpSelectionMerge
// WIDE: OpStore {{.*}} Aligned 16
// WIDE-NOT: Aligned 16
func.func @copy(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  tile.store %q, %v mask %m : tensor<1024x!tile.ptr<f16>>
  return
}

//--- narrow.mlir
// Without 8-bit accesses: the word around the byte, and a store that leaves its neighbours alone.
// WORDS-NOT: OpTypeInt 8
// WORDS: OpBitwiseAnd %ulong %[[ADDRESS:[0-9]+]] %ulong_18446744073709551612
// WORDS: OpLoad %uint {{.*}} Aligned 4
// WORDS: OpShiftRightLogical
// WORDS: OpLoopMerge
// WORDS: OpAtomicCompareExchange
// BYTES: OpCapability StorageBuffer8BitAccess
// BYTES: OpLoad %uchar {{.*}} Aligned|NonPrivatePointer 1
// BYTES: OpStore {{.*}} Aligned|NonPrivatePointer 1
func.func @bytes(%x: !tile.ptr<i8>, %y: !tile.ptr<i8>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %j = arith.muli %i, %ns : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %p = tile.addptr %xs, %j : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<i8>>
  %ys = tile.splat %y : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %q = tile.addptr %ys, %j : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  tile.store %q, %v : tensor<128x!tile.ptr<i8>>
  return
}
