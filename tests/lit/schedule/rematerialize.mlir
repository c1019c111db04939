// schedule-rematerialize on text: what is computed again behind a reduction, by arithmetic on layouts, and how many registers a thread may have.
// RUN: split-file %s %t
// DEFINE: %{target} = generic:unit-registers=65536,unit-threads=2048
// DEFINE: %{warps} = 16
// DEFINE: %{choice} = auto
// DEFINE: %{file} = row
// DEFINE: %{run} = tile-opt %t/%{file}.mlir --target=%{target} --num-warps=%{warps} --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --schedule-rematerialize=rematerialize=%{choice} --remarks-filter=".*"

// 512 threads hold 64 elements each of a row of 32768: 64 registers of float32, for which 104 are needed, or 32 of float16, for which 56 are.
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: values-rematerialized {{.*}}across them a thread keeps 32 registers of tensors instead of 64, so that 2 programs have room on a unit at a time, instead of 1
// AGAIN: func.func @row{{.*}}sched.registers = 64 : i64
// AGAIN: %[[X:.*]] = tile.load
// AGAIN: %[[W:.*]] = arith.extf %[[X]]
// AGAIN: %[[MOST:.*]] = tile.reduce %[[W]]
// AGAIN: %[[X1:.*]] = sched.keep fresh %[[X]] {distribute.homes
// AGAIN-NEXT: %[[W1:.*]] = arith.extf %[[X1]]
// AGAIN: arith.subf %[[W1]]
// AGAIN: %[[E:.*]] = math.exp
// AGAIN: %[[SUM:.*]] = tile.reduce %[[E]]
// AGAIN: %[[X2:.*]] = sched.keep fresh %[[X1]]
// AGAIN-NEXT: %[[W2:.*]] = arith.extf %[[X2]]
// AGAIN-NEXT: %[[D2:.*]] = arith.subf %[[W2]]
// AGAIN-NEXT: %[[E2:.*]] = math.exp %[[D2]]
// AGAIN: arith.divf %[[E2]]

// Twice as many threads hold 32 each, for which 56 are needed, or 16, for which 32 are.
// REDEFINE: %{warps} = 32
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=WIDER
// WIDER: values-rematerialized {{.*}}keeps 16 registers of tensors instead of 32, so that 2 programs have room on a unit at a time, instead of 1
// WIDER: sched.registers = 32 : i64
// Where not one program had its registers, one is more: half as many registers on a unit.
// REDEFINE: %{target} = generic:unit-registers=32768,unit-threads=2048
// REDEFINE: %{warps} = 16
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: values-rematerialized {{.*}}so that 1 program has room on a unit at a time, instead of 0
// ONE: sched.registers = 64 : i64
// A thread cannot have so many, however few threads there are.
// REDEFINE: %{target} = generic:unit-registers=65536,unit-threads=2048,registers=100
// REDEFINE: %{warps} = 8
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=LIMIT --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// LIMIT: func.func @row
// REDEFINE: %{target} = generic:unit-registers=65536,unit-threads=2048

// Four warps of the target have too many elements each for any choice; one program of 128 runs beside three others.
// REDEFINE: %{warps} = 4
// REDEFINE: %{file} = short
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ASSEMBLER --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// ASSEMBLER: func.func @short
// REDEFINE: %{choice} = on
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FORCED
// FORCED: values-rematerialized {{.*}}so that 9 programs have room on a unit at a time, instead of 4
// FORCED: sched.registers = 56 : i64
// FORCED: sched.keep fresh

// REDEFINE: %{warps} = 16
// REDEFINE: %{choice} = off
// REDEFINE: %{file} = row
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// OFF: func.func @row

// Few registers are kept across the reduction: loads may have all of them. The same for sums of a loop over blocks.
// REDEFINE: %{choice} = auto
// REDEFINE: %{file} = narrow
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NARROW --implicit-check-not=sched.keep
// NARROW: func.func @narrow{{.*}}sched.registers = 128 : i64
// REDEFINE: %{file} = blocks
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=BLOCKS --implicit-check-not=sched.keep
// BLOCKS: func.func @blocks{{.*}}sched.registers = 128 : i64

// Weights that are loaded behind the reduction count, too: two programs have no room for them either way.
// REDEFINE: %{file} = weights
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=WEIGHTS --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// WEIGHTS: func.func @weights

// A sort behind the reduction takes registers that are not counted.
// REDEFINE: %{file} = scanned
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SCANNED --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// SCANNED: func.func @scanned

// A sine is not computed twice; what would be computed from as wide a tensor saves nothing.
// REDEFINE: %{choice} = on
// REDEFINE: %{file} = dear
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=DEAR --implicit-check-not=sched.keep
// DEAR: func.func @dear

// By hand: of 128 elements of float16 each of 128 threads has half a word.
// RUN: not tile-opt %t/half.mlir --target=generic: --num-warps=4 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: half.mlir:6:8: error: 'sched.keep' op is fresh, but a thread has no whole words of 32 bits of the tensor

// A target whose unit is unknown, and an unknown choice.
// REDEFINE: %{file} = row
// REDEFINE: %{target} = generic:
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=sched.keep --implicit-check-not=sched.registers
// REDEFINE: %{choice} = yes
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: 'yes' is not a choice of rematerialize; use 'auto', 'off' or 'on'

//--- half.mlir
func.func @half(%in: !tile.ptr<f16>, %out: !tile.ptr<f16>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f16>>
  %y = sched.keep fresh %x : tensor<128xf16>
  %to = tile.splat %out : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %q = tile.addptr %to, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  tile.store %q, %y : tensor<128x!tile.ptr<f16>>
  return
}
//--- row.mlir
func.func @row(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 32768 : tensor<32768xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<32768x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<32768x!tile.ptr<f16>>, tensor<32768xi32>
  %x = tile.load %p : tensor<32768x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<32768xf16> to tensor<32768xf32>
  %most = tile.reduce %w axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<32768xf32>
  %d = arith.subf %w, %all : tensor<32768xf32>
  %e = math.exp %d : tensor<32768xf32>
  %sum = tile.reduce %e axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %both = arith.addf %a, %b : f32
    tile.yield %both : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<32768xf32>
  %y = arith.divf %e, %sums : tensor<32768xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  tile.store %q, %y : tensor<32768x!tile.ptr<f32>>
  return
}
//--- short.mlir
func.func @short(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8192 : tensor<8192xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %x = tile.load %p : tensor<8192x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<8192xf16> to tensor<8192xf32>
  %most = tile.reduce %w axis 0 : (tensor<8192xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<8192xf32>
  %d = arith.subf %w, %all : tensor<8192xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  tile.store %q, %d : tensor<8192x!tile.ptr<f32>>
  return
}
//--- narrow.mlir
func.func @narrow(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %x = tile.load %p : tensor<4096x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<4096xf16> to tensor<4096xf32>
  %most = tile.reduce %w axis 0 : (tensor<4096xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<4096xf32>
  %d = arith.subf %w, %all : tensor<4096xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %q, %d : tensor<4096x!tile.ptr<f32>>
  return
}
//--- blocks.mlir
func.func @blocks(%in: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<16384xf32>
  %i = tile.make_range 0 to 16384 : tensor<16384xi32>
  %base = tile.splat %in : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %base, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %s, %t = scf.for %k = %zero to %n step %one iter_args(%a = %zeros, %b = %zeros) -> (tensor<16384xf32>, tensor<16384xf32>) : i32 {
    %x = tile.load %p : tensor<16384x!tile.ptr<f32>>
    %c = arith.addf %a, %x : tensor<16384xf32>
    %square = arith.mulf %x, %x : tensor<16384xf32>
    %d = arith.addf %b, %square : tensor<16384xf32>
    scf.yield %c, %d : tensor<16384xf32>, tensor<16384xf32>
  }
  %sum = tile.reduce %s axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %both = arith.addf %a, %b : f32
    tile.yield %both : f32
  }
  %squares = tile.reduce %t axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %both = arith.addf %a, %b : f32
    tile.yield %both : f32
  }
  %r = arith.divf %squares, %sum : f32
  tile.store %out, %r : !tile.ptr<f32>
  return
}
//--- weights.mlir
func.func @weights(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %weights: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16384 : tensor<16384xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %x = tile.load %p : tensor<16384x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<16384xf16> to tensor<16384xf32>
  %most = tile.reduce %w axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<16384xf32>
  %d = arith.subf %w, %all : tensor<16384xf32>
  %first = tile.splat %weights : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pw = tile.addptr %first, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %weight = tile.load %pw : tensor<16384x!tile.ptr<f32>>
  %y = arith.mulf %d, %weight : tensor<16384xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  tile.store %q, %y : tensor<16384x!tile.ptr<f32>>
  return
}
//--- scanned.mlir
func.func @scanned(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 32768 : tensor<32768xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<32768x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<32768x!tile.ptr<f16>>, tensor<32768xi32>
  %x = tile.load %p : tensor<32768x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<32768xf16> to tensor<32768xf32>
  %most = tile.reduce %w axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<32768xf32>
  %d = arith.subf %w, %all : tensor<32768xf32>
  %y = tile.scan %d axis 0 : (tensor<32768xf32>) -> tensor<32768xf32> {
  ^bb0(%a: f32, %b: f32):
    %both = arith.addf %a, %b : f32
    tile.yield %both : f32
  }
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  tile.store %q, %y : tensor<32768x!tile.ptr<f32>>
  return
}
//--- dear.mlir
func.func @dear(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %wide: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16384 : tensor<16384xi32>
  %base = tile.splat %in : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %p = tile.addptr %base, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %x = tile.load %p : tensor<16384x!tile.ptr<f16>>
  %w = arith.extf %x : tensor<16384xf16> to tensor<16384xf32>
  %sine = math.sin %w : tensor<16384xf32>
  %first = tile.splat %wide : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pv = tile.addptr %first, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %pv : tensor<16384x!tile.ptr<f32>>
  %double = arith.addf %v, %v : tensor<16384xf32>
  %most = tile.reduce %sine axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<16384xf32>
  %d = arith.subf %sine, %all : tensor<16384xf32>
  %y = arith.addf %d, %double : tensor<16384xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  tile.store %q, %y : tensor<16384x!tile.ptr<f32>>
  return
}
