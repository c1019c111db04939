// Where turns of warps pay: two warps of a unit, each of which multiplies for as long as the others' operands
// are read, with registers for all operands of a product.
// DEFINE: %{facts} =
// DEFINE: %{warps} = 4
// DEFINE: %{turns} = auto
// DEFINE: %{schedule} = tile-opt %s --schedule-stages="target=generic:shared=160k,turns=on,%{facts} num-warps=%{warps} turns=%{turns}" --remarks-filter=".*" 2>&1
// A warp computes four instructions; it reads 2 KiB, and 4 KiB are read for two units.
// REDEFINE: %{facts} = matrix-units=2,matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d:cycles=8
// RUN: %{schedule} | FileCheck %s --check-prefix=TURNS
// TURNS: remark: {{.*}}product-takes-turns{{.*}}warps compute the product in turns, by mma
// TURNS: tile.dot {{.*}}sched.turns
// REDEFINE: %{turns} = off
// RUN: %{schedule} | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.turns --implicit-check-not=turns:
// NONE: sched.pipeline
// One warp for each unit.
// REDEFINE: %{turns} = auto
// REDEFINE: %{warps} = 2
// RUN: %{schedule} | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.turns --implicit-check-not=turns:
// Fewer cycles than reads take.
// REDEFINE: %{warps} = 4
// REDEFINE: %{facts} = matrix-units=2,matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d:cycles=7
// RUN: %{schedule} | FileCheck %s --check-prefix=READS --implicit-check-not=sched.turns
// READS: remark: {{.*}}turns-not-taken{{.*}}warps do not compute the product in turns: a warp multiplies for 28 cycles, and shared memory takes 32 to give one warp of each unit its operands
// REDEFINE: %{turns} = on
// RUN: %{schedule} | FileCheck %s --check-prefix=TURNS
// Operands of both steps, sums, and loads on their way.
// REDEFINE: %{turns} = auto
// REDEFINE: %{facts} = registers=24,matrix-units=2,matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d:cycles=8
// RUN: %{schedule} | FileCheck %s --check-prefix=REGISTERS --implicit-check-not=sched.turns
// REGISTERS: remark: {{.*}}turns-not-taken{{.*}}warps do not compute the product in turns: with all operands at once a thread would need about {{[0-9]+}} registers, and 21 are for them
// Nothing is known of units, or of the instruction.
// REDEFINE: %{facts} = matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d:cycles=8
// RUN: %{schedule} | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.turns --implicit-check-not=turns:
// REDEFINE: %{facts} = matrix-units=2,matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d
// RUN: %{schedule} | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.turns --implicit-check-not=turns:

func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}
