// Neighbours of a block have one quotient where the number of the program times the block's size is not negative, which an overflow would make it: code for
// launches of few programs reads 8 neighbours at a time behind a mask with a quotient, and divides once for them.
// RUN: tile-nvptx %s --arch=sm_90a --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s
// RUN: tile-nvptx %s --arch=sm_90a --few-programs=off | FileCheck %s --check-prefix=OFF
// LAYOUT: constancy = [256]
// LAYOUT: distribute.few_programs
// LAYOUT: tile.most_programs = array<i32: 2097152, 0, 0>
// LAYOUT: arith.divsi {{.*}}distribute.runs = array<i64: 256>
// LAYOUT: arith.cmpi {{.*}}distribute.runs = array<i64: 256>
// CHECK: // For launches of at most 2097152 x any x any programs: --few-programs
// CHECK-COUNT-1: setp.lt
// CHECK-NOT: setp
// CHECK: @%p1 ld.global.v4.b32
// OFF-NOT: For launches
// OFF-COUNT-8: setp.lt
// OFF-NOT: ld.global.v4
// OFF: st.global.v4
func.func @part(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %size = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %size : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %firsts = tile.splat %first : i32 -> tensor<1024xi32>
  %i = arith.addi %firsts, %range : tensor<1024xi32>
  %columns = arith.constant dense<32000> : tensor<1024xi32>
  %row = arith.divsi %i, %columns : tensor<1024xi32>
  %rows = arith.constant dense<1023> : tensor<1024xi32>
  %mask = arith.cmpi slt, %row, %rows : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %px = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %zero = arith.constant dense<0.0> : tensor<1024xf16>
  %v = tile.load %px mask %mask other %zero : tensor<1024x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %py = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  tile.store %py, %v : tensor<1024x!tile.ptr<f16>>
  return
}
