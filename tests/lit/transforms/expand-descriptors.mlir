// Descriptors become their fields wherever they are carried, and accesses become masked ones.
// RUN: tile-opt %s --tile-expand-descriptors | FileCheck %s --implicit-check-not=descriptor
// Nothing is left behind, and a second run changes nothing.
// RUN: tile-opt %s --tile-expand-descriptors -o %t.once
// RUN: tile-opt %t.once --tile-expand-descriptors -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func.func @load(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "p"}, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i64, %[[J:.*]]: i64
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[R0:.*]] = tile.make_range 0 to 4 : tensor<4xi32>
// CHECK-NEXT: %[[E0:.*]] = tile.expand_dims %[[R0]] axis 1
// CHECK-NEXT: %[[W0:.*]] = arith.extsi %[[E0]] : tensor<4x1xi32> to tensor<4x1xi64>
// CHECK-NEXT: %[[O0:.*]] = tile.splat %[[I]] : i64 -> tensor<4x1xi64>
// CHECK-NEXT: %[[X0:.*]] = arith.addi %[[O0]], %[[W0]] : tensor<4x1xi64>
// CHECK-NEXT: %[[R1:.*]] = tile.make_range 0 to 8 : tensor<8xi32>
// CHECK-NEXT: %[[E1:.*]] = tile.expand_dims %[[R1]] axis 0
// CHECK-NEXT: %[[W1:.*]] = arith.extsi %[[E1]] : tensor<1x8xi32> to tensor<1x8xi64>
// CHECK-NEXT: %[[O1:.*]] = tile.splat %[[J]] : i64 -> tensor<1x8xi64>
// CHECK-NEXT: %[[X1:.*]] = arith.addi %[[O1]], %[[W1]] : tensor<1x8xi64>
// CHECK-NEXT: %[[T0:.*]] = tile.splat %[[S]] : i64 -> tensor<4x1xi64>
// CHECK-NEXT: %[[D0:.*]] = arith.muli %[[X0]], %[[T0]] : tensor<4x1xi64>
// CHECK-NEXT: %[[B0:.*]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<4x1x!tile.ptr<f32>>
// CHECK-NEXT: %[[P0:.*]] = tile.addptr %[[B0]], %[[D0]]
// CHECK-NEXT: %[[Z0:.*]] = arith.constant dense<0> : tensor<4x1xi64>
// CHECK-NEXT: %[[GE0:.*]] = arith.cmpi sge, %[[X0]], %[[Z0]]
// CHECK-NEXT: %[[M0:.*]] = tile.splat %[[M]] : i64 -> tensor<4x1xi64>
// CHECK-NEXT: %[[LT0:.*]] = arith.cmpi slt, %[[X0]], %[[M0]]
// CHECK-NEXT: %[[IN0:.*]] = arith.andi %[[GE0]], %[[LT0]] : tensor<4x1xi1>
// CHECK-NEXT: %[[T1:.*]] = tile.splat %[[ONE]] : i64 -> tensor<1x8xi64>
// CHECK-NEXT: %[[D1:.*]] = arith.muli %[[X1]], %[[T1]] : tensor<1x8xi64>
// CHECK-NEXT: %[[PB:.*]] = tile.broadcast %[[P0]] : tensor<4x1x!tile.ptr<f32>> -> tensor<4x8x!tile.ptr<f32>>
// CHECK-NEXT: %[[DB:.*]] = tile.broadcast %[[D1]] : tensor<1x8xi64> -> tensor<4x8xi64>
// CHECK-NEXT: %[[P1:.*]] = tile.addptr %[[PB]], %[[DB]]
// CHECK-NEXT: %[[Z1:.*]] = arith.constant dense<0> : tensor<1x8xi64>
// CHECK-NEXT: %[[GE1:.*]] = arith.cmpi sge, %[[X1]], %[[Z1]]
// CHECK-NEXT: %[[M1:.*]] = tile.splat %[[N]] : i64 -> tensor<1x8xi64>
// CHECK-NEXT: %[[LT1:.*]] = arith.cmpi slt, %[[X1]], %[[M1]]
// CHECK-NEXT: %[[INB:.*]] = tile.broadcast %[[IN0]] : tensor<4x1xi1> -> tensor<4x8xi1>
// CHECK-NEXT: %[[GEB:.*]] = tile.broadcast %[[GE1]] : tensor<1x8xi1> -> tensor<4x8xi1>
// CHECK-NEXT: %[[AND:.*]] = arith.andi %[[INB]], %[[GEB]]
// CHECK-NEXT: %[[LTB:.*]] = tile.broadcast %[[LT1]] : tensor<1x8xi1> -> tensor<4x8xi1>
// CHECK-NEXT: %[[MASK:.*]] = arith.andi %[[AND]], %[[LTB]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: %[[V:.*]] = tile.load %[[P1]] mask %[[MASK]] other %[[ZERO]] {cache = #tile<cache cg>, evict = #tile<evict evict_last>}
// CHECK-NEXT: return %[[V]]
func.func @load(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "p"}, %m: i64, %n: i64, %s: i64, %i: i64, %j: i64) -> tensor<4x8xf32> {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p sizes [%m, %n] strides [%s, %one] : !tile.descriptor<4x8xf32>
  %v = tile.descriptor_load %d[%i, %j] {cache = #tile<cache cg>, evict = #tile<evict evict_last>} : !tile.descriptor<4x8xf32>
  return %v : tensor<4x8xf32>
}

// A size of 1 needs no broadcast; values that stay narrow are widened at the end.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[P:.*]] = tile.addptr %{{.*}}, %{{.*}} : tensor<1x1x!tile.ptr<f32>>, tensor<1x1xi64>
// CHECK-NOT: tile.broadcast
// CHECK: tile.addptr %[[P]], %{{.*}} : tensor<1x1x!tile.ptr<f32>>, tensor<1x1xi64>
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x!tile.ptr<f32>>
func.func @narrow(%d: !tile.descriptor<1x1xf32>, %i: i64, %v: tensor<1x1xf32>) {
  tile.descriptor_store %d[%i, %i], %v : !tile.descriptor<1x1xf32>
  return
}

// Of a helper: one parameter for each field.
// CHECK-LABEL: func.func @nan(
// CHECK-SAME: %{{.*}}: !tile.ptr<f16>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<16xf16>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[NAN]]
func.func @nan(%d: !tile.descriptor<16xf16, nan>, %i: i64) -> tensor<16xf16> {
  %v = tile.descriptor_load %d[%i] : !tile.descriptor<16xf16, nan>
  return %v : tensor<16xf16>
}

// No attribute holds this format.
// CHECK-LABEL: func.func @nan_of_a_foreign_float(
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<16xf32>
// CHECK: %[[CAST:.*]] = tile.fp_cast %[[NAN]] : tensor<16xf32> -> tensor<16x!tile.f8E4M3B15>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[CAST]]
func.func @nan_of_a_foreign_float(%d: !tile.descriptor<16x!tile.f8E4M3B15, nan>, %i: i64) {
  %v = tile.descriptor_load %d[%i] : !tile.descriptor<16x!tile.f8E4M3B15, nan>
  tile.descriptor_store %d[%i], %v : !tile.descriptor<16x!tile.f8E4M3B15, nan>
  return
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<f32>, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[S:[^:]*]]: i64, %[[T:[^:]*]]: i64, %[[ROWS:[^:]*]]: tensor<4xi64>, %[[J:[^:]*]]: i64)
// CHECK: %[[WIN:.*]] = arith.addi %{{.*}} : tensor<1x16xi64>
// CHECK: %[[X:.*]] = tile.expand_dims %[[ROWS]] axis 1 : tensor<4xi64> -> tensor<4x1xi64>
// CHECK: %[[T0:.*]] = tile.splat %[[S]] : i64 -> tensor<4x1xi64>
// CHECK: arith.muli %[[X]], %[[T0]]
// CHECK: arith.cmpi sge, %[[X]]
// CHECK: %[[M0:.*]] = tile.splat %[[M]] : i64 -> tensor<4x1xi64>
// CHECK: arith.cmpi slt, %[[X]], %[[M0]]
// CHECK: arith.cmpi slt, %[[WIN]]
// CHECK: %[[V:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<4x16x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %[[V]] mask %{{.*}} : tensor<4x16x!tile.ptr<f32>>
func.func @rows(%d: !tile.descriptor<1x16xf32>, %rows: tensor<4xi64>, %j: i64) {
  %v = tile.descriptor_gather %d[%rows, %j] : !tile.descriptor<1x16xf32> -> tensor<4x16xf32>
  tile.descriptor_scatter %d[%rows, %j], %v : !tile.descriptor<1x16xf32>, tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @reduce(
// CHECK: %[[OLD:.*]] = tile.atomic_rmw umax %{{.*}}, %{{.*}} mask %{{.*}} : tensor<16x!tile.ptr<i32>>
func.func @reduce(%d: !tile.descriptor<16xi32>, %i: i64, %v: tensor<16xi32>) {
  tile.descriptor_reduce umax %d[%i], %v : !tile.descriptor<16xi32>
  return
}

// Checks of debug mode.
// CHECK-LABEL: func.func @overflow(
// CHECK: arith.addi %{{.*}} {tile.signed} : tensor<16xi64>
// CHECK: arith.muli %{{.*}} {tile.signed} : tensor<16xi64>
// CHECK: tile.store
// CHECK: arith.addi %{{[^{]*}} : tensor<16xi64>
// CHECK: arith.muli %{{[^{]*}} : tensor<16xi64>
// CHECK: tile.store
func.func @overflow(%d: !tile.descriptor<16xi32>, %i: i64, %v: tensor<16xi32>) {
  tile.descriptor_store %d[%i], %v {tile.signed} : !tile.descriptor<16xi32>
  tile.descriptor_store %d[%i], %v : !tile.descriptor<16xi32>
  return
}

// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[A:[^:]*]]: !tile.ptr<i32>, %[[AN:[^:]*]]: i64, %[[AS:[^:]*]]: i64, %[[B:[^:]*]]: !tile.ptr<i32>, %[[BN:[^:]*]]: i64, %[[BS:[^:]*]]: i64) -> (i64, i64)
// CHECK-NEXT: %{{.*}} = arith.select %[[C]], %[[A]], %[[B]] : !tile.ptr<i32>
// CHECK-NEXT: %[[N:.*]] = arith.select %[[C]], %[[AN]], %[[BN]] : i64
// CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[AS]], %[[BS]] : i64
// CHECK-NEXT: return %[[N]], %[[S]] : i64, i64
func.func @choose(%c: i1, %a: !tile.descriptor<16xi32>, %b: !tile.descriptor<16xi32>) -> (i64, i64) {
  %d = arith.select %c, %a, %b : !tile.descriptor<16xi32>
  %n = tile.descriptor_size %d axis 0 : !tile.descriptor<16xi32>
  %s = tile.descriptor_stride %d axis 0 : !tile.descriptor<16xi32>
  return %n, %s : i64, i64
}

// CHECK-LABEL: func.func @calls(
// CHECK: call @choose(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i1, !tile.ptr<i32>, i64, i64, !tile.ptr<i32>, i64, i64) -> (i64, i64)
// CHECK: %[[SAME:.*]]:3 = call @same(%{{.*}}, %{{.*}}, %{{.*}}) : (!tile.ptr<i32>, i64, i64) -> (!tile.ptr<i32>, i64, i64)
// CHECK: return %[[SAME]]#2 : i64
func.func @calls(%c: i1, %a: !tile.descriptor<16xi32>) -> i64 {
  %0:2 = func.call @choose(%c, %a, %a) : (i1, !tile.descriptor<16xi32>, !tile.descriptor<16xi32>) -> (i64, i64)
  %d = func.call @same(%a) : (!tile.descriptor<16xi32>) -> !tile.descriptor<16xi32>
  %s = tile.descriptor_stride %d axis 0 : !tile.descriptor<16xi32>
  return %s : i64
}
func.func private @same(%d: !tile.descriptor<16xi32>) -> !tile.descriptor<16xi32> {
  return %d : !tile.descriptor<16xi32>
}

// Attributes of loops and branches stay.
// CHECK-LABEL: func.func @carry(
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<i32>, %[[N:[^:]*]]: i64, %[[C:[^:]*]]: i1)
// CHECK: %[[POISON:.*]] = ub.poison : !tile.ptr<i32>
// CHECK: %[[FOR:.*]]:3 = scf.for %{{.*}} iter_args(%[[A:.*]] = %[[POISON]], %[[B:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (!tile.ptr<i32>, i64, i64)
// CHECK: %[[IF:.*]]:3 = scf.if %[[C]] -> (!tile.ptr<i32>, i64, i64)
// CHECK: scf.yield %[[A]], %[[B]], %[[S]] : !tile.ptr<i32>, i64, i64
// CHECK: scf.yield %[[P]], %[[N]], %[[N]] : !tile.ptr<i32>, i64, i64
// CHECK: } {on_if}
// CHECK: scf.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#2 : !tile.ptr<i32>, i64, i64
// CHECK: } {tile.num_stages = 3 : i64}
// CHECK: %[[WHILE:.*]]:5 = scf.while (%[[K0:.*]] = %[[N]], %{{.*}} = %[[FOR]]#0, %{{.*}} = %[[FOR]]#1, %{{.*}} = %[[FOR]]#2) : (i64, !tile.ptr<i32>, i64, i64) -> (!tile.ptr<i32>, i64, i64, i64, i64)
// CHECK: scf.condition(%[[C]]) %{{.*}}, %{{.*}}, %{{.*}}, %[[K0]], %[[K0]] : !tile.ptr<i32>, i64, i64, i64, i64
// CHECK: ^bb0(%[[X:.*]]: !tile.ptr<i32>, %[[Y:.*]]: i64, %[[Z:.*]]: i64, %[[K:.*]]: i64, %{{.*}}: i64):
// CHECK: scf.yield %[[K]], %[[X]], %[[Y]], %[[Z]] : i64, !tile.ptr<i32>, i64, i64
// CHECK: } attributes {on_while}
// CHECK: return %[[WHILE]]#1, %[[WHILE]]#4 : i64, i64
func.func @carry(%p: !tile.ptr<i32>, %n: i64, %c: i1) -> (i64, i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tile.make_descriptor %p sizes [%n] strides [%n] : !tile.descriptor<16xi32>
  %none = ub.poison : !tile.descriptor<16xi32>
  %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %none) -> (!tile.descriptor<16xi32>) : i32 {
    %y = scf.if %c -> (!tile.descriptor<16xi32>) {
      scf.yield %x : !tile.descriptor<16xi32>
    } else {
      scf.yield %d : !tile.descriptor<16xi32>
    } {on_if}
    scf.yield %y : !tile.descriptor<16xi32>
  } {tile.num_stages = 3 : i64}
  %w:3 = scf.while (%k = %n, %x = %last) : (i64, !tile.descriptor<16xi32>) -> (!tile.descriptor<16xi32>, i64, i64) {
    scf.condition(%c) %x, %k, %k : !tile.descriptor<16xi32>, i64, i64
  } do {
  ^bb0(%x: !tile.descriptor<16xi32>, %k: i64, %l: i64):
    scf.yield %k, %x : i64, !tile.descriptor<16xi32>
  } attributes {on_while}
  %size = tile.descriptor_size %w#0 axis 0 : !tile.descriptor<16xi32>
  return %size, %w#2 : i64, i64
}
