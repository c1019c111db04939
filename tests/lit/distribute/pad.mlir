// The padding of tensors is masked, left out, or moved out of the way.
// RUN: tile-opt %s --tile-pad=clean=false --split-input-file | FileCheck %s

// Powers of two stay unchanged in all ops.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: %[[R:.*]] = tile.make_range 3 to 67 : tensor<64xi32>
// CHECK-NEXT: %[[S:.*]] = tile.reduce %[[R]] axis 0
// CHECK-NOT: arith.cmpi
func.func @nothing(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 3 to 67 : tensor<64xi32>
  %s = tile.reduce %r axis 0 : (tensor<64xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  return
}

// -----

// Loads and stores get a mask; an existing mask is restricted to the real elements.
// CHECK-LABEL: func.func @memory(
// CHECK: %[[I:.*]] = tile.make_range 0 to 64 : tensor<64xi32>
// CHECK: %[[REAL:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : tensor<64xi32>
// CHECK: tile.make_range 3 to 67 : tensor<64xi32>
// CHECK: %[[P:.*]] = tile.addptr
// CHECK: %[[V:.*]] = tile.load %[[P]] mask %[[REAL]] : tensor<64x!tile.ptr<f32>>
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: %[[BOTH:.*]] = arith.select %[[REAL]], %[[M]], %{{.*}} : tensor<64xi1>, tensor<64xi1>
// CHECK: tile.store %[[P]], %[[V]] mask %[[BOTH]] : tensor<64x!tile.ptr<f32>>
func.func @memory(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 3 to 51 : tensor<48xi32>
  %s = tile.splat %x : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %p = tile.addptr %s, %r : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  %v = tile.load %p : tensor<48x!tile.ptr<f32>>
  %w = tile.splat %n : i32 -> tensor<48xi32>
  %m = arith.cmpi slt, %r, %w : tensor<48xi32>
  tile.store %p, %v mask %m : tensor<48x!tile.ptr<f32>>
  return
}

// -----

// Compare-and-swap has no mask: padding accesses the last element's address, and changes nothing there.
// CHECK-LABEL: func.func @swap(
// CHECK: %[[LAST:.*]] = arith.minsi
// CHECK: %[[P:.*]] = tile.gather %{{.*}}[%[[LAST]]] axis 0
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO:.*]] : tensor<4xi1>
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]] : tensor<4xi1>
// CHECK: tile.atomic_cas %[[P]], %[[C]], %[[V]] : tensor<4x!tile.ptr<i32>>
func.func @swap(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 3 : tensor<3xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %p = tile.addptr %s, %r : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  %v = tile.atomic_cas %p, %r, %r : tensor<3x!tile.ptr<i32>>
  return
}

// -----

// A known operation gets its identity; minus zero for a sum, NaN for an extremum without NaN.
// CHECK-LABEL: func.func @identities(
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x16xf32>
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]]
// CHECK: tile.reduce %[[A]] axis 1 : (tensor<4x16xf32>) -> tensor<4xf32>
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<4x16xf32>
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NAN]]
// CHECK: tile.reduce %[[B]] axis 0 : (tensor<4x16xf32>) -> tensor<16xf32>
func.func @identities(%x: f32) -> (tensor<3xf32>, tensor<12xf32>) {
  %t = tile.splat %x : f32 -> tensor<3x12xf32>
  %s = tile.reduce %t axis 1 : (tensor<3x12xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %m = tile.reduce %t axis 0 : (tensor<3x12xf32>) -> tensor<12xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %b, %a : f32
    tile.yield %c : f32
  }
  return %s, %m : tensor<3xf32>, tensor<12xf32>
}

// -----

// Any other combination also carries whether there is a value. Real elements come first, so the right part
// decides.
// CHECK-LABEL: func.func @pairs(
// CHECK: %[[R:.*]]:3 = tile.reduce %{{.*}}, %{{.*}}, %[[REAL:.*]] axis 0 : (tensor<8xf32>, tensor<8xi32>, tensor<8xi1>) -> (f32, i32, i1)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[AI:.*]]: i32, %[[AR:.*]]: i1, %[[B:.*]]: f32, %[[BI:.*]]: i32, %[[BR:.*]]: i1):
// CHECK: arith.cmpf ogt
// CHECK: %[[V:.*]] = arith.select %[[BR]], %{{.*}}, %[[A]] : f32
// CHECK: %[[I:.*]] = arith.select %[[BR]], %{{.*}}, %[[AI]] : i32
// CHECK: tile.yield %[[V]], %[[I]], %[[AR]]
func.func @pairs(%x: f32) -> (f32, i32) {
  %t = tile.splat %x : f32 -> tensor<5xf32>
  %r = tile.make_range 0 to 5 : tensor<5xi32>
  %m:2 = tile.reduce %t, %r axis 0 : (tensor<5xf32>, tensor<5xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %c, %a, %b : f32
    %i = arith.select %c, %ai, %bi : i32
    tile.yield %v, %i : f32, i32
  }
  return %m#0, %m#1 : f32, i32
}

// -----

// A scan ends before the padding; one from the end does not.
// CHECK-LABEL: func.func @scans(
// CHECK: tile.scan %{{[a-z0-9]+}} axis 0 : (tensor<8xi32>) -> tensor<8xi32>
// CHECK: tile.scan %{{.*}}, %{{.*}} axis 0 reverse : (tensor<8xi32>, tensor<8xi1>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[AR:.*]]: i1, %[[B:.*]]: i32, %[[BR:.*]]: i1):
// CHECK: %[[D:.*]] = arith.subi %[[A]], %[[B]]
// CHECK: %[[V:.*]] = arith.select %[[AR]], %[[D]], %[[B]] : i32
// CHECK: tile.yield %[[V]], %[[BR]]
func.func @scans() -> (tensor<5xi32>, tensor<5xi32>) {
  %r = tile.make_range 0 to 5 : tensor<5xi32>
  %s = tile.scan %r axis 0 : (tensor<5xi32>) -> tensor<5xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  %t = tile.scan %r axis 0 reverse : (tensor<5xi32>) -> tensor<5xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  return %s, %t : tensor<5xi32>, tensor<5xi32>
}

// -----

// Regions that could fail do not run: neither a map's nor a combination's, on any dimension.
// CHECK-LABEL: func.func @risky(
// CHECK: tile.map %{{.*}}, %[[REAL:.*]] : (tensor<4x8xi32>, tensor<4x8xi1>) -> tensor<4x8xi32>
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[IS:.*]]: i1):
// CHECK: scf.if %[[IS]] -> (i32)
// CHECK-NEXT: arith.divsi
// CHECK: tile.scan %{{.*}}, %[[REAL]] axis 1
// CHECK: scf.if %{{.*}} -> (i32)
// CHECK: arith.remsi
// CHECK: } else {
func.func @risky(%x: i32) -> tensor<3x8xi32> {
  %t = tile.splat %x : i32 -> tensor<3x8xi32>
  %m = tile.map %t : (tensor<3x8xi32>) -> tensor<3x8xi32> {
  ^bb0(%a: i32):
    %q = arith.divsi %x, %a : i32
    tile.yield %q : i32
  }
  %s = tile.scan %m axis 1 : (tensor<3x8xi32>) -> tensor<3x8xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.remsi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : tensor<3x8xi32>
}

// -----

// CHECK-LABEL: func.func @division(
// CHECK: %[[D:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xi32>
// CHECK: arith.divsi %{{.*}}, %[[D]] : tensor<4xi32>
// CHECK-NOT: arith.select
// CHECK: arith.divsi
func.func @division(%x: i32) -> (tensor<3xi32>, tensor<3xi32>) {
  %r = tile.make_range -3 to 0 : tensor<3xi32>
  %t = tile.splat %x : i32 -> tensor<3xi32>
  %q = arith.divsi %t, %r : tensor<3xi32>
  %ten = arith.constant dense<10> : tensor<3xi32>
  %s = arith.divsi %t, %ten : tensor<3xi32>
  return %q, %s : tensor<3xi32>, tensor<3xi32>
}

// -----

// Products: loaded padding is 0 already; computed padding is set to 0. Rows and columns may hold anything.
// CHECK-LABEL: func.func @product(
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[H:.*]] = arith.truncf %[[A]]
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x8xi1>, tensor<32x8xf16>
// CHECK: tile.dot %[[H]], %[[B]], %{{.*}} : tensor<4x32xf16>, tensor<32x8xf16> -> tensor<4x8xf32>
func.func @product(%p: tensor<3x24x!tile.ptr<f32>>, %b: tensor<24x5xf16>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %a = tile.load %p : tensor<3x24x!tile.ptr<f32>>
  %h = arith.truncf %a : tensor<3x24xf32> to tensor<3x24xf16>
  %d = tile.dot %h, %b, %c : tensor<3x24xf16>, tensor<24x5xf16> -> tensor<3x5xf32>
  return %d : tensor<3x5xf32>
}

// -----

// Where only the outermost size is not a power of two, elements stay in order; others are gathered.
// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>
// CHECK: %[[A:.*]] = tile.reshape %[[X]] : tensor<8x16xf32> -> tensor<128xf32>
// CHECK: %[[B:.*]] = tile.reshape %[[A]] : tensor<128xf32> -> tensor<1x128x1xf32>
// CHECK: %[[C:.*]] = tile.gather %[[B]][%{{.*}}] axis 1 : tensor<1x128x1xf32>, tensor<1x128x1xi32> -> tensor<1x128x1xf32>
// CHECK: %[[D:.*]] = tile.reshape %[[C]] : tensor<1x128x1xf32> -> tensor<4x32xf32>
// CHECK: return %[[A]], %[[D]]
func.func @reshape(%x: tensor<6x16xf32>) -> (tensor<96xf32>, tensor<4x24xf32>) {
  %a = tile.reshape %x allow_reorder : tensor<6x16xf32> -> tensor<96xf32>
  %b = tile.reshape %a : tensor<96xf32> -> tensor<4x24xf32>
  return %a, %b : tensor<96xf32>, tensor<4x24xf32>
}

// -----

// Only the dimensions that change are gathered.
// CHECK-LABEL: func.func @reshape_part(
// CHECK: tile.gather %{{.*}} axis 1 : tensor<4x32x16xf32>, tensor<4x32x16xi32> -> tensor<4x32x16xf32>
func.func @reshape_part(%x: tensor<3x4x6x10xf32>) -> tensor<3x24x10xf32> {
  %a = tile.reshape %x : tensor<3x4x6x10xf32> -> tensor<3x24x10xf32>
  return %a : tensor<3x24x10xf32>
}

// -----

// All elements of a tensor are reduced dimension by dimension; their numbers are computed.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: tile.gather
// CHECK: tile.reduce %{{.*}}, %{{.*}}, %{{.*}} axis 1 : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>)
// CHECK: tile.reduce %{{.*}}, %{{.*}}, %{{.*}} axis 0 : (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) -> (f32, i32, i1)
func.func @all(%x: tensor<3x5xf32>) -> i32 {
  %t = tile.reshape %x : tensor<3x5xf32> -> tensor<15xf32>
  %r = tile.make_range 0 to 15 : tensor<15xi32>
  %m:2 = tile.reduce %t, %r axis 0 : (tensor<15xf32>, tensor<15xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %c, %a, %b : f32
    %i = arith.select %c, %ai, %bi : i32
    tile.yield %v, %i : f32, i32
  }
  return %m#1 : i32
}

// -----

// Positions count modulo the real size; those that are known to be in range are left alone.
// CHECK-LABEL: func.func @gather(
// CHECK: arith.remsi %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK: tile.gather %{{.*}} axis 0 : tensor<16xf32>, tensor<4xi32> -> tensor<4xf32>
// CHECK-NOT: arith.remsi
// CHECK: %[[I:.*]] = arith.subi
// CHECK-NEXT: tile.gather %{{.*}}[%[[I]]] axis 0
func.func @gather(%x: tensor<12xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<12xf32>) {
  %a = tile.gather %x[%i] axis 0 : tensor<12xf32>, tensor<3xi32> -> tensor<3xf32>
  %r = tile.make_range 0 to 12 : tensor<12xi32>
  %e = arith.constant dense<11> : tensor<12xi32>
  %j = arith.subi %e, %r : tensor<12xi32>
  %b = tile.gather %x[%j] axis 0 : tensor<12xf32>, tensor<12xi32> -> tensor<12xf32>
  return %a, %b : tensor<3xf32>, tensor<12xf32>
}

// -----

// CHECK-LABEL: func.func @cat(
// CHECK: tile.cat %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
// CHECK: tile.gather %{{.*}} axis 0 : tensor<8xf32>, tensor<8xi32> -> tensor<8xf32>
// CHECK: tile.gather %{{.*}} axis 0 : tensor<4xf32>
// CHECK: tile.gather %{{.*}} axis 0 : tensor<8xf32>
// CHECK: arith.select
func.func @cat(%x: tensor<3xf32>, %y: tensor<6xf32>) -> (tensor<6xf32>, tensor<9xf32>) {
  %a = tile.cat %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<6xf32>
  %b = tile.cat %x, %y : tensor<3xf32>, tensor<6xf32> -> tensor<9xf32>
  return %a, %b : tensor<6xf32>, tensor<9xf32>
}

// -----

// Constants keep their elements where they were; a promise is cut so that it ends with the elements.
// CHECK-LABEL: func.func @values(
// CHECK: tile.hint %{{.*}} {constancy = array<i64: 2, 1>, contiguity = array<i64: 1, 4>, divisibility = array<i64: 64, 4>} : tensor<2x16xi32>
// CHECK: dense<{{\[}}[1, 2, 3, 0], [4, 5, 6, 0]]> : tensor<2x4xi32>
// CHECK: tile.print "x"{{.*}}extents = array<i64: 2, 3>{{.*}} : tensor<2x4xi32>
// CHECK: tile.print "x"
// CHECK-NOT: extents
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4xi1>, tensor<2x4xi1>
// CHECK: tile.assert %[[C]], "no"
func.func @values(%n: i32, %c: tensor<2x3xi1>, %d: tensor<2x12xi32>) {
  %h = tile.hint %d {divisibility = array<i64: 64, 64>, contiguity = array<i64: 1, 64>, constancy = array<i64: 2, 1>} : tensor<2x12xi32>
  %t = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  tile.print "x" : %t, %n signed [true, true] : tensor<2x3xi32>, i32
  tile.assert %c, "no" : tensor<2x3xi1>
  return
}

// -----

// A range at the end of the integers wraps around where it has no elements.
// CHECK-LABEL: func.func @last(
// CHECK: tile.make_range 0 to 4 : tensor<4xi32>
// CHECK: arith.addi
func.func @last() -> tensor<3xi32> {
  %r = tile.make_range 2147483643 to 2147483646 : tensor<3xi32>
  %s = tile.make_range 2147483644 to 2147483647 : tensor<3xi32>
  return %s : tensor<3xi32>
}

// -----

// Loops and branches carry padded values.
// CHECK-LABEL: func.func @control(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>)
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: ^bb0(%{{.*}}: tensor<4xf32>)
func.func @control(%n: i32, %c: i1, %x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<3xf32>) : i32 {
    %b = scf.if %c -> (tensor<3xf32>) {
      %d = arith.addf %a, %a : tensor<3xf32>
      scf.yield %d : tensor<3xf32>
    } else {
      scf.yield %a : tensor<3xf32>
    }
    scf.yield %b : tensor<3xf32>
  }
  %w = scf.while (%a = %r) : (tensor<3xf32>) -> tensor<3xf32> {
    scf.condition(%c) %a : tensor<3xf32>
  } do {
  ^bb0(%a: tensor<3xf32>):
    scf.yield %a : tensor<3xf32>
  }
  return %w : tensor<3xf32>
}
