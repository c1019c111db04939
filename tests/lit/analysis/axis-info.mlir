// Results of the axis analysis, op by op. Soundness on random programs is tested in tests/ir/analysis.
// RUN: tile-opt %s --tile-print-axis-info --split-input-file --verify-diagnostics -o /dev/null

// expected-remark @below {{argument 0: contiguity = [1], divisibility = [16], constancy = [1]}}
// expected-remark @below {{argument 1: contiguity = [1], divisibility = [1], constancy = [1]}}
func.func @vector_add(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = tile.program_id 0
  // expected-remark @below {{divisibility = [1024], constancy = [1], constant = 1024}}
  %block = arith.constant 1024 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1024]}}
  %start = arith.muli %pid, %block : i32
  // expected-remark @below {{contiguity = [1024], divisibility = [4611686018427387904], constancy = [1]}}
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1024]}}
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1024], divisibility = [1024], constancy = [1]}}
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  // The pointers have the base's alignment: 16 bytes.
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %addresses = tile.addptr %ps, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1024]}}
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  // n is a multiple of nothing, so the mask may change anywhere.
  // expected-remark @below {{constancy = [1]}}
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  return
}

// -----

// With n a multiple of 16, the mask is uniform over 16 elements, whichever way it is written.
// expected-remark @below {{divisibility = [16]}}
func.func @mask(%n: i32 {tile.divisibility = 16 : i64}) {
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %r = tile.make_range 64 to 128 : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %0 = arith.cmpi slt, %r, %ns : tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %1 = arith.cmpi ugt, %ns, %r : tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %2 = arith.cmpi sge, %r, %ns : tensor<64xi32>
  // A run that begins with n itself changes after its first element.
  // expected-remark @below {{constancy = [1]}}
  %3 = arith.cmpi sle, %r, %ns : tensor<64xi32>
  // expected-remark @below {{constancy = [1]}}
  %4 = arith.cmpi eq, %r, %ns : tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %5 = arith.andi %0, %1 : tensor<64xi1>
  return
}

// -----

// Two dimensions: rows far apart, columns next to each other.
// expected-remark @below {{argument 0: contiguity = [1], divisibility = [16]}}
// expected-remark @below {{argument 1: contiguity = [1], divisibility = [8]}}
func.func @matrix(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %stride: i32 {tile.divisibility = 8 : i64}) {
  // expected-remark @below {{contiguity = [32]}}
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  // expected-remark @below {{contiguity = [64]}}
  %c = tile.make_range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{contiguity = [32, 1], divisibility = [4611686018427387904, 1], constancy = [1, 1]}}
  %rows = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 4611686018427387904], constancy = [1, 1]}}
  %cols = tile.expand_dims %c axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [32, 1]}}
  %strides = tile.splat %stride : i32 -> tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [1, 1]}}
  %scaled = arith.muli %rows, %strides : tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [1, 64]}}
  %wide = tile.broadcast %scaled : tensor<32x1xi32> -> tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 4611686018427387904], constancy = [32, 1]}}
  %tall = tile.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 8], constancy = [1, 1]}}
  %offsets = arith.addi %wide, %tall : tensor<32x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [32, 64]}}
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  // Eight halves, 16 bytes: the widest access. A longer run could wrap around 32 bits.
  // expected-remark @below {{contiguity = [1, 8], divisibility = [2, 16], constancy = [1, 1]}}
  %q = tile.addptr %ps, %offsets : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  // expected-remark @below {{contiguity = [8, 1], divisibility = [16, 2], constancy = [1, 1]}}
  %t = tile.trans %q [1, 0] : tensor<32x64x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  return
}

// -----

// The grouped order of a product and rows that wrap around: offs % M with M a multiple of 16 keeps runs of 16.
// expected-remark @below {{divisibility = [16]}}
func.func @wrap_around(%m: i32 {tile.divisibility = 16 : i64}) {
  // expected-remark @below {{contiguity = [1]}}
  %pid = tile.program_id 0
  // expected-remark @below {{constant = 128}}
  %block = arith.constant 128 : i32
  // expected-remark @below {{divisibility = [128]}}
  %start = arith.muli %pid, %block : i32
  // expected-remark @below {{contiguity = [128]}}
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  // expected-remark @below {{constancy = [128]}}
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [128]}}
  %offsets = arith.addi %starts, %r : tensor<128xi32>
  // expected-remark @below {{divisibility = [16], constancy = [128]}}
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  // As unsigned numbers this holds; as signed ones only without negative offsets, and pid * 128 may overflow.
  // expected-remark @below {{contiguity = [16], divisibility = [16]}}
  %0 = arith.remui %offsets, %ms : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1]}}
  %1 = arith.remsi %offsets, %ms : tensor<128xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16]}}
  %2 = arith.remsi %r, %ms : tensor<128xi32>
  return
}

// -----

func.func @division_and_bits() {
  // expected-remark @below {{contiguity = [64]}}
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{constant = 8}}
  %c8 = arith.constant dense<8> : tensor<64xi32>
  // expected-remark @below {{constant = 3}}
  %c3 = arith.constant dense<3> : tensor<64xi32>
  // expected-remark @below {{constant = 7}}
  %c7 = arith.constant dense<7> : tensor<64xi32>
  // expected-remark @below {{constant = 64}}
  %c64 = arith.constant dense<64> : tensor<64xi32>
  // expected-remark @below {{constant = -64}}
  %neg = arith.constant dense<-64> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %0 = arith.divsi %r, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %1 = arith.remsi %r, %c8 : tensor<64xi32>
  // expected-remark @below {{constancy = [8]}}
  %2 = arith.shrsi %r, %c3 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8]}}
  %3 = arith.andi %r, %c7 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [8]}}
  %4 = arith.shli %r, %c3 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %5 = arith.ori %r, %c64 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8]}}
  %6 = arith.xori %r, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %minus = arith.addi %r, %neg : tensor<64xi32>
  // Division of negative numbers rounds toward zero: no runs.
  // expected-remark @below {{constancy = [1]}}
  %7 = arith.divsi %minus, %c8 : tensor<64xi32>
  // A shift rounds down, whatever the sign.
  // expected-remark @below {{constancy = [8]}}
  %8 = arith.shrsi %minus, %c3 : tensor<64xi32>
  // expected-remark @below {{divisibility = [8], constancy = [64]}}
  %9 = arith.divsi %c64, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %10 = arith.subi %r, %c64 : tensor<64xi32>
  // Subtraction from a constant counts down.
  // expected-remark @below {{contiguity = [1]}}
  %11 = arith.subi %c64, %r : tensor<64xi32>
  return
}

// -----

// expected-remark @below {{argument 0: contiguity = [1], divisibility = [1], constancy = [1]}}
// expected-remark @below {{argument 1: contiguity = [1], divisibility = [1], constancy = [1]}}
// expected-remark @below {{argument 2: contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1]}}
func.func @hints(%n: i32, %x: tensor<64xi32>, %y: tensor<8x16xi32>) {
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1]}}
  %0 = tile.hint %n {divisibility = array<i64: 48>} : i32
  // expected-remark @below {{contiguity = [1], divisibility = [32]}}
  %1 = tile.hint %x {divisibility = array<i64: 32>} : tensor<64xi32>
  // expected-remark @below {{contiguity = [32], divisibility = [32]}}
  %2 = tile.hint %1 {contiguity = array<i64: 32>} : tensor<64xi32>
  // Never more than the number of elements.
  // expected-remark @below {{contiguity = [64], divisibility = [128]}}
  %3 = tile.hint %x {contiguity = array<i64: 128>, divisibility = array<i64: 128>} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [4, 16]}}
  %4 = tile.hint %y {constancy = array<i64: 4, 16>} : tensor<8x16xi32>
  // Runs of 24 hold runs of 8, which are multiples of 8 only.
  // expected-remark @below {{contiguity = [8], divisibility = [8]}}
  %5 = tile.hint %x {contiguity = array<i64: 24>, divisibility = array<i64: 32>} : tensor<64xi32>
  return
}

// -----

// Loops: facts that hold for the first value and are kept by each step; the induction variable.
// expected-remark @below {{argument 0: contiguity = [1], divisibility = [64]}}
// expected-remark @below {{argument 1}}
func.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 64 : i64}, %n: i32) {
  // expected-remark @below {{constant = 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{constant = 32}}
  %c32 = arith.constant 32 : i32
  // expected-remark @below {{constant = 8}}
  %step = arith.constant dense<8> : tensor<16xi32>
  // expected-remark @below {{contiguity = [16]}}
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  // expected-remark @below {{constancy = [16]}}
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [16], divisibility = [64]}}
  %first = tile.addptr %ps, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark @below {{argument 0: contiguity = [1], divisibility = [32]}}
  // expected-remark @below {{argument 1: contiguity = [16], divisibility = [32]}}
  // expected-remark @below {{result 0: contiguity = [16], divisibility = [32]}}
  %last = scf.for %i = %c0 to %n step %c32 iter_args(%q = %first) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    // expected-remark @below {{contiguity = [16], divisibility = [32]}}
    %next = tile.addptr %q, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

// Branches: facts that hold on both sides.
// expected-remark @below {{argument 0}}
func.func @branch(%c: i1) {
  // expected-remark @below {{divisibility = [16], constancy = [1], constant = 16}}
  %a = arith.constant 16 : i32
  // expected-remark @below {{divisibility = [8], constancy = [1], constant = 24}}
  %b = arith.constant 24 : i32
  // expected-remark @below {{divisibility = [8], constancy = [1]}}
  %0 = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  // expected-remark @below {{divisibility = [8], constancy = [1]}}
  %1 = arith.select %c, %a, %b : i32
  return
}

// -----

// Shapes, casts, and pairs.
func.func @shapes() {
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %r = tile.make_range 64 to 128 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1, 16], divisibility = [1, 16]}}
  %0 = tile.reshape %r : tensor<64xi32> -> tensor<4x16xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1]}}
  %1 = tile.reshape %r allow_reorder : tensor<64xi32> -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64, 1, 1], divisibility = [64, 1, 1]}}
  %2 = tile.reshape %r : tensor<64xi32> -> tensor<64x1x1xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [64, 1], constancy = [1, 2]}}
  %3 = tile.join %r, %r : tensor<64xi32> -> tensor<64x2xi32>
  // expected-remark @below {{result 0: contiguity = [64], divisibility = [64]}}
  // expected-remark @below {{result 1: contiguity = [64], divisibility = [64]}}
  %4:2 = tile.split %3 : tensor<64x2xi32> -> tensor<64xi32>, tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %5 = tile.cat %r, %r : tensor<64xi32>, tensor<64xi32> -> tensor<128xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %6 = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %7 = arith.trunci %r : tensor<64xi32> to tensor<64xi8>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %8 = arith.extui %7 : tensor<64xi8> to tensor<64xi16>
  return
}

// -----

// Pointers as integers and back; one kind of pointer as another.
// expected-remark @below {{argument 0: contiguity = [1], divisibility = [32]}}
func.func @pointer_casts(%p: !tile.ptr<i32> {tile.divisibility = 32 : i64}) {
  // expected-remark @below {{contiguity = [8]}}
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-remark @below {{constancy = [8]}}
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  // expected-remark @below {{contiguity = [8], divisibility = [32]}}
  %q = tile.addptr %ps, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [32]}}
  %0 = tile.bitcast %q : tensor<8x!tile.ptr<i32>> -> tensor<8x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [1], divisibility = [4]}}
  %1 = tile.bitcast %q : tensor<8x!tile.ptr<i32>> -> tensor<8x!tile.ptr<i8>>
  // expected-remark @below {{contiguity = [1], divisibility = [4]}}
  %2 = tile.ptr_to_int %q : tensor<8x!tile.ptr<i32>> -> tensor<8xi64>
  return
}
