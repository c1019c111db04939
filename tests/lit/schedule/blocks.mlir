// schedule-blocks: a program is divided between blocks along a dimension along which all that it computes is independent.
// RUN: split-file %s %t
// DEFINE: %{target} = generic:blocks=8,lanes=32
// DEFINE: %{warps} = 1
// DEFINE: %{ctas} = 2
// DEFINE: %{file} = rows
// DEFINE: %{run} = tile-opt %t/%{file}.mlir --target=%{target} --num-warps=%{warps} --num-ctas=%{ctas} --schedule-blocks --remarks-filter=".*"

// Rows are divided: the range of rows begins at the block's rank times its rows, and columns stay as they are, although both come from one range.
// What is reduced along columns has a part for each block, too; a scalar is computed by all, and stored by the first one.
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: program-divided {{.*}}each program runs on 2 blocks, which divide its work along dimension 0 of the tensor that is written here
// ROWS: func.func @rows({{.*}}) attributes {tile.blocks = 2 : i32, tile.kernel}
// ROWS-DAG: %[[RANK:.*]] = tile.block_rank
// ROWS-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %{{.*}} : i32
// ROWS-DAG: tile.make_range 0 to 16 : tensor<16xi32>
// ROWS-DAG: %[[FROM:.*]] = arith.muli %[[RANK]], %c8_i32 : i32
// ROWS-DAG: %[[OWN:.*]] = tile.make_range 0 to 8 : tensor<8xi32>
// ROWS-DAG: %[[BEFORE:.*]] = tile.splat %[[FROM]] : i32 -> tensor<8xi32>
// ROWS-DAG: arith.addi %[[OWN]], %[[BEFORE]] : tensor<8xi32>
// ROWS: %[[X:.*]] = tile.load %{{.*}} : tensor<8x16x!tile.ptr<f32>>
// ROWS: tile.reduce %[[X]] axis 1 : (tensor<8x16xf32>) -> tensor<8xf32>
// ROWS: tile.store %{{.*}}, %{{.*}} : tensor<8x16x!tile.ptr<f32>>
// ROWS: tile.store %{{.*}}, %{{.*}} mask %[[FIRST]] : !tile.ptr<i32>

// Reduced along rows, columns are divided.
// REDEFINE: %{file} = columns
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: program-divided {{.*}}along dimension 1
// COLUMNS: %[[X:.*]] = tile.load %{{.*}} : tensor<16x8x!tile.ptr<f32>>
// COLUMNS: tile.reduce %[[X]] axis 0 : (tensor<16x8xf32>) -> tensor<8xf32>
// COLUMNS: tile.store %{{.*}}, %{{.*}} : tensor<16x8x!tile.ptr<f32>>

// Reduced along both, neither is: the load would be needed whole, and in parts.
// REDEFINE: %{file} = both
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: program-not-divided {{.*}}num_ctas=2 asks for 2 blocks, but each program runs on one: its value is computed once, and {{.*}} needs {{.*}}, but {{.*}} needs
// BOTH: func.func @both({{.*}}) attributes {tile.kernel}
// BOTH-NOT: block_rank

// Without clusters a program stays whole; so does one that has layouts, or that fewer blocks than asked for would take.
// REDEFINE: %{file} = rows
// REDEFINE: %{target} = generic
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: program-not-divided {{.*}}generic has no clusters of blocks
// NONE-NOT: block_rank
// REDEFINE: %{target} = generic:blocks=4,lanes=32
// REDEFINE: %{ctas} = 8
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: program-not-divided {{.*}}generic has {{smaller clusters|clusters of 4 at most}}
// REDEFINE: %{ctas} = 16
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=SIXTEEN
// SIXTEEN: error: num-ctas=16 is not 1, 2, 4 or 8
// REDEFINE: %{ctas} = 2
// REDEFINE: %{warps} = 16
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: program-not-divided {{.*}}a block would have 128 elements of the written tensor for its 512 threads
// REDEFINE: %{warps} = 1

// Of a product rows of the first operand, or columns of the second one; the other operand is whole. A loop carries addresses and the accumulator.
// REDEFINE: %{file} = product
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: scf.for {{.*}} -> (tensor<16x32xf32>, tensor<16x16x!tile.ptr<f16>>, tensor<16x32x!tile.ptr<f16>>)
// PRODUCT: tile.dot %{{.*}} : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
// PRODUCT: tile.store %{{.*}} : tensor<16x32x!tile.ptr<f32>>
// Where a block would have too few rows, it gets columns; and where it would have too few of both, nothing is divided.
// REDEFINE: %{ctas} = 4
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: program-not-divided {{.*}}a block would have 8 rows of this product, too few for its instructions
// REDEFINE: %{ctas} = 2
// REDEFINE: %{file} = wide
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: program-divided {{.*}}along dimension 1
// WIDE: tile.dot %{{.*}} : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>

// What is written is not read, and is stored to once: blocks do not wait for each other, and which elements of a tensor are one place is not known.
// REDEFINE: %{file} = in_place
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: program-not-divided {{.*}}another block may write what this one reads, by 'tile.store' (line {{[0-9]+}})
// REDEFINE: %{file} = twice
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: program-not-divided {{.*}}another block may write to the same place, by 'tile.store' (line {{[0-9]+}})
// REDEFINE: %{file} = in_loop
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: program-not-divided {{.*}}another block may store to the same place in another iteration of the loop

// Atomics: each element once; one by the first block alone only where nobody needs its result or its order.
// REDEFINE: %{file} = atomics
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ATOMICS
// ATOMICS: program-divided
// ATOMICS: tile.atomic_rmw {{.*}} : tensor<64x!tile.ptr<i32>>
// ATOMICS: tile.atomic_rmw {{.*}} mask %{{.*}} : !tile.ptr<i32>
// REDEFINE: %{file} = ticket
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=TICKET
// TICKET: program-not-divided {{.*}}all blocks need what it gives, and only one of them may do it
// REDEFINE: %{file} = releases
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=RELEASES
// RELEASES: program-not-divided {{.*}}it orders what other blocks write, too; with sem="relaxed" it would not
// REDEFINE: %{file} = flags
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FLAGS
// FLAGS: program-not-divided {{.*}}it orders what other blocks write, too; with sem="relaxed" it would not
// REDEFINE: %{file} = barrier
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: program-not-divided {{.*}}this 'tile.barrier' may order what the whole program does
// REDEFINE: %{file} = volatile
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=VOLATILE
// VOLATILE: program-not-divided {{.*}}blocks may see different values of this volatile load

// What is printed is whole, and printed once; assertions are of parts.
// REDEFINE: %{file} = prints
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PRINTS
// PRINTS: program-divided
// PRINTS: scf.if %{{.*}} {
// PRINTS-NEXT: tile.print "i"{{.*}}: tensor<128xi32>
// PRINTS: tile.assert %{{.*}} : tensor<64xi1>

// Shapes: transposed, joined along another dimension, reshaped where the dimension is cut in the same places; gathered from all along the axis.
// REDEFINE: %{file} = shapes
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: program-divided {{.*}}along dimension 0
// SHAPES: %[[X:.*]] = tile.load %{{.*}} : tensor<8x16x!tile.ptr<f32>>
// SHAPES: %[[T:.*]] = tile.trans %[[X]] {{.*}} : tensor<8x16xf32> -> tensor<16x8xf32>
// SHAPES: tile.join {{.*}} -> tensor<8x16x2xf32>
// SHAPES: tile.reshape {{.*}} tensor<8x16x2xf32> -> tensor<8x32xf32>
// SHAPES: tile.store %{{.*}} : tensor<8x32x!tile.ptr<f32>>
// REDEFINE: %{file} = flat
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FLAT
// FLAT: program-divided {{.*}}along dimension 0
// FLAT: tile.reshape {{.*}} tensor<8x16xf32> -> tensor<128xf32>
// REDEFINE: %{file} = scan
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN: program-not-divided {{.*}}a part along dimension 0 of the result of this 'tile.scan' cannot be computed alone: it scans along the dimension
// REDEFINE: %{file} = histogram
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=HISTOGRAM
// HISTOGRAM: program-not-divided {{.*}}a part along dimension 0 of the result of this 'tile.histogram' cannot be computed alone: it needs all of its operands
// REDEFINE: %{file} = scalar
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: program-not-divided {{.*}}it writes no tensor that could be divided

// A kernel that runs on more blocks than the target has is an error.
// REDEFINE: %{file} = marked
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=MARKED
// MARKED: error: kernel 'marked' runs each program on 8 blocks, but generic takes 4 at most

//--- rows.mlir
func.func @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %r = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rs = arith.muli %r, %c16 : tensor<16x1xi32>
  %rb = tile.broadcast %rs : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb = tile.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rb, %cb : tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %py = tile.addptr %ys, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %v = tile.load %px : tensor<16x16x!tile.ptr<f32>>
  %s = tile.reduce %v axis 1 : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %se = tile.expand_dims %s axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %sb = tile.broadcast %se : tensor<16x1xf32> -> tensor<16x16xf32>
  %w = arith.divf %v, %sb : tensor<16x16xf32>
  tile.store %py, %w : tensor<16x16x!tile.ptr<f32>>
  tile.store %flag, %n : !tile.ptr<i32>
  return
}

//--- columns.mlir
func.func @columns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %r = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rs = arith.muli %r, %c16 : tensor<16x1xi32>
  %rb = tile.broadcast %rs : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb = tile.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rb, %cb : tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %py = tile.addptr %ys, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %v = tile.load %px : tensor<16x16x!tile.ptr<f32>>
  %s = tile.reduce %v axis 0 : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %se = tile.expand_dims %s axis 0 : tensor<16xf32> -> tensor<1x16xf32>
  %sb = tile.broadcast %se : tensor<1x16xf32> -> tensor<16x16xf32>
  %w = arith.divf %v, %sb : tensor<16x16xf32>
  tile.store %py, %w : tensor<16x16x!tile.ptr<f32>>
  return
}

//--- both.mlir
func.func @both(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %py = tile.addptr %ys, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %px : tensor<128x!tile.ptr<f32>>
  %s = tile.reduce %v axis 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %sb = tile.splat %s : f32 -> tensor<128xf32>
  %w = arith.divf %v, %sb : tensor<128xf32>
  tile.store %py, %w : tensor<128x!tile.ptr<f32>>
  return
}

//--- product.mlir
func.func @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %step = arith.constant dense<16> : tensor<32x16xi32>
  %stepb = arith.constant dense<512> : tensor<16x32xi32>
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %r = tile.expand_dims %i axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c = tile.expand_dims %i axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %kc = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %kr = tile.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ra = tile.broadcast %r : tensor<32x1xi32> -> tensor<32x16xi32>
  %ka = tile.broadcast %kc : tensor<1x16xi32> -> tensor<32x16xi32>
  %oa = arith.addi %ra, %ka : tensor<32x16xi32>
  %kb = tile.broadcast %kr : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tile.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %ob = arith.addi %kb, %cb : tensor<16x32xi32>
  %rc = tile.broadcast %r : tensor<32x1xi32> -> tensor<32x32xi32>
  %cc = tile.broadcast %c : tensor<1x32xi32> -> tensor<32x32xi32>
  %oc = arith.addi %rc, %cc : tensor<32x32xi32>
  %As = tile.splat %A : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
  %a0 = tile.addptr %As, %oa : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
  %Bs = tile.splat %B : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
  %b0 = tile.addptr %Bs, %ob : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
  %Cs = tile.splat %C : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %pc = tile.addptr %Cs, %oc : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %res:3 = scf.for %j = %zero to %n step %one iter_args(%acc = %none, %pa = %a0, %pb = %b0)
      -> (tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>, tensor<16x32x!tile.ptr<f16>>) : i32 {
    %a = tile.load %pa : tensor<32x16x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<16x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %na = tile.addptr %pa, %step : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    %nb = tile.addptr %pb, %stepb : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    scf.yield %d, %na, %nb : tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>, tensor<16x32x!tile.ptr<f16>>
  }
  tile.store %pc, %res#0 : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- wide.mlir
func.func @wide(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>) attributes {tile.kernel} {
  %none = arith.constant dense<0.0> : tensor<16x128xf32>
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %j = tile.make_range 0 to 128 : tensor<128xi32>
  %r = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %k = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %c = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ra = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %ka = tile.broadcast %k : tensor<1x16xi32> -> tensor<16x16xi32>
  %oa = arith.addi %ra, %ka : tensor<16x16xi32>
  %rb = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x128xi32>
  %cb = tile.broadcast %c : tensor<1x128xi32> -> tensor<16x128xi32>
  %ob = arith.addi %rb, %cb : tensor<16x128xi32>
  %As = tile.splat %A : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %pa = tile.addptr %As, %oa : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %Bs = tile.splat %B : !tile.ptr<f16> -> tensor<16x128x!tile.ptr<f16>>
  %pb = tile.addptr %Bs, %ob : tensor<16x128x!tile.ptr<f16>>, tensor<16x128xi32>
  %Cs = tile.splat %C : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %pc = tile.addptr %Cs, %ob : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %a = tile.load %pa : tensor<16x16x!tile.ptr<f16>>
  %b = tile.load %pb : tensor<16x128x!tile.ptr<f16>>
  %d = tile.dot %a, %b, %none : tensor<16x16xf16>, tensor<16x128xf16> -> tensor<16x128xf32>
  tile.store %pc, %d : tensor<16x128x!tile.ptr<f32>>
  return
}

//--- in_place.mlir
func.func @in_place(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<128xf32>
  tile.store %p, %w : tensor<128x!tile.ptr<f32>>
  return
}

//--- twice.mlir
func.func @twice(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant dense<1> : tensor<128xi32>
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %j = arith.addi %i, %one : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %q = tile.addptr %xs, %j : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  tile.store %q, %j : tensor<128x!tile.ptr<i32>>
  return
}

//--- in_loop.mlir
func.func @in_loop(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %by = tile.splat %k : i32 -> tensor<128xi32>
    %q = tile.addptr %p, %by : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
    tile.store %q, %by : tensor<128x!tile.ptr<i32>>
  }
  return
}

//--- atomics.mlir
func.func @atomics(%x: !tile.ptr<i32>, %count: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %old = tile.atomic_rmw add %p, %i {sem = #tile<sem relaxed>} : tensor<128x!tile.ptr<i32>>
  %one = tile.atomic_rmw add %count, %n {sem = #tile<sem relaxed>} : !tile.ptr<i32>
  return
}

//--- ticket.mlir
func.func @ticket(%x: !tile.ptr<i32>, %count: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %one = tile.atomic_rmw add %count, %n {sem = #tile<sem relaxed>} : !tile.ptr<i32>
  %q = tile.addptr %x, %one : !tile.ptr<i32>, i32
  %xs = tile.splat %q : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  return
}

//--- releases.mlir
func.func @releases(%x: !tile.ptr<i32>, %count: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  %one = tile.atomic_rmw add %count, %n {sem = #tile<sem release>} : !tile.ptr<i32>
  return
}

//--- flags.mlir
func.func @flags(%x: !tile.ptr<i32>, %flags: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  %fs = tile.splat %flags : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %fs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %old = tile.atomic_rmw xchg %q, %i {sem = #tile<sem release>} : tensor<128x!tile.ptr<i32>>
  return
}

//--- barrier.mlir
func.func @barrier(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  tile.barrier
  return
}

//--- volatile.mlir
func.func @volatile(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %n = tile.load %y volatile : !tile.ptr<i32>
  %q = tile.addptr %x, %n : !tile.ptr<i32>, i32
  %xs = tile.splat %q : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  return
}

//--- prints.mlir
func.func @prints(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  tile.print "i" : %i signed [true] : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %i, %ns : tensor<128xi32>
  tile.assert %in, "in range" : tensor<128xi1>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %i : tensor<128x!tile.ptr<i32>>
  return
}

//--- shapes.mlir
func.func @shapes(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %j = tile.make_range 0 to 32 : tensor<32xi32>
  %r = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %d = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb = tile.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rb, %cb : tensor<16x16xi32>
  %rd = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x32xi32>
  %db = tile.broadcast %d : tensor<1x32xi32> -> tensor<16x32xi32>
  %od = arith.addi %rd, %db : tensor<16x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %py = tile.addptr %ys, %od : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  %v = tile.load %px : tensor<16x16x!tile.ptr<f32>>
  %t = tile.trans %v [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %g = tile.gather %t[%cb] axis 0 : tensor<16x16xf32>, tensor<16x16xi32> -> tensor<16x16xf32>
  %u = tile.trans %g [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %w = tile.join %v, %u : tensor<16x16xf32> -> tensor<16x16x2xf32>
  %f = tile.reshape %w : tensor<16x16x2xf32> -> tensor<16x32xf32>
  tile.store %py, %f : tensor<16x32x!tile.ptr<f32>>
  return
}

//--- flat.mlir
func.func @flat(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %j = tile.make_range 0 to 256 : tensor<256xi32>
  %r = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rb = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb = tile.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rb, %cb : tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %py = tile.addptr %ys, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %px : tensor<16x16x!tile.ptr<f32>>
  %f = tile.reshape %v : tensor<16x16xf32> -> tensor<256xf32>
  tile.store %py, %f : tensor<256x!tile.ptr<f32>>
  return
}

//--- scan.mlir
func.func @scan(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %px = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %py = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %px : tensor<128x!tile.ptr<i32>>
  %s = tile.scan %v axis 0 : (tensor<128xi32>) -> tensor<128xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.addi %a, %b : i32
    tile.yield %d : i32
  }
  tile.store %py, %s : tensor<128x!tile.ptr<i32>>
  return
}

//--- histogram.mlir
func.func @histogram(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %px = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %py = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %px : tensor<128x!tile.ptr<i32>>
  %h = tile.histogram %v : tensor<128xi32> -> tensor<128xi32>
  tile.store %py, %h : tensor<128x!tile.ptr<i32>>
  return
}

//--- scalar.mlir
func.func @scalar(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  tile.store %x, %n : !tile.ptr<i32>
  return
}

//--- marked.mlir
func.func @marked(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.blocks = 8 : i32} {
  %r = tile.block_rank
  tile.store %x, %r : !tile.ptr<i32>
  return
}
